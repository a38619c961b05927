use super::{Fresh, trigger};
use mend::domain::{Step, TaskId, Verdict};
use mend::store::{Created, Failed, Filter, Held, Reached, State, StoreError};
use serde_json::json;
use std::time::Duration;

const LEASE: Duration = Duration::from_secs(30);
const SOON: Duration = Duration::from_secs(10);

async fn made(fresh: &Fresh, issue: u64, key: &str) -> TaskId {
    match fresh
        .store
        .create_task(&trigger(issue, key), 3)
        .await
        .unwrap()
    {
        Created::Created(id) => id,
        Created::Exists(id) => panic!("{key} made {id} before"),
    }
}

async fn claimed(fresh: &Fresh) -> Option<Held> {
    let claim = fresh.store.claim("w1", LEASE).await.unwrap();
    claim.map(|c| c.held)
}

async fn a_trigger_makes_one_task(fresh: Fresh) {
    for round in 0..50 {
        let makers = (0..5).map(|_| {
            let store = fresh.store.clone();
            let trigger = trigger(round, &format!("7:{round}:labeled:1"));
            tokio::spawn(async move { store.create_task(&trigger, 3).await.unwrap() })
        });
        let mut all = Vec::new();
        for maker in makers.collect::<Vec<_>>() {
            all.push(maker.await.unwrap());
        }
        let new = all.iter().filter(|c| matches!(c, Created::Created(_)));
        assert_eq!(new.count(), 1);
        assert!(all.iter().all(|c| c.id() == all[0].id()));
    }
    let kept = fresh.store.task(TaskId(1)).await.unwrap().unwrap();
    assert_eq!(
        kept.trigger,
        trigger(kept.trigger.issue.number, &kept.trigger.key)
    );
    assert_eq!(
        (kept.state, kept.attempt, kept.step),
        (State::Queued, 0, None)
    );
}

async fn of_an_issue_one_task_runs_and_the_others_wait_in_order(fresh: Fresh) {
    let first = made(&fresh, 1, "a").await;
    let second = made(&fresh, 1, "b").await;
    let other = made(&fresh, 2, "c").await;
    let a = claimed(&fresh).await.unwrap();
    let b = claimed(&fresh).await.unwrap();
    assert_eq!((a.id, b.id), (first, other));
    assert_eq!(claimed(&fresh).await, None);
    fresh
        .store
        .finish(a, Verdict::Ready, &json!({}))
        .await
        .unwrap();
    assert_eq!(claimed(&fresh).await.unwrap().id, second);
}

async fn a_parked_task_holds_back_the_next_of_its_issue(fresh: Fresh) {
    let first = made(&fresh, 1, "a").await;
    made(&fresh, 1, "b").await;
    let held = claimed(&fresh).await.unwrap();
    fresh
        .store
        .park(held, SOON, "GitHub is down")
        .await
        .unwrap();
    assert_eq!(claimed(&fresh).await, None);
    fresh.clock.on(SOON);
    let claim = fresh.store.claim("w1", LEASE).await.unwrap().unwrap();
    assert_eq!((claim.held.id, claim.task.attempt), (first, 1));
    assert_eq!(claim.task.error.as_deref(), Some("GitHub is down"));
}

async fn workers_that_race_never_share_a_task_or_an_issue(fresh: Fresh) {
    for n in 0..60 {
        made(&fresh, n % 20, &format!("k{n}")).await;
    }
    let workers = (0..8).map(|w| {
        let store = fresh.store.clone();
        tokio::spawn(async move {
            let mut got = Vec::new();
            while let Some(c) = store.claim(&format!("w{w}"), LEASE).await.unwrap() {
                got.push(c.task.trigger.issue.number);
            }
            got
        })
    });
    let mut issues = Vec::new();
    for worker in workers.collect::<Vec<_>>() {
        issues.extend(worker.await.unwrap());
    }
    issues.sort_unstable();
    assert_eq!(issues, (0..20).collect::<Vec<_>>());
}

