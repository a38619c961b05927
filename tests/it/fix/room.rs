//! The conversation within what the model takes.

use super::{Case, SUMS, Scripted, case, edit, fixes_add, turn};
use async_trait::async_trait;
use mend::domain::{Cancel, StopReason, Verdict};
use mend::model::{Message, Model, ModelError, Request, Turn};
use serde_json::{Value, json};
use std::sync::atomic::{AtomicU32, Ordering};

/// A project with a long module beside the small one.
fn long() -> Case {
    let long = case(SUMS);
    let text: String = (0..380)
        .map(|n| format!("VALUE_{n} = {n}  # a constant\n"))
        .collect();
    std::fs::write(long.project().join("adder/values.py"), text).unwrap();
    long
}

fn reads(path: &str) -> Turn {
    turn("", &[("read_file", json!({"path": path}))])
}

fn results(message: &Message) -> String {
    match message {
        Message::ToolResults { results, note } => {
            let mut all: Vec<&str> = results.iter().map(|r| r.content.as_str()).collect();
            all.extend(note.as_deref());
            all.join("\n")
        }
        _ => String::new(),
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn old_results_give_way_and_report_check_and_last_turns_stay() {
    let mut small = long();
    small.agent.context_tokens = Some(16_000);
    let wrong = edit("adder/sums.py", "return a - b", "return a * b");
    let turns = vec![
        reads("adder/values.py"),
        turn("", &[wrong]),
        reads("adder/values.py"),
        reads("adder/values.py"),
        reads("adder/values.py"),
        reads("adder/sums.py"),
        turn("", &[edit("adder/sums.py", "return a * b", "return a + b")]),
    ];
    let (fixed, model) = small.run(turns).await;
    assert_eq!((fixed.stop, fixed.turns), (StopReason::SuitePassed, 7));
    let seen = model.seen.lock().unwrap();
    let last = &seen.last().unwrap().messages;
    let first = results(&last[2]);
    assert!(
        first.starts_with("[left out to make room: the answer to read_file {\"path\":\"adder/values.py\"}, 380 lines;"),
        "{first}"
    );
    assert!(results(&last[4]).contains("6 != 5"), "the last check stays");
    assert!(matches!(&last[0], Message::User(text) if text.contains("gives -1")));
    assert_eq!(seen[0].system, seen.last().unwrap().system);
    assert!(results(&last[last.len() - 1]).contains("return a * b"));
    assert!(small.heard.notes().contains("was shortened"));
    // Between two cuts the request only grows at its end.
    let cuts = seen
        .windows(2)
        .filter(|pair| {
            let before = &pair[0].messages;
            pair[1].messages[..before.len()] != before[..]
        })
        .count();
    assert!((1..=2).contains(&cuts), "{cuts} cuts");
}

/// A model that finds every conversation with more than one long result too long.
struct Narrow {
    script: Scripted,
    overflows: AtomicU32,
    most: usize,
}

#[async_trait]
impl Model for Narrow {
    fn name(&self) -> &str {
        "narrow"
    }

    async fn turn(&self, request: &Request, cancel: &Cancel) -> Result<Turn, ModelError> {
        let text = serde_json::to_string(&request.messages).unwrap();
        if text.len() > self.most {
            self.overflows.fetch_add(1, Ordering::SeqCst);
            return Err(ModelError::ContextOverflow {
                message: "status 400, prompt is too long".into(),
            });
        }
        self.script.turn(request, cancel).await
    }

    fn wire_body(&self, _: &Request) -> Result<(&'static str, Value), ModelError> {
        Ok(("chat", Value::Null))
    }
}

fn narrow(most: usize, turns: Vec<Turn>) -> Narrow {
    Narrow {
        script: Scripted::new(turns),
        overflows: AtomicU32::new(0),
        most,
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_overflow_shortens_the_conversation_and_goes_on() {
    let turns = || {
        vec![
            reads("adder/values.py"),
            reads("adder/values.py"),
            reads("adder/values.py"),
            turn("Adds.", &[fixes_add()]),
        ]
    };
    let model = narrow(34_000, turns());
    let fixed = long().run_with(&model).await;
    assert_eq!(fixed.stop, StopReason::SuitePassed, "{:?}", fixed.error);
    assert_eq!(model.overflows.load(Ordering::SeqCst), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_overflow_cuts_recent_results_too_but_not_report_and_check() {
    let read = || ("read_file", json!({"path": "adder/values.py"}));
    let wrong = edit("adder/sums.py", "return a - b", "return a * b");
    let right = edit("adder/sums.py", "return a * b", "return a + b");
    let turns = vec![
        turn("", &[read(), read(), read(), wrong]),
        turn("Adds.", &[right]),
    ];
    let model = narrow(24_000, turns);
    let fixed = long().run_with(&model).await;
    assert_eq!(fixed.stop, StopReason::SuitePassed, "{:?}", fixed.error);
    assert!(model.overflows.load(Ordering::SeqCst) > 0);
    assert!({
        let seen = model.script.seen.lock().unwrap();
        seen[1].messages[0] == seen[0].messages[0]
    });
    let told = model.script.told(2);
    assert!(told.contains("[shortened to make room"), "{told}");
    assert!(
        told.contains("Automatic full check after your edits:\nFAILED") && told.contains("6 != 5"),
        "{told}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn an_overflow_that_nothing_can_shorten_ends_honestly() {
    let model = narrow(100, vec![]);
    let fixed = long().run_with(&model).await;
    assert_eq!(
        (fixed.stop, fixed.verdict),
        (StopReason::ContextLimit, Verdict::LimitReached)
    );
    assert!(fixed.error.unwrap().contains("too long"));
    assert_eq!(model.overflows.load(Ordering::SeqCst), 1);
}
