//! The models' room over real HTTP on loopback.

mod bridge;
mod faults;
mod recording;
mod streams;
pub mod stub;
mod wires;

use mend::domain::Usage;
use mend::model::{
    Message, ModelSettings, Request, ToolCall, ToolResult, ToolSpec, Turn, TurnEnd, WireKind,
};
use serde_json::json;

pub const WIRES: [WireKind; 3] = [WireKind::Anthropic, WireKind::Chat, WireKind::Responses];

/// Settings for an endpoint on loopback, with short limits.
pub fn settings(wire: WireKind, base: &str, stream: bool) -> ModelSettings {
    let mut s = ModelSettings::new(wire, "test-model");
    s.base_url = Some(base.to_string());
    s.api_key = Some("key-that-nobody-sees".into());
    s.stream = stream;
    s.timeout_s = 20;
    s.idle_timeout_s = 10;
    s.retries = 0;
    s
}

pub fn tool() -> ToolSpec {
    ToolSpec {
        name: "read_file".into(),
        description: "Reads a file.".into(),
        schema: json!({"type": "object", "properties": {"path": {"type": "string"}}, "required": ["path"]}),
    }
}

pub fn ask(messages: Vec<Message>) -> Request {
    Request {
        system: "You mend bugs.".into(),
        messages,
        tools: vec![tool()],
        max_output_tokens: 4096,
    }
}

pub fn hello() -> Request {
    ask(vec![Message::User("Fix it.".into())])
}

pub fn call(id: &str, raw: &str) -> ToolCall {
    ToolCall {
        id: id.into(),
        name: "read_file".into(),
        arguments: mend::model::Arguments::parse(raw),
    }
}

pub fn turn(text: &str, calls: Vec<ToolCall>) -> Turn {
    Turn {
        text: text.into(),
        calls,
        end: TurnEnd::ToolUse,
        usage: Usage::default(),
        carry: None,
    }
}

pub fn result(id: &str, content: &str, is_error: bool) -> ToolResult {
    ToolResult {
        call_id: id.into(),
        content: content.into(),
        is_error,
    }
}
