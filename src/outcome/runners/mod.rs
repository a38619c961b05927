//! What each runner prints. One file per family; a runner is a table of line patterns and, where
//! lines alone do not tell, a step that looks at what was found as a whole.
//!
//! Runners are recognised by their output, never by the command: every table runs over every line.

mod beam;
mod build;
mod c;
mod common;
mod dotnet;
mod functional;
mod go;
mod jest;
mod jvm;
mod mocha;
mod node;
mod perl;
mod php;
mod pytest;
mod ruby;
mod rust;
mod scripts;
mod specs;
mod tap;
mod unittest;
mod web;

use super::counts::{self, Field};
use super::found::Found;
use super::lineset::LineSet;
use super::text::Text;
use crate::domain::Kind;
use regex::{Captures, Regex};
use std::sync::{LazyLock, OnceLock};

/// What a matching line means. Patterns name their groups: `n` a test's name, `file` and `line` its
/// place, `p f e s t x` passed, failed, errors, skipped, total and other, `l` text to count.
pub(super) enum Act {
    /// A test's result.
    Pass,
    Fail,
    Skip,
    /// A test began.
    Began,
    /// Marks of progress; not a proof by itself.
    Dots,
    /// The name of a failing test.
    FailName,
    /// The name of what stands for tests that could not be loaded.
    StandIn,
    /// A summary.
    Sum,
    /// One column of a summary that takes several lines; the number is group 1.
    Piece(Field),
    /// Nothing ran.
    Zero,
    /// A sign that something outside any test went wrong; the reason stands elsewhere.
    Red(Kind),
    /// The same, and this line is the reason.
    RedTells(Kind),
    /// A reason if the run turns out not to be green.
    Tells(Kind),
    /// The end of a green run that isn't counted.
    Green,
    /// A run begins.
    Session,
    /// A test that failed and passed in the same run.
    Flaky,
    /// Tests were filtered out.
    Narrowed,
    /// A rule of the runner's own, which reads the line itself.
    Line(fn(&mut Found, &Text, usize)),
    /// A rule of the runner's own, with the groups of its pattern.
    Do(fn(&mut Found, &Text, usize, &Captures<'_>)),
}

pub(super) struct Rule(pub(super) &'static str, pub(super) Act);

pub(super) struct Runner {
    pub(super) name: &'static str,
    /// Runners whose summaries are parts of this one's.
    pub(super) covers: &'static [&'static str],
    pub(super) rules: &'static [Rule],
    /// A last look at what the rules found; also sees the command.
    pub(super) finish: fn(&Text, &str, &mut Found),
}

fn nothing(_: &Text, _: &str, _: &mut Found) {}

/// All tables. [`common::COMMON`] holds what belongs to no runner.
pub(super) static ALL: &[&Runner] = &[
    &pytest::PYTEST,
    &unittest::UNITTEST,
    &unittest::TRIAL,
    &unittest::ZOPE,
    &unittest::DJANGO,
    &rust::CARGO_TEST,
    &rust::NEXTEST,
    &node::NODE_TEST,
    &tap::TAP,
    &tap::TAP_SUMMARY,
    &tap::NODE_TAP,
    &tap::QUNIT,
    &tap::BATS,
    &perl::PROVE,
    &jest::JEST,
    &jest::VITEST,
    &mocha::MOCHA,
    &mocha::AVA,
    &mocha::JASMINE,
    &mocha::UVU,
    &web::PLAYWRIGHT,
    &web::BUN,
    &web::DENO,
    &web::KARMA,
    &web::CYPRESS,
    &web::NPM,
    &go::GO_TEST,
    &go::GOTESTSUM,
    &jvm::MAVEN,
    &jvm::GRADLE,
    &jvm::SBT,
    &c::CTEST,
    &c::GTEST,
    &c::CATCH2,
    &c::BOOST,
    &c::LIBCHECK,
    &c::CMOCKA,
    &c::CUNIT,
    &build::AUTOMAKE,
    &build::MESON,
    &build::MAKE,
    &build::TOX,
    &build::NOX,
    &ruby::RSPEC,
    &ruby::MINITEST,
    &ruby::TEST_UNIT,
    &ruby::RAKE,
    &php::PHPUNIT,
    &php::PEST,
    &beam::EXUNIT,
    &beam::EUNIT,
    &specs::BEHAVE,
    &specs::CUCUMBER,
    &specs::MAMBA,
    &specs::ROBOT,
    &specs::BUSTED,
    &scripts::SHUNIT2,
    &scripts::TESTTHAT,
    &scripts::DART,
    &scripts::JULIA,
    &dotnet::DOTNET,
    &dotnet::SWIFT,
    &functional::HSPEC,
    &functional::CABAL,
    &functional::CLOJURE,
    &functional::ALCOTEST,
    &common::COMMON,
];

/// Number of the rule within all tables, compiled when it first matches.
struct Slot {
    runner: usize,
    rule: &'static Rule,
    regex: OnceLock<Option<Regex>>,
}

struct Tables {
    set: Option<LineSet>,
    slots: Vec<Slot>,
}

static TABLES: LazyLock<Tables> = LazyLock::new(|| {
    let slots: Vec<Slot> = ALL
        .iter()
        .enumerate()
        .flat_map(|(runner, table)| {
            table.rules.iter().map(move |rule| Slot {
                runner,
                rule,
                regex: OnceLock::new(),
            })
        })
        .collect();
    let set = LineSet::new(slots.iter().map(|s| s.rule.0));
    Tables { set, slots }
});

/// Runs every table over every line. The runners named in `held` are left out, `names` asks for
/// the names of passing tests too.
pub(super) fn scan(text: &Text, command: &str, held: &[&str], names: bool) -> Vec<Found> {
    let mut found: Vec<Found> = ALL.iter().map(|r| Found::new(r.name)).collect();
    for found in &mut found {
        found.wants_passing = names;
    }
    let tables = &*TABLES;
    let Some(set) = &tables.set else {
        return Vec::new();
    };
    for (at, line) in text.lines() {
        if line.is_empty() {
            continue;
        }
        let Some(hits) = set.matches(line) else {
            continue;
        };
        for index in hits.iter() {
            let Some(slot) = tables.slots.get(index) else {
                continue;
            };
            if held.contains(&ALL[slot.runner].name) {
                continue;
            }
            apply(slot, &mut found[slot.runner], text, at, line, names);
        }
    }
    for (runner, found) in ALL.iter().zip(&mut found) {
        if !found.is_empty() || !found.marks.is_empty() {
            (runner.finish)(text, command, found);
        }
    }
    found.retain(|f| !f.is_empty());
    found
}

fn apply(slot: &Slot, found: &mut Found, text: &Text, at: usize, line: &str, names: bool) {
    match &slot.rule.1 {
        Act::Pass if !names => {
            found.passes += 1;
            return found.begins(at);
        }
        Act::Skip => return found.skips += 1,
        Act::Began => return found.begins(at),
        Act::Dots => {
            found.dots.get_or_insert(at);
            return;
        }
        Act::Zero => return found.zero.push(at),
        Act::Red(kind) => return found.outside(*kind, at, false, true),
        Act::RedTells(kind) => return found.outside(*kind, at, true, true),
        Act::Tells(kind) => return found.outside(*kind, at, true, false),
        Act::Green => return found.green.push(at),
        Act::Session => return found.sessions.push(at),
        Act::Narrowed => {
            found.narrowed = true;
            return;
        }
        Act::Line(step) => return step(found, text, at),
        _ => {}
    }
    let regex = slot.regex.get_or_init(|| Regex::new(slot.rule.0).ok());
    let Some(caps) = regex.as_ref().and_then(|r| r.captures(line)) else {
        return;
    };
    let name = caps.name("n").map(|n| n.as_str());
    match &slot.rule.1 {
        Act::Pass => {
            found.passes += 1;
            found.begins(at);
            found.passing.extend(name.map(str::to_string));
        }
        Act::Fail => {
            found.fails += 1;
            found.begins(at);
            if let Some(name) = name {
                found.fails(name, at);
            }
        }
        Act::FailName => {
            if let Some(failing) = found.fails(name.unwrap_or_default(), at)
                && failing.file.is_none()
            {
                failing.file = caps.name("file").map(|m| m.as_str().to_string());
                failing.line = number(&caps, "line");
            }
        }
        Act::StandIn => found.stand_in(name.unwrap_or_default(), at),
        Act::Flaky => found.flaky.extend(name.map(str::to_string)),
        Act::Sum => {
            let tally = summed(&caps);
            found.summary(at, tally);
        }
        Act::Piece(field) => {
            if let Some(count) = caps.get(1).and_then(|m| m.as_str().parse().ok()) {
                found.piece(at, *field, count);
            }
        }
        Act::Do(step) => step(found, text, at, &caps),
        _ => {}
    }
}

/// The number in a group.
fn number(caps: &Captures<'_>, group: &str) -> Option<u64> {
    caps.name(group)?.as_str().parse().ok()
}

fn summed(caps: &Captures<'_>) -> counts::Tally {
    let mut tally = caps
        .name("l")
        .map(|l| counts::tally(l.as_str()))
        .unwrap_or_default();
    let groups = [
        ("p", Field::Passed),
        ("f", Field::Failed),
        ("f2", Field::Failed),
        ("e", Field::Errors),
        ("e2", Field::Errors),
        ("s", Field::Skipped),
        ("s2", Field::Skipped),
        ("t", Field::Total),
        ("x", Field::Other),
    ];
    for (group, field) in groups {
        if let Some(count) = number(caps, group) {
            tally.add(field, count);
        }
    }
    tally
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_pattern_compiles_and_is_used_as_its_act_needs() {
        for runner in ALL {
            for rule in runner.rules {
                let regex = Regex::new(rule.0).unwrap();
                let has = |g| regex.capture_names().flatten().any(|n| n == g);
                match &rule.1 {
                    Act::FailName | Act::StandIn | Act::Flaky => assert!(has("n"), "{}", rule.0),
                    Act::Sum => {
                        let groups = ["p", "f", "t", "l"];
                        assert!(groups.iter().any(|g| has(g)), "{}", rule.0);
                    }
                    Act::Piece(_) => assert!(regex.captures_len() > 1, "{}", rule.0),
                    _ => {}
                }
            }
        }
        assert!(TABLES.set.is_some());
    }

    #[test]
    fn names_are_unique_and_covered_runners_exist() {
        let names: Vec<_> = ALL.iter().map(|r| r.name).collect();
        for (i, name) in names.iter().enumerate() {
            assert!(!names[..i].contains(name), "{name} twice");
        }
        for covered in ALL.iter().flat_map(|r| r.covers) {
            assert!(names.contains(covered), "{covered}");
        }
    }
}
