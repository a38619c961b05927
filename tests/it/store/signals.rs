use super::{Fresh, incoming, trigger};
use mend::domain::{StopCause, TaskId, Verdict};
use serde_json::json;
use std::time::Duration;

const LEASE: Duration = Duration::from_secs(30);
const HOUR: Duration = Duration::from_secs(3600);

async fn a_stop_reaches_the_running_task_and_those_that_wait(fresh: Fresh) {
    let store = &fresh.store;
    let running = store.create_task(&trigger(1, "a"), 3).await.unwrap().id();
    let waiting = store.create_task(&trigger(1, "b"), 3).await.unwrap().id();
    let other = store.create_task(&trigger(2, "c"), 3).await.unwrap().id();
    let held = store.claim("w", LEASE).await.unwrap().unwrap().held;
    assert!(!store.heartbeat(held, LEASE).await.unwrap().cancel_requested);
    assert_eq!(
        store.cancel_issue(7, 1001).await.unwrap(),
        [running, waiting]
    );
    assert!(store.heartbeat(held, LEASE).await.unwrap().cancel_requested);
    assert!(store.is_cancel_requested(waiting).await.unwrap());
    assert!(!store.is_cancel_requested(other).await.unwrap());
    store
        .finish(held, Verdict::Stopped, &json!({}))
        .await
        .unwrap();
    assert!(!store.cancel(running).await.unwrap(), "it has ended");
    // One that waits is still handed out, so that its ending is written for people.
    let claim = store.claim("w", LEASE).await.unwrap().unwrap();
    assert_eq!(
        (claim.held.id, claim.task.cancel_requested),
        (waiting, true)
    );
    assert!(store.is_cancel_requested(TaskId(99)).await.is_err());
}

async fn a_stop_makes_a_parked_task_due(fresh: Fresh) {
    let id = fresh
        .store
        .create_task(&trigger(1, "a"), 3)
        .await
        .unwrap()
        .id();
    let held = fresh.store.claim("w", LEASE).await.unwrap().unwrap().held;
    fresh.store.park(held, HOUR, "rate limit").await.unwrap();
    assert!(fresh.store.claim("w", LEASE).await.unwrap().is_none());
    assert!(fresh.store.cancel(id).await.unwrap());
    assert!(fresh.store.claim("w", LEASE).await.unwrap().is_some());
}

async fn an_installation_that_goes_stops_its_tasks(fresh: Fresh) {
    let id = fresh
        .store
        .create_task(&trigger(1, "a"), 3)
        .await
        .unwrap()
        .id();
    let none = fresh
        .store
        .cancel_installation(70, Some(8), StopCause::AppSuspended)
        .await
        .unwrap();
    assert!(none.is_empty());
    assert!(
        fresh
            .store
            .cancel_installation(71, None, StopCause::AppSuspended)
            .await
            .unwrap()
            .is_empty()
    );
    assert_eq!(
        fresh
            .store
            .cancel_installation(70, None, StopCause::AppSuspended)
            .await
            .unwrap(),
        [id]
    );
    assert_eq!(
        fresh
            .store
            .cancel_installation(70, Some(7), StopCause::RepoRemoved)
            .await
            .unwrap(),
        [id]
    );
    // The first cause is the one that people are told.
    let cause = fresh.store.stop_cause(id).await.unwrap();
    assert_eq!(cause, Some(StopCause::AppSuspended));
}

async fn every_cause_of_a_stop_is_kept(fresh: Fresh) {
    for (n, cause) in StopCause::ALL.into_iter().enumerate() {
        let issue = n as u64;
        let trigger = trigger(issue, cause.word());
        let id = fresh.store.create_task(&trigger, 3).await.unwrap().id();
        assert_eq!(fresh.store.stop_cause(id).await.unwrap(), None);
        assert!(fresh.store.stop(id, cause).await.unwrap());
        assert_eq!(fresh.store.stop_cause(id).await.unwrap(), Some(cause));
    }
}

async fn each_attempt_gets_all_guidance_once(fresh: Fresh) {
    let store = &fresh.store;
    let id = store.create_task(&trigger(1, "a"), 3).await.unwrap().id();
    assert!(store.steer_add(id, "use Decimal").await.unwrap());
    let held = store.claim("w", LEASE).await.unwrap().unwrap().held;
    assert!(store.steer_add(id, "and keep the API").await.unwrap());
    assert_eq!(
        store.steer_take(held).await.unwrap(),
        ["use Decimal", "and keep the API"]
    );
    assert!(store.steer_take(held).await.unwrap().is_empty());
    fresh.clock.on(LEASE);
    store.reap(Duration::ZERO).await.unwrap();
    let next = store.claim("w", LEASE).await.unwrap().unwrap().held;
    store.steer_add(id, "third").await.unwrap();
    assert_eq!(
        store.steer_take(next).await.unwrap(),
        ["use Decimal", "and keep the API", "third"]
    );
    store
        .finish(next, Verdict::Ready, &json!({}))
        .await
        .unwrap();
    assert!(!store.steer_add(id, "too late").await.unwrap());
}

async fn who_waits_is_woken(fresh: Fresh) {
    let woken = fresh.store.tasks_changed();
    fresh.store.create_task(&trigger(1, "a"), 3).await.unwrap();
    tokio::time::timeout(Duration::from_secs(5), woken)
        .await
        .unwrap();
    let woken = fresh.store.deliveries_changed();
    fresh.store.add_delivery(incoming("a")).await.unwrap();
    tokio::time::timeout(Duration::from_secs(5), woken)
        .await
        .unwrap();
}

async fn the_same_thing_is_not_told_twice_in_an_hour(fresh: Fresh) {
    let store = &fresh.store;
    let tell = async |key: &str, holder: &str| store.may_tell(key, holder, HOUR).await.unwrap();
    assert!(tell("refuse:7:1:bob", "d1").await);
    assert!(!tell("refuse:7:1:bob", "d2").await);
    assert!(
        tell("refuse:7:1:bob", "d1").await,
        "it may have died before it told"
    );
    assert!(tell("refuse:7:2:bob", "d2").await);
    fresh.clock.on(HOUR);
    assert!(tell("refuse:7:1:bob", "d3").await);
    store.put_delivery_effect(4, "answer", "17").await.unwrap();
    assert_eq!(
        store.delivery_effect(4, "answer").await.unwrap().as_deref(),
        Some("17")
    );
    assert_eq!(store.delivery_effect(5, "answer").await.unwrap(), None);
}

on_both!(
    a_stop_reaches_the_running_task_and_those_that_wait,
    a_stop_makes_a_parked_task_due,
    an_installation_that_goes_stops_its_tasks,
    every_cause_of_a_stop_is_kept,
    each_attempt_gets_all_guidance_once,
    who_waits_is_woken,
    the_same_thing_is_not_told_twice_in_an_hour,
);
