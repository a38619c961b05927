//! What a task goes on from: its own conversation, or the one that ended in the question which its
//! trigger answers.

use super::TaskError;
use super::attempt::Attempt;
use super::prepare::guidance;
use crate::domain::{Command, Trigger, TriggerKind, Verdict};
use crate::store::{Filter, State, Task};

/// How many questions in a row are looked back at.
const QUESTIONS: u32 = 10;

/// What people said and what was kept.
pub(super) struct Before {
    /// What maintainers asked for, oldest first.
    pub(super) guidance: Vec<String>,
    /// The state to go on from.
    pub(super) resume: Option<String>,
}

impl Attempt<'_> {
    /// Reads what this attempt goes on from.
    pub(super) async fn before(&self) -> Result<Before, TaskError> {
        let store = &self.bench.store;
        let questions = self.questions().await?;
        let mut resume = store.conversation(self.claimed.task.id).await?;
        if let (None, Some(asked)) = (&resume, questions.first()) {
            resume = store.conversation(asked.id).await?;
        }
        Ok(Before {
            guidance: said(self.trigger(), &questions),
            resume,
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
        &trigger.what,
        TriggerKind::Comment {
            command: Command::Retry {
                from_scratch: false,
                ..
            },
            ..
        }
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
