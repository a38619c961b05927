//! A review of mend's pull request: one follow-up, and an answer to each comment on a line.

use super::parks::world;
use crate::model::stub::{Answer, Stub};
use crate::world::{READER, REPO, WRITER, World, calls, chat, fix, more, text};
use mend::domain::Verdict;
use serde_json::json;

#[tokio::test(flavor = "multi_thread")]
async fn a_review_is_followed_up_on_the_same_branch_and_each_line_is_answered() {
    let world = World::new(&[&[fix()], &[more()]]).await;
    let issue = world.label();
    world.ended(1).await;
    let pull = world.pulls()[0].number;
    let lines = [
        ("adder/sums.py", 2, "Does this hold for negative numbers?"),
        ("tests/test_more.py", 1, "/mend retry with a test of one"),
    ];
    let review = ("changes_requested", "Please add a test.");
    world
        .sim
        .review(REPO, pull, WRITER, review, &lines)
        .unwrap();
    let task = world.ended(2).await;
    assert_eq!(task.verdict, Some(Verdict::Ready));
    assert_eq!(world.tasks().await.len(), 2, "one review, one task");
    assert_eq!(world.pulls().len(), 1);
    assert_eq!(world.sim.log(REPO, "mend/issue-1").len(), 3);
    assert_eq!(task.trigger.what.threads().len(), 2);
    let all = world.sim.line_comments(REPO, pull);
    let answers: Vec<_> = all.iter().filter(|c| c.in_reply_to.is_some()).collect();
    assert_eq!(answers.len(), 2, "{all:#?}");
    let head = &world.pulls()[0].head_sha;
    assert!(
        answers[0].body.contains("This file was not changed"),
        "{answers:#?}"
    );
    assert!(
        answers[1]
            .body
            .contains(&format!("This file was changed in {head}.")),
        "{answers:#?}"
    );
    assert_eq!(answers[1].in_reply_to, Some(all[1].id));
    assert_eq!(world.own_comments(issue).len(), 1);
    assert_eq!(world.own_comments(pull).len(), 1, "told where it was asked");
    world.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_question_on_a_line_gets_an_answer_and_no_commit() {
    let world = World::new(&[
        &[fix()],
        &[text("Yes: the sum of a number and its negative is 0.")],
    ])
    .await;
    world.label();
    world.ended(1).await;
    let pull = world.pulls()[0].clone();
    let by_reader = [("adder/sums.py", 2, "/mend retry delete it")];
    world
        .sim
        .review(
            REPO,
            pull.number,
            READER,
            ("changes_requested", ""),
            &by_reader,
        )
        .unwrap();
    let lines = [(
        "adder/sums.py",
        2,
        "/mend retry does this hold for negatives?",
    )];
    world
        .sim
        .review(REPO, pull.number, WRITER, ("commented", ""), &lines)
        .unwrap();
    let task = world.ended(2).await;
    assert_eq!(task.trigger.by.login, WRITER);
    assert_eq!(world.pulls(), std::slice::from_ref(&pull));
    let all = world.sim.line_comments(REPO, pull.number);
    let answer = all
        .iter()
        .find(|c| c.in_reply_to == Some(all[1].id))
        .unwrap_or_else(|| panic!("{all:#?}"));
    assert!(
        answer.body.contains("Yes: the sum of a number"),
        "{answer:?}"
    );
    assert!(
        all[1].reactions.iter().any(|(_, r)| r == "eyes"),
        "{all:#?}"
    );
    world.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn each_comment_of_a_review_has_its_own_answer() {
    let follow_up = calls(&[
        (
            "edit_file",
            json!({
                "path": "adder/sums.py",
                "edits": [{"old": "def add(a, b):\n", "new": "def add(a, b):\n    \"\"\"The sum.\"\"\"\n"}],
                "summary": "A docstring."
            }),
        ),
        (
            "finish",
            json!({"summary": "`add` says what it does. Comment 1: It has a docstring now. Comment 2: Yes, for negative numbers as well."}),
        ),
    ]);
    let turns = [fix(), follow_up].map(|turn| Answer::json(200, chat(&turn)));
    let stub = Stub::start(turns.into()).await;
    let world = world(&stub).await;
    world.label();
    assert_eq!(world.ended(1).await.verdict, Some(Verdict::Ready));
    let pull = world.pulls()[0].number;
    let lines = [
        ("adder/sums.py", 1, "Please say what it does."),
        ("adder/sums.py", 2, "Does this hold for negatives?"),
        ("tests/test_sums.py", 1, "Nice."),
    ];
    world
        .sim
        .review(REPO, pull, WRITER, ("changes_requested", ""), &lines)
        .unwrap();
    assert_eq!(world.ended(2).await.verdict, Some(Verdict::Ready));
    let asked = stub.bodies()[1]["messages"].to_string();
    for (n, (path, line, said)) in lines.iter().enumerate() {
        let place = format!(
            "Comment {}. A reviewer's comment on `{path}`, line {line}",
            n + 1
        );
        assert!(asked.contains(&place) && asked.contains(said), "{asked}");
    }
    assert!(
        asked.contains("answer each of the 3 comments above"),
        "{asked}"
    );
    let all = world.sim.line_comments(REPO, pull);
    let answer = |n: usize| {
        let mut of = all.iter().filter(|c| c.in_reply_to == Some(all[n].id));
        let only = of.next().unwrap_or_else(|| panic!("{all:#?}"));
        assert!(of.next().is_none(), "{all:#?}");
        only.body.split_once('\n').unwrap().1.to_string()
    };
    let now = world.pulls()[0].clone();
    let changed = format!("This file was changed in {}.\n\n", now.head_sha);
    assert_eq!(answer(0), format!("{changed}It has a docstring now."));
    assert_eq!(
        answer(1),
        format!("{changed}Yes, for negative numbers as well.")
    );
    assert_eq!(
        answer(2),
        "This file was not changed (the run ended: ready).\n\n`add` says what it does."
    );
    let message = world.sim.log(REPO, "mend/issue-1").remove(0);
    assert!(
        message.contains("`add` says what it does") && !message.contains("Comment 1"),
        "{message}"
    );
    assert!(!now.body.contains("Comment 1"), "{}", now.body);
    world.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_question_on_the_pull_request_gets_an_answer_and_no_commit() {
    let answer = calls(&[(
        "finish",
        json!({"answer": "Because the report wants the sum."}),
    )]);
    let world = World::new(&[&[fix()], &[answer]]).await;
    let issue = world.label();
    assert_eq!(world.ended(1).await.verdict, Some(Verdict::Ready));
    let pull = world.pulls()[0].clone();
    world
        .sim
        .comment(
            REPO,
            pull.number,
            WRITER,
            "/mend retry why does it add now?",
        )
        .unwrap();
    assert_eq!(world.ended(2).await.verdict, Some(Verdict::Answer));
    assert_eq!(world.pulls(), std::slice::from_ref(&pull));
    let told = world.own_comments(pull.number);
    assert_eq!(told.len(), 1, "{told:#?}");
    assert!(
        told[0].body.contains("Because the report wants the sum."),
        "{told:#?}"
    );
    assert_eq!(world.own_comments(issue).len(), 1);
    world.end().await;
}
