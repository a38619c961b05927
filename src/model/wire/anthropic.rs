//! Anthropic Messages (docs.anthropic.com/en/api/messages, version 2023-06-01).

use super::anthropic_stream::Stream;
use super::assemble::object;
use super::fold::{Piece, fold};
use super::{Raw, RawCall, RawUsage, Reader, Wire, carried, extend, safe_name};
use crate::model::error::{Fault, ModelError};
use crate::model::settings::ModelSettings;
use crate::model::turn::{Request, Turn, TurnEnd};
use crate::text::Redactor;
use serde_json::{Value, json};

pub(in crate::model) struct Anthropic;

impl Wire for Anthropic {
    fn shape(&self) -> &'static str {
        "anthropic"
    }

    fn body(&self, settings: &ModelSettings, request: &Request) -> Result<Value, ModelError> {
        let mut body = json!({
            "model": settings.model,
            "max_tokens": settings.output_bound(request.max_output_tokens),
            "stream": settings.stream,
        });
        if !request.system.trim().is_empty() {
            body["system"] = json!([{"type": "text", "text": request.system}]);
        }
        if !request.tools.is_empty() {
            body["tools"] = request
                .tools
                .iter()
                .map(|t| json!({"name": t.name, "description": t.description, "input_schema": t.schema}))
                .collect();
        }
        body["messages"] = fold(request)?
            .iter()
            .map(|piece| message(piece, &settings.model))
            .collect();
        if settings.prompt_cache {
            mark(&mut body);
        }
        extend(&mut body, settings);
        Ok(body)
    }

    fn plain(&self, body: Value) -> Result<Raw, Fault> {
        let content = match body.get("content") {
            Some(Value::Array(blocks)) => blocks.clone(),
            _ => return Err(Fault::garbled("no content")),
        };
        let stop = body.get("stop_reason").and_then(Value::as_str);
        let blocks = content.into_iter().map(|b| (b, None)).collect();
        let mut usage = None;
        note_usage(&mut usage, body.get("usage"));
        gather(blocks, stop, usage.map(UsageParts::total))
    }

    fn reader(&self, redactor: &Redactor) -> Box<dyn Reader> {
        Box::new(Stream::new(redactor.clone()))
    }
}

/// Ids from other wires may hold characters that Anthropic refuses.
fn safe_id(id: &str) -> String {
    id.chars()
        .map(|c| match c {
            c if c.is_ascii_alphanumeric() || c == '_' || c == '-' => c,
            _ => '_',
        })
        .collect()
}

fn message(piece: &Piece<'_>, model: &str) -> Value {
    match piece {
        Piece::Assistant(turn) => json!({"role": "assistant", "content": assistant(turn, model)}),
        Piece::User { results, texts } => {
            let results = results.iter().map(|r| {
                let mut block = json!({"type": "tool_result", "tool_use_id": safe_id(r.call_id), "content": r.content});
                if r.is_error {
                    block["is_error"] = json!(true);
                }
                block
            });
            let texts = texts.iter().map(|t| json!({"type": "text", "text": t}));
            json!({"role": "user", "content": results.chain(texts).collect::<Vec<_>>()})
        }
    }
}

/// The content of an assistant's message: as the provider gave it when it was carried, with the
/// calls as the turn holds them now.
fn assistant(turn: &Turn, model: &str) -> Vec<Value> {
    let mut calls = turn.calls.iter().map(|c| {
        json!({"type": "tool_use", "id": safe_id(&c.id), "name": safe_name(&c.name), "input": object(&c.arguments)})
    });
    let mut content = Vec::new();
    match carried(&turn.carry, "anthropic", model).and_then(Value::as_array) {
        Some(blocks) => {
            for block in blocks {
                match block.get("type").and_then(Value::as_str) {
                    Some("tool_use") => content.extend(calls.next()),
                    _ => content.push(block.clone()),
                }
            }
        }
        None if !turn.text.trim().is_empty() => {
            content.push(json!({"type": "text", "text": turn.text}));
        }
        None => {}
    }
    content.extend(calls);
    content
}

/// Marks the ends of what repeats: tools, system, and the last two messages of the user's side
/// (a cache is looked up some 20 blocks back from a mark, and parallel results can be more). Four
/// marks are the provider's limit.
fn mark(body: &mut Value) {
    let put = |block: Option<&mut Value>| {
        if let Some(Value::Object(block)) = block {
            block.insert("cache_control".into(), json!({"type": "ephemeral"}));
        }
    };
    for key in ["tools", "system"] {
        put(body
            .get_mut(key)
            .and_then(Value::as_array_mut)
            .and_then(|a| a.last_mut()));
    }
    if let Some(messages) = body.get_mut("messages").and_then(Value::as_array_mut) {
        messages
            .iter_mut()
            .rev()
            .filter(|m| m["role"] == "user")
            .take(2)
            .for_each(|m| put(m["content"].as_array_mut().and_then(|a| a.last_mut())));
    }
}

/// Usage as it comes in parts; each later part replaces what it names.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct UsageParts {
    uncached: u64,
    read: u64,
    written: u64,
    output: u64,
}

impl UsageParts {
    pub fn total(self) -> RawUsage {
        RawUsage {
            input: self.uncached + self.read + self.written,
            output: self.output,
            cached: self.read,
            written: self.written,
        }
    }
}

pub(super) fn note_usage(usage: &mut Option<UsageParts>, value: Option<&Value>) {
    let Some(value) = value.filter(|v| v.is_object()) else {
        return;
    };
    let parts = usage.get_or_insert_default();
    let take = |key: &str, into: &mut u64| {
        if let Some(n) = value.get(key).and_then(Value::as_u64) {
            *into = n;
        }
    };
    take("input_tokens", &mut parts.uncached);
    take("cache_read_input_tokens", &mut parts.read);
    take("cache_creation_input_tokens", &mut parts.written);
    take("output_tokens", &mut parts.output);
}

/// Makes a raw reply of content blocks; the text beside a `tool_use` block is its input as
/// streamed.
pub(super) fn gather(
    blocks: Vec<(Value, Option<String>)>,
    stop: Option<&str>,
    usage: Option<RawUsage>,
) -> Result<Raw, Fault> {
    let mut raw = Raw {
        text: String::new(),
        calls: Vec::new(),
        end: match stop {
            Some("max_tokens" | "model_context_window_exceeded") => TurnEnd::Truncated,
            Some("refusal") => TurnEnd::Refused,
            Some("tool_use") => TurnEnd::ToolUse,
            _ => TurnEnd::Done,
        },
        usage,
        carry: None,
    };
    let mut content = Vec::new();
    let mut special = false;
    for (block, streamed) in blocks {
        let field = |key: &str| block.get(key).and_then(Value::as_str).unwrap_or("");
        match field("type") {
            "text" => {
                raw.text.push_str(field("text"));
                // An empty block is refused when it is sent back.
                if !field("text").trim().is_empty() {
                    content.push(block);
                }
            }
            "tool_use" => {
                raw.calls.push(RawCall {
                    id: field("id").into(),
                    name: field("name").into(),
                    arguments: match (streamed, block.get("input")) {
                        (Some(json), _) => json,
                        (None, Some(input)) => input.to_string(),
                        (None, None) => String::new(),
                    },
                });
                content.push(json!({"type": "tool_use"}));
            }
            "" => return Err(Fault::garbled("a content block without a type")),
            _ => {
                special = true;
                content.push(block);
            }
        }
    }
    raw.carry = special.then_some(Value::Array(content));
    Ok(raw)
}
