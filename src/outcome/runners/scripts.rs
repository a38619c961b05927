//! shUnit2, testthat, Dart, Julia.

use super::{Act, Rule, Runner, nothing};
use crate::domain::Kind;
use crate::outcome::counts::{Field, Tally};
use crate::outcome::found::Found;
use crate::outcome::text::Text;
use regex::Captures;

pub(super) static SHUNIT2: Runner = Runner {
    name: "shunit2",
    covers: &[],
    rules: &[
        Rule(r"^Ran (?P<t>[0-9]+) tests?\.$", Act::Do(shunit)),
        Rule(r"^ASSERT:", Act::Line(shunit_name)),
    ],
    finish: nothing,
};

fn shunit(found: &mut Found, text: &Text, at: usize, caps: &Captures<'_>) {
    let mut below = text.between(at + 1, at + 4).map(|(_, line)| line);
    let Some(status) = below.find(|line| line.starts_with("OK") || line.starts_with("FAILED"))
    else {
        return;
    };
    let total = super::number(caps, "t").unwrap_or(0);
    let part = crate::outcome::counts::tally(status);
    if total == 0 {
        found.zero.push(at);
    }
    // Failures count assertions, so they may exceed the tests.
    let failed = part.failed.unwrap_or(0).min(total);
    found.summary(
        at,
        Tally {
            passed: Some(total.saturating_sub(failed + part.skipped.unwrap_or(0))),
            failed: Some(failed),
            skipped: part.skipped,
            ..Tally::default()
        },
    );
}

/// The function's name stands alone on a line above.
fn shunit_name(found: &mut Found, text: &Text, at: usize) {
    let name = (at.saturating_sub(20)..at)
        .rev()
        .map(|n| text.line(n))
        .find(|line| {
            line.starts_with("test") && line.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_')
        });
    found.begins(at);
    if let Some(name) = name {
        found.fails(name, at);
    }
}

pub(super) static TESTTHAT: Runner = Runner {
    name: "testthat",
    covers: &[],
    rules: &[
        Rule(
            r"^\[ FAIL (?P<f>[0-9]+) \| WARN [0-9]+ \| SKIP (?P<s>[0-9]+) \| PASS (?P<p>[0-9]+) \]",
            Act::Do(testthat),
        ),
        Rule(
            r"^(?:── )?(?:Failure|Error) \((?:'|‘)?(?P<file>[^':]+?)(?:'|’)?:(?P<line>[0-9]+)(?::[0-9]+)?(?:'|’)?\): (?P<n>.+?)(?: ─+)?$",
            Act::FailName,
        ),
        Rule(r"^Error: Test failures", Act::Red(Kind::Assertion)),
    ],
    finish: |_, _, found| {
        if let Some(last) = found.summaries.pop() {
            found.summaries = vec![last];
        }
    },
};

fn testthat(found: &mut Found, _: &Text, at: usize, caps: &Captures<'_>) {
    let tally = super::summed(caps);
    if tally.ran() + tally.skipped.unwrap_or(0) == 0 {
        found.zero.push(at);
    } else {
        found.summary(at, tally);
    }
}

/// `00:01 +2 ~1 -1: Some tests failed.`
pub(super) static DART: Runner = Runner {
    name: "dart test",
    covers: &[],
    rules: &[
        Rule(
            r"^[0-9:]+ \+(?P<p>[0-9]+)(?: ~(?P<s>[0-9]+))?(?: -(?P<f>[0-9]+))?: (?P<what>.*)$",
            Act::Do(dart),
        ),
        Rule(r"^No tests (?:were found|ran)\.?$", Act::Zero),
    ],
    finish: |_, _, found| {
        if let Some(last) = found.summaries.pop() {
            found.summaries = vec![last];
        }
    },
};

fn dart(found: &mut Found, _: &Text, at: usize, caps: &Captures<'_>) {
    let what = &caps["what"];
    found.begins(at);
    if let Some(name) = what.strip_suffix(" [E]") {
        if let Some(path) = name.strip_prefix("loading ") {
            found.stand_in(path, at);
            found.outside(Kind::Build, at, false, true);
        } else {
            found.fails(name, at);
        }
    } else if matches!(
        what,
        "All tests passed!" | "Some tests failed." | "All tests skipped."
    ) {
        let mut tally = super::summed(caps);
        tally.add(Field::Failed, 0);
        found.summary(at, tally);
    }
}

/// A table with its columns in the heading: `Test Summary: | Pass  Fail  Total  Time`.
pub(super) static JULIA: Runner = Runner {
    name: "julia",
    covers: &[],
    rules: &[
        Rule(r"^Test Summary: +\| +\w", Act::Line(julia)),
        Rule(
            r"^(?P<n>.+): (?:Test Failed|Error During Test) at (?P<file>\S+?):(?P<line>[0-9]+)$",
            Act::FailName,
        ),
        Rule(
            r"^ERROR: (?:LoadError: )?Some tests did not pass",
            Act::Red(Kind::Assertion),
        ),
        Rule(r"^ +Testing \S+ tests passed", Act::Green),
    ],
    finish: nothing,
};

fn julia(found: &mut Found, text: &Text, at: usize) {
    let columns = |line: &str| -> Vec<String> {
        let after = line.split_once('|').map_or("", |(_, rest)| rest);
        after.split_whitespace().map(str::to_lowercase).collect()
    };
    let (heads, values) = (columns(text.line(at)), columns(text.line(at + 1)));
    // A column without tests is blank, so the numbers are matched from both ends.
    let mut tally = Tally::default();
    let numbers: Vec<u64> = values.iter().filter_map(|v| v.parse().ok()).collect();
    let named: Vec<&str> = heads
        .iter()
        .map(String::as_str)
        .filter(|h| *h != "time")
        .collect();
    if numbers.len() != named.len() {
        return;
    }
    for (head, number) in named.iter().zip(numbers) {
        match *head {
            "pass" => tally.add(Field::Passed, number),
            "fail" => tally.add(Field::Failed, number),
            "error" => tally.add(Field::Errors, number),
            "broken" => tally.add(Field::Other, number),
            _ => {}
        }
    }
    found.summary(at + 1, tally);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_is_read_by_its_heading() {
        let text = Text::new(
            b"Test Summary: | Pass  Fail  Total  Time\ncalc          |    1     1      2  0.5s",
        );
        let mut found = Found::new("julia");
        julia(&mut found, &text, 0);
        let tally = found.summaries[0].tally;
        assert_eq!((tally.passed, tally.failed), (Some(1), Some(1)));
    }
}
