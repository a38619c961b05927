//! Webhooks that never arrive.

use crate::world::{PROJECT, REPO, WRITER, World, fix, more};
use mend::domain::Verdict;
use std::time::Duration;

#[tokio::test(flavor = "multi_thread")]
async fn what_happened_while_mend_was_down_is_taken_up_when_it_starts() {
    let mut world = World::new(&[&[fix()]]).await;
    world.down().await;
    let issue = world.label();
    // Taken back before mend comes up again: only the newest wish counts.
    let other = world
        .sim
        .open_issue(REPO, WRITER, "never mind", "")
        .unwrap();
    world.sim.label_issue(REPO, other, "mend", WRITER).unwrap();
    world
        .sim
        .unlabel_issue(REPO, other, "mend", WRITER)
        .unwrap();
    assert!(world.sim.settle(Duration::from_secs(10)).await);
    assert!(world.sim.deliveries().iter().all(|d| !d.succeeded()));
    world.up().await;
    let done = world
        .until("the issue is fixed", async || {
            let tasks = world.tasks().await;
            tasks
                .into_iter()
                .find(|t| t.trigger.issue.number == issue && t.verdict.is_some())
        })
        .await;
    assert_eq!(done.verdict, Some(Verdict::Ready));
    world
        .until("every delivery is dealt with", async || {
            let all = world.server().store().count_deliveries().await.ok()?;
            let over = |(state, _): &(String, u64)| state == "done" || state == "ignored";
            all.iter().all(over).then_some(())
        })
        .await;
    // What was taken back is not even begun.
    assert!(
        world
            .tasks()
            .await
            .iter()
            .all(|t| t.trigger.issue.number == issue)
    );
    assert!(world.own_comments(other).is_empty());
    assert_eq!(world.pulls().len(), 1);
    // Once more, and again from GitHub's own button: nothing is made twice.
    world.down().await;
    world.up().await;
    for delivery in world.sim.deliveries() {
        world.sim.redeliver(delivery.id).unwrap();
    }
    assert!(world.sim.settle(Duration::from_secs(10)).await);
    tokio::time::sleep(Duration::from_millis(500)).await;
    assert_eq!(world.tasks().await.len(), 1);
    assert_eq!(world.own_comments(issue).len(), 1);
    world.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn without_a_public_address_mend_asks_for_what_happened() {
    let world = World::with(&[&[fix()], &[more()]], PROJECT, |settings| {
        settings.github.poll_s = Some(1);
    })
    .await;
    // Nobody listens there.
    world.sim.set_webhook_url(Some("http://127.0.0.1:9/none"));
    let issue = world.label();
    assert_eq!(world.ended(1).await.verdict, Some(Verdict::Ready));
    world
        .sim
        .comment(REPO, issue, WRITER, "/mend retry add a test")
        .unwrap();
    assert_eq!(world.ended(2).await.verdict, Some(Verdict::Ready));
    assert_eq!(world.tasks().await.len(), 2);
    assert_eq!(world.pulls().len(), 1);
    world.end().await;
}
