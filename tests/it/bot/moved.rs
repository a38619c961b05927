//! Somebody pushes to mend's branch while mend works on it.

use super::parks::world;
use super::steer::slow;
use crate::model::stub::{Answer, Stub};
use crate::world::{REPO, WRITER, World, chat, fix, more};
use mend::config::CommitsBy;
use mend::domain::Verdict;
use mend::simulator::{Effect, Fault};
use std::time::Duration;

const BRANCH: &str = "mend/issue-1";

/// A pull request, and a second run whose model is thinking.
async fn second_run(last: Answer) -> (World, Stub, u64) {
    let stub = Stub::start(vec![Answer::json(200, chat(&fix())), slow(2), last]).await;
    let world = world(&stub).await;
    let issue = world.label();
    assert_eq!(world.ended(1).await.verdict, Some(Verdict::Ready));
    world
        .sim
        .comment(REPO, issue, WRITER, "/mend retry add a test")
        .unwrap();
    world
        .until("the second run's model is asked", async || {
            (stub.seen().len() > 1).then_some(())
        })
        .await;
    (world, stub, issue)
}

#[tokio::test(flavor = "multi_thread")]
async fn the_change_goes_on_top_of_what_somebody_pushed_and_is_checked_again() {
    let (world, stub, issue) = second_run(Answer::json(200, chat(&more()))).await;
    let theirs = world
        .sim
        .push(REPO, BRANCH, WRITER, "A note of mine", [("NOTE", "mine\n")])
        .unwrap();
    assert_eq!(world.ended(2).await.verdict, Some(Verdict::Ready));
    let pull = world.pulls()[0].clone();
    let log = world.sim.log(REPO, BRANCH);
    assert_eq!(log.len(), 4, "{log:?}");
    assert!(log[1].starts_with("A note of mine"), "{log:?}");
    assert!(world.sim.file(REPO, &pull.head_sha, "NOTE").is_some());
    assert!(
        world
            .sim
            .file(REPO, &pull.head_sha, "tests/test_more.py")
            .is_some()
    );
    assert!(
        pull.body
            .contains("was put on top of that and checked again")
            && pull
                .body
                .contains(&format!("run by mend on `{}`", &pull.head_sha[..7])),
        "{}",
        pull.body
    );
    assert_ne!(pull.head_sha, theirs);
    assert_eq!(stub.seen().len(), 3, "the model is not asked again");
    assert_eq!(world.own_comments(issue).len(), 2);
    world.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_change_that_does_not_fit_on_top_is_told_and_nothing_is_forced() {
    let (world, _stub, issue) = second_run(Answer::json(200, chat(&more()))).await;
    let theirs = world
        .sim
        .push(
            REPO,
            BRANCH,
            WRITER,
            "My own test",
            [("tests/test_more.py", "# another one\n")],
        )
        .unwrap();
    assert_eq!(world.ended(2).await.verdict, Some(Verdict::NotPublished));
    assert_eq!(world.pulls()[0].head_sha, theirs);
    let told = world.own_comments(issue).pop().unwrap().body;
    assert!(
        told.contains("`mend/issue-1` moved while I worked")
            && told.contains("`tests/test_more.py`")
            && told.contains("#2 stays as it is"),
        "{told}"
    );
    world.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_branch_that_moves_between_the_look_and_the_push_is_not_overwritten() {
    for commits in [CommitsBy::Push, CommitsBy::Api] {
        let world = World::with(&[&[fix()]], crate::world::PROJECT, |s| {
            s.publish.commits = commits;
        })
        .await;
        // The look is answered late: what it saw is old by then.
        let look = match commits {
            CommitsBy::Push => ("GET", "info/refs$"),
            CommitsBy::Api => ("GET", "/git/ref/heads/mend/issue-1$"),
        };
        let skip = match commits {
            CommitsBy::Push => 1,
            CommitsBy::Api => 0,
        };
        world
            .sim
            .fault(Fault {
                skip,
                ..Fault::once(look.0, look.1, Effect::Delay(Duration::from_secs(4)))
            })
            .unwrap();
        world.label();
        // The request before the look; requests are logged when they are answered.
        let before = match commits {
            CommitsBy::Push => (3, "/repositories/"),
            CommitsBy::Api => (1, "/git/commits"),
        };
        world
            .until("the change is about to be published", async || {
                let seen = world.sim.requests();
                let of = seen.iter().filter(|r| r.path.contains(before.1));
                (of.count() >= before.0).then_some(())
            })
            .await;
        tokio::time::sleep(Duration::from_millis(700)).await;
        let theirs = world
            .sim
            .push(REPO, BRANCH, WRITER, "Mine", [("NOTE", "mine\n")])
            .unwrap();
        assert_eq!(world.ended(1).await.verdict, Some(Verdict::Ready));
        let refs = world.sim.refs(REPO);
        assert_eq!(refs[&format!("refs/heads/{BRANCH}")], theirs, "{commits:?}");
        // Theirs is no branch of mend's any more: the change has another.
        assert_eq!(world.pulls()[0].head, "mend/issue-1-2");
        world.end().await;
    }
}
