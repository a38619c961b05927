//! What tasks used of models, for budgets of a day.

use super::pages::{DAY_MS, spent};
use super::tasks::int;
use super::{Held, Store, StoreError};
use crate::domain::{RepoRef, Spent};

/// Who pays.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Payer {
    /// GitHub's id of a repository.
    Repo(u64),
    Installation(u64),
}

impl Store {
    /// Records what a task used since its beginning, all attempts together; what it used on earlier
    /// days stays theirs. Who lost the lease records nothing.
    pub async fn put_spending(
        &self,
        held: Held,
        repo: &RepoRef,
        whole: Spent,
    ) -> Result<(), StoreError> {
        let today = self.now().await?.div_euclid(DAY_MS);
        // What stood there before may be more: a turn that was answered and not kept.
        let sql = "INSERT INTO spending (task_id, day, repo_id, installation_id, turns, tokens, microdollars) \
             SELECT t.id, $1, $2, $3, \
             $4 - COALESCE((SELECT SUM(turns) FROM spending WHERE task_id = $5 AND day < $1), 0), \
             $6 - COALESCE((SELECT SUM(tokens) FROM spending WHERE task_id = $5 AND day < $1), 0), \
             $7 - COALESCE((SELECT SUM(microdollars) FROM spending WHERE task_id = $5 AND day < $1), 0) \
             FROM tasks t WHERE t.id = $5 AND t.epoch = $8 \
             ON CONFLICT (task_id, day) DO UPDATE SET \
             turns = CASE WHEN excluded.turns > spending.turns THEN excluded.turns ELSE spending.turns END, \
             tokens = CASE WHEN excluded.tokens > spending.tokens THEN excluded.tokens ELSE spending.tokens END, \
             microdollars = CASE WHEN excluded.microdollars > spending.microdollars \
             THEN excluded.microdollars ELSE spending.microdollars END";
        sqlx::query(sql)
            .bind(today)
            .bind(int(repo.id))
            .bind(int(repo.installation_id))
            .bind(int(whole.turns))
            .bind(held.id.0)
            .bind(int(whole.tokens))
            .bind(int(whole.microdollars))
            .bind(held.epoch)
            .execute(&self.write)
            .await?;
        Ok(())
    }

    /// What all tasks of a payer used today (UTC).
    pub async fn spent_today(&self, payer: Payer) -> Result<Spent, StoreError> {
        let today = self.now().await?.div_euclid(DAY_MS);
        macro_rules! sum {
            ($column:literal) => {
                concat!(
                    "SELECT CAST(COALESCE(SUM(turns), 0) AS BIGINT) AS turns, \
                     CAST(COALESCE(SUM(tokens), 0) AS BIGINT) AS tokens, \
                     CAST(COALESCE(SUM(microdollars), 0) AS BIGINT) AS microdollars \
                     FROM spending WHERE day = $1 AND ",
                    $column,
                    " = $2"
                )
            };
        }
        let (sql, id) = match payer {
            Payer::Repo(id) => (sum!("repo_id"), id),
            Payer::Installation(id) => (sum!("installation_id"), id),
        };
        // On the writing side: what another task just recorded must be seen.
        let query = sqlx::query(sql).bind(today).bind(int(id));
        spent(&query.fetch_one(&self.write).await?)
    }
}
