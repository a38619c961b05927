//! GitHub's limits: named, obeyed by every call, and not forgotten by a restart.

use crate::world::{REPO, World, fix};
use mend::domain::Verdict;
use mend::simulator::{Credential, Effect, Fault};
use mend::store::State;
use std::time::Duration;

/// Requests so far with a token of the installation, but for those that end one.
fn requests(world: &World) -> usize {
    let all = world.sim.requests();
    let of = all
        .iter()
        .filter(|r| r.credential == Credential::InstallationToken)
        .filter(|r| r.path != "/installation/token");
    of.count()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_limit_is_named_obeyed_by_every_call_and_survives_a_restart() {
    let mut world = World::new(&[&[fix()]]).await;
    let limited = Effect::Answer {
        status: 403,
        headers: vec![
            ("content-type".into(), "application/json".into()),
            ("retry-after".into(), "300".into()),
        ],
        body: r#"{"message": "You have exceeded a secondary rate limit."}"#.into(),
    };
    world
        .sim
        .fault(Fault::once("POST", "/pulls$", limited))
        .unwrap();
    let issue = world.label();
    world
        .until("the task waits for GitHub", async || {
            let task = world.tasks().await.into_iter().next()?;
            let waits = task.state == State::Queued && task.error.is_some();
            waits.then_some(())
        })
        .await;
    let why = world.tasks().await[0].error.clone().unwrap();
    assert!(why.starts_with("secondary rate limit"), "{why}");
    let before = requests(&world);
    world.down().await;
    world.up().await;
    // Somebody else's wish is not worth a request either.
    world
        .sim
        .comment(REPO, issue, "ada", "/mend status")
        .unwrap();
    tokio::time::sleep(Duration::from_secs(1)).await;
    assert_eq!(
        requests(&world),
        before,
        "nothing is asked during the pause"
    );
    world.clock.on(Duration::from_secs(301));
    assert_eq!(world.ended(1).await.verdict, Some(Verdict::Ready));
    assert_eq!(world.pulls().len(), 1);
    let told = world.own_comments(issue);
    let ending = &told[0].body;
    assert!(
        ending.contains("Opened #2")
            && ending.contains("GitHub's secondary rate limit held it up until "),
        "{ending}"
    );
    world
        .until("the question is answered as well", async || {
            (world.own_comments(issue).len() == 2).then_some(())
        })
        .await;
    world.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_github_shows_late_or_answers_to_nobody_is_not_written_twice() {
    let patch = "/issues/comments/\\d+$";
    for (method, path, effect) in [
        ("PATCH", patch, Effect::status(404, "Not Found")),
        ("POST", "/issues/1/comments$", Effect::CutAfter),
        (
            "POST",
            "/issues/1/comments$",
            Effect::status(502, "Bad Gateway"),
        ),
    ] {
        let world = World::new(&[&[fix()]]).await;
        world.sim.fault(Fault::once(method, path, effect)).unwrap();
        let issue = world.label();
        assert_eq!(world.ended(1).await.verdict, Some(Verdict::Ready));
        let told = world.own_comments(issue);
        assert_eq!(told.len(), 1, "{method}: {told:#?}");
        assert!(told[0].body.contains(" app:"), "{}", told[0].body);
        world.end().await;
    }
}

/// A stop that cannot be told yet waits as the task does, and costs one claim.
#[tokio::test(flavor = "multi_thread")]
async fn a_stop_during_a_limit_is_told_after_it_and_not_tried_in_a_circle() {
    let world = World::new(&[&[fix()]]).await;
    let limited = Effect::Answer {
        status: 403,
        headers: vec![("retry-after".into(), "300".into())],
        body: r#"{"message": "You have exceeded a secondary rate limit."}"#.into(),
    };
    let fault = Fault::once("POST", "/pulls$", limited);
    world.sim.fault(fault).unwrap();
    let issue = world.label();
    let waiting = async || {
        let task = world.tasks().await.into_iter().next()?;
        let waits = task.state == State::Queued && task.error.is_some();
        waits.then_some(task)
    };
    let before = world.until("the task waits for GitHub", waiting).await;
    let store = world.server().store();
    assert!(store.cancel(before.id).await.unwrap());
    // As long as several claims take.
    tokio::time::sleep(Duration::from_secs(2)).await;
    let after = world.until("it waits again", waiting).await;
    assert_eq!(after.epoch, before.epoch + 1, "one claim: {after:#?}");
    let wait = after.run_at / 1000 - after.updated_at / 1000;
    assert!((200..=300).contains(&wait), "{after:#?}");
    world.clock.on(Duration::from_secs(301));
    assert_eq!(world.ended(1).await.verdict, Some(Verdict::Stopped));
    assert!(world.pulls().is_empty());
    let told = world.own_comments(issue);
    assert!(
        told.len() == 1 && told[0].body.contains("topped"),
        "{told:#?}"
    );
    world.end().await;
}
