//! The worker: claims a task, prepares, fixes, publishes; every path ends in one stated verdict.
//!
//! An attempt may die at any point. What it reached stands in the store before the next step
//! begins, every effect on GitHub is looked up before it is made, and the change itself is a commit
//! in the task's private git directory before anything is published.

mod at_hand;
mod attempt;
mod branch;
mod change;
mod check_run;
mod dead;
mod ending;
mod entitled;
mod git_inside;
mod held_up;
mod integrate;
mod leftover;
mod links;
mod marker;
mod models;
mod outgoing;
mod park;
mod pool;
mod prepare;
mod publish;
mod purse;
mod release;
mod replies;
mod resume;
mod rival;
mod signed;
mod status;
mod status_comment;
mod steer;
mod template;
mod terms;
mod threads;
mod tokens;
mod traced;
mod voice;
mod waiting;

pub use links::Links;
pub use models::{Models, Source};
pub use pool::Pool;
pub use tokens::TokenKeeper;
pub use traced::Guards;
pub use voice::Spokesman;

use crate::agent::{self, Prompts};
use crate::check::{CheckError, SetUpSettings};
use crate::config::{BudgetSettings, ConfigError, GitInSandbox, Permission, PublishSettings};
use crate::domain::{Clock, Journal, Limits};
use crate::fix::{FixError, RecordingError};
use crate::git::{Git, GitError};
use crate::github::{Github, GithubError};
use crate::model::ModelError;
use crate::render::Trouble;
use crate::sandbox::Sandbox;
use crate::store::{Store, StoreError};
use crate::text::Redactor;
use crate::tree::TreeError;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

/// Everything that tasks share. One per server.
pub struct Bench {
    pub store: Store,
    pub github: Github,
    pub git: Git,
    pub sandbox: Arc<Sandbox>,
    pub models: Models,
    /// Whether everything is done but what others would see on GitHub.
    pub rehearsal: bool,
    pub max_output_tokens: u32,
    /// How long a task may be parked because its model is busy, all times together.
    pub model_wait: Duration,
    /// How the loop speaks with the model.
    pub agent: agent::Settings,
    pub prompts: Prompts,
    pub limits: Limits,
    /// What all tasks together may use in a day.
    pub budget: BudgetSettings,
    /// The house's ways with pull requests.
    pub publish: PublishSettings,
    /// Where links lead.
    pub links: Links,
    /// What a person needs to have when the work begins and before it is published.
    pub permission: Permission,
    /// Every branch that mend makes begins with it; it ends in a slash.
    pub branch_prefix: String,
    /// Private git directories, one a task.
    pub private: PathBuf,
    /// Throwaway trees; a sandbox under another uid must be able to pass.
    pub scratch: PathBuf,
    /// What set-ups may reach and are given; `cache` holds a folder for each repository.
    pub setup: SetUpSettings,
    /// Whether commands see a git directory.
    pub git_in_sandbox: GitInSandbox,
    /// What checks said about commits, kept from task to task.
    pub baselines: PathBuf,
    /// How long, and how many bytes of, the traces of ended tasks are kept.
    pub trace_age: Duration,
    pub trace_bytes: u64,
    pub redactor: Redactor,
    pub clock: Arc<dyn Clock>,
    pub times: Times,
    /// What reads every finished trace.
    pub guards: Guards,
    /// Who else hears of progress, beside the status comment.
    pub journal: Arc<dyn Journal>,
}

/// How long things take or wait.
#[derive(Debug, Clone)]
pub struct Times {
    /// How long a claim holds without a heartbeat.
    pub lease: Duration,
    /// Between heartbeats; also how soon a stop is seen.
    pub beat: Duration,
    /// Between edits of the status comment, at first; the longer a task runs, the rarer they are.
    pub status: Duration,
    /// After which a task that waits for its turn says so.
    pub queue: Duration,
    /// Before a failed attempt is made again.
    pub again: Duration,
    /// How long a change is kept for a GitHub that does not answer.
    pub publish: Duration,
    /// Before the second look at what was just written to GitHub; it doubles.
    pub settle: Duration,
    /// Between looks for work that no signal told of.
    pub idle: Duration,
}

impl Times {
    /// The times that follow from how long a claim holds.
    pub fn with_lease(lease: Duration) -> Self {
        Times {
            lease,
            beat: lease / 20,
            again: lease / 2,
            ..Times::default()
        }
    }
}

impl Default for Times {
    fn default() -> Self {
        Times {
            lease: Duration::from_secs(60),
            beat: Duration::from_secs(3),
            status: Duration::from_secs(5),
            queue: Duration::from_secs(10),
            again: Duration::from_secs(30),
            publish: Duration::from_secs(24 * 3600),
            settle: Duration::from_millis(500),
            idle: Duration::from_secs(5),
        }
    }
}

/// What keeps an attempt from its verdict.
#[derive(Debug, thiserror::Error)]
pub enum TaskError {
    #[error(transparent)]
    Github(#[from] GithubError),
    #[error(transparent)]
    Git(#[from] GitError),
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error(transparent)]
    Fix(#[from] FixError),
    #[error(transparent)]
    Tree(#[from] TreeError),
    #[error(transparent)]
    Config(#[from] ConfigError),
    #[error(transparent)]
    Model(#[from] ModelError),
    #[error(transparent)]
    Recording(#[from] RecordingError),
    /// The model is busy: the task waits that long and goes on.
    #[error("{why}")]
    ModelBusy { wait: Duration, why: String },
    /// Somebody moved the branch that is to be written.
    #[error("the branch `{0}` moved meanwhile")]
    Moved(String),
    /// Something that only a person can settle; the text is for them.
    #[error("{0}")]
    Person(Trouble),
    #[error("the saved change of the task cannot be read: {0}")]
    Saved(#[from] serde_json::Error),
}

impl From<CheckError> for TaskError {
    fn from(error: CheckError) -> Self {
        TaskError::Fix(error.into())
    }
}

impl TaskError {
    /// Whether a later attempt may get past it.
    fn is_transient(&self) -> bool {
        match self {
            TaskError::Github(e) => e.is_transient(),
            TaskError::Git(e) => e.is_transient(),
            TaskError::Store(e) => e.is_transient(),
            TaskError::Tree(e) => e.is_transient(),
            TaskError::Fix(FixError::Tree(e)) => e.is_transient(),
            TaskError::Fix(FixError::Check(e)) => e.is_transient(),
            TaskError::ModelBusy { .. } => true,
            _ => false,
        }
    }

    /// The worker no longer holds the task: it must not do anything more.
    fn is_lost(&self) -> bool {
        matches!(self, TaskError::Store(StoreError::LostLease(_)))
    }

    /// Seconds since the Unix epoch before which GitHub wants no request.
    fn not_before(&self) -> Option<i64> {
        match self {
            TaskError::Github(e) => e.not_before(),
            _ => None,
        }
    }
}

/// A database that is silent for longer gives [`StoreError::Silent`].
async fn in_time<T>(
    most: Duration,
    asked: impl Future<Output = Result<T, StoreError>>,
) -> Result<T, StoreError> {
    let answered = tokio::time::timeout(most, asked).await;
    answered.unwrap_or(Err(StoreError::Silent))
}
