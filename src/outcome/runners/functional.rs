//! Haskell (hspec, tasty, cabal), Clojure, OCaml (Alcotest).

use super::{Act, Rule, Runner, nothing};
use crate::domain::Kind;
use crate::outcome::counts::Field;
use crate::outcome::found::Found;
use crate::outcome::text::Text;
use regex::Captures;

/// hspec prints RSpec's words and brings its own names; tasty says how many of how many.
pub(super) static HSPEC: Runner = Runner {
    name: "tasty",
    covers: &[],
    rules: &[
        Rule(r"^All (?P<p>[0-9]+) tests passed \([0-9.]+s\)$", Act::Sum),
        Rule(
            r"^(?P<f>[0-9]+) out of (?P<t>[0-9]+) tests failed \([0-9.]+s\)$",
            Act::Sum,
        ),
    ],
    finish: nothing,
};

pub(super) static CABAL: Runner = Runner {
    name: "cabal",
    covers: &[],
    rules: &[
        Rule(
            r"^(?P<p>[0-9]+) of (?P<t>[0-9]+) test suites \([0-9]+ of [0-9]+ test cases?\) passed\.$",
            Act::Do(cabal),
        ),
        Rule(r"^Test suite (?P<n>\S+): FAIL$", Act::Fail),
        Rule(r"^Test suite (?P<n>\S+): PASS$", Act::Pass),
    ],
    finish: nothing,
};

fn cabal(found: &mut Found, _: &Text, at: usize, caps: &Captures<'_>) {
    let mut tally = super::summed(caps);
    let (passed, total) = (tally.passed.unwrap_or(0), tally.total.unwrap_or(0));
    tally.add(Field::Failed, total.saturating_sub(passed));
    found.summary(at, tally);
}

pub(super) static CLOJURE: Runner = Runner {
    name: "clojure.test",
    covers: &[],
    rules: &[
        Rule(
            r"^Ran (?P<t>[0-9]+) tests containing [0-9]+ assertions\.$",
            Act::Do(clojure),
        ),
        Rule(
            r"^(?:FAIL|ERROR) in \((?P<n>[^)]+)\) \((?P<file>[^:)]+):(?P<line>[0-9]+)\)",
            Act::FailName,
        ),
    ],
    finish: nothing,
};

fn clojure(found: &mut Found, text: &Text, at: usize, caps: &Captures<'_>) {
    let part = crate::outcome::counts::tally(text.line(at + 1));
    let mut tally = super::summed(caps);
    if tally.total == Some(0) {
        found.zero.push(at);
        return;
    }
    // Failures are assertions; the names of the tests say how many tests they hit.
    let hit = found.failing.len() as u64;
    tally.failed = part.failed.map(|f| {
        if hit > 0 && part.errors == Some(0) {
            f.min(hit)
        } else {
            f
        }
    });
    tally.errors = part.errors;
    found.summary(at + 1, tally);
}

pub(super) static ALCOTEST: Runner = Runner {
    name: "alcotest",
    covers: &[],
    rules: &[
        Rule(
            r"^Test Successful in [0-9.]+s\. (?P<p>[0-9]+) tests? run\.$",
            Act::Sum,
        ),
        Rule(
            r"^(?P<f>[0-9]+) failures?! in [0-9.]+s\. (?P<t>[0-9]+) tests? run\.$",
            Act::Sum,
        ),
        Rule(r"^(?:│ )?(?:> )?\[FAIL\] +(?P<n>\S.*?)\.?$", Act::Fail),
        Rule(r"^ +\[OK\] +(?P<n>\S.*?)\.?$", Act::Pass),
        Rule(r"^Fatal error: exception ", Act::Tells(Kind::Crash)),
    ],
    finish: nothing,
};
