//! prove (TAP::Harness).

use super::{Act, Rule, Runner};
use crate::domain::Kind;
use crate::outcome::counts::Field;
use crate::outcome::found::Found;
use crate::outcome::text::Text;
use regex::Captures;

pub(super) static PROVE: Runner = Runner {
    name: "prove",
    covers: &["tap", "tap summary"],
    rules: &[
        Rule(r"^Files=[0-9]+, Tests=(?P<t>[0-9]+), ", Act::Do(total)),
        Rule(
            r"^(?P<n>\S+) +\(Wstat: (?P<wstat>[0-9]+).* Tests: (?P<t>[0-9]+) Failed: (?P<f>[0-9]+)\)",
            Act::Do(script),
        ),
        Rule(r"^Result: NOTESTS$", Act::Zero),
        Rule(r"^Result: FAIL$", Act::Red(Kind::Assertion)),
        Rule(r"^ +Parse errors: ", Act::Tells(Kind::Crash)),
        Rule(r"^#   Failed test '(?P<n>.+)'$", Act::Do(failed)),
        Rule(
            r"^#   Failed test at (?P<n>\S+ line [0-9]+)\.$",
            Act::FailName,
        ),
        Rule(r"^\S+\.t \.\.+ ok$", Act::Pass),
        Rule(
            r"^# Looks like your test exited with [0-9]+ before it could output anything",
            Act::Red(Kind::Build),
        ),
    ],
    finish: |_, _, found| {
        let failed: u64 = found.marks.iter().map(|m| m.1).sum();
        if found.outside.iter().any(|o| o.kind == Kind::Build) {
            // What kept a script from its first test says more than its broken plan.
            found.outside.retain(|o| !o.telling);
        }
        if let Some(last) = found.summaries.last_mut() {
            last.tally.add(Field::Failed, failed);
            if last.tally.total == Some(0) {
                found.zero.push(last.at);
            }
        }
        if found.summaries.is_empty() && found.zero.is_empty() {
            found.cut = found.began;
        }
        let scripts: Vec<_> = found
            .failing
            .iter()
            .filter(|f| f.file.as_deref() == Some(""))
            .cloned()
            .collect();
        if found.failing.len() > scripts.len() {
            found.failing.retain(|f| f.file.as_deref() != Some(""));
        }
        for failing in &mut found.failing {
            if failing.file.as_deref() == Some("") {
                failing.file = Some(failing.name.clone());
            }
        }
    },
};

fn total(found: &mut Found, _: &Text, at: usize, caps: &Captures<'_>) {
    let tally = super::summed(caps);
    found.summary(at, tally);
}

/// One script of the report. It stands for its tests only where none is named.
fn script(found: &mut Found, _: &Text, at: usize, caps: &Captures<'_>) {
    let failed = caps["f"].parse().unwrap_or(0);
    found.marks.push((at, failed));
    if &caps["t"] == "0" {
        found.outside(Kind::Build, at, false, true);
        return;
    }
    found.begins(at);
    if caps["wstat"].parse::<u64>().is_ok_and(|w| w & 0x7f != 0) {
        found.outside(Kind::Crash, at, true, true);
    }
    if let Some(failing) = found.fails(&caps["n"], at)
        && failing.file.is_none()
    {
        failing.file = Some(String::new());
    }
}

fn failed(found: &mut Found, text: &Text, at: usize, caps: &Captures<'_>) {
    let next = text.line(at + 1);
    let place = next
        .strip_prefix("#   at ")
        .and_then(|p| p.trim_end_matches('.').split_once(" line "));
    if let Some(failing) = found.fails(&caps["n"], at)
        && let Some((file, line)) = place
    {
        failing.file = Some(file.to_string());
        failing.line = line.parse().ok();
    }
}