async fn a_worker_that_slept_past_its_lease_changes_nothing(fresh: Fresh) {
    let store = &fresh.store;
    let id = made(&fresh, 1, "a").await;
    let stale = claimed(&fresh).await.unwrap();
    fresh.clock.on(LEASE);
    assert!(store.reap(SOON).await.unwrap().is_empty());
    // Already before the next claim the old one is worth nothing.
    let lost = |result: Result<(), StoreError>| {
        assert!(
            matches!(result, Err(StoreError::LostLease(t)) if t == id),
            "{result:?}"
        );
    };
    lost(store.heartbeat(stale, LEASE).await.map(drop));
    fresh.clock.on(SOON);
    let fresh_claim = claimed(&fresh).await.unwrap();
    assert!(fresh_claim.epoch > stale.epoch);

    lost(store.heartbeat(stale, LEASE).await.map(drop));
    lost(store.step(stale, Step::Publish, &Reached::default()).await);
    lost(store.finish(stale, Verdict::Ready, &json!({})).await);
    lost(store.fail(stale, "x", SOON).await.map(drop));
    lost(store.park(stale, SOON, "x").await);
    lost(store.put_effect(stale, "pull", "66").await);
    lost(store.steer_take(stale).await.map(drop));
    let task = store.task(id).await.unwrap().unwrap();
    assert_eq!(
        (task.state, task.attempt, task.step),
        (State::Running, 2, None)
    );
    assert_eq!(store.effect(id, "pull").await.unwrap(), None);
    store.put_effect(fresh_claim, "pull", "66").await.unwrap();
    assert_eq!(
        store.effect(id, "pull").await.unwrap().as_deref(),
        Some("66")
    );
}

async fn a_heartbeat_keeps_the_lease(fresh: Fresh) {
    made(&fresh, 1, "a").await;
    let held = claimed(&fresh).await.unwrap();
    for _ in 0..5 {
        fresh.clock.on(LEASE - Duration::from_secs(1));
        fresh.store.heartbeat(held, LEASE).await.unwrap();
        fresh.store.reap(SOON).await.unwrap();
    }
    fresh
        .store
        .finish(held, Verdict::Draft, &json!({"body": "b"}))
        .await
        .unwrap();
    let task = fresh.store.task(held.id).await.unwrap().unwrap();
    assert_eq!(
        (task.state, task.verdict),
        (State::Done, Some(Verdict::Draft))
    );
    assert_eq!(task.result, Some(json!({"body": "b"})));
}

async fn a_task_that_kills_its_worker_each_time_is_dead_and_told_of_once(fresh: Fresh) {
    let poison = made(&fresh, 1, "poison").await;
    let next = made(&fresh, 1, "next").await;
    for attempt in 1..=3 {
        let claim = fresh.store.claim("w", LEASE).await.unwrap().unwrap();
        assert_eq!((claim.held.id, claim.task.attempt), (poison, attempt));
        fresh.clock.on(LEASE);
        let dead = fresh.store.reap(SOON).await.unwrap();
        assert_eq!(dead.len(), usize::from(attempt == 3));
        fresh.clock.on(SOON);
    }
    // Not told yet: named again, also after a restart. Told: never again.
    assert_eq!(fresh.store.reap(SOON).await.unwrap()[0].id, poison);
    fresh.store.bury(poison, Verdict::Crashed).await.unwrap();
    assert!(fresh.store.reap(SOON).await.unwrap().is_empty());
    let task = fresh.store.task(poison).await.unwrap().unwrap();
    assert_eq!(
        (task.state, task.verdict),
        (State::Dead, Some(Verdict::Crashed))
    );
    assert_eq!(claimed(&fresh).await.unwrap().id, next);
}

