//! A model that breaks, with a whole server before it (security cases QD-08 and QD-09): a call that
//! did not come whole is never carried out, nothing is done twice, and every ending is told.

use super::wire::{plain, streamed};
use crate::model::stub::{Answer, End, Stub};
use crate::world::{PROJECT, REPO, World, calls, fix, text};
use mend::domain::Verdict;
use mend::model::WireKind;
use serde_json::{Value, json};
use std::time::{Duration, Instant};

const WIRES: [WireKind; 3] = [WireKind::Anthropic, WireKind::Chat, WireKind::Responses];

async fn world(stub: &Stub, wire: WireKind, stream: bool, retries: u32) -> World {
    World::with(&[], PROJECT, |settings| {
        let model = &mut settings.model;
        model.wire = match wire {
            WireKind::Anthropic => "anthropic",
            WireKind::Chat => "chat",
            WireKind::Responses => "responses",
        }
        .into();
        model.model = "scripted".into();
        model.base_url = Some(stub.base.clone());
        model.api_key = Some("the-key-of-the-model".into());
        model.stream = Some(stream);
        model.retries = Some(retries);
        model.retry_wait_s = Some(60);
        model.idle_timeout_s = Some(1);
        model.timeout_s = Some(3);
        model.reply_bytes = Some(8 << 20);
    })
    .await
}

/// A call that would be seen if it were carried out.
fn damage() -> Value {
    calls(&[(
        "write_file",
        json!({"path": "adder/damage.py", "content": "print('half a call was carried out, and it was a long one')\n"}),
    )])
}

#[tokio::test(flavor = "multi_thread")]
async fn qd08_broken_streams_are_asked_again_and_nothing_half_is_done() {
    let mut worlds = Vec::new();
    for wire in WIRES {
        let whole = streamed(wire, &damage());
        let cut = whole[..whole.find("damage").unwrap() + 3].to_string();
        let overloaded = "event: error\ndata: {\"type\":\"error\",\"error\":{\"type\":\"overloaded_error\",\"message\":\"Overloaded\"}}\n\n";
        worlds.push(broken(
            wire,
            vec![
                Answer::sse(cut.clone()),
                Answer::sse(cut.clone()).end(End::Broken),
                Answer::sse(cut.clone()).end(End::Silent),
            ],
        ));
        worlds.push(broken(
            wire,
            vec![
                Answer::sse(format!(
                    "{}{overloaded}",
                    &whole[..whole.find("\n\n").unwrap() + 2]
                )),
                Answer::json(529, "{}").header("retry-after", 0),
                Answer::json(429, "{}").header("retry-after", 1),
                // A byte now and then: never silent, never done.
                Answer::sse(whole).drip(1, Duration::from_millis(400)),
            ],
        ));
    }
    futures::future::join_all(worlds).await;
}

