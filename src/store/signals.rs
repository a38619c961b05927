//! What people send to a task that waits or runs: stop, guidance; and the wake-up of those who wait.

use super::lease::held_still;
use super::tasks::{int, read};
use super::{Held, State, Store, StoreError, Task};
use crate::domain::{StopCause, TaskId};
use sqlx::Row;
use std::future::Future;

/// Asks to stop, for the first cause that was given. A task that waits becomes due at once, so that
/// a worker ends it in words.
macro_rules! stop {
    ($which:literal) => {
        concat!(
            "UPDATE tasks SET cancel_requested = 1, stop_cause = COALESCE(stop_cause, $2), \
             run_at = CASE WHEN run_at > $1 THEN $1 ELSE run_at END, updated_at = $1 \
             WHERE state IN ('queued', 'running') AND ",
            $which,
            " RETURNING id"
        )
    };
}

impl Store {
    /// Asks to stop a task that waits or runs, since somebody said so; `false` when it has ended.
    pub async fn cancel(&self, id: TaskId) -> Result<bool, StoreError> {
        self.stop(id, StopCause::Asked).await
    }

    /// As [`Store::cancel`], for this cause.
    pub async fn stop(&self, id: TaskId, cause: StopCause) -> Result<bool, StoreError> {
        let rows = sqlx::query(stop!("id = $3"))
            .bind(self.now().await?)
            .bind(cause.word())
            .bind(id.0)
            .fetch_all(&self.write)
            .await?;
        Ok(!self.stopped(rows)?.is_empty())
    }

    /// Asks to stop every task of an issue that waits or runs, since somebody said so; returns them.
    pub async fn cancel_issue(
        &self,
        repo_id: u64,
        issue_id: u64,
    ) -> Result<Vec<TaskId>, StoreError> {
        let rows = sqlx::query(stop!("repo_id = $3 AND issue_id = $4"))
            .bind(self.now().await?)
            .bind(StopCause::Asked.word())
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
        cause: StopCause,
    ) -> Result<Vec<TaskId>, StoreError> {
        let which = stop!("installation_id = $3 AND ($4 = 0 OR repo_id = $4)");
        let rows = sqlx::query(which)
            .bind(self.now().await?)
            .bind(cause.word())
            .bind(int(installation_id))
            .bind(repo_id.map_or(0, int))
            .fetch_all(&self.write)
            .await?;
        self.stopped(rows)
    }

    /// Why a task is to stop; `None` where it is not.
    pub async fn stop_cause(&self, id: TaskId) -> Result<Option<StopCause>, StoreError> {
        Ok(self.task(id).await?.and_then(|task| task.stop_cause))
    }

    /// The tasks of an issue that wait or run, oldest first.
    pub async fn open_tasks(&self, repo_id: u64, issue_id: u64) -> Result<Vec<Task>, StoreError> {
        let rows = sqlx::query(
            "SELECT * FROM tasks WHERE repo_id = $1 AND issue_id = $2 \
             AND state IN ('queued', 'running') ORDER BY id",
        )
        .bind(int(repo_id))
        .bind(int(issue_id))
        .fetch_all(&self.write)
        .await?;
        rows.iter().map(read).collect()
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
