//! CI that mend's pushes do not start before somebody entitled says so.

use crate::world::{PROJECT, READER, REPO, WRITER, World, fix, more};
use mend::config::{CommitsBy, HoldCi};
use mend::domain::Verdict;
use serde_json::Value;

async fn answered(world: &World, place: u64, said: &str, by: &str) -> String {
    let before = world.own_comments(place).len();
    world.sim.comment(REPO, place, by, said).unwrap();
    world
        .until(&format!("`{said}` is answered"), async || {
            (world.own_comments(place).len() > before).then_some(())
        })
        .await;
    world.own_comments(place).pop().unwrap().body
}

/// The message of a commit, as GitHub's API tells it.
async fn message(world: &World, sha: &str) -> String {
    let url = format!("{}/repos/{REPO}/git/commits/{sha}", world.sim.base_url());
    let http = reqwest::Client::builder().no_proxy().build().unwrap();
    let token = world.sim.person_token(WRITER);
    let answer = http
        .get(url)
        .bearer_auth(token)
        .header("user-agent", "test");
    let body: Value = answer.send().await.unwrap().json().await.unwrap();
    body["message"].as_str().unwrap().to_string()
}

#[tokio::test(flavor = "multi_thread")]
async fn held_ci_is_let_run_by_the_entitled_with_one_empty_commit() {
    for commits in [CommitsBy::Push, CommitsBy::Api] {
        let world = World::with(&[&[fix()], &[more()]], PROJECT, |s| {
            s.publish.hold_ci = HoldCi::Always;
            s.publish.commits = commits;
        })
        .await;
        let issue = world.label();
        assert_eq!(world.ended(1).await.verdict, Some(Verdict::Ready));
        let held = world.pulls()[0].clone();
        let said = message(&world, &held.head_sha).await;
        assert!(
            said.ends_with("\nskip-checks: true\n") || said.ends_with("\nskip-checks: true"),
            "{said:?}"
        );
        assert!(said.contains("\n\n\nCo-authored-by: ada <"), "{said:?}");
        assert!(held.body.contains("CI is held:"), "{}", held.body);
        // Who may not, lets nothing run.
        let refused = answered(&world, issue, "/mend ci", READER).await;
        assert!(refused.contains("you need write access"), "{refused}");
        assert_eq!(world.pulls()[0].head_sha, held.head_sha);

        let told = answered(&world, held.number, "/mend ci", WRITER).await;
        assert!(told.contains("**CI runs now** on `mend/issue-1`"), "{told}");
        let free = world.pulls()[0].clone();
        assert!(!free.body.contains("CI is held"), "{}", free.body);
        let said = message(&world, &free.head_sha).await;
        assert!(
            said.starts_with("Let CI run\n") && !said.contains("skip-checks"),
            "{said}"
        );
        let log = world.sim.log(REPO, "mend/issue-1");
        assert_eq!(log.len(), 3, "one empty commit on top: {log:?}");
        for (path, _) in PROJECT {
            let at = |sha: &str| world.sim.file(REPO, sha, path);
            assert_eq!(at(&free.head_sha), at(&held.head_sha), "{path}");
        }
        // The new head shows what mend's checks said of its files.
        let runs = world.sim.check_runs(REPO);
        let on = |sha: &str| {
            runs.iter()
                .find(|r| r.head_sha == sha)
                .unwrap()
                .conclusion
                .clone()
        };
        assert_eq!(on(&free.head_sha), on(&held.head_sha));
        // Once is enough, and it is known from the issue as well.
        let told = answered(&world, issue, "/mend ci", WRITER).await;
        assert!(
            told.contains("CI runs now") && told.contains(&free.head_sha[..7]),
            "{told}"
        );
        assert_eq!(world.pulls()[0].head_sha, free.head_sha);
        // The next push is held again, on top of that.
        world
            .sim
            .comment(REPO, held.number, WRITER, "/mend retry add a test")
            .unwrap();
        assert_eq!(world.ended(2).await.verdict, Some(Verdict::Ready));
        let again = world.pulls()[0].clone();
        assert!(again.body.contains("CI is held:"), "{}", again.body);
        assert!(
            message(&world, &again.head_sha)
                .await
                .contains("\nskip-checks: true")
        );
        assert_eq!(world.sim.log(REPO, "mend/issue-1").len(), 4);
        world.end().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn by_itself_ci_is_held_in_public_repositories_only() {
    for (setting, public, holds) in [
        (HoldCi::Public, true, true),
        (HoldCi::Public, false, false),
        (HoldCi::Never, true, false),
    ] {
        let world = World::with(&[&[fix()]], PROJECT, |s| s.publish.hold_ci = setting).await;
        world.sim.set_private(REPO, !public).unwrap();
        let issue = world.label();
        assert_eq!(world.ended(1).await.verdict, Some(Verdict::Ready));
        let pull = world.pulls()[0].clone();
        let said = message(&world, &pull.head_sha).await;
        assert_eq!(said.contains("skip-checks"), holds, "{setting:?} {public}");
        assert_eq!(
            pull.body.contains("CI is held"),
            holds,
            "{setting:?} {public}"
        );
        if !holds {
            let told = answered(&world, issue, "/mend ci", WRITER).await;
            assert!(told.contains("CI is not held on `mend/issue-1`"), "{told}");
            assert_eq!(world.pulls()[0].head_sha, pull.head_sha);
        }
        world.end().await;
    }
}
