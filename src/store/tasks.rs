//! Tasks: made once for each trigger, looked up by people and workers.

use super::quota::{Quota, Within};
use super::{Store, StoreError};
use crate::domain::{RepoName, Step, StopCause, TaskId, Trigger, Verdict};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use sqlx::any::AnyRow;
use sqlx::{AnyConnection, Row};
use std::str::FromStr;

/// Where a task stands in the queue.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum State {
    /// Waits for a worker, for its turn, or for a time.
    Queued,
    Running,
    /// Ended with a verdict.
    Done,
    /// Failed as often as it may; a person is told, then the verdict is `crashed`.
    Dead,
}

impl State {
    /// The word in the database and in JSON.
    pub fn word(self) -> &'static str {
        match self {
            State::Queued => "queued",
            State::Running => "running",
            State::Done => "done",
            State::Dead => "dead",
        }
    }

    fn read(word: &str) -> Result<State, StoreError> {
        word.parse().map_err(|_| unreadable("task state", word))
    }
}

impl FromStr for State {
    type Err = &'static str;

    fn from_str(word: &str) -> Result<State, Self::Err> {
        [State::Queued, State::Running, State::Done, State::Dead]
            .into_iter()
            .find(|s| s.word() == word)
            .ok_or("the states are queued, running, done and dead")
    }
}

/// What a parked task waits for, where people are told.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum WaitsFor {
    /// The model is busy; `Task::run_at` is when it is asked again.
    Model,
}

/// What a task has made so far; a later attempt goes on from it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Reached {
    pub status_comment_id: Option<u64>,
    /// The private git directory that holds the task's commit until it is published.
    pub store_path: Option<String>,
    pub head_sha: Option<String>,
    pub base_sha: Option<String>,
    pub pr_number: Option<u64>,
}

/// A row of the queue. Times are milliseconds since the Unix epoch.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Task {
    pub id: TaskId,
    pub trigger: Trigger,
    pub state: State,
    pub step: Option<Step>,
    pub run_at: i64,
    /// Claims so far that count.
    pub attempt: u32,
    pub max_attempts: u32,
    /// Higher ones are claimed first.
    pub priority: i64,
    pub lease_owner: Option<String>,
    pub lease_until: Option<i64>,
    pub epoch: i64,
    pub cancel_requested: bool,
    /// Why it is to stop, where it is.
    pub stop_cause: Option<StopCause>,
    pub reached: Reached,
    pub verdict: Option<Verdict>,
    pub result: Option<Value>,
    /// Why the last attempt failed, or why it is parked.
    pub error: Option<String>,
    /// What it is parked for until `run_at`.
    pub waits_for: Option<WaitsFor>,
    /// Milliseconds that it was parked for models, all times together.
    pub model_waited_ms: u64,
    /// The model that answered; empty until the end, and where none was asked.
    pub model: String,
    pub created_at: i64,
    pub updated_at: i64,
}

impl Task {
    /// When it was asked for, in seconds since the Unix epoch: by GitHub's clock where it told, else
    /// when the task was made.
    pub fn asked_at(&self) -> i64 {
        self.trigger.asked_at.unwrap_or(self.created_at / 1000)
    }
}

/// Whether a trigger made a task.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Created {
    Created(TaskId),
    /// The same trigger made this task before.
    Exists(TaskId),
}

impl Created {
    pub fn id(self) -> TaskId {
        match self {
            Created::Created(id) | Created::Exists(id) => id,
        }
    }
}

/// Which tasks a list shows; `None` means any.
#[derive(Debug, Clone, Default)]
pub struct Filter {
    pub state: Option<State>,
    /// `owner/name`.
    pub repo: Option<RepoName>,
    pub issue_number: Option<u64>,
    /// Only tasks before this one: the last of the page before.
    pub before: Option<TaskId>,
}

/// Issue ids of GitHub fit: they are far below 2^63.
pub(super) fn int(n: u64) -> i64 {
    i64::try_from(n).unwrap_or(i64::MAX)
}

impl Store {
    /// Makes the task of a trigger, or finds the one that the same trigger made before.
    pub async fn create_task(
        &self,
        trigger: &Trigger,
        max_attempts: u32,
    ) -> Result<Created, StoreError> {
        self.create_task_of(trigger, max_attempts, 0).await
    }

