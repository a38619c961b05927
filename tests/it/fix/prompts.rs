//! What the model reads, whole. A change here is a change of the agent.

use super::{SUMS, case, edit, finish, fixes_add, turn};
use mend::agent::Earlier;

/// Durations and marks differ from run to run.
pub fn steady(text: &str) -> String {
    let durations = regex::Regex::new(r"\d+\.\d+ ?s").unwrap();
    let text = durations.replace_all(text, "0.1 s");
    let mark = regex::Regex::new("report-[0-9a-f]{16}").unwrap();
    mark.replace_all(&text, "report-MARK").into_owned()
}

#[tokio::test(flavor = "multi_thread")]
async fn the_first_request() {
    let (_, model) = case(SUMS).run(vec![turn("", &[finish("no")])]).await;
    let request = model.seen.lock().unwrap()[0].clone();
    insta::assert_snapshot!("system", request.system);
    insta::assert_snapshot!("first", steady(&model.told(1)));
    let tools = serde_json::to_string_pretty(&request.tools).unwrap();
    insta::assert_snapshot!("tools", tools);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_note_after_a_wrong_edit() {
    let wrong = edit("adder/sums.py", "return a - b", "return a * b");
    let (_, model) = case(SUMS)
        .run(vec![turn("", &[wrong]), turn("", &[finish("no")])])
        .await;
    insta::assert_snapshot!("wrong_edit", steady(&model.told(2)));
}

#[tokio::test(flavor = "multi_thread")]
async fn the_first_message_of_a_follow_up() {
    let mut follow = case(SUMS);
    follow.guidance = vec!["Add a test with a negative number.".into()];
    follow.start = Some(vec![(
        "adder/sums.py",
        "def add(a, b):\n    return a + b\n\n\ndef double(a):\n    return a * 2\n",
    )]);
    follow.earlier = Some(Earlier {
        diff: "diff --git a/adder/sums.py b/adder/sums.py\n-    return a - b\n+    return a + b\n"
            .into(),
        summary: "`add` subtracted; it now adds.".into(),
    });
    let (fixed, model) = follow.run(vec![turn("", &[finish("no")])]).await;
    insta::assert_snapshot!("follow_up", steady(&model.told(1)));
    assert!(fixed.diff.is_empty());
}

#[tokio::test(flavor = "multi_thread")]
async fn the_first_message_where_the_check_cannot_run() {
    let mut missing = case(SUMS);
    missing.commands = vec!["python3 -c 'import a_package_that_nobody_has'".into()];
    let (_, model) = missing
        .run(vec![turn("", &[fixes_add()]), turn("", &[finish("Adds.")])])
        .await;
    insta::assert_snapshot!("cannot_run", steady(&model.told(1)));
}

#[tokio::test(flavor = "multi_thread")]
async fn the_first_request_in_text() {
    let mut text = case(SUMS);
    text.agent.dialect = mend::model::Dialect::Text;
    text.agent.run_command = true;
    let (_, model) = text.run(vec![turn("RESULT\nsummary: no", &[])]).await;
    let request = model.seen.lock().unwrap()[0].clone();
    insta::assert_snapshot!("text_system", request.system);
    insta::assert_snapshot!("text_first", steady(&model.told(1)));
}
