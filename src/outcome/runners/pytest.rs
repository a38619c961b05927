//! pytest, with pytest-xdist, pytest-sugar, pytest-cov, pytest-timeout. Formats: pytest 4 to 9.

use super::{Act, Rule, Runner};
use crate::domain::Kind;
use crate::outcome::counts::{self, Field};
use crate::outcome::found::{Failing, Found};
use crate::outcome::text::Text;
use regex::{Captures, Regex};
use std::collections::{HashMap, HashSet};
use std::sync::LazyLock;

pub(super) static PYTEST: Runner = Runner {
    name: "pytest",
    covers: &[],
    rules: &[
        Rule(
            r"^=+ test session starts =+$|^Test session starts \(platform",
            Act::Session,
        ),
        Rule(
            r"^(?:=+ )?(?P<l>[0-9]+ (?:passed|failed|errors?|skipped|deselected|xfailed|xpassed|warnings?|reruns?|rerun|subtests (?:passed|failed|skipped))(?:, [0-9]+ [a-z]+(?: [a-z]+)?)*) in [0-9.]+ ?s",
            Act::Do(summary),
        ),
        Rule(r"^(?:=+ )?no tests ran in [0-9.]+ ?s", Act::Zero),
        Rule(r"^Results \([0-9.]+m?s.*\):$", Act::Do(sugar)),
        Rule(
            r"^(?:FAILED|SUBFAILED\S*|SUBFAIL) (?P<n>\S+?::.+?)(?: - .*)?$",
            Act::FailName,
        ),
        Rule(r"^ERROR (?P<n>\S+?::.+?)(?: - .*)?$", Act::FailName),
        Rule(
            r"^ERROR (?P<n>[^\s:]+\.(?:py|txt|rst|md|yaml|yml)|[^\s:]+/[^\s:]+)(?: - .*)?$",
            Act::StandIn,
        ),
        Rule(r"^_+ ERROR collecting (?P<n>.+?) _+$", Act::StandIn),
        Rule(r"^_+ ERROR collecting .+ _+$", Act::Red(Kind::Build)),
        Rule(
            r"^(?P<n>\S+\.\w+::.+?) PASSED(?: +\[ *[0-9]+%\])?$",
            Act::Pass,
        ),
        Rule(
            r"^(?P<n>\S+\.\w+::.+?) (?:FAILED|ERROR)(?: +\[ *[0-9]+%\])?$",
            Act::Fail,
        ),
        Rule(r"^\S+\.\w+::.+? (?:SKIPPED|XFAIL|XPASS)\b", Act::Skip),
        Rule(
            r"^\[gw[0-9]+\] \[ *[0-9]+%\] PASSED (?P<n>\S+::.+)$",
            Act::Pass,
        ),
        Rule(
            r"^\[gw[0-9]+\] \[ *[0-9]+%\] (?:FAILED|ERROR) (?P<n>\S+::.+)$",
            Act::Fail,
        ),
        Rule(r"^[\w./-]+\.py::\w", Act::Began),
        Rule(
            r"^[\w./-]+\.py [.FEsxXRpf]+(?: *\[ *[0-9]+%\])?$",
            Act::Began,
        ),
        Rule(
            r"^[\w./-]+\.py [.FEsxXRpf]*(?:Fatal Python error|\++ Timeout)",
            Act::Began,
        ),
        Rule(r"^ ?[\w./-]+\.py (?:⨯|✓|s|x)+ +[0-9]+% ", Act::Began),
        Rule(r"^[.FEsxXRpf]+ +\[ *[0-9]+%\]$", Act::Do(progress)),
        Rule(
            r"^ImportError while loading conftest '",
            Act::Red(Kind::Build),
        ),
        Rule(
            r"^ERROR: (?:not found: |file or directory not found: )",
            Act::Tells(Kind::Config),
        ),
        Rule(
            r"^(?:ERROR: )?(?:\S*/)?(?:pytest|py\.test|__main__\.py): error: ",
            Act::Tells(Kind::Config),
        ),
        Rule(r"^INTERNALERROR> ", Act::Do(internal)),
        Rule(
            r"^!+ (?:_pytest\.outcomes\.)?Exit: .+ !+$",
            Act::RedTells(Kind::Setup),
        ),
        Rule(
            r"^!+ (?:\w+\.)*KeyboardInterrupt !+$",
            Act::RedTells(Kind::Crash),
        ),
        Rule(
            r"^\(to show a full traceback on KeyboardInterrupt use --full-trace\)$",
            Act::Red(Kind::Crash),
        ),
        Rule(
            r"^!+ Interrupted: [0-9]+ errors? during collection !+$",
            Act::Red(Kind::Build),
        ),
        Rule(
            r"^FAIL Required test coverage |^(?:ERROR: )?Coverage failure: ",
            Act::RedTells(Kind::Coverage),
        ),
        Rule(r"^\+{5,} Timeout \+{5,}$", Act::Tells(Kind::Crash)),
        Rule(r"^RERUN (?P<n>\S+::.+)$", Act::Do(rerun)),
    ],
    finish,
};

