//! The wire formats: a request to JSON, and a reply, plain or streamed, back to a turn.

mod anthropic;
mod anthropic_stream;
mod assemble;
mod chat;
mod chat_stream;
mod fold;
mod responses;

pub(super) use anthropic::Anthropic;
pub(super) use assemble::assemble;
pub(super) use chat::Chat;
pub(super) use responses::Responses;

use super::error::{Fault, ModelError};
use super::settings::{ModelSettings, WireKind};
use super::sse::Event;
use super::turn::{Request, TurnEnd};
use crate::text::Redactor;
use serde_json::Value;

/// One provider's format.
pub(super) trait Wire: Send + Sync {
    /// The format's name as `model_bridge.py` spells it.
    fn shape(&self) -> &'static str;

    /// The body of a request; equal requests give equal bytes.
    fn body(&self, settings: &ModelSettings, request: &Request) -> Result<Value, ModelError>;

    /// Reads a whole reply.
    fn plain(&self, body: Value) -> Result<Raw, Fault>;

    /// Starts to read a streamed reply.
    fn reader(&self, redactor: &Redactor) -> Box<dyn Reader>;
}

/// Collects the events of one streamed reply.
pub(super) trait Reader: Send {
    /// Takes an event; true when it is the last of the reply.
    fn event(&mut self, event: &Event) -> Result<bool, Fault>;

    /// The reply, after its last event.
    fn finish(self: Box<Self>) -> Result<Raw, Fault>;
}

/// A reply before its ids are made unique and its arguments are parsed.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Raw {
    pub text: String,
    pub calls: Vec<RawCall>,
    pub end: TurnEnd,
    /// `None` when the provider says nothing about it.
    pub usage: Option<RawUsage>,
    /// The provider's content for `Turn::carry`, without the envelope.
    pub carry: Option<Value>,
}

/// A call as it came: the id may be empty or repeated, the arguments may be anything.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct RawCall {
    pub id: String,
    pub name: String,
    pub arguments: String,
}

/// Tokens of one reply.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(super) struct RawUsage {
    /// All input, cached parts included.
    pub input: u64,
    pub output: u64,
    pub cached: u64,
    /// Input that was written to the cache.
    pub written: u64,
}

pub(super) fn of(kind: WireKind) -> Box<dyn Wire> {
    match kind {
        WireKind::Anthropic => Box::new(Anthropic),
        WireKind::Chat => Box::new(Chat),
        WireKind::Responses => Box::new(Responses),
    }
}

/// The error inside a 200 reply, when the body is one.
pub(super) fn inner_error(body: &Value) -> bool {
    body.get("error").is_some_and(|e| !e.is_null())
        || body.get("type").and_then(Value::as_str) == Some("error")
}

/// A name as every provider accepts it in a conversation that is sent back
/// (`[a-zA-Z0-9_-]{1,64}`).
fn safe_name(name: &str) -> String {
    let safe: String = name
        .chars()
        .take(64)
        .map(|c| match c {
            c if c.is_ascii_alphanumeric() || c == '_' || c == '-' => c,
            _ => '_',
        })
        .collect();
    match safe.is_empty() {
        true => "unknown".to_string(),
        false => safe,
    }
}

/// The carried content, when it came from this wire and this model.
fn carried<'a>(carry: &'a Option<Value>, shape: &str, model: &str) -> Option<&'a Value> {
    let carry = carry.as_ref()?;
    let is = |key: &str, value: &str| carry.get(key).and_then(Value::as_str) == Some(value);
    (is("wire", shape) && is("model", model))
        .then(|| carry.get("content"))
        .flatten()
}

/// Adds the configured further members of a body.
fn extend(body: &mut Value, settings: &ModelSettings) {
    if let Value::Object(map) = body {
        for (key, value) in &settings.extra_body {
            map.insert(key.clone(), value.clone());
        }
    }
}
