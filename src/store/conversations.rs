//! The conversation of a task, as it stood after its last whole turn: one row a task, written under
//! the lease, gone with the task's end.

use super::lease::held_still;
use super::{Held, Store, StoreError};
use crate::domain::{TaskId, Verdict};
use sqlx::{AnyConnection, Row};

/// Bytes of a saved conversation. What is larger is not saved: the last one that fitted stays.
pub const MOST_CONVERSATION: usize = 16 * 1024 * 1024;
/// Attempts of a task that gets further in each.
const MOST_ATTEMPTS: i64 = 12;

impl Store {
    /// Saves what the next attempt goes on with; `false` when it is too large to be kept.
    pub async fn save_conversation(&self, held: Held, state: &str) -> Result<bool, StoreError> {
        if state.len() > MOST_CONVERSATION {
            return Ok(false);
        }
        let done = sqlx::query(
            "INSERT INTO conversations (task_id, epoch, state, saved_at) \
             SELECT id, $1, $2, $3 FROM tasks WHERE id = $4 AND epoch = $1 AND state = 'running' \
             ON CONFLICT (task_id) DO UPDATE \
             SET epoch = excluded.epoch, state = excluded.state, saved_at = excluded.saved_at",
        )
        .bind(held.epoch)
        .bind(state)
        .bind(self.now().await?)
        .bind(held.id.0)
        .execute(&self.write)
        .await?;
        held_still(done.rows_affected(), held)?;
        self.goes_on(held).await?;
        Ok(true)
    }

    /// A task that got further has its attempts anew, up to [`MOST_ATTEMPTS`]: the cap is for one that ends
    /// its worker at the same place each time, not for one whose hosts go down.
    async fn goes_on(&self, held: Held) -> Result<(), StoreError> {
        sqlx::query(
            "UPDATE tasks SET max_attempts = attempt + 2 WHERE id = $1 AND epoch = $2 \
             AND max_attempts >= 3 AND max_attempts < attempt + 2 AND attempt + 2 <= $3",
        )
        .bind(held.id.0)
        .bind(held.epoch)
        .bind(MOST_ATTEMPTS)
        .execute(&self.write)
        .await?;
        Ok(())
    }

    /// What was saved last, by this attempt or one before it.
    pub async fn conversation(&self, id: TaskId) -> Result<Option<String>, StoreError> {
        // On the writing side: what was just saved must be seen.
        let row = sqlx::query("SELECT state FROM conversations WHERE task_id = $1")
            .bind(id.0)
            .fetch_optional(&self.write)
            .await?;
        Ok(row.map(|r| r.try_get("state")).transpose()?)
    }
}

/// Removes what an ended task leaves: its conversation and those of the tasks before it.
/// A task that ended in a question keeps its own, for the answer.
pub(super) async fn forget(
    connection: &mut AnyConnection,
    id: TaskId,
    verdict: Verdict,
) -> Result<(), sqlx::Error> {
    let sql = "DELETE FROM conversations WHERE task_id IN (SELECT t.id FROM tasks t, tasks ended \
               WHERE ended.id = $1 AND t.repo_id = ended.repo_id AND t.issue_id = ended.issue_id \
               AND (t.id < $1 OR (t.id = $1 AND $2 = 0)))";
    sqlx::query(sql)
        .bind(id.0)
        .bind(i64::from(verdict == Verdict::Question))
        .execute(connection)
        .await?;
    Ok(())
}