    /// As [`Store::create_task`], before every task of a lower priority.
    pub async fn create_task_of(
        &self,
        trigger: &Trigger,
        max_attempts: u32,
        priority: i64,
    ) -> Result<Created, StoreError> {
        let within = self
            .create_task_within(trigger, max_attempts, priority, Quota::default())
            .await?;
        match within {
            Within::Made(created) => Ok(created),
            Within::Over { .. } => Err(unreadable("quota", "none was given")),
        }
    }

    pub(super) async fn insert_task(
        &self,
        connection: &mut AnyConnection,
        trigger: &Trigger,
        (max_attempts, priority): (u32, i64),
        now: i64,
    ) -> Result<Created, StoreError> {
        let json = serde_json::to_string(trigger).map_err(|e| StoreError::Row {
            what: "trigger",
            why: e.to_string(),
        })?;
        let issue = &trigger.issue;
        let row = sqlx::query(
            "INSERT INTO tasks (key, repo_id, issue_id, issue_number, installation_id, repo_name, \
             trigger_json, run_at, max_attempts, created_at, updated_at, person_id, priority, \
             title) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $8, $8, $10, $11, $12) \
             ON CONFLICT (key) DO NOTHING RETURNING id",
        )
        .bind(trigger.key.as_str())
        .bind(int(issue.repo.id))
        .bind(int(issue.id))
        .bind(int(issue.number))
        .bind(int(issue.repo.installation_id))
        .bind(issue.repo.name.to_string())
        .bind(json)
        .bind(now)
        .bind(i64::from(max_attempts.max(1)))
        .bind(int(trigger.by.id))
        .bind(priority)
        .bind(trigger.title.replace('\0', ""))
        .fetch_optional(&mut *connection)
        .await?;
        if let Some(row) = row {
            return Ok(Created::Created(TaskId(row.try_get("id")?)));
        }
        let row = sqlx::query("SELECT id FROM tasks WHERE key = $1")
            .bind(trigger.key.as_str())
            .fetch_one(connection)
            .await?;
        Ok(Created::Exists(TaskId(row.try_get("id")?)))
    }

    pub async fn has_task_of(&self, key: &str) -> Result<bool, StoreError> {
        let row = sqlx::query("SELECT id FROM tasks WHERE key = $1")
            .bind(key)
            .fetch_optional(&self.read)
            .await?;
        Ok(row.is_some())
    }

    pub async fn task(&self, id: TaskId) -> Result<Option<Task>, StoreError> {
        let row = sqlx::query("SELECT * FROM tasks WHERE id = $1")
            .bind(id.0)
            .fetch_optional(&self.read)
            .await?;
        row.as_ref().map(read).transpose()
    }

    /// The newest task of an issue.
    pub async fn latest_task_of_issue(
        &self,
        repo_id: u64,
        issue_id: u64,
    ) -> Result<Option<Task>, StoreError> {
        let row = sqlx::query(
            "SELECT * FROM tasks WHERE repo_id = $1 AND issue_id = $2 ORDER BY id DESC LIMIT 1",
        )
        .bind(int(repo_id))
        .bind(int(issue_id))
        .fetch_optional(&self.read)
        .await?;
        row.as_ref().map(read).transpose()
    }

    /// The newest task that works on a pull request; it names the issue that the request is for.
    pub async fn latest_task_of_pull(
        &self,
        repo_id: u64,
        pr_number: u64,
    ) -> Result<Option<Task>, StoreError> {
        let row = sqlx::query(
            "SELECT * FROM tasks WHERE repo_id = $1 AND pr_number = $2 ORDER BY id DESC LIMIT 1",
        )
        .bind(int(repo_id))
        .bind(int(pr_number))
        .fetch_optional(&self.read)
        .await?;
        row.as_ref().map(read).transpose()
    }

