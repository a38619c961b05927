//! QD-01: SIGKILL at every named point, on both databases. The program has the points only with
//! the feature `failure-points`; without it these tests are not there. CI runs each point once,
//! `tests/full` the whole matrix and writes `tests/CRASHES.md`.
#![allow(clippy::disallowed_methods)] // writes the table

use crate::program::{Base, Site, fixing};
use crate::world::REPO;
use mend::domain::{POINTS, Verdict};
use std::fmt::Write;
use std::os::unix::process::ExitStatusExt;
use std::time::{Duration, Instant};

/// What one run showed.
struct Row {
    point: &'static str,
    base: Base,
    attempts: u32,
    seconds: f64,
}

/// Kills the server at `point`, starts another and checks what became of the task.
async fn killed_at(point: &'static str, base: Base) -> Row {
    let begun = Instant::now();
    let site = Site::new(base, fixing(Duration::ZERO).await).await;
    let mut first = site.start("all", "all", &[("MEND_FAIL_AT", point)]);
    site.listens().await;
    let issue = site.label();
    let status = first.ends().await;
    assert_eq!(status.signal(), Some(9), "{point}: {}", first.log());
    let second = site.start("all", "all", &[]);
    let store = site.store("all").await;
    let tasks = site.ended(&store, 1).await;
    assert_eq!(tasks.len(), 1, "{point}");
    assert_eq!(
        tasks[0].verdict,
        Some(Verdict::Ready),
        "{point}: {}",
        site.logs()
    );
    site.fixed_once(REPO, issue);
    let runs = site.sim.check_runs(REPO);
    assert!(runs.len() <= 1, "{point}: {runs:?}");
    // What the last comments sent is dealt with too.
    site.until("every delivery is dealt with", async || {
        let all = store.count_deliveries().await.ok()?;
        let over = |(state, _): &(String, u64)| state == "done" || state == "ignored";
        all.iter().all(over).then_some(())
    })
    .await;
    drop(second);
    site.nothing_left(&["all"], &tasks).await;
    store.close().await;
    site.sim.shutdown().await;
    Row {
        point,
        base,
        attempts: tasks[0].attempt,
        seconds: begun.elapsed().as_secs_f64(),
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn qd01_a_kill_at_each_point_loses_nothing_and_doubles_nothing() {
    for (n, point) in POINTS.iter().copied().enumerate() {
        let base = [Base::Sqlite, Base::Postgres][n % 2];
        killed_at(point, base).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "the whole matrix: minutes; tests/full runs it"]
async fn qd01_whole_matrix() {
    let mut table = String::from(
        "# Kills\n\nSIGKILL to `mend serve` at each named point (`src/domain/failure.rs`), then a new one. Every row ended `ready` \
         with one branch, one pull request, one status comment, at most one check run, no lease, worktree or process left; \
         otherwise the test fails and there is no table. Written by `tests/full`.\n\n\
         | killed at | database | claims | seconds |\n|---|---|---|---|\n",
    );
    for point in POINTS {
        for base in [Base::Sqlite, Base::Postgres] {
            let row = killed_at(point, base).await;
            writeln!(
                table,
                "| {} | {:?} | {} | {:.1} |",
                row.point, row.base, row.attempts, row.seconds
            )
            .unwrap();
        }
    }
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/CRASHES.md");
    std::fs::write(path, table).unwrap();
}

/// QD-07: a task that ends its server each time is buried with one comment, and the next one runs.
#[tokio::test(flavor = "multi_thread")]
async fn qd07_a_task_that_kills_its_server_each_time_is_buried() {
    for base in [Base::Sqlite, Base::Postgres] {
        let site = Site::new(base, fixing(Duration::ZERO).await).await;
        let mut issue = None;
        for claim in 0..3 {
            let mut serve = site.start("all", "all", &[("MEND_FAIL_AT", "tool-called")]);
            site.listens().await;
            issue.get_or_insert_with(|| site.label());
            let status = serve.ends().await;
            assert_eq!(status.signal(), Some(9), "claim {claim}: {}", serve.log());
        }
        let serve = site.start("all", "all", &[]);
        site.listens().await;
        let next = site.label();
        let store = site.store("all").await;
        let tasks = site.ended(&store, 2).await;
        let verdicts: Vec<_> = tasks.iter().map(|t| t.verdict).collect();
        assert_eq!(
            verdicts,
            [Some(Verdict::Ready), Some(Verdict::Crashed)],
            "{}",
            site.logs()
        );
        let told = site.own_comments(REPO, issue.unwrap());
        assert_eq!(told.len(), 1, "{told:?}");
        assert!(told[0].body.contains("broke down"), "{}", told[0].body);
        site.fixed_once(REPO, next);
        drop(serve);
        site.nothing_left(&["all"], &tasks).await;
        store.close().await;
        site.sim.shutdown().await;
    }
}
