//! Base and after, compared (rule C8): by the names of tests, else by counts, else by lines.

use super::facts::Facts;
use super::normalise::normalise_line;
use super::shapes;
use super::text::Text;
use crate::domain::{Basis, Classification, Comparison, Exit, Outcome};
use crate::text::{clip_words, visible};
use std::collections::{BTreeMap, BTreeSet};

/// Lines that a comparison quotes, at most.
const MOST_LINES: usize = 10;
/// Error lines that are compared, the last of each run.
const MOST_ERRORS: usize = 2_000;
/// Characters of such a line.
const LONGEST: usize = 160;

/// One run as a comparison sees it.
#[derive(Debug, Clone, Copy)]
pub struct RunView<'a> {
    pub classification: &'a Classification,
    /// The output that the classification was made from.
    pub output: &'a str,
}

/// Names by what they are without the parts that differ from run to run.
type Names = BTreeMap<String, String>;

struct Run {
    failing: Names,
    /// Empty where the runner names only what fails.
    passing: Names,
    flaky: BTreeSet<String>,
    /// Tests that ran, where counts are printed.
    total: Option<u64>,
    reds: Option<u64>,
}

fn key(name: &str) -> String {
    normalise_line(&one_form(name))
}

/// unittest heads a failing test with its dotted name, and lists a passing one as
/// `test_x (module.Class.test_x)`, before Python 3.11 as `test_x (module.Class)`.
fn one_form(name: &str) -> String {
    let listed = name.strip_suffix(')').and_then(|n| n.split_once(" ("));
    let is_name = |c: char| c.is_alphanumeric() || c == '_' || c == '.';
    match listed {
        Some((test, place))
            if place.contains('.') && test.chars().chain(place.chars()).all(is_name) =>
        {
            match place.rsplit('.').next() == Some(test) {
                true => place.to_string(),
                false => format!("{place}.{test}"),
            }
        }
        _ => name.to_string(),
    }
}

fn names<'a>(list: impl Iterator<Item = &'a String>) -> Names {
    list.map(|name| (key(name), name.clone())).collect()
}

impl Run {
    fn of(view: &RunView<'_>) -> Run {
        let text = Text::new(view.output.as_bytes());
        let facts = Facts::read(&text, "", Exit::Code(0), &[], true);
        let counts = view.classification.tests;
        let sum = |parts: &[Option<u64>]| parts.iter().map(|p| p.unwrap_or(0)).sum::<u64>();
        let failing = names(view.classification.failed_names.iter());
        let passing = names(facts.passing.iter());
        let mut flaky: BTreeSet<String> = facts.flaky.iter().map(|name| key(name)).collect();
        flaky.extend(view.classification.flaky.iter().map(|name| key(name)));
        flaky.extend(
            failing
                .keys()
                .filter(|name| passing.contains_key(*name))
                .cloned(),
        );
        Run {
            failing,
            passing,
            flaky,
            total: counts.map(|c| sum(&[c.passed, c.failed, c.errors])),
            reds: counts.map(|c| sum(&[c.failed, c.errors])),
        }
    }
}

fn ran(view: &RunView<'_>) -> bool {
    matches!(
        view.classification.outcome,
        Outcome::Passed | Outcome::Failed
    )
}

/// What became of the tests of `base` in `after`.
pub fn compare(base: &RunView<'_>, after: &RunView<'_>) -> Comparison {
    if !ran(base) || !ran(after) {
        return by_outcome(base, after);
    }
    let (before, now) = (Run::of(base), Run::of(after));
    let named = |view: &RunView<'_>, run: &Run| {
        view.classification.outcome == Outcome::Passed || !run.failing.is_empty()
    };
    let mut comparison = if named(base, &before) && named(after, &now) {
        by_names(&before, &now)
    } else if let (Some(reds), Some(reds_now)) = (before.reds, now.reds) {
        by_counts(reds, reds_now)
    } else {
        by_lines(base, after)
    };
    if comparison.vanished.is_empty()
        && let (Some(total), Some(total_now)) = (before.total, now.total)
        && total_now < total
    {
        let fewer = total - total_now;
        // Without the names of passing tests, a failing one that is gone may not have run at all.
        if comparison.basis == Basis::Names && comparison.fixed.len() as u64 <= fewer {
            comparison.vanished.append(&mut comparison.fixed);
        }
        match fewer - comparison.vanished.len() as u64 {
            0 => {}
            1 => comparison.vanished.push("1 test fewer ran".to_string()),
            more => comparison.vanished.push(format!("{more} tests fewer ran")),
        }
    }
    comparison
}

