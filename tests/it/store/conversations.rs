//! What a later attempt goes on with.

use super::{Fresh, trigger};
use mend::domain::Verdict;
use mend::store::{Claimed, MOST_CONVERSATION, State, Store, StoreError, WaitsFor};
use serde_json::json;
use std::time::Duration;

const LEASE: Duration = Duration::from_secs(60);
const HOUR: Duration = Duration::from_secs(3600);

async fn claim(store: &Store) -> Claimed {
    store.claim("w", LEASE).await.unwrap().unwrap()
}

async fn the_latest_conversation_outlives_its_attempt_and_goes_with_the_task(fresh: Fresh) {
    let store = &fresh.store;
    let id = store.create_task(&trigger(1, "a"), 3).await.unwrap().id();
    assert_eq!(store.conversation(id).await.unwrap(), None);
    let first = claim(store).await;
    for state in ["one", "two é"] {
        assert!(store.save_conversation(first.held, state).await.unwrap());
    }
    assert_eq!(store.conversation(id).await.unwrap().unwrap(), "two é");
    // The worker dies; its successor reads, and whoever comes back late changes nothing.
    fresh.clock.on(LEASE * 2);
    store.reap(Duration::ZERO).await.unwrap();
    let late = store.save_conversation(first.held, "late").await;
    assert!(matches!(late, Err(StoreError::LostLease(_))), "{late:?}");
    let second = claim(store).await;
    assert!(store.save_conversation(first.held, "late").await.is_err());
    assert_eq!(store.conversation(id).await.unwrap().unwrap(), "two é");
    store.save_conversation(second.held, "three").await.unwrap();
    store
        .finish(second.held, Verdict::Ready, &json!({}))
        .await
        .unwrap();
    assert_eq!(store.conversation(id).await.unwrap(), None);
    assert!(store.save_conversation(second.held, "x").await.is_err());
}

/// Kills a worker in each of its attempts, and answers after how many the task was dead.
async fn killed_until_dead(fresh: &Fresh, issue: u64, kept: impl Fn(u32) -> bool) -> u32 {
    let store = &fresh.store;
    let made = store
        .create_task(&trigger(issue, &format!("k{issue}")), 3)
        .await;
    let id = made.unwrap().id();
    loop {
        let claimed = claim(store).await;
        let attempt = claimed.task.attempt;
        if kept(attempt) {
            let state = format!("after attempt {attempt}");
            store.save_conversation(claimed.held, &state).await.unwrap();
        }
        fresh.clock.on(LEASE * 2);
        store.reap(Duration::ZERO).await.unwrap();
        if store.task(id).await.unwrap().unwrap().state == State::Dead {
            store.bury(id, Verdict::Crashed).await.unwrap();
            return attempt;
        }
    }
}

async fn who_gets_further_is_not_given_up_after_three_kills(fresh: Fresh) {
    assert_eq!(killed_until_dead(&fresh, 1, |_| false).await, 3);
    assert_eq!(killed_until_dead(&fresh, 2, |n| n == 1).await, 3);
    assert_eq!(killed_until_dead(&fresh, 3, |n| n < 5).await, 6);
    assert_eq!(killed_until_dead(&fresh, 4, |_| true).await, 12, "bounded");
}

async fn what_is_too_large_leaves_what_fitted(fresh: Fresh) {
    let store = &fresh.store;
    store.create_task(&trigger(1, "a"), 3).await.unwrap();
    let held = claim(store).await.held;
    let largest = "x".repeat(MOST_CONVERSATION);
    assert!(store.save_conversation(held, &largest).await.unwrap());
    let larger = format!("{largest}x");
    assert!(!store.save_conversation(held, &larger).await.unwrap());
    let kept = store.conversation(held.id).await.unwrap().unwrap();
    assert_eq!(kept.len(), MOST_CONVERSATION);
}

async fn a_question_keeps_its_conversation_until_the_issue_goes_on(fresh: Fresh) {
    let store = &fresh.store;
    for (issue, key) in [(1, "a"), (2, "other issue")] {
        store.create_task(&trigger(issue, key), 3).await.unwrap();
        let held = claim(store).await.held;
        store.save_conversation(held, key).await.unwrap();
        store
            .finish(held, Verdict::Question, &json!({}))
            .await
            .unwrap();
        assert_eq!(store.conversation(held.id).await.unwrap().unwrap(), key);
    }
    store.create_task(&trigger(1, "b"), 1).await.unwrap();
    let held = claim(store).await.held;
    store.save_conversation(held, "answered").await.unwrap();
    let asked = mend::domain::TaskId(held.id.0 - 2);
    assert!(store.conversation(asked).await.unwrap().is_some());
    store.fail(held, "broke", Duration::ZERO).await.unwrap();
    store.bury(held.id, Verdict::Crashed).await.unwrap();
    assert_eq!(store.conversation(asked).await.unwrap(), None);
    assert_eq!(store.conversation(held.id).await.unwrap(), None);
    let other = mend::domain::TaskId(held.id.0 - 1);
    assert!(store.conversation(other).await.unwrap().is_some());
}

async fn a_task_that_waits_for_the_model_says_so_and_adds_up(fresh: Fresh) {
    let store = &fresh.store;
    let id = store.create_task(&trigger(1, "a"), 3).await.unwrap().id();
    for waited in [3_600_000, 7_200_000] {
        let held = claim(store).await.held;
        let running = store.task(id).await.unwrap().unwrap();
        assert_eq!((running.waits_for, running.attempt), (None, 1));
        store.park_for_model(held, HOUR, "busy").await.unwrap();
        let task = store.task(id).await.unwrap().unwrap();
        assert_eq!(task.waits_for, Some(WaitsFor::Model));
        assert_eq!((task.model_waited_ms, task.attempt), (waited, 0));
        assert!(store.claim("w", LEASE).await.unwrap().is_none());
        fresh.clock.on(HOUR);
    }
    let held = claim(store).await.held;
    // A stop that came while it was about to be parked is not slept through.
    store.cancel(id).await.unwrap();
    store.park_for_model(held, HOUR, "busy").await.unwrap();
    assert!(store.claim("w", LEASE).await.unwrap().is_some());
}

on_both!(
    who_gets_further_is_not_given_up_after_three_kills,
    the_latest_conversation_outlives_its_attempt_and_goes_with_the_task,
    what_is_too_large_leaves_what_fitted,
    a_question_keeps_its_conversation_until_the_issue_goes_on,
    a_task_that_waits_for_the_model_says_so_and_adds_up,
);
