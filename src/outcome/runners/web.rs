//! Playwright, Bun, Deno, Karma, Cypress, and npm as what wraps them.

use super::{Act, Rule, Runner, nothing};
use crate::domain::Kind;
use crate::outcome::counts::{self, Field};
use crate::outcome::found::Found;
use crate::outcome::text::Text;
use regex::Captures;

pub(super) static PLAYWRIGHT: Runner = Runner {
    name: "playwright",
    covers: &[],
    rules: &[
        Rule(
            r"^Running [0-9]+ tests? using [0-9]+ workers?$",
            Act::Session,
        ),
        Rule(
            r"^ +([0-9]+) passed \([0-9.]+m?[smh]\)$",
            Act::Piece(Field::Passed),
        ),
        Rule(r"^  ([0-9]+) failed$", Act::Do(list)),
        Rule(r"^  ([0-9]+) flaky$", Act::Do(list)),
        Rule(r"^  ([0-9]+) (?:skipped|did not run)$", Act::Do(list)),
        Rule(r"^  [0-9]+ interrupted$", Act::Red(Kind::Crash)),
        Rule(
            r"^  +[0-9]+\) (?:\[[^\]]+\] › )?(?P<file>[^\s:]+):(?P<line>[0-9]+):[0-9]+ › (?P<n>.+?) ─*$",
            Act::FailName,
        ),
        Rule(
            r"^ +✓ +[0-9]+ (?:\[[^\]]+\] › )?\S+:[0-9]+:[0-9]+ › (?P<n>.+?)(?: \([0-9.]+m?[smh]\))?$",
            Act::Pass,
        ),
        Rule(r"^ +✘ +[0-9]+ ", Act::Fail),
        Rule(r"^\[[0-9]+/[0-9]+\] ", Act::Began),
        Rule(r"^Error: No tests found", Act::Zero),
    ],
    finish: |_, _, found| {
        if found.sessions.is_empty() {
            let zero = std::mem::take(&mut found.zero);
            *found = Found::new(found.runner);
            found.zero = zero;
        }
        found.sessions.clear();
    },
};

/// The pieces stand apart: each but `passed` is followed by its tests.
fn list(found: &mut Found, text: &Text, at: usize, caps: &Captures<'_>) {
    let field = match text.line(at).rsplit(' ').next() {
        Some("failed") => Field::Failed,
        Some("flaky") => Field::Other,
        _ => Field::Skipped,
    };
    let indented = text
        .between(at + 1, at + 5000)
        .take_while(|(_, line)| line.starts_with("    "))
        .count();
    found.piece(at, field, caps[1].parse().unwrap_or(0));
    found.open = Some(at + indented);
}

pub(super) static BUN: Runner = Runner {
    name: "bun test",
    covers: &[],
    rules: &[
        Rule(r"^bun test v", Act::Session),
        Rule(r"^ *([0-9]+) pass$", Act::Piece(Field::Passed)),
        Rule(r"^ *([0-9]+) fail$", Act::Piece(Field::Failed)),
        Rule(r"^ *([0-9]+) skip$", Act::Piece(Field::Skipped)),
        Rule(r"^ *([0-9]+) todo$", Act::Piece(Field::Other)),
        Rule(r"^ *[0-9]+ errors?$", Act::Red(Kind::Build)),
        Rule(r"^(?:\(pass\)|✓) (?P<n>.+?)(?: \[[^\]]+\])?$", Act::Pass),
        Rule(r"^(?:\(fail\)|✗) (?P<n>.+?)(?: \[[^\]]+\])?$", Act::Fail),
        Rule(r"^# Unhandled error between tests$", Act::Line(unhandled)),
        Rule(r"^(?:error: )?No tests found!", Act::Zero),
    ],
    finish: |_, _, found| {
        if found.sessions.is_empty() {
            *found = Found::new(found.runner);
            return;
        }
        found.sessions.clear();
        for summary in &mut found.summaries {
            summary.tally.total = None;
        }
        if found.failing.iter().any(|f| !f.stand_in) {
            return;
        }
        // A file that fails to load is counted as one failure.
        if found.ran() == 0 && found.reds() > 0 {
            found.began = None;
        }
    },
};

/// The file is the last heading above.
fn unhandled(found: &mut Found, text: &Text, at: usize) {
    found.outside(Kind::Build, at, false, true);
    let file = (at.saturating_sub(200)..at)
        .rev()
        .map(|n| text.line(n))
        .find_map(|line| {
            let file = line.strip_suffix(':')?;
            (!file.contains(' ') && file.contains('.')).then_some(file)
        });
    found.stand_in(file.unwrap_or("(unknown file)"), at);
}

