//! The Test Anything Protocol (testanything.org, versions 12 to 14) and runners that print it.

use super::{Act, Rule, Runner, nothing};
use crate::domain::Kind;
use crate::outcome::counts::{Field, Tally};
use crate::outcome::found::{Found, is_file};
use crate::outcome::text::Text;
use regex::Captures;

pub(super) static TAP: Runner = Runner {
    name: "tap",
    covers: &[],
    rules: &[
        Rule(r"^(?:not )?ok [0-9]+(?: |$)", Act::Line(result)),
        Rule(r"^1\.\.(?P<t>[0-9]+)(?: *#.*)?$", Act::Do(plan)),
        Rule(r"^Bail out!", Act::RedTells(Kind::Setup)),
    ],
    finish,
};

/// One result at the top level; indented ones are parts of it.
fn result(found: &mut Found, text: &Text, at: usize) {
    let line = text.line(at);
    found.last = Some(at);
    let (ok, rest) = match line.strip_prefix("not ") {
        Some(rest) => (false, rest),
        None => (true, line),
    };
    let rest = rest.trim_start_matches("ok ");
    let rest = rest.trim_start_matches(|c: char| c.is_ascii_digit());
    let (title, directive) = match rest.find(" # ") {
        Some(at) => (&rest[..at], rest[at + 3..].to_ascii_uppercase()),
        None => (rest, String::new()),
    };
    let title = title.trim_start_matches([' ', '-']).trim();
    if directive.starts_with("SKIP") {
        found.skips += 1;
    } else if directive.starts_with("TODO") {
        found.marks.push((at, 1));
        found.begins(at);
    } else if ok {
        found.passes += 1;
        found.begins(at);
        if found.wants_passing && !title.is_empty() {
            found.passing.push(title.to_string());
        }
    } else if is_stand_in(title) || is_file(title) && !has_parts(text, at) {
        found.stand_in(title, at);
        found.outside(Kind::Setup, at, false, true);
        found.fails += 1;
    } else {
        found.fails += 1;
        found.begins(at);
        let header = header(text, at);
        let name = header.unwrap_or(if title.is_empty() { line } else { title });
        found.fails(name, at);
    }
}

/// What bats and QUnit print when no test could run.
fn is_stand_in(title: &str) -> bool {
    matches!(
        title,
        "global failure" | "setup_file failed" | "bats-gather-tests"
    )
}

/// Whether results of a subtest stand above: then a file did load.
fn has_parts(text: &Text, at: usize) -> bool {
    if text.line(at).ends_with('{') {
        return true;
    }
    let above = (at.saturating_sub(400)..at).rev().map(|n| text.line(n));
    let mut above =
        above.take_while(|line| !line.starts_with("ok ") && !line.starts_with("not ok "));
    above.any(|line| line.starts_with("    ok ") || line.starts_with("    not ok "))
}

/// tape prints a test's title as a comment above its assertions.
fn header(text: &Text, at: usize) -> Option<&str> {
    for n in (at.saturating_sub(60)..at).rev() {
        let line = text.line(n);
        if let Some(title) = line.strip_prefix("# ") {
            let known = [
                "Subtest",
                "tests ",
                "pass ",
                "fail ",
                "(",
                "{",
                "time",
                "Looks like",
            ];
            let diagnostic = title.starts_with(' ') || known.iter().any(|k| title.starts_with(k));
            return (!diagnostic && is_tape(text, at)).then_some(title);
        }
    }
    None
}

/// Only tape's assertions carry an `operator`.
fn is_tape(text: &Text, at: usize) -> bool {
    let mut below = text.between(at + 1, at + 4);
    below.any(|(_, line)| line.trim_start().starts_with("operator: "))
}

fn plan(found: &mut Found, _: &Text, at: usize, caps: &Captures<'_>) {
    let count = caps["t"].parse().unwrap_or(0);
    if count == 0 {
        found.zero.push(at);
    }
    // The number of planned tests, above anything that marks a TODO.
    found.marks.push((at, count + 2));
}

