//! A comment runs it again, on the same branch and pull request.

use crate::world::{READER, REPO, WRITER, World, calls, fix, more, text};
use mend::domain::Verdict;
use serde_json::json;

#[tokio::test(flavor = "multi_thread")]
async fn a_retry_adds_a_commit_to_the_same_pull_request() {
    let world = World::new(&[&[fix()], &[more()]]).await;
    let issue = world.label();
    world.ended(1).await;
    world
        .sim
        .comment(
            REPO,
            issue,
            WRITER,
            "/mend retry please add a test with a negative number",
        )
        .unwrap();
    let task = world.ended(2).await;
    assert_eq!(task.verdict, Some(Verdict::Ready));
    let pulls = world.pulls();
    let [pull] = &pulls[..] else {
        panic!("{pulls:#?}")
    };
    assert_eq!(
        world.sim.log(REPO, "mend/issue-1").len(),
        3,
        "a commit on top"
    );
    assert!(
        world
            .sim
            .file(REPO, &pull.head_sha, "tests/test_more.py")
            .is_some()
    );
    let body = &pull.body;
    assert!(body.contains("`add` subtracted; it now adds."), "{body}");
    assert!(body.contains("The last run: "), "{body}");
    assert!(
        body.contains("Added a test with a negative number."),
        "{body}"
    );
    assert!(
        body.contains("failed: 1 passed, 1 failed") && body.contains("**passed**: 3 passed"),
        "{body}"
    );
    assert!(
        body.contains("`adder/sums.py` (+1 −1)") && body.contains("tests/test_more.py"),
        "the whole change: {body}"
    );
    let comments = world.own_comments(issue);
    assert_eq!(comments.len(), 2, "each task has its own status comment");
    assert!(
        comments[1]
            .body
            .contains(&format!("Updated #{}", pull.number)),
        "{}",
        comments[1].body
    );
    world.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_retry_without_a_new_change_leaves_the_pull_request() {
    let world = World::new(&[&[fix()], &[text("The change already does that.")]]).await;
    let issue = world.label();
    world.ended(1).await;
    let before = world.pulls();
    world
        .sim
        .comment(REPO, issue, WRITER, "/mend retry is it right?")
        .unwrap();
    assert_eq!(world.ended(2).await.verdict, Some(Verdict::NoChange));
    assert_eq!(world.pulls(), before);
    let told = &world.own_comments(issue)[1].body;
    assert!(told.contains("stays as it is"), "{told}");
    world.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_retry_on_the_pull_request_counts_for_its_issue() {
    let world = World::new(&[&[fix()], &[more()]]).await;
    let issue = world.label();
    world.ended(1).await;
    let pull = world.pulls()[0].number;
    world
        .sim
        .comment(REPO, pull, WRITER, "/mend retry add a test")
        .unwrap();
    assert_eq!(world.ended(2).await.verdict, Some(Verdict::Ready));
    assert_eq!(world.pulls().len(), 1);
    assert_eq!(world.sim.log(REPO, "mend/issue-1").len(), 3);
    // Told where it was asked, with what was asked; the issue's comment stays as it was.
    let told = world.own_comments(pull);
    let [status] = &told[..] else {
        panic!("{told:#?}")
    };
    for part in [
        "> add a test",
        &format!("Updated #{pull}"),
        "<!-- mend:task:2 app:",
    ] {
        assert!(status.body.contains(part), "{}", status.body);
    }
    assert_eq!(world.own_comments(issue).len(), 1);
    world
        .sim
        .comment(REPO, pull, WRITER, "/mend status")
        .unwrap();
    world
        .until("the status has the pull request", async || {
            let told = world.own_comments(pull).pop()?.body;
            told.contains(&format!("ended: ready. Its pull request: #{pull}."))
                .then_some(())
        })
        .await;
    world.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn from_scratch_replaces_only_mends_own_commits() {
    let other = calls(&[(
        "edit_file",
        json!({"path": "adder/sums.py", "edits": [{"old": "return a - b", "new": "return b + a"}], "summary": "Adds."}),
    )]);
    let world = World::new(&[&[fix()], &[other], &[fix()]]).await;
    let issue = world.label();
    world.ended(1).await;
    world
        .sim
        .comment(REPO, issue, WRITER, "/mend retry from scratch")
        .unwrap();
    assert_eq!(world.ended(2).await.verdict, Some(Verdict::Ready));
    assert_eq!(
        world.sim.log(REPO, "mend/issue-1").len(),
        2,
        "one commit, the new one"
    );
    let head = &world.pulls()[0].head_sha;
    let now = String::from_utf8(world.sim.file(REPO, head, "adder/sums.py").unwrap()).unwrap();
    assert!(now.contains("return b + a"), "{now}");
    // Now a person works on the branch as well.
    world
        .sim
        .push(
            REPO,
            "mend/issue-1",
            WRITER,
            "A word of mine",
            [("NOTES.md", "mine\n")],
        )
        .unwrap();
    world
        .sim
        .comment(REPO, issue, WRITER, "/mend retry from scratch")
        .unwrap();
    assert_eq!(world.ended(3).await.verdict, Some(Verdict::DidntStart));
    assert_eq!(
        world.sim.log(REPO, "mend/issue-1").len(),
        3,
        "nothing of theirs is lost"
    );
    let told = world.own_comments(issue).pop().unwrap().body;
    assert!(told.contains("not mend's"), "{told}");
    world.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn az_02_readers_quotes_and_code_start_nothing() {
    let world = World::new(&[&[fix()], &[more()]]).await;
    let issue = world.label();
    world.ended(1).await;
    for (by, text) in [
        (READER, "/mend retry"),
        (WRITER, "> /mend retry"),
        (WRITER, "```\n/mend retry\n```"),
        (WRITER, "I think `/mend retry` would help"),
    ] {
        world.sim.comment(REPO, issue, by, text).unwrap();
    }
    world
        .sim
        .comment(REPO, issue, WRITER, "/mend status")
        .unwrap();
    world
        .until("the status comes", async || {
            world
                .own_comments(issue)
                .iter()
                .any(|c| c.body.contains("ended: ready"))
                .then_some(())
        })
        .await;
    assert_eq!(world.tasks().await.len(), 1);
    world.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_strangers_branch_of_the_same_name_is_left_alone() {
    let world = World::new(&[&[fix()]]).await;
    world
        .sim
        .push(
            REPO,
            "mend/issue-1",
            WRITER,
            "Mine",
            [("NOTES.md", "mine\n")],
        )
        .unwrap();
    world.label();
    assert_eq!(world.ended(1).await.verdict, Some(Verdict::Ready));
    assert_eq!(world.pulls()[0].head, "mend/issue-1-2");
    assert_eq!(world.sim.log(REPO, "mend/issue-1").len(), 2);
    world.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn fix_allow_tests_lifts_the_protection_and_an_unkeepable_cap_is_told() {
    let test = calls(&[(
        "edit_file",
        json!({"path": "tests/test_sums.py", "edits": [{"old": "add(2, 3), 5)", "new": "add(2, -3), 5)"}], "summary": "The test was wrong."}),
    )]);
    let world = World::new(&[&[test]]).await;
    let issue = world
        .sim
        .open_issue(REPO, WRITER, "A test is wrong", "test_add should use -3")
        .unwrap();
    world
        .sim
        .comment(REPO, issue, WRITER, "/mend fix allow-tests up to $3")
        .unwrap();
    assert!(matches!(
        world.ended(1).await.verdict,
        Some(Verdict::Ready | Verdict::Draft)
    ));
    let pull = &world.pulls()[0];
    assert!(pull.body.contains("tests/test_sums.py"), "{}", pull.body);
    assert!(
        pull.body.contains("no price is configured"),
        "{}",
        pull.body
    );
    world.end().await;
}
