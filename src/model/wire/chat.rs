//! OpenAI Chat Completions (platform.openai.com/docs/api-reference/chat), as OpenAI and the many
//! gateways and local servers that follow it speak it.

use super::assemble::object;
use super::chat_stream::Stream;
use super::fold::{Piece, fold};
use super::{Raw, RawCall, RawUsage, Reader, Wire, carried, extend, safe_name};
use crate::model::error::{Fault, ModelError};
use crate::model::settings::ModelSettings;
use crate::model::turn::{Request, Turn, TurnEnd};
use crate::text::Redactor;
use serde_json::{Map, Value, json};

/// Members of a message that some providers want back: the reasoning of DeepSeek, Kimi and vLLM,
/// and that of OpenRouter.
pub(super) const CARRIED: [&str; 3] = ["reasoning_content", "reasoning", "reasoning_details"];

pub(in crate::model) struct Chat;

impl Wire for Chat {
    fn shape(&self) -> &'static str {
        "chat"
    }

    fn body(&self, settings: &ModelSettings, request: &Request) -> Result<Value, ModelError> {
        let mut messages = Vec::new();
        if !request.system.trim().is_empty() {
            messages.push(json!({"role": "system", "content": request.system}));
        }
        for piece in fold(request)? {
            match piece {
                Piece::Assistant(turn) => messages.push(assistant(turn, &settings.model)),
                Piece::User { results, texts } => {
                    messages.extend(results.iter().map(|r| {
                        json!({"role": "tool", "tool_call_id": r.call_id, "content": r.content})
                    }));
                    if !texts.is_empty() {
                        messages.push(json!({"role": "user", "content": texts.join("\n\n")}));
                    }
                }
            }
        }
        let mut body = json!({"model": settings.model});
        body[settings.max_tokens_name()] = json!(settings.output_bound(request.max_output_tokens));
        body["stream"] = json!(settings.stream);
        if settings.stream && settings.stream_usage {
            body["stream_options"] = json!({"include_usage": true});
        }
        if !request.tools.is_empty() {
            body["tools"] = request
                .tools
                .iter()
                .map(|t| {
                    json!({"type": "function", "function":
                        {"name": t.name, "description": t.description, "parameters": t.schema}})
                })
                .collect();
        }
        body["messages"] = Value::Array(messages);
        extend(&mut body, settings);
        Ok(body)
    }

    fn plain(&self, body: Value) -> Result<Raw, Fault> {
        let choice = body
            .get("choices")
            .and_then(|c| c.get(0))
            .ok_or_else(|| Fault::garbled("no choice"))?;
        let message = choice
            .get("message")
            .filter(|m| m.is_object())
            .ok_or_else(|| Fault::garbled("no message"))?;
        let calls = match message.get("tool_calls") {
            Some(Value::Array(calls)) => calls.clone(),
            _ => Vec::new(),
        };
        let mut parts = Parts {
            text: text_of(message.get("content")),
            refusal: text_of(message.get("refusal")),
            finish: choice
                .get("finish_reason")
                .and_then(Value::as_str)
                .map(str::to_string),
            usage: usage_of(body.get("usage")),
            ..Parts::default()
        };
        for call in calls {
            let function = call.get("function").unwrap_or(&Value::Null);
            parts.calls.push(RawCall {
                id: text_of(call.get("id")),
                name: text_of(function.get("name")),
                arguments: arguments_of(function.get("arguments")),
            });
            parts.call_extras.push(extras_of(&call));
        }
        for key in CARRIED {
            if let Some(value) = message.get(key).filter(|v| !is_blank(v)) {
                parts.message_extras.insert(key.into(), value.clone());
            }
        }
        Ok(parts.raw())
    }

    fn reader(&self, redactor: &Redactor) -> Box<dyn Reader> {
        Box::new(Stream::new(redactor.clone()))
    }
}

