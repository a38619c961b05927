//! Who is logged in, and what may be used once to get in. Secrets never stand here: ids are hashes of
//! what browsers hold, and people's tokens are sealed by their owner.

use super::tasks::int;
use super::{Store, StoreError, ms};
use sqlx::Row;
use std::time::Duration;

/// Somebody who is logged in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeptSession {
    pub id: String,
    /// GitHub's id; 0 for the operator of this machine.
    pub person_id: u64,
    pub login: String,
    pub sealed: String,
    /// Milliseconds since the Unix epoch.
    pub expires_at: i64,
}

impl Store {
    /// Keeps a session for `life`; what expired goes.
    pub async fn session_keep(
        &self,
        session: &KeptSession,
        life: Duration,
    ) -> Result<(), StoreError> {
        let now = self.now().await?;
        sqlx::query("DELETE FROM sessions WHERE expires_at <= $1")
            .bind(now)
            .execute(&self.write)
            .await?;
        sqlx::query(
            "INSERT INTO sessions (id, person_id, login, sealed, expires_at) \
             VALUES ($1, $2, $3, $4, $5)",
        )
        .bind(session.id.as_str())
        .bind(int(session.person_id))
        .bind(session.login.as_str())
        .bind(session.sealed.as_str())
        .bind(now + ms(life))
        .execute(&self.write)
        .await?;
        Ok(())
    }

    /// The session of this id, while it lasts.
    pub async fn session(&self, id: &str) -> Result<Option<KeptSession>, StoreError> {
        // On the writing side: a session that was just ended must not be seen.
        let row = sqlx::query("SELECT * FROM sessions WHERE id = $1 AND expires_at > $2")
            .bind(id)
            .bind(self.now().await?)
            .fetch_optional(&self.write)
            .await?;
        row.map(|row| {
            Ok(KeptSession {
                id: row.try_get("id")?,
                person_id: row.try_get::<i64, _>("person_id")?.unsigned_abs(),
                login: row.try_get("login")?,
                sealed: row.try_get("sealed")?,
                expires_at: row.try_get("expires_at")?,
            })
        })
        .transpose()
    }

    /// Ends a session.
    pub async fn session_end(&self, id: &str) -> Result<(), StoreError> {
        sqlx::query("DELETE FROM sessions WHERE id = $1")
            .bind(id)
            .execute(&self.write)
            .await?;
        Ok(())
    }

    /// Keeps something that may be used once within `life`; what expired goes.
    pub async fn pass_keep(
        &self,
        id: &str,
        kind: &str,
        value: &str,
        life: Duration,
    ) -> Result<(), StoreError> {
        let now = self.now().await?;
        sqlx::query("DELETE FROM passes WHERE expires_at <= $1")
            .bind(now)
            .execute(&self.write)
            .await?;
        sqlx::query("INSERT INTO passes (id, kind, value, expires_at) VALUES ($1, $2, $3, $4)")
            .bind(id)
            .bind(kind)
            .bind(value)
            .bind(now + ms(life))
            .execute(&self.write)
            .await?;
        Ok(())
    }

    /// Uses a pass: its value, once; `None` for one that is unknown, used, expired or of another kind.
    pub async fn pass_use(&self, id: &str, kind: &str) -> Result<Option<String>, StoreError> {
        let row = sqlx::query(
            "DELETE FROM passes WHERE id = $1 AND kind = $2 AND expires_at > $3 RETURNING value",
        )
        .bind(id)
        .bind(kind)
        .bind(self.now().await?)
        .fetch_optional(&self.write)
        .await?;
        Ok(row.map(|r| r.try_get("value")).transpose()?)
    }
}
