//! Build tools and runners of runners: Automake, Meson, make, tox, nox.

use super::{Act, Rule, Runner, nothing};
use crate::domain::Kind;
use crate::outcome::counts::Field;
use crate::outcome::found::Found;
use crate::outcome::text::Text;

pub(super) static AUTOMAKE: Runner = Runner {
    name: "automake",
    covers: &["gtest", "check", "tap"],
    rules: &[
        Rule(r"^# TOTAL: +([0-9]+)$", Act::Piece(Field::Total)),
        Rule(r"^# PASS: +([0-9]+)$", Act::Piece(Field::Passed)),
        Rule(r"^# SKIP: +([0-9]+)$", Act::Piece(Field::Skipped)),
        Rule(r"^# XFAIL: +([0-9]+)$", Act::Piece(Field::Other)),
        Rule(r"^# FAIL: +([0-9]+)$", Act::Piece(Field::Failed)),
        Rule(r"^# XPASS: +([0-9]+)$", Act::Line(unexpected)),
        Rule(r"^# ERROR: +([0-9]+)$", Act::Piece(Field::Errors)),
        Rule(r"^PASS: (?P<n>\S.*)$", Act::Pass),
        Rule(r"^(?:FAIL|ERROR|XPASS): (?P<n>\S.*)$", Act::Fail),
    ],
    finish: |_, _, found| {
        // The words before a colon are common; the summary is Automake's own.
        found.summaries.retain(|s| s.tally.total.is_some());
        found.drop_cut_pieces();
        if found.summaries.is_empty() {
            found.failing.clear();
            (found.passes, found.fails, found.began) = (0, 0, None);
        }
        found.zero.extend(
            found
                .summaries
                .iter()
                .filter(|s| s.tally.total == Some(0))
                .map(|s| s.at),
        );
    },
};

/// A test that should have failed and passed is red.
fn unexpected(found: &mut Found, text: &Text, at: usize) {
    let count = text
        .line(at)
        .rsplit(' ')
        .next()
        .and_then(|n| n.parse().ok());
    if let (Some(last), Some(count)) = (found.summaries.last_mut(), count) {
        last.tally.add(Field::Failed, count);
        found.open = Some(at);
    }
}

pub(super) static MESON: Runner = Runner {
    name: "meson",
    covers: &["gtest", "tap"],
    rules: &[
        Rule(r"^Ok: +([0-9]+)$", Act::Piece(Field::Passed)),
        Rule(r"^Expected Fail: +([0-9]+)$", Act::Piece(Field::Other)),
        Rule(r"^Fail: +([0-9]+)$", Act::Piece(Field::Failed)),
        Rule(
            r"^(?:Unexpected Pass|Timeout): +[0-9]+$",
            Act::Line(unexpected),
        ),
        Rule(r"^Skipped: +([0-9]+)$", Act::Piece(Field::Skipped)),
        Rule(r"^ *[0-9]+/[0-9]+ (?P<n>\S.*?) +OK +[0-9.]+ ?s", Act::Pass),
        Rule(
            r"^ *[0-9]+/[0-9]+ (?P<n>\S.*?) +(?:FAIL|TIMEOUT|ERROR|UNEXPECTEDPASS) +[0-9.]+ ?s",
            Act::Fail,
        ),
        Rule(r"^No tests defined\.", Act::Zero),
        Rule(r"^No suitable tests defined\.", Act::Zero),
    ],
    finish: |_, _, found| found.drop_cut_pieces(),
};

pub(super) static MAKE: Runner = Runner {
    name: "make",
    covers: &[],
    rules: &[
        Rule(
            r"^g?make(?:\[[0-9]+\])?: \*\*\* No rule to make target",
            Act::Tells(Kind::Config),
        ),
        Rule(
            r"^g?make(?:\[[0-9]+\])?: \*\*\* No targets",
            Act::Tells(Kind::Config),
        ),
        Rule(r"^\S+:[0-9]+: \*\*\* ", Act::Tells(Kind::Config)),
        Rule(
            r"^g?make(?:\[[0-9]+\])?: (?:Nothing to be done for|'.*' is up to date|`.*' is up to date)",
            Act::Zero,
        ),
        Rule(
            r"^g?make(?:\[[0-9]+\])?: \S+: (?:No such file or directory|Permission denied|Command not found)",
            Act::Tells(Kind::MissingRunner),
        ),
        Rule(
            r"^g?make(?:\[[0-9]+\])?: \[.*\] Error [0-9]+ \(ignored\)",
            Act::Tells(Kind::Assertion),
        ),
        Rule(
            r"^(?:\./|[\w.-]+/)[\w./-]*(?:test|check)[\w.-]*$",
            Act::Line(program),
        ),
    ],
    finish: |_, command, found| {
        // make echoes what it runs and stops at the first failure.
        let make = command
            .split_whitespace()
            .any(|w| matches!(w, "make" | "gmake"));
        if !make || found.marks.is_empty() {
            found.green.clear();
        }
    },
};

/// The echo of a compiled test program that make runs. Scripts and interpreters print their own.
fn program(found: &mut Found, text: &Text, at: usize) {
    let line = text.line(at);
    let name = line.rsplit('/').next().unwrap_or(line);
    if !name.contains('.') {
        found.marks.push((at, 1));
        found.green.push(at);
    }
}

pub(super) static TOX: Runner = Runner {
    name: "tox",
    covers: &[],
    rules: &[
        Rule(r"^\S+: failed with ", Act::Tells(Kind::Setup)),
        Rule(r"^  \S+: FAIL code [0-9]+ ", Act::Red(Kind::Setup)),
        Rule(r"^ROOT: No loadable tox\.ini", Act::Zero),
        Rule(
            r"^ROOT: No tox\.ini|^ERROR: tox config file",
            Act::Tells(Kind::Config),
        ),
    ],
    finish: nothing,
};

pub(super) static NOX: Runner = Runner {
    name: "nox",
    covers: &[],
    rules: &[
        Rule(
            r"^nox > Session \S+ (?:failed|aborted)",
            Act::Red(Kind::Setup),
        ),
        Rule(
            r"^nox > Failed to find session|^nox > .*No sessions? selected|^nox > Noxfile .* not found",
            Act::Tells(Kind::Config),
        ),
    ],
    finish: nothing,
};
