//! Runners of C and C++: CTest, GoogleTest, Catch2 and doctest, Check, cmocka, CUnit.

use super::{Act, Rule, Runner, nothing};
use crate::domain::Kind;
use crate::outcome::counts::{Field, Tally};
use crate::outcome::found::Found;
use crate::outcome::text::Text;
use regex::Captures;

pub(super) static CTEST: Runner = Runner {
    name: "ctest",
    covers: &["gtest", "catch2", "check", "cmocka", "cunit", "tap"],
    rules: &[
        Rule(
            r"^[0-9]+% tests passed, (?P<f>[0-9]+) tests? failed out of (?P<t>[0-9]+)",
            Act::Sum,
        ),
        Rule(
            r"^\s+[0-9]+ - (?P<n>.+?) \((?:Failed|SEGFAULT|Timeout|Not Run|NUMERICAL|ILLEGAL|OTHER_FAULT|Subprocess|Child aborted|Exception|Exit code|BAD_COMMAND|INTERRUPT).*\)",
            Act::FailName,
        ),
        Rule(
            r"^ *[0-9]+/[0-9]+ +(?:Memory Check|Memcheck|Test) +#[0-9]+: (?P<n>\S+) \.+ +Passed",
            Act::Pass,
        ),
        Rule(r"^ *[0-9]+/[0-9]+ +Test +#[0-9]+: \S+ \.*\*+", Act::Fail),
        Rule(r"^ *Start +[0-9]+: ", Act::Began),
        Rule(r"^No tests were found!!!", Act::Zero),
        Rule(r"^Test project ", Act::Session),
    ],
    finish: |_, _, found| {
        found.zero.extend(
            found
                .summaries
                .iter()
                .filter(|s| s.tally.total == Some(0))
                .map(|s| s.at),
        );
    },
};

pub(super) static GTEST: Runner = Runner {
    name: "gtest",
    covers: &[],
    rules: &[
        Rule(
            r"^\[==========\] Running (?P<t>[0-9]+) tests? from",
            Act::Do(gtest_start),
        ),
        Rule(r"^\[ RUN      \] ", Act::Began),
        Rule(r"\[       OK \] (?P<n>\S+)", Act::Pass),
        Rule(r"^\[  SKIPPED \] \S+ \(", Act::Skip),
        Rule(r"^\[  PASSED  \] ([0-9]+) tests?\.", Act::Do(gtest_passed)),
        Rule(
            r"^\[  SKIPPED \] ([0-9]+) tests?, listed below",
            Act::Do(gtest_skipped),
        ),
        Rule(
            r"^\[  FAILED  \] ([0-9]+) tests?, listed below",
            Act::Do(gtest_failed),
        ),
        Rule(
            r"^\[  FAILED  \] (?P<n>[^\s,]*[./][^\s,]*)(?:, where .*?)?(?: \([0-9]+ ms\))?$",
            Act::FailName,
        ),
    ],
    finish: |_, _, found| {
        let started: u64 = found.marks.iter().map(|m| m.1).sum();
        if found.summaries.len() < found.marks.len() && started > 0 {
            found.cut = found.marks.last().map(|m| m.0);
        }
        if started == 0 && !found.marks.is_empty() {
            found.zero.extend(found.marks.first().map(|m| m.0));
        }
    },
};

fn gtest_start(found: &mut Found, _: &Text, at: usize, caps: &Captures<'_>) {
    found
        .marks
        .push((at, super::number(caps, "t").unwrap_or(0)));
}

fn gtest_passed(found: &mut Found, _: &Text, at: usize, caps: &Captures<'_>) {
    let passed = caps[1].parse().unwrap_or(0);
    found.summary(
        at,
        Tally {
            passed: Some(passed),
            failed: Some(0),
            ..Tally::default()
        },
    );
}

fn gtest_skipped(found: &mut Found, _: &Text, _: usize, caps: &Captures<'_>) {
    if let Some(last) = found.summaries.last_mut() {
        last.tally.add(Field::Skipped, caps[1].parse().unwrap_or(0));
    }
}

