//! Webhooks, as far as mend acts on them:
//! <https://docs.github.com/webhooks/webhook-events-and-payloads>. Deleted accounts are `null`,
//! bodies too, repository webhooks have no `installation`, and new actions come without notice:
//! what mend does not know is [`Event::Other`], never an error.

mod read;

use crate::domain::{Person, RepoName, StopCause};
use thiserror::Error;

/// Where an event comes from and who caused it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Origin {
    /// `None` for a webhook that a repository (and not the App) sent.
    pub installation_id: Option<u64>,
    pub repo_id: u64,
    pub repo: RepoName,
    pub private: bool,
    pub default_branch: String,
    /// `None` for a deleted account.
    pub sender: Option<Person>,
}

/// An issue, or a pull request as an issue, at the moment of the event.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Issue {
    pub id: u64,
    pub number: u64,
    pub title: String,
    pub body: String,
    /// Whether it is open.
    pub open: bool,
    /// When it was closed, as GitHub writes it; empty where it is open.
    pub closed_at: String,
    pub author: Option<Person>,
    pub labels: Vec<String>,
    pub is_pull: bool,
}

/// A comment at the moment of the event.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Comment {
    pub id: u64,
    pub body: String,
    pub author: Option<Person>,
    /// As GitHub writes it; changes with every edit.
    pub updated_at: String,
    /// The App through which it was written.
    pub via_app: Option<u64>,
}

/// Something about an issue.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IssueEvent {
    pub origin: Origin,
    pub issue: Issue,
    /// The label that came or went, as it is written.
    pub label: Option<String>,
    /// The text before an edit, where it was the text that changed.
    pub body_before: Option<String>,
}

/// Something about a comment of an issue or a pull request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CommentEvent {
    pub origin: Origin,
    pub issue: Issue,
    pub comment: Comment,
    /// The text before an edit.
    pub body_before: Option<String>,
}

/// Something about a pull request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PullRequestEvent {
    pub origin: Origin,
    pub number: u64,
    pub head_branch: String,
    /// The last commit on it.
    pub head_sha: String,
    /// As GitHub writes times; empty where it does not say.
    pub created_at: String,
    /// `None` when the fork is gone.
    pub head_repo_id: Option<u64>,
    pub merged: bool,
    /// When it was closed, as GitHub writes it; empty where it is open.
    pub closed_at: String,
}

/// A review of a pull request that was handed in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReviewEvent {
    pub pull: PullRequestEvent,
    pub review_id: u64,
    /// `approved`, `commented`, `changes_requested`, in lower case.
    pub state: String,
    pub body: String,
    pub author: Option<Person>,
    /// As GitHub writes it.
    pub submitted_at: String,
}

/// Something about a comment on a line of a pull request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReviewCommentEvent {
    pub pull: PullRequestEvent,
    /// Every such comment belongs to a review, a lone one to a review of its own.
    pub review_id: Option<u64>,
    pub comment: Comment,
    /// The text before an edit.
    pub body_before: Option<String>,
}

/// Somebody pressed the button that runs a check, or all of them, again.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CheckRunEvent {
    pub origin: Origin,
    /// The check run, or the suite of all of the App's on the commit.
    pub check_run_id: u64,
    /// The App that made the check run.
    pub app_id: Option<u64>,
    /// The numbers of the open pull requests whose head is the checked commit.
    pub pulls: Vec<u64>,
}

/// What an installation, or somebody who changed it, took from mend.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Withdrawn {
    /// `None` for a webhook that a repository sent.
    pub installation_id: Option<u64>,
    /// `None` for all of its repositories.
    pub repo_ids: Option<Vec<u64>>,
    pub cause: StopCause,
}

/// A webhook.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Event {
    IssueLabeled(IssueEvent),
    IssueUnlabeled(IssueEvent),
    IssueClosed(IssueEvent),
    /// Deleted, or transferred to another repository.
    IssueGone(IssueEvent),
    IssueEdited(IssueEvent),
    IssueCommentCreated(CommentEvent),
    IssueCommentEdited(CommentEvent),
    PullRequestClosed(PullRequestEvent),
    ReviewSubmitted(ReviewEvent),
    ReviewCommentCreated(ReviewCommentEvent),
    ReviewCommentEdited(ReviewCommentEvent),
    CheckRunRerequested(CheckRunEvent),
    /// The button that runs all checks again.
    CheckSuiteRerequested(CheckRunEvent),
    /// The App was removed or suspended, or repositories were taken from it, deleted, archived,
    /// transferred or made private.
    Withdrawn(Withdrawn),
    Ping,
    /// Nothing that mend acts on.
    Other {
        event: String,
        action: Option<String>,
    },
}

/// A payload that cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum EventError {
    #[error("the payload of `{event}` is not JSON")]
    NotJson { event: String },
    /// An event that mend acts on, without what is needed for that.
    #[error("the payload of `{event}` lacks `{field}`")]
    Incomplete { event: String, field: &'static str },
}
