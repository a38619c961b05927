//! Webhooks that come late, or after what followed them.

use super::hub::{Hub, at, commented, labeled, unlabeled};
use mend::domain::StopCause;
use serde_json::{Value, json};

fn closed(closed_at: &str) -> Value {
    let mut payload = labeled("rita", "x");
    payload["action"] = json!("closed");
    payload["issue"]["state"] = json!("closed");
    payload["issue"]["closed_at"] = json!(closed_at);
    payload
}

async fn stopped(hub: &Hub) -> Vec<Option<StopCause>> {
    hub.tasks().await.iter().map(|t| t.stop_cause).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_late_unlabelling_ends_what_was_asked_before_it_and_nothing_newer() {
    let hub = Hub::new().await;
    hub.event("issues", &labeled("alice", "mend")).await;
    // Off and on again; the delivery of the first comes last.
    {
        let mut facts = hub.facts.lock().unwrap();
        facts.unlabeled.push((501, "mend", 2));
        facts.labeled.push((502, "mend", 1));
    }
    hub.event("issues", &labeled("alice", "mend")).await;
    hub.event("issues", &unlabeled("mia", "mend")).await;
    assert_eq!(stopped(&hub).await, [Some(StopCause::LabelRemoved), None]);
    // And once more, as a redelivery would.
    hub.event("issues", &unlabeled("mia", "mend")).await;
    assert_eq!(hub.tasks().await[1].stop_cause, None);
    // It goes for good, before GitHub's list shows that.
    hub.facts.lock().unwrap().on_now = false;
    hub.event("issues", &unlabeled("mia", "mend")).await;
    assert_eq!(
        hub.tasks().await[1].stop_cause,
        Some(StopCause::LabelRemoved)
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn an_unlabelling_spares_a_run_that_was_asked_for_in_words_after_it() {
    let hub = Hub::new().await;
    hub.facts.lock().unwrap().unlabeled.push((501, "mend", 2));
    let mut retry = commented("alice", "/mend retry");
    retry["comment"]["updated_at"] = json!(at(502));
    hub.event("issue_comment", &retry).await;
    hub.event("issues", &unlabeled("mia", "mend")).await;
    assert_eq!(stopped(&hub).await, [None]);
    hub.facts.lock().unwrap().unlabeled.push((503, "mend", 2));
    hub.event("issues", &unlabeled("mia", "mend")).await;
    assert_eq!(stopped(&hub).await, [Some(StopCause::LabelRemoved)]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_label_that_is_off_by_now_starts_nothing() {
    let hub = Hub::new().await;
    hub.facts.lock().unwrap().unlabeled.push((501, "mend", 2));
    // The unlabelling overtook the labelling.
    hub.event("issues", &unlabeled("mia", "mend")).await;
    assert_eq!(hub.event("issues", &labeled("alice", "mend")).await, []);
    assert!(hub.tasks().await.is_empty());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_late_closing_ends_what_was_asked_before_it_and_nothing_newer() {
    let hub = Hub::new().await;
    hub.event("issues", &labeled("alice", "mend")).await;
    hub.event("issues", &closed("2023-11-14T21:59:00Z")).await;
    assert_eq!(stopped(&hub).await, [None], "closed, opened, labelled");
    hub.event("issues", &closed(&at(501))).await;
    assert_eq!(stopped(&hub).await, [Some(StopCause::IssueClosed)]);
}

#[tokio::test(flavor = "multi_thread")]
async fn where_github_does_not_say_when_the_label_went_the_run_stops() {
    for trouble in [429, 500] {
        let hub = Hub::new().await;
        hub.event("issues", &labeled("alice", "mend")).await;
        hub.facts.lock().unwrap().trouble = Some(trouble);
        hub.event("issues", &unlabeled("mia", "mend")).await;
        assert_eq!(stopped(&hub).await, [Some(StopCause::LabelRemoved)]);
        assert_eq!(hub.ends().await, [("done".to_string(), 2)]);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_takes_mend_away_is_told_apart() {
    let installed = |action: &str| json!({"action": action, "installation": {"id": 70}});
    let mut taken = installed("removed");
    taken["repositories_removed"] = json!([{"id": 7}]);
    let repository = |action: &str| {
        let mut payload = labeled("rita", "x");
        payload["action"] = json!(action);
        payload
    };
    for (event, payload, cause) in [
        (
            "installation",
            installed("deleted"),
            StopCause::AppUninstalled,
        ),
        (
            "installation",
            installed("suspend"),
            StopCause::AppSuspended,
        ),
        ("installation_repositories", taken, StopCause::RepoRemoved),
        ("repository", repository("deleted"), StopCause::RepoGone),
        ("repository", repository("transferred"), StopCause::RepoGone),
        (
            "repository",
            repository("archived"),
            StopCause::RepoArchived,
        ),
        (
            "repository",
            repository("privatized"),
            StopCause::RepoPrivate,
        ),
        ("issues", repository("deleted"), StopCause::IssueGone),
        ("issues", repository("transferred"), StopCause::IssueGone),
    ] {
        let hub = Hub::new().await;
        hub.event("issues", &labeled("alice", "mend")).await;
        hub.event(event, &payload).await;
        assert_eq!(stopped(&hub).await, [Some(cause)], "{event} {payload}");
    }
}
