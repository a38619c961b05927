//! What became of pull requests: merged, closed, or open still; whether people worked on them too.

use super::pages::spent;
use super::tasks::int;
use super::{Store, StoreError};
use crate::domain::Spent;
use sqlx::Row;

/// The end of a pull request, as GitHub told it. Times are milliseconds since the Unix epoch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PullEnd {
    pub repo_id: u64,
    pub number: u64,
    pub merged: bool,
    /// 0 where GitHub did not tell.
    pub opened_at: i64,
    /// 0 for now.
    pub ended_at: i64,
    pub head_sha: String,
}

/// A pull request that tasks worked on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PullRecord {
    pub number: u64,
    pub issue: u64,
    pub title: String,
    /// Tasks that worked on it; each after the first is a rework.
    pub runs: u64,
    pub last_task: i64,
    /// The model of its last task; empty where that is not known.
    pub model: String,
    pub first_at: i64,
    pub end: Option<PullEnd>,
    /// Whether the last commit was a person's when it was closed.
    pub people_committed: bool,
    pub spent: Spent,
}

impl Store {
    /// Keeps the end of a pull request that a task of mend's worked on; `false` for one of somebody
    /// else. A later end of the same one replaces it.
    pub async fn put_pull_end(&self, end: &PullEnd) -> Result<bool, StoreError> {
        let now = self.now().await?;
        let ended = match end.ended_at {
            0 => now,
            at => at,
        };
        let done = sqlx::query(
            "INSERT INTO pull_ends (repo_id, number, merged, opened_at, ended_at, head_sha) \
             SELECT $1, $2, $3, $4, $5, $6 WHERE EXISTS \
             (SELECT 1 FROM tasks WHERE repo_id = $1 AND pr_number = $2) \
             ON CONFLICT (repo_id, number) DO UPDATE SET merged = excluded.merged, \
             opened_at = excluded.opened_at, ended_at = excluded.ended_at, head_sha = excluded.head_sha",
        )
        .bind(int(end.repo_id))
        .bind(int(end.number))
        .bind(i64::from(end.merged))
        .bind(end.opened_at)
        .bind(ended)
        .bind(end.head_sha.as_str())
        .execute(&self.write)
        .await?;
        Ok(done.rows_affected() > 0)
    }

    /// The pull requests of a repository that mend worked on, the newest first.
    pub async fn pulls_of(&self, repo: u64, limit: u32) -> Result<Vec<PullRecord>, StoreError> {
        let rows = sqlx::query(
            "SELECT p.number, p.runs, p.last_task, p.first_at, p.ours, t.title, t.model, \
             t.issue_number, COALESCE(e.number, 0) AS ended, COALESCE(e.merged, 0) AS merged, \
             COALESCE(e.opened_at, 0) AS opened_at, COALESCE(e.ended_at, 0) AS ended_at, \
             COALESCE(e.head_sha, '') AS head_sha, \
             (SELECT CAST(COALESCE(SUM(s.turns), 0) AS BIGINT) FROM spending s JOIN tasks x ON x.id = s.task_id \
              WHERE x.repo_id = $1 AND x.pr_number = p.number) AS turns, \
             (SELECT CAST(COALESCE(SUM(s.tokens), 0) AS BIGINT) FROM spending s JOIN tasks x ON x.id = s.task_id \
              WHERE x.repo_id = $1 AND x.pr_number = p.number) AS tokens, \
             (SELECT CAST(COALESCE(SUM(s.microdollars), 0) AS BIGINT) FROM spending s JOIN tasks x ON x.id = s.task_id \
              WHERE x.repo_id = $1 AND x.pr_number = p.number) AS microdollars \
             FROM (SELECT a.pr_number AS number, COUNT(*) AS runs, MAX(a.id) AS last_task, \
              MIN(a.created_at) AS first_at, \
              MAX(CASE WHEN a.head_sha = b.head_sha THEN 1 ELSE 0 END) AS ours \
              FROM tasks a LEFT JOIN pull_ends b ON b.repo_id = a.repo_id AND b.number = a.pr_number \
              WHERE a.repo_id = $1 AND a.pr_number IS NOT NULL GROUP BY a.pr_number) p \
             JOIN tasks t ON t.id = p.last_task \
             LEFT JOIN pull_ends e ON e.repo_id = $1 AND e.number = p.number \
             ORDER BY p.number DESC LIMIT $2",
        )
        .bind(int(repo))
        .bind(i64::from(limit))
        .fetch_all(&self.read)
        .await?;
        rows.iter()
            .map(|row| {
                let number = |name: &str| -> Result<u64, StoreError> {
                    Ok(row.try_get::<i64, _>(name)?.unsigned_abs())
                };
                let head_sha: String = row.try_get("head_sha")?;
                let ours = number("ours")? > 0;
                let ended = number("ended")? > 0;
                Ok(PullRecord {
                    number: number("number")?,
                    issue: number("issue_number")?,
                    title: row.try_get("title")?,
                    runs: number("runs")?,
                    last_task: row.try_get("last_task")?,
                    model: row.try_get("model")?,
                    first_at: row.try_get("first_at")?,
                    people_committed: ended && !ours && !head_sha.is_empty(),
                    end: match ended {
                        false => None,
                        true => Some(PullEnd {
                            repo_id: repo,
                            number: number("number")?,
                            merged: number("merged")? > 0,
                            opened_at: row.try_get("opened_at")?,
                            ended_at: row.try_get("ended_at")?,
                            head_sha,
                        }),
                    },
                    spent: spent(row)?,
                })
            })
            .collect()
    }
}