fn assistant(turn: &Turn, model: &str) -> Value {
    let content = match turn.text.trim().is_empty() {
        true => Value::Null,
        false => json!(turn.text),
    };
    let carry = carried(&turn.carry, "chat", model);
    let mut message = json!({"role": "assistant", "content": content});
    if let Some(Value::Object(extras)) = carry.and_then(|c| c.get("message")) {
        for (key, value) in extras {
            message[key] = value.clone();
        }
    }
    if !turn.calls.is_empty() {
        let extras = carry.and_then(|c| c.get("calls"));
        let calls = turn.calls.iter().enumerate().map(|(k, c)| {
            let arguments = object(&c.arguments).to_string();
            let mut call = json!({"id": c.id, "type": "function",
                "function": {"name": safe_name(&c.name), "arguments": arguments}});
            if let Some(Value::Object(extras)) = extras.and_then(|e| e.get(k)) {
                for (key, value) in extras {
                    call[key] = value.clone();
                }
            }
            call
        });
        message["tool_calls"] = calls.collect();
    }
    message
}

/// The parts of a reply, however it came.
#[derive(Debug, Default)]
pub(super) struct Parts {
    pub text: String,
    pub refusal: String,
    pub calls: Vec<RawCall>,
    /// For each call, the members that are not of the format (Gemini's signatures, for example).
    pub call_extras: Vec<Map<String, Value>>,
    pub message_extras: Map<String, Value>,
    pub finish: Option<String>,
    pub usage: Option<RawUsage>,
}

impl Parts {
    pub fn raw(self) -> Raw {
        let refused = !self.refusal.is_empty();
        let carry = (!self.message_extras.is_empty()
            || self.call_extras.iter().any(|e| !e.is_empty()))
        .then(|| json!({"message": self.message_extras, "calls": self.call_extras}));
        Raw {
            text: match refused && self.text.is_empty() {
                true => self.refusal,
                false => self.text,
            },
            calls: self.calls,
            end: match self.finish.as_deref() {
                Some("length" | "max_tokens") => TurnEnd::Truncated,
                Some("content_filter" | "refusal") => TurnEnd::Refused,
                _ if refused => TurnEnd::Refused,
                Some("tool_calls" | "function_call" | "tool_use") => TurnEnd::ToolUse,
                _ => TurnEnd::Done,
            },
            usage: self.usage,
            carry,
        }
    }
}

/// A string, or the texts of a list of parts.
pub(super) fn text_of(value: Option<&Value>) -> String {
    match value {
        Some(Value::String(s)) => s.clone(),
        Some(Value::Array(parts)) => parts
            .iter()
            .filter_map(|p| p.get("text").and_then(Value::as_str))
            .collect(),
        _ => String::new(),
    }
}

/// Arguments are a string; some gateways send the object itself.
pub(super) fn arguments_of(value: Option<&Value>) -> String {
    match value {
        Some(Value::String(s)) => s.clone(),
        Some(Value::Null) | None => String::new(),
        Some(other) => other.to_string(),
    }
}

pub(super) fn extras_of(call: &Value) -> Map<String, Value> {
    let own = ["id", "type", "index", "function"];
    match call {
        Value::Object(map) => map
            .iter()
            .filter(|(key, value)| !own.contains(&key.as_str()) && !value.is_null())
            .map(|(key, value)| (key.clone(), value.clone()))
            .collect(),
        _ => Map::new(),
    }
}

pub(super) fn is_blank(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::String(s) => s.is_empty(),
        Value::Array(a) => a.is_empty(),
        _ => false,
    }
}

pub(super) fn usage_of(value: Option<&Value>) -> Option<RawUsage> {
    let value = value.filter(|v| v.is_object())?;
    let number = |v: &Value, key: &str| v.get(key).and_then(Value::as_u64);
    let cached = value
        .get("prompt_tokens_details")
        .and_then(|d| number(d, "cached_tokens"))
        .or_else(|| number(value, "prompt_cache_hit_tokens")) // DeepSeek
        .unwrap_or(0);
    Some(RawUsage {
        input: number(value, "prompt_tokens")?,
        output: number(value, "completion_tokens").unwrap_or(0),
        cached,
        written: 0,
    })
}
