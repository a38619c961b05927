//! Who works on a task: claim, heartbeat, checkpoints, endings. Every write names the epoch of its
//! claim, so that one who lost the lease changes nothing.

use super::conversations::forget;
use super::tasks::{int, read};
use super::{Reached, Store, StoreError, Task, ms};
use crate::domain::{Step, TaskId, Verdict};
use serde_json::Value;
use sqlx::Row;
use std::time::Duration;

/// Proof of a claim: the task and the epoch that the claim gave.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Held {
    pub id: TaskId,
    pub epoch: i64,
}

/// A task that this worker holds now.
#[derive(Debug, Clone)]
pub struct Claimed {
    pub held: Held,
    pub task: Task,
}

/// What a heartbeat tells.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Beat {
    /// Somebody asked to stop the task.
    pub cancel_requested: bool,
}

/// What follows a failed attempt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Failed {
    /// It waits for its next attempt.
    Again,
    /// That was its last one: tell a person, then [`Store::bury`] it.
    Dead,
}

impl Store {
    /// Prolongs the lease to `lease` from now, and tells whether a stop was asked for.
    /// An error of [`StoreError::LostLease`] means: end the sandbox, make no further effect.
    pub async fn heartbeat(&self, held: Held, lease: Duration) -> Result<Beat, StoreError> {
        let row = sqlx::query(
            "UPDATE tasks SET lease_until = $1 \
             WHERE id = $2 AND epoch = $3 AND state = 'running' RETURNING cancel_requested",
        )
        .bind(self.now().await? + ms(lease))
        .bind(held.id.0)
        .bind(held.epoch)
        .fetch_optional(&self.write)
        .await?
        .ok_or(StoreError::LostLease(held.id))?;
        Ok(Beat {
            cancel_requested: row.try_get::<i64, _>("cancel_requested")? != 0,
        })
    }

    /// Records a step before it begins, with what was reached so far; `None` keeps what stands.
    pub async fn step(&self, held: Held, step: Step, reached: &Reached) -> Result<(), StoreError> {
        let done = sqlx::query(
            "UPDATE tasks SET step = $1, updated_at = $2, \
             status_comment_id = COALESCE($3, status_comment_id), \
             store_path = COALESCE($4, store_path), head_sha = COALESCE($5, head_sha), \
             base_sha = COALESCE($6, base_sha), pr_number = COALESCE($7, pr_number) \
             WHERE id = $8 AND epoch = $9 AND state = 'running'",
        )
        .bind(step.word())
        .bind(self.now().await?)
        .bind(reached.status_comment_id.map(int))
        .bind(reached.store_path.as_deref())
        .bind(reached.head_sha.as_deref())
        .bind(reached.base_sha.as_deref())
        .bind(reached.pr_number.map(int))
        .bind(held.id.0)
        .bind(held.epoch)
        .execute(&self.write)
        .await?;
        held_still(done.rows_affected(), held)
    }

    /// Ends a task with its verdict.
    pub async fn finish(
        &self,
        held: Held,
        verdict: Verdict,
        result: &Value,
    ) -> Result<(), StoreError> {
        let now = self.now().await?;
        let mut tx = self.write.begin_with(self.dialect.begin()).await?;
        let done = sqlx::query(
            "UPDATE tasks SET state = 'done', verdict = $1, result = $2, error = NULL, \
             lease_owner = NULL, lease_until = NULL, updated_at = $3, model = $6 \
             WHERE id = $4 AND epoch = $5 AND state = 'running'",
        )
        .bind(verdict.word())
        .bind(result.to_string())
        .bind(now)
        .bind(held.id.0)
        .bind(held.epoch)
        .bind(result["model"].as_str().unwrap_or_default())
        .execute(&mut *tx)
        .await?;
        held_still(done.rows_affected(), held)?;
        forget(&mut tx, held.id, verdict).await?;
        tx.commit().await?;
        self.tally.end(verdict);
        self.tasks_changed.ring();
        Ok(())
    }

    /// Ends an attempt that failed: again after `retry_in`, or dead when it was the last one.
    /// `error` is stored as it is given: redact it before.
    pub async fn fail(
        &self,
        held: Held,
        error: &str,
        retry_in: Duration,
    ) -> Result<Failed, StoreError> {
        let now = self.now().await?;
        let row = sqlx::query(
            "UPDATE tasks SET state = CASE WHEN attempt >= max_attempts THEN 'dead' ELSE 'queued' END, \
             error = $1, run_at = $2, lease_owner = NULL, lease_until = NULL, updated_at = $3 \
             WHERE id = $4 AND epoch = $5 AND state = 'running' RETURNING state",
        )
        .bind(error)
        .bind(now + ms(retry_in))
        .bind(now)
        .bind(held.id.0)
        .bind(held.epoch)
        .fetch_optional(&self.write)
        .await?
        .ok_or(StoreError::LostLease(held.id))?;
        self.tasks_changed.ring();
        let state: String = row.try_get("state")?;
        Ok(match state.as_str() {
            "dead" => Failed::Dead,
            _ => Failed::Again,
        })
    }

