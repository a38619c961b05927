//! What people do while a task runs.

use super::parks::world;
use crate::model::stub::{Answer, Stub};
use crate::world::{READER, REPO, WRITER, World, calls, chat, fix};
use mend::domain::Verdict;
use serde_json::json;
use std::time::{Duration, Instant};

/// An answer that takes its time.
pub(super) fn slow(seconds: u64) -> Answer {
    let look = calls(&[("read_file", json!({"path": "adder/sums.py"}))]);
    Answer::json(200, chat(&look)).drip(usize::MAX, Duration::from_secs(seconds))
}

async fn thinking(world: &World, stub: &Stub) {
    world
        .until("the model is asked", async || {
            (!stub.seen().is_empty()).then_some(())
        })
        .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_comment_during_the_run_reaches_the_next_turn() {
    let stub = Stub::start(vec![slow(3), Answer::json(200, chat(&fix()))]).await;
    let world = world(&stub).await;
    let issue = world.label();
    thinking(&world, &stub).await;
    world
        .sim
        .comment(REPO, issue, READER, "Please rewrite everything")
        .unwrap();
    world
        .sim
        .comment(REPO, issue, WRITER, "Mind the overflow, too")
        .unwrap();
    assert_eq!(world.ended(1).await.verdict, Some(Verdict::Ready));
    let bodies = stub.bodies();
    assert_eq!(bodies.len(), 2);
    let next = bodies[1].to_string();
    assert!(next.contains("Mind the overflow, too"), "{next}");
    assert!(next.contains("wrote while you worked"), "{next}");
    assert!(!next.contains("rewrite everything"), "{next}");
    assert_eq!(world.tasks().await.len(), 1);
    world.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn whatever_stops_a_run_stops_it_within_seconds_and_nothing_is_pushed() {
    type Act = fn(&World, u64);
    let acts: [(&str, Act); 5] = [
        ("as asked", |w, n| {
            w.sim.comment(REPO, n, WRITER, "/mend stop").unwrap();
        }),
        ("since the label was taken off", |w, n| {
            w.sim.unlabel_issue(REPO, n, "mend", READER).unwrap()
        }),
        ("since the issue was closed", |w, n| {
            w.sim.set_issue_open(REPO, n, false, READER).unwrap()
        }),
        ("since the App was suspended", |w, _| w.sim.suspend(true)),
        ("since the repository was made private", |w, _| {
            w.sim.set_private(REPO, false).unwrap();
            w.sim.set_private(REPO, true).unwrap();
        }),
    ];
    for (name, act) in acts {
        let stub = Stub::start(vec![slow(50)]).await;
        let world = world(&stub).await;
        let issue = world.label();
        thinking(&world, &stub).await;
        let before = Instant::now();
        act(&world, issue);
        let task = world.ended(1).await;
        assert_eq!(task.verdict, Some(Verdict::Stopped), "{name}");
        assert!(
            before.elapsed() < Duration::from_secs(10),
            "{name}: {:?}",
            before.elapsed()
        );
        assert_eq!(mend::render::stop_words(task.stop_cause.unwrap()), name);
        // Who suspended the App is told nothing: mend may not write there.
        let told = world.own_comments(issue);
        let said = told
            .iter()
            .any(|c| c.body.contains(&format!("**Stopped, {name}.**")));
        assert_eq!(said, !name.contains("suspended"), "{name}: {told:#?}");
        assert!(world.pulls().is_empty(), "{name}");
        assert_eq!(world.sim.log(REPO, "mend/issue-1").len(), 0, "{name}");
        world.end().await;
    }
}
