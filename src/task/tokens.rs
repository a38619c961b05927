//! The book of live tokens in the store, and the reaper of those that nobody holds any more.

use crate::domain::Cancel;
use crate::github::{BookError, Github, SealedToken, TokenBook};
use crate::store::{KeptToken, Store};
use async_trait::async_trait;
use std::time::Duration;

/// The tokens of this process, kept in the store for as long as it lives.
pub struct TokenKeeper {
    store: Store,
    holder: String,
    hold: Duration,
}

fn failed(error: impl std::fmt::Display) -> BookError {
    BookError(error.to_string())
}

impl TokenKeeper {
    /// A process without a sign of life for `hold` counts as dead.
    pub fn new(store: Store, hold: Duration) -> Self {
        TokenKeeper {
            store,
            holder: uuid::Uuid::new_v4().to_string(),
            hold,
        }
    }

    /// Gives the sign of life and revokes what others left: at once, and then again and again
    /// until `stop`.
    pub async fn reap(&self, github: &Github, stop: &Cancel) {
        loop {
            if let Err(error) = self.store.tokens_hold(&self.holder, self.hold).await {
                tracing::warn!(%error, "the tokens in use could not be marked as such");
            }
            match github.reap_tokens().await {
                Ok(0) => {}
                Ok(dead) => tracing::info!(dead, "tokens that were left alive are revoked"),
                Err(error) => tracing::warn!(%error, "tokens that were left cannot be looked for"),
            }
            tokio::select! {
                () = stop.cancelled() => return,
                () = tokio::time::sleep(self.hold / 4) => {}
            }
        }
    }
}

#[async_trait]
impl TokenBook for TokenKeeper {
    async fn keep(&self, token: &SealedToken) -> Result<(), BookError> {
        let kept = KeptToken {
            id: token.id.clone(),
            sealed: token.sealed.clone(),
            expires_at: token.expires * 1000,
        };
        let keep = self.store.token_keep(&self.holder, &kept, self.hold);
        keep.await.map_err(failed)
    }

    async fn let_go(&self, id: &str) -> Result<(), BookError> {
        self.store.token_let_go(id).await.map_err(failed)
    }

    async fn gone(&self, id: &str) -> Result<(), BookError> {
        self.store.token_gone(id).await.map_err(failed)
    }

    async fn left(&self) -> Result<Vec<SealedToken>, BookError> {
        let left = self.store.tokens_left().await.map_err(failed)?;
        let sealed = |t: KeptToken| SealedToken {
            id: t.id,
            sealed: t.sealed,
            expires: t.expires_at / 1000,
        };
        Ok(left.into_iter().map(sealed).collect())
    }
}