    /// Gives a task back until a time, without counting the attempt: GitHub asks to wait, or (with
    /// no wait) the server shuts down. A stop that was asked for meanwhile makes it due at once.
    pub async fn park(&self, held: Held, wait: Duration, reason: &str) -> Result<(), StoreError> {
        self.set_aside(held, wait, reason, None, false).await
    }

    /// As [`Store::park`], of a task that is known to be stopped and whose people cannot be told
    /// before then.
    pub async fn park_stopped(
        &self,
        held: Held,
        wait: Duration,
        reason: &str,
    ) -> Result<(), StoreError> {
        self.set_aside(held, wait, reason, None, true).await
    }

    /// As [`Store::park`], for a model that is busy until then; the wait is added to
    /// [`Task::model_waited_ms`].
    pub async fn park_for_model(
        &self,
        held: Held,
        wait: Duration,
        reason: &str,
    ) -> Result<(), StoreError> {
        self.set_aside(held, wait, reason, Some("model"), false)
            .await
    }

    async fn set_aside(
        &self,
        held: Held,
        wait: Duration,
        reason: &str,
        waits_for: Option<&str>,
        stopped: bool,
    ) -> Result<(), StoreError> {
        let now = self.now().await?;
        let waited = waits_for.map_or(0, |_| ms(wait));
        let done = sqlx::query(
            "UPDATE tasks SET state = 'queued', attempt = attempt - 1, \
             run_at = CASE WHEN cancel_requested > $8 THEN $3 ELSE $1 END, error = $2, \
             waits_for = $4, model_waited_ms = model_waited_ms + $5, \
             lease_owner = NULL, lease_until = NULL, updated_at = $3 \
             WHERE id = $6 AND epoch = $7 AND state = 'running'",
        )
        .bind(now + ms(wait))
        .bind(reason)
        .bind(now)
        .bind(waits_for)
        .bind(waited)
        .bind(held.id.0)
        .bind(held.epoch)
        .bind(i64::from(stopped))
        .execute(&self.write)
        .await?;
        self.tasks_changed.ring();
        held_still(done.rows_affected(), held)
    }

    /// Takes expired leases away: a task goes back to the queue after `retry_in`, or is dead when
    /// it has no attempt left. Returns every dead task whose people were not told yet: tell them,
    /// then [`Store::bury`] it.
    pub async fn reap(&self, retry_in: Duration) -> Result<Vec<Task>, StoreError> {
        let now = self.now().await?;
        let done = sqlx::query(
            "UPDATE tasks SET state = CASE WHEN attempt >= max_attempts THEN 'dead' ELSE 'queued' END, \
             epoch = epoch + 1, run_at = $1, lease_owner = NULL, lease_until = NULL, \
             error = 'the worker stopped in the middle of it', updated_at = $2 \
             WHERE state = 'running' AND lease_until <= $2",
        )
        .bind(now + ms(retry_in))
        .bind(now)
        .execute(&self.write)
        .await?;
        if done.rows_affected() > 0 {
            self.tasks_changed.ring();
        }
        let rows = sqlx::query(
            "SELECT * FROM tasks WHERE state = 'dead' AND verdict IS NULL ORDER BY id LIMIT 100",
        )
        .fetch_all(&self.write)
        .await?;
        rows.iter().map(read).collect()
    }

    /// Takes at once what `worker` held before it died: its successor of the same name knows that it
    /// is gone and need not wait for the leases to run out. Returns how many.
    pub async fn release(&self, worker: &str) -> Result<u64, StoreError> {
        let done = sqlx::query(
            "UPDATE tasks SET state = CASE WHEN attempt >= max_attempts THEN 'dead' ELSE 'queued' END, \
             epoch = epoch + 1, run_at = $1, lease_owner = NULL, lease_until = NULL, \
             error = 'the worker stopped in the middle of it', updated_at = $1 \
             WHERE state = 'running' AND lease_owner = $2",
        )
        .bind(self.now().await?)
        .bind(worker)
        .execute(&self.write)
        .await?;
        self.tasks_changed.ring();
        Ok(done.rows_affected())
    }

    /// Ends a dead task, after its people were told.
    pub async fn bury(&self, id: TaskId, verdict: Verdict) -> Result<(), StoreError> {
        let now = self.now().await?;
        let mut tx = self.write.begin_with(self.dialect.begin()).await?;
        let done = sqlx::query(
            "UPDATE tasks SET verdict = $1, updated_at = $2 \
             WHERE id = $3 AND state = 'dead' AND verdict IS NULL",
        )
        .bind(verdict.word())
        .bind(now)
        .bind(id.0)
        .execute(&mut *tx)
        .await?;
        forget(&mut tx, id, verdict).await?;
        tx.commit().await?;
        if done.rows_affected() > 0 {
            self.tally.end(verdict);
        }
        Ok(())
    }
}

pub(super) fn held_still(rows: u64, held: Held) -> Result<(), StoreError> {
    match rows {
        0 => Err(StoreError::LostLease(held.id)),
        _ => Ok(()),
    }
}
