//! A summary in common words: the last line that counts tests, with its neighbours.

use super::lines::{ALL_GREEN, LONGEST, is_compact, is_parts, is_pure, shape, verdict};
use crate::outcome::counts::{self, Tally};
use crate::outcome::found::Found;
use crate::outcome::text::Text;
use regex::Regex;
use std::sync::LazyLock;

/// A summary stands at the end: this many lines that are not empty are looked at.
const LAST_LINES: usize = 60;
/// Pieces of one summary stand at most this many lines apart.
const APART: usize = 3;

/// Sentences that say that nothing ran.
static NONE: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(r"(?i)\b(?:no|0) (?:tests?|specs?|test (?:files?|cases?|suites?|modules?|classes)|examples?|scenarios?|checks?) (?:were |was |have been |to )?(?:found|run|ran|executed|collected|discovered|defined|matched|selected|available)\b|\bno tests? ran\b|\bnothing to (?:test|run|be done)\b|\bno tests?[.!]?$|\[no tests? (?:files|to run)\]|\btests (?:are|were) skipped\b|\b(?:could ?n.t|could not|cannot|unable to|did not|didn.t) (?:find|locate|discover|match) (?:any|a) (?:\w+ )?(?:tests?|specs?|files? to test)\b|^(?:ran|running|executed|collected) 0 (?:tests?|items|specs|examples)\b").ok()
});

/// One line that counts something.
struct Line {
    at: usize,
    tally: Tally,
    /// It counts things that hold tests, or that tests are made of.
    parts: bool,
    /// Every number in it is understood.
    pure: bool,
    /// Words beside the numbers.
    words: usize,
    verdict: Option<bool>,
}

pub(super) fn read(text: &Text, found: &mut Found) {
    let tail = tail(text);
    let lines: Vec<Line> = tail
        .iter()
        .filter(|(_, line)| is_compact(line))
        .map(|(at, line)| Line {
            at: *at,
            tally: counts::tally(line),
            parts: is_parts(line),
            pure: is_pure(line),
            words: shape(line).len(),
            verdict: verdict(line),
        })
        .filter(|line| !line.tally.is_empty())
        .collect();
    let says_none = sentence(&NONE, &tail);
    let chosen = choose(&lines, &tail, found);
    if chosen.is_some_and(|i| lines[i].tally.ran() == 0) && found.passes == 0 {
        found.zero.extend(says_none);
    }
    let only_parts = chosen.is_some_and(|i| lines[i].parts);
    if let Some(at) = says_none.filter(|_| chosen.is_none() || only_parts)
        && found.passes == 0
    {
        found.zero.push(at);
        return;
    }
    if let Some(chosen) = chosen {
        let (tally, last) = gather(&lines, chosen, &tail, found);
        let tally = over_all(text, lines[chosen].at, tally);
        close(found, tally, last);
    }
    if found.summaries.is_empty() && found.zero.is_empty() && found.fails == 0 {
        found.green.extend(sentence(&ALL_GREEN, &tail));
    }
}

fn close(found: &mut Found, mut tally: Tally, at: usize) {
    if tally.failed.is_none()
        && let (Some(passed), Some(total)) = (tally.passed, tally.total)
    {
        let rest = tally.errors.unwrap_or(0) + tally.skipped.unwrap_or(0);
        tally.failed = Some(total.saturating_sub(passed + rest));
    }
    if tally.ran() == 0 {
        found.zero.push(at);
    }
    found.summary(at, tally);
}

fn sentence(regex: &Option<Regex>, tail: &[(usize, &str)]) -> Option<usize> {
    let regex = regex.as_ref()?;
    let mut lines = tail.iter().rev();
    lines
        .find(|(_, line)| line.len() < LONGEST && regex.is_match(line))
        .map(|(at, _)| *at)
}

/// The last lines that are not empty, in order.
fn tail(text: &Text) -> Vec<(usize, &str)> {
    let lines = text
        .lines()
        .rev()
        .filter(|(_, line)| !line.trim().is_empty());
    let mut last: Vec<_> = lines.take(LAST_LINES).collect();
    last.reverse();
    last
}