fn gtest_failed(found: &mut Found, _: &Text, _: usize, caps: &Captures<'_>) {
    if let Some(last) = found.summaries.last_mut() {
        last.tally.add(Field::Failed, caps[1].parse().unwrap_or(0));
    }
}

/// Catch2 v2 and v3, and doctest, which took over its words.
pub(super) static CATCH2: Runner = Runner {
    name: "catch2",
    covers: &[],
    rules: &[
        Rule(
            r"^test cases: +(?P<t>[0-9]+)(?: \| +(?P<p>[0-9]+) passed)?(?: \| +(?P<f>[0-9]+) failed)?(?: \| +(?P<s>[0-9]+) skipped)?(?: \| +(?P<x>[0-9]+) failed as expected)?",
            Act::Do(catch_sum),
        ),
        Rule(
            r"^All tests passed \([0-9]+ assertions? in (?P<t>[0-9]+) test cases?\)",
            Act::Do(catch_sum),
        ),
        Rule(
            r"^\[doctest\] test cases: +(?P<t>[0-9]+) \| +(?P<p>[0-9]+) passed \| +(?P<f>[0-9]+) failed(?: \| +(?P<s>[0-9]+) skipped)?",
            Act::Sum,
        ),
        Rule(
            r"^(?P<file>\S+?):(?P<line>[0-9]+): FAILED:",
            Act::Do(catch_name),
        ),
        Rule(r"^TEST CASE: +(?P<n>.+)$", Act::Do(doctest_name)),
        Rule(r"^No test cases matched|^No tests ran$", Act::Zero),
    ],
    finish: nothing,
};

fn catch_sum(found: &mut Found, _: &Text, at: usize, caps: &Captures<'_>) {
    let tally = super::summed(caps);
    if tally.total == Some(0) {
        found.zero.push(at);
    }
    found.summary(at, tally);
}

/// The heading above: a rule, the test case (and sections, indented), a rule, the place.
fn catch_name(found: &mut Found, text: &Text, at: usize, caps: &Captures<'_>) {
    let rule = |line: &str| line.len() > 60 && line.bytes().all(|b| b == b'-');
    let heading = (at.saturating_sub(400)..at).rev().find(|&n| {
        rule(text.line(n)) && !text.line(n + 1).is_empty() && !text.line(n + 1).contains(": ")
    });
    let Some(heading) = heading else { return };
    // The rule found may be the one below the title.
    let above = (heading.saturating_sub(8)..heading)
        .rev()
        .find(|&n| rule(text.line(n)));
    let top = match above {
        Some(above) if (above + 1..heading).all(|n| !text.line(n).is_empty()) => above,
        _ => heading,
    };
    found.begins(at);
    let name = text.line(top + 1).trim().to_string();
    if let Some(failing) = found.fails(&name, at)
        && failing.file.is_none()
    {
        failing.file = Some(caps["file"].to_string());
        failing.line = super::number(caps, "line");
    }
}

fn doctest_name(found: &mut Found, text: &Text, at: usize, caps: &Captures<'_>) {
    let below = text.between(at + 1, at + 12).map(|(_, line)| line);
    let mut below = below.take_while(|line| !line.starts_with("====="));
    if below.any(|line| line.contains("ERROR: ") || line.contains("FATAL ERROR")) {
        found.fails(&caps["n"], at);
    }
}

/// Boost.Test: failures are assertions, the names say how many tests they hit.
pub(super) static BOOST: Runner = Runner {
    name: "boost.test",
    covers: &[],
    rules: &[
        Rule(
            r"^Running (?P<t>[0-9]+) test cases?\.\.\.$",
            Act::Do(boost_start),
        ),
        Rule(r"^\*\*\* No errors detected$", Act::Line(boost_end)),
        Rule(
            r"^\*\*\* [0-9]+ failures? (?:is|are) detected ",
            Act::Line(boost_end),
        ),
        Rule(
            r"^(?P<file>\S+?)(?:\((?P<line>[0-9]+)\))?: (?:fatal )?error: in \x22(?P<n>[^\x22]+)\x22: ",
            Act::FailName,
        ),
        Rule(r"^Test setup error: ", Act::RedTells(Kind::Setup)),
    ],
    finish: |_, _, found| {
        if found.marks.len() > found.summaries.len() {
            found.cut = found.marks.last().map(|m| m.0);
            found.begins(found.cut.unwrap_or(0));
        }
    },
};

