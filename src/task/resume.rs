//! What a task goes on from: its own conversation, or the one that ended in the question which its
//! trigger answers.

use super::TaskError;
use super::attempt::Attempt;
use super::prepare::guidance;
use super::purse::{Purse, spent};
use crate::domain::{Cancel, Command, Keep, Spent, Trigger, Verdict};
use crate::store::{Filter, Held, State, Store, StoreError, Task};
use async_trait::async_trait;
use serde::Deserialize;

/// How many questions in a row are looked back at.
const QUESTIONS: u32 = 10;

/// What people said and what was kept.
pub(super) struct Before {
    /// What maintainers asked for, oldest first.
    pub(super) guidance: Vec<String>,
    /// The state to go on from.
    pub(super) resume: Option<String>,
    /// How many turns of this task the state holds.
    pub(super) answered: u32,
    /// What the question's conversation had used.
    pub(super) spent: Spent,
}

/// Keeps the conversation in the store, under the lease.
pub(super) struct Keeper<'a> {
    pub(super) store: &'a Store,
    pub(super) held: Held,
    /// Fired when the lease is lost: another worker goes on from what was kept before.
    pub(super) cancel: &'a Cancel,
    pub(super) purse: &'a Purse<'a>,
}

impl<'a> Keeper<'a> {
    pub(super) fn new(purse: &'a Purse<'a>, cancel: &'a Cancel) -> Self {
        Keeper {
            store: &purse.bench.store,
            held: purse.held,
            cancel,
            purse,
        }
    }
}

#[async_trait]
impl Keep for Keeper<'_> {
    async fn keep(&self, state: &str) {
        let task = self.held.id;
        if let Err(error) = self.purse.pay(state).await {
            tracing::warn!(%task, %error, "what was used could not be recorded");
        }
        match self.store.save_conversation(self.held, state).await {
            Ok(true) => crate::domain::failure_point("turn-kept"),
            Ok(false) => {
                tracing::warn!(%task, bytes = state.len(), "the conversation is too large to be kept");
            }
            Err(StoreError::LostLease(_)) => self.cancel.cancel(),
            Err(error) => tracing::warn!(%task, %error, "the conversation could not be kept"),
        }
    }
}

/// The turns that a kept state holds; what it holds else is the loop's.
fn turns(state: &str) -> u32 {
    #[derive(Deserialize)]
    struct Kept {
        state: Counted,
    }
    #[derive(Deserialize)]
    struct Counted {
        turns: u32,
    }
    serde_json::from_str::<Kept>(state).map_or(0, |kept| kept.state.turns)
}

impl Attempt<'_> {
    /// Reads what this attempt goes on from.
    pub(super) async fn before(&self) -> Result<Before, TaskError> {
        let store = &self.bench.store;
        let questions = self.questions().await?;
        let own = store.conversation(self.claimed.task.id).await?;
        let asked = match questions.first() {
            Some(asked) => store.conversation(asked.id).await?,
            None => None,
        };
        let before = asked.as_deref().map_or(0, turns);
        Ok(Before {
            spent: asked.as_deref().map_or_else(Spent::default, spent),
            guidance: said(self.trigger(), &questions),
            answered: own.as_deref().map_or(0, turns).saturating_sub(before),
            resume: own.or(asked),
        })
    }

    /// The tasks before this one that ended in a question, newest first, where this one goes on
    /// with them.
    async fn questions(&self) -> Result<Vec<Task>, TaskError> {
        let trigger = self.trigger();
        if !goes_on(trigger) {
            return Ok(Vec::new());
        }
        let filter = Filter {
            repo: Some(trigger.issue.repo.name.clone()),
            issue_number: Some(trigger.issue.number),
            before: Some(self.claimed.task.id),
            ..Filter::default()
        };
        let before = self.bench.store.tasks(&filter, QUESTIONS).await?;
        let asked = |t: &Task| t.state == State::Done && t.verdict == Some(Verdict::Question);
        let mut questions: Vec<Task> = Vec::new();
        for task in before {
            // A question that nobody went on from is followed by no answer.
            let linked = questions.last().is_none_or(|next| goes_on(&next.trigger));
            if !asked(&task) || !linked {
                break;
            }
            questions.push(task);
        }
        Ok(questions)
    }
}

/// Whether the trigger adds to what was there, rather than to begin anew.
fn goes_on(trigger: &Trigger) -> bool {
    matches!(
        trigger.what.command(),
        Some(Command::Retry {
            from_scratch: false,
            ..
        })
    )
}

/// Guidance of the questions' own triggers, each answer beside its question, so that it is
/// understood where the conversation cannot be taken up.
fn said(trigger: &Trigger, questions: &[Task]) -> Vec<String> {
    let mut all = Vec::new();
    let mut question: Option<String> = None;
    let triggers = questions.iter().rev().map(|t| &t.trigger).chain([trigger]);
    for (n, trigger) in triggers.enumerate() {
        for text in guidance(trigger) {
            all.push(match &question {
                Some(q) => format!("You asked: {q}\nThe answer: {text}"),
                None => text,
            });
        }
        question = questions
            .iter()
            .rev()
            .nth(n)
            .and_then(|t| t.result.as_ref()?["summary"].as_str().map(str::to_string))
            .filter(|q| !q.trim().is_empty());
    }
    all
}