fn by_names(before: &Run, now: &Run) -> Comparison {
    let mut comparison = Comparison {
        basis: Basis::Names,
        ..Comparison::default()
    };
    let known = !now.passing.is_empty();
    for (key, name) in &now.failing {
        let list = if now.flaky.contains(key) {
            &mut comparison.flaky
        } else if before.failing.contains_key(key) {
            &mut comparison.already_failing
        } else {
            &mut comparison.newly_broken
        };
        list.push(name.clone());
    }
    for (key, name) in &before.failing {
        if now.failing.contains_key(key) {
            continue;
        }
        // Where passing tests are named, one that is neither red nor green did not run.
        let gone = known && !now.passing.contains_key(key) && !before.passing.is_empty();
        if now.flaky.contains(key) {
            comparison.flaky.push(name.clone());
        } else if gone {
            comparison.vanished.push(name.clone());
        } else {
            comparison.fixed.push(name.clone());
        }
    }
    if known {
        let gone = before
            .passing
            .iter()
            .filter(|(key, _)| !now.passing.contains_key(*key) && !now.failing.contains_key(*key));
        comparison
            .vanished
            .extend(gone.map(|(_, name)| name.clone()));
    }
    for key in &now.flaky {
        let shown = now.passing.get(key).or(now.failing.get(key)).unwrap_or(key);
        if !comparison.flaky.contains(shown) {
            comparison.flaky.push(shown.clone());
        }
    }
    // A runner that cuts its list of names still counts.
    let unnamed = |run: &Run| {
        run.reds
            .map(|reds| reds.saturating_sub(run.failing.len() as u64))
    };
    if let (Some(one), Some(other)) = (unnamed(before), unnamed(now))
        && other > one
    {
        comparison.newly_broken.push(more(other - one));
    }
    comparison
}

fn more(count: u64) -> String {
    if count == 1 {
        "1 more test fails".to_string()
    } else {
        format!("{count} more tests fail")
    }
}

fn by_counts(before: u64, now: u64) -> Comparison {
    let mut comparison = Comparison {
        basis: Basis::Counts,
        ..Comparison::default()
    };
    if now > before {
        comparison.newly_broken.push(more(now - before));
    } else if now < before {
        let fewer = before - now;
        let words = if fewer == 1 {
            "1 test fewer fails".to_string()
        } else {
            format!("{fewer} tests fewer fail")
        };
        comparison.fixed.push(words);
    }
    let both = before.min(now);
    if both > 0 {
        let tests = if both == 1 { "test" } else { "tests" };
        comparison
            .already_failing
            .push(format!("{both} {tests} failed before too"));
    }
    comparison
}

/// The error lines of an output, normalised, in their order.
fn errors(output: &str) -> Vec<(String, String)> {
    let text = Text::new(output.as_bytes());
    let mut seen = BTreeSet::new();
    let shapes = shapes::read(&text);
    let from = shapes.len().saturating_sub(MOST_ERRORS);
    shapes[from..]
        .iter()
        .map(|shape| text.line(shape.at).trim())
        .map(|line| (normalise_line(line), clip_words(&visible(line), LONGEST)))
        .filter(|(key, _)| seen.insert(key.clone()))
        .collect()
}

fn by_lines(base: &RunView<'_>, after: &RunView<'_>) -> Comparison {
    let (before, now) = (errors(base.output), errors(after.output));
    let only = |of: &[(String, String)], not: &[(String, String)]| -> Vec<String> {
        let missing = of
            .iter()
            .filter(|(key, _)| !not.iter().any(|(other, _)| other == key));
        missing
            .map(|(_, line)| line.clone())
            .take(MOST_LINES)
            .collect()
    };
    let mut comparison = Comparison {
        basis: Basis::Lines,
        newly_broken: only(&now, &before),
        fixed: only(&before, &now),
        ..Comparison::default()
    };
    let both = now
        .iter()
        .filter(|(key, _)| before.iter().any(|(other, _)| other == key));
    comparison.already_failing = both
        .map(|(_, line)| line.clone())
        .take(MOST_LINES)
        .collect();
    match (base.classification.outcome, after.classification.outcome) {
        // Words in the output of a green run are no failures.
        (Outcome::Passed, Outcome::Passed) => Comparison {
            basis: Basis::Outcome,
            ..Comparison::default()
        },
        (Outcome::Passed, Outcome::Failed) if comparison.newly_broken.is_empty() => {
            by_outcome(base, after)
        }
        (Outcome::Failed, Outcome::Passed) => by_outcome(base, after),
        _ => comparison,
    }
}

/// All that is known is how the two runs ended.
fn by_outcome(base: &RunView<'_>, after: &RunView<'_>) -> Comparison {
    let mut comparison = Comparison {
        basis: Basis::Outcome,
        ..Comparison::default()
    };
    let say = |words: &str| vec![words.to_string()];
    match (base.classification.outcome, after.classification.outcome) {
        (Outcome::Passed | Outcome::Failed, Outcome::DidntStart) => {
            comparison.newly_broken = say("the check no longer starts");
        }
        (Outcome::Passed | Outcome::Failed, Outcome::TimedOut) => {
            comparison.newly_broken = say("the check no longer ends in time");
        }
        (Outcome::Passed, Outcome::Failed) => comparison.newly_broken = say("the check fails now"),
        (Outcome::Failed, Outcome::Passed) => comparison.fixed = say("the check passes now"),
        (Outcome::DidntStart, Outcome::Passed) => {
            comparison.fixed = say("the check starts now and passes")
        }
        (Outcome::TimedOut, Outcome::Passed) => {
            comparison.fixed = say("the check ends in time now and passes")
        }
        (Outcome::DidntStart, Outcome::DidntStart) => {
            let same = normalise_line(&base.classification.reason)
                == normalise_line(&after.classification.reason);
            if same {
                comparison.already_failing = say("the check stops the same way without the change");
            }
        }
        (Outcome::TimedOut, Outcome::TimedOut) => {
            comparison.already_failing = say("the check times out without the change too");
        }
        // Tests that could not be seen before: nothing to compare with.
        _ => {}
    }
    comparison
}