fn finish(text: &Text, _: &str, found: &mut Found) {
    let plans = || found.marks.iter().filter(|m| m.1 >= 2);
    let todo = found.marks.iter().filter(|m| m.1 == 1).count() as u64;
    let seen = found.passes + found.fails + found.skips + todo;
    let planned: u64 = plans().map(|m| m.1 - 2).sum();
    if seen == 0 {
        if planned > 0 {
            found.cut = plans().next().map(|m| m.0);
        }
        return;
    }
    match plans().next().map(|m| m.0) {
        Some(at) if planned > seen => found.cut = Some(at),
        Some(at) => {
            let tally = Tally {
                passed: Some(found.passes),
                failed: Some(found.fails),
                skipped: Some(found.skips),
                other: Some(todo),
                ..Tally::default()
            };
            let last = text
                .lines()
                .rev()
                .find(|(_, l)| l.starts_with("ok ") || l.starts_with("not ok "));
            let at = last.map_or(at, |(n, _)| n.max(at));
            found.summary(at, tally);
        }
        None if found.fails > 0 => {
            let tally = Tally {
                passed: Some(found.passes),
                failed: Some(found.fails),
                skipped: Some(found.skips),
                ..Tally::default()
            };
            found.summary(found.began.unwrap_or(0), tally);
        }
        // Without a plan nothing says that the stream is whole.
        None => found.cut = found.began,
    }
}

/// `# tests`, `# pass`, `# fail` at the stream's end: tape, mocha's reporter, tap-parser.
pub(super) static TAP_SUMMARY: Runner = Runner {
    name: "tap summary",
    covers: &["tap"],
    rules: &[
        Rule(r"^# tests +([0-9]+)$", Act::Piece(Field::Total)),
        Rule(r"^# pass +([0-9]+)$", Act::Piece(Field::Passed)),
        Rule(r"^# fail +([0-9]+)$", Act::Piece(Field::Failed)),
        Rule(r"^# skip +([0-9]+)$", Act::Piece(Field::Skipped)),
        Rule(r"^# todo +([0-9]+)$", Act::Piece(Field::Other)),
    ],
    finish: |_, _, found| {
        found.summaries.retain(|s| s.tally.passed.is_some());
        for summary in &found.summaries {
            if summary.tally.ran() + summary.tally.skipped.unwrap_or(0) == 0 {
                found.zero.push(summary.at);
            }
        }
    },
};

/// node-tap: `# { total: 2, pass: 1, fail: 1 }`.
pub(super) static NODE_TAP: Runner = Runner {
    name: "node-tap",
    covers: &["tap", "tap summary"],
    rules: &[
        Rule(r"^# \{ total: (?P<t>[0-9]+)(?P<l>.*)\}$", Act::Sum),
        Rule(
            r"^ *✖ (?P<n>.+?) (?P<file>\S+):(?P<line>[0-9]+):[0-9]+$",
            Act::FailName,
        ),
        Rule(r"^ (?:PASS|OK) +\S+ [0-9]+ OK", Act::Pass),
    ],
    finish: |_, _, found| {
        // Live reporters print it again with every redraw; the last is the result.
        if let Some(last) = found.summaries.pop() {
            found.summaries = vec![last];
        }
    },
};

pub(super) static QUNIT: Runner = Runner {
    name: "qunit",
    covers: &[],
    rules: &[Rule(r"^Error: No tests were run", Act::Zero)],
    finish: nothing,
};

pub(super) static BATS: Runner = Runner {
    name: "bats",
    covers: &[],
    rules: &[
        Rule(
            r"^(?P<t>[0-9]+) tests?, (?P<f>[0-9]+) failures?(?:, (?P<s>[0-9]+) skipped)?(?: in [0-9]+ seconds)?$",
            Act::Sum,
        ),
        Rule(r"^ *✗ (?P<n>.+?)(?: +\[[0-9]+\])?$", Act::Fail),
        Rule(r"^ *✓ (?P<n>.+)$", Act::Pass),
        Rule(r"^tput: No value for \$TERM", Act::Tells(Kind::Setup)),
        Rule(
            r"^# bats warning: Executed [0-9]+ instead of expected",
            Act::Red(Kind::Setup),
        ),
    ],
    finish: |_, _, found| {
        if found.summaries.is_empty() {
            found.failing.clear();
            (found.passes, found.fails, found.began) = (0, 0, None);
        }
    },
};