/// The line that the summary is built around: the last that speaks of tests, else of what holds
/// them.
fn choose(lines: &[Line], tail: &[(usize, &str)], found: &Found) -> Option<usize> {
    let says = |line: &Line| {
        let t = &line.tally;
        let colours = t.passed.is_some() || t.failed.is_some();
        let errors = t.errors.is_some() && (line.verdict == Some(false) || t.total.is_some());
        let skipped = t.skipped.is_some() && t.total.is_none() && t.errors.is_none();
        colours || t.total == Some(0) || errors || skipped
    };
    let total = |line: &Line| line.tally.total.is_some() && colour(line, tail, found).is_some();
    let whole = lines.iter().rposition(|line| !line.parts && says(line));
    let whole = whole.or_else(|| lines.iter().rposition(|line| !line.parts && total(line)));
    whole.or_else(|| {
        let says = |line: &Line| line.tally.passed.is_some() || line.tally.failed.is_some();
        lines.iter().rposition(|line| line.parts && says(line))
    })
}

/// Whether a line with only a total stands for green or red tests: by its own verdict, by one that
/// stands alone nearby, by the marks above.
fn colour(line: &Line, tail: &[(usize, &str)], found: &Found) -> Option<bool> {
    line.verdict
        .or_else(|| {
            let near = |at: usize| at > line.at && at - line.at <= APART;
            let mut lines = tail.iter().filter(|(at, _)| near(*at));
            lines.find_map(|(_, line)| verdict(line))
        })
        .or_else(|| {
            let before = tail.iter().rev().find(|(at, _)| *at < line.at);
            before
                .filter(|(at, _)| line.at - at <= 2)
                .and_then(|(_, l)| verdict(l))
        })
        .or_else(|| (!found.marks.is_empty() && found.fails == 0).then_some(true))
}

/// Adds the neighbours that count what the chosen line doesn't.
fn gather(lines: &[Line], chosen: usize, tail: &[(usize, &str)], found: &Found) -> (Tally, usize) {
    let first = &lines[chosen];
    let mut tally = coloured(first, tail, found);
    let mut last = first.at;
    let single = |t: &Tally| {
        [t.passed, t.failed, t.errors, t.skipped, t.total]
            .iter()
            .flatten()
            .count()
            == 1
    };
    let pieces = single(&first.tally);
    let (mut up, mut down) = (first.at, first.at);
    let above = lines[..chosen].iter().rev().take_while(move |line| {
        let near = up - line.at <= APART;
        up = line.at;
        near
    });
    let below = lines[chosen + 1..].iter().take_while(move |line| {
        let near = line.at - down <= APART;
        down = line.at;
        near
    });
    for line in above.chain(below) {
        if line.parts != first.parts || !line.pure {
            continue;
        }
        let other = match line.verdict {
            Some(_) => coloured(line, tail, found),
            None => line.tally,
        };
        let other = &other;
        let list = line.words <= 2 && first.words <= 2 && line.verdict.is_none();
        let more = pieces && single(other) && list;
        merge(&mut tally.passed, other.passed, false);
        merge(&mut tally.failed, other.failed, more);
        merge(&mut tally.errors, other.errors, false);
        merge(&mut tally.skipped, other.skipped, false);
        if tally.total.is_none() && (pieces || tally.passed.is_none()) {
            tally.total = other.total;
        }
        last = last.max(line.at);
    }
    (tally, last)
}

fn merge(slot: &mut Option<u64>, other: Option<u64>, add: bool) {
    match (*slot, other) {
        (None, other) => *slot = other,
        (Some(one), Some(other)) if add => *slot = Some(one + other),
        _ => {}
    }
}

/// The tally of a line, a bare total given its colour.
fn coloured(line: &Line, tail: &[(usize, &str)], found: &Found) -> Tally {
    let mut tally = line.tally;
    let bare = tally.passed.is_none() && tally.failed.is_none() && tally.errors.is_none();
    if bare && let Some(total) = tally.total.filter(|t| *t > 0) {
        match colour(line, tail, found) {
            Some(true) => tally.passed = Some(total.saturating_sub(tally.skipped.unwrap_or(0))),
            // `[  FAILED  ] 1 test` counts the red ones; `Ran 3 tests` with a red verdict below
            // does not say how many.
            Some(false) if line.verdict == Some(false) => {
                tally.failed = Some(total);
                tally.total = None;
            }
            _ => {}
        }
    }
    tally
}

