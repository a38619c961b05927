//! The task of an ended one, made anew: by the command line and by the pages alike.

use super::{Created, State, Store, StoreError, Task};
use crate::domain::{Person, TaskId};

/// What became of the wish.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Retried {
    Made(TaskId),
    /// An earlier wish about the same task made this one.
    Before(TaskId),
    /// It has not ended: stop it first.
    NotEnded,
}

impl Store {
    /// A new task from the same trigger, once for each ended task, however often it is asked for.
    /// `by` is who asks, where that is another than who asked before.
    pub async fn retry(&self, task: &Task, by: Option<Person>) -> Result<Retried, StoreError> {
        if !matches!(task.state, State::Done | State::Dead) {
            return Ok(Retried::NotEnded);
        }
        let mut trigger = task.trigger.clone();
        trigger.key = format!("{}:retry:{}", trigger.key, task.id);
        trigger.by = by.unwrap_or(trigger.by);
        // It is asked for now, and what ended the first does not end this one.
        trigger.asked_at = None;
        let made = self
            .create_task_of(&trigger, task.max_attempts, task.priority)
            .await?;
        Ok(match made {
            Created::Created(id) => Retried::Made(id),
            Created::Exists(id) => Retried::Before(id),
        })
    }
}
