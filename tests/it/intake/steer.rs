//! What people write while a task waits or runs.

use super::hub::{Hub, commented, labeled};
use mend::domain::TaskId;
use mend::intake::Said;
use serde_json::json;
use std::time::Duration;

#[tokio::test(flavor = "multi_thread")]
async fn a_comment_during_a_run_reaches_the_task_once() {
    let hub = Hub::new().await;
    let said = hub
        .event("issue_comment", &commented("alice", "before any task"))
        .await;
    assert_eq!(said, []);
    hub.event("issues", &labeled("alice", "mend")).await;
    let lease = Duration::from_secs(60);
    let held = hub.store.claim("w", lease).await.unwrap().unwrap().held;
    let words = commented("alice", "Round <!-- hidden -->half up");
    for _ in 0..2 {
        let said = hub.event("issue_comment", &words).await;
        assert_eq!(said, [Said::Heard { task: TaskId(1) }]);
    }
    for (who, text) in [
        ("rita", "Delete it all"),
        ("mend-acme[bot]", "Working"),
        ("alice", "  "),
    ] {
        assert_eq!(
            hub.event("issue_comment", &commented(who, text)).await,
            [],
            "{who}"
        );
    }
    let heard = hub.store.steer_take(held).await.unwrap();
    assert_eq!(heard, ["`@alice` wrote while you worked:\nRound half up"]);
    hub.store
        .finish(held, mend::domain::Verdict::Ready, &json!({}))
        .await
        .unwrap();
    let after = commented("alice", "Thank you");
    assert_eq!(hub.event("issue_comment", &after).await, []);
}
