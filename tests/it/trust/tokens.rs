//! SE-04, AZ-07, QD-04: what tokens may do, for how long, and who ends them.

use crate::world::{PROJECT, REPO, World, calls, fix, text};
use mend::domain::Verdict;
use mend::simulator::{Effect, TokenView};
use serde_json::json;
use std::collections::BTreeSet;
use std::time::Duration;

const SLOW: &str = "check = \"sleep 2; python3 -m unittest\"\n";

fn slow() -> Vec<(&'static str, &'static str)> {
    let mut project = PROJECT.to_vec();
    project.push((".github/mend.toml", SLOW));
    project
}

fn can_write_code(token: &TokenView) -> bool {
    token
        .permissions
        .get("contents")
        .is_some_and(|l| l == "write")
}

fn living(world: &World) -> Vec<TokenView> {
    let all = world.sim.tokens().into_iter();
    all.filter(|t| t.lives).collect()
}

async fn checking(world: &World, issue: u64) {
    world
        .until("the base check runs", async || {
            let mut comments = world.own_comments(issue).into_iter();
            comments.any(|c| c.body.contains("running")).then_some(())
        })
        .await;
}

/// Only the two that admission shares may live on: one reads, one reacts to issues and comments.
async fn only_the_shared_live(world: &World) {
    world
        .until(
            "the task's tokens are dead, and the book says so",
            async || {
                let (kept, living) = (
                    world.server().store().count_tokens().await.unwrap(),
                    living(world).len(),
                );
                (living <= 2 && kept == living as u64).then_some(())
            },
        )
        .await;
    assert!(!living(world).iter().any(can_write_code));
}

