//! Places where GitHub takes no word: the task ends, once, and what came of it stands in its queue.

use super::steer::slow;
use crate::model::stub::Stub;
use crate::world::{REPO, World, fix};
use mend::domain::Verdict;
use mend::store::{State, Task};

/// The ended task, after its only attempt; nothing of it comes again.
async fn ended_once(world: &World) -> Task {
    let task = world.ended(1).await;
    assert_eq!((task.state, task.attempt), (State::Done, 1), "{task:#?}");
    let before = world.sim.requests().len();
    tokio::time::sleep(std::time::Duration::from_secs(1)).await;
    let after = world.sim.requests().split_off(before);
    let writes = |m: &str| ["POST", "PATCH", "PUT"].contains(&m);
    assert!(!after.iter().any(|r| writes(&r.method)), "{after:#?}");
    task
}

fn untold(task: &Task) -> &str {
    task.result.as_ref().unwrap()["untold"]
        .as_str()
        .unwrap_or_default()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_locked_issue_has_its_pull_request_and_no_comment() {
    let world = World::new(&[&[fix()]]).await;
    let issue = world
        .sim
        .open_issue(REPO, crate::world::WRITER, "add subtracts", "It does.")
        .unwrap();
    world.sim.lock_issue(REPO, issue, true).unwrap();
    world
        .sim
        .label_issue(REPO, issue, "mend", crate::world::WRITER)
        .unwrap();
    let task = ended_once(&world).await;
    assert_eq!(task.verdict, Some(Verdict::Ready));
    assert!(untold(&task).contains("issue is locked"), "{task:#?}");
    assert_eq!(world.pulls().len(), 1);
    assert!(world.own_comments(issue).is_empty());
    world.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_archived_repository_ends_the_task_without_a_push() {
    let world = World::new(&[&[fix()]]).await;
    let issue = world
        .sim
        .open_issue(REPO, crate::world::WRITER, "add subtracts", "It does.")
        .unwrap();
    world.sim.archive(REPO, false).unwrap();
    world
        .sim
        .label_issue(REPO, issue, "mend", crate::world::WRITER)
        .unwrap();
    let task = ended_once(&world).await;
    assert_eq!(task.verdict, Some(Verdict::DidntStart));
    assert!(untold(&task).contains("archived"), "{task:#?}");
    let why = task.result.as_ref().unwrap()["error"].as_str().unwrap();
    assert!(why.contains("archived"), "{why}");
    world.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_repository_that_is_archived_in_the_middle_gets_no_push() {
    let stub = Stub::start(vec![
        slow(3),
        crate::model::stub::Answer::json(200, crate::world::chat(&fix())),
    ])
    .await;
    let world = super::parks::world(&stub).await;
    world.label();
    world
        .until("the model is asked", async || {
            (!stub.seen().is_empty()).then_some(())
        })
        .await;
    world.sim.archive(REPO, false).unwrap();
    let task = ended_once(&world).await;
    assert_eq!(task.verdict, Some(Verdict::NotPublished), "{task:#?}");
    assert!(untold(&task).contains("archived"), "{task:#?}");
    assert!(world.pulls().is_empty());
    assert!(world.sim.log(REPO, "mend/issue-1").is_empty());
    world.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn issues_that_are_switched_off_are_told_nothing() {
    let stub = Stub::start(vec![
        slow(3),
        crate::model::stub::Answer::json(200, crate::world::chat(&fix())),
    ])
    .await;
    let world = super::parks::world(&stub).await;
    world.label();
    world
        .until("the model is asked", async || {
            (!stub.seen().is_empty()).then_some(())
        })
        .await;
    world.sim.set_issues(REPO, false).unwrap();
    let task = ended_once(&world).await;
    assert_eq!(task.verdict, Some(Verdict::Ready), "{task:#?}");
    assert!(untold(&task).contains("410"), "{task:#?}");
    assert_eq!(world.pulls().len(), 1);
    world.end().await;
}
