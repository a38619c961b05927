//! What the harness and the reviewer found beside the check.

use super::checks::{cell, phrase};
use super::words::count;
use crate::domain::{
    Contradiction, Outcome, Reproduction, Review, ReviewPoint, Severity, Weakness, WeaknessKind,
};
use crate::text::{clip_words, code_span, neutralise, one_line};

/// Entries of a list that are shown before the rest is counted.
const MOST: usize = 12;

fn clause(text: &str) -> String {
    neutralise(&clip_words(&one_line(text), 300))
        .trim_end_matches('.')
        .to_string()
}

/// One line for each added test file.
pub(super) fn reproductions(all: &[Reproduction]) -> String {
    let lines: Vec<String> = all.iter().take(MOST).map(reproduction).collect();
    match &lines[..] {
        [] => String::new(),
        [one] => one.clone(),
        many => many
            .iter()
            .map(|line| format!("* {line}"))
            .collect::<Vec<_>>()
            .join("\n"),
    }
}

/// What was tried to show the bug, where nothing shows it; a clause.
pub(super) fn not_reproduced(all: &[Reproduction]) -> String {
    let each: Vec<String> = all
        .iter()
        .take(MOST)
        .map(|r| {
            let because = r.because.as_deref().unwrap_or("it was not run");
            format!("{}: {}", code_span(&r.file), clause(because))
        })
        .collect();
    match &each[..] {
        [] => "no test was added that shows the bug".to_string(),
        [one] => format!("the added test does not show the bug ({one})"),
        many => format!("no added test shows the bug ({})", many.join("; ")),
    }
}

fn reproduction(r: &Reproduction) -> String {
    let file = code_span(&r.file);
    if !r.red_to_green {
        let because = r.because.as_deref().unwrap_or("it was not run");
        return format!("Not reproduced by {file}, because {}.", clause(because));
    }
    let red = match (&r.missing, r.base) {
        (Some(name), _) => format!(
            "needs {}, which the report asks for and base does not have,",
            code_span(name)
        ),
        (None, Some(Outcome::DidntStart)) => {
            format!("does not start on base ({})", clause(&r.reason))
        }
        _ if r.reason.trim().is_empty() => "fails on base".to_string(),
        _ => format!("fails on base ({})", clause(&r.reason)),
    };
    format!("Reproduced: {file} {red} and passes with this change.")
}

/// The headline where a weakness keeps the change from being ready, or a line beside another one.
pub(super) fn weaknesses(all: &[Weakness], kind: WeaknessKind) -> String {
    let of: Vec<&Weakness> = all.iter().filter(|w| w.kind == kind).collect();
    let rest = of.len().saturating_sub(MOST);
    let more = match rest {
        0 => String::new(),
        n => format!(" and {n} more"),
    };
    let list = |each: &dyn Fn(&Weakness) -> String, between: &str| {
        let shown: Vec<String> = of.iter().take(MOST).map(|w| each(w)).collect();
        format!("{}{more}", shown.join(between))
    };
    if of.is_empty() {
        return String::new();
    }
    match kind {
        WeaknessKind::Deaf => format!(
            "**The check cannot fail any more with this change**: {} stays green when a test that always fails is put beside the \
             others, and is red then without this change. Do not rely on its result.",
            list(&|w| code_span(&w.what), ", ")
        ),
        WeaknessKind::Harness => format!(
            "**This change reaches what runs the tests**, so a green check says less: {}.",
            harness(&of)
        ),
        WeaknessKind::Lost => format!(
            "**Tests that ran before do not run with this change**: {}.",
            list(&lost, ", ")
        ),
        WeaknessKind::InSource => format!(
            "**This change touches tests that stand inside the source**, which mend cannot protect by their path: {}. Please compare them.",
            list(&place, ", ")
        ),
        WeaknessKind::OnlyTests => format!(
            "**Only tests and documents were changed**, and no line of the code that is tested: {}. A check that turns green by that shows no fix.",
            list(&|w| code_span(&w.path), ", ")
        ),
        WeaknessKind::ByTests => format!(
            "**What is fixed is not fixed without the files that this change adds among the tests.** Without them the check says: {}.",
            list(&|w| clause(&w.what), "; ")
        ),
        WeaknessKind::Sensitive => format!(
            "**Look at these first: they act on the machines of those who install, build or check out the project**: {}.",
            harness(&of)
        ),
        WeaknessKind::TestsChanged => format!(
            "**Existing tests were changed, as allowed**: {}. Please compare them with the report.",
            list(&|w| code_span(&w.path), ", ")
        ),
    }
}

/// Files with what they reach, those of one kind together.
fn harness(all: &[&Weakness]) -> String {
    let mut groups: Vec<(&str, Vec<String>)> = Vec::new();
    for w in all.iter().take(MOST) {
        let path = code_span(&w.path);
        match groups.iter_mut().find(|(what, _)| *what == w.what) {
            Some((_, paths)) => paths.push(path),
            None => groups.push((&w.what, vec![path])),
        }
    }
    let each = groups
        .iter()
        .map(|(what, paths)| format!("{} ({})", paths.join(", "), clause(what)));
    let shown = each.collect::<Vec<_>>().join("; ");
    match all.len().saturating_sub(MOST) {
        0 => shown,
        n => format!("{shown} and {n} more"),
    }
}

