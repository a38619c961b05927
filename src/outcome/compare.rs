//! Two runs of one check, compared (rule C8): by the names of failing tests where there are names,
//! else by counts, else by lines of the output without what differs from run to run.

use crate::domain::{Basis, Classification, Comparison, Counts, Outcome};
use regex::Regex;
use std::collections::BTreeSet;
use std::sync::LazyLock;

/// Lines of output that a comparison by lines names at most.
const MOST_LINES: usize = 5;

/// One run as a comparison needs it.
#[derive(Debug, Clone, Copy)]
pub struct RunView<'a> {
    pub classification: &'a Classification,
    pub output: &'a [u8],
}

/// Compares a run with the run of the same command on base. Where one of them timed out or did not
/// start there is nothing to compare by, and every list is empty.
pub fn compare(base: &RunView<'_>, after: &RunView<'_>) -> Comparison {
    let (b, a) = (base.classification, after.classification);
    let ran = |c: &Classification| matches!(c.outcome, Outcome::Passed | Outcome::Failed);
    if !(ran(b) && ran(a)) {
        let basis = if a.outcome == Outcome::Passed || b.outcome == Outcome::Passed {
            Basis::Outcome
        } else {
            Basis::None
        };
        return Comparison {
            basis,
            ..Comparison::default()
        };
    }
    if named(b) && named(a) {
        return by_names(b, a);
    }
    match (reds(b), reds(a)) {
        (Some(before), Some(now)) => by_counts(before, now, b, a),
        _ => by_lines(base, after),
    }
}

/// Whether every failure of this run has a name.
fn named(c: &Classification) -> bool {
    let names = c.failed_names.len() as u64;
    match c.outcome {
        Outcome::Passed => true,
        _ => names > 0 && reds(c).is_none_or(|n| names >= n),
    }
}

fn reds(c: &Classification) -> Option<u64> {
    let tests = c.tests?;
    match (tests.failed, tests.errors) {
        (None, None) => (c.outcome == Outcome::Passed).then_some(0),
        (failed, errors) => Some(failed.unwrap_or(0) + errors.unwrap_or(0)),
    }
}

fn total(tests: &Option<Counts>) -> Option<u64> {
    let t = tests.as_ref()?;
    let passed = t.passed?;
    Some(passed + t.failed.unwrap_or(0) + t.errors.unwrap_or(0) + t.skipped.unwrap_or(0))
}

/// How many tests fewer ran than on base.
fn fewer(b: &Classification, a: &Classification) -> u64 {
    match (total(&b.tests), total(&a.tests)) {
        (Some(before), Some(now)) => before.saturating_sub(now),
        _ => 0,
    }
}

fn by_names(b: &Classification, a: &Classification) -> Comparison {
    let before: BTreeSet<&String> = b.failed_names.iter().collect();
    let now: BTreeSet<&String> = a.failed_names.iter().collect();
    let list = |names: Vec<&&String>| {
        names
            .into_iter()
            .map(ToString::to_string)
            .collect::<Vec<String>>()
    };
    let gone = list(before.difference(&now).collect());
    let fewer = fewer(b, a);
    // A failing test that may simply no longer run was not shown to be fixed.
    let lost = fewer > 0 && gone.len() as u64 <= fewer;
    let (fixed, mut vanished) = if lost {
        (Vec::new(), gone)
    } else {
        (gone, Vec::new())
    };
    if fewer > vanished.len() as u64 {
        vanished.push(phrase(
            fewer - vanished.len() as u64,
            "test fewer ran",
            "tests fewer ran",
        ));
    }
    Comparison {
        fixed,
        newly_broken: list(now.difference(&before).collect()),
        already_failing: list(now.intersection(&before).collect()),
        vanished,
        flaky: Vec::new(),
        basis: Basis::Names,
    }
}

