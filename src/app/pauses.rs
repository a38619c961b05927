//! GitHub's pauses, kept in the store.

use crate::github::{Pause, Pauses};
use crate::store::Store;
use async_trait::async_trait;

/// A database that fails holds nobody up: GitHub says again what it wants.
pub(super) struct Kept(pub(super) Store);

#[async_trait]
impl Pauses for Kept {
    async fn of(&self, installation: u64) -> Option<Pause> {
        match self.0.paused(installation).await {
            Ok(found) => found.map(|(until, secondary)| Pause { until, secondary }),
            Err(error) => {
                tracing::warn!(%error, "GitHub's pauses cannot be read");
                None
            }
        }
    }

    async fn begin(&self, installation: u64, pause: Pause) {
        let limit = if pause.secondary {
            "secondary"
        } else {
            "primary"
        };
        tracing::warn!(
            installation,
            until = pause.until,
            limit,
            "GitHub's rate limit"
        );
        if let Err(error) = self
            .0
            .pause(installation, pause.until, pause.secondary)
            .await
        {
            tracing::warn!(%error, "a pause of GitHub's could not be kept");
        }
    }
}
