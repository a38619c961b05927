//! Recordings: written here and played by the bridge, written by the bridge and played here.

use super::bridge::{Bridge, write_replies};
use super::{ask, hello, result, settings};
use mend::domain::Cancel;
use mend::model::{
    Arguments, Message, Model, ModelError, Normalise, Recorder, Replay, Turn, TurnEnd, WireKind,
    connect,
};
use serde_json::{Value, json};
use std::path::Path;
use std::sync::Arc;

/// Plays a conversation to its end and returns the turns.
async fn converse(model: &dyn Model) -> Vec<Turn> {
    let mut messages = vec![Message::User(
        "Fix /tmp/x7/work at 2026-01-02T03:04:05Z.".into(),
    )];
    let mut turns = Vec::new();
    loop {
        let turn = model
            .turn(&ask(messages.clone()), &Cancel::new())
            .await
            .unwrap();
        turns.push(turn.clone());
        if turn.calls.is_empty() {
            return turns;
        }
        let results = turn
            .calls
            .iter()
            .map(|c| result(&c.id, "ok in 0.31s", false))
            .collect();
        messages.push(Message::Assistant(turn));
        messages.push(Message::ToolResults {
            results,
            note: None,
        });
    }
}

fn read(folder: &Path, name: &str) -> Value {
    serde_json::from_slice(&std::fs::read(folder.join(name)).unwrap()).unwrap()
}

/// What of a turn does not depend on who gives the ids.
type Gist = (String, Vec<(String, Arguments)>, TurnEnd);

fn gist(turns: &[Turn]) -> Vec<Gist> {
    turns
        .iter()
        .map(|t| {
            let calls = t
                .calls
                .iter()
                .map(|c| (c.name.clone(), c.arguments.clone()));
            (t.text.clone(), calls.collect(), t.end)
        })
        .collect()
}

#[tokio::test]
async fn a_recording_plays_here_and_in_the_bridge() {
    let played = tempfile::tempdir().unwrap();
    write_replies(
        played.path(),
        &[
            json!({"text": "a", "tool_calls": [{"name": "read_file", "arguments": {"path": "/tmp/x7/work/a"}}]}),
            json!({"http_status": 500}),
            json!({"text": "b", "tool_calls": [{"name": "read_file", "arguments": "{\"path\": "}]}),
            json!({"text": "cut", "tool_calls": [{"name": "read_file", "arguments": {"path": "c"}}], "stop_reason": "max_tokens"}),
            json!({"text": "end"}),
        ],
    );
    let bridge = Bridge::replay(played.path());
    let recorded = tempfile::tempdir().unwrap();
    let mut s = settings(WireKind::Anthropic, &bridge.base, true);
    s.retries = 2;
    let model = Recorder::new(
        connect(&s).unwrap(),
        &recorded.path().join("new/folder"),
        Normalise::new(vec![("/tmp/x7/work".into(), "/repo".into())]),
    )
    .unwrap();
    let turns = converse(&model).await;
    assert_eq!(turns.len(), 4);
    let folder = recorded.path().join("new/folder");
    let mut names: Vec<_> = std::fs::read_dir(&folder)
        .unwrap()
        .map(|e| e.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    let want: Vec<_> = (1..=4)
        .flat_map(|n| ["reply", "request"].map(|k| format!("{n:04}.{k}.json")))
        .collect();
    assert_eq!(names, want);
    let request = read(&folder, "0002.request.json");
    assert_eq!(
        (&request["n"], &request["shape"]),
        (&json!(2), &json!("anthropic"))
    );
    let text = request.to_string();
    assert!(
        text.contains("Fix /repo at 1970-01-01T00:00:00Z.") && text.contains("ok in 0s"),
        "{text}"
    );
    assert!(!text.contains("/tmp/x7") && !text.contains("key-that"));

    // The paths in the calls became the same everywhere; else the turns are those of before.
    let mut expected = gist(&turns);
    expected[0].1[0].1 = Arguments::Json(json!({"path": "/repo/a"}));
    let replayed = converse(&Replay::open(&folder).unwrap()).await;
    assert_eq!(gist(&replayed), expected);
    assert_eq!(replayed[3].usage, turns[3].usage);
    let again = Bridge::replay(&folder);
    let model = connect(&settings(WireKind::Anthropic, &again.base, true)).unwrap();
    assert_eq!(gist(&converse(model.as_ref()).await), expected);
}

#[tokio::test]
async fn a_replay_retries_ends_and_says_so() {
    let folder = tempfile::tempdir().unwrap();
    write_replies(
        folder.path(),
        &[
            json!({"http_status": 429, "headers": {"Retry-After": "30"}}),
            json!({"text": "cut", "cut_after_chars": 5}),
            json!({"text": "one", "note": "unknown members are fine"}),
            json!({"http_status": 429, "headers": {"retry-after": 4000}}),
            json!({"http_status": 401, "text": "no key"}),
        ],
    );
    std::fs::write(folder.path().join("task.json"), "{}").unwrap();
    let model = Replay::open(folder.path()).unwrap();
    let begun = std::time::Instant::now();
    let turn = model.turn(&hello(), &Cancel::new()).await.unwrap();
    assert!(begun.elapsed().as_secs() < 5, "a replay does not sleep");
    assert_eq!((turn.text.as_str(), turn.end), ("one", TurnEnd::Done));
    assert!(turn.usage.input_tokens > 0);
    let busy = model.turn(&hello(), &Cancel::new()).await.unwrap_err();
    assert!(
        matches!(busy, ModelError::Busy { until: Some(_), .. }),
        "{busy:?}"
    );
    let no = model.turn(&hello(), &Cancel::new()).await.unwrap_err();
    assert!(
        matches!(
            no,
            ModelError::Permanent {
                status: Some(401),
                ..
            }
        ),
        "{no:?}"
    );
    let over = model.turn(&hello(), &Cancel::new()).await.unwrap_err();
    assert!(
        over.to_string().contains("the recording has no reply 6"),
        "{over}"
    );
    assert!(!over.is_transient());
}

#[tokio::test]
async fn a_folder_without_replies_or_with_a_bad_one_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let Err(e) = Replay::open(folder.path()) else {
        panic!("opened nothing")
    };
    assert!(e.to_string().contains("0001.reply.json"), "{e}");
    std::fs::write(folder.path().join("0001.reply.json"), "{\"text\": 3}").unwrap();
    let model = Replay::open(folder.path()).unwrap();
    let e = model.turn(&hello(), &Cancel::new()).await.unwrap_err();
    assert!(matches!(e, ModelError::Recording { .. }), "{e:?}");
}

#[tokio::test]
async fn the_setting_records_and_goes_on_counting() {
    let played = tempfile::tempdir().unwrap();
    write_replies(
        played.path(),
        &[json!({"text": "one"}), json!({"text": "two"})],
    );
    let bridge = Bridge::replay(played.path());
    let folder = tempfile::tempdir().unwrap();
    let mut s = settings(WireKind::Chat, &bridge.base, false);
    s.record = Some(folder.path().into());
    for _ in 0..2 {
        let model: Arc<dyn Model> = connect(&s).unwrap();
        model.turn(&hello(), &Cancel::new()).await.unwrap();
    }
    assert_eq!(read(folder.path(), "0002.reply.json")["text"], "two");
    assert_eq!(read(folder.path(), "0001.request.json")["shape"], "chat");
}