fn by_counts(before: u64, now: u64, b: &Classification, a: &Classification) -> Comparison {
    let some = |n: u64, one: &str, many: &str| {
        if n == 0 {
            Vec::new()
        } else {
            vec![phrase(n, one, many)]
        }
    };
    let fewer = fewer(b, a);
    let fixed = before.saturating_sub(now).saturating_sub(fewer);
    Comparison {
        fixed: some(fixed, "failure fewer", "failures fewer"),
        newly_broken: some(now.saturating_sub(before), "failure more", "failures more"),
        already_failing: some(before.min(now), "failure as before", "failures as before"),
        vanished: some(fewer, "test fewer ran", "tests fewer ran"),
        flaky: Vec::new(),
        basis: Basis::Counts,
    }
}

/// Neither names nor counts on one side: what the red output says that the other does not.
fn by_lines(base: &RunView<'_>, after: &RunView<'_>) -> Comparison {
    let (b, a) = (base.classification, after.classification);
    let mut comparison = Comparison {
        basis: Basis::Lines,
        ..Comparison::default()
    };
    match (b.outcome, a.outcome) {
        (Outcome::Failed, Outcome::Passed) => {
            comparison.fixed = vec!["the check as a whole".into()]
        }
        (Outcome::Passed, Outcome::Failed) => comparison.newly_broken = vec![reason(a)],
        (Outcome::Failed, Outcome::Failed) => {
            let (before, now) = (complaints(base.output), complaints(after.output));
            let some =
                |lines: BTreeSet<String>| lines.into_iter().take(MOST_LINES).collect::<Vec<_>>();
            comparison.fixed = some(before.difference(&now).cloned().collect());
            comparison.newly_broken = some(now.difference(&before).cloned().collect());
            comparison.already_failing = some(now.intersection(&before).cloned().collect());
            if now.is_empty() {
                comparison.already_failing = vec![reason(a)];
            }
        }
        _ => {}
    }
    comparison
}

fn reason(c: &Classification) -> String {
    match c.reason.trim_end_matches('.') {
        "" => "the check as a whole".into(),
        reason => reason.to_string(),
    }
}

fn phrase(n: u64, one: &str, many: &str) -> String {
    format!("{n} {}", if n == 1 { one } else { many })
}

static COMPLAINT: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(r"(?i)\b(error|errors|fail|failed|failure|failures|fatal|panicked|not ok|exception)\b|✗|✘|×").ok()
});

/// The lines that complain, normalised.
fn complaints(output: &[u8]) -> BTreeSet<String> {
    let text = crate::text::strip_ansi(&String::from_utf8_lossy(output));
    let Some(re) = COMPLAINT.as_ref() else {
        return BTreeSet::new();
    };
    text.lines()
        .filter(|line| re.is_match(line))
        .map(normalise_line)
        .map(|line| crate::text::clip_words(&line, 200))
        .filter(|line| !line.is_empty())
        .collect()
}

static VOLATILE: LazyLock<Vec<(Regex, &str)>> = LazyLock::new(|| {
    [
        (r"\b0x[0-9a-fA-F]{4,}\b", "0x…"),
        (
            r"\b[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}\b",
            "…",
        ),
        (
            r"\b\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:?\d\d)?",
            "…",
        ),
        (r"\b\d{1,2}:\d\d:\d\d(\.\d+)?\b", "…"),
        (
            r"\b\d+(\.\d+)?\s?(ns|µs|us|ms|s|secs?|seconds?|minutes?)\b",
            "…",
        ),
        (r"(/tmp|/var/tmp|/private/tmp)/[^\s:'\x22)]+", "/tmp/…"),
        (
            r"(?i)\b(pid|process|thread|seed|random seed|port)([ =:]+)\d+",
            "$1$2…",
        ),
        (r"\b(127\.0\.0\.1|localhost):\d+", "$1:…"),
    ]
    .into_iter()
    .filter_map(|(pattern, with)| Some((Regex::new(pattern).ok()?, with)))
    .collect()
});

