//! Until when GitHub wants no request of an installation.

use super::error::{Detail, GithubError};
use async_trait::async_trait;

/// A pause that GitHub asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Pause {
    /// Seconds since the Unix epoch.
    pub until: i64,
    /// Whether for a burst, and not because the hour's requests are used up.
    pub secondary: bool,
}

impl Pause {
    /// What a call during the pause is answered, without being sent.
    pub(super) fn refusal(self, request: &str) -> GithubError {
        GithubError::RateLimited {
            until: self.until,
            secondary: self.secondary,
            detail: Detail {
                request: request.to_string(),
                message: "not sent, since GitHub asked this installation to wait".into(),
                ..Detail::default()
            },
        }
    }
}

/// Where pauses are kept, so that every process and the next one obeys them.
#[async_trait]
pub trait Pauses: Send + Sync {
    /// The last pause of an installation, over or not.
    async fn of(&self, installation: u64) -> Option<Pause>;
    /// GitHub asked for one.
    async fn begin(&self, installation: u64, pause: Pause);
}