pub(super) static DENO: Runner = Runner {
    name: "deno test",
    covers: &[],
    rules: &[
        Rule(r"^(?:ok|FAILED) \| (?P<l>[0-9]+ passed.*)$", Act::Do(deno)),
        Rule(r"^running [0-9]+ tests? from \S+$", Act::Session),
        Rule(
            r"^(?P<n>\S.*?) \.\.\. ok \([0-9.]+(?:ms|s|µs|m)\)$",
            Act::Pass,
        ),
        Rule(r"^\S.*? \.\.\. FAILED \(", Act::Fail),
        Rule(
            r"^(?P<n>\S.*?) => (?P<file>\S+):(?P<line>[0-9]+):[0-9]+$",
            Act::FailName,
        ),
        Rule(
            r"^(?P<n>\S+\.[cm]?[jt]sx?) \(uncaught error\)",
            Act::StandIn,
        ),
        Rule(r"^\S+ \(uncaught error\)", Act::Red(Kind::Build)),
        Rule(r"^error: No test modules found", Act::Zero),
        Rule(r"^error: Type checking failed", Act::Red(Kind::Build)),
    ],
    finish: nothing,
};

/// `1 passed (2 steps) | 0 failed (13ms)`: steps count no test.
fn deno(found: &mut Found, _: &Text, at: usize, caps: &Captures<'_>) {
    let flat = caps["l"]
        .split('(')
        .map(|p| p.split_once(')').map_or(p, |(_, rest)| rest));
    let tally = counts::tally(&flat.collect::<Vec<_>>().join(" "));
    if tally.ran() + tally.skipped.unwrap_or(0) == 0 {
        found.zero.push(at);
    }
    found.summary(at, tally);
}

pub(super) static KARMA: Runner = Runner {
    name: "karma",
    covers: &[],
    rules: &[
        Rule(
            r"^.*: Executed [0-9]+ of (?P<t>[0-9]+)(?P<rest>.*)$",
            Act::Do(karma),
        ),
        Rule(r"^TOTAL: (?P<l>.*(?:SUCCESS|FAILED).*)$", Act::Sum),
        Rule(
            r"Cannot start (?:Chrome|Firefox|ChromeHeadless|Safari)",
            Act::RedTells(Kind::Setup),
        ),
        Rule(r"^.* (?P<n>\S.*) FAILED$", Act::Began),
    ],
    finish: |_, _, found| {
        if let Some(last) = found.summaries.pop() {
            found.summaries = vec![last];
        }
        if found.summaries.is_empty() {
            found.began = None;
        }
    },
};

fn karma(found: &mut Found, text: &Text, at: usize, caps: &Captures<'_>) {
    let line = text.line(at).split("Executed ").nth(1).unwrap_or_default();
    let ran: u64 = line
        .split(' ')
        .next()
        .and_then(|n| n.parse().ok())
        .unwrap_or(0);
    let part = counts::tally(&caps["rest"].to_lowercase());
    let failed = part.failed.unwrap_or(0);
    let tally = counts::Tally {
        passed: Some(ran.saturating_sub(failed)),
        failed: Some(failed),
        skipped: part.skipped,
        ..Default::default()
    };
    if ran == 0 {
        found.zero.push(at);
    } else {
        found.summary(at, tally);
    }
}

pub(super) static CYPRESS: Runner = Runner {
    name: "cypress",
    covers: &["mocha"],
    rules: &[
        Rule(r"^ *│ Passing: +([0-9]+) +│$", Act::Piece(Field::Passed)),
        Rule(r"^ *│ Failing: +([0-9]+) +│$", Act::Piece(Field::Failed)),
        Rule(r"^ *│ Pending: +([0-9]+) +│$", Act::Piece(Field::Skipped)),
        Rule(r"^ *│ Skipped: +([0-9]+) +│$", Act::Piece(Field::Other)),
    ],
    finish: nothing,
};

/// npm, yarn and pnpm: what went wrong before a runner ran.
pub(super) static NPM: Runner = Runner {
    name: "npm",
    covers: &[],
    rules: &[
        Rule(
            r#"^(?:npm (?:error|ERR!) )?Missing script: "#,
            Act::Tells(Kind::Config),
        ),
        Rule(
            r"^npm (?:error|ERR!) .*Could not read package\.json",
            Act::Tells(Kind::Config),
        ),
        Rule(
            r"^npm (?:error|ERR!) JSON\.parse .*Invalid package\.json|^npm (?:error|ERR!) .*Failed to parse JSON",
            Act::Tells(Kind::Config),
        ),
        Rule(r"^Error: no test specified", Act::Tells(Kind::NoTests)),
        Rule(
            r"^(?: ERR_PNPM_\w+|.*\bERR_PNPM_\w+)",
            Act::Tells(Kind::Config),
        ),
        Rule(
            r#"^error Command "[^"]+" not found\."#,
            Act::Tells(Kind::Config),
        ),
        Rule(
            r"^error Couldn't find a package\.json file",
            Act::Tells(Kind::Config),
        ),
        Rule(
            r"^Usage Error: |^Internal Error: ",
            Act::Tells(Kind::Config),
        ),
    ],
    finish: nothing,
};
