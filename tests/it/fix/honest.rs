//! What a fix says about itself, and how the loop takes what a model says.

use super::{Case, SUMS, Scripted, case, edit, fixes_add, turn};
use async_trait::async_trait;
use mend::domain::{Cancel, Reason, StopReason, Verdict};
use mend::model::{Dialect, Model, ModelError, Request, Turn, TurnEnd};
use serde_json::{Value, json};

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

const BLOCK: &str =
    "adder/sums.py\n<<<<<<< SEARCH\n    return a - b\n=======\n    return a + b\n>>>>>>> REPLACE\n";
const DEFAULT: &str = "Fixed the bug; the full check passes.";

#[tokio::test(flavor = "multi_thread")]
async fn a_question_or_an_answer_alone_closes_the_work() {
    let asks = turn("", &[("finish", json!({"question": "Which sign?"}))]);
    let (fixed, _) = case(SUMS).run(vec![asks]).await;
    assert_eq!((fixed.verdict, fixed.turns), (Verdict::Question, 1));
    assert_eq!(fixed.question.as_deref(), Some("Which sign?"));
    let answers = turn("", &[("finish", json!({"answer": "It subtracts."}))]);
    let (fixed, _) = case(SUMS).run(vec![answers]).await;
    assert_eq!((fixed.verdict, fixed.turns), (Verdict::Answer, 1));
    assert_eq!(fixed.summary, "It subtracts.");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_contradiction_without_its_reasons_is_asked_for_again() {
    let bare = json!({"summary": "Adds.", "contradicting_tests": [{"test": "test_add"}]});
    let (fixed, model) = case(SUMS)
        .run(vec![
            turn("", &[("finish", bare)]),
            turn("", &[fixes_add()]),
        ])
        .await;
    let told = model.told(2);
    assert!(
        told.contains("`test_add` lacks `expected`, `report_requires`, `why`"),
        "{told}"
    );
    assert_eq!(fixed.verdict, Verdict::Ready);
}

#[tokio::test(flavor = "multi_thread")]
async fn w15_an_edits_summary_is_heard_and_an_agreement_is_no_doubt() {
    for (summary, reason) in [
        (
            "Returns what the test wants although the report rules it out.",
            Reason::DoubtedTest,
        ),
        (
            "The test expects 5 and the report says 5, so they agree; the code is wrong.",
            Reason::Fixed,
        ),
        ("No test contradicts the report.", Reason::Fixed),
        ("I do not think the test is wrong.", Reason::Fixed),
    ] {
        let (name, mut call) = fixes_add();
        call["summary"] = json!(summary);
        // A green run with another failure would not be `Fixed`, so the words alone decide.
        let (fixed, _) = case(SUMS).run(vec![turn("", &[(name, call)])]).await;
        assert_eq!(fixed.reason, reason, "{summary}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_summary_that_is_given_twice_is_said_once() {
    let wrong = edit("adder/sums.py", "return a - b", "return a * b");
    let right = edit("adder/sums.py", "return a * b", "return a + b");
    let said = |(name, mut call): (&'static str, Value)| {
        call["summary"] = json!("`add` adds now.");
        turn("", &[(name, call)])
    };
    let (fixed, _) = case(SUMS).run(vec![said(wrong), said(right)]).await;
    assert_eq!(fixed.summary, "`add` adds now.");
}

#[tokio::test(flavor = "multi_thread")]
async fn thoughts_bare_diffs_and_announcements_are_not_published() {
    let diff = "--- a/adder/sums.py\n+++ b/adder/sums.py\n@@ -1,2 +1,2 @@\n def add(a, b):\n-    return a - b\n+    return a + b\n";
    let git = format!("It adds now.\n\ndiff --git a/adder/sums.py b/adder/sums.py\n{diff}");
    let thought = format!(
        "<think>\nThe test is wrong, it contradicts the report.\n{BLOCK}</think>\nIt adds now.\n\n{BLOCK}"
    );
    let announced =
        format!("Now I will fix it. Let me do this:\n\n{BLOCK}\nThis should make the test pass.");
    for (reply, summary) in [
        (diff, DEFAULT),
        (&*git, "It adds now."),
        (&thought, "It adds now."),
        (&announced, DEFAULT),
    ] {
        let (fixed, _) = text_case().run(vec![says(reply)]).await;
        assert_eq!(
            (fixed.verdict, fixed.summary.as_str()),
            (Verdict::Ready, summary),
            "{reply}"
        );
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn w12_a_contradiction_in_prose_outlives_a_bare_result() {
    let mut text = text_case();
    text.report.body = "`add` shall multiply.".into();
    let multiplies = BLOCK.replace("a + b", "a * b");
    let (fixed, _) = text
        .run(vec![
            says(&format!("`add` multiplies now.\n\n{multiplies}")),
            says("I am done. The test test_add contradicts the report."),
            says("RESULT\nsummary: `add` multiplies now.\nEND"),
        ])
        .await;
    assert_eq!(
        (fixed.verdict, fixed.reason),
        (Verdict::Draft, Reason::Contradiction)
    );
    assert_eq!(fixed.contradictions.len(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn requests_that_cannot_be_met_are_answered_in_the_words_of_text() {
    let asks = "READ adder/sums.py 3-1\nRUN ls\nREAD adder/nothing/at/all.zz\n";
    let (_, model) = text_case().run(vec![says(asks)]).await;
    let told = model.told(2);
    for part in [
        "the range 3-1 ends before it begins",
        "RUN ls\ncommands cannot be run in this task",
        "does not exist; LIST shows what does",
    ] {
        assert!(told.contains(part), "`{part}` is not in\n{told}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn w11_a_test_of_its_own_that_does_not_load_contradicts_nothing() {
    let broken = (
        "write_file",
        json!({"path": "tests/test_new.py", "content": "import nothing_of_that_name\n"}),
    );
    let green = [
        SUMS[0],
        (
            "adder/sums.py",
            "def add(a, b):\n    return a + b\n\n\ndef double(a):\n    return a * 2\n",
        ),
        SUMS[2],
        SUMS[3],
    ];
    let (_, model) = case(&green).run(vec![turn("", &[broken])]).await;
    let told = model.told(2);
    assert!(
        told.contains("FAILED") && told.contains("test_new"),
        "{told}"
    );
    assert!(!told.contains("work out by hand"), "{told}");
}

#[tokio::test(flavor = "multi_thread")]
async fn links_that_a_command_makes_are_told() {
    let mut allowed = case(SUMS);
    allowed.agent.run_command = true;
    let links = (
        "run_command",
        json!({"command": "ln -s sums.py adder/alias.py"}),
    );
    let (_, model) = allowed.run(vec![turn("", &[links])]).await;
    let told = model.told(2);
    assert!(
        told.contains("Left out, since symbolic links are not taken over: adder/alias.py"),
        "{told}"
    );
}

/// An endpoint that refuses requests with tools, and perhaps those without.
struct Refusing {
    script: Scripted,
    with_tools: &'static str,
    without: Option<&'static str>,
}

fn refused(message: &str) -> ModelError {
    ModelError::Permanent {
        status: Some(400),
        message: message.into(),
    }
}

#[async_trait]
impl Model for Refusing {
    fn name(&self) -> &str {
        "refusing"
    }

    async fn turn(&self, request: &Request, cancel: &Cancel) -> Result<Turn, ModelError> {
        match (request.tools.is_empty(), self.without) {
            (false, _) => Err(refused(self.with_tools)),
            (true, Some(message)) => Err(refused(message)),
            (true, None) => self.script.turn(request, cancel).await,
        }
    }

    fn wire_body(&self, _: &Request) -> Result<(&'static str, Value), ModelError> {
        Ok(("chat", Value::Null))
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn auto_tells_a_refusal_as_what_it_is() {
    let run = async |with_tools, without| {
        let auto = case(SUMS);
        let script = Scripted::new(vec![says(BLOCK)]);
        let model = Refusing {
            script,
            with_tools,
            without,
        };
        let fixed = auto.run_with(&model).await;
        let fell = auto.heard.notes().contains("no tool calls");
        (fixed.stop, fixed.error.unwrap_or_default(), fell)
    };
    let (stop, error, fell) = run("status 400, invalid model", None).await;
    assert_eq!(stop, StopReason::ModelError);
    assert!(error.contains("invalid model") && !fell, "{error}");
    let (stop, _, fell) = run("status 400, bad request", None).await;
    assert_eq!((stop, fell), (StopReason::SuitePassed, true));
    let (stop, error, fell) = run("status 400, bad request", Some("status 400, other")).await;
    assert_eq!(stop, StopReason::ModelError);
    assert!(error.contains("bad request") && !fell, "{error}");
}
