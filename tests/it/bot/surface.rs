//! How a change is published: commits that GitHub signs, comments instead of pull requests, names
//! of branches, bases by label, reviewers, templates.

use crate::world::{PROJECT, REPO, WRITER, World, calls, fix, more};
use mend::config::{CommitsBy, PublishAs};
use mend::domain::Verdict;
use mend::simulator::{Effect, Fault, Permission, RepoFile};
use serde_json::{Value, json};

async fn through_the_api(recordings: &[&[Value]]) -> World {
    World::with(recordings, PROJECT, |s| s.publish.commits = CommitsBy::Api).await
}

/// Requests of this method on a path with this in it.
fn asked(world: &World, method: &str, part: &str) -> usize {
    let all = world.sim.requests();
    let of = all
        .iter()
        .filter(|r| r.method == method && r.path.contains(part));
    of.count()
}

#[tokio::test(flavor = "multi_thread")]
async fn commits_through_the_api_are_signed_and_hold_what_was_checked() {
    let scratch = calls(&[(
        "edit_file",
        json!({
            "path": "adder/sums.py",
            "edits": [{"old": "return a - b", "new": "return b + a"}],
            "summary": "Adds, the other way round."
        }),
    )]);
    let world = through_the_api(&[&[fix()], &[more()], &[scratch]]).await;
    let sim = &world.sim;
    sim.push(
        REPO,
        "main",
        WRITER,
        "A tool",
        [RepoFile {
            path: "tool.sh".into(),
            content: Some(b"#!/bin/sh\n".to_vec()),
            executable: true,
        }],
    )
    .unwrap();
    let issue = world.label();
    assert_eq!(world.ended(1).await.verdict, Some(Verdict::Ready));
    let first = world.pulls()[0].clone();
    assert_eq!(sim.verified(REPO, &first.head_sha), Some(true));
    let sums = String::from_utf8(sim.file(REPO, &first.head_sha, "adder/sums.py").unwrap());
    assert!(sums.unwrap().contains("return a + b"));
    assert_eq!(
        sim.mode(REPO, &first.head_sha, "tool.sh").unwrap(),
        "100755"
    );
    // The commit that is named is the one that stands there.
    let short = &first.head_sha[..7];
    assert!(
        first.body.contains(&format!("run by mend on `{short}`")),
        "{}",
        first.body
    );
    let run = &sim.check_runs(REPO)[0];
    assert_eq!(run.head_sha, first.head_sha);
    assert!(run.summary.as_ref().unwrap().contains(short));
    assert_eq!(
        asked(&world, "POST", "git-receive-pack"),
        0,
        "nothing is pushed"
    );
    // A second run goes on top; a third replaces mend's own commits.
    sim.comment(REPO, issue, WRITER, "/mend retry add a test")
        .unwrap();
    assert_eq!(world.ended(2).await.verdict, Some(Verdict::Ready));
    let second = world.pulls()[0].clone();
    assert!(
        sim.file(REPO, &second.head_sha, "tests/test_more.py")
            .is_some()
    );
    assert_eq!(sim.log(REPO, "mend/issue-1").len(), 4);
    sim.comment(REPO, issue, WRITER, "/mend retry from scratch")
        .unwrap();
    assert_eq!(world.ended(3).await.verdict, Some(Verdict::Ready));
    let third = world.pulls()[0].clone();
    assert_eq!(sim.log(REPO, "mend/issue-1").len(), 3);
    assert_eq!(sim.verified(REPO, &third.head_sha), Some(true));
    assert!(
        sim.file(REPO, &third.head_sha, "tests/test_more.py")
            .is_none()
    );
    assert_eq!(world.pulls().len(), 1);
    world.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn lost_answers_of_the_api_make_no_second_commit_on_the_branch() {
    for (method, path) in [
        ("POST", "/git/trees$"),
        ("POST", "/git/commits$"),
        ("POST", "/graphql$"),
    ] {
        for effect in [Effect::CutAfter, Effect::status(502, "Bad Gateway")] {
            let world = through_the_api(&[&[fix()]]).await;
            world.sim.fault(Fault::once(method, path, effect)).unwrap();
            world.label();
            assert_eq!(world.ended(1).await.verdict, Some(Verdict::Ready), "{path}");
            assert_eq!(world.sim.log(REPO, "mend/issue-1").len(), 2, "{path}");
            assert_eq!(world.pulls().len(), 1);
            world.end().await;
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_change_as_a_comment_makes_no_branch() {
    for by_repo in [false, true] {
        let mut project = PROJECT.to_vec();
        if by_repo {
            project.push((".github/mend.toml", "comment_only = true\n"));
        }
        let world = World::with(&[&[fix()], &[fix()]], &project, |s| {
            s.publish.as_what = match by_repo {
                true => PublishAs::PullRequest,
                false => PublishAs::Comment,
            };
        })
        .await;
        let issue = world.label();
        assert_eq!(world.ended(1).await.verdict, Some(Verdict::Ready));
        assert!(world.pulls().is_empty());
        assert_eq!(world.sim.refs(REPO).len(), 1, "only main");
        let told = world.own_comments(issue);
        assert_eq!(told.len(), 1);
        let told = told[0].body.replace("\r", "");
        assert!(told.contains("**A change for this issue.**"), "{told}");
        assert!(
            told.contains("\n-    return a - b\n+    return a + b\n"),
            "{told}"
        );
        assert!(told.contains("| `python3 -m unittest"), "{told}");
        assert!(!told.contains("Closes #"), "{told}");
        world
            .sim
            .comment(REPO, issue, WRITER, "/mend retry")
            .unwrap();
        assert_eq!(world.ended(2).await.verdict, Some(Verdict::Ready));
        assert_eq!(world.own_comments(issue).len(), 2);
        world.end().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn branch_base_and_reviewers_are_the_houses() {
    let world = World::with(&[&[fix()]], PROJECT, |s| {
        s.publish.branch = "fix-{number}/bot".into();
        s.publish.reviewers = vec!["lee".into(), "acme/core".into()];
    })
    .await;
    let sim = &world.sim;
    sim.add_person("lee", Permission::Write);
    sim.push(REPO, "develop", WRITER, "Next", [("NEXT", "1\n")])
        .unwrap();
    let issue = sim
        .open_issue(REPO, WRITER, "add subtracts", "It should add.")
        .unwrap();
    sim.label_issue(REPO, issue, "base: develop", WRITER)
        .unwrap();
    sim.label_issue(REPO, issue, "mend", WRITER).unwrap();
    assert_eq!(world.ended(1).await.verdict, Some(Verdict::Ready));
    let pull = world.pulls()[0].clone();
    assert_eq!(
        (pull.head.as_str(), pull.base.as_str()),
        ("mend/fix-1/bot", "develop")
    );
    assert_eq!(pull.asked, ["lee", "/core"]);
    world.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_reviewer_without_access_keeps_nobody_from_the_pull_request() {
    let world = World::with(&[&[fix()]], PROJECT, |s| {
        s.publish.reviewers = vec!["stranger".into()];
    })
    .await;
    world.label();
    assert_eq!(world.ended(1).await.verdict, Some(Verdict::Ready));
    assert!(world.pulls()[0].asked.is_empty());
    world.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn templates_are_found_wherever_github_finds_them() {
    type Files = &'static [(&'static str, &'static str)];
    let cases: [(Files, Option<&str>, Option<&str>); 6] = [
        (&[("Pull_Request_Template.TXT", "root")], None, Some("root")),
        (
            &[("docs/PULL_REQUEST_TEMPLATE.md", "docs")],
            None,
            Some("docs"),
        ),
        (
            &[
                ("pull_request_template.md", "root"),
                (".GitHub/pull_request_template.md", "github"),
            ],
            None,
            Some("github"),
        ),
        (
            &[
                (".github/PULL_REQUEST_TEMPLATE/default.md", "plain"),
                (".github/PULL_REQUEST_TEMPLATE/bot.md", "for bots"),
            ],
            Some("bot.md"),
            Some("for bots"),
        ),
        (
            &[
                ("docs/pull_request_template/default.md", "plain"),
                ("docs/pull_request_template/bot.md", "for bots"),
            ],
            None,
            Some("plain"),
        ),
        (
            &[
                (".github/PULL_REQUEST_TEMPLATE/a.md", "a"),
                (".github/PULL_REQUEST_TEMPLATE/b.md", "b"),
                (".github/pull_request_template.png", "no text"),
            ],
            None,
            None,
        ),
    ];
    for (files, setting, found) in cases {
        let project = [PROJECT, files].concat();
        let world = World::with(&[&[fix()]], &project, |s| {
            s.publish.template = setting.map(str::to_string);
        })
        .await;
        world.label();
        assert_eq!(world.ended(1).await.verdict, Some(Verdict::Ready));
        let body = world.pulls()[0].body.clone();
        let (_, after) = body.split_once("<!-- mend:end").unwrap();
        let rest = after.split_once("-->").unwrap().1.trim();
        assert_eq!(rest, found.unwrap_or_default(), "{files:?}");
        world.end().await;
    }
}
