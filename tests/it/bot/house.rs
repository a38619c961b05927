//! A pull request that fits the house: template, base, title, labels, trailers, size.

use crate::world::{PROJECT, REPO, WRITER, World, fix, more};
use mend::config::IssueLink;
use mend::domain::Verdict;
use serde_json::json;

const TEMPLATE: &str = "## Checklist\n- [ ] changelog\n";

#[tokio::test(flavor = "multi_thread")]
async fn the_template_stands_beneath_and_what_people_edit_stays() {
    let mut project = PROJECT.to_vec();
    project.push((".github/PULL_REQUEST_TEMPLATE.md", TEMPLATE));
    let world = World::with(&[&[fix()], &[more()]], &project, |_| {}).await;
    let issue = world.label();
    world.ended(1).await;
    let pull = world.pulls()[0].clone();
    assert!(
        pull.body.starts_with("<!-- mend:begin -->\nCloses #1")
            && pull.body.ends_with(TEMPLATE.trim()),
        "{}",
        pull.body
    );
    assert!(
        pull.body.contains("Written by a language model"),
        "{}",
        pull.body
    );
    let edited = format!(
        "For 1.4.\n\n{}",
        pull.body
            .replace("[ ] changelog", "[x] changelog")
            .replace("Closes #1", "Closes #99")
    );
    let sim = &world.sim;
    sim.edit_issue_body(REPO, pull.number, &edited, WRITER)
        .unwrap();
    let renamed = reqwest::Client::builder()
        .no_proxy()
        .build()
        .unwrap()
        .patch(format!(
            "{}/repos/{REPO}/pulls/{}",
            sim.base_url(),
            pull.number
        ))
        .bearer_auth(sim.person_token(WRITER))
        .json(&json!({"title": "A title of mine"}))
        .send()
        .await
        .unwrap();
    assert!(renamed.status().is_success());
    sim.comment(REPO, issue, WRITER, "/mend retry add a test")
        .unwrap();
    assert_eq!(world.ended(2).await.verdict, Some(Verdict::Ready));
    let now = world.pulls()[0].clone();
    assert_eq!(now.title, "A title of mine");
    assert!(
        now.body
            .starts_with("For 1.4.\n\n<!-- mend:begin -->\nCloses #1\n")
            && now.body.ends_with("- [x] changelog"),
        "{}",
        now.body
    );
    assert!(now.body.contains("tests/test_more.py"), "{}", now.body);
    world.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn title_link_labels_and_trailers_are_the_houses() {
    let world = World::with(&[&[fix()]], PROJECT, |settings| {
        settings.publish.title = "fix(core): {title} (#{number})".into();
        settings.publish.issue_link = IssueLink::RelatesTo;
        settings.publish.labels = vec!["bot".into()];
        settings.publish.sign_off = true;
        settings.publish.disclosure = String::new();
    })
    .await;
    world.label();
    assert_eq!(world.ended(1).await.verdict, Some(Verdict::Ready));
    let pull = world.pulls()[0].clone();
    assert_eq!(pull.title, "fix(core): add subtracts (#1)");
    assert!(pull.body.contains("Relates to #1") && !pull.body.contains("<sub>"));
    let seen = world.sim.issue(REPO, pull.number).unwrap();
    assert_eq!(seen.labels, ["bot"]);
    let message = world.sim.log(REPO, "mend/issue-1").remove(0);
    let trailers = message.trim_end().rsplit("\n\n").next().unwrap();
    let lines: Vec<&str> = trailers.lines().collect();
    assert!(
        lines[0].starts_with("Co-authored-by: ada <")
            && lines[0].contains("+ada@users.noreply.")
            && lines[1].starts_with("Signed-off-by: mend[bot] <"),
        "{message}"
    );
    world.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_report_names_the_base_branch() {
    let world = World::new(&[&[fix()], &[fix()]]).await;
    world
        .sim
        .push(
            REPO,
            "release-1.x",
            WRITER,
            "A release",
            [("VERSION", "1.0\n")],
        )
        .unwrap();
    for (number, base) in [(1, "release-1.x"), (2, "mend/issue-1")] {
        let body = format!("`add(2, 3)` gives -1.\n\nbase: {base}\n");
        let issue = world
            .sim
            .open_issue(REPO, WRITER, "add subtracts", &body)
            .unwrap();
        world.sim.label_issue(REPO, issue, "mend", WRITER).unwrap();
        let task = world.ended(number).await;
        match number {
            1 => {
                let pull = world.pulls()[0].clone();
                assert_eq!(pull.base, "release-1.x");
                assert!(world.sim.file(REPO, &pull.head_sha, "VERSION").is_some());
            }
            _ => {
                assert_eq!(task.verdict, Some(Verdict::DidntStart));
                let told = world.own_comments(issue).pop().unwrap().body;
                assert!(told.contains("base: …"), "{told}");
            }
        }
    }
    assert_eq!(world.pulls().len(), 1);
    world.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_change_that_is_too_large_is_not_published() {
    let world = World::with(&[&[fix()]], PROJECT, |s| s.publish.max_lines = 1).await;
    let issue = world.label();
    assert_eq!(world.ended(1).await.verdict, Some(Verdict::NotPublished));
    assert!(world.pulls().is_empty());
    let told = world.own_comments(issue).pop().unwrap().body;
    assert!(
        told.contains("**A change was made, but it is not published.** It is larger")
            && told.contains("lines: 2 of at most 1")
            && told.contains("publish.max_lines"),
        "{told}"
    );
    world.end().await;
}
