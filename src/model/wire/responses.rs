//! OpenAI Responses (platform.openai.com/docs/api-reference/responses), used without the
//! provider's memory: `store` is false and the whole conversation goes with each request.

use super::assemble::object;
use super::fold::{Piece, fold};
use super::{Raw, RawCall, RawUsage, Reader, Wire, carried, extend, inner_error, safe_name};
use crate::model::error::{Fault, ModelError, classify};
use crate::model::settings::ModelSettings;
use crate::model::sse::Event;
use crate::model::turn::{Request, Turn, TurnEnd};
use crate::text::Redactor;
use serde_json::{Value, json};
use std::collections::BTreeMap;

pub(in crate::model) struct Responses;

impl Wire for Responses {
    fn shape(&self) -> &'static str {
        "responses"
    }

    fn body(&self, settings: &ModelSettings, request: &Request) -> Result<Value, ModelError> {
        let mut input = Vec::new();
        for piece in fold(request)? {
            match piece {
                Piece::Assistant(turn) => input.extend(assistant(turn, &settings.model)),
                Piece::User { results, texts } => {
                    input.extend(results.iter().map(|r| {
                        json!({"type": "function_call_output", "call_id": r.call_id, "output": r.content})
                    }));
                    if !texts.is_empty() {
                        input.push(json!({"type": "message", "role": "user",
                            "content": [{"type": "input_text", "text": texts.join("\n\n")}]}));
                    }
                }
            }
        }
        let mut body = json!({
            "model": settings.model,
            "max_output_tokens": settings.output_bound(request.max_output_tokens),
            "stream": settings.stream,
            "store": false,
        });
        if settings.extra_body.contains_key("reasoning") {
            // Models that do not reason refuse this.
            body["include"] = json!(["reasoning.encrypted_content"]);
        }
        if !request.system.trim().is_empty() {
            body["instructions"] = json!(request.system);
        }
        if !request.tools.is_empty() {
            body["tools"] = request
                .tools
                .iter()
                .map(|t| {
                    json!({"type": "function", "name": t.name, "description": t.description,
                        "parameters": t.schema, "strict": false})
                })
                .collect();
        }
        body["input"] = Value::Array(input);
        extend(&mut body, settings);
        Ok(body)
    }

    fn plain(&self, body: Value) -> Result<Raw, Fault> {
        let items = match body.get("output") {
            Some(Value::Array(items)) => items.clone(),
            _ => return Err(Fault::garbled("no output")),
        };
        gather(items, &body)
    }

    fn reader(&self, redactor: &Redactor) -> Box<dyn Reader> {
        Box::new(Stream {
            redactor: redactor.clone(),
            items: BTreeMap::new(),
            response: None,
        })
    }
}

/// The items of an assistant's turn: as they were carried, with the calls as the turn holds them
/// now.
fn assistant(turn: &Turn, model: &str) -> Vec<Value> {
    let mut calls = turn.calls.iter().map(|c| {
        json!({"type": "function_call", "call_id": c.id, "name": safe_name(&c.name),
            "arguments": object(&c.arguments).to_string()})
    });
    let mut items = Vec::new();
    match carried(&turn.carry, "responses", model).and_then(Value::as_array) {
        Some(kept) => {
            for item in kept {
                match item.get("type").and_then(Value::as_str) {
                    Some("function_call") => items.extend(calls.next()),
                    _ => items.push(item.clone()),
                }
            }
        }
        None if !turn.text.trim().is_empty() => items.push(json!({"type": "message",
            "role": "assistant", "content": [{"type": "output_text", "text": turn.text}]})),
        None => {}
    }
    items.extend(calls);
    items
}

