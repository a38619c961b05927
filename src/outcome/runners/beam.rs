//! ExUnit (`mix test`) and EUnit (`rebar3 eunit`).

use super::{Act, Rule, Runner};
use crate::domain::Kind;
use crate::outcome::counts::Field;
use crate::outcome::found::Found;
use crate::outcome::text::Text;
use regex::Captures;

pub(super) static EXUNIT: Runner = Runner {
    name: "exunit",
    covers: &["bats"],
    rules: &[
        Rule(
            r"^(?:[0-9]+ (?:doctests?|propert(?:y|ies)), )*(?P<t>[0-9]+) tests?, (?P<f>[0-9]+) failures?(?P<l>(?:, [0-9]+ \w+)*)$",
            Act::Do(sum),
        ),
        Rule(
            r"^ +[0-9]+\) (?P<n>(?:test|property|doctest) .+ \([\w.]+\))$",
            Act::Do(name),
        ),
        Rule(
            r"^ +[0-9]+\) (?P<n>[\w.]+): failure on setup_all callback",
            Act::StandIn,
        ),
        Rule(
            r"^ +[0-9]+\) [\w.]+: failure on setup_all callback",
            Act::Red(Kind::Setup),
        ),
        Rule(
            r"^ +\* (?P<n>test .+?) \([0-9.]+ms\) \[L#[0-9]+\]$",
            Act::Began,
        ),
        Rule(r"^There are no tests to run", Act::Zero),
        Rule(r"^== Compilation error in file ", Act::Red(Kind::Build)),
        Rule(r"\*\* \(Mix\) ", Act::Tells(Kind::Config)),
        Rule(r"^Finished in [0-9.]+ seconds", Act::Session),
        Rule(r"^[.*?]+$", Act::Dots),
    ],
    finish: |_, _, found| found.sessions.clear(),
};

fn sum(found: &mut Found, text: &Text, at: usize, caps: &Captures<'_>) {
    // bats prints the same words below its marks; mix says how long it took just above.
    let mut above = text.between(at.saturating_sub(4), at).map(|(_, line)| line);
    if !above.any(|line| line.starts_with("Finished in ")) {
        return;
    }
    let mut tally = super::summed(caps);
    if tally.total == Some(0) {
        found.zero.push(at);
    }
    let left_out = tally.passes() == 0 && tally.reds() == 0;
    tally.add(Field::Other, 0);
    if left_out {
        found.zero.push(at);
    }
    if caps["l"].contains("excluded") {
        found.narrowed = true;
    }
    found.summary(at, tally);
}

/// The place stands below the name.
fn name(found: &mut Found, text: &Text, at: usize, caps: &Captures<'_>) {
    let place = text.line(at + 1).trim().rsplit_once(':');
    if let Some(failing) = found.fails(&caps["n"], at)
        && let Some((file, line)) = place
    {
        failing.file = Some(file.to_string());
        failing.line = line.parse().ok();
    }
}

pub(super) static EUNIT: Runner = Runner {
    name: "eunit",
    covers: &["exunit", "bats"],
    rules: &[
        Rule(r"^===> Performing EUnit tests", Act::Session),
        Rule(
            r"^(?P<t>[0-9]+) tests?, (?P<f>[0-9]+) failures?(?:, (?P<s>[0-9]+) (?:skips|skipped|cancelled))?$",
            Act::Sum,
        ),
        Rule(r"^ +[0-9]+\) (?P<n>\w+:\w+(?:/[0-9]+)?)", Act::FailName),
        Rule(r"^ +All (?P<p>[0-9]+) tests passed\.$", Act::Sum),
        Rule(
            r"^ +Failed: (?P<f>[0-9]+)\. +Skipped: (?P<s>[0-9]+)\. +Passed: (?P<p>[0-9]+)\.",
            Act::Sum,
        ),
        Rule(r"^===> Error running tests", Act::Red(Kind::Assertion)),
        Rule(r"^===> Compiling .* failed", Act::Red(Kind::Build)),
    ],
    finish: |_, _, found| {
        // Without rebar3's own line the summary may be that of mix or bats.
        let shared = found.sessions.is_empty();
        found
            .summaries
            .retain(|s| !shared || s.tally.total.is_none());
        found.sessions.clear();
        if found.summaries.is_empty() {
            found.failing.clear();
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
