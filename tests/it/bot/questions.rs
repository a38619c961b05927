//! A question on the issue, and the plain comment that answers it.

use crate::model::stub::{Answer, Stub};
use crate::world::{PROJECT, READER, REPO, WRITER, World, calls, chat, fix};
use mend::domain::Verdict;
use serde_json::{Value, json};
use std::time::Duration;

const QUESTION: &str = "Which currency do the totals use: EUR or JPY?";

fn ask() -> Value {
    calls(&[("finish", json!({"summary": "", "question": QUESTION}))])
}

fn look() -> Value {
    calls(&[("read_file", json!({"path": "adder/sums.py"}))])
}

async fn world(stub: &Stub) -> World {
    World::with(&[], PROJECT, |settings| {
        let model = &mut settings.model;
        model.wire = "chat".into();
        model.model = "scripted".into();
        model.base_url = Some(stub.base.clone());
        model.stream = Some(false);
        model.retries = Some(0);
    })
    .await
}

async fn script(turns: &[Value]) -> Stub {
    let answers = turns.iter().map(|t| Answer::json(200, chat(t)));
    Stub::start(answers.collect()).await
}

/// Everything that stands in the conversation of a request.
fn conversation(body: &Value) -> Vec<String> {
    let messages = body["messages"].as_array().unwrap();
    messages.iter().map(ToString::to_string).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn an_entitled_answer_goes_on_with_the_conversation() {
    let stub = script(&[look(), ask(), fix()]).await;
    let world = world(&stub).await;
    let issue = world.label();
    assert_eq!(world.ended(1).await.verdict, Some(Verdict::Question));
    let comments = world.own_comments(issue);
    let [asked] = &comments[..] else {
        panic!("{comments:#?}")
    };
    assert!(
        asked.body.contains("**I need one answer.**")
            && asked.body.contains(QUESTION)
            && asked.body.contains("Reply here"),
        "{}",
        asked.body
    );
    assert!(world.pulls().is_empty());
    // Others may talk, and so may everybody elsewhere.
    world
        .sim
        .comment(REPO, issue, READER, "JPY, I guess")
        .unwrap();
    let other = world
        .sim
        .open_issue(REPO, WRITER, "another", "text")
        .unwrap();
    world.sim.comment(REPO, other, WRITER, "EUR").unwrap();
    tokio::time::sleep(Duration::from_millis(500)).await;
    assert_eq!(world.tasks().await.len(), 1);
    world
        .sim
        .comment(REPO, issue, WRITER, "EUR, two decimals.")
        .unwrap();
    assert_eq!(world.ended(2).await.verdict, Some(Verdict::Ready));
    let bodies = stub.bodies();
    assert_eq!(bodies.len(), 3, "what was answered is not asked again");
    let (before, after) = (conversation(&bodies[1]), conversation(&bodies[2]));
    assert_eq!(after[..before.len()], before[..], "the same conversation");
    let new = after[before.len()..].join("\n");
    assert!(
        new.contains("EUR, two decimals.") && !new.contains("JPY, I guess"),
        "{new}"
    );
    assert_eq!(world.pulls().len(), 1);
    // The answer is taken: the next plain comment is talk again.
    world.sim.comment(REPO, issue, WRITER, "Thanks!").unwrap();
    tokio::time::sleep(Duration::from_millis(500)).await;
    assert_eq!(world.tasks().await.len(), 2);
    world.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn where_the_code_moved_on_the_answer_comes_with_its_question() {
    let stub = script(&[ask(), fix()]).await;
    let world = world(&stub).await;
    let issue = world.label();
    world.ended(1).await;
    world
        .sim
        .push(REPO, "main", WRITER, "Notes", [("NOTES.md", "x\n")])
        .unwrap();
    world.sim.comment(REPO, issue, WRITER, "EUR").unwrap();
    assert_eq!(world.ended(2).await.verdict, Some(Verdict::Ready));
    let first = conversation(&stub.bodies()[1]).join("\n");
    assert!(first.contains(QUESTION), "{first}");
    assert!(first.contains("EUR"), "{first}");
    world.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_answer_needs_no_pull_request() {
    let answer = calls(&[(
        "finish",
        json!({"summary": "", "answer": "`add` takes two numbers; see `adder/sums.py`."}),
    )]);
    let stub = script(&[answer]).await;
    let world = world(&stub).await;
    let issue = world.label();
    assert_eq!(world.ended(1).await.verdict, Some(Verdict::Answer));
    let told = &world.own_comments(issue)[0].body;
    assert!(told.contains("`add` takes two numbers"), "{told}");
    assert!(world.pulls().is_empty());
    world.sim.comment(REPO, issue, WRITER, "Thanks!").unwrap();
    tokio::time::sleep(Duration::from_millis(400)).await;
    assert_eq!(world.tasks().await.len(), 1);
    world.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn somebodys_open_pull_request_for_the_issue_is_asked_about() {
    let world = World::new(&[&[fix()]]).await;
    let sim = &world.sim;
    sim.push(
        REPO,
        "my-fix",
        WRITER,
        "Adds",
        [(
            "adder/sums.py",
            "def add(a, b):\n    return b + a\n\n\ndef double(a):\n    return a * 2\n",
        )],
    )
    .unwrap();
    let issue = sim
        .open_issue(REPO, WRITER, "add subtracts", "`add(2, 3)` gives -1.")
        .unwrap();
    let opened = reqwest::Client::builder()
        .no_proxy()
        .build()
        .unwrap()
        .post(format!("{}/repos/{REPO}/pulls", sim.base_url()))
        .bearer_auth(sim.person_token(WRITER))
        .json(&json!({"title": "Mine", "head": "my-fix", "base": "main", "body": format!("Fixes #{issue}.")}))
        .send()
        .await
        .unwrap();
    assert!(opened.status().is_success());
    let theirs = world.pulls()[0].number;
    sim.label_issue(REPO, issue, "mend", WRITER).unwrap();
    assert_eq!(world.ended(1).await.verdict, Some(Verdict::Question));
    let told = &world.own_comments(issue)[0].body;
    assert!(
        told.contains(&format!("#{theirs} is open")) && told.contains("`/mend retry`"),
        "{told}"
    );
    assert_eq!(world.pulls().len(), 1);
    // Talk beneath it starts nothing; the command does.
    sim.comment(REPO, issue, WRITER, "No, that one is fine.")
        .unwrap();
    sim.comment(REPO, issue, WRITER, "/mend retry").unwrap();
    let task = world.ended(2).await;
    assert_eq!(task.verdict, Some(Verdict::Ready));
    assert_eq!(world.tasks().await.len(), 2);
    assert_eq!(world.pulls().len(), 2);
    world.end().await;
}

/// A question about a pull request gets an answer and no commit, whatever the model changed.
#[tokio::test(flavor = "multi_thread")]
async fn a_question_gets_an_answer_and_no_commit_whatever_was_changed_on_the_way() {
    let tries = calls(&[
        (
            "edit_file",
            json!({"path": "adder/sums.py", "summary": "Tried it.",
                "edits": [{"old": "return a + b", "new": "return b + a"}]}),
        ),
        (
            "finish",
            json!({"answer": "Yes, for negative numbers too, @ada."}),
        ),
    ]);
    let stub = script(&[fix(), tries]).await;
    let world = world(&stub).await;
    let issue = world.label();
    assert_eq!(world.ended(1).await.verdict, Some(Verdict::Ready));
    let before = world.pulls()[0].clone();
    world
        .sim
        .comment(
            REPO,
            before.number,
            WRITER,
            "/mend retry does it hold for negatives?",
        )
        .unwrap();
    let task = world.ended(2).await;
    assert_eq!(task.verdict, Some(Verdict::Answer));
    assert_eq!(task.reached.head_sha, None, "nothing was committed");
    let after = world.pulls()[0].clone();
    assert_eq!((after.head_sha, after.body), (before.head_sha, before.body));
    assert_eq!(world.sim.log(REPO, "mend/issue-1").len(), 2);
    let told = world.own_comments(before.number).pop().unwrap().body;
    for part in [
        "Yes, for negative numbers too, @<!-- -->ada.",
        "Nothing is committed, since this was a question: what the run had changed (`adder/sums.py`) is dropped.",
    ] {
        assert!(told.contains(part), "{told}");
    }
    assert_eq!(world.own_comments(issue).len(), 1);
    world.end().await;
}