async fn a_failed_attempt_waits_and_the_last_one_is_dead(fresh: Fresh) {
    made(&fresh, 1, "a").await;
    for attempt in 1..=3 {
        let held = claimed(&fresh).await.unwrap();
        let failed = fresh.store.fail(held, "panicked", SOON).await.unwrap();
        let expected = if attempt == 3 {
            Failed::Dead
        } else {
            Failed::Again
        };
        assert_eq!(failed, expected);
        assert_eq!(claimed(&fresh).await, None);
        fresh.clock.on(SOON);
    }
    let dead = fresh.store.reap(SOON).await.unwrap();
    assert_eq!(dead[0].error.as_deref(), Some("panicked"));
}

async fn what_was_reached_outlives_the_attempt(fresh: Fresh) {
    let id = made(&fresh, 1, "a").await;
    let held = claimed(&fresh).await.unwrap();
    let all = Reached {
        status_comment_id: Some(5),
        store_path: Some("/var/lib/mend/tasks/1".into()),
        head_sha: Some("abc".into()),
        base_sha: Some("def".into()),
        pr_number: Some(66),
    };
    fresh.store.step(held, Step::Prepare, &all).await.unwrap();
    let later = Reached {
        head_sha: Some("123".into()),
        ..Reached::default()
    };
    fresh.store.step(held, Step::Publish, &later).await.unwrap();
    fresh
        .store
        .park(held, Duration::ZERO, "shutting down")
        .await
        .unwrap();
    let claim = fresh.store.claim("w2", LEASE).await.unwrap().unwrap();
    assert_eq!(
        (claim.task.attempt, claim.task.step),
        (1, Some(Step::Publish))
    );
    assert_eq!(
        claim.task.reached,
        Reached {
            head_sha: Some("123".into()),
            ..all
        }
    );
    let of_pull = fresh
        .store
        .latest_task_of_pull(7, 66)
        .await
        .unwrap()
        .unwrap();
    assert_eq!(of_pull.id, id);
    assert!(
        fresh
            .store
            .latest_task_of_pull(8, 66)
            .await
            .unwrap()
            .is_none()
    );
}

async fn tasks_are_listed_by_what_is_asked(fresh: Fresh) {
    for n in 0..5 {
        made(&fresh, n % 2, &format!("k{n}")).await;
    }
    claimed(&fresh).await.unwrap();
    let ids = async |filter: Filter| -> Vec<i64> {
        let tasks = fresh.store.tasks(&filter, 3).await.unwrap();
        tasks.iter().map(|t| t.id.0).collect()
    };
    assert_eq!(ids(Filter::default()).await, [5, 4, 3]);
    let page = Filter {
        before: Some(TaskId(3)),
        ..Filter::default()
    };
    assert_eq!(ids(page).await, [2, 1]);
    let running = Filter {
        state: Some(State::Running),
        ..Filter::default()
    };
    assert_eq!(ids(running).await, [1]);
    let repo = "acme/invoicer".parse().ok();
    assert_eq!(
        ids(Filter {
            repo,
            issue_number: Some(1),
            ..Filter::default()
        })
        .await,
        [4, 2]
    );
    let other = "acme/other".parse().ok();
    assert!(
        ids(Filter {
            repo: other,
            ..Filter::default()
        })
        .await
        .is_empty()
    );
    let latest = fresh
        .store
        .latest_task_of_issue(7, 1000)
        .await
        .unwrap()
        .unwrap();
    assert_eq!(latest.id, TaskId(5));
    assert_eq!(fresh.store.place_in_queue(TaskId(4)).await.unwrap(), 2);
}

on_both!(
    a_trigger_makes_one_task,
    of_an_issue_one_task_runs_and_the_others_wait_in_order,
    a_parked_task_holds_back_the_next_of_its_issue,
    workers_that_race_never_share_a_task_or_an_issue,
    a_worker_that_slept_past_its_lease_changes_nothing,
    a_heartbeat_keeps_the_lease,
    a_task_that_kills_its_worker_each_time_is_dead_and_told_of_once,
    a_failed_attempt_waits_and_the_last_one_is_dead,
    what_was_reached_outlives_the_attempt,
    tasks_are_listed_by_what_is_asked,
);