fn summary(found: &mut Found, _: &Text, at: usize, caps: &Captures<'_>) {
    let list = &caps["l"];
    let mut tally = counts::tally(list);
    if list.contains("subtests") {
        // `4 subtests passed` counts no test.
        tally = counts::tally(
            &list
                .split(", ")
                .filter(|part| !part.contains("subtests"))
                .collect::<Vec<_>>()
                .join(", "),
        );
    }
    if list.contains("deselected") {
        found.narrowed = true;
        if tally.is_empty() {
            found.zero.push(at);
            return;
        }
    }
    found.summary(at, tally);
}

/// pytest-sugar's own summary: a head and one line a column.
fn sugar(found: &mut Found, text: &Text, at: usize, _: &Captures<'_>) {
    let mut tally = counts::Tally::default();
    let mut last = at;
    for (n, line) in text.between(at + 1, at + 40) {
        let part = counts::tally(line);
        let place = line.trim_start().starts_with("- ");
        if !(line.starts_with("       ") && (place || !part.is_empty())) {
            break;
        }
        last = n;
        if place {
            continue;
        }
        for (field, count) in [
            (Field::Passed, part.passed),
            (Field::Failed, part.failed),
            (Field::Errors, part.errors),
            (Field::Skipped, part.skipped),
            (Field::Other, part.other),
        ] {
            if let Some(count) = count {
                tally.add(field, count);
            }
        }
    }
    if tally.is_empty() {
        found.zero.push(at);
    } else {
        found.summary(last, tally);
    }
}

/// A line of marks with its percentage (`-q`).
fn progress(found: &mut Found, text: &Text, at: usize, _: &Captures<'_>) {
    let since = found.sessions.last().copied();
    if (found.summaries.last()).is_some_and(|s| since.is_none_or(|since| s.at > since)) {
        found.sessions.push(at);
    }
    found.begins(at);
    let line = text.line(at);
    let marks = line.split(' ').next().unwrap_or_default();
    let red = marks.contains(['F', 'E']);
    found.fails += u64::from(red);
    // Red marks before the last line count too.
    if line.ends_with("[100%]") && found.fails == 0 && marks.contains('.') {
        found.green.push(at);
    }
}

fn internal(found: &mut Found, text: &Text, at: usize, _: &Captures<'_>) {
    let next = text.line(at + 1);
    if !next.starts_with("INTERNALERROR>") {
        found.outside(Kind::Internal, at, true, true);
    }
}

fn rerun(found: &mut Found, _: &Text, _: usize, caps: &Captures<'_>) {
    found.flaky.push(caps["n"].trim().to_string());
}

