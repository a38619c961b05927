//! The block about the checks: what the harness saw, on base and with the change.

use super::words::duration;
use crate::domain::{CheckPair, CheckRun, Exit, Kind, Outcome, SET_UP_FAILED};
use crate::text::{bound, code_span, fenced, strip_ansi};

/// Names of one kind that are listed before the rest is counted.
const NAMES: usize = 15;
/// Bytes of a command's last output that are shown.
const TAIL: usize = 2000;

/// A run in words: outcome, then counts, for example `failed: 212 passed, 1 failed`.
pub fn check_words(run: &CheckRun) -> String {
    let c = &run.classification;
    let counts = c.tests.map(|tests| tests.words()).unwrap_or_default();
    let detail = match (c.outcome, counts.is_empty()) {
        (Outcome::DidntStart, _) if c.kind == Some(Kind::Setup) && step(&c.reason).is_some() => {
            step(&c.reason).unwrap_or_default()
        }
        (Outcome::DidntStart, _) | (_, true) => exit(run.exit).unwrap_or_default(),
        _ => counts,
    };
    if detail.is_empty() {
        c.outcome.words().to_string()
    } else {
        format!("{}: {detail}", c.outcome.words())
    }
}

/// The step of a set-up that failed, and how: what ran was that step, not the command.
fn step(reason: &str) -> Option<String> {
    let rest = reason.strip_prefix(SET_UP_FAILED)?.strip_prefix('`')?;
    let (command, rest) = rest.split_once("` ")?;
    let how = rest.split(':').next()?.trim_end_matches('.');
    Some(format!("{} {how}", cell(command)))
}

fn exit(exit: Exit) -> Option<String> {
    match exit {
        Exit::Code(0) | Exit::TimedOut => None,
        Exit::Code(n) => Some(format!("exit {n}")),
        Exit::Signal(n) => Some(format!("signal {n}")),
    }
}

/// The table of all commands, the lists of test names, and the last output of what is not green.
/// `commit` is the abbreviated id of what was tested; `contradicting` are names to mark.
pub fn check_table(pairs: &[CheckPair], commit: Option<&str>, contradicting: &[String]) -> String {
    let mut out = match commit {
        Some(commit) => format!("**Checks, run by mend on {}**\n\n", code_span(commit)),
        None => "**Checks, run by mend**\n\n".to_string(),
    };
    out.push_str("| check | base | with this change | time |\n|---|---|---|---|\n");
    for pair in pairs {
        let base = pair
            .base
            .as_ref()
            .map_or("not run".to_string(), check_words);
        let after = match &pair.after {
            Some(run) => {
                let words = check_words(run);
                let (outcome, rest) = words.split_at(run.classification.outcome.words().len());
                format!("**{outcome}**{rest}{}", above(pair, contradicting))
            }
            None => "not run".to_string(),
        };
        let time = pair
            .after
            .as_ref()
            .map(|r| duration(r.duration_ms).replace(' ', "&nbsp;"))
            .unwrap_or_default();
        out.push_str(&format!(
            "| {} | {base} | {after} | {time} |\n",
            cell(&pair.command)
        ));
    }
    out.push_str(&compared(pairs));
    for run in pairs.iter().filter_map(|p| p.after.as_ref()) {
        out.push_str(&excerpt(run));
    }
    out
}

/// The lists of names. With several commands each list stands with its command, and those in which
/// nothing is to be told share one line.
fn compared(pairs: &[CheckPair]) -> String {
    let all: Vec<&CheckPair> = pairs.iter().filter(|p| is_compared(p)).collect();
    if let (1, [only]) = (pairs.len(), &all[..]) {
        return format!("\n{}\n", names(only, "Fixed"));
    }
    let (told, quiet): (Vec<&CheckPair>, Vec<&CheckPair>) =
        all.into_iter().partition(|pair| is_any_named(pair));
    let mut lines: Vec<String> = told
        .iter()
        .map(|pair| format!("* {}: {}", code_span(&pair.command), names(pair, "fixed")))
        .collect();
    if !quiet.is_empty() {
        let commands: Vec<String> = quiet.iter().map(|pair| pair.command.clone()).collect();
        let commands = some(&commands);
        lines.push(format!(
            "* {commands}: nothing fixed, newly broken or already failing"
        ));
    }
    match lines.is_empty() {
        true => String::new(),
        false => format!("\n{}\n", lines.join("\n")),
    }
}

/// Whether the lists of names say something: both runs had tests, or a list is not empty.
fn is_compared(pair: &CheckPair) -> bool {
    let ran = |run: &Option<CheckRun>| {
        let outcome = run.as_ref().map(|r| r.classification.outcome);
        matches!(outcome, Some(Outcome::Passed | Outcome::Failed))
    };
    ran(&pair.base) && ran(&pair.after) || is_any_named(pair)
}

