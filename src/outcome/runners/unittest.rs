//! unittest and what is built on it: nose2, nose, Django, Twisted's trial, zope.testrunner.

use super::{Act, Rule, Runner, nothing};
use crate::domain::Kind;
use crate::outcome::counts::{self, Field, Tally};
use crate::outcome::found::Found;
use crate::outcome::text::Text;
use regex::Captures;

pub(super) static UNITTEST: Runner = Runner {
    name: "unittest",
    covers: &[],
    rules: &[
        Rule(
            r"^Ran (?P<t>[0-9]+) tests? in [0-9.]+s(?: using [0-9]+ process(?:es)?)?$",
            Act::Do(summary),
        ),
        Rule(
            r"^(?P<kind>FAIL|ERROR|UNEXPECTED SUCCESS): (?P<n>.+?) \((?P<c>[^()\s]+)\)(?P<sub>.*)$",
            Act::Do(block),
        ),
        Rule(
            r"^(?:FAIL|ERROR): (?P<n>[\w.]+)(?: \(.*)?$",
            Act::Do(bare_block),
        ),
        Rule(r"^(?P<n>\w+ \([\w.]+\)) ?\.\.\. ok$", Act::Pass),
        Rule(
            r"^\w+ \([\w.]+\) ?\.\.\. (?:skipped|expected failure)",
            Act::Skip,
        ),
        Rule(r"^\w+ \([\w.]+\) ?\.\.\.(?: |$)", Act::Began),
        Rule(r"^[.FEsxu]+$", Act::Dots),
        Rule(
            r"^[.FEsxu]+(?:Destroying test database|Aborted|Segmentation fault|Killed)",
            Act::Began,
        ),
    ],
    finish: |_, _, found| {
        if found.summaries.is_empty() && found.zero.is_empty() {
            found.cut = found.cut.or(found.began);
        }
    },
};

fn status(text: &Text, at: usize) -> Option<(usize, &str)> {
    text.between(at + 1, at + 6)
        .find(|(_, line)| !line.is_empty())
        .filter(|(_, line)| {
            let word = line.split(" (").next().unwrap_or_default();
            matches!(word, "OK" | "FAILED" | "NO TESTS RAN" | "PASSED")
        })
}

fn summary(found: &mut Found, text: &Text, at: usize, caps: &Captures<'_>) {
    let Some((end, status)) = status(text, at) else {
        found.cut = Some(at);
        return;
    };
    found.cut = None;
    let count = |key: &str| -> u64 {
        let inner = status.split_once(" (").map_or("", |(_, rest)| rest);
        inner
            .trim_end_matches(')')
            .split(", ")
            .find_map(|part| part.strip_prefix(key)?.strip_prefix('=')?.parse().ok())
            .unwrap_or(0)
    };
    let total = caps["t"].parse::<u64>().unwrap_or(0);
    let failed = count("failures") + count("unexpected successes") + count("unexpectedSuccesses");
    let errors = count("errors");
    let skipped = count("skipped") + count("skips") + count("SKIP");
    let expected = count("expected failures")
        + count("expectedFailures")
        + count("expected_failures")
        + count("todos");
    // Errors of class and module set-up are not among the tests that were counted.
    let beside = found
        .outside
        .iter()
        .filter(|o| o.kind == Kind::Setup && o.at < at)
        .count() as u64;
    let counted = errors.saturating_sub(beside);
    let passed = total.saturating_sub(failed + counted + skipped + expected);
    let mut tally = Tally {
        passed: Some(passed),
        failed: Some(failed),
        errors: Some(errors),
        skipped: Some(skipped),
        ..Tally::default()
    };
    tally.add(Field::Other, expected);
    if total == 0 && failed + errors == 0 {
        found
            .zero
            .push(if status == "NO TESTS RAN" { end } else { at });
        if skipped == 0 {
            return;
        }
    }
    found.summary(end, tally);
}

/// The heading of one failing test, between two rules.
fn block(found: &mut Found, text: &Text, at: usize, caps: &Captures<'_>) {
    if !is_ruled(text, at) {
        return;
    }
    let (name, class) = (&caps["n"], &caps["c"]);
    if is_loader(class) {
        found.stand_in(name, at);
        found.outside(Kind::Build, at, false, true);
    } else if matches!(
        name,
        "setUpClass" | "tearDownClass" | "setUpModule" | "tearDownModule"
    ) {
        found.stand_in(&format!("{name} ({class})"), at);
        found.outside(Kind::Setup, at, false, true);
    } else {
        let method = name.split_whitespace().next().unwrap_or(name);
        let id = if class.ends_with(&format!(".{method}")) {
            class.to_string()
        } else {
            format!("{class}.{name}")
        };
        let sub = caps["sub"].trim();
        let id = match sub {
            "" => id,
            sub if sub.starts_with(['(', '[']) => format!("{id} {sub}"),
            _ => id,
        };
        found.fails += 1;
        found.fails(&id, at);
    }
}

