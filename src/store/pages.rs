//! What pages list, count and search. Every question names the repositories that whoever asks may
//! read.

use super::tasks::{int, read};
use super::{State, Store, StoreError, Task};
use crate::domain::{RepoName, Spent, TaskId};
use sqlx::any::AnyRow;
use sqlx::query::Query;
use sqlx::{Any, AssertSqlSafe, Row};

/// Repositories that one question names at most.
const MOST_REPOS: usize = 1000;
pub(super) const DAY_MS: i64 = 24 * 3600 * 1000;

/// The repositories, by GitHub's ids, that somebody may read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Sight {
    /// The operator sees everything.
    All,
    Only(Vec<u64>),
}

impl Sight {
    pub fn sees(&self, repo: u64) -> bool {
        match self {
            Sight::All => true,
            Sight::Only(ids) => ids.contains(&repo),
        }
    }

    /// The condition on `column`, with parameters from `first` on.
    fn sql(&self, column: &str, first: usize) -> String {
        match self {
            Sight::All => "1 = 1".to_string(),
            Sight::Only(ids) if ids.is_empty() => "1 = 0".to_string(),
            Sight::Only(ids) => {
                let many = ids.len().min(MOST_REPOS);
                let all: Vec<String> = (first..first + many).map(|n| format!("${n}")).collect();
                format!("{column} IN ({})", all.join(", "))
            }
        }
    }

    fn bind<'q>(
        &self,
        mut query: Query<'q, Any, sqlx::any::AnyArguments>,
    ) -> Query<'q, Any, sqlx::any::AnyArguments> {
        if let Sight::Only(ids) = self {
            for id in ids.iter().take(MOST_REPOS) {
                query = query.bind(int(*id));
            }
        }
        query
    }
}

/// What is looked for; `None` and empty mean any.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Search {
    /// Stands in the title or in the repository's name.
    pub text: String,
    pub repo: Option<RepoName>,
    pub issue: Option<u64>,
    pub state: Option<State>,
    /// The word of a verdict.
    pub verdict: Option<String>,
    /// Only tasks before this one: the last of the page before.
    pub before: Option<TaskId>,
}

/// A repository that tasks were made in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KnownRepo {
    pub id: u64,
    pub name: String,
    pub tasks: u64,
    pub last_task: i64,
}

/// Tasks that ended on a day (whole days since the Unix epoch, UTC) with a verdict.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DayVerdict {
    pub day: i64,
    pub verdict: String,
    pub tasks: u64,
}

impl Store {
    /// Tasks that somebody may see, newest first.
    pub async fn search(
        &self,
        sight: &Sight,
        wanted: &Search,
        limit: u32,
    ) -> Result<Vec<Task>, StoreError> {
        let sql = format!(
            "SELECT * FROM tasks WHERE id < $1 AND ($2 = '' OR state = $2) \
             AND ($3 = '' OR repo_name = $3) AND ($4 = 0 OR issue_number = $4) \
             AND ($5 = '' OR verdict = $5) \
             AND ($6 = '' OR LOWER(title) LIKE $6 ESCAPE '!' OR LOWER(repo_name) LIKE $6 ESCAPE '!') \
             AND {} ORDER BY id DESC LIMIT $7",
            sight.sql("repo_id", 8)
        );
        let name = wanted
            .repo
            .as_ref()
            .map_or(String::new(), |r| r.to_string());
        let query = sqlx::query(AssertSqlSafe(sql))
            .bind(wanted.before.map_or(i64::MAX, |id| id.0))
            .bind(wanted.state.map_or("", State::word))
            .bind(name)
            .bind(wanted.issue.map_or(0, int))
            .bind(wanted.verdict.clone().unwrap_or_default().replace('\0', ""))
            .bind(pattern(&wanted.text))
            .bind(i64::from(limit));
        let rows = sight.bind(query).fetch_all(&self.read).await?;
        rows.iter().map(read).collect()
    }

    /// Tasks in the order in which they would be claimed.
    pub async fn waiting(&self, sight: &Sight, limit: u32) -> Result<Vec<Task>, StoreError> {
        let sql = format!(
            "SELECT * FROM tasks WHERE state = 'queued' AND {} \
             ORDER BY CASE WHEN run_at <= $1 THEN 0 ELSE 1 END, priority DESC, run_at, id LIMIT $2",
            sight.sql("repo_id", 3)
        );
        let query = sqlx::query(AssertSqlSafe(sql))
            .bind(self.now().await?)
            .bind(i64::from(limit));
        let rows = sight.bind(query).fetch_all(&self.read).await?;
        rows.iter().map(read).collect()
    }

    /// How many tasks stand in each state but the ended ones.
    pub async fn count_live(&self, sight: &Sight) -> Result<(u64, u64), StoreError> {
        let sql = format!(
            "SELECT state, COUNT(*) AS n FROM tasks WHERE state IN ('queued', 'running') \
             AND {} GROUP BY state",
            sight.sql("repo_id", 1)
        );
        let rows = sight
            .bind(sqlx::query(AssertSqlSafe(sql)))
            .fetch_all(&self.read)
            .await?;
        let (mut queued, mut running) = (0, 0);
        for row in rows {
            let n = row.try_get::<i64, _>("n")?.unsigned_abs();
            match row.try_get::<String, _>("state")?.as_str() {
                "queued" => queued = n,
                _ => running = n,
            }
        }
        Ok((queued, running))
    }