/// Whether a list of names is not empty.
fn is_any_named(pair: &CheckPair) -> bool {
    let c = &pair.comparison;
    let any = [
        &c.fixed,
        &c.newly_broken,
        &c.already_failing,
        &c.vanished,
        &c.flaky,
        &c.added_failing,
    ];
    any.iter().any(|list| !list.is_empty())
}

/// ` (the test above)` where all that fails is named as contradicting.
fn above(pair: &CheckPair, contradicting: &[String]) -> &'static str {
    let Some(run) = &pair.after else { return "" };
    let failing = &run.classification.failed_names;
    let all = !failing.is_empty() && failing.iter().all(|name| contradicting.contains(name));
    match (all, failing.len()) {
        (true, 1) => " (the test above)",
        (true, _) => " (the tests above)",
        _ => "",
    }
}

fn names(pair: &CheckPair, fixed: &str) -> String {
    let c = &pair.comparison;
    let mut parts = vec![
        format!("{fixed}: {}", some(&c.fixed)),
        format!("newly broken: {}", some(&c.newly_broken)),
        format!("already failing: {}", some(&c.already_failing)),
    ];
    let others = [
        ("failing among the added tests", &c.added_failing),
        ("no longer run", &c.vanished),
        ("flaky", &c.flaky),
    ];
    for (word, list) in others {
        if !list.is_empty() {
            parts.push(format!("{word}: {}", some(list)));
        }
    }
    parts.join(" · ")
}

/// What passed before and does not pass with the change.
pub(super) fn newly_broken(pairs: &[CheckPair]) -> String {
    let all = pairs.iter().flat_map(|p| p.comparison.newly_broken.clone());
    let broken: Vec<String> = all.collect();
    format!(
        "**This change breaks what passed before**: {}.",
        some(&broken)
    )
}

/// Where nothing but tests that passed alone is red.
pub(super) fn flaky_left(pairs: &[CheckPair]) -> String {
    let all = pairs.iter().flat_map(|p| p.comparison.flaky.clone());
    let flaky: Vec<String> = all.collect();
    let (are, they) = match flaky.len() {
        1 => ("A test is flaky", "it"),
        _ => ("Tests are flaky", "they"),
    };
    format!(
        "**{are}, so the check is red**: {} failed with this change and passed when {they} ran again alone.",
        some(&flaky)
    )
}

/// Names as code, cut and counted when there are many.
pub(super) fn some(names: &[String]) -> String {
    if names.is_empty() {
        return "none".to_string();
    }
    let shown: Vec<String> = names
        .iter()
        .take(NAMES)
        .map(|n| match phrase(n) {
            true => n.clone(),
            false => code_span(&crate::text::clip_words(n, 200)),
        })
        .collect();
    match names.len().saturating_sub(NAMES) {
        0 => shown.join(", "),
        more => format!("{} and {more} more", shown.join(", ")),
    }
}

/// Whether an entry is mend's own phrase, such as `2 more tests fail`, and no name of a test.
pub(super) fn phrase(entry: &str) -> bool {
    const PHRASES: &[&str] = &[
        "the check no longer starts",
        "the check no longer ends in time",
        "the check fails now",
        "the check passes now",
        "the check starts now and passes",
        "the check ends in time now and passes",
        "the check stops the same way without the change",
        "the check times out without the change too",
    ];
    let number = entry.trim_start_matches(|c: char| c.is_ascii_digit());
    let counted = [" test", " tests", " more test", " more tests"]
        .iter()
        .any(|start| {
            let rest = number.strip_prefix(start).unwrap_or_default();
            matches!(
                rest,
                " fewer fails"
                    | " fewer fail"
                    | " fails"
                    | " fail"
                    | " failed before too"
                    | " fewer ran"
                    | " fewer ran, the added ones left out"
            )
        });
    PHRASES.contains(&entry) || number.len() < entry.len() && counted
}

fn excerpt(run: &CheckRun) -> String {
    let output = strip_ansi(&run.output);
    if run.classification.outcome == Outcome::Passed || output.trim().is_empty() {
        return String::new();
    }
    format!(
        "\n<details><summary>Last output of {}</summary>\n\n{}\n\n</details>\n",
        html_code(&run.command),
        fenced(&tail(output.trim_end(), TAIL), "")
    )
}

/// The last `max` bytes from the start of a line.
fn tail(text: &str, max: usize) -> String {
    if text.len() <= max {
        return text.to_string();
    }
    let mut at = text.len() - max;
    while !text.is_char_boundary(at) {
        at += 1;
    }
    let at = text[at..].find('\n').map_or(at, |i| at + i + 1);
    format!("...\n{}", bound(&text[at..], max))
}

/// A command in a cell of a table.
pub(super) fn cell(command: &str) -> String {
    code_span(command).replace('|', "\\|")
}

fn html_code(text: &str) -> String {
    let text = crate::text::visible(text);
    let text = text
        .replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
        .replace('@', "&#64;");
    format!("<code>{}</code>", crate::text::one_line(&text))
}
