//! AZ: who asked is asked about again, and the repository is the one that was meant.

use crate::world::{PROJECT, REPO, WRITER, World, fix};
use mend::domain::Verdict;
use mend::simulator::{Effect, Fault};
use serde_json::json;
use std::time::Duration;

/// Answers the questions about ada's role from number `skip` (from 0) on, so many times.
fn fault(world: &World, skip: usize, times: usize, effect: Effect) {
    let fault = Fault {
        skip,
        times,
        ..Fault::once("GET", "/collaborators/ada/permission$", effect)
    };
    world.sim.fault(fault).unwrap();
}

fn reader() -> Effect {
    Effect::Answer {
        status: 200,
        headers: vec![("content-type".into(), "application/json".into())],
        body: json!({"permission": "read", "role_name": "read", "user": null}).to_string(),
    }
}

fn asked(world: &World, what: &str) -> usize {
    let all = world.sim.requests().into_iter();
    all.filter(|r| r.path.ends_with(what)).count()
}

/// The first question is admission's, the second the start's, the third that before publishing.
const START: usize = 1;
const PUBLISH: usize = 2;

#[tokio::test(flavor = "multi_thread")]
async fn az_04_who_lost_the_permission_before_the_start_gets_no_clone() {
    for effect in [
        reader(),
        Effect::status(403, "no"),
        Effect::status(404, "Not Found"),
    ] {
        let world = World::new(&[&[fix()]]).await;
        fault(&world, START, usize::MAX, effect.clone());
        let issue = world.label();
        let task = world.ended(1).await;
        assert_eq!(task.verdict, Some(Verdict::DidntStart), "{effect:?}");
        assert_eq!(asked(&world, "git-upload-pack"), 0, "{effect:?}");
        assert!(world.pulls().is_empty());
        let said = world.own_comments(issue).pop().unwrap().body;
        let words = match effect == Effect::status(403, "no") {
            true => "Not permitted: GET",
            false => "who asked for this run, `ada`, no longer has write access",
        };
        assert!(said.contains(words), "{said}");
        world.end().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn az_04_who_lost_the_permission_meanwhile_gets_nothing_published() {
    for effect in [reader(), Effect::status(403, "no")] {
        let world = World::new(&[&[fix()]]).await;
        fault(&world, PUBLISH, usize::MAX, effect.clone());
        let issue = world.label();
        let task = world.ended(1).await;
        assert_eq!(task.verdict, Some(Verdict::NotPublished), "{effect:?}");
        assert_eq!(asked(&world, "git-receive-pack"), 0, "{effect:?}");
        assert!(world.pulls().is_empty());
        assert!(!world.sim.refs(REPO).keys().any(|r| r.contains("mend/")));
        let said = world.own_comments(issue).pop().unwrap().body;
        assert!(said.contains("it is not published"), "{said}");
        assert!(!said.contains("broke down"), "{said}");
        world.end().await;
    }
}

/// An answer that is none is no yes, but not for ever.
#[tokio::test(flavor = "multi_thread")]
async fn az_04_a_question_that_is_not_answered_delays_and_starts_nothing() {
    for at in [START, PUBLISH] {
        let world = World::new(&[&[fix()]]).await;
        fault(&world, at, usize::MAX, Effect::Cut);
        world.label();
        let waits = world
            .until("it waits", async || {
                let task = world.tasks().await.into_iter().next()?;
                task.error.is_some().then_some(task)
            })
            .await;
        assert_eq!(waits.verdict, None);
        let done = match at {
            START => "git-upload-pack",
            _ => "git-receive-pack",
        };
        assert_eq!(asked(&world, done), 0);
        world.sim.clear_faults();
        assert_eq!(world.ended(1).await.verdict, Some(Verdict::Ready));
        assert_eq!(world.pulls().len(), 1);
        world.end().await;
    }
}

fn slow() -> Vec<(&'static str, &'static str)> {
    let mut project = PROJECT.to_vec();
    let file = "check = \"sleep 2; python3 -m unittest\"\n";
    project.push((".github/mend.toml", file));
    project
}

async fn checking(world: &World, repo: &str, issue: u64) {
    world
        .until("the base check runs", async || {
            let comments = world.sim.issue(repo, issue)?.comments;
            comments
                .iter()
                .any(|c| c.body.contains("running"))
                .then_some(())
        })
        .await;
}

/// AZ-07: the repository is its id. One that is renamed is followed; one that takes its name gets
/// nothing.
#[tokio::test(flavor = "multi_thread")]
async fn az_07_a_renamed_repository_is_followed_and_an_impostor_of_its_name_gets_nothing() {
    let world = World::with(&[&[fix()]], &slow(), |_| {}).await;
    let issue = world.label();
    checking(&world, REPO, issue).await;
    world.sim.rename_repo(REPO, "renamed").unwrap();
    world
        .sim
        .create_repo(REPO, PROJECT.iter().copied())
        .unwrap();
    world
        .sim
        .open_issue(REPO, WRITER, "an issue of the same number", "x")
        .unwrap();
    assert_eq!(world.ended(1).await.verdict, Some(Verdict::Ready));
    assert_eq!(world.sim.pulls("acme/renamed").len(), 1);
    assert!(world.sim.pulls(REPO).is_empty());
    assert!(world.sim.issue(REPO, 1).unwrap().comments.is_empty());
    assert_eq!(world.sim.refs(REPO).len(), 1, "main alone");
    let said = world.sim.issue("acme/renamed", issue).unwrap().comments;
    assert_eq!(said.len(), 1, "{said:#?}");
    assert!(said[0].body.contains("ready"), "{}", said[0].body);
    world.end().await;
}

/// The label is from before, the name is another's by the time the delivery is read.
#[tokio::test(flavor = "multi_thread")]
async fn az_07_a_late_delivery_under_the_old_name_is_admitted_for_the_same_repository() {
    let mut world = World::with(&[&[fix()]], PROJECT, |_| {}).await;
    world.down().await;
    let issue = world.label();
    world.sim.settle(Duration::from_secs(10)).await;
    world.sim.rename_repo(REPO, "renamed").unwrap();
    world
        .sim
        .create_repo(REPO, PROJECT.iter().copied())
        .unwrap();
    world.up().await;
    assert_eq!(world.ended(1).await.verdict, Some(Verdict::Ready));
    assert_eq!(world.sim.pulls("acme/renamed").len(), 1);
    assert!(world.sim.pulls(REPO).is_empty());
    assert_eq!(
        world
            .sim
            .issue("acme/renamed", issue)
            .unwrap()
            .comments
            .len(),
        1
    );
    world.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn az_07_what_was_made_for_few_eyes_is_not_published_to_all() {
    let world = World::with(&[&[fix()]], &slow(), |_| {}).await;
    let issue = world.label();
    checking(&world, REPO, issue).await;
    world.sim.set_private(REPO, false).unwrap();
    let task = world.ended(1).await;
    assert_eq!(task.verdict, Some(Verdict::NotPublished));
    assert!(world.pulls().is_empty());
    assert_eq!(asked(&world, "git-receive-pack"), 0);
    let said = world.own_comments(issue).pop().unwrap().body;
    assert!(said.contains("made public or private meanwhile"), "{said}");
    world.end().await;
}

/// AZ-08: a repository with much to do keeps nobody else waiting.
#[tokio::test(flavor = "multi_thread")]
async fn az_08_one_repositorys_tasks_do_not_hold_up_anothers() {
    let recordings: Vec<Vec<_>> = (0..4).map(|_| vec![fix()]).collect();
    let recordings: Vec<&[_]> = recordings.iter().map(Vec::as_slice).collect();
    let world = World::with(&recordings, &slow(), |settings| settings.repos.running = 1).await;
    world.sim.create_repo("acme/other", slow()).unwrap();
    let first = world.label();
    world.label();
    world.label();
    checking(&world, REPO, first).await;
    let issue = world
        .sim
        .open_issue("acme/other", WRITER, "add subtracts", "x")
        .unwrap();
    let begun = std::time::Instant::now();
    world
        .sim
        .label_issue("acme/other", issue, "mend", WRITER)
        .unwrap();
    checking(&world, "acme/other", issue).await;
    assert!(
        begun.elapsed() < Duration::from_secs(5),
        "{:?}",
        begun.elapsed()
    );
    let tasks = world.tasks().await;
    let running = |repo: &str| {
        let of = tasks
            .iter()
            .filter(|t| t.trigger.issue.repo.name.to_string() == repo);
        of.filter(|t| t.lease_owner.is_some()).count()
    };
    assert!(running(REPO) <= 1);
    for n in 1..=4 {
        world.ended(n).await;
    }
    world.end().await;
}
