//! Lines that give one test's result, in the ways that many runners share.

use super::names::{Lists, clean};
use crate::outcome::counts;
use crate::outcome::found::Found;
use crate::outcome::lineset::LineSet;
use crate::outcome::text::Text;
use regex::Regex;
use std::sync::LazyLock;

/// A longer line is no result of one test.
const LONGEST: usize = 400;

/// Green marks; the first [`STRONG`] are marks that only test runners print.
const GREEN: &[&str] = &[
    r"^\s*(?:✓|✔|√|✅|🟢|\[\s*(?:ok|OK|PASS|PASSED|pass|passed|✓|✔)\s*\]|\((?:pass|ok|PASS|OK)\))\s+\S",
    r"^\s*(?:--- )?PASS(?:ED)?:?\s+\S",
    r"^ok(?: [0-9]+)?(?: -)?\s+\S",
    r"^\s*\S.*\s\.{2,}\s*\[?(?:ok|OK|PASS|PASSED|pass|passed|Passed|✓|success)\]?(?:\s*\(?[0-9.]+ ?m?s.*)?$",
    r"^\s*\S.*\s\|?\s*\[?(?:PASS|PASSED|Passed)\]?\s*\|?(?:\s*in)?(?:\s*\(?[0-9.]+ ?m?s.*)?$",
    r"^\s*\S.*(?::|\s-+|\s{2,})\s*\[?(?:ok|OK|pass|passed|success|Success)\]?(?:\s*\(?[0-9.]+ ?m?s.*)?$",
    r"^\S+ [.sx]+(?: +\[ *[0-9]+%\])?$",
];
const STRONG: usize = 4;

/// Red marks; group `n` is the name.
const RED: &[&str] = &[
    r"^\s*(?:✗|✘|×|✖|✕|⨯|❌|🔴|\[\s*(?:FAIL|FAILED|fail|✗|✘|×)\s*\]|\((?:fail|FAIL)\))\s+(?P<n>\S.*)$",
    r"^\s*(?:--- )?(?:not ok|FAIL|FAILED|Failed|FAILURE)\b(?::|\s+[-#]?|\s*[|>])\s*(?P<n>[\w./'\x22].*)$",
    r"^\s*(?P<n>\S.*?)\s?(?:\.{2,}|:|\s-+|\s{2,})\s*\[?(?:FAIL|FAILED|Failed|fail|failed|✗|NOT OK|not ok|FAILURE)\]?!?(?:\s*\(.*\)|\s*[0-9.]+ ?m?s.*)?$",
    r"^\s*(?P<n>\S.*?\S)\s+\|?\s*(?:FAIL|FAILED)\s*\|?(?:\s*in)?(?:\s*\(?[0-9.]+ ?m?s.*)?$",
];

const SKIPPED: &str =
    r"^\s*(?:-|○|↓|\[\s*(?:SKIP|skip|SKIPPED)\s*\]|SKIP(?:PED)?:?|skipped:?)\s+\S";

static SET: LazyLock<Option<LineSet>> = LazyLock::new(|| {
    let all = GREEN.iter().chain(RED).chain(std::iter::once(&SKIPPED));
    LineSet::new(all.copied())
});

static NAMES: LazyLock<Vec<Regex>> =
    LazyLock::new(|| RED.iter().filter_map(|p| Regex::new(p).ok()).collect());

