//! Tasks that wait for their turn, and what people were told of that. Whoever tells has the task for
//! a moment: meanwhile no worker claims it, so that two never write its comment at once.

use super::tasks::{int, read};
use super::{Store, StoreError, Task, ms};
use crate::domain::TaskId;
use sqlx::Row;
use std::time::Duration;

impl Store {
    /// Tasks that wait although they are to stop; whoever claims one ends it at once.
    pub async fn stopped_waiting(&self, limit: u32) -> Result<Vec<TaskId>, StoreError> {
        let rows = sqlx::query(
            "SELECT id FROM tasks WHERE state = 'queued' AND cancel_requested = 1 \
             ORDER BY id LIMIT $1",
        )
        .bind(i64::from(limit))
        .fetch_all(&self.read)
        .await?;
        rows.iter()
            .map(|row| Ok(TaskId(row.try_get("id")?)))
            .collect()
    }

    /// Tasks that have waited for their turn for `least`, and whose people were told nothing of it
    /// for `again`; those that come first, first.
    pub async fn untold_waiting(
        &self,
        least: Duration,
        again: Duration,
        limit: u32,
    ) -> Result<Vec<TaskId>, StoreError> {
        let now = self.now().await?;
        let rows = sqlx::query(
            "SELECT id FROM tasks WHERE state = 'queued' AND cancel_requested = 0 \
             AND run_at <= $1 AND run_at <= $2 AND telling_until <= $1 \
             AND (told_place IS NULL OR told_at <= $3) ORDER BY id LIMIT $4",
        )
        .bind(now)
        .bind(now - ms(least))
        .bind(now - ms(again))
        .bind(i64::from(limit))
        .fetch_all(&self.read)
        .await?;
        rows.iter()
            .map(|row| Ok(TaskId(row.try_get("id")?)))
            .collect()
    }

    /// Takes a waiting task to tell its people, for so long; `None` where it no longer waits, another
    /// tells already, or nothing is new. Also how many run before it.
    pub async fn tell_waiting(
        &self,
        id: TaskId,
        hold: Duration,
    ) -> Result<Option<(Task, u64)>, StoreError> {
        let before = self.place_in_queue(id).await?;
        let now = self.now().await?;
        let row = sqlx::query(
            "UPDATE tasks SET told_at = $1, \
             telling_until = CASE WHEN told_place = $2 THEN 0 ELSE $3 END \
             WHERE id = $4 AND state = 'queued' AND cancel_requested = 0 AND telling_until <= $1 \
             RETURNING *",
        )
        .bind(now)
        .bind(int(before))
        .bind(now + ms(hold))
        .bind(id.0)
        .fetch_optional(&self.write)
        .await?;
        let Some(row) = row else { return Ok(None) };
        let known: Option<i64> = row.try_get("told_place")?;
        Ok(match known == Some(int(before)) {
            true => None,
            false => Some((read(&row)?, before)),
        })
    }

    /// Records what was told, and lets workers have the task.
    pub async fn told_waiting(
        &self,
        id: TaskId,
        comment_id: u64,
        before: u64,
    ) -> Result<(), StoreError> {
        sqlx::query(
            "UPDATE tasks SET telling_until = 0, told_place = $1, \
             status_comment_id = COALESCE(status_comment_id, $2) WHERE id = $3 AND state = 'queued'",
        )
        .bind(int(before))
        .bind(int(comment_id))
        .bind(id.0)
        .execute(&self.write)
        .await?;
        self.tasks_changed.ring();
        Ok(())
    }

    /// How many tasks would run before this one if nothing else came in.
    pub async fn place_in_queue(&self, id: TaskId) -> Result<u64, StoreError> {
        let row = sqlx::query(
            "SELECT COUNT(*) AS n FROM tasks t, tasks own WHERE own.id = $2 \
             AND t.state = 'queued' AND t.run_at <= $1 AND (t.priority > own.priority \
             OR (t.priority = own.priority AND t.id < own.id))",
        )
        .bind(self.now().await?)
        .bind(id.0)
        .fetch_one(&self.read)
        .await?;
        let n: i64 = row.try_get("n")?;
        Ok(n.unsigned_abs())
    }
}
