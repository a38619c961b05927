//! Why a task is to stop before it has ended by itself.

use serde::{Deserialize, Serialize};

/// What made a task stop; people are told this and nothing else.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StopCause {
    /// By a command, on a page or on the command line.
    Asked,
    LabelRemoved,
    IssueClosed,
    /// Deleted, or transferred to another repository.
    IssueGone,
    PullClosed,
    AppUninstalled,
    AppSuspended,
    /// Taken from the installation.
    RepoRemoved,
    /// Deleted or transferred.
    RepoGone,
    RepoArchived,
    RepoPrivate,
}

impl StopCause {
    /// Every cause.
    pub const ALL: [StopCause; 11] = [
        StopCause::Asked,
        StopCause::LabelRemoved,
        StopCause::IssueClosed,
        StopCause::IssueGone,
        StopCause::PullClosed,
        StopCause::AppUninstalled,
        StopCause::AppSuspended,
        StopCause::RepoRemoved,
        StopCause::RepoGone,
        StopCause::RepoArchived,
        StopCause::RepoPrivate,
    ];

    /// The word in the database and in JSON.
    pub fn word(self) -> &'static str {
        match self {
            StopCause::Asked => "asked",
            StopCause::LabelRemoved => "label_removed",
            StopCause::IssueClosed => "issue_closed",
            StopCause::IssueGone => "issue_gone",
            StopCause::PullClosed => "pull_closed",
            StopCause::AppUninstalled => "app_uninstalled",
            StopCause::AppSuspended => "app_suspended",
            StopCause::RepoRemoved => "repo_removed",
            StopCause::RepoGone => "repo_gone",
            StopCause::RepoArchived => "repo_archived",
            StopCause::RepoPrivate => "repo_private",
        }
    }
}
