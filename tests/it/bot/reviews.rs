//! A review of mend's pull request: one follow-up, and an answer to each comment on a line.

use crate::world::{READER, REPO, WRITER, World, fix, more, text};
use mend::domain::Verdict;

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
        answers[1].body.contains(&format!("Changed in {head}.")),
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
