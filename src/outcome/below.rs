//! What stands below the last summary of a green run and speaks against it: an error that a tool or
//! an interpreter printed after the tests, a red mark, the heading of a list of failures.

use super::begun;
use super::counts;
use super::doubtful_words as words;
use super::facts::{Facts, is_echo};
use super::lineset::LineSet;
use super::shapes;
use super::text::Text;
use super::unfinished;
use std::sync::LazyLock;

static RED: LazyLock<Option<LineSet>> = LazyLock::new(|| {
    LineSet::new([
        // compilers, linters, interpreters
        r"^(?:\S+:[0-9]+:(?:[0-9]+:)? )?(?:fatal )?error(?:\[\w+\])?: \S",
        r"^\S+\.go:[0-9]+:[0-9]+: |: error TS[0-9]+: |^\*\* \(\w+\) |\(LoadError\)$|^rake aborted!",
        r"^\S+\.py:[0-9]+:[0-9]+: [A-Z]+[0-9]+ |^ +[0-9]+:[0-9]+ +error +\S|^[A-Z]+[0-9]{3,4} (?:\[\*\] )?.*`",
        r"^(?:✖|✘|×) [0-9]+ problems? \([1-9][0-9]* errors?|^Found [1-9][0-9]* errors?\b",
        r"^CMake Error|^\[ ERROR \] |: Assertion .*failed\.?$",
        r"^Dubious, test returned|^Failed [0-9]+/[0-9]+ subtests|^# Looks like you (?:planned|failed)",
        r"^\s*thread '?.*'? (?:\([0-9]+\) )?panicked at |^Exception in thread \x22main\x22",
        // formatters and other checks
        r"^[1-9][0-9]* files? would be reformatted|^[Ww]ould reformat\b|\bCode style issues (?:were )?found\b|^Diff in \S+:[0-9]+",
        r"\b[1-9][0-9]* offenses? detected\b|^In \S+ line [0-9]+:$|\bSC[0-9]{4} \((?:error|warning|info|style)\)",
        r"^Checking \S+: FAILED|^[\w.+-]+: error: \S|^curl: \([0-9]+\) |^ssh: connect to |^Out of memory\b|\bexited with code [1-9][0-9]*$",
        r"\b[1-9][0-9]* (?:tests?|checks?|specs?|suites?) (?:timed out|crashed|hung|gave up|broke)\b|\bgiving up$|\b(?:tests?|checks?|suites?) (?:is |are )?broken\b",
        r"^panic: |^fatal: |^FATAL[: ]|^PHP (?:Parse|Fatal) error: |^Bail out!|^node:internal/",
        // tools that run others
        r"^g?make(?:\[[0-9]+\])?: \*\*\* |^npm (?:ERR!|error) |^\[ERROR\] |^FAILURE: |^BUILD FAILED|^ERROR: |^error Command failed",
        r"^g?make(?:\[[0-9]+\])?: \S+: (?:No such file|Permission denied|Command not found)",
        // red marks and the lists of failures
        r"^E {3,}\S|^● \S|^\s*(?:❌|🔴|💥|💔) |^ *(?:✗|✘) \S",
        r"^\s*<failure\b|\s\[(?:ERROR|FAIL|FAILED)\]$",
        r"^\s*(?:(?:Failed|Failing) (?:tests|specs|scenarios|examples)|Failures|FAILURES|Errors|ERRORS|Failed example):?\s*$",
        r"^\S+:[0-9]+:\S+:FAIL\b",
        r"^[0-9]+(?:,[0-9]+)?[acd][0-9]+(?:,[0-9]+)?$",
    ])
});

/// Errors of an interpreter; they may belong to what a program only reports.
static RAISED: LazyLock<Option<LineSet>> = LazyLock::new(|| {
    LineSet::new([
        r"^Traceback \(most recent call last\):$",
        r"^(?:Uncaught )?[\w.:]*(?:Error|Exception)(?: \[\w+\])?: \S",
    ])
});

/// A place, which a program that is silent when all is well names with what it found.
static PLACE: LazyLock<Option<LineSet>> =
    LazyLock::new(|| LineSet::new([r"^[\w./-]+\.\w+:[0-9]+:"]));

/// A longer line counts nothing, in bytes.
const LONGEST: usize = 300;

/// Headings of errors that do not fail the program that prints them.
const HARMLESS: &[&str] = &[
    "Exception ignored in",
    "--- Logging error ---",
    "Exception in thread",
    "Error in atexit",
];

/// The first line below the last summary that speaks against a green run.
pub(super) fn find(text: &Text, facts: &Facts, compound: bool) -> Option<usize> {
    // What tests printed stands there too: only an error of another command says something.
    let buffered = begun::is_buffered(facts);
    if buffered && !compound {
        return None;
    }
    let (red, raised) = (RED.as_ref()?, RAISED.as_ref()?);
    // A line that says that nothing ran may itself be the error.
    let summary = facts
        .summaries
        .iter()
        .map(|s| s.0)
        .chain(facts.green.iter().copied());
    let last = summary.filter(|at| *at < text.len()).max();
    let last = last.or_else(|| unfinished::last_close(text, facts))?;
    let echo = text.line(last);
    let silent = facts.green.contains(&last) && is_echo(echo);
    let place = PLACE.as_ref().filter(|_| silent);
    let mut harmless = false;
    for (at, line) in text.between(last + 1, text.len()) {
        if line.is_empty() {
            continue;
        }
        if line.starts_with("Exception in thread \"main\"") {
            return Some(at);
        }
        if HARMLESS.iter().any(|h| line.starts_with(h)) {
            harmless = true;
        } else if raised.is_match(line) {
            if !harmless {
                // The last line of a traceback says what it is about.
                let ends = || shapes::tracebacks(text).into_iter().find(|end| *end > at);
                let headed = line.starts_with("Traceback");
                return headed.then(ends).flatten().or(Some(at));
            }
            harmless = line.starts_with("Traceback");
        } else if buffered {
            continue;
        } else if red.is_match(line)
            || words::is_fail_line(line)
            || is_red_count(line)
            || place.is_some_and(|place| place.is_match(line))
        {
            return Some(at);
        }
    }
    None
}

/// A line that counts red tests beside others.
fn is_red_count(line: &str) -> bool {
    if line.len() > LONGEST || !line.contains(|c: char| c.is_ascii_digit()) {
        return false;
    }
    let tally = counts::tally(line);
    tally.reds() > 0 && (tally.passed.is_some() || tally.total.is_some())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_pattern_compiles() {
        assert!(RED.is_some() && RAISED.is_some() && PLACE.is_some());
    }
}
