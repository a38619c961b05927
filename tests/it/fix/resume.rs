//! A conversation that goes on in a later attempt.

use super::{Case, SUMS, case, edit, finish, fixes_add, turn, unseen};
use mend::domain::{StopReason, Verdict};
use mend::model::Message;
use serde_json::{Value, json};

fn wrong() -> (&'static str, Value) {
    edit("adder/sums.py", "return a - b", "return a * b")
}

/// A run that ended after one turn with a wrong edit, because the model was gone.
async fn begun() -> (Case, String) {
    let first = unseen(SUMS);
    let reads = ("read_file", json!({"path": "adder/sums.py"}));
    let (fixed, _) = first.run(vec![turn("First try.", &[reads, wrong()])]).await;
    assert_eq!((fixed.stop, fixed.turns), (StopReason::ModelError, 1));
    let state = first.kept.after(1);
    (first, state)
}

#[tokio::test(flavor = "multi_thread")]
async fn a_kept_conversation_goes_on_at_the_next_turn_with_its_change() {
    let (first, state) = begun().await;
    let second = Case {
        resume: Some(state),
        kept: Default::default(),
        heard: Default::default(),
        ..first
    };
    let right = edit("adder/sums.py", "return a * b", "return a + b");
    let (fixed, model) = second.run(vec![turn("Adds.", &[right])]).await;
    assert_eq!(
        (fixed.stop, fixed.turns, fixed.usage.input_tokens),
        (StopReason::SuitePassed, 2, 200),
        "{}",
        second.heard.notes()
    );
    let asked = model.seen.lock().unwrap()[0].clone();
    assert_eq!(asked.messages.len(), 3, "first message, turn, its answer");
    assert!(model.told(1).contains("6 != 5"), "{}", model.told(1));
    assert!(second.heard.notes().contains("going on after turn 1"));
    assert_eq!(fixed.effects.len(), 2);
    assert!(fixed.diff.contains("+    return a + b"));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_resumed_request_begins_with_the_very_bytes_of_the_first() {
    let (first, state) = begun().await;
    let (_, model) = first.run(vec![turn("", &[wrong()])]).await;
    let before = model.seen.lock().unwrap()[1].clone();
    let second = Case {
        resume: Some(first.kept.after(2)),
        ..first
    };
    let (_, model) = second.run(vec![]).await;
    let after = model.seen.lock().unwrap()[0].clone();
    assert_eq!(
        serde_json::to_string(&before).unwrap(),
        serde_json::to_string(&after).unwrap()
    );
    assert!(!state.is_empty());
}

#[tokio::test(flavor = "multi_thread")]
async fn w3_what_was_read_before_counts_as_seen_after() {
    let first = case(SUMS);
    let reads = ("read_file", json!({"path": "adder/sums.py"}));
    first.run(vec![turn("", &[reads])]).await;
    let whole = json!({"path": "adder/sums.py", "content": "def add(a, b):\n    return a + b\n\n\ndef double(a):\n    return a * 2\n"});
    let write = || vec![turn("", &[("write_file", whole.clone())])];
    let second = Case {
        resume: Some(first.kept.after(1)),
        ..first
    };
    let (fixed, _) = second.run(write()).await;
    assert_eq!(fixed.stop, StopReason::SuitePassed);
    let (_, model) = unseen(SUMS).run(write()).await;
    assert!(model.told(2).contains("not"), "unseen: {}", model.told(2));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_state_that_does_not_fit_is_left_out_with_a_note() {
    let (first, state) = begun().await;
    let other = state.replacen("\"format\":1", "\"format\":99", 1);
    for (resume, why) in [
        (other, "another version"),
        ("{}".to_string(), "another version"),
        ("no json".to_string(), "another version"),
    ] {
        let mut again = case(SUMS);
        again.resume = Some(resume);
        let (fixed, model) = again.run(vec![turn("", &[fixes_add()])]).await;
        assert_eq!((fixed.stop, fixed.turns), (StopReason::SuitePassed, 1));
        assert_eq!(model.seen.lock().unwrap()[0].messages.len(), 1);
        assert!(again.heard.notes().contains(why), "{}", again.heard.notes());
    }
    let mut moved = case(SUMS);
    std::fs::write(moved.project().join("README"), "new").unwrap();
    moved.resume = Some(state.clone());
    let (fixed, _) = moved.run(vec![turn("", &[fixes_add()])]).await;
    assert_eq!(fixed.turns, 1);
    assert!(
        moved.heard.notes().contains("are not the same"),
        "{}",
        moved.heard.notes()
    );
    let reworded = Case {
        resume: Some(state),
        report: mend::domain::Report {
            title: "another".into(),
            body: String::new(),
        },
        ..first
    };
    let (fixed, _) = reworded.run(vec![turn("", &[fixes_add()])]).await;
    assert_eq!(fixed.turns, 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_ended_conversation_is_not_asked_again_without_a_new_word() {
    let first = case(SUMS);
    first.run(vec![turn("", &[finish("Nothing to do.")])]).await;
    let state = first.kept.after(1);
    let second = Case {
        resume: Some(state),
        ..first
    };
    let (fixed, model) = second.run(vec![]).await;
    assert_eq!((fixed.stop, model.asked()), (StopReason::Finished, 0));
    assert_eq!(fixed.summary, "Nothing to do.");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_question_ends_the_task_and_its_answer_goes_on_in_the_same_conversation() {
    let asks = (
        "finish",
        json!({"summary": "", "question": "Shall `add` round?"}),
    );
    let first = case(SUMS);
    let (fixed, model) = first.run(vec![turn("", &[asks])]).await;
    assert_eq!(
        (fixed.stop, fixed.verdict),
        (StopReason::Question, Verdict::Question)
    );
    assert_eq!(fixed.question.as_deref(), Some("Shall `add` round?"));
    assert_eq!(fixed.summary, "Shall `add` round?");
    assert_eq!(model.asked(), 1);
    let second = Case {
        resume: Some(first.kept.after(1)),
        guidance: vec!["No, it shall only add.".into()],
        ..first
    };
    let (fixed, model) = second.run(vec![turn("Adds.", &[fixes_add()])]).await;
    assert_eq!((fixed.verdict, fixed.turns), (Verdict::Ready, 2));
    assert!(
        model.told(1).contains("No, it shall only add."),
        "{}",
        model.told(1)
    );
    let asked = model.seen.lock().unwrap()[0].messages.clone();
    assert!(matches!(asked.last(), Some(Message::ToolResults { .. })));
}

#[tokio::test(flavor = "multi_thread")]
async fn an_answer_needs_no_change_and_a_question_beside_a_change_is_no_ending() {
    let answers = (
        "finish",
        json!({"summary": "", "answer": "It takes two numbers."}),
    );
    let (fixed, _) = case(SUMS).run(vec![turn("", &[answers])]).await;
    assert_eq!(
        (fixed.stop, fixed.verdict, fixed.summary.as_str()),
        (StopReason::Answer, Verdict::Answer, "It takes two numbers.")
    );
    // Whatever was changed on the way: a question gets no commit, also where its check is green.
    let answers = ("finish", json!({"answer": "It subtracts."}));
    let tries = (
        "write_file",
        json!({"path": "tests/test_try.py", "content": "x = 1\n"}),
    );
    for turns in [
        vec![turn("", &[fixes_add(), answers.clone()])],
        vec![turn("", &[tries]), turn("", std::slice::from_ref(&answers))],
    ] {
        let (fixed, _) = case(SUMS).run(turns).await;
        assert_eq!(
            (fixed.stop, fixed.verdict, fixed.summary.as_str()),
            (StopReason::Answer, Verdict::Answer, "It subtracts.")
        );
        assert!(fixed.changes.is_empty() && fixed.diff.is_empty());
        assert_eq!(fixed.discarded.len(), 1);
    }
    // With a summary of a change, the change is what was asked for.
    let both = (
        "finish",
        json!({"summary": "Adds.", "answer": "It did not."}),
    );
    let (fixed, _) = case(SUMS).run(vec![turn("", &[fixes_add(), both])]).await;
    assert_eq!((fixed.verdict, fixed.changes.len()), (Verdict::Ready, 1));
    let asks = (
        "finish",
        json!({"summary": "Adds.", "question": "Is zero fine?"}),
    );
    let (fixed, _) = case(SUMS).run(vec![turn("", &[fixes_add(), asks])]).await;
    assert_eq!(
        (fixed.verdict, fixed.summary.as_str()),
        (Verdict::Ready, "Adds. Is zero fine?")
    );
    assert_eq!(fixed.question, None);
}
