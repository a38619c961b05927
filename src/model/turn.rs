//! What goes to a model and what comes back, in no provider's words.

use crate::domain::Usage;
use crate::text::strict_json;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// One question to a model: the whole conversation so far.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Request {
    pub system: String,
    pub messages: Vec<Message>,
    /// Empty for models without tool calling.
    pub tools: Vec<ToolSpec>,
    /// Upper bound in tokens; the settings' bound applies when it is lower or when this is 0.
    pub max_output_tokens: u32,
}

/// A tool that the model may call.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ToolSpec {
    pub name: String,
    pub description: String,
    /// JSON Schema of the arguments, an object.
    pub schema: Value,
}

/// One entry of the conversation.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Message {
    User(String),
    Assistant(Turn),
    /// The answers to the calls of the turn before, with a word of the harness after them.
    /// A call without a result is answered with an error on the wire.
    ToolResults {
        results: Vec<ToolResult>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        note: Option<String>,
    },
}

/// The answer to one tool call.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ToolResult {
    pub call_id: String,
    pub content: String,
    #[serde(default)]
    pub is_error: bool,
}

/// A model's answer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Turn {
    pub text: String,
    pub calls: Vec<ToolCall>,
    pub end: TurnEnd,
    pub usage: Usage,
    /// The provider's own content (thinking with its signature and the like), sent back verbatim
    /// to the same model on the same wire, ignored by any other.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub carry: Option<Value>,
}

/// A tool call; its id is unique within the conversation.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ToolCall {
    pub id: String,
    /// As the model wrote it; it may name no tool of the request.
    pub name: String,
    pub arguments: Arguments,
}

/// The arguments of a call.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Arguments {
    /// A JSON object; whether it fits the schema is for the tool to say.
    Json(Value),
    /// Not a JSON object, or cut off at the output limit: to be answered, never to be executed.
    Broken { raw: String, error: String },
}

/// Why the model stopped.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TurnEnd {
    Done,
    ToolUse,
    /// The output limit cut the answer; the last call, if there is one, is broken.
    Truncated,
    /// The model or a filter of the provider declined.
    Refused,
}

impl Arguments {
    /// Reads arguments as a model wrote them. Nothing at all counts as no arguments; an object
    /// inside a JSON string, which some gateways send, counts as that object.
    ///
    /// A key that is given twice has no one meaning, so such arguments are broken.
    pub fn parse(raw: &str) -> Arguments {
        let text = raw.trim();
        if text.is_empty() || text == "null" {
            return Arguments::Json(Value::Object(Default::default()));
        }
        match strict_json(text) {
            Ok(value @ Value::Object(_)) => Arguments::Json(value),
            Ok(Value::String(inner)) => match strict_json(inner.trim()) {
                Ok(value @ Value::Object(_)) => Arguments::Json(value),
                Ok(_) => Arguments::broken(&inner, "the arguments are not a JSON object"),
                Err(e) => Arguments::broken(&inner, &e.to_string()),
            },
            Ok(_) => Arguments::broken(raw, "the arguments are not a JSON object"),
            Err(e) => Arguments::broken(raw, &e.to_string()),
        }
    }

    fn broken(raw: &str, error: &str) -> Arguments {
        Arguments::Broken {
            raw: raw.to_string(),
            error: error.to_string(),
        }
    }

    /// The text that the model wrote, or the JSON text of the object.
    pub fn raw(&self) -> String {
        match self {
            Arguments::Json(value) => value.to_string(),
            Arguments::Broken { raw, .. } => raw.clone(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn arguments_are_an_object_or_broken() {
        assert_eq!(
            Arguments::parse(r#" {"a": 1} "#),
            Arguments::Json(json!({"a": 1}))
        );
        assert_eq!(Arguments::parse(""), Arguments::Json(json!({})));
        assert_eq!(
            Arguments::parse(r#""{\"a\": 1}""#),
            Arguments::Json(json!({"a": 1}))
        );
        for raw in [
            r#"{"a": 1, "a": 2}"#,
            r#"{"a": {"b": 1, "b": 1}}"#,
            "[1]",
            "3",
            r#"{"a": 1"#,
            r#"{"a": 1}{"a": 2}"#,
            "{'a': 1}",
        ] {
            match Arguments::parse(raw) {
                Arguments::Broken { raw: kept, error } => {
                    assert_eq!(kept, raw);
                    assert!(!error.is_empty());
                }
                Arguments::Json(v) => panic!("{raw} became {v}"),
            }
        }
    }
}
