//! Signs that a run that looks green did not come to its end: something begins below the last
//! summary, half of a summary is there, what wraps the runner never said that it was done.

use super::begun;
use super::counts::Tally;
use super::facts::Facts;
use super::lineset::LineSet;
use super::text::Text;
use regex::Regex;
use std::sync::LazyLock;

/// The line at which the part begins that was never finished.
pub(super) fn find(text: &Text, facts: &Facts) -> Option<usize> {
    begun::find(text, facts)
        .or_else(|| half(text, facts))
        .or_else(|| lacking(text, facts))
        .or_else(|| waiting(text))
        .or_else(|| entered(text))
}

/// The last line, where it has no end and could still grow: programs end their last line, but for
/// those that print one JSON or XML value.
pub(super) fn open_line(text: &Text) -> Option<usize> {
    let at = text.len().checked_sub(1)?;
    let line = text.line(at).trim();
    (text.is_cut(at) && !is_value(line)).then_some(at)
}

/// The last line of a JSON or XML value.
fn is_value(line: &str) -> bool {
    let within = |begin: &str, end: char| line.starts_with(begin) && line.ends_with(end);
    matches!(line, "}" | "]")
        || within("{", '}')
        || within("[{", ']')
        || within("[\"", ']')
        || within("<", '>')
}

/// The last line that closes a run, whatever its runner.
pub(super) fn last_close(text: &Text, facts: &Facts) -> Option<usize> {
    let summaries = facts.summaries.iter().map(|s| s.0);
    let all = summaries.chain(facts.zero.iter().copied());
    let all = all.chain(facts.green.iter().copied());
    // A report that the output is stands for no line of it.
    let value = |line: &str| matches!(line, "}" | "]") || line.starts_with("</testsuite");
    all.filter(|at| *at < text.len()).max().or_else(|| {
        let mut lines = text.lines().rev();
        lines.find(|(_, line)| value(line)).map(|(at, _)| at)
    })
}

type Pattern = LazyLock<Option<Regex>>;

fn matches(pattern: &Pattern, line: &str) -> bool {
    pattern.as_ref().is_some_and(|re| re.is_match(line))
}

static VITEST: Pattern = LazyLock::new(|| Regex::new(r"^ *(?:Duration|Time) +").ok());
static JEST: Pattern = LazyLock::new(|| Regex::new(r"^Time: ").ok());
static NODE: Pattern = LazyLock::new(|| Regex::new(r"^(?:#|ℹ) duration_ms ").ok());
static TAP: Pattern = LazyLock::new(|| Regex::new(r"^# (?:ok$|fail +[0-9]+$|time)").ok());
static NODE_TAP: Pattern = LazyLock::new(|| Regex::new(r"^# time=").ok());
static JASMINE: Pattern = LazyLock::new(|| Regex::new(r"^Finished in ").ok());
static CTEST: Pattern = LazyLock::new(|| Regex::new(r"^Total Test time").ok());
static BEHAVE: Pattern = LazyLock::new(|| Regex::new(r"^[0-9]+ steps? ").ok());
static PROVE: Pattern = LazyLock::new(|| Regex::new(r"^Result: ").ok());
static AUTOMAKE: Pattern = LazyLock::new(|| Regex::new(r"^# ERROR: +[0-9]").ok());
static BUN: Pattern = LazyLock::new(|| Regex::new(r"^Ran [0-9]+ tests? across").ok());

/// The line that ends a runner's summary, which always has it.
const CLOSES: &[(&str, &Pattern)] = &[
    ("vitest", &VITEST),
    ("jest", &JEST),
    ("node --test", &NODE),
    ("tap summary", &TAP),
    ("node-tap", &NODE_TAP),
    ("jasmine", &JASMINE),
    ("ctest", &CTEST),
    ("behave", &BEHAVE),
    ("cucumber", &BEHAVE),
    ("prove", &PROVE),
    ("bun test", &BUN),
    ("automake", &AUTOMAKE),
];