/// Makes a raw reply of output items and of what the response says about itself.
fn gather(items: Vec<Value>, response: &Value) -> Result<Raw, Fault> {
    let (mut text, mut refused, mut special) = (String::new(), false, false);
    let (mut calls, mut kept) = (Vec::new(), Vec::new());
    for mut item in items {
        let field = |key: &str| {
            let value = item.get(key).and_then(Value::as_str);
            value.unwrap_or("").to_string()
        };
        match field("type").as_str() {
            "message" => {
                let parts = item.get("content").and_then(Value::as_array);
                for part in parts.into_iter().flatten() {
                    refused |= part.get("refusal").is_some();
                    let words = part.get("text").or_else(|| part.get("refusal"));
                    text.push_str(words.and_then(Value::as_str).unwrap_or(""));
                }
            }
            "function_call" => {
                calls.push(RawCall {
                    id: field("call_id"),
                    name: field("name"),
                    arguments: field("arguments"),
                });
                kept.push(json!({"type": "function_call"}));
                continue;
            }
            // Without its encrypted content it can only be named by the provider's memory.
            "reasoning" if item.get("encrypted_content").is_some_and(Value::is_string) => {
                special = true;
            }
            _ => continue,
        }
        if let Value::Object(map) = &mut item {
            map.shift_remove("id");
            map.shift_remove("status");
        }
        kept.push(item);
    }
    let word = |value: Option<&Value>| value.and_then(Value::as_str).unwrap_or("").to_string();
    let reason = word(response.pointer("/incomplete_details/reason"));
    let end = match (word(response.get("status")).as_str(), reason.as_str()) {
        ("incomplete", "content_filter") => TurnEnd::Refused,
        ("incomplete", _) => TurnEnd::Truncated,
        ("completed" | "", _) if refused => TurnEnd::Refused,
        ("completed" | "", _) => TurnEnd::Done,
        _ => return Err(Fault::garbled("neither completed nor incomplete")),
    };
    Ok(Raw {
        text,
        calls,
        end,
        usage: usage_of(response.get("usage")),
        carry: special.then_some(Value::Array(kept)),
    })
}

fn usage_of(value: Option<&Value>) -> Option<RawUsage> {
    let value = value?;
    let number = |at: &str| value.pointer(at).and_then(Value::as_u64);
    Some(RawUsage {
        input: number("/input_tokens")?,
        output: number("/output_tokens").unwrap_or(0),
        cached: number("/input_tokens_details/cached_tokens").unwrap_or(0),
        written: 0,
    })
}

struct Stream {
    redactor: Redactor,
    /// Finished items by their index; what grows inside an item is not needed.
    items: BTreeMap<u64, Value>,
    response: Option<Value>,
}

impl Reader for Stream {
    fn event(&mut self, event: &Event) -> Result<bool, Fault> {
        if event.data.trim() == "[DONE]" {
            return Ok(true); // not of the format, and sent by some gateways
        }
        let mut value: Value = serde_json::from_str(&event.data)
            .map_err(|_| Fault::garbled("an event is not JSON"))?;
        if event.name == "error" || inner_error(&value) {
            return Err(classify(None, None, &value, &self.redactor));
        }
        let index = value.get("output_index").and_then(Value::as_u64);
        match value.get("type").and_then(Value::as_str).unwrap_or("") {
            "response.output_item.done" => {
                let (Some(index), Some(item)) = (index, value.get_mut("item")) else {
                    return Err(Fault::garbled("an item without index or content"));
                };
                self.items.insert(index, item.take());
                Ok(false)
            }
            "response.failed" => Err(classify(None, None, &value["response"], &self.redactor)),
            "response.completed" | "response.incomplete" => {
                self.response = value.get_mut("response").map(Value::take);
                Ok(true)
            }
            _ => Ok(false),
        }
    }

    fn finish(self: Box<Self>) -> Result<Raw, Fault> {
        let response = self.response.ok_or_else(Fault::cut)?;
        let items = match response.get("output").and_then(Value::as_array) {
            Some(items) if !items.is_empty() => items.clone(),
            _ => self.items.into_values().collect(),
        };
        gather(items, &response)
    }
}
