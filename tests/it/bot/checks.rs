//! The check run on the head commit.

use crate::world::{PROJECT, REPO, World, calls, fix};
use mend::domain::Verdict;
use mend::simulator::{CheckRunView, Effect, Fault};
use serde_json::json;

fn only(world: &World) -> CheckRunView {
    let runs = world.sim.check_runs(REPO);
    let [run] = &runs[..] else {
        panic!("{runs:#?}")
    };
    run.clone()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_green_change_has_a_green_check_run_with_the_harness_block() {
    let world = World::new(&[&[fix()]]).await;
    world.label();
    let task = world.ended(1).await;
    let (run, pull) = (only(&world), &world.pulls()[0]);
    assert_eq!(
        (run.name.as_str(), run.head_sha.as_str()),
        ("mend", pull.head_sha.as_str())
    );
    assert_eq!(run.external_id, Some(task.id.to_string()));
    assert_eq!(
        (run.status.as_str(), run.conclusion.as_deref()),
        ("completed", Some("success"))
    );
    assert_eq!(run.title.as_deref(), Some("Passed: 2 passed"));
    let summary = run.summary.unwrap();
    assert!(
        pull.body.contains(&summary),
        "the pull request says the same:\n{summary}"
    );
    assert!(run.annotations.is_empty());
    // It was shown as running before it was done.
    let sent: Vec<String> = world
        .sim
        .requests()
        .into_iter()
        .filter(|r| r.path.contains("/check-runs") && r.method != "GET")
        .map(|r| r.method)
        .collect();
    assert_eq!(sent, ["POST", "PATCH"]);
    world.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_contradicting_test_is_marked_at_its_line() {
    let edit = calls(&[(
        "edit_file",
        json!({"path": "adder/sums.py", "edits": [
            {"old": "return a - b", "new": "return a + b"},
            {"old": "return a * 2", "new": "return a * 3"}
        ]}),
    )]);
    let named = calls(&[(
        "finish",
        json!({"summary": "Triples, as the report asks.", "contradicting_tests": [{
            "test": "test_double", "file": "tests/test_sums.py", "line": 11,
            "expected": "8", "report_requires": "12", "why": "three times four"
        }]}),
    )]);
    let world = World::new(&[&[edit, named]]).await;
    world.label();
    assert_eq!(world.ended(1).await.verdict, Some(Verdict::Draft));
    let run = only(&world);
    assert_eq!(run.conclusion.as_deref(), Some("failure"));
    let title = run.title.unwrap();
    assert!(
        title.starts_with("Failed: ") && title.contains("contradicts the report"),
        "{title}"
    );
    let [mark] = &run.annotations[..] else {
        panic!("{:#?}", run.annotations)
    };
    assert_eq!(
        (
            &mark["path"],
            &mark["start_line"],
            &mark["annotation_level"]
        ),
        (&json!("tests/test_sums.py"), &json!(11), &json!("warning"))
    );
    let message = mark["message"].as_str().unwrap();
    assert!(
        message.contains("expects: 8") && message.contains("requires: 12"),
        "{message}"
    );
    world.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_check_that_does_not_start_asks_for_action() {
    let mut project = PROJECT.to_vec();
    project.push((".github/mend.toml", "check = \"no-such-runner\"\n"));
    let world = World::with(&[&[fix()]], &project, |_| {}).await;
    world.label();
    assert_eq!(world.ended(1).await.verdict, Some(Verdict::Draft));
    let run = only(&world);
    assert_eq!(run.conclusion.as_deref(), Some("action_required"));
    assert!(run.title.unwrap().starts_with("Didn't start"));
    world.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn lost_answers_make_one_check_run() {
    let world = World::new(&[&[fix()]]).await;
    for method in ["POST", "PATCH"] {
        let fault = Fault::once(method, "/check-runs", Effect::CutAfter);
        world.sim.fault(fault).unwrap();
    }
    world.label();
    assert_eq!(world.ended(1).await.verdict, Some(Verdict::Ready));
    assert_eq!(only(&world).conclusion.as_deref(), Some("success"));
    assert_eq!(world.pulls().len(), 1);
    world.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn without_leave_to_write_check_runs_the_pull_request_is_opened_all_the_same() {
    let world = World::new(&[&[fix()]]).await;
    let refuse = Fault::always(
        "/check-runs",
        Effect::status(403, "Resource not accessible"),
    );
    world.sim.fault(refuse).unwrap();
    world.label();
    assert_eq!(world.ended(1).await.verdict, Some(Verdict::Ready));
    assert_eq!(world.pulls().len(), 1);
    assert!(world.sim.check_runs(REPO).is_empty());
    world.end().await;
}