static RAN: Pattern = LazyLock::new(|| Regex::new(r"^\[=+\] (?P<n>[0-9]+) tests?.* ran\b").ok());

/// Googletest names the tests that passed, below the number of those that ran.
fn is_short(text: &Text, at: usize, tally: &Tally) -> bool {
    let mut above = text.between(at.saturating_sub(3), at);
    let ran = above.find_map(|(_, line)| RAN.as_ref()?.captures(line)?["n"].parse::<u64>().ok());
    ran.is_some_and(|ran| ran > tally.ran() + tally.skipped.unwrap_or(0))
}

static SUITES: Pattern = LazyLock::new(|| Regex::new(r"^Test Suites: ").ok());
static FILES: Pattern = LazyLock::new(|| Regex::new(r"^ +Test Files +").ok());
static ENDED: Pattern = LazyLock::new(|| Regex::new(r"^\[=+\] [0-9]+ tests?.* ran\b").ok());

/// The line right above a runner's counts, which always has it.
const OPENS: &[(&str, &Pattern)] = &[("jest", &SUITES), ("vitest", &FILES), ("gtest", &ENDED)];

/// A summary whose first or last line is missing.
fn half(text: &Text, facts: &Facts) -> Option<usize> {
    let all = &facts.summaries;
    for (i, (at, runner, tally)) in all.iter().enumerate().filter(|(_, s)| s.0 < text.len()) {
        let next = all[i + 1..].iter().find(|s| s.1 == *runner);
        let end = next.map_or(text.len(), |s| s.0);
        let short = match *runner {
            "mocha" => !is_spaced(text, *at, end),
            "gtest" => is_short(text, *at, tally),
            _ => false,
        };
        if short {
            return Some(*at);
        }
        let open = OPENS.iter().find(|(name, _)| name == runner);
        if let Some((_, open)) = open
            && !text
                .between(at.saturating_sub(3), *at)
                .any(|(_, line)| matches(open, line))
        {
            return Some(*at);
        }
        let close = CLOSES.iter().find(|(name, _)| name == runner);
        let Some((_, close)) = close else {
            continue;
        };
        if !text.between(*at, end).any(|(_, line)| matches(close, line)) {
            return Some(*at);
        }
    }
    None
}

/// Lines of known forms, each with one that stands in the same summary. They count where no rule
/// knew the runner, because too little of its summary is there or its rules are off.
static NEEDS: LazyLock<Option<LineSet>> = LazyLock::new(|| {
    LineSet::new([
        r"^(?:#|ℹ|\s*<!--) (?:tests|pass) +[0-9]+\b",
        r"^(?:#|ℹ|\s*<!--) fail +[0-9]+\b|^# ok$",
        r"^# PASS: +[0-9]+$",
        r"^# ERROR: +[0-9]+$",
        r"^ [0-9]+ pass$",
        r"^ [0-9]+ fail$",
        r"^ *Test Files +[0-9]",
        r"^ +Tests +[0-9]",
        r"^Test Suites: +[0-9]",
        r"^Tests: +[0-9]",
        r"^\[ +(?:OK|PASSED) +\] ",
        r"^\[=+\] [0-9]+ tests?.* ran\b",
        r"^\[=+\] [0-9]+ tests?.* ran\b",
        r"^\[  PASSED  \] ",
        r"^Testsuite summary for ",
        r"^# ERROR: +[0-9]+$",
        r"^ +\w+ \.\.\. +\[OK\]$",
        r"^Ran [0-9]+ tests? in ",
        r"^ - Passed: [0-9]+$|^\{[0-9]+\} \S+ \[[0-9.]+s\] \.\.\. ok$",
        r"^ - Failed: [0-9]+$",
        r"^ *PASS  \S+:[0-9]+ ",
        r"\b(?:SUCCESS|FAILED) in [0-9.]+ seconds",
        r"^  Passed: +[0-9]+$",
        r"^  Total: +[0-9]+$",
    ])
});