/// Several runs in one output print lines of one shape: they add up, unless the numbers only grow,
/// which is one summary redrawn.
fn over_all(text: &Text, chosen: usize, tally: Tally) -> Tally {
    let first = |line: &str| {
        line.trim_start()
            .bytes()
            .next()
            .map(|b| if b.is_ascii_digit() { b'0' } else { b })
    };
    let begins = first(text.line(chosen));
    let shape = shape(text.line(chosen));
    let alike: Vec<Tally> = text
        .lines()
        .filter(|(_, line)| first(line) == begins && line.len() < LONGEST)
        .filter(|(_, line)| super::lines::shape(line) == shape)
        .map(|(_, line)| counts::tally(line))
        .collect();
    let column = |get: fn(&Tally) -> Option<u64>| -> Vec<u64> {
        alike.iter().map(|t| get(t).unwrap_or(0)).collect()
    };
    let columns = [
        column(|t| t.passed),
        column(|t| t.failed),
        column(|t| t.errors),
        column(|t| t.skipped),
    ];
    let grows = columns.iter().all(|c| c.is_sorted());
    if alike.len() < 2 || grows {
        return tally;
    }
    let sum = |c: &[u64]| c.iter().sum::<u64>();
    Tally {
        passed: tally.passed.map(|_| sum(&columns[0])),
        failed: tally.failed.map(|_| sum(&columns[1])),
        errors: tally.errors.map(|_| sum(&columns[2])),
        skipped: tally.skipped.map(|_| sum(&columns[3])),
        total: None,
        other: None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counted(output: &str) -> Option<[u64; 4]> {
        let text = Text::new(output.as_bytes());
        let found = super::super::read(&text, false);
        let t = found.summaries.first()?.tally;
        Some([
            t.passes(),
            t.failed.unwrap_or(0),
            t.errors.unwrap_or(0),
            t.skipped.unwrap_or(0),
        ])
    }

    #[test]
    fn summaries_of_many_shapes() {
        for (output, want) in [
            ("===== 1 failed, 2 passed in 3.4s =====", Some([2, 1, 0, 0])),
            ("Ran 3 tests in 0.02s\n\nOK", Some([3, 0, 0, 0])),
            (
                "Ran 3 tests in 0.02s\n\nFAILED (failures=1)",
                Some([2, 1, 0, 0]),
            ),
            (
                "ERRORS!\nTests: 2, Assertions: 0, Errors: 2.",
                Some([0, 0, 2, 0]),
            ),
            ("OK (2 tests, 2 assertions)", Some([2, 0, 0, 0])),
            (
                "[==========] 3 tests ran.\n[  PASSED  ] 2 tests.\n[  FAILED  ] 1 test, listed below:",
                Some([2, 1, 0, 0]),
            ),
            (
                "All tests passed (2 assertions in 2 test cases)",
                Some([2, 0, 0, 0]),
            ),
            (
                "test result: ok. 2 passed; 0 failed; 0 ignored\nx\ntest result: ok. 0 passed; 0 failed; 0 ignored",
                Some([2, 0, 0, 0]),
            ),
            (
                "Ran 2 of 2 Specs in 0.001 seconds\nSUCCESS! -- 2 Passed | 0 Failed | 0 Pending | 1 Skipped",
                Some([2, 0, 0, 1]),
            ),
            ("Passed: 2\nFailed: 1\nSkipped: 0", Some([2, 1, 0, 0])),
            ("  3 passing (7ms)\n  1 failing", Some([3, 1, 0, 0])),
            ("✓ a\n\nDONE 2 tests in 0.1s", Some([2, 0, 0, 0])),
            (
                "Tests: 0 total\nTest Suites: 1 failed, 1 total",
                Some([0; 4]),
            ),
            ("running 2 tests", None),
            ("Found 3 tests\ncompiling", None),
            ("warning: 2 errors generated in 3 files", None),
        ] {
            assert_eq!(counted(output), want, "{output}");
        }
    }

    #[test]
    fn every_pattern_compiles() {
        assert!(NONE.is_some());
    }
}
