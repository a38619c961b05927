//! What can go wrong with git, in the classes that a caller branches on.

use std::time::Duration;
use thiserror::Error;

/// A failure of the `git` room. No variant ever holds a token, a header or a response's body.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum GitError {
    /// The network or the server failed; the same call may succeed later. After a push the remote
    /// may have taken the change all the same: look before pushing again.
    #[error("{what}; try again later")]
    Transient {
        what: String,
        /// What the server asked for, when it did.
        retry_after: Option<Duration>,
    },
    /// The server refused the credential.
    #[error("{what}; check the app's installation and its `contents` permission")]
    Auth { what: String },
    /// The repository or the object is not there, or not for this credential.
    #[error("{what}")]
    Gone { what: String },
    /// The server answered with a redirect, which is never followed with a credential.
    #[error("{what}; look up the repository's present name and use that")]
    Moved { what: String },
    /// The remote did not update the reference.
    #[error("`{reference}` was not updated: {reason}")]
    Rejected { reference: String, reason: String },
    /// A cap on bytes, entries, depth or commits was reached.
    #[error("repository too large: {what}")]
    TooLarge { what: String },
    /// A name in the tree that mend does not write to a disk.
    #[error("refused path `{path}`: {reason}")]
    BadName { path: String, reason: &'static str },
    /// An address that is not beneath the configured one, or an answer that is not git's.
    #[error("{what}")]
    Refused { what: String },
    /// The task was stopped.
    #[error("stopped")]
    Cancelled,
    /// The time limit of the call ended it.
    #[error("git took longer than {} s", limit.as_secs())]
    TimedOut { limit: Duration },
    /// The local repository or disk failed.
    #[error("{what}")]
    Local { what: String },
}

impl GitError {
    /// Whether the same call may succeed later without anybody doing anything.
    pub fn is_transient(&self) -> bool {
        matches!(self, GitError::Transient { .. } | GitError::TimedOut { .. })
    }

    /// When the server said so, how long to wait.
    pub fn retry_after(&self) -> Option<Duration> {
        match self {
            GitError::Transient { retry_after, .. } => *retry_after,
            _ => None,
        }
    }

    pub(super) fn local(what: impl Into<String>) -> Self {
        GitError::Local { what: what.into() }
    }

    pub(super) fn io(doing: &str, error: &std::io::Error) -> Self {
        // The kind alone: host paths have no business in a message that may reach a person.
        GitError::local(format!("{doing}: {error}"))
    }
}

impl From<git2::Error> for GitError {
    fn from(e: git2::Error) -> Self {
        let what = crate::text::clip_words(&crate::text::one_line(e.message()), 300);
        match e.code() {
            git2::ErrorCode::NotFound => GitError::Gone { what },
            _ => GitError::Local { what },
        }
    }
}
