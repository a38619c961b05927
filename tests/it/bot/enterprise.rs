//! A GitHub Enterprise Server: its API beneath a path, its pages and git on another host.

use crate::world::{PROJECT, REPO, WRITER, World, fix, more};
use mend::config::{CommitsBy, HoldCi};
use mend::domain::Verdict;

#[tokio::test(flavor = "multi_thread")]
async fn the_whole_way_beneath_api_v3_with_the_web_on_another_host() {
    for commits in [CommitsBy::Push, CommitsBy::Api] {
        let world = World::with(&[&[fix()], &[more()]], PROJECT, |s| {
            let root = s.github.base_url.clone();
            s.github.web_url = root.replace("127.0.0.1", "localhost");
            s.github.base_url = format!("{root}/api/v3");
            s.publish.commits = commits;
            s.publish.hold_ci = HoldCi::Always;
        })
        .await;
        let issue = world.label();
        assert_eq!(
            world.ended(1).await.verdict,
            Some(Verdict::Ready),
            "{commits:?}"
        );
        let pull = world.pulls()[0].number;
        world.sim.comment(REPO, pull, WRITER, "/mend ci").unwrap();
        world
            .until("CI is let run", async || {
                let told = world.own_comments(pull);
                told.iter()
                    .any(|c| c.body.contains("CI runs now"))
                    .then_some(())
            })
            .await;
        let review = ("changes_requested", "Please add a test.");
        world.sim.review(REPO, pull, WRITER, review, &[]).unwrap();
        assert_eq!(
            world.ended(2).await.verdict,
            Some(Verdict::Ready),
            "{commits:?}"
        );
        assert_eq!(world.sim.log(REPO, "mend/issue-1").len(), 4, "{commits:?}");
        assert_eq!(world.own_comments(issue).len(), 1);
        let requests = world.sim.requests();
        let api = |path: &str| path.starts_with("/api/");
        let git = |path: &str| path.starts_with("/acme/");
        for request in &requests {
            assert!(api(&request.path) || git(&request.path), "{}", request.path);
        }
        assert!(requests.iter().any(|r| git(&r.path)));
        world.end().await;
    }
}
