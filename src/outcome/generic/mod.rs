//! Runners that no table knows: counts in common words, and common marks of results.

mod lines;
mod marks;
mod names;
mod summary;

use super::found::Found;
use super::text::Text;
use regex::Regex;
use std::sync::LazyLock;

pub(super) const NAME: &str = "generic";

/// Reads a text that no table understood. With `passing` the names of passing tests are kept.
pub(super) fn read(text: &Text, passing: bool) -> Found {
    let mut found = Found::new(NAME);
    let lists = marks::read(text, &mut found, passing);
    summary::read(text, &mut found);
    names::choose(lists, &mut found);
    found
}

static ANNOUNCED: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(r"(?i)^\W*(?:running|found|collected|executing|starting|discovered|selected) (?P<n>[0-9]+) (?:tests?|items?|specs?|examples?|scenarios?|test cases?)(?-u:\b)|^1\.\.(?P<p>[0-9]+)$").ok()
});

/// Whether fewer results came than the output had announced.
pub(super) fn is_short(text: &Text, found: &Found) -> bool {
    let Some(announced) = ANNOUNCED.as_ref() else {
        return true;
    };
    let counts = text.lines().filter_map(|(_, line)| {
        let caps = announced.captures(line)?;
        let number = caps.name("n").or(caps.name("p"))?;
        number.as_str().parse::<u64>().ok()
    });
    counts.sum::<u64>() > found.passes + found.fails + found.skips
}
