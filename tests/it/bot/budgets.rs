//! Budgets of a day, which all tasks of a repository or an installation share.

use crate::postgres::Postgres;
use crate::world::{PROJECT, WRITER, World, calls, fix};
use mend::config::Settings;
use mend::domain::Verdict;
use serde_json::{Value, json};
use std::time::Duration;

const DAY: Duration = Duration::from_secs(24 * 3600);

fn look() -> Value {
    calls(&[("read_file", json!({"path": "adder/sums.py"}))])
}

/// A change after which the check still fails.
fn half() -> Value {
    calls(&[(
        "edit_file",
        json!({"path": "adder/sums.py", "edits": [{"old": "return a - b", "new": "return b - a"}]}),
    )])
}

/// The first task uses the budget up and ends in a draft, the second does not begin, the third runs
/// the next day.
async fn shared(change: impl FnOnce(&mut Settings)) {
    let recordings: [&[Value]; 2] = [&[look(), half(), look(), fix()], &[look(), fix()]];
    let world = World::with(&recordings, PROJECT, change).await;
    let first = world.label();
    let task = world.ended(1).await;
    assert_eq!(task.verdict, Some(Verdict::Draft));
    let result = task.result.unwrap();
    assert_eq!(
        (&result["turns"], &result["stop"]),
        (&json!(2), &json!("budget"))
    );
    let pull = world.pulls()[0].clone();
    assert!(pull.draft);
    assert!(
        pull.body.contains("of today's budget of this"),
        "{}",
        pull.body
    );
    assert!(
        pull.body.contains("stopped where today's budget ends"),
        "{}",
        pull.body
    );
    let second = world.label();
    assert_eq!(world.ended(2).await.verdict, Some(Verdict::LimitReached));
    let told = world.own_comments(second).pop().unwrap().body;
    assert!(told.contains("after midnight UTC"), "{told}");
    assert!(
        world
            .own_comments(first)
            .pop()
            .unwrap()
            .body
            .contains("as a draft")
    );
    world.clock.on(DAY);
    world
        .sim
        .comment(crate::world::REPO, second, WRITER, "/mend retry")
        .unwrap();
    assert_eq!(world.ended(3).await.verdict, Some(Verdict::Ready));
    world.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn turns_of_a_repository() {
    shared(|s| s.budget.repo_day.turns = Some(2)).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn turns_of_an_installation_on_postgresql() {
    let database = Postgres::shared().database();
    let url = database.url();
    shared(move |s| {
        s.database.url = url.into();
        s.budget.installation_day.turns = Some(2);
    })
    .await;
}

/// The live comment says it while there is still something to be done about it.
#[tokio::test(flavor = "multi_thread")]
async fn most_of_a_budget_is_told_in_the_live_comment() {
    use crate::model::stub::{Answer, End, Stub};
    use crate::world::chat;
    let says = |turn: &Value| Answer::json(200, chat(turn));
    let stub = Stub::start(vec![
        says(&look()),
        says(&look()),
        says(&half()),
        says(&look()),
        Answer::json(200, "").end(End::Silent),
    ])
    .await;
    let world = World::with(&[], PROJECT, |settings| {
        let model = &mut settings.model;
        model.wire = "chat".into();
        model.model = "scripted".into();
        model.base_url = Some(stub.base.clone());
        model.stream = Some(false);
        settings.budget.repo_day.turns = Some(5);
        settings.limits.turns = 6;
    })
    .await;
    let issue = world.label();
    let told = world
        .until("the comment warns", async || {
            let body = world.own_comments(issue).pop()?.body;
            body.contains("turn 5 of at most 6").then_some(body)
        })
        .await;
    assert!(
        told.contains("⚠ 80 % of today's budget of this repository is used; 83 % of this task's budget is used. "),
        "{told}"
    );
    world
        .sim
        .comment(crate::world::REPO, issue, WRITER, "/mend stop")
        .unwrap();
    world.ended(1).await;
    world.end().await;
}