/// A line without what differs from run to run: times, addresses, process numbers, temporary names,
/// seeds, ports.
pub fn normalise_line(line: &str) -> String {
    let mut line = crate::text::one_line(line);
    for (re, with) in VOLATILE.iter() {
        if let std::borrow::Cow::Owned(changed) = re.replace_all(&line, *with) {
            line = changed;
        }
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(outcome: Outcome, names: &[&str], counts: Option<(u64, u64)>) -> Classification {
        Classification {
            outcome,
            kind: None,
            tests: counts.map(|(passed, failed)| Counts {
                passed: Some(passed),
                failed: Some(failed),
                errors: None,
                skipped: None,
            }),
            failed_names: names.iter().map(ToString::to_string).collect(),
            failing: vec![],
            reason: "it broke.".into(),
            named_files: vec![],
            blames_change: false,
            narrowed: false,
            runner: None,
            evidence: vec![],
        }
    }

    fn of(b: &Classification, a: &Classification, before: &str, now: &str) -> Comparison {
        compare(
            &RunView {
                classification: b,
                output: before.as_bytes(),
            },
            &RunView {
                classification: a,
                output: now.as_bytes(),
            },
        )
    }

    #[test]
    fn names_decide_where_there_are_names() {
        let b = run(Outcome::Failed, &["old", "gone"], Some((8, 2)));
        let a = run(Outcome::Failed, &["old", "new"], Some((8, 2)));
        let c = of(&b, &a, "", "");
        assert_eq!(
            (c.fixed, c.newly_broken, c.already_failing),
            (vec!["gone".into()], vec!["new".into()], vec!["old".into()])
        );
        let c = of(&b, &run(Outcome::Passed, &[], Some((10, 0))), "", "");
        assert_eq!((c.fixed.len(), c.basis), (2, Basis::Names));
    }

    #[test]
    fn a_failing_test_that_no_longer_runs_is_not_fixed() {
        let b = run(Outcome::Failed, &["gone"], Some((9, 1)));
        let c = of(&b, &run(Outcome::Passed, &[], Some((9, 0))), "", "");
        assert_eq!((c.fixed.len(), c.vanished), (0, vec!["gone".to_string()]));
        let c = of(
            &run(Outcome::Passed, &[], Some((10, 0))),
            &run(Outcome::Passed, &[], Some((7, 0))),
            "",
            "",
        );
        assert_eq!(c.vanished, ["3 tests fewer ran"]);
    }

    #[test]
    fn counts_decide_where_names_are_missing() {
        let b = run(Outcome::Failed, &[], Some((8, 2)));
        let c = of(&b, &run(Outcome::Failed, &[], Some((7, 3))), "", "");
        assert_eq!(
            (c.newly_broken, c.already_failing),
            (
                vec!["1 failure more".into()],
                vec!["2 failures as before".into()]
            )
        );
        assert_eq!(c.basis, Basis::Counts);
        // Two failures, one name: the list is not whole.
        let half = run(Outcome::Failed, &["one"], Some((8, 2)));
        assert_eq!(of(&half, &half.clone(), "", "").basis, Basis::Counts);
    }

    #[test]
    fn lines_decide_where_there_is_nothing_else() {
        let red = run(Outcome::Failed, &[], None);
        let c = of(
            &red,
            &red.clone(),
            "error: a took 3.2 s\nerror: b",
            "error: a took 4.1 s\nerror: c",
        );
        assert_eq!(
            (c.fixed, c.newly_broken),
            (vec!["error: b".into()], vec!["error: c".into()])
        );
        assert_eq!(c.already_failing, ["error: a took …"]);
        let c = of(&run(Outcome::Passed, &[], None), &red, "", "boom");
        assert_eq!(c.newly_broken.len(), 1);
    }

    #[test]
    fn without_two_runs_there_is_no_comparison() {
        let red = run(Outcome::Failed, &["t"], Some((1, 1)));
        let none = run(Outcome::DidntStart, &[], None);
        assert_eq!(of(&none, &red, "", ""), Comparison::default());
        assert_eq!(
            of(&red, &run(Outcome::TimedOut, &[], None), "", "").basis,
            Basis::None
        );
    }

    #[test]
    fn what_differs_from_run_to_run_is_left_out() {
        let a = normalise_line(
            "pid 4242 at 0x7ffc0012 in /tmp/abc/x: 12.5 ms 2026-11-30T10:11:12Z port=8080",
        );
        let b =
            normalise_line("pid 17 at 0x7ffd9912 in /tmp/zzz/x: 9 ms 2026-11-29T01:02:03Z port=9");
        assert_eq!(a, b);
    }
}