fn lacking(text: &Text, facts: &Facts) -> Option<usize> {
    let needs = NEEDS.as_ref().filter(|_| facts.generic)?;
    let mut seen: [Option<usize>; 24] = [None; 24];
    for (at, line) in text.lines() {
        for hit in needs.matches(line).iter().flat_map(|hits| hits.iter()) {
            seen[hit].get_or_insert(at);
        }
    }
    let mut pairs = seen.chunks_exact(2);
    pairs.find(|pair| pair[0].is_some() && pair[1].is_none())?[0]
}

/// mocha ends its counts with an empty line.
fn is_spaced(text: &Text, at: usize, end: usize) -> bool {
    let counts = |line: &str| {
        let line = line.trim_start();
        [" passing", " pending", " failing"]
            .iter()
            .any(|w| line.contains(w))
    };
    let mut below = text.between(at, end);
    below
        .find(|(_, line)| !counts(line))
        .is_some_and(|(_, line)| line.is_empty())
}

static WAITS: LazyLock<Vec<(Regex, Regex)>> = LazyLock::new(|| {
    let pairs = [
        (
            r"^nox > Running session ",
            r"^nox > Session \S+ (?:was |skipped|finished)",
        ),
        (
            r"^\S+: (?:commands\[[0-9]+\]|install_\w+)> |^\S+ run-test: commands\[[0-9]+\] \|",
            r"^ *(?:congratulations :\)|evaluation failed)",
        ),
        (r"^\[INFO\] Scanning for projects", r"^\[INFO\] BUILD "),
        (r"^> Task :", r"^BUILD "),
        (r"^ +(?:Compiling|Checking) \S+ v[0-9]", r"^ +Finished "),
        (r"^(?:    )?Test project /", r"^Total Test time"),
        (
            r"^\[=+\] Running [0-9]+ tests?",
            r"^\[=+\] [0-9]+ tests?.* ran\b",
        ),
        (r"^\[ RUN      \] ", r"\[ +(?:OK|FAILED|SKIPPED) +\] "),
    ];
    let compiled = pairs
        .iter()
        .filter_map(|(begin, end)| Some((Regex::new(begin).ok()?, Regex::new(end).ok()?)));
    compiled.collect()
});

static WAITING: LazyLock<Option<LineSet>> = LazyLock::new(|| {
    let all = WAITS
        .iter()
        .flat_map(|(begin, end)| [begin.as_str(), end.as_str()]);
    LineSet::new(all)
});

/// What begins with a line of its own and never came to the line that ends it.
fn waiting(text: &Text) -> Option<usize> {
    let set = WAITING.as_ref()?;
    let mut open: Vec<Option<usize>> = vec![None; WAITS.len()];
    for (at, line) in text.lines() {
        let Some(hits) = set.matches(line) else {
            continue;
        };
        for hit in hits.iter() {
            open[hit / 2] = (hit % 2 == 0).then_some(at);
        }
    }
    open.into_iter().flatten().min()
}

/// make left fewer directories than it entered.
fn entered(text: &Text) -> Option<usize> {
    let mut open: Vec<usize> = Vec::new();
    for (at, line) in text.lines() {
        if line.starts_with("[… ") && line.ends_with("left out …]") {
            return None;
        }
        if !line.contains(" directory '")
            || !(line.starts_with("make") || line.starts_with("gmake"))
        {
            continue;
        }
        if line.contains(": Entering directory '") {
            open.push(at);
        } else if line.contains(": Leaving directory '") {
            open.pop();
        }
    }
    open.first().copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_pattern_compiles() {
        assert!(RAN.is_some() && NEEDS.is_some() && WAITING.is_some());
        assert_eq!(WAITS.len(), 8);
        assert!(CLOSES.iter().chain(OPENS).all(|(_, close)| close.is_some()));
    }
}