fn boost_start(found: &mut Found, _: &Text, at: usize, caps: &Captures<'_>) {
    found
        .marks
        .push((at, super::number(caps, "t").unwrap_or(0)));
}

fn boost_end(found: &mut Found, text: &Text, at: usize) {
    let Some(&(_, total)) = found.marks.last() else {
        return;
    };
    let red = !text.line(at).contains("No errors");
    let failed = if red {
        (found.failing.len() as u64).clamp(1, total.max(1))
    } else {
        0
    };
    found.summary(
        at,
        Tally {
            passed: Some(total.saturating_sub(failed)),
            failed: Some(failed),
            ..Tally::default()
        },
    );
}

pub(super) static LIBCHECK: Runner = Runner {
    name: "check",
    covers: &[],
    rules: &[
        Rule(
            r"^[0-9]+%: Checks: (?P<t>[0-9]+), Failures: (?P<f>[0-9]+), Errors: (?P<e>[0-9]+)",
            Act::Do(catch_sum),
        ),
        Rule(
            r"^(?P<file>[^\s:]+):(?P<line>[0-9]+):[FE]:[^:]*:(?P<n>[^:]+):[0-9]+: ",
            Act::FailName,
        ),
    ],
    finish: nothing,
};

pub(super) static CMOCKA: Runner = Runner {
    name: "cmocka",
    covers: &[],
    rules: &[
        Rule(
            r"^\[  PASSED  \] (?P<p>[0-9]+) test\(s\)",
            Act::Do(cmocka_passed),
        ),
        Rule(
            r"^\[  FAILED  \] (?:\S+: )?([0-9]+) test\(s\)",
            Act::Do(gtest_failed),
        ),
        Rule(
            r"^\[  SKIPPED \] (?:\S+: )?([0-9]+) test\(s\)",
            Act::Do(gtest_skipped),
        ),
        Rule(
            r"^\[==========\] (?:\S+: )?Running [0-9]+ test\(s\)",
            Act::Session,
        ),
        Rule(r"^\[ {2}FAILED {2}\] (?P<n>\w+)$", Act::FailName),
    ],
    finish: |_, _, found| {
        if found.sessions.is_empty() {
            *found = Found::new(found.runner);
        } else if found.summaries.len() < found.sessions.len() {
            found.cut = found.sessions.last().copied();
        }
        found.sessions.clear();
    },
};

fn cmocka_passed(found: &mut Found, _: &Text, at: usize, caps: &Captures<'_>) {
    let tally = super::summed(caps);
    found.summary(at, tally);
}

pub(super) static CUNIT: Runner = Runner {
    name: "cunit",
    covers: &[],
    rules: &[
        Rule(
            r"^ +tests +(?P<t>[0-9]+) +(?P<ran>[0-9]+) +(?P<p>[0-9]+) +(?P<f>[0-9]+) +(?P<s>[0-9]+)$",
            Act::Sum,
        ),
        Rule(r"^ +Test: (?P<n>.+?) ?\.\.\.(?:FAILED)", Act::Fail),
        Rule(r"^ +Test: (?P<n>.+?) ?\.\.\.passed", Act::Pass),
        Rule(
            r"^Suite (?P<n>.+), Test .+ had failures:$",
            Act::Red(Kind::Assertion),
        ),
        Rule(
            r"^ +[0-9]+\. Suite .*, Test (?P<n>.+) had failures",
            Act::FailName,
        ),
    ],
    finish: nothing,
};
