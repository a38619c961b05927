//! behave, Cucumber, Robot Framework, busted.

use super::{Act, Rule, Runner, nothing};
use crate::domain::Kind;
use crate::outcome::counts;
use crate::outcome::found::{Found, Summary};
use crate::outcome::text::Text;
use regex::Captures;

pub(super) static BEHAVE: Runner = Runner {
    name: "behave",
    covers: &[],
    rules: &[
        Rule(r"^(?P<l>[0-9]+ scenarios? passed, .*)$", Act::Do(scenarios)),
        Rule(
            r"^(?:Failing|Errored|Errored) scenarios:$",
            Act::Line(listed),
        ),
        Rule(r"^ +(?:Given|When|Then|And) .* # \S+:[0-9]+", Act::Began),
        Rule(r"^USING RUNNER: behave", Act::Session),
        Rule(r"^HOOK-ERROR in ", Act::RedTells(Kind::Setup)),
    ],
    finish: |_, _, found| found.sessions.clear(),
};

fn scenarios(found: &mut Found, _: &Text, at: usize, caps: &Captures<'_>) {
    let tally = counts::tally(&caps["l"]);
    if tally.ran() == 0 {
        found.zero.push(at);
    }
    found.summary(at, tally);
}

/// `  features/calc.feature:3  adding`, one a line.
fn listed(found: &mut Found, text: &Text, at: usize) {
    for (n, line) in text.between(at + 1, at + 10_000) {
        let Some((place, name)) = line.trim().split_once("  ") else {
            break;
        };
        if let Some(failing) = found.fails(name, n) {
            let (file, line) = place.rsplit_once(':').unwrap_or((place, ""));
            failing.file = Some(file.to_string());
            failing.line = line.parse().ok();
        }
    }
}

pub(super) static MAMBA: Runner = Runner {
    name: "mamba",
    covers: &[],
    rules: &[
        Rule(
            r"^(?P<t>[0-9]+) examples? ran (?:\((?P<s>[0-9]+) pending\) )?in [0-9.]+ seconds?$",
            Act::Sum,
        ),
        Rule(
            r"^(?P<f>[0-9]+) examples? failed of (?P<t>[0-9]+) ran in ",
            Act::Sum,
        ),
    ],
    finish: nothing,
};

pub(super) static CUCUMBER: Runner = Runner {
    name: "cucumber",
    covers: &[],
    rules: &[
        Rule(
            r"^(?P<t>[0-9]+) scenarios? \((?P<l>[^)]*)\)$",
            Act::Do(cucumber),
        ),
        Rule(r"^0 scenarios$", Act::Zero),
        Rule(
            r"^cucumber (?P<at>\S+) # Scenario(?: Outline)?: (?P<n>.+)$",
            Act::FailName,
        ),
        Rule(
            r"^[0-9]+\) Scenario: (?P<n>.+?) # (?P<file>\S+):(?P<line>[0-9]+)$",
            Act::FailName,
        ),
    ],
    finish: nothing,
};

fn cucumber(found: &mut Found, _: &Text, at: usize, caps: &Captures<'_>) {
    let tally = super::summed(caps);
    if tally.ran() == 0 {
        found.zero.push(at);
    }
    found.summary(at, tally);
}

pub(super) static ROBOT: Runner = Runner {
    name: "robot",
    covers: &[],
    rules: &[
        Rule(
            r"^(?P<t>[0-9]+) tests?(?: total)?, (?P<p>[0-9]+) passed, (?P<f>[0-9]+) failed(?:, (?P<s>[0-9]+) skipped)?$",
            Act::Sum,
        ),
        Rule(r"^(?P<n>\S.*?) +\| PASS \|$", Act::Pass),
        Rule(r"^(?P<n>\S.*?) +\| FAIL \|$", Act::Do(robot_fail)),
        Rule(r"^\[ ERROR \] .*contains no tests", Act::Zero),
        Rule(r"^\[ ERROR \] ", Act::Tells(Kind::Config)),
    ],
    finish: |_, _, found| {
        // Suites repeat the counts of what they hold; the last line is the whole.
        if let Some(last) = found.summaries.pop() {
            found.summaries = vec![last];
        }
    },
};

/// A suite's own line has its counts below.
fn robot_fail(found: &mut Found, text: &Text, at: usize, caps: &Captures<'_>) {
    let below = text.between(at + 1, at + 6).map(|(_, line)| line);
    let mut below =
        below.take_while(|line| !line.starts_with("-----") && !line.starts_with("====="));
    let suite = below.any(|line| counts::tally(line).total.is_some() && line.contains(" failed"));
    let name = caps["n"].split(" :: ").next().unwrap_or_default();
    found.begins(at);
    if !suite || text.line(at + 1).is_empty() {
        found.fails(name, at);
    }
}

pub(super) static BUSTED: Runner = Runner {
    name: "busted",
    covers: &[],
    rules: &[
        Rule(
            r"^(?P<p>[0-9]+) success(?:es)? / (?P<f>[0-9]+) failures? / (?P<e>[0-9]+) errors? / (?P<s>[0-9]+) pending",
            Act::Do(busted),
        ),
        Rule(
            r"^(?:Failure|Error) (?:->|→) (?P<file>\S+) @ (?P<line>[0-9]+)$",
            Act::Do(busted_name),
        ),
        Rule(r"^(?:[+\-*]|◌|●)+$", Act::Dots),
    ],
    finish: |text, _, found| {
        if found.summaries.is_empty() {
            found.dots = None;
        }
        // A file that does not load is counted as an error.
        let load = |line: &str| {
            line.contains("' not found:")
                || line.contains(" near '")
                || line.contains("cannot open file")
        };
        let none = |s: &Summary| s.tally.passes() + s.tally.failed.unwrap_or(0) == 0;
        if found.summaries.iter().all(none) && text.lines().any(|(_, line)| load(line)) {
            for summary in &mut found.summaries {
                summary.tally.total = Some(0);
            }
        }
    },
};

fn busted(found: &mut Found, _: &Text, at: usize, caps: &Captures<'_>) {
    let tally = super::summed(caps);
    if tally.ran() == 0 {
        found.zero.push(at);
    } else if tally.passes() + tally.failed.unwrap_or(0) == 0 {
        found.outside(Kind::Build, at, false, true);
    }
    found.summary(at, tally);
}

fn busted_name(found: &mut Found, text: &Text, at: usize, caps: &Captures<'_>) {
    if let Some(failing) = found.fails(text.line(at + 1), at) {
        failing.file = Some(caps["file"].to_string());
        failing.line = super::number(caps, "line");
    }
}
