//! Labels and commands of which no delivery is left.

use crate::world::{READER, REPO, WRITER, World, fix, more};
use mend::domain::Verdict;
use std::time::Duration;

const DAYS: Duration = Duration::from_secs(5 * 24 * 3600);

#[tokio::test(flavor = "multi_thread")]
async fn what_no_delivery_tells_of_any_more_is_found_at_start_and_made_once() {
    let mut world = World::new(&[&[fix()], &[more()]]).await;
    world.down().await;
    // Nothing is sent at all, as after GitHub has forgotten its deliveries.
    world.sim.set_webhook_url(None);
    let issue = world.label();
    let other = world.sim.open_issue(REPO, READER, "mine", "").unwrap();
    world.sim.comment(REPO, other, READER, "/mend fix").unwrap();
    world
        .sim
        .comment(REPO, other, READER, "nothing to do with mend")
        .unwrap();
    world.clock.on(DAYS);
    world.up().await;
    let done = world.ended(1).await;
    assert_eq!(done.verdict, Some(Verdict::Ready));
    assert_eq!(done.trigger.issue.number, issue);
    // Who may not is told so, as by a webhook.
    world
        .until("the reader is refused", async || {
            let told = world.own_comments(other);
            told.iter()
                .any(|c| c.body.contains("you need write access"))
                .then_some(())
        })
        .await;
    // A command on the pull request, also while mend is down; then nothing new.
    world.down().await;
    world.sim.set_webhook_url(None);
    let pull = world.pulls()[0].number;
    world
        .sim
        .comment(REPO, pull, WRITER, "/mend retry add a test")
        .unwrap();
    world.clock.on(DAYS);
    // A server that starts plays from the beginning.
    world.settings.model.replay.remove(0);
    world.up().await;
    let second = world.ended(2).await;
    assert_eq!(second.verdict, Some(Verdict::Ready), "{:?}", second.error);
    world.down().await;
    world.clock.on(DAYS);
    world.up().await;
    tokio::time::sleep(Duration::from_secs(2)).await;
    assert_eq!(world.tasks().await.len(), 2);
    assert_eq!(world.pulls().len(), 1);
    assert_eq!(world.own_comments(other).len(), 1);
    world.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_lost_database_does_nothing_again() {
    let mut world = World::new(&[&[fix()]]).await;
    world.label();
    assert_eq!(world.ended(1).await.verdict, Some(Verdict::Ready));
    world.down().await;
    world.sim.set_webhook_url(None);
    for name in ["mend.db", "mend.db-wal", "mend.db-shm"] {
        let _ = std::fs::remove_file(world.settings.server.state_dir.join(name));
    }
    world.clock.on(DAYS);
    world.up().await;
    tokio::time::sleep(Duration::from_secs(2)).await;
    assert!(world.tasks().await.is_empty());
    world.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn reviews_and_commands_on_lines_that_no_delivery_tells_of_are_found_and_made_once() {
    for by_line in [false, true] {
        let mut world = World::new(&[&[fix()], &[more()]]).await;
        world.label();
        assert_eq!(world.ended(1).await.verdict, Some(Verdict::Ready));
        let pull = world.pulls()[0].number;
        world.down().await;
        world.sim.set_webhook_url(None);
        let lines = [("adder/sums.py", 2, "/mend retry add a test")];
        let (review, lines) = match by_line {
            true => (("commented", "See below."), &lines[..]),
            false => (("changes_requested", "Please add a test."), &[][..]),
        };
        // Who may not, and who only talks, ask for nothing.
        world
            .sim
            .review(REPO, pull, READER, ("commented", "Nice."), &[])
            .unwrap();
        world.sim.review(REPO, pull, WRITER, review, lines).unwrap();
        world.clock.on(DAYS);
        world.settings.model.replay.remove(0);
        world.up().await;
        let second = world.ended(2).await;
        assert_eq!(
            second.verdict,
            Some(Verdict::Ready),
            "{by_line}: {:?}",
            second.error
        );
        assert!(
            second.trigger.key.contains(":review:"),
            "{}",
            second.trigger.key
        );
        assert_eq!(world.sim.log(REPO, "mend/issue-1").len(), 3);
        world.down().await;
        world.clock.on(DAYS);
        world.up().await;
        tokio::time::sleep(Duration::from_secs(2)).await;
        assert_eq!(world.tasks().await.len(), 2, "{by_line}");
        world.end().await;
    }
}
