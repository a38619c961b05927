//! jest and vitest.

use super::{Act, Rule, Runner};
use crate::domain::Kind;
use crate::outcome::counts;
use crate::outcome::found::Found;
use crate::outcome::text::Text;
use regex::Captures;

pub(super) static JEST: Runner = Runner {
    name: "jest",
    covers: &[],
    rules: &[
        Rule(r"^Tests: +(?P<l>.*[0-9]+ total)$", Act::Do(jest_tests)),
        Rule(
            r"^Test Suites: +(?P<l>.*[0-9]+ total)$",
            Act::Do(jest_suites),
        ),
        Rule(r"^ *FAIL +(?P<n>\S+)", Act::Do(jest_file)),
        Rule(r"^ ?PASS +\S+\.[cm]?[jt]sx?\b", Act::Line(jest_passes)),
        Rule(r"^ *● Test suite failed to run$", Act::Line(jest_suite)),
        Rule(
            r"^ *● +process\.exit called with ",
            Act::RedTells(Kind::Crash),
        ),
        Rule(r"^  ● (?P<n>.+)$", Act::Do(jest_name)),
        Rule(r"^ +(?:✓|√) (?P<n>.+?)(?: \([0-9.]+ m?s\))?$", Act::Pass),
        Rule(r"^ +(?:✕|×) .+?(?: \([0-9.]+ m?s\))?$", Act::Fail),
        Rule(r"^No tests found, exiting with code", Act::Zero),
        Rule(
            r"^ *● (?:Validation|Configuration) Error:$",
            Act::RedTells(Kind::Config),
        ),
        Rule(
            r"Got error running global(?:Setup|Teardown)",
            Act::RedTells(Kind::Setup),
        ),
        Rule(
            r"^Jest: .*[Cc]overage .*(?:threshold|not met)",
            Act::RedTells(Kind::Coverage),
        ),
        Rule(
            r"^Ran all test suites (?:with tests |within paths )?(?:matching|related to)",
            Act::Narrowed,
        ),
        Rule(r"^Ran all test suites within paths ", Act::Narrowed),
        Rule(r"^Ran all test suites(?: |\.)", Act::Session),
        Rule(
            r"^ *[0-9]+ snapshots? (?:obsolete|failed|written)|^ › [0-9]+ snapshots? (?:obsolete|failed)",
            Act::Tells(Kind::Assertion),
        ),
    ],
    finish: |_, _, found| {
        if found.summaries.is_empty() && found.outside.is_empty() && found.zero.is_empty() {
            found.failing.clear();
            found.fails = 0;
            found.cut = found.marks.iter().find(|m| m.1 == 1).map(|m| m.0);
        }
        // Names outside jest's own failing tests are headings of other things.
        if !found.summaries.is_empty() && found.reds() == 0 {
            found.failing.retain(|f| f.stand_in);
        }
    },
};

fn jest_tests(found: &mut Found, _: &Text, at: usize, caps: &Captures<'_>) {
    let mut tally = counts::tally(&caps["l"]);
    if tally.total == Some(0) {
        found.zero.push(at);
        tally.failed = None;
    }
    tally.passed.get_or_insert(0);
    found.summary(at, tally);
}

/// Suites count only where one failed without a failing test.
fn jest_suites(found: &mut Found, _: &Text, at: usize, caps: &Captures<'_>) {
    if counts::tally(&caps["l"]).failed.unwrap_or(0) > 0 {
        found.outside(Kind::Assertion, at, false, true);
    }
}

/// A file whose tests passed.
fn jest_passes(found: &mut Found, _: &Text, at: usize) {
    found.begins(at);
    found.marks.push((at, 1));
}

/// Remembers the file that the next headings belong to.
fn jest_file(found: &mut Found, _: &Text, at: usize, _: &Captures<'_>) {
    found.marks.push((at, 0));
}

fn current_file<'a>(found: &Found, text: &'a Text) -> Option<&'a str> {
    let (at, _) = found.marks.iter().rfind(|m| m.1 == 0)?;
    text.line(*at)
        .trim_start()
        .strip_prefix("FAIL")?
        .split_whitespace()
        .next()
}

fn jest_suite(found: &mut Found, text: &Text, at: usize) {
    found.outside(Kind::Build, at, false, true);
    if let Some(file) = current_file(found, text) {
        // With a name in front (`api test/b.test.js`) the path is the last word.
        found.stand_in(file, at);
    }
}