/// Within one session only the last summary is pytest's: tests may print others.
fn finish(text: &Text, command: &str, found: &mut Found) {
    let mut kept: Vec<_> = Vec::new();
    let mut sessions = found.sessions.iter().peekable();
    for (i, summary) in found.summaries.iter().enumerate() {
        let next = found.summaries.get(i + 1).map(|s| s.at);
        while sessions.next_if(|s| **s <= summary.at).is_some() {}
        let last = next.is_none_or(|next| sessions.peek().is_some_and(|s| **s <= next));
        if last {
            kept.push(summary.clone());
        }
    }
    found.summaries = kept;
    if let Some(&session) = found.sessions.last() {
        let closed = found.summaries.iter().any(|s| s.at > session)
            || found.zero.iter().any(|&z| z > session);
        if !closed && found.began.is_some_and(|b| b >= session) {
            found.cut = Some(session);
        }
    }
    // Only `-qq` prints no summary at all.
    let quiet = |line: &str| line.contains("pytest") && line.contains("-q") && !twice_quiet(line);
    if !found.summaries.is_empty()
        || !found.sessions.is_empty()
        || quiet(command)
        || text.lines().take(200).any(|(_, line)| quiet(line))
    {
        found.green.clear();
    }
    let green = found.summaries.iter().all(|s| s.tally.reds() == 0);
    if green && found.summaries.iter().any(|s| s.tally.ran() > 0) {
        // Names in a green session are text that tests printed.
        found
            .failing
            .retain(|f| f.stand_in && found.outside.iter().any(|o| o.kind == Kind::Build));
        let failed = std::mem::take(&mut found.fails);
        found.passes = found.passes.saturating_sub(failed);
    }
    place(text, found);
    let names: HashSet<String> = found.failing.iter().map(|f| f.name.clone()).collect();
    found.flaky.retain(|f| !names.contains(f));
}

static HEADING: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(r"^_{2,} (?:ERROR at (?:setup|teardown) of )?(?P<n>\S.*?) _{2,}$").ok()
});

static PLACE: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(
        r#"^(?:  File ")?(?P<file>[^\s:"]+\.\w+)(?:", line |:)(?P<line>[0-9]+)(?:: |:$|, in )"#,
    )
    .ok()
});

/// Gives each failing test the first place within its own file that its traceback names; the list
/// of names at the end stands apart from the tracebacks.
fn place(text: &Text, found: &mut Found) {
    let (Some(heading), Some(place)) = (HEADING.as_ref(), PLACE.as_ref()) else {
        return;
    };
    let bare = |f: &&mut Failing| !f.stand_in && f.file.is_none();
    if found.failing.is_empty() {
        return;
    }
    let heads: Vec<(usize, &str)> = text
        .lines()
        .filter(|(_, line)| line.starts_with("__"))
        .filter_map(|(at, line)| Some((at, heading.captures(line)?.name("n")?.as_str())))
        .collect();
    let mut blocks: HashMap<&str, Vec<(usize, usize)>> = HashMap::new();
    for (i, (at, name)) in heads.iter().enumerate() {
        let end = heads
            .get(i + 1)
            .map_or(at + 400, |next| next.0.min(at + 400));
        blocks.entry(name).or_default().push((*at, end));
    }
    for failing in found.failing.iter_mut().filter(bare) {
        let Some((file, inner)) = failing.name.split_once("::") else {
            continue;
        };
        let inner = inner.replace("::", ".");
        let mut lines = blocks
            .get(inner.as_str())
            .into_iter()
            .flatten()
            .flat_map(|(at, end)| text.between(at + 1, *end))
            .filter_map(|(_, line)| place.captures(line));
        let own =
            lines.find(|caps| caps["file"] == *file || caps["file"].ends_with(&format!("/{file}")));
        failing.line = own.and_then(|caps| caps["line"].parse().ok());
        failing.file = Some(file.to_string());
    }
}

fn twice_quiet(line: &str) -> bool {
    let quiets = line.split_whitespace().map(|word| match word {
        "--quiet" => 1,
        w if w.starts_with('-') && !w.starts_with("--") => w.matches('q').count(),
        _ => 0,
    });
    quiets.sum::<usize>() > 1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_pattern_compiles() {
        assert!(HEADING.is_some() && PLACE.is_some());
    }
}
