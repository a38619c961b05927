//! mocha, AVA, Jasmine, uvu.

use super::{Act, Rule, Runner};
use crate::domain::Kind;
use crate::outcome::counts::Field;
use crate::outcome::found::Found;
use crate::outcome::text::Text;
use regex::Captures;

pub(super) static MOCHA: Runner = Runner {
    name: "mocha",
    covers: &[],
    rules: &[
        Rule(
            r"^ +([0-9]+) passing(?: \([^)]*\))?$",
            Act::Piece(Field::Passed),
        ),
        Rule(r"^ +([0-9]+) failing$", Act::Piece(Field::Failed)),
        Rule(r"^ +([0-9]+) pending$", Act::Piece(Field::Skipped)),
        Rule(r"^ +[0-9]+\) (?P<n>.+)$", Act::Do(mocha_name)),
        Rule(r"^ +(?:✔|✓|√) (?P<n>.+?)(?: \([0-9.]+m?s\))?$", Act::Pass),
        Rule(r"^ *Exception during run:", Act::Red(Kind::Build)),
        Rule(r"^(?:Error|Warning): No test files found", Act::Zero),
        Rule(r"^ ✖ ERROR:", Act::Red(Kind::Build)),
    ],
    finish: |_, _, found| {
        for summary in &found.summaries {
            if summary.tally.ran() == 0 {
                found.zero.push(summary.end);
            }
        }
        if found.summaries.is_empty() {
            found.failing.clear();
            (found.passes, found.began) = (0, None);
        }
    },
};

/// A numbered failure below the summary: the titles down to the one with a colon.
fn mocha_name(found: &mut Found, text: &Text, at: usize, caps: &Captures<'_>) {
    if found.summaries.is_empty() {
        found.fails += 1;
        return;
    }
    let mut name = caps["n"].trim().to_string();
    if !name.ends_with(':') {
        for (_, line) in text.between(at + 1, at + 8) {
            let line = line.trim();
            if line.is_empty() {
                return;
            }
            name.push(' ');
            name.push_str(line);
            if line.ends_with(':') {
                break;
            }
        }
    }
    let name = name.trim_end_matches(':');
    if name.contains("\" hook") && (name.contains("\"before") || name.contains("\"after")) {
        found.stand_in(name, at);
        found.outside(Kind::Setup, at, false, true);
    } else {
        found.fails(name, at);
    }
}

pub(super) static AVA: Runner = Runner {
    name: "ava",
    covers: &[],
    rules: &[
        Rule(r"^ +([0-9]+) tests? passed$", Act::Piece(Field::Passed)),
        Rule(r"^ +([0-9]+) tests? failed$", Act::Piece(Field::Failed)),
        Rule(r"^ +([0-9]+) tests? skipped$", Act::Piece(Field::Skipped)),
        Rule(
            r"^ +[0-9]+ (?:uncaught exceptions?|unhandled rejections?|tests? remaining)",
            Act::Red(Kind::Crash),
        ),
        Rule(
            r"^ *(?:✘|✖|×) [0-9]+ tests? remaining in ",
            Act::Red(Kind::Crash),
        ),
        Rule(
            r"^ *(?:✘|✖|×) \[fail\]: (?P<n>.+?)(?: .*\([0-9.]+m?s\))?$",
            Act::Fail,
        ),
        Rule(r"^ *Uncaught exception in (?P<n>\S+)$", Act::StandIn),
        Rule(r"^ *Uncaught exception in \S+$", Act::Red(Kind::Build)),
        Rule(
            r"^ *(?:✘|✖|×) Couldn(?:'|’)t find any files to test",
            Act::Zero,
        ),
        Rule(r"^ *(?:✘|✖|×) No tests found in ", Act::Red(Kind::NoTests)),
        Rule(
            r"Exiting due to process\.exit\(\) when running ",
            Act::RedTells(Kind::Crash),
        ),
        Rule(
            r"^ *(?:✘|✖|×) \S+ exited (?:with a non-zero exit code|due to)",
            Act::Red(Kind::Crash),
        ),
        Rule(r"^ *(?:✔|✓) (?P<n>.+?)(?: \([0-9.]+m?s\))?$", Act::Pass),
    ],
    finish: |_, _, found| {
        // With a failure the passes are not summed up.
        let passes = found.passes;
        if let Some(last) = found.summaries.last_mut() {
            last.tally.passed.get_or_insert(passes);
        } else if found.outside.is_empty() {
            (found.passes, found.began) = (0, None);
        }
    },
};

pub(super) static JASMINE: Runner = Runner {
    name: "jasmine",
    covers: &[],
    rules: &[
        Rule(
            r"^(?P<t>[0-9]+) specs?, (?P<f>[0-9]+) failures?(?:, (?P<s>[0-9]+) pending specs?)?$",
            Act::Do(jasmine),
        ),
        Rule(r"^Incomplete: ", Act::RedTells(Kind::Setup)),
        Rule(r"^Ran [0-9]+ of [0-9]+ specs?", Act::Narrowed),
        Rule(r"^[0-9]+\) (?P<n>.+)$", Act::Do(jasmine_name)),
    ],
    finish: |_, _, found| {
        if found.summaries.is_empty() && found.zero.is_empty() {
            found.failing.clear();
        }
    },
};

fn jasmine(found: &mut Found, _: &Text, at: usize, caps: &Captures<'_>) {
    let tally = super::summed(caps);
    if tally.total == Some(0) {
        found.zero.push(at);
    }
    found.summary(at, tally);
}

/// Numbered failures stand between `Failures:` and the summary.
fn jasmine_name(found: &mut Found, text: &Text, at: usize, caps: &Captures<'_>) {
    let message = text.line(at + 1).trim();
    if message == "Message:" {
        found.fails(&caps["n"], at);
    }
}

pub(super) static UVU: Runner = Runner {
    name: "uvu",
    covers: &[],
    rules: &[
        Rule(r"^ +Total: +([0-9]+)$", Act::Piece(Field::Total)),
        Rule(r"^ +Passed: +([0-9]+)$", Act::Piece(Field::Passed)),
        Rule(r"^ +Skipped: +([0-9]+)$", Act::Piece(Field::Skipped)),
        Rule(r#"^ +FAIL  +(?:\S+ +)?"(?P<n>.+)"$"#, Act::FailName),
    ],
    finish: |_, _, found| {
        found
            .summaries
            .retain(|s| s.tally.total.is_some() && s.tally.passed.is_some());
        for summary in &mut found.summaries {
            let tally = &mut summary.tally;
            let left = tally
                .total
                .unwrap_or(0)
                .saturating_sub(tally.passed.unwrap_or(0));
            tally.failed = Some(left);
            if tally.total == Some(0) {
                found.zero.push(summary.at);
            }
        }
    },
};