fn jest_name(found: &mut Found, text: &Text, at: usize, caps: &Captures<'_>) {
    let name = &caps["n"];
    let other = [
        "Test suite failed",
        " process.exit",
        "Validation",
        "Configuration",
        "Console",
        "Deprecation",
        "Cannot log after",
    ];
    if other
        .iter()
        .any(|o| name.starts_with(o) || name.trim_start().starts_with(o))
        || name.ends_with(':')
    {
        return;
    }
    let file = current_file(found, text).map(str::to_string);
    if let Some(failing) = found.fails(name, at)
        && failing.file.is_none()
    {
        failing.file = file;
    }
}

pub(super) static VITEST: Runner = Runner {
    name: "vitest",
    covers: &["jest"],
    rules: &[
        Rule(
            r"^ +Tests +(?P<l>[0-9]+ (?:failed|passed|skipped|todo|expected fail)(?: \| [0-9]+ (?:failed|passed|skipped|todo|expected fail))*) \([0-9]+\)$",
            Act::Do(vitest_tests),
        ),
        Rule(r"^ +Tests +no tests$", Act::Zero),
        Rule(
            r"^ +Test Files +(?P<l>.+) \([0-9]+\)$",
            Act::Do(vitest_files),
        ),
        Rule(r"^ +Errors +[0-9]+ errors?$", Act::Red(Kind::Internal)),
        Rule(r"^ *RUN +v[0-9]", Act::Session),
        Rule(
            r"^ *FAIL +(?:\|[^|]+\| )?(?P<n>\S+\.\w+(?: > .+)?)$",
            Act::Do(vitest_name),
        ),
        Rule(
            r"^ *FAIL +(?:\|[^|]+\| )?(?P<n>\S+) \[ .+ \]$",
            Act::StandIn,
        ),
        Rule(
            r"^ *FAIL +(?:\|[^|]+\| )?\S+ \[ .+ \]$",
            Act::Red(Kind::Build),
        ),
        Rule(
            r"^ *(?:✓|√) (?P<n>\S+\.\w+ > .+?)(?: [0-9.]+ ?m?s)?$",
            Act::Pass,
        ),
        Rule(r"^ *(?:✓|√) \S+\.\w+ \([0-9]+ tests?", Act::Began),
        Rule(r"^ *(?:×|✗) ", Act::Fail),
        Rule(
            r"Failed (?P<what>Suites|Tests) [0-9]+",
            Act::Do(vitest_section),
        ),
        Rule(r"^No test files found", Act::Zero),
        Rule(
            r"Startup Error|^failed to load config from ",
            Act::Red(Kind::Config),
        ),
        Rule(
            r"^ERROR: Coverage for .* does not meet",
            Act::RedTells(Kind::Coverage),
        ),
    ],
    finish: |_, _, found| {
        if found.sessions.is_empty() && found.summaries.is_empty() {
            found.failing.clear();
            (found.fails, found.passes, found.began) = (0, 0, None);
            found.outside.retain(|o| o.kind == Kind::Config);
        }
        // Files are counted above tests.
        let silent = found.summaries.is_empty() && found.zero.is_empty();
        if silent && found.outside.is_empty() {
            found.cut = found.sessions.first().copied();
        }
        found.sessions.clear();
    },
};

fn vitest_tests(found: &mut Found, _: &Text, at: usize, caps: &Captures<'_>) {
    let mut tally = counts::tally(&caps["l"]);
    tally.passed.get_or_insert(0);
    found.summary(at, tally);
}

fn vitest_files(found: &mut Found, _: &Text, at: usize, caps: &Captures<'_>) {
    if counts::tally(&caps["l"]).failed.unwrap_or(0) > 0 {
        found.outside(Kind::Assertion, at, false, true);
    }
}

fn vitest_section(found: &mut Found, _: &Text, at: usize, caps: &Captures<'_>) {
    let section = if &caps["what"] == "Suites" { 1 } else { 2 };
    found.marks.push((at, section));
}

/// Under `Failed Suites` a hook failed, under `Failed Tests` a test did.
fn vitest_name(found: &mut Found, _: &Text, at: usize, caps: &Captures<'_>) {
    let name = &caps["n"];
    // 1 marks the heading of suites, 2 that of tests.
    if found.marks.last().is_some_and(|m| m.1 == 1) {
        found.stand_in(name, at);
        found.outside(Kind::Setup, at, false, true);
    } else if name.contains(" > ") {
        found.fails += 1;
        let file = name.split(" > ").next().map(str::to_string);
        if let Some(failing) = found.fails(name, at) {
            failing.file = file;
        }
    }
}
