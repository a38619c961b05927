//! What the harness and the reviewer found beside the check.

use super::words::count;
use crate::domain::{Outcome, Reproduction, Review, ReviewPoint, Severity, Weakness, WeaknessKind};
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
            list(
                &|w| format!("{} ({})", code_span(&w.path), clause(&w.what)),
                "; "
            )
        ),
        WeaknessKind::Lost => format!(
            "**Tests that ran before do not run with this change**: {}.",
            list(&lost, ", ")
        ),
        WeaknessKind::InSource => format!(
            "**This change touches tests that stand inside the source**, which mend cannot protect by their path: {}. Please compare them.",
            list(&place, ", ")
        ),
    }
}

/// A name as code; a phrase such as `2 tests fewer ran` as it is.
fn lost(w: &Weakness) -> String {
    let phrase = w.what.starts_with(|c: char| c.is_ascii_digit()) && w.what.contains(" fewer ran");
    match phrase {
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
            "There is no review of this state: {}.",
            clause(why)
        ));
    }
    parts.join("\n\n")
}

/// How the review went, for the details.
pub(super) fn reviewed(review: &Review) -> Option<String> {
    let unplaced = match review.unplaced {
        0 => String::new(),
        n => format!(
            " {} left out, for no file of the change.",
            super::words::capital(&count(n, "point", "points"))
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
