//! The text dialect: the same loop, for endpoints without tool calling (rules E1, E7, E10, E12).

use super::{Case, SUMS, Scripted, case, edit, fixes_add, turn};
use async_trait::async_trait;
use mend::domain::{Cancel, EditEvent, Reason, StopReason, Verdict};
use mend::model::{Dialect, Model, ModelError, Request, Turn, TurnEnd};
use serde_json::Value;

fn text_case() -> Case {
    let mut text = case(SUMS);
    text.agent.dialect = Dialect::Text;
    text
}

fn says(text: &str) -> Turn {
    Turn {
        end: TurnEnd::Done,
        ..turn(text, &[])
    }
}

fn block(path: &str, old: &str, new: &str) -> String {
    format!("{path}\n<<<<<<< SEARCH\n{old}\n=======\n{new}\n>>>>>>> REPLACE\n")
}

fn fixes() -> String {
    block("adder/sums.py", "    return a - b", "    return a + b")
}

#[tokio::test(flavor = "multi_thread")]
async fn e1_reading_and_editing_in_text_ends_on_green() {
    let text = text_case();
    let (fixed, model) = text
        .run(vec![
            says("READ adder/sums.py 1-2\nLIST tests\nSEARCH def \\w+\n"),
            says(&format!("`add` subtracted; it adds now.\n\n{}", fixes())),
        ])
        .await;
    assert_eq!(
        (fixed.stop, fixed.verdict, fixed.turns),
        (StopReason::SuitePassed, Verdict::Ready, 2)
    );
    assert_eq!(fixed.summary, "`add` subtracted; it adds now.");
    let asked = model.seen.lock().unwrap()[0].clone();
    assert!(asked.tools.is_empty() && asked.system.contains("<<<<<<< SEARCH"));
    let told = model.told(2);
    for part in [
        "READ adder/sums.py 1-2\n1\tdef add(a, b):\n2\t    return a - b\n... (4 more lines",
        "LIST tests\n",
        "SEARCH def \\w+\n",
        "adder/sums.py:5: def double(a):",
    ] {
        assert!(told.contains(part), "`{part}` is not in\n{told}");
    }
    assert_eq!(text.heard.edits(), [EditEvent::Parsed(1)]);
    let calls: Vec<&str> = fixed.effects[0]
        .calls
        .iter()
        .map(|c| c.0.as_str())
        .collect();
    assert_eq!(calls, ["read_file", "list_files", "search"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn e3_e4_a_refused_block_goes_back_with_its_reason_and_nothing_is_applied() {
    let text = text_case();
    let half = format!(
        "{}{}",
        fixes(),
        block("adder/sums.py", "return a * 2", "return a + a")
    );
    let (fixed, model) = text.run(vec![says(&half), says(&fixes())]).await;
    let told = model.told(2);
    assert!(
        told.contains("were refused, and none of them was applied") && told.contains("edit 2"),
        "{told}"
    );
    assert_eq!(fixed.effects[0].change, "");
    assert_eq!(fixed.stop, StopReason::SuitePassed);
    let edits = text.heard.edits();
    assert!(matches!(&edits[0], EditEvent::Rejected(why) if why[0].contains("edit 2")));
    assert_eq!(edits[1], EditEvent::Parsed(1));
}

#[tokio::test(flavor = "multi_thread")]
async fn w7_w11_the_check_and_its_note_follow_in_text_too() {
    let wrong = block("adder/sums.py", "    return a - b", "    return a * b");
    let right = block("adder/sums.py", "    return a * b", "    return a + b");
    let (fixed, model) = text_case().run(vec![says(&wrong), says(&right)]).await;
    let told = model.told(2);
    for part in [
        "Your edits were applied:\nedit 1: adder/sums.py: 1 line became 1 line",
        "Automatic full check after your edits:\nFAILED",
        "work out by hand",
        "send a `RESULT` block with the fix",
        "existing tests are protected",
    ] {
        assert!(told.contains(part), "`{part}` is not in\n{told}");
    }
    assert!(!told.contains("`finish`"), "{told}");
    assert_eq!(fixed.stop, StopReason::SuitePassed);
}

#[tokio::test(flavor = "multi_thread")]
async fn e12_a_reply_that_prints_a_whole_file_is_refused() {
    let whole = "adder/sums.py\n```python\ndef add(a, b):\n    return a + b\n\n\ndef double(a):\n    return a * 2\n```\n";
    let (fixed, model) = text_case().run(vec![says(whole), says(&fixes())]).await;
    assert!(
        model
            .told(2)
            .contains("a whole file in a reply is not applied"),
        "{}",
        model.told(2)
    );
    assert_eq!((fixed.stop, fixed.turns), (StopReason::SuitePassed, 2));
}

#[tokio::test(flavor = "multi_thread")]
async fn e7_a_unified_diff_is_taken_where_there_are_no_blocks() {
    let diff = "It adds now.\n\n```diff\n--- a/adder/sums.py\n+++ b/adder/sums.py\n@@ -7,9 +7,2 @@\n def add(a, b):\n-    return a - b\n+    return a + b\n```\n";
    let (fixed, _) = text_case().run(vec![says(diff)]).await;
    assert_eq!(fixed.stop, StopReason::SuitePassed);
    assert_eq!(fixed.summary, "It adds now.");
}

#[tokio::test(flavor = "multi_thread")]
async fn e10_a_reply_with_nothing_in_it_is_told_once_and_then_ends_the_loop() {
    let text = text_case();
    let (fixed, model) = text
        .run(vec![says("Let me think."), says("I cannot fix this.")])
        .await;
    assert!(
        model
            .told(2)
            .contains("held no block, no request and no RESULT"),
        "{}",
        model.told(2)
    );
    assert_eq!(
        (fixed.stop, fixed.verdict, fixed.summary.as_str()),
        (
            StopReason::NoToolCalls,
            Verdict::NoChange,
            "I cannot fix this."
        )
    );
    assert_eq!(text.heard.edits(), [EditEvent::NoDiff]);
    let same = block("adder/sums.py", "    return a - b", "    return a - b");
    let text = text_case();
    text.run(vec![says(&same)]).await;
    assert_eq!(text.heard.edits(), [EditEvent::NoDiff], "rule E8");
}

#[tokio::test(flavor = "multi_thread")]
async fn w12_the_result_block_names_a_contradicting_test() {
    let result = format!(
        "{}\nRESULT\nsummary: `add` multiplies now, as the report asks.\ncontradicting test: tests/test_sums.py:8 SumsTest.test_add\nexpects: 5\nreport requires: 6\nwhy: 2 times 3 is 6\nEND\n",
        block("adder/sums.py", "    return a - b", "    return a * b")
    );
    let mut text = text_case();
    text.report.body = "`add` shall multiply.".into();
    let (fixed, model) = text.run(vec![says(&result)]).await;
    assert_eq!(model.asked(), 1);
    assert_eq!(
        (fixed.stop, fixed.verdict, fixed.reason),
        (StopReason::Finished, Verdict::Draft, Reason::Contradiction)
    );
    assert_eq!(fixed.summary, "`add` multiplies now, as the report asks.");
    let c = &fixed.contradictions[0];
    assert!(c.confirmed && c.test == "SumsTest.test_add");
    assert_eq!(
        (c.file.as_deref(), c.line),
        (Some("tests/test_sums.py"), Some(8))
    );
    assert_eq!(
        (
            c.expected.as_deref(),
            c.report_requires.as_deref(),
            c.why.as_deref()
        ),
        (Some("5"), Some("6"), Some("2 times 3 is 6"))
    );
    assert_eq!(fixed.contradictions.len(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_question_in_text_is_a_question() {
    let asks = "RESULT\nquestion: Shall `add` round?\nEND";
    let (fixed, _) = text_case().run(vec![says(asks)]).await;
    assert_eq!(fixed.verdict, Verdict::Question);
    assert_eq!(fixed.question.as_deref(), Some("Shall `add` round?"));
}

#[tokio::test(flavor = "multi_thread")]
async fn requests_inside_blocks_are_text_and_a_cut_reply_is_not_applied() {
    let new = block("notes.txt", "", "READ adder/sums.py\nRESULT\nsummary: x");
    let new = new.replace("SEARCH\n\n", "SEARCH\n");
    let mut cut = says(&fixes());
    cut.end = TurnEnd::Truncated;
    let (fixed, model) = text_case().run(vec![says(&new), cut, says(&fixes())]).await;
    assert_eq!(fixed.effects[0].calls, [("edits".to_string(), true)]);
    assert!(model.told(3).contains("cut off"), "{}", model.told(3));
    assert_eq!((fixed.stop, fixed.turns), (StopReason::SuitePassed, 3));
}

#[tokio::test(flavor = "multi_thread")]
async fn w14_the_same_refused_block_is_ended_at_the_third_whatever_is_said_around_it() {
    let miss = |words: &str| {
        says(&format!(
            "{words}\n{}",
            block("adder/sums.py", "return a - b", "return a + b")
        ))
    };
    let (fixed, model) = text_case()
        .run(vec![miss("a"), miss("b"), miss("c"), miss("d")])
        .await;
    assert_eq!((fixed.stop, model.asked()), (StopReason::RepeatedCall, 3));
}

/// An endpoint that refuses requests with tools.
struct NoTools(Scripted, ModelError);

#[async_trait]
impl Model for NoTools {
    fn name(&self) -> &str {
        "no tools"
    }

    async fn turn(&self, request: &Request, cancel: &Cancel) -> Result<Turn, ModelError> {
        match request.tools.is_empty() {
            true => self.0.turn(request, cancel).await,
            false => Err(self.1.clone()),
        }
    }

    fn wire_body(&self, _: &Request) -> Result<(&'static str, Value), ModelError> {
        Ok(("chat", Value::Null))
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn auto_falls_to_text_where_the_endpoint_refuses_tools() {
    for status in [400, 404, 501] {
        let error = ModelError::Permanent {
            status: Some(status),
            message: "this model does not support tools".into(),
        };
        let model = NoTools(Scripted::new(vec![says(&fixes())]), error.clone());
        let auto = case(SUMS);
        let fixed = auto.run_with(&model).await;
        assert_eq!(fixed.stop, StopReason::SuitePassed, "{status}");
        assert!(
            auto.heard
                .notes()
                .contains("no tool calls on this endpoint")
        );
        let mut strict = case(SUMS);
        strict.agent.dialect = Dialect::Tools;
        let model = NoTools(Scripted::new(vec![says(&fixes())]), error);
        assert_eq!(strict.run_with(&model).await.stop, StopReason::ModelError);
    }
    let error = ModelError::Permanent {
        status: Some(401),
        message: "no such key".into(),
    };
    let model = NoTools(Scripted::new(vec![says(&fixes())]), error);
    let fixed = case(SUMS).run_with(&model).await;
    assert_eq!(fixed.stop, StopReason::ModelError);
}

#[tokio::test(flavor = "multi_thread")]
async fn auto_falls_to_text_where_the_model_answers_in_blocks() {
    let auto = case(SUMS);
    let (fixed, _) = auto.run(vec![says(&fixes())]).await;
    assert_eq!((fixed.stop, fixed.turns), (StopReason::SuitePassed, 1));
    // Once the model has called a tool, blocks in its text are text.
    let auto = case(SUMS);
    let wrong = edit("adder/sums.py", "return a - b", "return a * b");
    let (fixed, _) = auto.run(vec![turn("", &[wrong]), says(&fixes())]).await;
    assert_eq!(fixed.stop, StopReason::NoToolCalls);
    let (fixed, _) = case(SUMS).run(vec![turn("", &[fixes_add()])]).await;
    assert_eq!(fixed.stop, StopReason::SuitePassed);
}
