//! What the model is told about a check (rules C3, C5, C8, C10, W7).

use crate::check::{overall, pairs};
use crate::domain::{CheckPair, CheckRun, Exit, Outcome};
use crate::text::{bound, strip_ansi, visible};

/// How many names of one kind are listed before the rest is counted.
const NAMES: usize = 20;

/// Bytes of the output of a check that passed.
const GREEN: usize = 1024;

/// What opens the note about the check that runs by itself.
pub(super) const CHECKED: &str = "Automatic full check after your edits:";

/// What opens the note about a failing test that ran before it.
pub(super) const CHECKED_FIRST: &str = "Automatic check after your edits:";

/// The result of a check as a tool result: the outcome's word first, then a block per command.
/// `max` bounds the whole in bytes.
pub(super) fn result(runs: &[CheckRun], max: usize) -> String {
    let mut text = String::from(overall(runs).shout());
    let room = max.saturating_sub(512 * runs.len()) / runs.len().max(1);
    for run in runs {
        text.push_str(&format!("\n`{}`: {}\n", run.command, line(run)));
        let output = visible(&strip_ansi(&run.output));
        let output = output.trim_end();
        // A cut of a few lines saves nothing.
        let room = match run.classification.outcome {
            Outcome::Passed if output.len() > GREEN * 2 => room.min(GREEN),
            _ => room,
        };
        text.push_str(bound(output, room).as_str());
    }
    text
}

/// One command's result in a line: outcome, counts, exit, seconds, reason.
pub(super) fn line(run: &CheckRun) -> String {
    let c = &run.classification;
    let mut parts = vec![c.outcome.words().to_string()];
    parts.extend(
        c.tests
            .map(|tests| tests.words())
            .filter(|words| !words.is_empty()),
    );
    parts.push(match run.exit {
        Exit::Code(code) => format!("exit {code}"),
        Exit::Signal(signal) => format!("signal {signal}"),
        Exit::TimedOut => "ended at the time limit".to_string(),
    });
    parts.push(format!("{:.1} s", run.duration_ms as f64 / 1000.0));
    let mut text = parts.join("; ");
    if c.outcome != Outcome::Passed && !c.reason.is_empty() {
        text.push_str(". ");
        text.push_str(&c.reason);
    }
    text
}

/// How the work is ended, in either dialect.
pub(super) fn finish(text: bool) -> &'static str {
    match text {
        true => "send a `RESULT` block",
        false => "call `finish`",
    }
}

/// What an automatic or a full check means for the model's next step. `before` is what the check
/// said of the code that the loop started from.
pub(super) fn meaning(
    base: Option<&[CheckRun]>,
    before: Option<Outcome>,
    after: &[CheckRun],
    limits: &str,
    text_only: bool,
) -> String {
    let finish = finish(text_only);
    let pairs = pairs(base, after);
    let mut text = String::new();
    match overall(after) {
        Outcome::Passed if before == Some(Outcome::Passed) => text.push_str(&format!(
            "The check was green before your change too: this shows that nothing broke, not that \
             the report is satisfied. When it is, {finish}.",
        )),
        Outcome::Passed => {}
        Outcome::Failed => {
            text.push_str(&comparison(&pairs));
            text.push_str(limits);
        }
        Outcome::DidntStart if blames(base, after) => {
            text.push_str(
                "The run stopped before its first test, and your change is a likely cause: see \
                 the reason and the files that are named above. ",
            );
            text.push_str(limits);
        }
        Outcome::DidntStart => text.push_str(&format!(
            "The check cannot run here, for a reason outside your change: this says nothing about \
             your change and is not for you to mend. It is not repeated. Finish the fix by reading, \
             then {finish}.",
        )),
        Outcome::TimedOut => text.push_str(
            "The run was ended by the time limit. This doesn't say whether the change works; if \
             your change could loop for ever, look there.",
        ),
    }
    text.trim().to_string()
}

/// Whether a run that didn't start belongs to the model (rule C3): the output names a changed
/// file, or the base did start.
pub(super) fn blames(base: Option<&[CheckRun]>, after: &[CheckRun]) -> bool {
    pairs(base, after).iter().any(|pair| {
        let Some(after) = &pair.after else {
            return false;
        };
        after.classification.outcome == Outcome::DidntStart
            && (after.classification.blames_change
                || pair.base.as_ref().is_some_and(|b| {
                    matches!(b.classification.outcome, Outcome::Passed | Outcome::Failed)
                }))
    })
}

/// Whether the base cannot run here for a reason outside the code: it didn't start and names no
/// project file, so a repeat after an edit would say the same (rule C3).
pub(super) fn cannot_run(base: &[CheckRun]) -> bool {
    overall(base) == Outcome::DidntStart
        && base
            .iter()
            .all(|run| run.classification.named_files.is_empty())
}

pub(super) fn comparison(pairs: &[CheckPair]) -> String {
    let mut text = String::new();
    for pair in pairs.iter().filter(|p| p.base.is_some()) {
        let c = &pair.comparison;
        let listed = [
            ("fixed", &c.fixed),
            ("newly broken by your change", &c.newly_broken),
            ("already failing before it", &c.already_failing),
        ];
        let parts: Vec<String> = listed
            .iter()
            .map(|(word, names)| format!("{word}: {}", some(names)))
            .collect();
        text.push_str(&format!(
            "Compared with the untouched code: {}.\n",
            parts.join("; ")
        ));
    }
    text
}

fn some(names: &[String]) -> String {
    match names.len() {
        0 => "none".to_string(),
        n if n > NAMES => format!("{} and {} more", names[..NAMES].join(", "), n - NAMES),
        _ => names.join(", "),
    }
}