    /// The repositories that tasks were made in, the latest first.
    pub async fn known_repos(&self, limit: u32) -> Result<Vec<KnownRepo>, StoreError> {
        let rows = sqlx::query(
            "SELECT r.repo_id, r.n, r.last, t.repo_name FROM (SELECT repo_id, COUNT(*) AS n, \
             MAX(id) AS last FROM tasks GROUP BY repo_id) r JOIN tasks t ON t.id = r.last \
             ORDER BY r.last DESC LIMIT $1",
        )
        .bind(i64::from(limit))
        .fetch_all(&self.read)
        .await?;
        rows.iter()
            .map(|row| {
                Ok(KnownRepo {
                    id: row.try_get::<i64, _>("repo_id")?.unsigned_abs(),
                    name: row.try_get("repo_name")?,
                    tasks: row.try_get::<i64, _>("n")?.unsigned_abs(),
                    last_task: row.try_get("last")?,
                })
            })
            .collect()
    }

    /// The repository that had this name in its newest task.
    pub async fn repo_of_name(&self, name: &RepoName) -> Result<Option<u64>, StoreError> {
        let row =
            sqlx::query("SELECT repo_id FROM tasks WHERE repo_name = $1 ORDER BY id DESC LIMIT 1")
                .bind(name.to_string())
                .fetch_optional(&self.read)
                .await?;
        let id: Option<i64> = row.map(|r| r.try_get("repo_id")).transpose()?;
        Ok(id.map(i64::unsigned_abs))
    }

    /// Verdicts by the day on which they were given, of the last `days` days.
    pub async fn verdicts_by_day(
        &self,
        sight: &Sight,
        days: i64,
    ) -> Result<Vec<DayVerdict>, StoreError> {
        let sql = format!(
            "SELECT updated_at / {DAY_MS} AS day, verdict, COUNT(*) AS n FROM tasks \
             WHERE verdict IS NOT NULL AND updated_at >= $1 AND {} \
             GROUP BY updated_at / {DAY_MS}, verdict ORDER BY day",
            sight.sql("repo_id", 2)
        );
        let from = (self.today().await? - days + 1) * DAY_MS;
        let query = sqlx::query(AssertSqlSafe(sql)).bind(from);
        let rows = sight.bind(query).fetch_all(&self.read).await?;
        rows.iter()
            .map(|row| {
                Ok(DayVerdict {
                    day: row.try_get("day")?,
                    verdict: row.try_get("verdict")?,
                    tasks: row.try_get::<i64, _>("n")?.unsigned_abs(),
                })
            })
            .collect()
    }

    /// What tasks used, by day, of the last `days` days.
    pub async fn spent_by_day(
        &self,
        sight: &Sight,
        days: i64,
    ) -> Result<Vec<(i64, Spent)>, StoreError> {
        let sql = format!(
            "SELECT day, CAST(SUM(turns) AS BIGINT) AS turns, CAST(SUM(tokens) AS BIGINT) AS tokens, \
             CAST(SUM(microdollars) AS BIGINT) AS microdollars FROM spending \
             WHERE day > $1 AND {} GROUP BY day ORDER BY day",
            sight.sql("repo_id", 2)
        );
        let query = sqlx::query(AssertSqlSafe(sql)).bind(self.today().await? - days);
        let rows = sight.bind(query).fetch_all(&self.read).await?;
        rows.iter()
            .map(|row| Ok((row.try_get("day")?, spent(row)?)))
            .collect()
    }

    /// What a task used, all days together.
    pub async fn spent_of(&self, task: TaskId) -> Result<Spent, StoreError> {
        let row = sqlx::query(
            "SELECT CAST(COALESCE(SUM(turns), 0) AS BIGINT) AS turns, \
             CAST(COALESCE(SUM(tokens), 0) AS BIGINT) AS tokens, \
             CAST(COALESCE(SUM(microdollars), 0) AS BIGINT) AS microdollars \
             FROM spending WHERE task_id = $1",
        )
        .bind(task.0)
        .fetch_one(&self.read)
        .await?;
        spent(&row)
    }

    /// Whole days since the Unix epoch, UTC.
    pub async fn today(&self) -> Result<i64, StoreError> {
        Ok(self.now().await?.div_euclid(DAY_MS))
    }

    /// Milliseconds since the Unix epoch, by the clock that the rows' times are from.
    pub async fn now_ms(&self) -> Result<i64, StoreError> {
        self.now().await
    }
}

/// A pattern of LIKE in which nothing of the text is special.
fn pattern(text: &str) -> String {
    let text = text.trim().replace('\0', "");
    if text.is_empty() {
        return String::new();
    }
    let mut out = String::from("%");
    for c in text.to_lowercase().chars() {
        if matches!(c, '%' | '_' | '!') {
            out.push('!');
        }
        out.push(c);
    }
    out.push('%');
    out
}

pub(super) fn spent(row: &AnyRow) -> Result<Spent, StoreError> {
    let number = |name: &str| -> Result<u64, StoreError> {
        let n: i64 = row.try_get(name)?;
        Ok(n.max(0).unsigned_abs())
    };
    Ok(Spent {
        turns: number("turns")?,
        tokens: number("tokens")?,
        microdollars: number("microdollars")?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_of_a_search_is_special() {
        assert_eq!(pattern("  "), "");
        assert_eq!(pattern("100% A_b!\0"), "%100!% a!_b!!%");
    }

    #[test]
    fn a_sight_names_its_repositories() {
        assert_eq!(
            Sight::Only(vec![7, 9]).sql("repo_id", 3),
            "repo_id IN ($3, $4)"
        );
        assert_eq!(Sight::Only(Vec::new()).sql("repo_id", 3), "1 = 0");
        assert!(Sight::All.sees(1) && !Sight::Only(vec![2]).sees(1));
    }
}
