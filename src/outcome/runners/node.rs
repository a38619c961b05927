//! `node --test`: the spec reporter and the TAP reporter (whose lines `tap` counts).

use super::{Act, Rule, Runner};
use crate::domain::Kind;
use crate::outcome::counts::Field;
use crate::outcome::found::{Found, is_file};
use crate::outcome::text::Text;
use regex::Captures;

pub(super) static NODE_TEST: Runner = Runner {
    name: "node --test",
    covers: &["tap", "tap summary"],
    rules: &[
        Rule(r"(?:^#|ℹ) tests ([0-9]+)$", Act::Do(total)),
        Rule(r"^(?:#|ℹ) pass ([0-9]+)$", Act::Piece(Field::Passed)),
        Rule(r"^(?:#|ℹ) fail ([0-9]+)$", Act::Piece(Field::Failed)),
        Rule(r"^(?:#|ℹ) cancelled ([0-9]+)$", Act::Do(cancelled)),
        Rule(r"^(?:#|ℹ) skipped ([0-9]+)$", Act::Piece(Field::Skipped)),
        Rule(r"^(?:#|ℹ) todo ([0-9]+)$", Act::Piece(Field::Other)),
        Rule(r"^ *✔ (?P<n>.+?) \([0-9.]+m?s\)", Act::Pass),
        Rule(r"^ *✖ (?P<n>.+?) \([0-9.]+m?s\)", Act::Do(spec_fail)),
        Rule(
            r"^ *not ok [0-9]+ - (?P<n>.+?)(?: # (?:duration|time).*)?$",
            Act::Do(tap_fail),
        ),
        Rule(r"^  duration_ms: [0-9.]+$", Act::Session),
        Rule(r"^[.X]+$", Act::Dots),
        Rule(r"^Could not find '", Act::Tells(Kind::Config)),
    ],
    finish,
};

/// `suites` stands between `tests` and `pass`; only node prints both, and `cancelled`.
fn total(found: &mut Found, text: &Text, at: usize, caps: &Captures<'_>) {
    let mut near = text.between(at + 1, at + 6).map(|(_, line)| line);
    if near.any(|line| line.contains(" suites ") || line.contains(" cancelled ")) {
        found.open = None;
        found.piece(at, Field::Total, caps[1].parse().unwrap_or(0));
        found.marks.push((at, 0));
    }
}

fn cancelled(found: &mut Found, _: &Text, at: usize, caps: &Captures<'_>) {
    let count = caps[1].parse().unwrap_or(0);
    if let Some(last) = found.summaries.last_mut() {
        last.tally.add(Field::Failed, count);
        found.open = Some(at);
    }
}

/// In the list of failing tests at the end a line with the place stands before the name.
fn spec_fail(found: &mut Found, text: &Text, at: usize, caps: &Captures<'_>) {
    // What is still to be done is allowed to fail.
    let line = text.line(at);
    if line.contains("s) # TODO") || line.contains("s) # SKIP") {
        return;
    }
    let name = &caps["n"];
    let before = if at > 0 { text.line(at - 1) } else { "" };
    let place = before
        .trim_start()
        .strip_prefix("test at ")
        .map(str::to_string);
    found.fails += 1;
    found.begins(at);
    if is_file(name) {
        found.stand_in(name, at);
        found.outside(Kind::Build, at, false, true);
    } else if let Some(place) = place {
        found.marks.push((at, 1));
        let mut parts = place.rsplitn(3, ':');
        let (_, line, file) = (parts.next(), parts.next(), parts.next());
        if let Some(failing) = found.fails(name, at) {
            failing.file = file.map(str::to_string);
            failing.line = line.and_then(|l| l.parse().ok());
            failing.at = at;
        }
    } else {
        found.fails(name, at);
    }
}

/// `not ok` with the YAML block below it. A suite fails because its tests do.
fn tap_fail(found: &mut Found, text: &Text, at: usize, caps: &Captures<'_>) {
    let name = &caps["n"];
    let (mut place, mut ours) = (None, false);
    for (_, line) in text.between(at + 1, at + 12) {
        let line = line.trim();
        if line == "..." {
            break;
        }
        if line.contains("failureType: 'subtestsFailed'") {
            return;
        }
        ours |= line.starts_with("failureType: ") || line.starts_with("duration_ms: ");
        if let Some(location) = line.strip_prefix("location: '") {
            place = Some(location.trim_end_matches('\''));
        }
    }
    if !ours {
        return;
    }
    if is_file(name) {
        found.stand_in(name, at);
        found.outside(Kind::Build, at, false, true);
    } else if let Some(failing) = found.fails(name, at)
        && let Some(place) = place
    {
        let mut parts = place.rsplitn(3, ':');
        let (_, line, file) = (parts.next(), parts.next(), parts.next());
        failing.file = file.map(str::to_string);
        failing.line = line.and_then(|l| l.parse().ok());
    }
}

fn finish(text: &Text, command: &str, found: &mut Found) {
    // The dot reporter prints nothing but its marks.
    let dots = command.contains("test-reporter=dot") || command.contains("test-reporter dot");
    let red = text.lines().any(|(_, line)| line.contains('X'));
    if let Some(at) = found.dots.filter(|_| dots && !red) {
        found.green.push(at);
    }
    // Only sums that began with node's own head count.
    let heads: Vec<usize> = found
        .marks
        .iter()
        .filter(|m| m.1 == 0)
        .map(|m| m.0)
        .collect();
    found
        .summaries
        .retain(|s| s.tally.total.is_some() && heads.iter().any(|&h| h <= s.at && s.at - h < 12));
    found.drop_cut_pieces();
    for summary in &found.summaries {
        if summary.tally.total == Some(0) {
            found.zero.push(summary.at);
        }
    }
    // Where the list of failing tests is there, suites that fail with their tests are not repeated.
    if found.marks.iter().any(|m| m.1 == 1) {
        found.failing.retain(|f| f.stand_in || f.file.is_some());
    }
    if found.summaries.is_empty() {
        found.cut = found.cut.or(found.sessions.first().copied());
        found.failing.retain(|f| f.stand_in);
        found.passes = 0;
        found.fails = 0;
    }
}
