//! Runners that no table knows: counts in common words, and common marks of results.

use super::counts::{self, Tally};
use super::found::Found;
use super::text::Text;
use regex::{Regex, RegexSet};
use std::sync::LazyLock;

pub(super) const NAME: &str = "generic";

/// A summary stands at the end: this many lines that are not empty are looked at.
const LAST_LINES: usize = 60;

/// Result lines: green, red, skipped, in this order.
static RESULTS: LazyLock<Option<RegexSet>> = LazyLock::new(|| {
    RegexSet::new([
        r"^\s*(?:✓|✔|√|\[(?:ok|OK|PASS|PASSED|pass|✓|✔)\]|\((?:pass|ok|PASS|OK)\))\s+\S",
        r"^\s*(?:ok|PASS|PASSED|OK|Passed|passed)\b(?::|\s+[-#]?|\s*[|>])\s*[\w./'\x22]",
        r"^\s*\S.*(?:\s\.\.+|\s?\.{3,}|:|\s-+|\s+)\s*\[?(?:ok|OK|PASS|PASSED|pass|passed|Passed|✓|success)\]?(?:\s*\(?[0-9.]+ ?m?s.*)?$",
        r"^\s*(?:✗|✘|×|✖|✕|⨯|\[(?:FAIL|FAILED|fail|ERROR|✗|✘|×)\]|\((?:fail|FAIL)\))\s+(?P<n>\S.*)$",
        r"^\s*(?:not ok|FAIL|FAILED|Failed|FAILURE)\b(?::|\s+[-#]?|\s*[|>])\s*(?P<n>[\w./'\x22].*)$",
        r"^\s*(?P<n>\S.*?)(?:\s?\.{2,}|:|\s-+|\s{2,})\s*\[?(?:FAIL|FAILED|Failed|fail|failed|✗|NOT OK|not ok|FAILURE)\]?!?(?:\s*\(.*\)|\s*[0-9.]+ ?m?s.*)?$",
        r"^\s*(?:-|○|↓|\[(?:SKIP|skip|SKIPPED)\]|SKIP(?:PED)?:?|skipped:?)\s+\S",
    ])
    .ok()
});

/// Red words at a line's beginning that are no test: builds, linkers, package managers.
static NO_TEST: LazyLock<Option<RegexSet>> = LazyLock::new(|| {
    RegexSet::new([
        r"^FAILED: \S+\.(?:o|a|so|obj|lib|d|p|ko|class)\b",
        r"(?i)^\s*(?:build|compilation|compile|configure|install\w*|execution|link\w*|setup|test run)\s*:?\s*fail",
        r"(?i)^FAILURE: Build|^\s*\S+: error: |could not|cannot |unable to|not found|exited with|command failed",
        r"^\s*[✖✘×✗] [0-9]+ (?:problem|error|warning|failed|tests?)|^:\S+ FAILED$|^> Task ",
        r"(?i)^\s*(?:fail(?:ed|ures?)?|errors?)\s*[:=]?\s*[0-9]+\s*$",
        r"^\s*(?:FAIL|FAILED|PASS|ok|OK)\s*:?\s*[0-9]+\b",
        r"^\[(?:INFO|ERROR|WARN|WARNING|DEBUG)\]|\bBUILD (?:FAILED|FAILURE)\b",
        r"(?i)^\s*failed (?:to|with|because|in|after|at)\b|No such file",
        r"(?i)^\s*(?:status|result|conclusion|verdict|summary)\b",
        r"(?i)^(?:make|gmake|ninja|npm|yarn|pnpm|cmake|error|warning)\b",
    ])
    .ok()
});

/// The name of what failed, from one of the red patterns.
static NAMES: LazyLock<Vec<Regex>> = LazyLock::new(|| {
    let patterns = RESULTS
        .as_ref()
        .map(|set| set.patterns().to_vec())
        .unwrap_or_default();
    patterns
        .iter()
        .skip(3)
        .take(3)
        .filter_map(|p| Regex::new(p).ok())
        .collect()
});

/// Sentences that say that a whole run was green.
static ALL_GREEN: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(r"(?i)\ball (?:the |[0-9]+ )?(?:unit |regression |integration |self-?)?(?:tests?|checks?|specs?|scenarios?|examples?|test cases|test suites)\b.*\b(?:pass(?:ed|es|ing)?|success\w*|succeeded|ok)\b|\b100% (?:of )?(?:tests? )?passed\b|^\*\*\* No errors detected$|^(?:tests?|test suite|test run) (?:passed|successful|succeeded|ok)[.!]?$").ok()
});

static NONE: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(r"(?i)\b(?:no|0) (?:tests?|specs?|test (?:files?|cases?|suites?|modules?|classes)|examples?|scenarios?|checks?) (?:were |was |have been |to )?(?:found|run|ran|executed|collected|discovered|defined|matched|selected|available)\b|\bno tests? ran\b|\bnothing to (?:test|run)\b|\bno tests?[.!]?$|\b(?:could ?n.t|could not|cannot|unable to|did not|didn.t) (?:find|locate|discover|match) (?:any|a) (?:\w+ )?(?:tests?|specs?|files? to test)\b|^(?:ran|running|executed|collected) 0 (?:tests?|items|specs|examples)\b").ok()
});

