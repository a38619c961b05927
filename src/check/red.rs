//! What counts as red on the untouched code and green with the change.

use super::missing::asks_for;
use crate::domain::{CheckRun, Comparison, Kind, Outcome};
use crate::tree::RelPath;

/// Tests that ran to a result, where the runner counts.
pub(super) fn ran(run: &CheckRun) -> Option<u64> {
    let tests = run.classification.tests?;
    let sum = [tests.passed, tests.failed, tests.errors];
    Some(sum.iter().map(|n| n.unwrap_or(0)).sum())
}

/// Why the run on the untouched code shows no bug; `None` where it does.
pub(super) fn not_red(base: &CheckRun, missing: Option<&str>, report: &str) -> Option<String> {
    let c = &base.classification;
    let reason = |words: &str| match c.reason.trim_end_matches('.') {
        "" => words.to_string(),
        reason => format!("{words}: {reason}"),
    };
    match (c.outcome, missing) {
        (Outcome::Failed | Outcome::DidntStart, Some(name)) => (!asks_for(report, name)).then(|| {
            format!(
                "without this change it only shows that `{name}` is missing, which this change adds and the report does not name"
            )
        }),
        (Outcome::Failed, None) => match c.kind {
            Some(Kind::Coverage | Kind::Lint | Kind::Killed | Kind::Internal) => {
                Some(reason("without this change no test of it fails"))
            }
            Some(Kind::Build | Kind::MissingDependency | Kind::MissingRunner | Kind::Config) => {
                Some(reason("it cannot run without this change"))
            }
            _ => None,
        },
        (Outcome::Passed, _) => Some("it passes without this change too".to_string()),
        (Outcome::DidntStart, None) => Some(reason("it doesn't start without this change")),
        (Outcome::TimedOut, _) => Some(
            "without this change it ran into the time limit, which says nothing by itself".to_string(),
        ),
    }
}

/// Why the run with the change is not green; `None` where it is.
pub(super) fn not_green(base: &CheckRun, after: &CheckRun) -> Option<String> {
    let c = &after.classification;
    let only_coverage = c.kind == Some(Kind::Coverage) && c.failed_names.is_empty();
    if c.outcome != Outcome::Passed && !only_coverage {
        let words = match c.outcome {
            Outcome::Failed => "it fails with this change too",
            Outcome::TimedOut => "it times out with this change",
            _ => "it doesn't start with this change",
        };
        return Some(match c.reason.trim_end_matches('.') {
            "" => words.to_string(),
            reason => format!("{words}: {reason}"),
        });
    }
    if c.tests.is_some_and(|t| t.passed == Some(0)) {
        return Some("with this change none of its tests runs".to_string());
    }
    match (ran(base), ran(after)) {
        (Some(before), Some(now))
            if now < before && base.classification.outcome == Outcome::Failed =>
        {
            Some(format!(
                "with this change {now} of its tests run, without it {before}"
            ))
        }
        _ => None,
    }
}

/// Whether what the new test file broke on base is whole with the change; by names.
pub(super) fn not_fixed(
    red: &Comparison,
    now: Option<&Comparison>,
    after: Option<&CheckRun>,
) -> Option<String> {
    let green = after.is_some_and(|r| r.classification.outcome == Outcome::Passed);
    let fixed = now.map(|c| c.fixed.as_slice()).unwrap_or_default();
    let whole = red.newly_broken.iter().all(|name| fixed.contains(name));
    let lost = now.is_some_and(|c| !c.vanished.is_empty());
    if (green || whole) && !lost {
        return None;
    }
    Some("what fails with it does not pass with this change either".to_string())
}

/// Whether a runner would run the file by itself, rather than load it for another.
pub(super) fn is_program(path: &RelPath) -> bool {
    let name = path.name();
    let Some((stem, ending)) = name.rsplit_once('.') else {
        return false;
    };
    match ending {
        "py" => stem.starts_with("test") || stem.ends_with("_test") || stem.ends_with("_tests"),
        "rs" => stem != "mod",
        "go" => stem.ends_with("_test"),
        "js" | "mjs" | "cjs" | "ts" | "mts" | "cts" | "jsx" | "tsx" => {
            !matches!(stem, "index" | "setup" | "helpers")
        }
        "rb" | "php" | "java" | "kt" | "scala" | "cs" | "swift" | "ex" | "exs" | "erl" | "clj"
        | "c" | "cc" | "cpp" | "cxx" | "hs" | "lua" | "pl" | "t" | "sh" | "bats" | "dart" => true,
        _ => false,
    }
}
