//! The chunks of a streamed chat completion, back into one message.

use super::chat::{CARRIED, Parts, arguments_of, extras_of, is_blank, text_of, usage_of};
use super::{Raw, RawCall, Reader, inner_error};
use crate::model::error::{Fault, classify};
use crate::model::sse::Event;
use crate::text::Redactor;
use serde_json::{Map, Value, json};

#[derive(Default)]
pub(super) struct Stream {
    redactor: Redactor,
    parts: Parts,
    /// The index that the provider gave each call of `parts`.
    indices: Vec<Option<u64>>,
    ended: bool,
}

impl Stream {
    pub fn new(redactor: Redactor) -> Self {
        Stream {
            redactor,
            ..Stream::default()
        }
    }

    fn delta(&mut self, delta: &Value) {
        self.parts.text.push_str(&text_of(delta.get("content")));
        self.parts.refusal.push_str(&text_of(delta.get("refusal")));
        for key in CARRIED {
            if let Some(value) = delta.get(key).filter(|v| !is_blank(v)) {
                join(&mut self.parts.message_extras, key, value);
            }
        }
        if let Some(calls) = delta.get("tool_calls").and_then(Value::as_array) {
            calls.iter().for_each(|c| self.call(c));
        }
    }

    fn call(&mut self, piece: &Value) {
        let index = piece.get("index").and_then(Value::as_u64);
        let id = text_of(piece.get("id"));
        let function = piece.get("function").unwrap_or(&Value::Null);
        let name = text_of(function.get("name"));
        let at = self.slot(index, &id, &name);
        let call = &mut self.parts.calls[at];
        if call.id.is_empty() {
            call.id = id;
        }
        if call.name.is_empty() {
            call.name = name;
        }
        call.arguments
            .push_str(&arguments_of(function.get("arguments")));
        self.parts.call_extras[at].extend(extras_of(piece));
    }

    /// Which call a piece belongs to. Not every provider counts: some leave the index out, some
    /// give parallel calls the same one and tell them apart by id.
    fn slot(&mut self, index: Option<u64>, id: &str, name: &str) -> usize {
        let calls = &self.parts.calls;
        let found = match index {
            Some(_) => self.indices.iter().rposition(|i| *i == index),
            None if !id.is_empty() => calls.iter().rposition(|c| c.id == id),
            None if name.is_empty() => calls.len().checked_sub(1),
            None => None,
        };
        match found {
            Some(at) if id.is_empty() || calls[at].id.is_empty() || calls[at].id == id => at,
            _ => {
                self.parts.calls.push(RawCall::default());
                self.parts.call_extras.push(Map::new());
                self.indices.push(index);
                self.parts.calls.len() - 1
            }
        }
    }
}

/// Joins a piece of carried content: texts are appended, entries of a list are joined with the
/// last entry of the same index and type.
fn join(extras: &mut Map<String, Value>, key: &str, piece: &Value) {
    match (extras.get_mut(key), piece) {
        (Some(Value::String(text)), Value::String(more)) => text.push_str(more),
        (Some(Value::Array(list)), Value::Array(more)) => {
            for entry in more {
                let same = |e: &Value| {
                    ["index", "type"].iter().all(|k| e.get(k) == entry.get(k))
                        && entry.get("index").is_some()
                };
                match list.last_mut() {
                    Some(Value::Object(last)) if same(&Value::Object(last.clone())) => {
                        merge(last, entry);
                    }
                    _ => list.push(entry.clone()),
                }
            }
        }
        _ => {
            extras.insert(key.into(), piece.clone());
        }
    }
}

fn merge(into: &mut Map<String, Value>, entry: &Value) {
    for (key, value) in entry.as_object().into_iter().flatten() {
        let grows = ["text", "summary", "data"].contains(&key.as_str());
        match (into.get_mut(key), value) {
            (Some(Value::String(text)), Value::String(more)) if grows => text.push_str(more),
            (_, Value::Null) => {}
            _ => {
                into.insert(key.clone(), value.clone());
            }
        }
    }
}

impl Reader for Stream {
    fn event(&mut self, event: &Event) -> Result<bool, Fault> {
        if event.data.trim() == "[DONE]" {
            self.ended = true;
            return Ok(true);
        }
        let value: Value =
            serde_json::from_str(&event.data).map_err(|_| Fault::garbled("a chunk is not JSON"))?;
        if event.name == "error" || inner_error(&value) {
            let value = match inner_error(&value) {
                true => value,
                false => json!({"error": value}),
            };
            return Err(classify(None, None, &value, &self.redactor));
        }
        if let Some(usage) = usage_of(value.get("usage")) {
            self.parts.usage = Some(usage);
        }
        let choices = value.get("choices").and_then(Value::as_array);
        let first = choices
            .into_iter()
            .flatten()
            .find(|c| c.get("index").and_then(Value::as_u64).unwrap_or(0) == 0);
        if let Some(choice) = first {
            if let Some(delta) = choice.get("delta") {
                self.delta(delta);
            }
            if let Some(finish) = choice.get("finish_reason").and_then(Value::as_str) {
                self.parts.finish = Some(finish.to_string());
            }
        }
        Ok(false)
    }

    fn finish(self: Box<Self>) -> Result<Raw, Fault> {
        match self.ended && self.parts.finish.is_some() {
            true => Ok(self.parts.raw()),
            false => Err(Fault::cut()),
        }
    }
}