/// Lines with a red or green word that speak of no test: builds, installers, log levels, totals.
static NO_TEST: LazyLock<Option<LineSet>> = LazyLock::new(|| {
    LineSet::new([
        r"^FAILED: \S+\.(?:o|a|so|obj|lib|d|p|ko|class)\b",
        r"(?i)^\s*(?:build|compilation|compile|configure|install\w*|execution|link\w*|setup|test run)\s*:?\s*(?:fail|pass|ok|success)",
        r"(?i)^FAILURE: Build|: error: |could not|couldn(?:.|’)t|cannot |can't |unable to|not found|exited with|command failed|no such file",
        r"^\s*(?:✖|✘|×|✗) [0-9]+ (?:problem|error|warning|failed|tests?)|^:\S+ FAILED$|^> Task ",
        r"(?i)^\s*(?:fail(?:ed|ures?)?|errors?|ok|pass(?:ed)?)\s*[:=|]?\s*[0-9]+\s*$",
        r"^\[(?:INFO|ERROR|WARN|WARNING|DEBUG)\]|\bBUILD (?:FAILED|FAILURE|SUCCESS\w*)\b",
        r"(?i)^\s*failed (?:to|with|because|in|after|at|asserting|assertion|expectation)\b",
        r"(?i)^\s*(?:status|result|conclusion|verdict|summary|tests?|test result|test suite|total)\b\s*:?\s*\S+$",
        r"(?i)^(?:make|gmake|ninja|npm|yarn|pnpm|cmake|error|warning|fatal)\b",
        r"^\s*\S+: (?:OK|FAIL code [0-9]+|SKIP) \([0-9.]+(?:=.*)? seconds\)$",
        r"^\s*(?:✖|✘|✗|×) .*:$|^\s*FAIL \S+\s*$",
        r"^\s*(?:FAIL|PASS)\s+\S+\.\w+(?: \([0-9.]+ m?s\))?$",
        r"://|^\s*(?:at |in |from )",
        r"(?i)^\s*(?:fail(?:ed|ing|ures?)?|errored)\b.*:$",
        r"(?i)\[(?:build|setup) failed\]|no tests? (?:to run|files|found)",
    ])
});

/// Counts the result lines and collects what could be names of failing tests.
pub(super) fn read(text: &Text, found: &mut Found, passing: bool) -> Lists {
    let mut lists = Lists::default();
    let (Some(set), Some(no_test)) = (SET.as_ref(), NO_TEST.as_ref()) else {
        return lists;
    };
    for (at, line) in text.lines() {
        if line.is_empty() || line.len() > LONGEST {
            continue;
        }
        lists.head(text, at, line);
        let Some(hits) = set.matches(line) else {
            continue;
        };
        if no_test.is_match(line) || !counts::tally(line).is_empty() {
            continue;
        }
        let red = |hit: &usize| (GREEN.len()..GREEN.len() + RED.len()).contains(hit);
        if hits.iter().any(|hit| red(&hit)) {
            found.fails += 1;
            found.begins(at);
            let mut kinds = NAMES.iter().enumerate();
            let named = kinds.find_map(|(k, re)| Some((k, re.captures(line)?.name("n")?.as_str())));
            if let Some((kind, name)) = named {
                lists.mark(kind, name, at);
            }
        } else if hits.iter().any(|hit| hit < GREEN.len()) {
            found.passes += 1;
            found.begins(at);
            if hits.iter().any(|hit| hit < STRONG) {
                found.marks.push((at, 1));
            }
            if passing {
                found.passing.push(green_name(line));
            }
        } else {
            found.skips += 1;
        }
    }
    lists
}

/// The name on a green line: what stands before or after the mark.
fn green_name(line: &str) -> String {
    let line = line.trim();
    let words = [
        "✓", "✔", "√", "[OK]", "[ok]", "[PASS]", "(pass)", "PASSED", "PASS:", "PASS", "ok",
    ];
    let inner = words
        .iter()
        .find_map(|w| line.strip_prefix(w))
        .unwrap_or(line);
    let inner = inner.split(" ...").next().unwrap_or(inner);
    clean(inner).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_pattern_compiles() {
        assert!(SET.is_some() && NO_TEST.is_some());
        assert_eq!(NAMES.len(), RED.len());
    }

    #[test]
    fn builds_are_no_tests() {
        let text = Text::new(b"FAILED: lib/a.o\nBuild: OK\n[ERROR] x FAILED\n  py: OK (0.4 seconds)\nFailed to open x");
        let mut found = Found::new("generic");
        read(&text, &mut found, false);
        assert_eq!((found.passes, found.fails), (0, 0));
        let text =
            Text::new("✓ adds\nchecking writer... FAILED (a.c:12)\n[OK] x\nt/x.t .. ok".as_bytes());
        let mut found = Found::new("generic");
        read(&text, &mut found, false);
        assert_eq!((found.passes, found.fails), (3, 1));
    }
}
