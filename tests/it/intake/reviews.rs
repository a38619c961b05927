//! Reviews, comments on lines, the check run's button, and what was taken from mend.

use super::hub::{
    Hub, all_rerequested, commented, labeled, line, line_commented, rerequested, reviewed,
};
use mend::domain::{Command, Step, TaskId, TriggerKind, Verdict};
use mend::intake::Said;
use mend::store::Reached;
use serde_json::{Value, json};
use std::time::Duration;

/// A hub whose task 1 has opened pull request 66.
async fn published() -> Hub {
    let hub = Hub::new().await;
    hub.event("issues", &labeled("alice", "mend")).await;
    let lease = Duration::from_secs(60);
    let held = hub.store.claim("w", lease).await.unwrap().unwrap().held;
    let reached = Reached {
        pr_number: Some(66),
        ..Reached::default()
    };
    hub.store.step(held, Step::Publish, &reached).await.unwrap();
    hub.store
        .finish(held, Verdict::Ready, &json!({}))
        .await
        .unwrap();
    hub
}

const SECOND: Said = Said::Accepted { task: TaskId(2) };

#[tokio::test(flavor = "multi_thread")]
async fn a_review_makes_one_task_with_its_comments_whichever_event_comes_first() {
    let review = (
        "pull_request_review",
        reviewed("alice", "changes_requested", "Please <!-- x -->round"),
    );
    let comment = (
        "pull_request_review_comment",
        line_commented("alice", "/mend retry here too"),
    );
    for events in [[&review, &comment], [&comment, &review]] {
        let hub = published().await;
        hub.facts.lock().unwrap().lines = json!([
            line(901, "alice", "/mend retry here too"),
            line(902, "rita", "somebody else's words"),
        ]);
        for (event, payload) in events {
            assert_eq!(hub.event(event, payload).await, [SECOND]);
        }
        let tasks = hub.tasks().await;
        assert_eq!(tasks.len(), 2);
        let trigger = &tasks[1].trigger;
        assert_eq!(trigger.key, "7:1001:review:300");
        assert_eq!(
            (trigger.issue.number, trigger.title.as_str()),
            (1, "Totals drift")
        );
        let threads = trigger.what.threads();
        assert_eq!(threads.len(), 1, "only the reviewer's own");
        assert_eq!(
            (threads[0].path.as_str(), threads[0].line),
            ("src/totals.py", Some(12))
        );
        assert!(threads[0].hunk.starts_with("@@ -10,3"));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn reviews_that_ask_for_nothing_or_may_not_ask_start_nothing() {
    let hub = published().await;
    let mut others = reviewed("alice", "changes_requested", "");
    others["pull_request"]["number"] = json!(67);
    let mut of_another = reviewed("alice", "changes_requested", "");
    of_another["review"]["user"] = json!({"id": 2, "login": "mia", "type": "User"});
    let mut dismissed = reviewed("alice", "changes_requested", "/mend retry");
    dismissed["action"] = json!("dismissed");
    for (event, payload) in [
        ("pull_request_review", reviewed("alice", "approved", "Good")),
        (
            "pull_request_review",
            reviewed("alice", "commented", "Why?"),
        ),
        (
            "pull_request_review",
            reviewed("rita", "changes_requested", "No"),
        ),
        (
            "pull_request_review",
            reviewed("mend-acme[bot]", "changes_requested", "/mend retry"),
        ),
        ("pull_request_review", others),
        ("pull_request_review", of_another),
        ("pull_request_review", dismissed),
        (
            "pull_request_review_comment",
            line_commented("alice", "Why?"),
        ),
        (
            "pull_request_review_comment",
            line_commented("mend-acme[bot]", "/mend retry"),
        ),
        ("check_run", rerequested("alice", 13)),
        ("check_run", rerequested("mend-acme[bot]", 12)),
    ] {
        assert_eq!(hub.event(event, &payload).await, [], "{payload}");
    }
    assert_eq!(hub.tasks().await.len(), 1);
    let said = hub.event("check_run", &rerequested("rita", 12)).await;
    assert!(matches!(said[..], [Said::Refused { .. }]), "{said:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_lowercase_state_is_not_needed_and_an_approval_may_hold_a_command() {
    let hub = published().await;
    let said = hub
        .event(
            "pull_request_review",
            &reviewed("alice", "APPROVED", "Nice.\n\n/mend retry add a test"),
        )
        .await;
    assert_eq!(said, [SECOND]);
    let hub = published().await;
    let said = hub
        .event(
            "pull_request_review",
            &reviewed("alice", "CHANGES_REQUESTED", ""),
        )
        .await;
    assert_eq!(said, [SECOND]);
}

#[tokio::test(flavor = "multi_thread")]
async fn each_press_of_the_button_asks_for_one_run() {
    let hub = published().await;
    assert_eq!(
        hub.event("check_run", &rerequested("alice", 12)).await,
        [SECOND]
    );
    let trigger = hub.tasks().await[1].trigger.clone();
    let command = Command::Retry {
        guidance: None,
        from_scratch: false,
    };
    assert_eq!(
        trigger.what,
        TriggerKind::CheckRun {
            check_run_id: 400,
            command
        }
    );
    let third = Said::Accepted { task: TaskId(3) };
    assert_eq!(
        hub.event("check_run", &rerequested("alice", 12)).await,
        [third]
    );
    // The button for all checks at once; another app's is none of mend's.
    let event = "check_suite";
    assert_eq!(hub.event(event, &all_rerequested("alice", 13)).await, []);
    let fourth = Said::Accepted { task: TaskId(4) };
    assert_eq!(
        hub.event(event, &all_rerequested("alice", 12)).await,
        [fourth]
    );
    let said = hub.event(event, &all_rerequested("rita", 12)).await;
    assert!(matches!(said[..], [Said::Refused { .. }]), "{said:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_command_on_a_line_is_obeyed_and_an_edit_of_it_too() {
    let hub = published().await;
    let event = "pull_request_review_comment";
    assert_eq!(
        hub.event(event, &line_commented("alice", "/mend retry a"))
            .await,
        [SECOND]
    );
    assert!(matches!(
        hub.event(event, &line_commented("alice", "/mend stop"))
            .await[..],
        [Said::Stopping { .. }]
    ));
    let mut edited = line_commented("alice", "/mend retry b");
    edited["action"] = json!("edited");
    edited["comment"]["updated_at"] = json!("t2");
    edited["changes"] = json!({"body": {"from": "/mend retry b"}});
    assert_eq!(hub.event(event, &edited).await, []);
    edited["changes"] = json!({"body": {"from": "/mend retry a"}});
    assert_eq!(hub.event(event, &edited).await, [], "only its words");
    edited["changes"] = json!({"body": {"from": "nothing"}});
    assert_eq!(
        hub.event(event, &edited).await,
        [Said::Accepted { task: TaskId(3) }]
    );
}

/// AZ-06.
#[tokio::test(flavor = "multi_thread")]
async fn az_06_a_command_on_a_pull_request_from_a_fork_is_refused_in_words() {
    let hub = published().await;
    hub.facts.lock().unwrap().head_repo = 8;
    let mut on_fork = commented("alice", "/mend fix");
    on_fork["issue"]["pull_request"] = json!({});
    on_fork["issue"]["number"] = json!(68);
    assert_eq!(hub.event("issue_comment", &on_fork).await, [Said::Fork]);
    let mut review = reviewed("alice", "commented", "/mend fix");
    review["pull_request"] = json!({"number": 68, "head": {"ref": "main", "repo": null}});
    assert_eq!(
        hub.event("pull_request_review", &review).await,
        [Said::Fork]
    );
    assert_eq!(hub.tasks().await.len(), 1);
    hub.facts.lock().unwrap().head_repo = 7;
    assert_eq!(hub.event("issue_comment", &on_fork).await, [Said::NotOurs]);
}

/// An edit counts only when author and editor are both entitled.
#[tokio::test(flavor = "multi_thread")]
async fn az_05_an_edit_of_anothers_comment_needs_both_to_be_entitled() {
    for (author, editor, counts) in [
        ("mia", "alice", true),
        ("rita", "alice", false),
        ("alice", "rita", false),
        ("dependabot[bot]", "alice", false),
    ] {
        let hub = Hub::new().await;
        let mut payload = commented(author, "/mend retry b");
        payload["sender"] = commented(editor, "")["sender"].clone();
        payload["action"] = json!("edited");
        payload["changes"] = json!({"body": {"from": "thanks"}});
        hub.event("issue_comment", &payload).await;
        assert_eq!(
            hub.tasks().await.len(),
            usize::from(counts),
            "{author} {editor}"
        );
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn qd_10_what_is_taken_from_mend_stops_its_tasks() {
    let installation = |action: &str| json!({"action": action, "installation": {"id": 70}, "sender": {"id": 1, "login": "alice", "type": "User"}});
    let removed = |repo: u64| {
        let mut payload = installation("removed");
        payload["repositories_removed"] = json!([{"id": 99}, {"id": repo}]);
        payload
    };
    let repository = |action: &str| {
        let mut payload = labeled("rita", "x");
        payload["action"] = json!(action);
        payload
    };
    let table: [(&str, Value, bool); 12] = [
        ("installation", installation("deleted"), true),
        ("installation", installation("suspend"), true),
        ("installation", installation("unsuspend"), false),
        (
            "installation",
            json!({"action": "deleted", "installation": {"id": 71}}),
            false,
        ),
        ("installation_repositories", removed(7), true),
        ("installation_repositories", removed(8), false),
        ("repository", repository("transferred"), true),
        ("repository", repository("privatized"), true),
        ("repository", repository("archived"), true),
        ("repository", repository("edited"), false),
        ("issues", repository("deleted"), true),
        ("issues", repository("transferred"), true),
    ];
    for (event, payload, stops) in table {
        let hub = Hub::new().await;
        hub.event("issues", &labeled("alice", "mend")).await;
        assert_eq!(hub.event(event, &payload).await, []);
        assert_eq!(
            hub.tasks().await[0].cancel_requested,
            stops,
            "{event} {payload}"
        );
    }
}

/// AZ-03: what mend writes comes back to it as events.
#[tokio::test(flavor = "multi_thread")]
async fn az_03_fifty_own_comments_make_no_task() {
    let hub = published().await;
    for n in 0..50 {
        let text = format!("{n}\n\n/mend retry");
        hub.event("issue_comment", &commented("mend-acme[bot]", &text))
            .await;
    }
    assert_eq!(hub.tasks().await.len(), 1);
}
