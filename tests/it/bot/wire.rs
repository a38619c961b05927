//! Turns of a scripted model as each wire writes them, plain or streamed. Independent of mend's own
//! adapters.

use mend::model::WireKind;
use serde_json::{Value, json};

/// The calls of a turn: id, name, arguments as text.
fn calls(reply: &Value) -> Vec<(String, String, String)> {
    let calls = reply["tool_calls"].as_array().cloned().unwrap_or_default();
    calls
        .iter()
        .enumerate()
        .map(|(n, c)| {
            let id = c["id"].as_str().map_or(format!("call_{n}"), String::from);
            let arguments = match &c["arguments"] {
                Value::String(raw) => raw.clone(),
                value => value.to_string(),
            };
            (id, c["name"].as_str().unwrap().to_string(), arguments)
        })
        .collect()
}

fn text(reply: &Value) -> &str {
    reply["text"].as_str().unwrap_or("")
}

/// A whole reply. `stop` is in Chat Completions' words: `stop`, `length`, `content_filter`.
pub fn plain(wire: WireKind, reply: &Value) -> String {
    let stop = reply["stop"].as_str().unwrap_or("stop");
    match wire {
        WireKind::Chat => {
            let calls: Vec<Value> = calls(reply)
                .into_iter()
                .map(|(id, name, arguments)| {
                    json!({"id": id, "type": "function",
                        "function": {"name": name, "arguments": arguments}})
                })
                .collect();
            json!({"choices": [{"index": 0, "finish_reason": stop,
                "message": {"role": "assistant", "content": text(reply), "tool_calls": calls}}],
                "usage": {"prompt_tokens": 1000, "completion_tokens": 50}})
        }
        WireKind::Anthropic => {
            let mut content = Vec::new();
            if !text(reply).is_empty() {
                content.push(json!({"type": "text", "text": text(reply)}));
            }
            content.extend(calls(reply).into_iter().map(|(id, name, arguments)| {
                let input: Value = serde_json::from_str(&arguments).unwrap_or(json!(arguments));
                json!({"type": "tool_use", "id": id, "name": name, "input": input})
            }));
            let stop = match stop {
                "length" => "max_tokens",
                "content_filter" => "refusal",
                _ => "tool_use",
            };
            json!({"type": "message", "role": "assistant", "content": content,
                "stop_reason": stop, "usage": {"input_tokens": 1000, "output_tokens": 50}})
        }
        WireKind::Responses => response(reply, stop),
    }
    .to_string()
}

fn response(reply: &Value, stop: &str) -> Value {
    let mut output = Vec::new();
    if !text(reply).is_empty() {
        output.push(json!({"type": "message", "role": "assistant",
            "content": [{"type": "output_text", "text": text(reply)}]}));
    }
    output.extend(calls(reply).into_iter().map(|(id, name, arguments)| {
        json!({"type": "function_call", "call_id": id, "name": name, "arguments": arguments})
    }));
    let (status, details) = match stop {
        "length" => ("incomplete", json!({"reason": "max_output_tokens"})),
        "content_filter" => ("incomplete", json!({"reason": "content_filter"})),
        _ => ("completed", Value::Null),
    };
    json!({"id": "resp_1", "object": "response", "status": status, "output": output,
        "incomplete_details": details, "usage": {"input_tokens": 1000, "output_tokens": 50}})
}

/// The same as a stream, the arguments in small pieces.
pub fn streamed(wire: WireKind, reply: &Value) -> String {
    let mut out = String::new();
    let mut say = |event: Value| {
        let kind = event["type"].as_str().map(|t| format!("event: {t}\n"));
        out.push_str(&format!("{}data: {event}\n\n", kind.unwrap_or_default()));
    };
    match wire {
        WireKind::Chat => {
            say(
                json!({"choices": [{"index": 0, "delta": {"role": "assistant", "content": text(reply)}}]}),
            );
            for (n, (id, name, arguments)) in calls(reply).into_iter().enumerate() {
                say(json!({"choices": [{"index": 0, "delta": {"tool_calls":
                    [{"index": n, "id": id, "type": "function", "function": {"name": name, "arguments": ""}}]}}]}));
                for piece in pieces(&arguments) {
                    say(json!({"choices": [{"index": 0, "delta": {"tool_calls":
                        [{"index": n, "function": {"arguments": piece}}]}}]}));
                }
            }
            say(json!({"choices": [{"index": 0, "delta": {}, "finish_reason": "tool_calls"}]}));
            out.push_str("data: [DONE]\n\n");
        }
        WireKind::Anthropic => {
            say(json!({"type": "message_start", "message": {"usage": {"input_tokens": 1000}}}));
            for (n, (id, name, arguments)) in calls(reply).into_iter().enumerate() {
                say(json!({"type": "content_block_start", "index": n,
                    "content_block": {"type": "tool_use", "id": id, "name": name, "input": {}}}));
                for piece in pieces(&arguments) {
                    say(json!({"type": "content_block_delta", "index": n,
                        "delta": {"type": "input_json_delta", "partial_json": piece}}));
                }
                say(json!({"type": "content_block_stop", "index": n}));
            }
            say(
                json!({"type": "message_delta", "delta": {"stop_reason": "tool_use"}, "usage": {"output_tokens": 50}}),
            );
            say(json!({"type": "message_stop"}));
        }
        WireKind::Responses => {
            let whole = response(reply, "stop");
            for (n, item) in whole["output"].as_array().unwrap().iter().enumerate() {
                for piece in pieces(item["arguments"].as_str().unwrap_or("")) {
                    say(
                        json!({"type": "response.function_call_arguments.delta", "output_index": n, "delta": piece}),
                    );
                }
                say(json!({"type": "response.output_item.done", "output_index": n, "item": item}));
            }
            say(json!({"type": "response.completed", "response": whole}));
        }
    }
    out
}

fn pieces(text: &str) -> Vec<String> {
    let chars: Vec<char> = text.chars().collect();
    chars.chunks(24).map(|c| c.iter().collect()).collect()
}