#[tokio::test(flavor = "multi_thread")]
async fn se_04_the_token_that_writes_is_made_at_the_end_and_all_are_revoked() {
    let mut world = World::with(&[&[fix()]], &slow(), |_| {}).await;
    let issue = world.label();
    checking(&world, issue).await;
    assert!(!world.sim.tokens().iter().any(can_write_code), "not yet");
    assert_eq!(world.ended(1).await.verdict, Some(Verdict::Ready));
    assert_eq!(
        world
            .sim
            .tokens()
            .iter()
            .filter(|t| can_write_code(t))
            .count(),
        1
    );
    only_the_shared_live(&world).await;
    world.down().await;
    assert_eq!(living(&world), []);
    world.up().await;
    world.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn se_04_a_stopped_and_a_failed_task_leave_no_token() {
    let world = World::with(&[&[fix()]], &slow(), |_| {}).await;
    let issue = world.label();
    checking(&world, issue).await;
    world
        .sim
        .comment(REPO, issue, crate::world::WRITER, "/mend stop")
        .unwrap();
    assert_eq!(world.ended(1).await.verdict, Some(Verdict::Stopped));
    // The shared session also wrote the answer to the comment.
    let shared = |t: &TokenView| !can_write_code(t);
    world
        .until("the task's tokens are dead", async || {
            (living(&world).len() <= 2).then_some(())
        })
        .await;
    assert!(living(&world).iter().all(shared));
    // No recording is left: the second task fails before it can ask the model.
    let issue = world.label();
    let failed = world.ended(2).await;
    assert_ne!(failed.verdict, Some(Verdict::Ready));
    world
        .until("the task's tokens are dead", async || {
            (living(&world).len() <= 2).then_some(())
        })
        .await;
    assert!(!world.own_comments(issue).is_empty());
    world.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn se_04_what_could_not_be_revoked_is_revoked_later() {
    let world = World::with(&[&[fix()]], PROJECT, |_| {}).await;
    let down = mend::simulator::Fault {
        method: Some("DELETE".into()),
        ..mend::simulator::Fault::always("^/installation/token$", Effect::status(502, "broken"))
    };
    world.sim.fault(down).unwrap();
    world.label();
    assert_eq!(world.ended(1).await.verdict, Some(Verdict::Ready));
    tokio::time::sleep(Duration::from_millis(500)).await;
    assert!(living(&world).len() > 2, "GitHub did not revoke");
    world.sim.clear_faults();
    only_the_shared_live(&world).await;
    world.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn se_04_the_next_server_revokes_what_a_crash_left() {
    let mut world = World::with(&[&[fix()], &[fix()]], &slow(), |_| {}).await;
    let issue = world.label();
    checking(&world, issue).await;
    world.crash().await;
    let before = living(&world);
    assert!(before.len() >= 2);
    world.up().await;
    world
        .until("the crashed server's tokens are dead", async || {
            let now = living(&world);
            before.iter().all(|t| !now.contains(t)).then_some(())
        })
        .await;
    assert_eq!(world.ended(1).await.verdict, Some(Verdict::Ready));
    world.end().await;
}

/// QD-04: tokens that die in the middle are made anew, once; the clock is GitHub's.
#[tokio::test(flavor = "multi_thread")]
async fn qd_04_tokens_that_die_and_a_clock_that_is_wrong_delay_nothing() {
    let world = World::with(&[&[fix()]], &slow(), |_| {}).await;
    let issue = world.label();
    checking(&world, issue).await;
    world.sim.expire_tokens();
    // Five minutes before GitHub's: a plain statement would be from GitHub's future.
    world.clock.on(Duration::from_secs(300));
    assert_eq!(world.ended(1).await.verdict, Some(Verdict::Ready));
    assert_eq!(world.pulls().len(), 1);
    let refused = world.sim.requests();
    let refused = refused.iter().filter(|r| r.status == Some(401)).count();
    assert!(
        (1..12).contains(&refused),
        "{refused} refusals: once each, no loop"
    );
    world.end().await;
}

/// AZ-07: a token is for one repository and for what its step does, whatever the text says; the one
/// by which an installation's repositories are listed can read their names and no more.
#[tokio::test(flavor = "multi_thread")]
async fn az_07_no_token_and_no_request_reaches_another_repository() {
    let elsewhere = calls(&[
        (
            "read_file",
            json!({"path": "/repos/acme/other/contents/secret.txt"}),
        ),
        ("search", json!({"pattern": "acme/other"})),
    ]);
    let world = World::with(&[&[elsewhere, fix()], &[text("no")]], PROJECT, |s| {
        // Labels that were missed are looked for in every repository that is served.
        s.repos.allow = vec![REPO.into()];
    })
    .await;
    world
        .sim
        .create_repo("acme/other", [("secret.txt", "x")])
        .unwrap();
    let issue = world
        .sim
        .open_issue(
            REPO,
            crate::world::WRITER,
            "add subtracts",
            "use acme/other too",
        )
        .unwrap();
    world
        .sim
        .label_issue(REPO, issue, "mend", crate::world::WRITER)
        .unwrap();
    assert_eq!(world.ended(1).await.verdict, Some(Verdict::Ready));
    let ours = BTreeSet::from([world.sim.repo_id(REPO).unwrap()]);
    let tokens = world.sim.tokens();
    assert!(tokens.len() >= 4);
    let (mut seen, most) = (
        BTreeSet::new(),
        ["checks", "contents", "issues", "metadata", "pull_requests"],
    );
    for token in tokens {
        if token.repositories.is_none() {
            let listing = [("metadata".to_string(), "read".to_string())];
            assert_eq!(token.permissions, listing.into_iter().collect());
            continue;
        }
        assert_eq!(token.repositories.as_ref(), Some(&ours));
        let named = |level: &str| -> Vec<String> {
            let all = token.permissions.iter().filter(|(_, l)| *l == level);
            all.map(|(name, _)| name.clone()).collect()
        };
        assert!(token.permissions.keys().all(|k| most.contains(&k.as_str())));
        seen.insert(named("write"));
    }
    let kinds: Vec<Vec<&str>> = vec![
        vec![],
        vec!["checks", "issues"],
        vec!["contents", "pull_requests"],
        vec!["issues", "pull_requests"],
    ];
    let kinds: BTreeSet<Vec<String>> = kinds
        .into_iter()
        .map(|k| k.into_iter().map(String::from).collect())
        .collect();
    assert!(seen.is_subset(&kinds), "{seen:?}");
    let paths: Vec<String> = world.sim.requests().into_iter().map(|r| r.path).collect();
    assert!(!paths.iter().any(|p| p.contains("other")), "{paths:#?}");
    world.end().await;
}