/// Reads a text that no table understood.
pub(super) fn read(text: &Text, names: bool) -> Found {
    let mut found = Found::new(NAME);
    for (at, line) in text.lines() {
        results(&mut found, at, line, names);
    }
    summary(text, &mut found);
    let last: Vec<(usize, &str)> = tail(text);
    if let Some(none) = NONE.as_ref() {
        let says = last
            .iter()
            .find(|(_, line)| line.len() < 300 && none.is_match(line));
        if found.ran() == 0 && found.passes == 0 {
            found.zero.extend(says.map(|(at, _)| *at));
        }
    }
    if let Some(green) = ALL_GREEN.as_ref() {
        let says = last
            .iter()
            .find(|(_, line)| line.len() < 300 && green.is_match(line));
        if found.zero.is_empty() && found.reds() == 0 {
            found.green.extend(says.map(|(at, _)| *at));
        }
    }
    found
}

fn results(found: &mut Found, at: usize, line: &str, names: bool) {
    let (Some(set), Some(no_test)) = (RESULTS.as_ref(), NO_TEST.as_ref()) else {
        return;
    };
    if line.is_empty() || line.len() > 400 {
        return;
    }
    let hits = set.matches(line);
    if !hits.matched_any() || no_test.is_match(line) {
        return;
    }
    if hits.iter().any(|h| (3..6).contains(&h)) {
        found.fails += 1;
        found.begins(at);
        let name = NAMES
            .iter()
            .find_map(|re| Some(re.captures(line)?.name("n")?.as_str()));
        if let Some(name) = name.map(clean).filter(|n| n.len() < 200)
            && found.failing.len() < 10_000
        {
            found.fails(name, at);
        }
    } else if hits.iter().any(|h| h < 3) {
        found.passes += 1;
        found.begins(at);
        if names {
            found.passing.push(clean(line).to_string());
        }
    } else {
        found.skips += 1;
    }
}

/// A name without its number, its time and the marks around it.
fn clean(name: &str) -> &str {
    let name = name
        .trim()
        .trim_start_matches(|c: char| c.is_ascii_digit() || "-.)# ".contains(c));
    let name = match name.rfind(" (") {
        Some(at)
            if name.ends_with(')') && name[at + 2..].starts_with(|c: char| c.is_ascii_digit()) =>
        {
            &name[..at]
        }
        _ => name,
    };
    name.trim_matches(|c: char| " '\"`:.".contains(c))
}

/// The last lines that are not empty, in order.
fn tail(text: &Text) -> Vec<(usize, &str)> {
    let mut last: Vec<_> = text
        .lines()
        .rev()
        .filter(|(_, line)| !line.trim().is_empty())
        .take(LAST_LINES)
        .collect();
    last.reverse();
    last
}

/// The summary: the last line that counts passes or failures, with its neighbours that do the same.
fn summary(text: &Text, found: &mut Found) {
    let counted: Vec<(usize, Tally, bool)> = tail(text)
        .into_iter()
        .filter(|(_, line)| line.len() < 300 && !is_prose(line))
        .map(|(at, line)| (at, counts::tally(line), is_parts(line)))
        .filter(|(_, tally, _)| !tally.is_empty())
        .collect();
    let says = |t: &Tally| t.passed.is_some() || t.failed.is_some();
    let tests = |t: &Tally| says(t) || t.total.is_some();
    // Lines about suites, files or assertions count only where nothing speaks of tests.
    let whole = counted.iter().rposition(|(_, t, parts)| !parts && says(t));
    let Some(end) = whole.or_else(|| counted.iter().rposition(|(_, t, _)| says(t))) else {
        return;
    };
    let parts = counted[end].2;
    let mut tally = counted[end].1;
    let at = counted[end].0;
    // Columns that stand on lines of their own just above or below.
    let mut near: Vec<&(usize, Tally, bool)> = counted[..end]
        .iter()
        .rev()
        .scan(at, |last, c| {
            let close = *last - c.0 <= 2;
            *last = c.0;
            close.then_some(c)
        })
        .collect();
    near.extend(counted[end + 1..].iter().scan(at, |last, c| {
        let close = c.0 - *last <= 2;
        *last = c.0;
        close.then_some(c)
    }));
    let mut last = at;
    for (line, other, other_parts) in near {
        if *other_parts != parts
            || !tests(other) && other.errors.is_none() && other.skipped.is_none()
        {
            continue;
        }
        tally.passed = tally.passed.or(other.passed);
        tally.failed = tally.failed.or(other.failed);
        tally.errors = tally.errors.or(other.errors);
        tally.skipped = tally.skipped.or(other.skipped);
        tally.total = tally.total.or(other.total);
        last = last.max(*line);
    }
    if tally.passed.is_none() && tally.total.is_none() && tally.failed == Some(0) {
        return;
    }
    if tally.failed.is_none()
        && let (Some(passed), Some(total)) = (tally.passed, tally.total)
    {
        let rest = tally.errors.unwrap_or(0) + tally.skipped.unwrap_or(0);
        tally.failed = Some(total.saturating_sub(passed + rest));
    }
    if tally.ran() == 0 {
        found.zero.push(last);
        if tally.skipped.unwrap_or(0) == 0 {
            return;
        }
    }
    found.summary(last, tally);
}

/// Sentences with numbers in them, echoes of commands, results of other tools.
fn is_prose(line: &str) -> bool {
    let line = line.trim_start();
    line.split_whitespace().count() > 24
        || line.starts_with(['+', '>', '$', '@'])
        || line.contains("://")
        || line.contains("://")
}

/// A line about things that hold tests, or that tests are made of.
fn is_parts(line: &str) -> bool {
    let line = line.to_lowercase();
    [
        "suite", "file", "assert", "step", "expect", "snapshot", "feature", "module", "package",
        "subtest", "warning",
    ]
    .iter()
    .any(|part| line.contains(part))
        && !["tests", "test:", "cases", "examples", "specs", "scenarios"]
            .iter()
            .any(|whole| line.replace("subtests", "").contains(whole))
}