/// A task whose model breaks like this and then answers with the fix.
async fn broken(wire: WireKind, mut answers: Vec<Answer>) {
    answers.push(Answer::sse(streamed(wire, &fix())));
    let count = answers.len();
    let stub = Stub::start(answers).await;
    let world = world(&stub, wire, true, 9).await;
    let issue = world.label();
    let task = world.ended(1).await;
    assert_eq!(task.verdict, Some(Verdict::Ready), "{wire:?}");
    assert_eq!(task.attempt, 1);
    let bodies = stub.bodies();
    assert_eq!(
        bodies.len(),
        count,
        "{wire:?}: bounded, one request an answer"
    );
    assert!(bodies.iter().all(|b| *b == bodies[0]), "the same request");
    let result = task.result.unwrap();
    assert_eq!(result["turns"], 1, "no half turn counts: {result}");
    let [pull] = &world.pulls()[..] else { panic!() };
    let damage = world.sim.file(REPO, &pull.head_sha, "adder/damage.py");
    assert!(damage.is_none());
    assert_eq!(world.sim.log(REPO, &pull.head).len(), 2);
    assert_eq!(world.own_comments(issue).len(), 1);
    world.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn qd08_500_mb_and_silence_end_in_words_within_the_caps() {
    for wire in WIRES {
        let mut giant = Answer::sse(vec![b':'; 1 << 20]);
        giant.chunks = vec![giant.chunks[0].clone(); 500];
        let silent = || Answer::sse("").end(End::Silent);
        for (answers, said) in [
            (vec![giant], "larger than 8 MiB"),
            (vec![silent(), silent()], "no byte within 1 s"),
        ] {
            let count = answers.len();
            let stub = Stub::start(answers).await;
            let world = world(&stub, wire, true, 1).await;
            let begun = Instant::now();
            let issue = world.label();
            assert_eq!(world.ended(1).await.verdict, Some(Verdict::DidntStart));
            assert!(begun.elapsed() < Duration::from_secs(30));
            assert_eq!(stub.seen().len(), count);
            let told = &world.own_comments(issue)[0].body;
            assert!(told.contains(said), "{told}");
            assert!(!told.contains("the-key-of-the-model"), "{told}");
            assert!(world.pulls().is_empty());
            world.end().await;
        }
    }
}

/// A conversation: the model's turns, how the task must end, and how many requests there may be.
struct Case {
    name: &'static str,
    turns: Vec<Value>,
    verdict: &'static [Verdict],
    /// What some request must hold: the word that the model got back.
    back: &'static str,
    requests: std::ops::RangeInclusive<usize>,
}

fn read(id: Option<&str>) -> Value {
    let mut call = json!({"name": "read_file", "arguments": {"path": "adder/sums.py"}});
    if let Some(id) = id {
        call["id"] = json!(id);
    }
    call
}

#[allow(clippy::too_many_lines)] // a table
fn cases() -> Vec<Case> {
    let ready: &[Verdict] = &[Verdict::Ready];
    let one = |name: &str, arguments: Value| calls(&[(name, arguments)]);
    let unknown = one("delete_repository", json!({"sure": true}));
    let cut = json!({"stop": "length", "tool_calls": [{"name": "write_file",
        "arguments": {"path": "adder/damage.py", "content": "import os\n"}}]});
    vec![
        Case {
            name: "unknown tool",
            turns: vec![unknown.clone(), fix()],
            verdict: ready,
            back: "delete_repository",
            requests: 2..=2,
        },
        Case {
            name: "the same mistake without end",
            turns: vec![unknown; 9],
            verdict: &[Verdict::LimitReached, Verdict::NoChange, Verdict::Crashed],
            back: "delete_repository",
            requests: 2..=4,
        },
        Case {
            name: "wrong types",
            turns: vec![one("edit_file", json!({"path": 5, "edits": "none"})), fix()],
            verdict: ready,
            back: "edits",
            requests: 2..=2,
        },
        Case {
            name: "2 MB of arguments",
            turns: vec![
                one(
                    "edit_file",
                    json!({"path": "adder/sums.py",
            "edits": [{"old": "x".repeat(2 << 20), "new": "y"}]}),
                ),
                fix(),
            ],
            verdict: ready,
            back: "larger than 1.5 MiB",
            requests: 2..=2,
        },
        Case {
            name: "duplicate ids",
            turns: vec![
                json!({"tool_calls": [read(Some("same")), read(Some("same"))]}),
                json!({"tool_calls": [read(Some("same"))]}),
                fix(),
            ],
            verdict: ready,
            back: "return a - b",
            requests: 3..=3,
        },
        Case {
            name: "50 parallel calls",
            turns: vec![json!({"tool_calls": vec![read(None); 50]}), fix()],
            verdict: ready,
            back: "return a - b",
            requests: 2..=2,
        },
        Case {
            name: "cut off in a call",
            turns: vec![cut, fix()],
            verdict: ready,
            back: "cut off",
            requests: 2..=2,
        },
        Case {
            name: "empty content",
            turns: vec![text("")],
            verdict: &[Verdict::NoChange],
            back: "",
            requests: 1..=3,
        },
        Case {
            name: "refusal",
            turns: vec![json!({"text": "I will not.", "stop": "content_filter"})],
            verdict: &[Verdict::NoChange, Verdict::Crashed, Verdict::LimitReached],
            back: "",
            requests: 1..=3,
        },
    ]
}

#[tokio::test(flavor = "multi_thread")]
async fn qd09_odd_turns_are_answered_and_never_carried_out() {
    for wire in WIRES {
        for case in cases() {
            let about = format!("{wire:?}, {}", case.name);
            let answers = case.turns.iter();
            let answers = answers.map(|t| Answer::json(200, plain(wire, t))).collect();
            let stub = Stub::start(answers).await;
            let world = world(&stub, wire, false, 0).await;
            let issue = world.label();
            let task = world.ended(1).await;
            let verdict = task.verdict.unwrap();
            assert!(case.verdict.contains(&verdict), "{about}: {task:#?}");
            let bodies = stub.bodies();
            assert!(
                case.requests.contains(&bodies.len()),
                "{about}: {}",
                bodies.len()
            );
            let last = bodies.last().unwrap().to_string();
            assert!(last.contains(case.back), "{about}: {last}");
            for body in &bodies {
                every_call_is_answered(wire, body, &about);
            }
            for pull in world.pulls() {
                let damage = world.sim.file(REPO, &pull.head_sha, "adder/damage.py");
                assert!(damage.is_none(), "{about}");
            }
            let comments = world.own_comments(issue);
            assert_eq!(comments.len(), 1, "{about}");
            assert!(!comments[0].body.contains("Working on it"), "{about}");
            world.end().await;
        }
    }
}

/// Providers refuse a conversation with a call that has no answer, or two calls of one id.
fn every_call_is_answered(wire: WireKind, body: &Value, about: &str) {
    let key = if wire == WireKind::Responses {
        "input"
    } else {
        "messages"
    };
    let (mut calls, mut answers) = (Vec::new(), Vec::new());
    for message in body[key].as_array().unwrap() {
        let listed = |v: &Value| v.as_array().cloned().unwrap_or_default();
        let id = |v: &Value| v.as_str().unwrap().to_string();
        match wire {
            WireKind::Anthropic => {
                for block in listed(&message["content"]) {
                    match block["type"].as_str() {
                        Some("tool_use") => calls.push(id(&block["id"])),
                        Some("tool_result") => answers.push(id(&block["tool_use_id"])),
                        _ => {}
                    }
                }
            }
            WireKind::Chat => {
                calls.extend(listed(&message["tool_calls"]).iter().map(|c| id(&c["id"])));
                if message["role"] == "tool" {
                    answers.push(id(&message["tool_call_id"]));
                }
            }
            WireKind::Responses => match message["type"].as_str() {
                Some("function_call") => calls.push(id(&message["call_id"])),
                Some("function_call_output") => answers.push(id(&message["call_id"])),
                _ => {}
            },
        }
    }
    assert_eq!(calls, answers, "{about}");
    let mut once = calls.clone();
    once.sort();
    once.dedup();
    assert_eq!(once.len(), calls.len(), "{about}: {calls:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn qd09_a_context_that_is_too_long_ends_in_words() {
    let body = r#"{"error":{"type":"invalid_request_error","message":"prompt is too long: 213462 tokens > 200000 maximum"}}"#;
    for wire in WIRES {
        let stub = Stub::start(vec![Answer::json(400, body); 9]).await;
        let world = world(&stub, wire, false, 2).await;
        let issue = world.label();
        let verdict = world.ended(1).await.verdict.unwrap();
        assert!(
            [Verdict::DidntStart, Verdict::Crashed, Verdict::LimitReached].contains(&verdict),
            "{verdict:?}"
        );
        assert!(stub.seen().len() <= 4, "no repeats without end");
        let told = &world.own_comments(issue)[0].body;
        assert!(told.contains("too long"), "{told}");
        world.end().await;
    }
}
