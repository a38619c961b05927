//! What goes over the wire, and what comes back in the providers' own forms.

use super::stub::{Answer, Stub};
use super::{WIRES, ask, call, hello, result, settings, turn};
use mend::domain::Cancel;
use mend::model::{Arguments, Message, Price, TurnEnd, WireKind, connect};
use serde_json::{Value, json};

fn conversation() -> Vec<Message> {
    vec![
        Message::User("Fix it.".into()),
        Message::Assistant(turn(
            "Looking.",
            vec![call("c.1", r#"{"path":"a"}"#), call("c2", r#"{"path""#)],
        )),
        Message::ToolResults {
            results: vec![
                result("c2", "broken JSON", true),
                result("c.1", "content of a", false),
            ],
            note: Some("the check FAILED".into()),
        },
    ]
}

async fn sent(wire: WireKind) -> Value {
    let stub = Stub::start(vec![]).await;
    let model = connect(&settings(wire, &stub.base, true)).unwrap();
    let _ = model.turn(&ask(conversation()), &Cancel::new()).await;
    let seen = &stub.seen()[0];
    let key = match wire {
        WireKind::Anthropic => ("x-api-key", "key-that-nobody-sees"),
        WireKind::Chat | WireKind::Responses => ("authorization", "Bearer key-that-nobody-sees"),
    };
    assert_eq!(seen.headers[key.0], key.1);
    let path = match wire {
        WireKind::Anthropic => "/v1/messages",
        WireKind::Chat => "/v1/chat/completions",
        WireKind::Responses => "/v1/responses",
    };
    assert_eq!(seen.path, path);
    serde_json::from_slice(&seen.body).unwrap()
}

#[tokio::test]
async fn the_body_of_each_wire() {
    insta::assert_json_snapshot!("anthropic_body", sent(WireKind::Anthropic).await);
    insta::assert_json_snapshot!("chat_body", sent(WireKind::Chat).await);
    insta::assert_json_snapshot!("responses_body", sent(WireKind::Responses).await);
}

#[tokio::test]
async fn equal_requests_are_equal_bytes_and_a_prefix_stays() {
    for wire in WIRES {
        let stub = Stub::start(vec![]).await;
        let mut s = settings(wire, &stub.base, true);
        s.prompt_cache = false;
        for _ in 0..2 {
            let _ = connect(&s)
                .unwrap()
                .turn(&ask(conversation()), &Cancel::new())
                .await;
        }
        let mut longer = conversation();
        longer.push(Message::Assistant(turn("Done.", vec![])));
        longer.push(Message::User("go on".into()));
        let _ = connect(&s)
            .unwrap()
            .turn(&ask(longer), &Cancel::new())
            .await;
        let seen = stub.seen();
        assert_eq!(seen[0].body, seen[1].body);
        let shorter = seen[0].body.strip_suffix(b"]}").unwrap();
        assert!(seen[2].body.starts_with(shorter), "{wire:?}");
    }
}

#[tokio::test]
async fn thinking_is_carried_verbatim_and_only_to_its_model() {
    let content = json!([
        {"type": "thinking", "thinking": "hm", "signature": "sig=="},
        {"type": "text", "text": "I read."},
        {"type": "redacted_thinking", "data": "xyz"},
        {"type": "tool_use", "id": "toolu_1", "name": "read_file", "input": {"path": "a"}},
    ]);
    let reply = json!({"type": "message", "role": "assistant", "content": content, "stop_reason": "tool_use",
        "usage": {"input_tokens": 10, "cache_read_input_tokens": 30, "cache_creation_input_tokens": 5, "output_tokens": 7}});
    let stub = Stub::start(vec![Answer::json(200, reply.to_string())]).await;
    let mut s = settings(WireKind::Anthropic, &stub.base, false);
    s.price = Some(Price {
        input_per_million: 1e6,
        cached_per_million: Some(0.0),
        cache_write_per_million: Some(0.0),
        output_per_million: 0.0,
    });
    let cancel = Cancel::new();
    let first = connect(&s).unwrap().turn(&hello(), &cancel).await.unwrap();
    assert_eq!(
        (first.usage.input_tokens, first.usage.cached_tokens),
        (45, 30)
    );
    assert_eq!(first.usage.dollars, Some(10.0));
    // A turn survives being stored between.
    let first = serde_json::from_str(&serde_json::to_string(&first).unwrap()).unwrap();
    let next = ask(vec![
        Message::User("Fix it.".into()),
        Message::Assistant(first),
        Message::ToolResults {
            results: vec![result("toolu_1", "x", false)],
            note: None,
        },
    ]);
    let _ = connect(&s).unwrap().turn(&next, &cancel).await;
    s.model = "another-model".into();
    let _ = connect(&s).unwrap().turn(&next, &cancel).await;
    let bodies = stub.bodies();
    assert_eq!(bodies[1]["messages"][1]["content"], content);
    let other = bodies[2]["messages"][1]["content"].as_array().unwrap();
    let kinds: Vec<_> = other.iter().map(|b| b["type"].as_str().unwrap()).collect();
    assert_eq!(kinds, ["text", "tool_use"]);
}

#[tokio::test]
async fn streamed_thinking_gives_the_same_turn_as_plain() {
    let content = json!([
        {"type": "thinking", "thinking": "hm so", "signature": "sig=="},
        {"type": "text", "text": "I read."},
        {"type": "tool_use", "id": "toolu_1", "name": "read_file", "input": {"path": "a"}},
    ]);
    let plain = json!({"content": content, "stop_reason": "tool_use", "usage": {"input_tokens": 9, "output_tokens": 7}});
    let events = [
        json!({"type": "message_start", "message": {"usage": {"input_tokens": 9, "output_tokens": 1}}}),
        json!({"type": "content_block_start", "index": 0, "content_block": {"type": "thinking", "thinking": "", "signature": ""}}),
        json!({"type": "ping"}),
        json!({"type": "content_block_delta", "index": 0, "delta": {"type": "thinking_delta", "thinking": "hm "}}),
        json!({"type": "content_block_delta", "index": 0, "delta": {"type": "thinking_delta", "thinking": "so"}}),
        json!({"type": "content_block_delta", "index": 0, "delta": {"type": "signature_delta", "signature": "sig=="}}),
        json!({"type": "content_block_stop", "index": 0}),
        json!({"type": "content_block_start", "index": 1, "content_block": {"type": "text", "text": ""}}),
        json!({"type": "content_block_delta", "index": 1, "delta": {"type": "text_delta", "text": "I read."}}),
        json!({"type": "content_block_stop", "index": 1}),
        json!({"type": "content_block_start", "index": 2, "content_block": {"type": "tool_use", "id": "toolu_1", "name": "read_file", "input": {}}}),
        json!({"type": "content_block_delta", "index": 2, "delta": {"type": "input_json_delta", "partial_json": "{\"pa"}}),
        json!({"type": "content_block_delta", "index": 2, "delta": {"type": "input_json_delta", "partial_json": "th\":\"a\"}"}}),
        json!({"type": "content_block_stop", "index": 2}),
        json!({"type": "message_delta", "delta": {"stop_reason": "tool_use"}, "usage": {"output_tokens": 7}}),
        json!({"type": "message_stop"}),
    ];
    let stream: String = events
        .iter()
        .map(|e| format!("event: {}\ndata: {e}\n\n", e["type"].as_str().unwrap()))
        .collect();
    let stub = Stub::start(vec![
        Answer::json(200, plain.to_string()),
        Answer::sse(stream),
    ])
    .await;
    let model = connect(&settings(WireKind::Anthropic, &stub.base, true)).unwrap();
    let a = model.turn(&hello(), &Cancel::new()).await.unwrap();
    let b = model.turn(&hello(), &Cancel::new()).await.unwrap();
    assert_eq!(a, b);
    assert!(a.carry.is_some());
}

/// What gateways that follow OpenAI loosely were seen to send.
#[tokio::test]
async fn loose_gateways_are_understood() {
    let chunk = |delta: Value| json!({"choices": [{"index": 0, "delta": delta}]});
    let tool = |index: Value, id: Value, name: Value, arguments: Value| {
        chunk(
            json!({"tool_calls": [{"index": index, "id": id, "function": {"name": name, "arguments": arguments}}]}),
        )
    };
    let end = json!({"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]});
    let cases = [
        // Gemini: every parallel call has index 0, and a signature that it wants back.
        vec![
            json!({"choices": [{"index": 0, "delta": {"tool_calls": [{"index": 0, "id": "x", "extra_content": {"google": {"thought_signature": "s"}},
                "function": {"name": "read_file", "arguments": "{\"path\":\"a\"}"}}]}}]}),
            tool(
                json!(0),
                json!("y"),
                json!("read_file"),
                json!("{\"path\":\"b\"}"),
            ),
        ],
        // No index, pieces after the head without an id.
        vec![
            tool(
                Value::Null,
                json!("x"),
                json!("read_file"),
                json!("{\"path\":"),
            ),
            tool(Value::Null, Value::Null, Value::Null, json!("\"a\"}")),
            tool(
                Value::Null,
                json!("y"),
                json!("read_file"),
                json!({"path": "b"}),
            ),
        ],
        // Interleaved, with the id and the name repeated in each piece.
        vec![
            tool(json!(0), json!("x"), json!("read_file"), json!("{\"path\"")),
            tool(json!(1), json!("y"), json!("read_file"), json!("{\"path\"")),
            tool(json!(0), json!("x"), json!("read_file"), json!(":\"a\"}")),
            tool(json!(1), json!("y"), json!("read_file"), json!(":\"b\"}")),
        ],
        // No ids at all.
        vec![
            tool(
                json!(0),
                Value::Null,
                json!("read_file"),
                json!("{\"path\":\"a\"}"),
            ),
            tool(
                json!(1),
                json!(""),
                json!("read_file"),
                json!("{\"path\":\"b\"}"),
            ),
        ],
    ];
    for (k, case) in cases.into_iter().enumerate() {
        let mut stream: String = case.iter().map(|c| format!("data: {c}\n\n")).collect();
        stream += &format!(": comment\n\ndata: {end}\n\ndata: [DONE]\n\n");
        let stub = Stub::start(vec![Answer::sse(stream)]).await;
        let model = connect(&settings(WireKind::Chat, &stub.base, true)).unwrap();
        let turn = model.turn(&hello(), &Cancel::new()).await.unwrap();
        let got: Vec<_> = turn.calls.iter().map(|c| c.arguments.clone()).collect();
        let want = ["a", "b"].map(|p| Arguments::Json(json!({"path": p})));
        assert_eq!(got, want, "case {k}");
        assert_ne!(turn.calls[0].id, turn.calls[1].id);
        assert_eq!(turn.end, TurnEnd::ToolUse);
        assert!(turn.usage.input_tokens > 0, "usage is estimated");
        assert_eq!(turn.carry.is_some(), k == 0);
    }
}

#[tokio::test]
async fn reasoning_is_sent_back_to_who_gave_it() {
    let reply = json!({"choices": [{"finish_reason": "tool_calls", "message": {"role": "assistant", "content": null,
        "reasoning_content": "because", "tool_calls": [{"id": "x", "type": "function", "extra": 1,
        "function": {"name": "read_file", "arguments": "{}"}}]}}]});
    let stub = Stub::start(vec![Answer::json(200, reply.to_string())]).await;
    let model = connect(&settings(WireKind::Chat, &stub.base, false)).unwrap();
    let first = model.turn(&hello(), &Cancel::new()).await.unwrap();
    let next = ask(vec![
        Message::User("Fix it.".into()),
        Message::Assistant(first),
        Message::User("no result".into()),
    ]);
    let _ = model.turn(&next, &Cancel::new()).await;
    let message = &stub.bodies()[1]["messages"][2];
    assert_eq!(message["reasoning_content"], "because");
    assert_eq!(message["tool_calls"][0]["extra"], 1);
    assert_eq!(stub.bodies()[1]["messages"][3]["role"], "tool");
}

#[tokio::test]
async fn encrypted_reasoning_is_carried_on_the_responses_wire() {
    let output = json!([
        {"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "enc"},
        {"type": "message", "id": "msg_1", "role": "assistant", "status": "completed", "content": [{"type": "output_text", "text": "I read."}]},
        {"type": "function_call", "id": "fc_1", "call_id": "call_1", "name": "read_file", "arguments": "{\"path\":\"a\"}", "status": "completed"},
    ]);
    let reply = json!({"status": "completed", "error": null, "output": output,
        "usage": {"input_tokens": 9, "input_tokens_details": {"cached_tokens": 4}, "output_tokens": 7}});
    // Some gateways leave the output of the last event empty.
    let mut events: Vec<_> = (0..)
        .zip(output.as_array().unwrap())
        .map(|(i, item)| json!({"type": "response.output_item.done", "output_index": i, "item": item}))
        .collect();
    let mut last = reply.clone();
    last["output"] = json!([]);
    events.push(json!({"type": "response.completed", "response": last}));
    let stream: String = events.iter().map(|e| format!("data: {e}\n\n")).collect();
    let stub = Stub::start(vec![
        Answer::json(200, reply.to_string()),
        Answer::sse(stream),
    ])
    .await;
    let mut s = settings(WireKind::Responses, &stub.base, true);
    s.extra_body
        .insert("reasoning".into(), json!({"effort": "low"}));
    let model = connect(&s).unwrap();
    let first = model.turn(&hello(), &Cancel::new()).await.unwrap();
    let streamed = model.turn(&hello(), &Cancel::new()).await.unwrap();
    assert_eq!(first, streamed);
    assert_eq!(
        (first.usage.input_tokens, first.usage.cached_tokens),
        (9, 4)
    );
    let next = ask(vec![
        Message::User("Fix it.".into()),
        Message::Assistant(first),
        Message::ToolResults {
            results: vec![result("call_1", "x", false)],
            note: Some("note".into()),
        },
    ]);
    let (_, body) = model.wire_body(&next).unwrap();
    assert_eq!(body["include"][0], "reasoning.encrypted_content");
    assert_eq!(
        body["input"].as_array().unwrap()[1..4],
        [
            json!({"type": "reasoning", "summary": [], "encrypted_content": "enc"}),
            json!({"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "I read."}]}),
            json!({"type": "function_call", "call_id": "call_1", "name": "read_file", "arguments": "{\"path\":\"a\"}"}),
        ]
    );
}
