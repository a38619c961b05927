//! Both wires, plain and streamed, against `model_bridge.py` replaying a folder.

use super::{WIRES, ask, hello, result, settings};
use mend::domain::Cancel;
use mend::model::{Arguments, Message, ModelError, TurnEnd, WireKind, connect};
use serde_json::json;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};

pub struct Bridge {
    child: Child,
    pub base: String,
}

impl Bridge {
    /// Starts the bridge on a port that it chooses and waits for the line that names it.
    pub fn replay(folder: &Path) -> Bridge {
        let mut child = Command::new("python3")
            .arg(concat!(
                env!("CARGO_MANIFEST_DIR"),
                "/tests/tools/model_bridge.py"
            ))
            .args(["serve", "--replay", "--port", "0", "--dir"])
            .arg(folder)
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap())
            .read_line(&mut line)
            .unwrap();
        let base = line.split_whitespace().nth(3).unwrap().to_string();
        assert!(base.starts_with("http://127.0.0.1:"), "{line}");
        Bridge { child, base }
    }
}

impl Drop for Bridge {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

pub fn write_replies(folder: &Path, replies: &[serde_json::Value]) {
    for (n, reply) in replies.iter().enumerate() {
        let path = folder.join(format!("{:04}.reply.json", n + 1));
        std::fs::write(path, reply.to_string()).unwrap();
    }
}

#[tokio::test]
async fn a_conversation_in_every_shape() {
    let folder = tempfile::tempdir().unwrap();
    write_replies(
        folder.path(),
        &[
            json!({"text": "Looking: é, 日本.", "tool_calls": [
                {"name": "read_file", "arguments": {"path": "a.py", "deep": {"x": [1, null]}}},
                {"name": "read_file", "arguments": "{\"path\": \"b.py"}]}),
            json!({"text": "Done."}),
        ],
    );
    for wire in WIRES {
        for stream in [false, true] {
            let bridge = Bridge::replay(folder.path());
            let model = connect(&settings(wire, &bridge.base, stream)).unwrap();
            let cancel = Cancel::new();
            let first = model.turn(&hello(), &cancel).await.unwrap();
            assert_eq!(first.text, "Looking: é, 日本.");
            assert_eq!(first.end, TurnEnd::ToolUse);
            assert_eq!(
                first.calls[0].arguments,
                Arguments::Json(json!({"path": "a.py", "deep": {"x": [1, null]}}))
            );
            assert!(
                matches!(&first.calls[1].arguments, Arguments::Broken { raw, .. } if raw == "{\"path\": \"b.py"),
                "{wire:?} {stream}: {:?}",
                first.calls[1]
            );
            assert!(first.usage.input_tokens > 10 && first.usage.output_tokens > 1);
            let results = first.calls.iter().map(|c| result(&c.id, "text", false));
            let next = ask(vec![
                Message::User("Fix it.".into()),
                Message::Assistant(first.clone()),
                Message::ToolResults {
                    results: results.collect(),
                    note: Some("note".into()),
                },
            ]);
            let second = model.turn(&next, &cancel).await.unwrap();
            assert_eq!((second.text.as_str(), second.end), ("Done.", TurnEnd::Done));
            assert!(second.usage.input_tokens > first.usage.input_tokens);
        }
    }
}

#[tokio::test]
async fn scripted_failures_are_retried_with_the_next_reply() {
    let folder = tempfile::tempdir().unwrap();
    write_replies(
        folder.path(),
        &[
            json!({"text": "a long enough text to be cut", "cut_after_chars": 90}),
            json!({"http_status": 529, "headers": {"retry-after": "0"}}),
            json!({"http_status": 500, "headers": {"retry-after-ms": "10"}}),
            json!({"text": "At last."}),
        ],
    );
    for wire in WIRES {
        let bridge = Bridge::replay(folder.path());
        let mut s = settings(wire, &bridge.base, true);
        s.retries = 3;
        let turn = connect(&s).unwrap().turn(&hello(), &Cancel::new()).await;
        assert_eq!(turn.unwrap().text, "At last.");
    }
}

#[tokio::test]
async fn the_end_of_a_recording_is_an_error_of_the_server() {
    let folder = tempfile::tempdir().unwrap();
    let bridge = Bridge::replay(folder.path());
    let model = connect(&settings(WireKind::Chat, &bridge.base, false)).unwrap();
    let error = model.turn(&hello(), &Cancel::new()).await.unwrap_err();
    assert!(matches!(error, ModelError::Unavailable { .. }), "{error:?}");
    assert!(error.is_transient());
}

#[tokio::test]
async fn truncated_and_refused_turns_are_told_apart() {
    let folder = tempfile::tempdir().unwrap();
    let stops = |truncated: &str, refused: &str| {
        vec![
            json!({"text": "", "tool_calls": [{"name": "read_file", "arguments": {"path": "a"}}], "stop_reason": truncated}),
            json!({"text": "No.", "stop_reason": refused}),
        ]
    };
    for (wire, replies) in [
        (WireKind::Anthropic, stops("max_tokens", "refusal")),
        (WireKind::Chat, stops("length", "content_filter")),
    ] {
        write_replies(folder.path(), &replies);
        for stream in [false, true] {
            let bridge = Bridge::replay(folder.path());
            let model = connect(&settings(wire, &bridge.base, stream)).unwrap();
            let cut = model.turn(&hello(), &Cancel::new()).await.unwrap();
            assert_eq!(cut.end, TurnEnd::Truncated);
            assert!(
                matches!(&cut.calls[0].arguments, Arguments::Broken { raw, .. } if raw.contains("path"))
            );
            let no = model.turn(&hello(), &Cancel::new()).await.unwrap();
            assert_eq!((no.end, no.text.as_str()), (TurnEnd::Refused, "No."));
        }
    }
}

/// Much at once, and nothing at all.
#[tokio::test]
async fn fifty_calls_a_big_one_and_an_empty_turn() {
    let folder = tempfile::tempdir().unwrap();
    let mut calls: Vec<_> = (0..50)
        .map(|n| json!({"name": "read_file", "arguments": {"path": format!("f{n}")}}))
        .collect();
    let big = json!({"path": "big", "content": "é\n".repeat(1 << 17)});
    calls.push(json!({"name": "no such tool!", "arguments": big}));
    write_replies(
        folder.path(),
        &[json!({"tool_calls": calls}), json!({"text": ""})],
    );
    for wire in WIRES {
        for stream in [false, true] {
            let bridge = Bridge::replay(folder.path());
            let model = connect(&settings(wire, &bridge.base, stream)).unwrap();
            let many = model.turn(&hello(), &Cancel::new()).await.unwrap();
            assert_eq!((many.calls.len(), many.text.as_str()), (51, ""));
            assert_eq!(many.calls[50].name, "no such tool!");
            assert_eq!(many.calls[50].arguments, Arguments::Json(big.clone()));
            let nothing = model.turn(&hello(), &Cancel::new()).await.unwrap();
            assert!(nothing.calls.is_empty() && nothing.text.is_empty());
            assert_eq!(nothing.end, TurnEnd::Done);
            let next = ask(vec![
                Message::User("Fix it.".into()),
                Message::Assistant(many),
                Message::Assistant(nothing),
                Message::User("Go on.".into()),
            ]);
            let (_, body) = model.wire_body(&next).unwrap();
            let text = body.to_string();
            assert!(
                text.contains("no_such_tool_"),
                "a name that is sent back is a valid one"
            );
            assert_eq!(text.matches("was not run").count(), 51);
        }
    }
}
