//! Which task is next: of those that are due, the highest priority first; among equals the
//! installation that was served longest ago, so that five hundred tasks of one do not keep another
//! waiting; then the oldest. Limits on how many run count over all workers of the database.

use super::tasks::{int, read};
use super::{Claimed, Dialect, Held, Store, StoreError, ms};
use crate::domain::TaskId;
use sqlx::AnyConnection;
use std::time::Duration;

/// How many tasks may run at the same time, over all workers, and which; `None` where nothing limits
/// them.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Room {
    pub total: Option<u32>,
    pub per_installation: Option<u32>,
    pub per_repo: Option<u32>,
    /// This task and no other.
    pub only: Option<TaskId>,
}

/// A task whose issue has neither a running task nor an older waiting one, and for which there is
/// room.
macro_rules! claim {
    ($lock:literal) => {
        concat!(
            "UPDATE tasks SET state = 'running', lease_owner = $1, lease_until = $2, \
             epoch = epoch + 1, attempt = attempt + 1, waits_for = NULL, updated_at = $3 \
             WHERE state = 'queued' AND id = (SELECT t.id FROM tasks t \
             LEFT JOIN rotation served ON served.installation_id = t.installation_id \
             WHERE t.state = 'queued' AND t.run_at <= $3 AND t.telling_until <= $3 AND ($7 = 0 OR t.id = $7) \
             AND NOT EXISTS (SELECT 1 FROM tasks r WHERE r.state = 'running' \
             AND r.repo_id = t.repo_id AND r.issue_id = t.issue_id) \
             AND NOT EXISTS (SELECT 1 FROM tasks w WHERE w.state = 'queued' \
             AND w.repo_id = t.repo_id AND w.issue_id = t.issue_id AND w.id < t.id) \
             AND (SELECT COUNT(*) FROM tasks r WHERE r.state = 'running' \
             AND r.repo_id = t.repo_id) < $4 \
             AND (SELECT COUNT(*) FROM tasks r WHERE r.state = 'running' \
             AND r.installation_id = t.installation_id) < $5 \
             AND (SELECT COUNT(*) FROM tasks r WHERE r.state = 'running') < $6 \
             ORDER BY t.priority DESC, COALESCE(served.turn, 0), t.run_at, t.id LIMIT 1",
            $lock,
            ") RETURNING *"
        )
    };
}

/// Claims on a PostgreSQL wait for each other here: two that count at the same time would both find
/// the last place. A claim takes a moment, a task takes minutes. The number is mend's own.
const ONE_AT_A_TIME: &str =
    "SELECT 1 AS one FROM (SELECT pg_advisory_xact_lock(7236940)) AS waited";

/// How often a claim looks again after another worker was faster.
const RACES: u32 = 5;

impl Store {
    /// Claims the next task that is due, for `lease`; `None` when there is none.
    pub async fn claim(
        &self,
        worker: &str,
        lease: Duration,
    ) -> Result<Option<Claimed>, StoreError> {
        self.claim_within(worker, lease, Room::default()).await
    }

    /// As [`Store::claim`], of those for which there is room.
    pub async fn claim_within(
        &self,
        worker: &str,
        lease: Duration,
        room: Room,
    ) -> Result<Option<Claimed>, StoreError> {
        for _ in 0..RACES {
            match self.try_claim(worker, lease, room).await {
                // Another worker took a task of the same issue in the same moment.
                Err(e) if e.is_unique_violation() => {}
                result => return result,
            }
        }
        Ok(None)
    }

    async fn try_claim(
        &self,
        worker: &str,
        lease: Duration,
        room: Room,
    ) -> Result<Option<Claimed>, StoreError> {
        let now = self.now().await?;
        let mut tx = self.write.begin_with(self.dialect.begin()).await?;
        let sql = match self.dialect {
            Dialect::Sqlite => claim!(""),
            Dialect::Postgres => {
                sqlx::query(ONE_AT_A_TIME).execute(&mut *tx).await?;
                claim!(" FOR UPDATE OF t SKIP LOCKED")
            }
        };
        let most = |limit: Option<u32>| limit.map_or(i64::MAX, i64::from);
        let row = sqlx::query(sql)
            .bind(worker)
            .bind(now + ms(lease))
            .bind(now)
            .bind(most(room.per_repo))
            .bind(most(room.per_installation))
            .bind(most(room.total))
            .bind(room.only.map_or(0, |id| id.0))
            .fetch_optional(&mut *tx)
            .await?;
        let Some(task) = row.as_ref().map(read).transpose()? else {
            return Ok(None);
        };
        served(&mut tx, task.trigger.issue.repo.installation_id).await?;
        tx.commit().await?;
        let held = Held {
            id: task.id,
            epoch: task.epoch,
        };
        Ok(Some(Claimed { held, task }))
    }
}

/// The installation had its turn.
async fn served(connection: &mut AnyConnection, installation: u64) -> Result<(), sqlx::Error> {
    sqlx::query(
        "INSERT INTO rotation (installation_id, turn) \
         SELECT $1, COALESCE(MAX(turn), 0) + 1 FROM rotation WHERE 1 = 1 \
         ON CONFLICT (installation_id) DO UPDATE SET turn = excluded.turn",
    )
    .bind(int(installation))
    .execute(connection)
    .await?;
    Ok(())
}
