//! What speaks against a green run. A last look at runs that would be `passed`: whatever is found
//! here withholds the word, nothing here gives it.

use super::Input;
use super::below;
use super::doubtful_words as words;
use super::facts::Facts;
use super::json_report;
use super::report;
use super::severe;
use super::text::Text;
use super::unfinished;
use crate::domain::Kind;
use regex::Regex;
use std::sync::LazyLock;

/// Why a run is not taken as green.
#[derive(Debug, Clone, Copy)]
pub(super) struct Doubt {
    pub(super) at: usize,
    pub(super) kind: Kind,
    /// A part of the run began and was never summed up.
    pub(super) cut: bool,
}

impl Doubt {
    fn new(at: usize, kind: Kind) -> Doubt {
        let cut = false;
        Doubt { at, kind, cut }
    }

    pub(super) fn cut(at: usize) -> Doubt {
        let (kind, cut) = (Kind::Crash, true);
        Doubt { at, kind, cut }
    }
}

/// Lines at the end that are read for words against a green run.
const LAST_LINES: usize = 60;

/// A longer line says nothing of the kind, in bytes.
const LONGEST: usize = 400;

pub(super) fn find(input: &Input<'_>, text: &Text, facts: &Facts) -> Option<Doubt> {
    let cut = || {
        unfinished::find(text, facts)
            .or_else(|| facts.unplanned.filter(|_| !input.whole))
            .map(Doubt::cut)
    };
    severe::find(text)
        .map(|at| Doubt::new(at, Kind::Crash))
        .or_else(cut)
        .or_else(|| red_summary(text, facts))
        .or_else(|| other_total(text, facts))
        .or_else(|| crashed(input, text, facts))
        .or_else(|| go_build(text, facts))
        .or_else(|| {
            below::find(text, facts, compound(input)).map(|at| Doubt::new(at, Kind::Assertion))
        })
        .or_else(|| text_of_no_runner(input, text, facts))
}

type Pattern = LazyLock<Option<Regex>>;

fn is(pattern: &Pattern, line: &str) -> bool {
    line.len() < LONGEST && pattern.as_ref().is_some_and(|re| re.is_match(line))
}

static SESSION: Pattern = LazyLock::new(|| {
    Regex::new(r"^=+ test session starts =+$|^(?:collecting \.\.\. )?collected [1-9][0-9]* items?\b|^[\w./-]+\.py(?:::\S+)?(?: [.FEsxXRpf]+| PASSED)?(?: +\[ *[0-9]+%\])?$|^[.FEsxXRpfu]+(?: +\[ *[0-9]+%\])?$|^\w+ \([\w.]+\) ?\.\.\. ok$").ok()
});

static COLLECTED: Pattern = LazyLock::new(|| {
    Regex::new(r"^(?:collecting \.\.\. )?collected (?P<n>[0-9]+) items?(?: / (?P<d>[0-9]+) deselected)?(?: / (?P<s>[0-9]+) skipped)?(?: / [0-9]+ selected)?$").ok()
});

static RED_SUMMARY: Pattern = LazyLock::new(|| {
    Regex::new(r"^=+ (?:[0-9]+ [a-z]+, )*[1-9][0-9]* (?:failed|errors?)\b.* in [0-9.]+ ?s").ok()
});

/// A red summary of pytest beside a green one, where nothing tells one run from the next.
fn red_summary(text: &Text, facts: &Facts) -> Option<Doubt> {
    let pytest = facts.summaries.iter().any(|s| s.1 == "pytest");
    if !pytest || text.lines().any(|(_, line)| is(&SESSION, line)) {
        return None;
    }
    let at = text.lines().find(|(_, line)| is(&RED_SUMMARY, line))?.0;
    Some(Doubt::new(at, Kind::Assertion))
}

/// A summary of pytest that counts other tests than were collected was printed by a test.
fn other_total(text: &Text, facts: &Facts) -> Option<Doubt> {
    let collected = COLLECTED.as_ref()?;
    let mut from = 0;
    for (at, _, tally) in facts.summaries.iter().filter(|s| s.1 == "pytest") {
        let total = tally.ran() + tally.skipped.unwrap_or(0);
        let mut said = text.between(from, *at).filter_map(|(_, line)| {
            let caps = collected.captures(line)?;
            let number = |g| caps.name(g).map_or(Some(0), |m| m.as_str().parse().ok());
            let (all, less, more): (u64, u64, u64) = (number("n")?, number("d")?, number("s")?);
            Some(all.saturating_sub(less)..=all.saturating_sub(less) + more)
        });
        let first = said.next();
        if let Some(first) = first
            && !first.contains(&total)
            && !said.any(|other| other.contains(&total))
        {
            return Some(Doubt::cut(*at));
        }
        from = *at;
    }
    None
}

static GO_PACKAGE: Pattern = LazyLock::new(|| Regex::new(r"^# \S+(?: \[\S+\])?$").ok());
static GO_ERROR: Pattern = LazyLock::new(|| Regex::new(r"^\S+\.go:[0-9]+:[0-9]+: ").ok());

/// go prints what it could not compile above the packages that it could.
fn go_build(text: &Text, facts: &Facts) -> Option<Doubt> {
    if !matches!(facts.runner, Some("go test" | "gotestsum")) {
        return None;
    }
    let mut lines = text.lines();
    let at = lines.find(|(at, line)| {
        let headed = *at == 0 || is(&GO_PACKAGE, text.line(at - 1));
        headed && is(&GO_ERROR, line)
    });
    at.map(|(at, _)| Doubt::new(at, Kind::Build))
}