/// A name as code; a phrase such as `2 tests fewer ran` as it is.
fn lost(w: &Weakness) -> String {
    match phrase(&w.what) {
        true => w.what.clone(),
        false => code_span(&clip_words(&w.what, 200)),
    }
}

fn place(w: &Weakness) -> String {
    match w.lines {
        Some((first, last)) if first == last => code_span(&format!("{}:{first}", w.path)),
        Some((first, last)) => format!("{} to {last}", code_span(&format!("{}:{first}", w.path))),
        None => format!("{} (removed)", code_span(&w.path)),
    }
}

/// The reviewer's part; empty where there was none, or nothing to say.
pub(super) fn review(review: &Review) -> String {
    let mut parts = Vec::new();
    if !review.open.is_empty() {
        let points: Vec<String> = review.open.iter().map(point).collect();
        parts.push(format!(
            "**Reviewer's open points** (a model's words, {}; not checked by mend)\n\n{}",
            code_span(&review.model),
            points.join("\n")
        ));
    }
    if let Some(why) = &review.failed {
        parts.push(format!(
            "There is no review of this change: {}.",
            clause(why)
        ));
    }
    parts.join("\n\n")
}

/// Tests that contradict the report. `changed`: whether there is a change that could follow it.
pub(super) fn contradictions(named: &[Contradiction], changed: bool) -> String {
    let text = |t: &str| neutralise(&clip_words(&one_line(t), 400)).replace('|', "\\|");
    let told = |t: Option<&str>| match t.map(str::trim).filter(|t| !t.is_empty()) {
        Some(said) => text(said),
        None => "not said".to_string(),
    };
    let mut out = String::from("| test | expects | the report requires |\n|---|---|---|\n");
    for c in named {
        let place = match (&c.file, c.line) {
            (Some(file), Some(line)) => format!("{} ", cell(&format!("{file}:{line}"))),
            (Some(file), None) => format!("{} ", cell(file)),
            _ => String::new(),
        };
        // A runner that names tests by their file would say the file twice.
        let test = match &c.file {
            Some(file) => c
                .test
                .strip_prefix(file.as_str())
                .unwrap_or(&c.test)
                .trim_start_matches(':'),
            None => &c.test,
        };
        let unconfirmed = if c.confirmed {
            ""
        } else {
            " (not confirmed by the check)"
        };
        out.push_str(&format!(
            "| {place}{}{unconfirmed} | {} | {} |\n",
            cell(test),
            told(c.expected.as_deref()),
            told(c.report_requires.as_deref().or(c.why.as_deref()))
        ));
    }
    for c in named {
        // Said in the table already, where nothing else was.
        let why = c.why.as_deref().map(str::trim).filter(|why| {
            let required = c.report_requires.as_deref().map(str::trim);
            !why.is_empty() && required.is_some_and(|r| r != *why)
        });
        if let Some(why) = why {
            out.push_str(&format!("\n{}: {}\n", cell(&c.test), text(why)));
        }
    }
    let unconfirmed: Vec<String> = named
        .iter()
        .filter(|c| !c.confirmed)
        .map(|c| cell(&c.test))
        .collect();
    if !unconfirmed.is_empty() {
        out.push_str(&format!(
            "\nNot confirmed: {}. The model names {}, but no check of this change shows {} failing.\n",
            unconfirmed.join(", "),
            if unconfirmed.len() == 1 { "it" } else { "them" },
            if unconfirmed.len() == 1 { "it" } else { "them" },
        ));
    }
    let follows = match changed {
        true => "The code follows the report.",
        false => "Nothing was changed.",
    };
    out.push_str(&format!(
        "\n{follows} If the test is right, comment `/mend retry` with the rule that it follows; if the report is \
         right, correct the test, or comment `/mend fix allow-tests`."
    ));
    out
}

/// How the review went, for the details.
pub(super) fn reviewed(review: &Review) -> Option<String> {
    let unplaced = match review.unplaced {
        0 => String::new(),
        n => format!(
            " {} no file of the change.",
            super::words::capital(&count(n, "point names", "points name"))
        ),
    };
    if review.sent_back.is_empty() && review.failed.is_some() {
        return None;
    }
    Some(format!(
        "Reviewed by {}: {} sent back to the worker, {} open.{unplaced}",
        code_span(&review.model),
        count(review.sent_back.len(), "point", "points"),
        review.open.len(),
    ))
}

fn point(p: &ReviewPoint) -> String {
    let place = match p.line {
        Some(line) => code_span(&format!("{}:{line}", p.path)),
        None if p.path.is_empty() => "the change".to_string(),
        None => code_span(&p.path),
    };
    let severity = match p.severity {
        Severity::MustFix => "must fix",
        Severity::ShouldFix => "should fix",
        Severity::Note => "note",
    };
    format!(
        "* {place} ({severity}): {}",
        neutralise(&clip_words(&one_line(&p.text), 600))
    )
}
