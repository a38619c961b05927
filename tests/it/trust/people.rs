//! AZ-08 and the notices of it: what one person may ask for, and what the others see of it.

use crate::intake::hub::{Hub, commented, labeled};
use mend::config::ReposSettings;
use mend::intake::Said;
use mend::store::Scope;
use serde_json::{Value, json};
use std::time::Duration;

fn quotas(person: u32, repo: u32, installation: u32) -> ReposSettings {
    ReposSettings {
        person_per_hour: person,
        repo_per_hour: repo,
        installation_per_hour: installation,
        ..ReposSettings::default()
    }
}

/// The label on issue number `n`.
fn on_issue(n: u64, who: &str) -> Value {
    let mut payload = labeled(who, "mend");
    payload["issue"]["number"] = json!(n);
    payload["issue"]["id"] = json!(1000 + n);
    payload
}

fn accepted(said: &[Said]) -> usize {
    said.iter()
        .filter(|s| matches!(s, Said::Accepted { .. }))
        .count()
}

fn over(scope: Scope, most: u32) -> Said {
    Said::TooMany { scope, most }
}

#[tokio::test(flavor = "multi_thread")]
async fn az_08_two_hundred_labels_of_one_person_make_twenty_tasks_and_one_notice() {
    let hub = Hub::serving(&[], quotas(20, 60, 200)).await;
    hub.facts.lock().unwrap().labeled.push((501, "mend", 2));
    let mut said = Vec::new();
    for n in 1..=200 {
        said.extend(hub.event("issues", &on_issue(n, "alice")).await);
    }
    assert_eq!(accepted(&said), 20);
    assert_eq!(said[20..], [over(Scope::Person, 20)]);
    assert_eq!(hub.tasks().await.len(), 20);
    // Who comes again with what made a task finds it; others are not held up.
    let again = hub.event("issues", &on_issue(3, "alice")).await;
    assert_eq!(accepted(&again), 1);
    assert_eq!(
        accepted(&hub.event("issues", &on_issue(201, "mia")).await),
        1
    );
    // The hour passes.
    hub.clock.on(Duration::from_secs(3601));
    assert_eq!(
        accepted(&hub.event("issues", &on_issue(202, "alice")).await),
        1
    );
    assert_eq!(hub.tasks().await.len(), 22);
}

#[tokio::test(flavor = "multi_thread")]
async fn az_08_comments_count_and_each_scope_has_its_own_notice() {
    let hub = Hub::serving(&[], quotas(3, 4, 5)).await;
    hub.facts.lock().unwrap().labeled.push((501, "mend", 2));
    let mut said = Vec::new();
    for n in 0..30 {
        let mut comment = commented("alice", "/mend retry");
        comment["comment"]["id"] = json!(100 + n);
        said.extend(hub.event("issue_comment", &comment).await);
    }
    assert_eq!(said.len(), 4, "{said:?}");
    assert_eq!(said[3], over(Scope::Person, 3));
    let mut said = Vec::new();
    for n in 1..=3 {
        said.extend(hub.event("issues", &on_issue(n, "mia")).await);
    }
    assert_eq!(accepted(&said), 1);
    assert_eq!(said[1..], [over(Scope::Repo, 4)]);
    // Another repository of the installation.
    let elsewhere = |n: u64| {
        let mut payload = on_issue(n, "mia");
        payload["repository"]["id"] = json!(8);
        payload
    };
    let mut said = Vec::new();
    for n in 1..=3 {
        said.extend(hub.event("issues", &elsewhere(n)).await);
    }
    assert_eq!(accepted(&said), 1);
    assert_eq!(said[1..], [over(Scope::Installation, 5)]);
    assert_eq!(hub.tasks().await.len(), 5);
}
