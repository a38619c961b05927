//! `go test` (plain, `-v`, `-json`) and gotestsum.

use super::{Act, Rule, Runner, nothing};
use crate::domain::Kind;
use crate::outcome::counts::{Field, Tally};
use crate::outcome::found::Found;
use crate::outcome::text::Text;
use regex::Captures;

pub(super) static GO_TEST: Runner = Runner {
    name: "go test",
    covers: &[],
    rules: &[
        Rule(r"^ *=== RUN +\S", Act::Began),
        Rule(r"^ *--- PASS: (?P<n>\S+) \(", Act::Pass),
        Rule(r"^ *--- FAIL: (?P<n>.+?) \([0-9.]+s\)", Act::Fail),
        Rule(r"^ *--- SKIP: \S+ \(", Act::Skip),
        Rule(
            r"^ok +\t\S+\t(?:[0-9.]+s|\(cached\))(?:\tcoverage: .*)?(?P<none> \[no tests to run\])?$",
            Act::Do(package_ok),
        ),
        Rule(
            r"^FAIL\t(?P<n>\S+) \[(?:build|setup) failed\]",
            Act::StandIn,
        ),
        Rule(
            r"^FAIL\t\S+ \[(?:build|setup) failed\]",
            Act::Red(Kind::Build),
        ),
        Rule(r"^FAIL\t(?P<n>\S+)\t[0-9.]+s$", Act::Do(package_fails)),
        Rule(r"^\? +\t\S+\t\[no test files\]", Act::Zero),
        Rule(
            r"^no packages to test|^go: warning: .* matched no packages",
            Act::Zero,
        ),
        Rule(r"^panic: test timed out after", Act::RedTells(Kind::Crash)),
        Rule(
            r"^(?:\t| )*(?P<n>Test\w+|Example\w*|Fuzz\w+)(?:/\S+)? \([0-9.]+m?s\)$",
            Act::Do(running),
        ),
        Rule(r"^panic: ", Act::Tells(Kind::Crash)),
    ],
    finish,
};

fn package_ok(found: &mut Found, text: &Text, at: usize, caps: &Captures<'_>) {
    // The words that nothing ran stand at the line's end.
    if text.is_cut(at) {
        found.cut = Some(at);
    } else if caps.name("none").is_some() {
        found.zero.push(at);
    } else {
        found.green.push(at);
    }
}

fn is_package(line: &str) -> bool {
    ["ok  \t", "FAIL\t", "?   \t"]
        .iter()
        .any(|p| line.starts_with(p))
}

/// A package that failed: by its tests, by a panic, or before the first one (`TestMain`).
fn package_fails(found: &mut Found, text: &Text, at: usize, caps: &Captures<'_>) {
    for n in (at.saturating_sub(5000)..at).rev() {
        let line = text.line(n);
        if is_package(line) {
            break;
        }
        let shows = [
            "--- FAIL: ",
            "--- PASS: ",
            "=== RUN ",
            "panic: test timed out",
            "testing.tRunner",
        ];
        if shows.iter().any(|s| line.trim_start().starts_with(s)) {
            if line.trim_start().starts_with("--- FAIL: ") {
                return;
            }
            found.begins(n);
            found.outside(Kind::Crash, at, false, true);
            found.marks.push((at, 0));
            return;
        }
    }
    found.stand_in(&caps["n"], at);
    found.outside(Kind::Setup, at, false, true);
}

/// go 1.20 lists the running tests when its own limit is reached.
fn running(found: &mut Found, text: &Text, at: usize, caps: &Captures<'_>) {
    let mut above = text
        .between(at.saturating_sub(6), at)
        .map(|(_, line)| line.trim());
    if above.any(|line| line == "running tests:") {
        found.fails(&caps["n"], at);
    }
}

