//! The App's live tokens, sealed by their owner: the store cannot read them. Each has a holder that
//! keeps it by a sign of life, so that what a dead process left can be revoked by another.

use super::{Store, StoreError, ms};
use sqlx::Row;
use std::time::Duration;

/// A token as it is kept. Its `Debug` may be shown: the text is encrypted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeptToken {
    pub id: String,
    pub sealed: String,
    /// Milliseconds since the Unix epoch.
    pub expires_at: i64,
}

impl Store {
    /// Keeps a token for `hold`.
    pub async fn token_keep(
        &self,
        holder: &str,
        token: &KeptToken,
        hold: Duration,
    ) -> Result<(), StoreError> {
        sqlx::query(
            "INSERT INTO tokens (id, holder, held_until, sealed, expires_at) \
             VALUES ($1, $2, $3, $4, $5)",
        )
        .bind(token.id.as_str())
        .bind(holder)
        .bind(self.now().await? + ms(hold))
        .bind(token.sealed.as_str())
        .bind(token.expires_at)
        .execute(&self.write)
        .await?;
        Ok(())
    }

    /// The holder lives: its tokens are kept for `hold` from now, but for those it let go.
    pub async fn tokens_hold(&self, holder: &str, hold: Duration) -> Result<(), StoreError> {
        sqlx::query("UPDATE tokens SET held_until = $1 WHERE holder = $2 AND held_until > 0")
            .bind(self.now().await? + ms(hold))
            .bind(holder)
            .execute(&self.write)
            .await?;
        Ok(())
    }

    /// Nobody uses this token any more, but it lives: whoever looks next revokes it.
    pub async fn token_let_go(&self, id: &str) -> Result<(), StoreError> {
        sqlx::query("UPDATE tokens SET held_until = 0 WHERE id = $1")
            .bind(id)
            .execute(&self.write)
            .await?;
        Ok(())
    }

    /// The token is dead.
    pub async fn token_gone(&self, id: &str) -> Result<(), StoreError> {
        sqlx::query("DELETE FROM tokens WHERE id = $1")
            .bind(id)
            .execute(&self.write)
            .await?;
        Ok(())
    }

    /// Tokens that nobody holds any more; expired ones are forgotten.
    pub async fn tokens_left(&self) -> Result<Vec<KeptToken>, StoreError> {
        sqlx::query("DELETE FROM tokens WHERE expires_at <= $1")
            .bind(self.now().await?)
            .execute(&self.write)
            .await?;
        let rows = sqlx::query(
            "SELECT id, sealed, expires_at FROM tokens WHERE held_until <= $1 LIMIT 100",
        )
        .bind(self.now().await?)
        .fetch_all(&self.write)
        .await?;
        let read = |row: &sqlx::any::AnyRow| {
            Ok(KeptToken {
                id: row.try_get("id")?,
                sealed: row.try_get("sealed")?,
                expires_at: row.try_get("expires_at")?,
            })
        };
        rows.iter().map(read).collect()
    }

    /// How many tokens are kept, held or not.
    pub async fn count_tokens(&self) -> Result<u64, StoreError> {
        let row = sqlx::query("SELECT COUNT(*) AS n FROM tokens")
            .fetch_one(&self.write)
            .await?;
        Ok(row.try_get::<i64, _>("n")?.unsigned_abs())
    }
}
