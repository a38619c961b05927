//! What GitHub can answer, in the classes that a caller branches on.

use std::fmt;
use thiserror::Error;

/// Which request failed, and GitHub's own short words about it. Never a body, never a token.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Detail {
    /// Method and path.
    pub request: String,
    /// The HTTP status; `None` when no answer came.
    pub status: Option<u16>,
    /// The field `message` of the answer and those of its `errors`, cut.
    pub message: String,
    /// `x-github-request-id`, by which GitHub's support finds the request.
    pub request_id: Option<String>,
    /// Whether GitHub may have done what was asked although no good answer came.
    pub maybe_done: bool,
}

impl fmt::Display for Detail {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.request)?;
        if let Some(status) = self.status {
            write!(f, " was answered with {status}")?;
        }
        if !self.message.is_empty() {
            write!(f, ": {}", self.message)?;
        }
        if let Some(id) = &self.request_id {
            write!(f, " (request {id})")?;
        }
        Ok(())
    }
}

/// A failure of a call to GitHub.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum GithubError {
    /// 404 or 410: not there, or not for this token.
    #[error("not found: {0}")]
    NotFound(Detail),
    /// 403 that is no rate limit: the App lacks a permission.
    #[error(
        "not permitted: {0}; check the app's permissions and that the installation accepted them"
    )]
    Forbidden(Detail),
    /// 422, 409 or 400: GitHub understood and refuses.
    #[error("refused: {0}")]
    Validation(Detail),
    /// 401: the token or the App's key is not taken.
    #[error("not authorised: {0}; check app id, private key and clock")]
    Unauthorized(Detail),
    /// 301, 302, 307 or 308: the repository has another name now; look it up by its id.
    #[error("moved: {0}; look the repository up by its id")]
    Moved(Detail),
    /// A limit was hit; no request of this installation before `until`.
    #[error("{} rate limit: {detail}; no request before unix time {until}",
        if *secondary { "secondary" } else { "primary" })]
    RateLimited {
        /// Seconds since the Unix epoch.
        until: i64,
        /// Whether it is the limit on bursts (and not the hourly one).
        secondary: bool,
        detail: Detail,
    },
    /// The network or GitHub failed (5xx); later may be better.
    #[error("GitHub failed: {0}; try again later")]
    Transient(Detail),
    /// An answer that mend does not understand.
    #[error("unexpected answer: {0}")]
    Permanent(Detail),
    /// A setting of this room that cannot be used.
    #[error("{0}")]
    Setting(String),
}

impl GithubError {
    /// Whether the same call may succeed later without anybody doing anything.
    pub fn is_transient(&self) -> bool {
        matches!(
            self,
            GithubError::Transient(_) | GithubError::RateLimited { .. }
        )
    }

    /// Whether GitHub may have done what was asked: look before asking again.
    pub fn maybe_done(&self) -> bool {
        self.detail().is_some_and(|d| d.maybe_done)
    }

    /// Seconds since the Unix epoch before which no request should be made.
    pub fn not_before(&self) -> Option<i64> {
        match self {
            GithubError::RateLimited { until, .. } => Some(*until),
            _ => None,
        }
    }

    /// Whether it is GitHub's "A pull request already exists for …".
    pub fn is_duplicate_pull(&self) -> bool {
        self.refusal_says("pull request already exists")
    }

    /// Whether the repository's plan knows no draft pull requests.
    pub fn is_draft_unsupported(&self) -> bool {
        self.refusal_says("draft pull requests are not supported")
    }

    /// What is known about the request.
    pub fn detail(&self) -> Option<&Detail> {
        match self {
            GithubError::NotFound(d)
            | GithubError::Forbidden(d)
            | GithubError::Validation(d)
            | GithubError::Unauthorized(d)
            | GithubError::Moved(d)
            | GithubError::Transient(d)
            | GithubError::Permanent(d)
            | GithubError::RateLimited { detail: d, .. } => Some(d),
            GithubError::Setting(_) => None,
        }
    }

    fn refusal_says(&self, words: &str) -> bool {
        match self {
            GithubError::Validation(d) => d.message.to_ascii_lowercase().contains(words),
            _ => false,
        }
    }
}
