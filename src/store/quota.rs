//! How many tasks may be made in an hour, for a person, a repository and an installation.

use super::tasks::{Created, int};
use super::{Store, StoreError};
use crate::domain::Trigger;
use sqlx::{AnyConnection, Row};

const HOUR_MS: i64 = 3600 * 1000;

/// Tasks in an hour; 0 is any number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Quota {
    pub person: u32,
    pub repo: u32,
    pub installation: u32,
}

/// Whose quota it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Scope {
    Person,
    Repo,
    Installation,
}

impl Scope {
    fn sql(self) -> &'static str {
        match self {
            Scope::Person => {
                "SELECT COUNT(*) AS n FROM tasks WHERE person_id = $1 AND created_at > $2"
            }
            Scope::Repo => "SELECT COUNT(*) AS n FROM tasks WHERE repo_id = $1 AND created_at > $2",
            Scope::Installation => {
                "SELECT COUNT(*) AS n FROM tasks WHERE installation_id = $1 AND created_at > $2"
            }
        }
    }
}

/// What became of a trigger under a quota.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Within {
    Made(Created),
    /// No task was made: so many were made in the hour before.
    Over {
        scope: Scope,
        most: u32,
    },
}

impl Store {
    /// As [`Store::create_task`], as long as the quota is kept. A trigger that made a task before
    /// finds it, whatever was made since.
    pub async fn create_task_within(
        &self,
        trigger: &Trigger,
        max_attempts: u32,
        priority: i64,
        quota: Quota,
    ) -> Result<Within, StoreError> {
        let now = self.now().await?;
        let mut tx = self.write.begin_with(self.dialect.begin()).await?;
        let created = self
            .insert_task(&mut tx, trigger, (max_attempts, priority), now)
            .await?;
        if let Created::Created(_) = created {
            let repo = &trigger.issue.repo;
            for (scope, id, most) in [
                (Scope::Person, trigger.by.id, quota.person),
                (Scope::Repo, repo.id, quota.repo),
                (
                    Scope::Installation,
                    repo.installation_id,
                    quota.installation,
                ),
            ] {
                if most > 0 && made(&mut tx, scope, id, now).await? > u64::from(most) {
                    tx.rollback().await?;
                    return Ok(Within::Over { scope, most });
                }
            }
        }
        tx.commit().await?;
        if let Created::Created(_) = created {
            self.tasks_changed.ring();
        }
        Ok(Within::Made(created))
    }
}

/// The tasks that were made in the last hour.
async fn made(
    connection: &mut AnyConnection,
    scope: Scope,
    id: u64,
    now: i64,
) -> Result<u64, StoreError> {
    let row = sqlx::query(scope.sql())
        .bind(int(id))
        .bind(now - HOUR_MS)
        .fetch_one(connection)
        .await?;
    Ok(row.try_get::<i64, _>("n")?.unsigned_abs())
}
