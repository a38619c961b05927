//! Whose turn it is: priorities, fairness among installations, limits over all workers.

use super::{Fresh, trigger};
use mend::domain::Verdict;
use mend::store::{Claimed, Room, Store};
use serde_json::json;
use std::time::Duration;

const LEASE: Duration = Duration::from_secs(60);

/// A task of an installation, in a repository of its own number.
async fn made(store: &Store, installation: u64, repo: u64, issue: u64, priority: i64) {
    let mut trigger = trigger(issue, &format!("{installation}:{repo}:{issue}"));
    trigger.issue.repo.installation_id = installation;
    trigger.issue.repo.id = repo;
    store.create_task_of(&trigger, 3, priority).await.unwrap();
}

fn place(claimed: &Claimed) -> (u64, u64) {
    let issue = &claimed.task.trigger.issue;
    (issue.repo.installation_id, issue.number)
}

async fn next(store: &Store) -> Option<Claimed> {
    store.claim("w", LEASE).await.unwrap()
}

async fn five_hundred_of_one_do_not_keep_another_waiting(fresh: Fresh) {
    let store = &fresh.store;
    for n in 0..500 {
        made(store, 1, 1, n, 0).await;
    }
    made(store, 2, 2, 0, 0).await;
    let mut order = Vec::new();
    for _ in 0..4 {
        let claimed = next(store).await.unwrap();
        order.push(place(&claimed));
        store
            .finish(claimed.held, Verdict::Ready, &json!({}))
            .await
            .unwrap();
    }
    assert_eq!(order, [(1, 0), (2, 0), (1, 1), (1, 2)]);
}

async fn installations_take_turns(fresh: Fresh) {
    let store = &fresh.store;
    for n in 0..3 {
        for installation in [1, 2, 3] {
            made(store, installation, installation, n, 0).await;
        }
    }
    let mut order = Vec::new();
    while let Some(claimed) = next(store).await {
        order.push(place(&claimed).0);
    }
    assert_eq!(order, [1, 2, 3, 1, 2, 3, 1, 2, 3]);
}

async fn a_higher_priority_comes_first(fresh: Fresh) {
    let store = &fresh.store;
    for (issue, priority) in [(1, 0), (2, -5), (3, 10), (4, 0)] {
        made(store, 1, 1, issue, priority).await;
    }
    let mut order = Vec::new();
    while let Some(claimed) = next(store).await {
        order.push(place(&claimed).1);
    }
    assert_eq!(order, [3, 1, 4, 2]);
}

async fn limits_hold_over_all_workers(fresh: Fresh) {
    let store = &fresh.store;
    let mut issue = 0;
    for installation in 1..=3 {
        for repo in 0..2 {
            for _ in 0..6 {
                issue += 1;
                made(store, installation, installation * 10 + repo, issue, 0).await;
            }
        }
    }
    let count = async |room: Room| {
        // Many at once, so that two may count at the same moment.
        let claims = (0..24).map(|w| {
            let store = store.clone();
            tokio::spawn(async move {
                store
                    .claim_within(&format!("w{w}"), LEASE, room)
                    .await
                    .unwrap()
            })
        });
        let mut got = Vec::new();
        for claim in claims.collect::<Vec<_>>() {
            got.extend(claim.await.unwrap());
        }
        for claimed in &got {
            store
                .park(claimed.held, Duration::ZERO, "again")
                .await
                .unwrap();
        }
        got
    };
    let room = Room {
        per_repo: Some(1),
        ..Room::default()
    };
    assert_eq!(count(room).await.len(), 6);
    let room = Room {
        per_installation: Some(3),
        ..Room::default()
    };
    let got = count(room).await;
    assert_eq!(got.len(), 9);
    for installation in 1..=3 {
        assert_eq!(got.iter().filter(|c| place(c).0 == installation).count(), 3);
    }
    let room = Room {
        total: Some(5),
        ..Room::default()
    };
    assert_eq!(count(room).await.len(), 5);
    let room = Room {
        total: Some(5),
        per_repo: Some(1),
        per_installation: Some(1),
        ..Room::default()
    };
    assert_eq!(count(room).await.len(), 3);
}

async fn a_successor_of_the_same_name_takes_over_at_once(fresh: Fresh) {
    let store = &fresh.store;
    made(store, 1, 1, 1, 0).await;
    made(store, 1, 1, 2, 0).await;
    let mine = store.claim("mine", LEASE).await.unwrap().unwrap();
    let others = store.claim("other", LEASE).await.unwrap().unwrap();
    assert_eq!(store.release("mine").await.unwrap(), 1);
    assert!(store.heartbeat(mine.held, LEASE).await.is_err());
    store.heartbeat(others.held, LEASE).await.unwrap();
    let again = next(store).await.unwrap();
    assert_eq!((again.held.id, again.task.attempt), (mine.held.id, 2));
}

async fn a_delivery_that_is_worked_on_is_kept(fresh: Fresh) {
    let store = &fresh.store;
    store.add_delivery(super::incoming("a")).await.unwrap();
    let taken = store.next_deliveries(5, LEASE).await.unwrap();
    for _ in 0..3 {
        fresh.clock.on(LEASE - Duration::from_secs(1));
        store.keep_deliveries(&[taken[0].id], LEASE).await.unwrap();
        assert!(store.next_deliveries(5, LEASE).await.unwrap().is_empty());
    }
    fresh.clock.on(LEASE);
    assert_eq!(store.next_deliveries(5, LEASE).await.unwrap().len(), 1);
}

on_both!(
    five_hundred_of_one_do_not_keep_another_waiting,
    installations_take_turns,
    a_higher_priority_comes_first,
    limits_hold_over_all_workers,
    a_successor_of_the_same_name_takes_over_at_once,
    a_delivery_that_is_worked_on_is_kept,
);