/// A heading without a class: the loaders of old versions, a docstring, nose.
fn bare_block(found: &mut Found, text: &Text, at: usize, caps: &Captures<'_>) {
    let line = text.line(at);
    if !is_ruled(text, at) || line.contains(" (") && !line.contains("Failure: ") {
        return;
    }
    if line.contains("Failure: ") {
        found.stand_in(line.split_once(": ").map_or(line, |(_, rest)| rest), at);
        found.outside(Kind::Build, at, false, true);
    } else {
        found.fails(&caps["n"], at);
    }
}

fn is_ruled(text: &Text, at: usize) -> bool {
    at > 0 && text.line(at - 1).ends_with("==========")
}

fn is_loader(class: &str) -> bool {
    ["_FailedTest", "ModuleImportFailure", "LoadTestsFailure"]
        .iter()
        .any(|loader| class.contains(loader))
}

pub(super) static TRIAL: Runner = Runner {
    name: "trial",
    covers: &[],
    rules: &[
        Rule(r"^\[(?:FAIL|ERROR)\]$", Act::Do(trial_block)),
        Rule(r"^ +(?P<n>\w+) \.\.\. +\[OK\]$", Act::Pass),
        Rule(r"^ +\w+ \.\.\. +\[(?:FAIL|ERROR)\]$", Act::Fail),
    ],
    finish: nothing,
};

/// trial prints the names below the traceback, before the next rule.
fn trial_block(found: &mut Found, text: &Text, at: usize, _: &Captures<'_>) {
    if !text.line(at.saturating_sub(1)).starts_with("=====") {
        return;
    }
    let mut names: Vec<&str> = Vec::new();
    let mut loader = false;
    for (_, line) in text.between(at + 1, at + 2000) {
        if line.starts_with("=====") || line.starts_with("-----") {
            break;
        }
        loader |= line.contains("/trial/runner.py\"") && line.contains("loadByName");
        if line.is_empty() {
            names.clear();
        } else {
            names.push(line);
        }
    }
    for name in names.into_iter().filter(|n| !n.contains(' ')) {
        if loader {
            found.stand_in(name, at);
            found.outside(Kind::Build, at, false, true);
        } else {
            found.fails(name, at);
        }
    }
}

pub(super) static ZOPE: Runner = Runner {
    name: "zope.testrunner",
    covers: &[],
    rules: &[
        Rule(
            r"^ +Ran [0-9]+ tests with [0-9]+ failures?, ",
            Act::Do(zope_layer),
        ),
        Rule(
            r"^Total: [0-9]+ tests, [0-9]+ failures?, [0-9]+ errors?",
            Act::Do(zope_layer),
        ),
        Rule(
            r"^(?:Failure|Error) in test (?P<n>\w+) \((?P<c>[\w.]+)\)",
            Act::FailName,
        ),
        Rule(r"^Test-module import failures:", Act::Red(Kind::Build)),
        Rule(r"^Module: (?P<n>[\w.]+)$", Act::StandIn),
    ],
    finish: |_, _, found| {
        // `Total:` repeats the layers.
        if let Some(&(at, _)) = found.marks.first() {
            found.summaries.retain(|s| s.at == at);
        }
    },
};

fn zope_layer(found: &mut Found, text: &Text, at: usize, _: &Captures<'_>) {
    let line = text.line(at);
    let counted = line.split(" in ").next().unwrap_or(line);
    let mut tally = counts::tally(&counted.replace(" and ", ", ").replace(" with ", ", "));
    if tally.total == Some(0) && tally.reds() == 0 {
        found.zero.push(at);
        return;
    }
    // Import failures count as errors but not among the tests.
    let stand_ins = found.failing.iter().filter(|f| f.stand_in).count() as u64;
    tally.passed = Some(tally.total.unwrap_or(0).saturating_sub(
        tally.failed.unwrap_or(0)
            + tally.errors.unwrap_or(0).saturating_sub(stand_ins)
            + tally.skipped.unwrap_or(0),
    ));
    if line.starts_with("Total:") {
        found.marks.push((at, 0));
    }
    found.summary(at, tally);
}

pub(super) static DJANGO: Runner = Runner {
    name: "django",
    covers: &[],
    rules: &[
        Rule(r"^Found 0 test\(s\)\.$", Act::Zero),
        Rule(
            r"^(?:\w+\.)*SystemCheckError: ",
            Act::RedTells(Kind::Config),
        ),
        Rule(r"^CommandError: ", Act::RedTells(Kind::Config)),
        Rule(r"^(?P<n>\w+ \([\w.]+\)) failed:$", Act::Fail),
    ],
    finish: nothing,
};