    /// The newest pull request that was opened or updated for an issue.
    pub async fn pull_of_issue(
        &self,
        repo_id: u64,
        issue_number: u64,
    ) -> Result<Option<u64>, StoreError> {
        let row = sqlx::query(
            "SELECT pr_number FROM tasks WHERE repo_id = $1 AND issue_number = $2 \
             AND pr_number IS NOT NULL ORDER BY id DESC LIMIT 1",
        )
        .bind(int(repo_id))
        .bind(int(issue_number))
        .fetch_optional(&self.read)
        .await?;
        let number = row
            .map(|row| row.try_get::<i64, _>("pr_number"))
            .transpose()?;
        Ok(number.map(i64::unsigned_abs))
    }

    /// Tasks, newest first.
    pub async fn tasks(&self, filter: &Filter, limit: u32) -> Result<Vec<Task>, StoreError> {
        let rows = sqlx::query(
            "SELECT * FROM tasks WHERE id < $1 AND ($2 = '' OR state = $2) \
             AND ($3 = '' OR repo_name = $3) AND ($4 = 0 OR issue_number = $4) \
             ORDER BY id DESC LIMIT $5",
        )
        .bind(filter.before.map_or(i64::MAX, |id| id.0))
        .bind(filter.state.map_or("", State::word))
        .bind(
            filter
                .repo
                .as_ref()
                .map_or(String::new(), |r| r.to_string()),
        )
        .bind(filter.issue_number.map_or(0, int))
        .bind(i64::from(limit))
        .fetch_all(&self.read)
        .await?;
        rows.iter().map(read).collect()
    }
}

/// A row of `tasks`, read.
pub(super) fn read(row: &AnyRow) -> Result<Task, StoreError> {
    let trigger: String = row.try_get("trigger_json")?;
    let state: String = row.try_get("state")?;
    let step: Option<String> = row.try_get("step")?;
    let verdict: Option<String> = row.try_get("verdict")?;
    let result: Option<String> = row.try_get("result")?;
    let waits_for: Option<String> = row.try_get("waits_for")?;
    let stop_cause: Option<String> = row.try_get("stop_cause")?;
    let number = |name: &str| -> Result<Option<u64>, StoreError> {
        let n: Option<i64> = row.try_get(name)?;
        Ok(n.map(i64::unsigned_abs))
    };
    let count = |name: &str| -> Result<u32, StoreError> {
        let n: i64 = row.try_get(name)?;
        Ok(u32::try_from(n).unwrap_or(0))
    };
    Ok(Task {
        id: TaskId(row.try_get("id")?),
        trigger: serde_json::from_str(&trigger).map_err(|e| unreadable("trigger", e))?,
        state: State::read(&state)?,
        step: step.map(|s| word("step", &s)).transpose()?,
        run_at: row.try_get("run_at")?,
        attempt: count("attempt")?,
        max_attempts: count("max_attempts")?,
        priority: row.try_get("priority")?,
        lease_owner: row.try_get("lease_owner")?,
        lease_until: row.try_get("lease_until")?,
        epoch: row.try_get("epoch")?,
        cancel_requested: row.try_get::<i64, _>("cancel_requested")? != 0,
        stop_cause: stop_cause.map(|c| word("stop cause", &c)).transpose()?,
        reached: Reached {
            status_comment_id: number("status_comment_id")?,
            store_path: row.try_get("store_path")?,
            head_sha: row.try_get("head_sha")?,
            base_sha: row.try_get("base_sha")?,
            pr_number: number("pr_number")?,
        },
        verdict: verdict.map(|v| word("verdict", &v)).transpose()?,
        result: result
            .map(|r| serde_json::from_str(&r).map_err(|e| unreadable("result", e)))
            .transpose()?,
        error: row.try_get("error")?,
        waits_for: waits_for
            .map(|w| word("what it waits for", &w))
            .transpose()?,
        model_waited_ms: row.try_get::<i64, _>("model_waited_ms")?.unsigned_abs(),
        model: row.try_get("model")?,
        created_at: row.try_get("created_at")?,
        updated_at: row.try_get("updated_at")?,
    })
}

/// A word of the vocabulary, by the name that serde gives it.
fn word<T: serde::de::DeserializeOwned>(what: &'static str, text: &str) -> Result<T, StoreError> {
    serde_json::from_value(Value::String(text.into())).map_err(|e| unreadable(what, e))
}

fn unreadable(what: &'static str, why: impl std::fmt::Display) -> StoreError {
    StoreError::Row {
        what,
        why: why.to_string(),
    }
}
