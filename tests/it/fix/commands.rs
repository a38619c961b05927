//! `run_command`: in the sandbox, by setting, and what it changes counts (rules B7, C3, W5).

use super::{Case, SUMS, case, finish, turn};
use mend::domain::{Cancel, Reason, StopReason, Verdict};
use mend::model::Dialect;
use serde_json::{Value, json};
use std::time::{Duration, Instant};

fn allowed() -> Case {
    let mut allowed = case(SUMS);
    allowed.agent.run_command = true;
    allowed
}

fn runs(command: &str) -> (&'static str, Value) {
    ("run_command", json!({"command": command}))
}

#[tokio::test(flavor = "multi_thread")]
async fn b7_what_a_command_changes_counts_and_what_is_ignored_does_not() {
    let case = allowed();
    std::fs::write(case.project().join(".gitignore"), "*.tmp\n").unwrap();
    let command = "sed -i 's/return a - b/return a + b/' adder/sums.py && echo x > left.tmp && mkdir -p .git/hooks && echo x > .git/hooks/pre-push && echo new > notes.txt; printf '\\033[31mred\\001'; exit 3";
    let (fixed, model) = case.run(vec![turn("Adds.", &[runs(command)])]).await;
    assert_eq!((fixed.stop, fixed.turns), (StopReason::SuitePassed, 1));
    let paths: Vec<&str> = fixed.changes.iter().map(|c| c.path.as_str()).collect();
    assert_eq!(paths, ["adder/sums.py", "notes.txt"]);
    assert_eq!(model.asked(), 1);
    let case = allowed();
    let (_, model) = case
        .run(vec![turn(
            "",
            &[runs("printf '\\033[31mred\\001'; exit 3")],
        )])
        .await;
    let told = model.told(2);
    assert!(told.starts_with("exit 3; 0."), "{told}");
    assert!(told.contains("red") && !told.contains('\u{1b}') && !told.contains('\u{1}'));
}

#[tokio::test(flavor = "multi_thread")]
async fn w5_an_existing_test_that_a_command_changed_is_put_back_and_listed() {
    let case = allowed();
    let command = "sed -i 's/5)/-1)/' tests/test_sums.py; rm tests/__init__.py; echo '# new' > tests/test_new.py";
    let (fixed, model) = case
        .run(vec![turn("", &[runs(command)]), turn("", &[finish("no")])])
        .await;
    let told = model.told(2);
    assert!(
        told.contains("Changed by the command: tests/test_new.py")
            && told.contains("Put back, since tests/test_sums.py is protected")
            && told.contains("Put back, since tests/__init__.py is protected"),
        "{told}"
    );
    let paths: Vec<&str> = fixed.changes.iter().map(|c| c.path.as_str()).collect();
    assert_eq!(paths, ["tests/test_new.py"]);
    assert!(
        fixed
            .warnings
            .iter()
            .any(|w| w.contains("`tests/test_sums.py`") && w.contains("put back")),
        "{:?}",
        fixed.warnings
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn c3_a_module_that_a_command_removed_is_blamed_on_the_change() {
    let case = allowed();
    let (fixed, model) = case
        .run(vec![
            turn("", &[runs("rm adder/sums.py")]),
            turn("", &[("restore_file", json!({"path": "adder/sums.py"}))]),
            turn("", &[finish("no")]),
        ])
        .await;
    let told = model.told(2);
    assert!(
        told.contains("Changed by the command: adder/sums.py"),
        "{told}"
    );
    assert!(!told.contains("outside your change"), "{told}");
    assert!(fixed.diff.is_empty(), "W16: {}", fixed.diff);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_command_has_a_limit_of_its_own_and_ends_with_a_stop() {
    let mut case = allowed();
    case.agent.command_s = 1;
    let (_, model) = case.run(vec![turn("", &[runs("sleep 60")])]).await;
    assert!(
        model.told(2).starts_with("ended at the time limit"),
        "{}",
        model.told(2)
    );
    let mut case = allowed();
    case.base_check = false;
    case.cancel = Cancel::new();
    let stop = case.cancel.clone();
    tokio::spawn(async move {
        tokio::time::sleep(Duration::from_secs(3)).await;
        stop.cancel();
    });
    let begun = Instant::now();
    let (fixed, _) = case.run(vec![turn("", &[runs("sleep 60")])]).await;
    assert_eq!(
        (fixed.stop, fixed.verdict),
        (StopReason::Stopped, Verdict::Stopped)
    );
    assert!(begun.elapsed() < Duration::from_secs(40));
}

#[tokio::test(flavor = "multi_thread")]
async fn without_the_setting_there_is_no_such_tool() {
    let (_, model) = case(SUMS).run(vec![turn("", &[runs("true")])]).await;
    assert!(
        model.told(2).contains("there is no tool `run_command`"),
        "{}",
        model.told(2)
    );
    let names: Vec<String> = model.seen.lock().unwrap()[0]
        .tools
        .iter()
        .map(|t| t.name.clone())
        .collect();
    assert!(!names.contains(&"run_command".to_string()));
}

#[tokio::test(flavor = "multi_thread")]
async fn run_lines_are_commands_in_text() {
    let mut text = allowed();
    text.agent.dialect = Dialect::Text;
    let fix = "It adds now.\n\nRUN sed -i 's/a - b/a + b/' adder/sums.py";
    let (fixed, _) = text.run(vec![turn(fix, &[])]).await;
    assert_eq!(
        (fixed.stop, fixed.reason, fixed.summary.as_str()),
        (StopReason::SuitePassed, Reason::Fixed, "It adds now.")
    );
}
