//! The loop itself. Every ending is a stop reason.

use super::budget::Budget;
use super::calls::{Effect, Wrong, carry_out};
use super::contradiction::{Failures, doubts};
use super::{AgentError, Ended, TurnEffect, Work, first, told, tools};
use crate::domain::{CheckRun, Contradiction, Progress, StopReason, Usage};
use crate::model::{Message, ModelError, Request, ToolResult, Turn, TurnEnd};
use minijinja::context;
use std::time::Instant;

/// Invalid calls in a row, and repeats of one failing call, that end a task (rule W14).
pub(super) const WRONG_CALLS: u32 = 3;

pub(super) struct Loop<'a, 'w> {
    pub(super) work: &'a Work<'w>,
    pub(super) budget: Budget,
    request: Request,
    pub(super) cannot_run: bool,
    pub(super) turns: u32,
    pub(super) usage: Usage,
    pub(super) wrong: Wrong,
    pub(super) failures: Failures,
    /// The full check of the files as they stand; gone with the next edit.
    pub(super) check: Option<Vec<CheckRun>>,
    pub(super) timeouts_after_edits: u32,
    pub(super) summaries: Vec<String>,
    pub(super) said: String,
    pub(super) doubted: Option<String>,
    pub(super) named: Vec<Contradiction>,
    pub(super) model_ms: u64,
    pub(super) checks_ms: u64,
    pub(super) effects: Vec<TurnEffect>,
}

/// Runs the loop to its end.
///
/// # Errors
/// See [`AgentError`].
pub async fn run(work: &Work<'_>) -> Result<Ended, AgentError> {
    let cannot_run = work.base.runs().is_some_and(told::cannot_run);
    let facts = context! { tests_protected => work.tests_protected, turns => work.limits.turns };
    let request = Request {
        system: work.prompts.render("worker.md", facts)?,
        messages: vec![Message::User(first::message(work, cannot_run)?)],
        tools: tools::specs(),
        max_output_tokens: work.max_output_tokens,
    };
    let budget = Budget::start(work.limits, work.used, work.cancel);
    let mut failures = Failures::default();
    for runs in work.base.runs().into_iter().chain(work.head.as_deref()) {
        failures.see(runs);
    }
    let state = Loop {
        work,
        budget,
        request,
        cannot_run,
        turns: 0,
        usage: Usage::default(),
        wrong: Wrong::default(),
        failures,
        check: None,
        timeouts_after_edits: 0,
        summaries: Vec::new(),
        said: String::new(),
        doubted: None,
        named: Vec::new(),
        model_ms: 0,
        checks_ms: 0,
        effects: Vec::new(),
    };
    state.go().await
}

impl Loop<'_, '_> {
    async fn go(mut self) -> Result<Ended, AgentError> {
        loop {
            if let Some(stop) = self.budget.reached(self.turns, &self.usage) {
                return Ok(self.end(stop, None));
            }
            self.take_guidance();
            let of = self.budget.turns();
            self.work.journal.tell(Progress::Turn {
                turn: self.turns + 1,
                of,
            });
            let asked = Instant::now();
            let answer = self
                .work
                .model
                .turn(&self.request, self.budget.cancel())
                .await;
            self.model_ms += asked.elapsed().as_millis() as u64;
            match answer {
                Ok(turn) => {
                    if let Some(stop) = self.take(turn).await? {
                        return Ok(self.end(stop, None));
                    }
                }
                Err(ModelError::Cancelled) => {
                    let stop = self.budget.interrupted();
                    return Ok(self.end(stop, None));
                }
                Err(error) => return Ok(self.end(StopReason::ModelError, Some(error))),
            }
        }
    }

    /// What people said since the last turn goes to the model with the next request.
    fn take_guidance(&mut self) {
        let said = self.work.steer.map(|s| s.take()).unwrap_or_default();
        if said.is_empty() {
            return;
        }
        let text = said
            .iter()
            .map(|s| {
                format!(
                    "A maintainer says, while you work:\n{}",
                    crate::text::sanitise_report(s)
                )
            })
            .collect::<Vec<_>>()
            .join("\n\n");
        match self.request.messages.last_mut() {
            Some(Message::ToolResults { note, .. }) => {
                *note = Some(
                    note.take()
                        .map_or(text.clone(), |n| format!("{n}\n\n{text}")),
                );
            }
            Some(Message::User(first)) => first.push_str(&format!("\n\n{text}")),
            _ => self.request.messages.push(Message::User(text)),
        }
    }

    /// Takes a turn in: its calls, the automatic check, the notes. `Some` ends the loop.
    async fn take(&mut self, turn: Turn) -> Result<Option<StopReason>, AgentError> {
        self.turns += 1;
        self.usage.add(&turn.usage);
        let (text, calls, end) = (turn.text.clone(), turn.calls.clone(), turn.end);
        if !text.trim().is_empty() {
            self.said = text.clone();
        }
        if doubts(&text) {
            self.doubted = Some(crate::text::clip_words(&crate::text::one_line(&text), 600));
        }
        self.request.messages.push(Message::Assistant(turn));
        if calls.is_empty() {
            return Ok(self.no_calls(&text, end));
        }
        let mut results = Vec::new();
        let mut effect = TurnEffect {
            turn: self.turns,
            calls: Vec::new(),
            change: String::new(),
            check: None,
        };
        let (mut edited, mut finish, mut checked) = (false, false, None);
        for call in &calls {
            let mut answer = carry_out(self.work, call, self.turns, self.budget.cancel()).await;
            self.wrong.count(call, &mut answer);
            effect.calls.push((call.name.clone(), answer.ok));
            match answer.effect {
                Effect::Edited { summary } => {
                    self.summaries.extend(summary);
                    (edited, self.check, checked) = (true, None, None);
                }
                Effect::FullCheck(runs) => checked = Some(runs),
                Effect::Finish { summary, named } => {
                    finish = true;
                    self.summaries = vec![summary];
                    self.named.extend(named);
                }
                Effect::Interrupted => {
                    self.effects.push(effect);
                    return Ok(Some(self.budget.interrupted()));
                }
                Effect::Nothing => {}
            }
            results.push(ToolResult {
                call_id: call.id.clone(),
                content: answer.text,
                is_error: !answer.ok,
            });
        }
        let (note, stop) = self
            .after_calls(edited, finish, checked, &mut effect)
            .await?;
        effect.change = self.fingerprint()?;
        self.effects.push(effect);
        self.request
            .messages
            .push(Message::ToolResults { results, note });
        Ok(stop)
    }

    /// A reply without a call ends the loop, unless it was cut off.
    fn no_calls(&mut self, text: &str, end: TurnEnd) -> Option<StopReason> {
        if end == TurnEnd::Truncated {
            self.wrong.in_a_row += 1;
            if self.wrong.in_a_row >= WRONG_CALLS {
                return Some(StopReason::InvalidCalls);
            }
            self.request.messages.push(Message::User(
                "Your reply was cut off at the output limit before it came to a tool call. Go on with a tool call.".into(),
            ));
            return None;
        }
        self.named.extend(self.failures.named_in(text));
        self.summaries = vec![text.trim().to_string()];
        Some(StopReason::NoToolCalls)
    }
}