fn finish(text: &Text, _: &str, found: &mut Found) {
    // Tests that began below the last package's line were never closed.
    let mut from_end = text.lines().rev();
    let last = from_end.find(|(_, l)| is_package(l) || l.trim_start().starts_with("=== RUN"));
    if let Some((at, line)) = last
        && !is_package(line)
    {
        found.cut = Some(at);
    }
    if !found.green.is_empty() {
        // Packages without tests say nothing beside one that has some.
        let tests = |line: &str| !(line.starts_with('?') || line.contains("[no tests to run]"));
        found.zero.retain(|at| tests(text.line(*at)));
    }
    place(text, found);
    let counted = found.passes + found.fails + found.skips;
    let verbose = found.began.is_some()
        && text
            .lines()
            .any(|(_, l)| l.trim_start().starts_with("=== RUN"));
    if verbose && counted > 0 {
        let at = found.green.first().copied().or(found.began).unwrap_or(0);
        let tally = Tally {
            passed: Some(found.passes),
            failed: Some(found.fails),
            skipped: Some(found.skips),
            ..Tally::default()
        };
        let whole = !found.green.is_empty() || found.fails > 0 || !found.failing.is_empty();
        if found.passes + found.fails == 0 && whole {
            let at = text
                .lines()
                .find(|(_, l)| l.contains("--- SKIP: "))
                .map_or(at, |(n, _)| n);
            found.zero.push(at);
            found.green.clear();
            found.summary(at, tally);
        } else if whole {
            found.summary(at, tally);
        } else {
            found.cut = found.began;
        }
    }
    if let Some(&(at, _)) = found.marks.first()
        && found.failing.is_empty()
        && let Some(name) = panicking(text)
    {
        found.fails(&name, at);
    }
}

/// Where every test is listed, what it logged stands above its verdict.
fn place(text: &Text, found: &mut Found) {
    for failing in found.failing.iter_mut().filter(|f| f.file.is_none()) {
        let above = (failing.at.saturating_sub(200)..failing.at).rev();
        let own = above.take_while(|at| !text.line(*at).trim_start().starts_with("=== RUN"));
        let mut places = own.filter_map(|at| {
            let (file, rest) = text.line(at).trim_start().split_once(".go:")?;
            let digits = rest.split(':').next()?;
            Some((file, digits.parse().ok()?))
        });
        let below = text.line(failing.at + 1);
        if below.trim_start().contains(".go:") && below.starts_with("    ") {
            continue;
        }
        if let Some((file, line)) = places.next().filter(|(f, _)| !f.contains(' ')) {
            failing.file = Some(format!("{file}.go"));
            failing.line = Some(line);
        }
    }
}

/// The test on whose goroutine the process died.
fn panicking(text: &Text) -> Option<String> {
    let mut frames = text.lines().rev().filter_map(|(n, line)| {
        let function = line.split('(').next()?;
        let name = function.rsplit('.').next()?;
        let test = name.starts_with("Test") && name.len() > 4;
        (test && text.line(n + 1).contains("_test.go:")).then(|| name.to_string())
    });
    frames.next()
}

pub(super) static GOTESTSUM: Runner = Runner {
    name: "gotestsum",
    covers: &["go test"],
    rules: &[
        Rule(
            r"^DONE (?:[0-9]+ runs, )?(?P<t>[0-9]+) tests?(?:, (?P<s>[0-9]+) skipped)?(?:, (?P<f>[0-9]+) failures?)?(?:, (?P<e>[0-9]+) errors?)? in ",
            Act::Do(done),
        ),
        Rule(r"^=== FAIL: \S+ (?P<n>.+?) \(", Act::FailName),
        Rule(r"^=== Errors$", Act::Red(Kind::Build)),
        Rule(r"^✓  \S+", Act::Pass),
        Rule(r"^✖  \S+", Act::Fail),
    ],
    finish: nothing,
};

/// Build errors are not among the tests.
fn done(found: &mut Found, _: &Text, at: usize, caps: &Captures<'_>) {
    let mut tally = super::summed(caps);
    let apart = tally.failed.unwrap_or(0) + tally.skipped.unwrap_or(0);
    tally.passed = Some(tally.total.unwrap_or(0).saturating_sub(apart));
    tally.add(Field::Failed, 0);
    if tally.total == Some(0) {
        found.zero.push(at);
    }
    if tally.errors.unwrap_or(0) > 0 {
        found.outside(Kind::Build, at, false, true);
    }
    found.summary(at, tally);
}
