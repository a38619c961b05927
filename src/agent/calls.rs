//! One tool call: carried out, answered, and counted where it was wrong (rule W14).

use super::budget::Budget;
use super::dialect::Asked;
use super::tools::{Call, End};
use super::{Work, told};
use crate::domain::{Cancel, CheckRun, EditEvent, Progress};
use crate::text::bound;
use crate::workspace::{self, Edited};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// What a call led to, beside the text that answers it.
pub(super) enum Effect {
    Nothing,
    /// A file changed.
    Edited {
        summary: Option<String>,
    },
    /// The full check ran on the work as it stands.
    FullCheck(Vec<CheckRun>),
    Finish(End),
    /// A text reply without edits.
    NoEdit,
    /// The stop signal fired while the call was carried out.
    Interrupted,
}

pub(super) struct Answer {
    pub(super) text: String,
    pub(super) ok: bool,
    /// The call named a known tool and had its fields.
    pub(super) valid: bool,
    pub(super) effect: Effect,
}

/// Invalid calls in a row, and repeats of one failing call, that end a task (rule W14).
pub(super) const WRONG_CALLS: u32 = 3;

/// Wrong calls so far.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(super) struct Wrong {
    /// Invalid calls without a valid one between.
    pub(super) in_a_row: u32,
    /// How often each failing call was made since the files last changed.
    repeats: BTreeMap<String, u32>,
    pub(super) most_repeats: u32,
}

impl Wrong {
    /// Counts an answer and points a repeated failure out.
    pub(super) fn count(&mut self, asked: &Asked, answer: &mut Answer) {
        self.in_a_row = if answer.valid { 0 } else { self.in_a_row + 1 };
        if matches!(answer.effect, Effect::Edited { .. }) {
            self.repeats.clear();
            self.most_repeats = 0;
        }
        if answer.ok {
            return;
        }
        let call = &asked.call;
        let arguments = call.arguments.raw();
        let n = self
            .repeats
            .entry(format!("{} {arguments}", call.name))
            .or_insert(0);
        *n += 1;
        self.most_repeats = self.most_repeats.max(*n);
        if *n > 1 {
            answer.text.push_str(&format!(
                "\nYou made this very call {n} times and it fails each time in the same way. Do something else."
            ));
        }
    }
}

/// Carries out what a reply asks for.
pub(super) async fn carry_out(
    work: &Work<'_>,
    asked: &Asked,
    turn: u32,
    budget: &Budget,
) -> Answer {
    let max = work.limits.tool_result_bytes;
    let parsed = match &asked.parsed {
        Ok(parsed) => parsed,
        Err(text) => {
            return Answer {
                text: bound(text, max),
                ok: false,
                valid: false,
                effect: Effect::Nothing,
            };
        }
    };
    let action = action(parsed);
    if !action.is_empty() {
        work.journal.tell(Progress::Tool { turn, action });
    }
    let workspace = work.workspace;
    let (answer, effect) = match parsed {
        Call::ListFiles { path } => (workspace.list_files(path.as_deref()), Effect::Nothing),
        Call::ReadFile { path, start, lines } => {
            (workspace.read_file(path, *start, *lines), Effect::Nothing)
        }
        Call::Search {
            pattern,
            path,
            context,
        } => {
            let around = context.map(|n| n as usize);
            let found = workspace.search_around(pattern, path.as_deref(), around);
            (found, Effect::Nothing)
        }
        Call::RestoreFile { path } => landed(work, turn, workspace.restore_file(path), None),
        Call::Edit(edit) => {
            let summary = edit.summary().map(str::to_string);
            landed(work, turn, workspace.edit(edit), summary)
        }
        Call::Reply(reply) => landed(work, turn, workspace.apply_blocks(reply), None),
        Call::RunTests { pattern } => {
            return run_tests(work, pattern.as_deref(), max, budget.cancel()).await;
        }
        Call::RunCommand { command } => {
            return super::command::run_command(work, command, budget).await;
        }
        Call::Finish(end) => {
            return Answer {
                text: "noted".to_string(),
                ok: true,
                valid: true,
                effect: Effect::Finish(end.clone()),
            };
        }
    };
    Answer {
        text: bound(&answer.text, max),
        ok: !answer.error,
        valid: true,
        effect,
    }
}

/// An edit counts only when a file is different now. What became of it is told (rule E10).
fn landed(
    work: &Work<'_>,
    turn: u32,
    edited: Edited,
    summary: Option<String>,
) -> (workspace::Answer, Effect) {
    let (event, effect) = match (edited.answer.error, edited.written.is_empty()) {
        (true, _) => (
            EditEvent::Rejected(vec![edited.answer.text.clone()]),
            Effect::Nothing,
        ),
        (false, false) => (EditEvent::Parsed(edited.edits), Effect::Edited { summary }),
        (false, true) if edited.edits == 0 => (EditEvent::NoDiff, Effect::NoEdit),
        (false, true) => (EditEvent::NoDiff, Effect::Nothing),
    };
    if !matches!(effect, Effect::NoEdit) {
        work.journal.tell(Progress::Edits { turn, edits: event });
    }
    (edited.answer, effect)
}

async fn run_tests(work: &Work<'_>, pattern: Option<&str>, max: usize, cancel: &Cancel) -> Answer {
    let changes = match work.workspace.changes() {
        Ok(changes) => changes,
        Err(error) => {
            return Answer {
                text: error.to_string(),
                ok: false,
                valid: true,
                effect: Effect::Nothing,
            };
        }
    };
    let base = work.base.runs();
    let result = match pattern {
        None => work.checks.full(&changes, base, cancel, work.journal).await,
        Some(pattern) => {
            work.checks
                .narrowed(pattern, &changes, base, cancel, work.journal)
                .await
        }
    };
    match result {
        Ok(runs) => Answer {
            text: told::result(&runs, max),
            ok: true,
            valid: true,
            effect: if pattern.is_none() {
                Effect::FullCheck(runs)
            } else {
                Effect::Nothing
            },
        },
        Err(error) => Answer {
            text: error.to_string(),
            ok: false,
            valid: true,
            effect: if error.is_cancelled() {
                Effect::Interrupted
            } else {
                Effect::Nothing
            },
        },
    }
}

/// A call in words for the status comment and the terminal.
fn action(call: &Call) -> String {
    let code = |text: &str| {
        crate::text::clip_words(&crate::text::one_line(&crate::text::visible(text)), 80)
    };
    match call {
        Call::ListFiles { path } => {
            format!("listing {}", code(path.as_deref().unwrap_or("the project")))
        }
        Call::ReadFile { path, .. } => format!("reading {}", code(path)),
        Call::Search { pattern, .. } => format!("searching for {}", code(pattern)),
        Call::Edit(edit) => format!("proposing an edit of {}", code(edit.path())),
        Call::RestoreFile { path } => format!("restoring {}", code(path)),
        Call::RunTests { pattern: None } => "running the check".to_string(),
        Call::RunTests { pattern: Some(p) } => format!("running the tests that match {}", code(p)),
        Call::RunCommand { command } => format!("running {}", code(command)),
        Call::Reply(_) => String::new(),
        Call::Finish(_) => "finishing".to_string(),
    }
}
