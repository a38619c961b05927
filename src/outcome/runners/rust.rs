//! libtest as `cargo test` prints it, and cargo-nextest.

use super::{Act, Rule, Runner, nothing};
use crate::domain::Kind;
use crate::outcome::counts::Field;
use crate::outcome::found::Found;
use crate::outcome::text::Text;
use regex::Captures;

pub(super) static CARGO_TEST: Runner = Runner {
    name: "cargo test",
    covers: &[],
    rules: &[
        Rule(r"^running (?P<t>[0-9]+) tests?$", Act::Do(running)),
        Rule(
            r"^test result: (?:ok|FAILED)\. (?P<p>[0-9]+) passed; (?P<f>[0-9]+) failed; (?P<s>[0-9]+) ignored; [0-9]+ measured; (?P<out>[0-9]+) filtered out",
            Act::Do(result),
        ),
        Rule(
            r"^test (?P<n>.+?)(?: - should panic)? \.\.\. ok(?: <.*>)?$",
            Act::Pass,
        ),
        Rule(
            r"^test (?P<n>.+?)(?: - should panic)? \.\.\. FAILED",
            Act::Fail,
        ),
        Rule(r"^test .+ \.\.\. ignored", Act::Skip),
        Rule(r"^(?P<n>\S+(?: - .+)?) --- FAILED$", Act::Fail),
        Rule(r"^test \S+ \.\.\.", Act::Began),
        Rule(r"^---- (?P<n>.+?) stdout ----$", Act::FailName),
        Rule(
            r"^thread '(?P<n>.+?)' (?:\([0-9]+\) )?panicked at (?:'.*', )?(?P<file>[^\s:']+):(?P<line>[0-9]+)",
            Act::Do(panicked),
        ),
        Rule(r"^error: could not compile `", Act::Red(Kind::Build)),
        Rule(
            r"process didn't exit successfully: .* \(signal: [0-9]+",
            Act::RedTells(Kind::Crash),
        ),
    ],
    finish: close,
};

fn running(found: &mut Found, _: &Text, at: usize, caps: &Captures<'_>) {
    let count = caps["t"].parse().unwrap_or(0);
    if count > 0 {
        found.begins(at);
    }
    found.marks.push((at, count));
}

fn result(found: &mut Found, _: &Text, at: usize, caps: &Captures<'_>) {
    found.narrowed |= caps["out"].parse::<u64>().is_ok_and(|n| n > 0);
    let tally = super::summed(caps);
    found.summary(at, tally);
}

/// Where a failing test panicked.
fn panicked(found: &mut Found, _: &Text, _: usize, caps: &Captures<'_>) {
    let failing = found.failing.iter_mut().rev();
    let mut named = failing.filter(|f| f.name == caps["n"] || &caps["n"] == "main");
    if let Some(failing) = named.next()
        && failing.file.is_none()
    {
        failing.file = Some(caps["file"].to_string());
        failing.line = caps["line"].parse().ok();
    }
}

/// Every test binary says `running N tests` and, if it lives, one result: the last before the next
/// binary begins. Tests that print results of their own add nothing.
fn close(_: &Text, _: &str, found: &mut Found) {
    let marks = std::mem::take(&mut found.marks);
    let mut kept = Vec::new();
    let mut results = found.summaries.iter().peekable();
    for (i, &(start, count)) in marks.iter().enumerate() {
        let end = marks.get(i + 1).map_or(usize::MAX, |m| m.0);
        let mut last = None;
        while let Some(result) = results.next_if(|s| s.at < end) {
            last = Some(result).filter(|s| s.at > start);
        }
        match last {
            Some(summary) => {
                if count == 0 {
                    found.zero.push(summary.at);
                }
                kept.push(summary.clone());
            }
            None if count > 0 => found.cut = Some(start),
            None => {}
        }
    }
    if marks.is_empty() {
        kept = std::mem::take(&mut found.summaries);
    }
    if kept.iter().any(|s| s.tally.ran() > 0) {
        found.zero.clear();
    }
    let red = found.cut.is_some() || kept.iter().any(|s| s.tally.reds() > 0);
    if !red && !kept.is_empty() {
        found.failing.clear();
        found.fails = 0;
    }
    found.summaries = kept;
}

pub(super) static NEXTEST: Runner = Runner {
    name: "nextest",
    covers: &["cargo test"],
    rules: &[
        Rule(
            r"^ +Summary \[.*?\] +(?:[0-9]+/)?(?P<t>[0-9]+) tests? run: (?P<list>.*)$",
            Act::Do(nextest),
        ),
        Rule(r"^ +PASS \[[^\]]*\] (?:\([^)]*\) )?(?P<n>.+)$", Act::Pass),
        Rule(
            r"^ +(?:FAIL|TIMEOUT|ABORT|SIG[A-Z]+|LEAK-FAIL|EXECFAIL) \[[^\]]*\] (?:\([^)]*\) )?(?P<n>.+)$",
            Act::Fail,
        ),
        Rule(
            r"^ +(?:TRY [0-9]+ PASS|FLAKY(?: [0-9]+/[0-9]+)?) \[[^\]]*\] (?:\([^)]*\) )?(?P<n>.+)$",
            Act::Flaky,
        ),
        Rule(r"^error: no tests to run", Act::Zero),
        Rule(r"^ +Starting [1-9][0-9]* tests? across", Act::Session),
        Rule(
            r"^ +SETUP FAIL|^error: setup script failed",
            Act::Red(Kind::Setup),
        ),
    ],
    finish: nothing,
};

fn nextest(found: &mut Found, _: &Text, at: usize, caps: &Captures<'_>) {
    let list = &caps["list"];
    // `5 passed (1 flaky)`: what stands in brackets is counted already.
    let mut flat = String::new();
    let mut depth = 0;
    for c in list.chars() {
        match c {
            '(' => depth += 1,
            ')' => depth -= 1,
            c if depth == 0 => flat.push(c),
            _ => {}
        }
    }
    let mut tally = crate::outcome::counts::tally(&flat);
    if caps["t"].parse::<u64>() == Ok(0) {
        found.zero.push(at);
    } else {
        tally.passed.get_or_insert(0);
        tally.add(Field::Failed, 0);
        found.summary(at, tally);
    }
}
