//! The loop itself. Every ending is a stop reason.

use super::budget::Budget;
use super::calls::{Effect, carry_out};
use super::state::{self, State};
use super::{AgentError, Ended, TurnEffect, Work, dialect, said, traced};
use crate::domain::{Progress, StopReason};
use crate::model::{Dialect, Message, ModelError, Turn, TurnEnd};
use std::time::{Duration, Instant};

pub(super) struct Loop<'a, 'w> {
    pub(super) work: &'a Work<'w>,
    pub(super) budget: Budget,
    pub(super) state: State,
    /// What a kept state belongs to; not asked for where nothing keeps it.
    base: String,
    begun: Instant,
    used: Duration,
    /// Messages that stand in the trace already; 0 after the conversation was rewritten.
    pub(super) heard: usize,
    /// What the endpoint said before the request was made once more without tools.
    pub(super) refused: Option<ModelError>,
}

/// Runs the loop to its end.
///
/// # Errors
/// See [`AgentError`].
pub async fn run(work: &Work<'_>) -> Result<Ended, AgentError> {
    let base = match work.keep.is_some() || work.resume.is_some() {
        true => state::belongs_to(work)?,
        false => String::new(),
    };
    let resumed = State::resume(work, &base);
    let earlier = Duration::from_millis(resumed.as_ref().map_or(0, |(_, used_ms)| *used_ms));
    let used = work.used + earlier;
    let mut state = match resumed {
        Some((state, _)) => state,
        None => State::new(work)?,
    };
    let unheard = state.unheard(work);
    let mut going = Loop {
        work,
        budget: Budget::start(work.limits, used, work.cancel),
        state,
        base,
        begun: Instant::now(),
        used,
        heard: 0,
        refused: None,
    };
    going.tell_guidance(&unheard);
    match going.state.stop {
        Some(stop) => Ok(going.end(stop, None)),
        None => going.go().await,
    }
}

impl Loop<'_, '_> {
    async fn go(mut self) -> Result<Ended, AgentError> {
        loop {
            if let Some(stop) = self.budget.reached(self.state.turns, &self.state.usage) {
                return Ok(self.end(stop, None));
            }
            if self.work.steer.is_some_and(|s| s.is_spent()) {
                return Ok(self.end(StopReason::Budget, None));
            }
            let said = self.work.steer.map(|s| s.take()).unwrap_or_default();
            self.tell_guidance(&said);
            self.fit();
            self.work.journal.tell(Progress::Turn {
                turn: self.state.turns + 1,
                of: self.budget.turns(),
            });
            let asked = Instant::now();
            let request = &self.state.request;
            let asking = ("worker", request, self.heard);
            let answer =
                traced::asked(self.work, self.work.model, asking, self.budget.cancel()).await;
            self.heard = self.state.request.messages.len();
            self.state.model_ms += asked.elapsed().as_millis() as u64;
            let mut stop = match answer {
                Ok(turn) => {
                    self.alive();
                    self.take(turn).await?
                }
                Err(ModelError::Cancelled) => Some(self.budget.interrupted()),
                Err(error) if self.refuses_tools(&error) => {
                    self.try_without_tools(error)?;
                    continue;
                }
                Err(ModelError::ContextOverflow { .. }) if self.compact() => continue,
                Err(error @ ModelError::ContextOverflow { .. }) => {
                    return Ok(self.end(StopReason::ContextLimit, Some(error)));
                }
                Err(error) => {
                    let error = self.refused.take().unwrap_or(error);
                    return Ok(self.end(StopReason::ModelError, Some(error)));
                }
            };
            if let Some(end) = stop
                && self.reviewed(end).await?
            {
                stop = None;
            }
            // What was interrupted begins again at the turn before.
            if !stop.is_some_and(StopReason::is_interruption) {
                self.state.stop = stop;
                self.keep().await;
            }
            if let Some(stop) = stop {
                return Ok(self.end(stop, None));
            }
        }
    }

    /// Takes a turn in: its calls, the automatic check, the notes. `Some` ends the loop.
    async fn take(&mut self, mut turn: Turn) -> Result<Option<StopReason>, AgentError> {
        self.state.turns += 1;
        self.state.usage.add(&turn.usage);
        self.measure(&turn);
        self.work.journal.tell(Progress::Usage(self.state.usage));
        self.settle_dialect(&turn)?;
        let text_only = self.state.dialect == Dialect::Text;
        if text_only && !turn.calls.is_empty() {
            (turn.calls, turn.carry) = (Vec::new(), None);
        }
        let end = turn.end;
        let text = said::reply(&turn.text);
        let words = match text_only {
            true => dialect::prose(&text, &self.work.settings),
            false => said::without_thoughts(&turn.text),
        };
        self.hear(&words);
        let asked = match (text_only, end) {
            (true, TurnEnd::Truncated) => Vec::new(),
            (true, _) => dialect::requests(&text, &self.work.settings),
            (false, _) => dialect::calls(&turn.calls, &self.work.settings),
        };
        self.state.request.messages.push(Message::Assistant(turn));
        let mut effect = TurnEffect {
            turn: self.state.turns,
            calls: Vec::new(),
            change: String::new(),
            check: None,
        };
        let mut results = Vec::new();
        let (mut edited, mut finish, mut checked) = (false, false, None);
        for asked in asked {
            let span = traced::tool(self.work, &asked, self.state.turns);
            let mut answer = carry_out(self.work, &asked, self.state.turns, &self.budget).await;
            traced::answered(span, &answer);
            if matches!(answer.effect, Effect::NoEdit) {
                continue;
            }
            self.state.wrong.count(&asked, &mut answer);
            effect.calls.push((asked.call.name.clone(), answer.ok));
            match answer.effect {
                Effect::Edited { summary } => {
                    self.hear_doubt(summary.as_deref().unwrap_or_default());
                    self.state.summaries.extend(summary);
                    (edited, self.state.check, checked) = (true, None, None);
                }
                Effect::FullCheck(runs) => checked = Some(runs),
                Effect::Finish(end) => {
                    finish = true;
                    if end.named.is_empty() {
                        self.hear_contradictions(&words);
                    }
                    self.close(end);
                }
                Effect::Interrupted => {
                    self.state.effects.push(effect);
                    return Ok(Some(self.budget.interrupted()));
                }
                Effect::Nothing | Effect::NoEdit => {}
            }
            results.push(dialect::Answered {
                call: asked.call,
                line: asked.line,
                content: answer.text,
                ok: answer.ok,
            });
        }
        if results.is_empty() {
            return Ok(self.nothing_asked(&words, end));
        }
        self.state.idle_replies = 0;
        let (note, stop) = self
            .after_calls(edited, finish, checked, &mut effect)
            .await?;
        effect.change = self.fingerprint()?;
        self.state.effects.push(effect);
        let answer = dialect::answer(text_only, results, note);
        self.state.request.messages.push(answer);
        Ok(stop)
    }

    /// Hands the state out.
    async fn keep(&mut self) {
        let Some(keep) = self.work.keep else { return };
        let used_ms = (self.used + self.begun.elapsed()).as_millis() as u64;
        match self.state.keep(self.work, &self.base, used_ms) {
            Ok(text) => keep.keep(&text).await,
            Err(error) => self.work.journal.tell(Progress::Note(format!(
                "the state after turn {} could not be kept: {error}",
                self.state.turns
            ))),
        }
    }
}
