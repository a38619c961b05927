//! What people are to be told because of a delivery. Whoever drains the deliveries writes it.

use crate::config::Permission;
use crate::domain::{Person, RepoRef, TaskId};
use crate::github::Thread;
use crate::store::Scope;
use async_trait::async_trait;

/// Where an answer belongs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    pub repo: RepoRef,
    pub thread: Thread,
    /// The comment that asked; `None` for a label, a whole review or a button.
    pub comment_id: Option<u64>,
    /// Who asked.
    pub person: Person,
}

/// What is to be told.
#[derive(Debug, Clone, PartialEq)]
pub enum Said {
    /// The trigger made a task, now or when it was first delivered: a reaction, no text.
    Accepted {
        task: TaskId,
    },
    /// The person may not do this; told once an hour.
    Refused {
        needed: Permission,
    },
    /// So many tasks were asked for in the last hour; told once an hour.
    TooMany {
        scope: Scope,
        most: u32,
    },
    /// The operator did not name this repository in `repos.allow`.
    NotServed,
    /// These tasks end now; none means that nothing runs or waits.
    Stopping {
        tasks: Vec<TaskId>,
    },
    /// How the newest task of the issue stands; `None` when there was none.
    Status {
        task: Option<TaskId>,
    },
    Help,
    /// The line was not understood. It is the person's own text: make it inert.
    Hint {
        line: String,
        hint: String,
    },
    /// A command on a pull request that mend does not know as its own.
    NotOurs,
    /// A command on a pull request whose branch lies in a fork.
    Fork,
    /// The comment goes to a task that waits or runs: a reaction, no text.
    Heard {
        task: TaskId,
    },
    /// A comment held more commands than are obeyed: `most` were, `left` were not.
    LeftOut {
        most: usize,
        left: usize,
    },
    /// Somebody asks to release held CI.
    Ci,
}

/// One thing to tell, with the name under which [`crate::store::Store::delivery_effect`] remembers
/// that it was told.
#[derive(Debug, Clone, PartialEq)]
pub struct Notice {
    /// The row of the delivery.
    pub delivery: i64,
    pub name: String,
    pub place: Place,
    pub said: Said,
}

/// Why a notice was not written.
#[derive(Debug, thiserror::Error)]
#[error("{why}")]
pub struct Untold {
    pub why: String,
    /// Whether the same notice may be written later.
    pub transient: bool,
    /// Seconds since the Unix epoch before which GitHub wants no request.
    pub not_before: Option<i64>,
}

/// Writes notices where people read them.
#[async_trait]
pub trait Voice: Send + Sync {
    /// Writes one notice, once: it may be called again for the same one.
    async fn tell(&self, notice: &Notice) -> Result<(), Untold>;
}
