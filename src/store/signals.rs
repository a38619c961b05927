//! What people send to a task that waits or runs: stop, guidance; and the wake-up of those who wait.

use super::lease::held_still;
use super::tasks::int;
use super::{Held, State, Store, StoreError};
use crate::domain::TaskId;
use sqlx::Row;
use std::future::Future;

impl Store {
    /// Asks to stop a task that waits or runs; `false` when it has ended. One that waits becomes
    /// due at once, so that a worker ends it in words.
    pub async fn cancel(&self, id: TaskId) -> Result<bool, StoreError> {
        let done = sqlx::query(
            "UPDATE tasks SET cancel_requested = 1, \
             run_at = CASE WHEN run_at > $1 THEN $1 ELSE run_at END, updated_at = $1 \
             WHERE id = $2 AND state IN ('queued', 'running')",
        )
        .bind(self.now().await?)
        .bind(id.0)
        .execute(&self.write)
        .await?;
        self.tasks_changed.ring();
        Ok(done.rows_affected() > 0)
    }

    /// Asks to stop every task of an issue that waits or runs; returns them.
    pub async fn cancel_issue(
        &self,
        repo_id: u64,
        issue_id: u64,
    ) -> Result<Vec<TaskId>, StoreError> {
        let rows = sqlx::query(
            "UPDATE tasks SET cancel_requested = 1, \
             run_at = CASE WHEN run_at > $1 THEN $1 ELSE run_at END, updated_at = $1 \
             WHERE repo_id = $2 AND issue_id = $3 AND state IN ('queued', 'running') RETURNING id",
        )
        .bind(self.now().await?)
        .bind(int(repo_id))
        .bind(int(issue_id))
        .fetch_all(&self.write)
        .await?;
        self.stopped(rows)
    }

    /// Asks to stop every task of an installation, or of one of its repositories: mend was removed
    /// or suspended there.
    pub async fn cancel_installation(
        &self,
        installation_id: u64,
        repo_id: Option<u64>,
    ) -> Result<Vec<TaskId>, StoreError> {
        let rows = sqlx::query(
            "UPDATE tasks SET cancel_requested = 1, \
             run_at = CASE WHEN run_at > $1 THEN $1 ELSE run_at END, updated_at = $1 \
             WHERE installation_id = $2 AND ($3 = 0 OR repo_id = $3) \
             AND state IN ('queued', 'running') RETURNING id",
        )
        .bind(self.now().await?)
        .bind(int(installation_id))
        .bind(repo_id.map_or(0, int))
        .fetch_all(&self.write)
        .await?;
        self.stopped(rows)
    }

    fn stopped(&self, rows: Vec<sqlx::any::AnyRow>) -> Result<Vec<TaskId>, StoreError> {
        self.tasks_changed.ring();
        let mut ids = rows
            .iter()
            .map(|row| Ok(TaskId(row.try_get("id")?)))
            .collect::<Result<Vec<_>, StoreError>>()?;
        ids.sort();
        Ok(ids)
    }

    pub async fn is_cancel_requested(&self, id: TaskId) -> Result<bool, StoreError> {
        let row = sqlx::query("SELECT cancel_requested FROM tasks WHERE id = $1")
            .bind(id.0)
            .fetch_optional(&self.read)
            .await?
            .ok_or(StoreError::NoTask(id))?;
        Ok(row.try_get::<i64, _>("cancel_requested")? != 0)
    }

    /// Adds guidance for a task that waits or runs, the same text once; `false` when it has ended.
    pub async fn steer_add(&self, id: TaskId, text: &str) -> Result<bool, StoreError> {
        let done = sqlx::query(
            "INSERT INTO steer (task_id, text) SELECT id, $1 FROM tasks \
             WHERE id = $2 AND state IN ('queued', 'running') \
             AND NOT EXISTS (SELECT 1 FROM steer WHERE task_id = $2 AND text = $1)",
        )
        .bind(text)
        .bind(id.0)
        .execute(&self.write)
        .await?;
        self.tasks_changed.ring();
        if done.rows_affected() > 0 {
            return Ok(true);
        }
        let task = self.task(id).await?.ok_or(StoreError::NoTask(id))?;
        Ok(matches!(task.state, State::Queued | State::Running))
    }

    /// Takes the guidance that this attempt has not taken yet, oldest first. A later attempt
    /// starts its conversation anew, so it gets all of it again.
    pub async fn steer_take(&self, held: Held) -> Result<Vec<String>, StoreError> {
        let mut tx = self.write.begin_with(self.dialect.begin()).await?;
        let owner = sqlx::query("SELECT id FROM tasks WHERE id = $1 AND epoch = $2")
            .bind(held.id.0)
            .bind(held.epoch)
            .fetch_all(&mut *tx)
            .await?;
        held_still(owner.len() as u64, held)?;
        let rows = sqlx::query(
            "UPDATE steer SET taken = $1 WHERE task_id = $2 AND taken < $1 RETURNING id, text",
        )
        .bind(held.epoch)
        .bind(held.id.0)
        .fetch_all(&mut *tx)
        .await?;
        tx.commit().await?;
        let mut found = rows
            .iter()
            .map(|row| Ok((row.try_get("id")?, row.try_get("text")?)))
            .collect::<Result<Vec<(i64, String)>, StoreError>>()?;
        found.sort();
        Ok(found.into_iter().map(|(_, text)| text).collect())
    }

    /// Resolves when a task was made, ended, parked, stopped or steered, by this process or by
    /// another one on the same PostgreSQL. Call it before the query whose answer it would change,
    /// and poll now and then all the same: a notice may be lost with its connection.
    pub fn tasks_changed(&self) -> impl Future<Output = ()> + Send + 'static {
        self.tasks_changed.heard()
    }

    /// As [`Store::tasks_changed`], for deliveries.
    pub fn deliveries_changed(&self) -> impl Future<Output = ()> + Send + 'static {
        self.deliveries_changed.heard()
    }
}
