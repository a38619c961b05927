//! The reviewer (rule E11): one round back, never in the way.

use super::{SUMS, Scripted, case, edit, finish, fixes_add, turn};
use async_trait::async_trait;
use mend::domain::{Cancel, Severity, StopReason, Verdict};
use mend::model::{Model, ModelError, Request, Turn};
use serde_json::{Value, json};

fn says(points: Value) -> Turn {
    turn(&json!({ "points": points }).to_string(), &[])
}

fn point(path: &str, line: u64, severity: &str, text: &str) -> Value {
    json!({"path": path, "line": line, "severity": severity, "text": text})
}

#[tokio::test(flavor = "multi_thread")]
async fn e11_one_round_of_points_goes_back_and_the_rest_stays_open() {
    let mut reviewed = case(SUMS);
    reviewed.reviewer = Some(Scripted::new(vec![
        says(json!([
            point("adder/sums.py", 2, "must_fix", "add(a, None) should fail"),
            point("adder/sums.py", 400, "note", "no such line"),
            point("elsewhere.py", 1, "must_fix", "not in the change"),
        ])),
        says(json!([
            point("adder/sums.py", 2, "note", "fine now"),
            point("elsewhere.py", 1, "must_fix", "still not in the change"),
        ])),
    ]));
    let better = edit("adder/sums.py", "return a + b", "return sum((a, b))");
    let (fixed, model) = reviewed
        .run(vec![
            turn("Adds.", &[fixes_add()]),
            turn("Adds with sum.", &[better]),
        ])
        .await;
    assert_eq!(
        (fixed.stop, fixed.verdict, fixed.turns),
        (StopReason::SuitePassed, Verdict::Ready, 2)
    );
    let told = model.told(2);
    assert!(
        told.contains("1. `adder/sums.py:2` (must fix): add(a, None) should fail")
            && told.contains("existing tests are protected")
            && !told.contains("no such line")
            && !told.contains("not in the change"),
        "{told}"
    );
    let review = fixed.review.expect("a review");
    assert_eq!((review.sent_back.len(), review.unplaced), (1, 1));
    assert_eq!(review.open.len(), 2, "the second look replaces the first");
    assert_eq!(
        (review.open[1].path.as_str(), review.open[1].line),
        ("elsewhere.py", None),
        "kept for the maintainer, without a line"
    );
    assert_eq!(review.open[0].text, "fine now");
    assert!(fixed.diff.contains("sum((a, b))"));
    let reviewer = reviewed.reviewer.as_ref().unwrap();
    assert_eq!(reviewer.asked(), 2);
    let request = reviewer.seen.lock().unwrap()[0].clone();
    assert!(request.tools.is_empty());
    insta::assert_snapshot!("reviewer_system", request.system);
    insta::assert_snapshot!("reviewer_first", super::prompts::steady(&reviewer.told(1)));
    insta::assert_snapshot!("points", super::prompts::steady(&told));
}

#[tokio::test(flavor = "multi_thread")]
async fn points_that_the_worker_leaves_stay_open() {
    let mut reviewed = case(SUMS);
    reviewed.reviewer = Some(Scripted::new(vec![says(json!([
        point("adder/sums.py", 2, "should_fix", "say why"),
        point("adder/sums.py", 99, "note", "b"),
    ]))]));
    let (fixed, _) = reviewed
        .run(vec![
            turn("Adds.", &[fixes_add()]),
            turn("", &[finish("Adds; no comment needed.")]),
        ])
        .await;
    assert_eq!(
        (fixed.stop, fixed.verdict),
        (StopReason::Finished, Verdict::Ready)
    );
    let review = fixed.review.expect("a review");
    assert_eq!(review.open.len(), 2);
    assert_eq!(review.open[0].severity, Severity::ShouldFix);
    assert_eq!(review.open[1].line, None, "the file has no line 99");
    assert_eq!(fixed.usage.input_tokens, 300, "the reviewer's tokens count");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_reviewer_that_fails_or_talks_nonsense_never_holds_the_work_up() {
    let broken = Scripted::new(vec![]);
    let chatty = Scripted::new(vec![turn("Looks good to me!", &[])]);
    for (reviewer, why) in [
        (broken, "the script is at its end"),
        (chatty, "not the JSON"),
    ] {
        let mut reviewed = case(SUMS);
        reviewed.reviewer = Some(reviewer);
        let (fixed, _) = reviewed.run(vec![turn("Adds.", &[fixes_add()])]).await;
        assert_eq!(
            (fixed.stop, fixed.verdict),
            (StopReason::SuitePassed, Verdict::Ready)
        );
        let failed = fixed.review.and_then(|r| r.failed).unwrap_or_default();
        assert!(failed.contains(why), "{failed}");
    }
}

/// A model that never answers.
struct Silent;

#[async_trait]
impl Model for Silent {
    fn name(&self) -> &str {
        "silent"
    }

    async fn turn(&self, _: &Request, _: &Cancel) -> Result<Turn, ModelError> {
        std::future::pending().await
    }

    fn wire_body(&self, _: &Request) -> Result<(&'static str, Value), ModelError> {
        Ok(("chat", Value::Null))
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_reviewer_that_never_answers_is_left_after_a_part_of_the_time() {
    let mut reviewed = case(SUMS);
    reviewed.limits.wall_s = 20;
    let model = Scripted::new(vec![turn("Adds.", &[fixes_add()])]);
    let fixed = reviewed.run_reviewed(&model, Some(&Silent)).await;
    assert_eq!(
        (fixed.stop, fixed.verdict),
        (StopReason::SuitePassed, Verdict::Ready)
    );
    let failed = fixed.review.and_then(|r| r.failed).unwrap_or_default();
    assert_eq!(failed, "no answer in 6 s");
}