static SHELL: Pattern = LazyLock::new(|| {
    Regex::new(r"^\S+: (?:(?:(?:line )?[0-9]+: )?\S+: )?(?:command )?not found$|^\S+: command not found: \S+$|^\S+: (?:line )?[0-9]+: \S+: (?:No such file or directory|Permission denied)$|^\S*python[0-9.]*: (?:can't open file |No module named )|(?:^|[^\w ] *| )(?:Segmentation fault|Bus error|Illegal instruction|Floating point exception)(?: \(core dumped\))?$|^(?:Killed|Terminated|Aborted)(?: \(core dumped\))?$|\(core dumped\)|: line [0-9]+: +[0-9]+ (?:Killed|Aborted|Terminated)\b").ok()
});

/// Whether the command runs several programs one after the other.
fn compound(input: &Input<'_>) -> bool {
    input.command.contains([';', '|', '\n'])
}

static MAKE: Pattern = LazyLock::new(|| {
    Regex::new(r"^g?make(?:\[[0-9]+\])?: (?:\*\*\* )?\[.*\] (?:Error [0-9]+|Segmentation fault|Aborted|Killed)").ok()
});

/// A program that a shell could not find or that died beside a green summary.
fn crashed(input: &Input<'_>, text: &Text, facts: &Facts) -> Option<Doubt> {
    let first = facts.summaries.first().map_or(0, |s| s.0);
    let last = facts.summaries.last().map_or(0, |s| s.0);
    let session = text.lines().find(|(_, line)| is(&SESSION, line));
    let begins = session.map_or(first, |s| s.0).min(first);
    let compound = compound(input);
    for (at, line) in text.lines() {
        // What was not there to be cleaned away is no failure.
        let make = line.starts_with("make") || line.starts_with("gmake");
        if make && !line.contains("clean]") && is(&MAKE, line) {
            return Some(Doubt::new(at, Kind::Assertion));
        }
        // Within a run of a known runner the line may be what a test looks for.
        let apart = facts.generic
            || (compound || facts.runner == Some("pytest")) && (at < begins || at > last);
        if apart && is(&SHELL, line) {
            let missing = line.contains("not found") || line.contains("can't open");
            let kind = if missing {
                Kind::MissingRunner
            } else {
                Kind::Crash
            };
            return Some(Doubt::new(at, kind));
        }
    }
    None
}

/// Words of a text that no runner is known to have printed.
fn text_of_no_runner(input: &Input<'_>, text: &Text, facts: &Facts) -> Option<Doubt> {
    let tail = tail(text);
    let red = |at: usize| Some(Doubt::new(at, Kind::Assertion));
    if let Some((at, _)) = text.lines().find(|(_, line)| words::is_not_ok(line)) {
        return red(at);
    }
    if facts.generic && report::is_one(text) && !report::is_closed(text) {
        return Some(Doubt::cut(text.len().saturating_sub(1)));
    }
    if !facts.generic {
        return None;
    }
    if let Some(at) = json_report::cut(input.output, text) {
        return Some(Doubt::cut(at));
    }
    if let Some(at) = json_report::errors(input.output, text) {
        return red(at);
    }
    if let Some((at, _)) = text.lines().find(|(_, line)| words::is_fail_line(line)) {
        return red(at);
    }
    if let Some((at, _)) = tail.iter().find(|(_, line)| words::is_denied(line)) {
        return red(*at);
    }
    if let Some(at) = traceback(text, facts) {
        return Some(Doubt::new(at, Kind::Crash));
    }
    let last = facts.summaries.last().map_or(text.len(), |s| s.0);
    let mut below = text.between(last.saturating_add(1), text.len());
    if let Some((at, _)) = below.find(|(_, line)| words::is_error(line)) {
        return red(at);
    }
    let skipped: u64 = facts.summaries.iter().filter_map(|s| s.2.skipped).sum();
    for (at, _, tally) in facts.summaries.iter().filter(|s| s.0 < text.len()) {
        let line = text.line(*at);
        if words::counts_unknown(line)
            || words::is_unaccounted(line, tally)
            || words::is_share(line, skipped)
        {
            return red(*at);
        }
    }
    None
}

/// A traceback above nothing but a sentence; above counts, one of a file that did not load.
fn traceback(text: &Text, facts: &Facts) -> Option<usize> {
    let last = facts.summaries.last().map(|s| s.0);
    let ends = super::shapes::tracebacks(text);
    let mut ends = ends.into_iter();
    ends.find(|at| last.is_none_or(|last| *at > last) || super::shapes::is_load(text.line(*at)))
}

fn tail(text: &Text) -> Vec<(usize, &str)> {
    let lines = text.lines().rev();
    let lines = lines.filter(|(_, line)| !line.trim().is_empty());
    lines.take(LAST_LINES).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_pattern_compiles() {
        for pattern in [
            &SESSION,
            &RED_SUMMARY,
            &COLLECTED,
            &GO_PACKAGE,
            &GO_ERROR,
            &SHELL,
            &MAKE,
        ] {
            assert!(pattern.is_some());
        }
    }
}
