//! PHPUnit 9 to 12 and Pest.

use super::{Act, Rule, Runner};
use crate::domain::Kind;
use crate::outcome::counts::{self, Tally};
use crate::outcome::found::Found;
use crate::outcome::text::Text;
use regex::Captures;

pub(super) static PHPUNIT: Runner = Runner {
    name: "phpunit",
    covers: &[],
    rules: &[
        Rule(
            r"^OK \((?P<p>[0-9]+) tests?, [0-9]+ assertions?\)",
            Act::Sum,
        ),
        Rule(
            r"^Tests: (?P<t>[0-9]+), Assertions: [0-9]+(?P<l>.*)$",
            Act::Do(sum),
        ),
        Rule(r"^[0-9]+\) (?P<n>[\w\\]+::\w+.*)$", Act::Do(name)),
        Rule(
            r"^There (?:was|were) [0-9]+ (?P<what>\w+)",
            Act::Do(section),
        ),
        Rule(r"^No tests executed!", Act::Zero),
        Rule(
            r"^Cannot open (?:file|bootstrap script) ",
            Act::Tells(Kind::Config),
        ),
        Rule(
            r"^(?:Unknown option|Could not read|Test (?:file|directory) .* not found|Class .* could not be found in)",
            Act::Tells(Kind::Config),
        ),
        Rule(
            r"^[.FEWIRSNDP]+ +[0-9]+ / [0-9]+ \( *[0-9]+%\)$",
            Act::Began,
        ),
        Rule(
            r"^[.FEWIRSNDP]+(?:PHP )?(?:Fatal|Parse) error: ",
            Act::Began,
        ),
        Rule(r"^OK, but ", Act::Tells(Kind::Config)),
    ],
    finish: |_, _, found| {
        found.zero.extend(
            found
                .summaries
                .iter()
                .filter(|s| s.tally.total == Some(0))
                .map(|s| s.at),
        );
    },
};

fn sum(found: &mut Found, _: &Text, at: usize, caps: &Captures<'_>) {
    let part = counts::tally(&caps["l"]);
    let total = super::number(caps, "t");
    // Warnings, risky and deprecated tests are tests that passed; incomplete ones did not run to
    // their end.
    let incomplete = caps["l"].split(", ").find_map(|p| {
        p.trim_end_matches('.')
            .strip_prefix("Incomplete: ")?
            .parse()
            .ok()
    });
    let tally = Tally {
        total,
        failed: Some(part.failed.unwrap_or(0)),
        errors: Some(part.errors.unwrap_or(0)),
        skipped: Some(part.skipped.unwrap_or(0)),
        other: incomplete,
        ..Tally::default()
    };
    found.summary(at, tally);
}

/// Which list the next numbered names belong to.
fn section(found: &mut Found, _: &Text, at: usize, caps: &Captures<'_>) {
    let red = matches!(&caps["what"], "failure" | "failures" | "error" | "errors");
    found.marks.push((at, u64::from(red)));
}

fn name(found: &mut Found, text: &Text, at: usize, caps: &Captures<'_>) {
    if found.marks.last().is_some_and(|m| m.1 == 0) {
        return;
    }
    // The place is the last `path:line` of the block.
    let place = text
        .between(at + 1, at + 60)
        .map(|(_, line)| line)
        .take_while(|line| !line.starts_with(|c: char| c.is_ascii_digit()) && !line.ends_with("!"))
        .filter(|line| line.contains(".php:"))
        .last()
        .and_then(|line| line.rsplit_once(':'));
    if let Some(failing) = found.fails(&caps["n"], at)
        && let Some((file, line)) = place
    {
        failing.file = Some(file.to_string());
        failing.line = line.parse().ok();
    }
}

pub(super) static PEST: Runner = Runner {
    name: "pest",
    covers: &["jest", "phpunit"],
    rules: &[
        Rule(r"^ +Tests: +(?P<l>.+) \([0-9]+ assertions?\)$", Act::Sum),
        Rule(r"^ +FAILED +(?P<n>\S.*? > .+?)(?: {2,}.*)?$", Act::FailName),
        Rule(r"^ +(?:✓|✔) (?P<n>.+?)(?: +[0-9.]+s)?$", Act::Pass),
        Rule(r"^ +⨯ ", Act::Fail),
    ],
    finish: |_, _, found| {
        if found.summaries.is_empty() {
            *found = Found::new(found.runner);
        }
    },
};
