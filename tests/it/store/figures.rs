//! What old tasks cost: claim, list and page with a thousand of them and with a million.
//! `cargo test --features failure-points --test it -- --ignored --nocapture store::figures`

use super::{Fresh, trigger};
use mend::domain::{TaskId, Verdict};
use mend::store::{Filter, State};
use serde_json::json;
use sqlx::{AnyConnection, Connection, Executor};
use std::time::{Duration, Instant};

const LEASE: Duration = Duration::from_secs(60);

/// Ended tasks, made in the database itself.
async fn old(url: &str, count: u64) {
    let text = serde_json::to_string(&trigger(1, "old")).unwrap();
    let numbers = match url.starts_with("sqlite") {
        true => format!(
            "WITH RECURSIVE s (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM s WHERE n < {count}) "
        ),
        false => format!("WITH s (n) AS (SELECT * FROM generate_series(1, {count})) "),
    };
    let sql = format!(
        "INSERT INTO tasks (key, repo_id, issue_id, issue_number, installation_id, repo_name, trigger_json, run_at, \
         max_attempts, created_at, updated_at, state, verdict, pr_number) \
         {numbers} SELECT 'old-' || CAST(n AS TEXT), 7, 100000 + n, n, 70, 'acme/invoicer', '{text}', 1, 3, 1, 1, 'done', 'ready', n FROM s"
    );
    let mut connection = AnyConnection::connect(url).await.unwrap();
    connection.execute(sqlx::AssertSqlSafe(sql)).await.unwrap();
    connection.execute("ANALYZE").await.unwrap();
    connection.close().await.unwrap();
}

fn median(mut all: Vec<Duration>) -> Duration {
    all.sort();
    all[all.len() / 2]
}

async fn cost(fresh: Fresh, name: &str) {
    let mut so_far = 0;
    for count in [1_000u64, 1_000_000] {
        old_more(&fresh, so_far, count).await;
        so_far = count;
        let store = &fresh.store;
        let (mut claims, mut lists, mut pages) = (Vec::new(), Vec::new(), Vec::new());
        for n in 0..41 {
            let key = format!("new-{count}-{n}");
            store
                .create_task(&trigger(500_000 + n, &key), 3)
                .await
                .unwrap();
            let at = Instant::now();
            let claimed = store.claim("w", LEASE).await.unwrap().unwrap();
            claims.push(at.elapsed());
            store
                .finish(claimed.held, Verdict::Ready, &json!({}))
                .await
                .unwrap();
            let at = Instant::now();
            assert_eq!(store.tasks(&Filter::default(), 50).await.unwrap().len(), 50);
            lists.push(at.elapsed());
            let page = Filter {
                state: Some(State::Done),
                before: Some(TaskId(i64::try_from(count / 2).unwrap())),
                ..Filter::default()
            };
            let at = Instant::now();
            assert_eq!(store.tasks(&page, 50).await.unwrap().len(), 50);
            pages.push(at.elapsed());
        }
        println!(
            "{name}, {count} old tasks: claim {:?}, list of 50 {:?}, page in the middle {:?} (medians of 41)",
            median(claims),
            median(lists),
            median(pages)
        );
    }
}

async fn old_more(fresh: &Fresh, so_far: u64, count: u64) {
    if so_far > 0 {
        // Keys must differ from those that are there.
        let mut connection = AnyConnection::connect(&fresh.url).await.unwrap();
        connection
            .execute("DELETE FROM tasks WHERE key LIKE 'old-%'")
            .await
            .unwrap();
        connection.close().await.unwrap();
    }
    old(&fresh.url, count).await;
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "a figure: a minute"]
async fn a_million_old_tasks_on_sqlite() {
    cost(Fresh::new().await, "SQLite").await;
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "a figure: a minute"]
async fn a_million_old_tasks_on_postgresql() {
    cost(Fresh::postgres().await, "PostgreSQL").await;
}
