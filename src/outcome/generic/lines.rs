//! What kind of line a line with numbers is.

use crate::outcome::counts;
use regex::Regex;
use std::sync::LazyLock;

/// A longer line is no summary, in bytes.
pub(super) const LONGEST: usize = 300;

/// Sentences that say that a whole run was green.
pub(super) static ALL_GREEN: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(r"(?i)\ball (?:the |[0-9]+ )?(?:unit |regression |integration |self-?)?(?:tests?|checks?|specs?|scenarios?|examples?|test cases|test suites)\b.*\b(?:pass(?:ed|es|ing)?|success(?:ful|fully)?|succeeded|ok)\b|\b100% (?:of )?(?:tests? )?passed\b|^\*\*\* No errors detected$|^(?:tests?|test suite|test run) (?:passed|successful|succeeded|ok)[.!]?$").ok()
});

/// The words of a line, numbers and verdicts left out.
pub(super) fn shape(line: &str) -> Vec<&str> {
    line.split(|c: char| !c.is_alphanumeric())
        .filter(|w| !w.is_empty() && !w.contains(|c: char| c.is_ascii_digit()))
        .filter(|w| {
            word_verdict(w).is_none() || w.chars().any(char::is_lowercase) && !matches!(*w, "ok")
        })
        .collect()
}

fn word_verdict(word: &str) -> Option<bool> {
    match word.to_ascii_uppercase().as_str() {
        "OK" | "PASSED" | "PASS" | "SUCCESS" | "SUCCESSFUL" | "SUCCEEDED" | "SUCCESSFULLY"
        | "CORRECT" => Some(true),
        "FAILED" | "FAIL" | "FAILURE" | "FAILURES" | "ERROR" | "ERRORS" | "UNSUCCESSFUL" => {
            Some(false)
        }
        _ => None,
    }
}

/// A verdict in capitals that no number belongs to, or one that is the whole line.
pub(super) fn verdict(line: &str) -> Option<bool> {
    let words: Vec<&str> = line
        .split(|c: char| !c.is_alphanumeric())
        .filter(|w| !w.is_empty())
        .collect();
    if words.len() <= 2
        && !words
            .iter()
            .any(|w| w.contains(|c: char| c.is_ascii_digit()))
    {
        return words.iter().find_map(|w| word_verdict(w));
    }
    if ALL_GREEN.as_ref().is_some_and(|re| re.is_match(line)) {
        return Some(true);
    }
    let number = |w: Option<&&str>| w.is_some_and(|w| w.chars().all(|c| c.is_ascii_digit()));
    let capitals = |w: &str| w.len() > 1 && w.chars().all(char::is_uppercase);
    let bracket = |w: &str| {
        let at = line.find(w).unwrap_or(0);
        line[..at].trim_end().ends_with('[')
    };
    let mut all = words.iter().enumerate();
    all.find_map(|(i, word)| {
        let apart =
            i == 0 || bracket(word) || !(number(words.get(i + 1)) || number(words.get(i - 1)));
        (capitals(word) && apart)
            .then(|| word_verdict(word))
            .flatten()
    })
}

/// One result of TAP, a frame of a stack trace, a part of a JSON value.
static PLACE: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(
        r"^\s*(?:not )?ok [0-9]+(?: |$)|: [Aa]ssertion .* failed\.?$|[A-Za-z_/]\w*:[0-9]+:[0-9]+\)?$|^\s*\x22[^\x22]*\x22: .*,$",
    )
    .ok()
});

/// A line of counts, not a sentence with a number in it, an echo of a command or a link.
pub(super) fn is_compact(line: &str) -> bool {
    let trimmed = line.trim_start();
    let first = trimmed
        .split(|c: char| !c.is_alphabetic())
        .find(|w| !w.is_empty());
    let first = first.unwrap_or_default().to_lowercase();
    let begins = matches!(
        first.as_str(),
        "found" | "collected" | "discovered" | "selected" | "scheduled" | "started"
    ) || matches!(
        first.as_str(),
        "running" | "executing" | "starting" | "testing" | "loading" | "collecting" | "stopping"
    );
    if begins
        || line.len() > LONGEST
        || PLACE.as_ref().is_some_and(|re| re.is_match(line))
        || trimmed.starts_with(['+', '>', '$', '@'])
        || line.contains("://")
    {
        return false;
    }
    let mut foreign = 0;
    for word in trimmed.split(|c: char| !c.is_alphanumeric()) {
        let known = word.is_empty() || word.contains(|c: char| c.is_ascii_digit());
        let lower = word.to_lowercase();
        let plain = counts::is_known(&lower)
            || matches!(
                lower.as_str(),
                "in" | "of"
                    | "out"
                    | "ran"
                    | "run"
                    | "and"
                    | "with"
                    | "from"
                    | "test"
                    | "tests"
                    | "total"
                    | "seconds"
                    | "ms"
                    | "s"
                    | "time"
                    | "took"
                    | "finished"
                    | "assertions"
                    | "assertion"
                    | "suite"
                    | "suites"
                    | "files"
                    | "file"
                    | "result"
                    | "results"
                    | "summary"
                    | "todo"
            );
        foreign += usize::from(!known && !plain);
    }
    foreign <= 4
}

/// Whether each number of a line that is no time and no share counts something.
pub(super) fn is_pure(line: &str) -> bool {
    let numbers = line
        .split(|c: char| !(c.is_alphanumeric() || c == '.' || c == '%'))
        .filter(|w| !w.is_empty() && w.bytes().all(|b| b.is_ascii_digit()))
        .count();
    let t = counts::tally(line);
    let fields = [t.passed, t.failed, t.errors, t.skipped, t.total, t.other];
    fields.iter().flatten().count() >= numbers
}

/// A line about things that hold tests, or that tests are made of.
pub(super) fn is_parts(line: &str) -> bool {
    let line = line.to_lowercase();
    let parts = [
        "suite", "file", "assert", "step", "expect", "snapshot", "feature", "module", "package",
        "subtest", "warning",
    ];
    let whole = [
        "tests",
        "test:",
        "cases",
        "examples",
        "specs",
        "scenarios",
        "passed;",
    ];
    parts.iter().any(|part| line.contains(part))
        && !whole
            .iter()
            .any(|w| line.replace("subtests", "").contains(w))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn verdicts_stand_in_capitals_or_alone() {
        assert!(ALL_GREEN.is_some() && PLACE.is_some());
        for (line, want) in [
            ("OK", Some(true)),
            ("Passed!", Some(true)),
            ("FAILED (failures=1)", Some(false)),
            ("[  PASSED  ] 2 tests.", Some(true)),
            ("All 3 tests passed.", Some(true)),
            ("2 passed, 1 failed", None),
            ("see the error log", None),
        ] {
            assert_eq!(verdict(line), want, "{line}");
        }
    }

    #[test]
    fn sentences_and_commands_are_not_compact() {
        assert!(is_compact("Tests: 1 failed, 2 passed, 3 total"));
        assert!(!is_compact("> run 3 tests"));
        assert!(!is_compact("Running 3 tests using 1 worker"));
        assert!(!is_compact(
            "the second of these two files was read 3 times before it failed"
        ));
    }
}
