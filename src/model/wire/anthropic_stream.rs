//! The events of a streamed Anthropic reply, back into content blocks.

use super::anthropic::{UsageParts, gather, note_usage};
use super::{Raw, Reader, inner_error};
use crate::model::error::{Fault, classify};
use crate::model::sse::Event;
use crate::text::Redactor;
use serde_json::{Value, json};
use std::collections::BTreeMap;

#[derive(Default)]
pub(super) struct Stream {
    redactor: Redactor,
    blocks: BTreeMap<u64, Block>,
    stop: Option<String>,
    usage: Option<UsageParts>,
    ended: bool,
}

/// A content block and the arguments that were streamed for it.
struct Block {
    value: Value,
    json: Option<String>,
}

impl Stream {
    pub fn new(redactor: Redactor) -> Self {
        Stream {
            redactor,
            ..Stream::default()
        }
    }

    fn delta(&mut self, index: u64, delta: &Value) -> Result<(), Fault> {
        let block = self
            .blocks
            .get_mut(&index)
            .ok_or_else(|| Fault::garbled("a delta without its block"))?;
        let text = |key: &str| delta.get(key).and_then(Value::as_str).unwrap_or("");
        match text("type") {
            "text_delta" => append(&mut block.value, "text", text("text")),
            "thinking_delta" => append(&mut block.value, "thinking", text("thinking")),
            "signature_delta" => append(&mut block.value, "signature", text("signature")),
            "input_json_delta" => block
                .json
                .get_or_insert_default()
                .push_str(text("partial_json")),
            "citations_delta" => {
                if let (Some(map), Some(citation)) =
                    (block.value.as_object_mut(), delta.get("citation"))
                {
                    let list = map.entry("citations").or_insert_with(|| json!([]));
                    match list {
                        Value::Array(list) => list.push(citation.clone()),
                        other => *other = json!([citation]),
                    }
                }
            }
            _ => {}
        }
        Ok(())
    }
}

fn append(block: &mut Value, key: &str, text: &str) {
    if let Some(map) = block.as_object_mut() {
        match map.entry(key).or_insert_with(|| json!("")) {
            Value::String(s) => s.push_str(text),
            other => *other = json!(text),
        }
    }
}

impl Reader for Stream {
    fn event(&mut self, event: &Event) -> Result<bool, Fault> {
        let value: Value = serde_json::from_str(&event.data)
            .map_err(|_| Fault::garbled("an event is not JSON"))?;
        if event.name == "error" || inner_error(&value) {
            return Err(classify(None, None, &value, &self.redactor));
        }
        let index = value.get("index").and_then(Value::as_u64);
        match value.get("type").and_then(Value::as_str).unwrap_or("") {
            "message_start" => {
                note_usage(&mut self.usage, value["message"].get("usage"));
            }
            "content_block_start" => {
                let (Some(index), Some(block)) = (index, value.get("content_block")) else {
                    return Err(Fault::garbled("a block without index or content"));
                };
                let block = Block {
                    value: block.clone(),
                    json: None,
                };
                if self.blocks.insert(index, block).is_some() {
                    return Err(Fault::garbled("two blocks of one index"));
                }
            }
            "content_block_delta" => {
                let index = index.ok_or_else(|| Fault::garbled("a delta without index"))?;
                self.delta(index, &value["delta"])?;
            }
            "message_delta" => {
                if let Some(stop) = value["delta"].get("stop_reason").and_then(Value::as_str) {
                    self.stop = Some(stop.to_string());
                }
                note_usage(&mut self.usage, value.get("usage"));
            }
            "message_stop" => self.ended = true,
            _ => {} // ping, content_block_stop, and what a later version adds
        }
        Ok(self.ended)
    }

    fn finish(self: Box<Self>) -> Result<Raw, Fault> {
        if !self.ended || self.stop.is_none() {
            return Err(Fault::cut());
        }
        let blocks = self.blocks.into_values().map(|b| (b.value, b.json));
        gather(
            blocks.collect(),
            self.stop.as_deref(),
            self.usage.map(UsageParts::total),
        )
    }
}
