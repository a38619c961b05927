//! How a call of a model can fail, in the words that a caller branches on.

use crate::text::{Redactor, clip_words, one_line, visible};
use serde_json::Value;
use std::path::PathBuf;
use std::time::{Duration, SystemTime};

/// Characters of a provider's message that are kept.
const MESSAGE: usize = 120;
/// A run of so many characters that the request holds too is a piece of the payload.
const ECHO: usize = 24;
/// Bytes of a request that are compared with a message.
const COMPARED: usize = 4 * 1024 * 1024;

/// Why a turn could not be had. Messages are bounded and redacted and never hold a payload.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ModelError {
    /// The provider limits the rate or is overloaded, and the retries within one call are used up.
    /// The task may wait until the time named and ask again.
    #[error("the model is busy: {message}")]
    Busy {
        until: Option<SystemTime>,
        message: String,
    },
    /// Connection, server or stream failed in every attempt; it may pass by itself.
    #[error("the model cannot be reached: {message}")]
    Unavailable { message: String },
    /// The conversation is longer than the model takes; a shorter one may pass.
    #[error("the conversation is too long for the model: {message}")]
    ContextOverflow { message: String },
    /// Asking again would end the same way. `status` is the HTTP status, when there was one.
    #[error("the model refused the request: {message}")]
    Permanent {
        status: Option<u16>,
        message: String,
    },
    /// The caller asked to stop.
    #[error("stopped while the model was being asked")]
    Cancelled,
    /// A setting is wrong; `key` names it beneath the model's section.
    #[error("model setting `{key}`: {message}")]
    Settings { key: &'static str, message: String },
    /// A recording cannot be written or read.
    #[error("recording {}: {message}", path.display())]
    Recording { path: PathBuf, message: String },
}

impl ModelError {
    /// Whether the same call may succeed later.
    pub fn is_transient(&self) -> bool {
        matches!(
            self,
            ModelError::Busy { .. } | ModelError::Unavailable { .. }
        )
    }

    /// The word in traces.
    pub fn word(&self) -> &'static str {
        match self {
            ModelError::Busy { .. } => "busy",
            ModelError::Unavailable { .. } => "unavailable",
            ModelError::ContextOverflow { .. } => "context_overflow",
            ModelError::Permanent { .. } => "permanent",
            ModelError::Cancelled => "cancelled",
            ModelError::Settings { .. } => "settings",
            ModelError::Recording { .. } => "recording",
        }
    }

    pub(super) fn permanent(message: impl Into<String>) -> Self {
        ModelError::Permanent {
            status: None,
            message: message.into(),
        }
    }
}

/// How one attempt failed.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Fault {
    /// Rate limit or overload; `after` is the pause that the provider asks for.
    Limited {
        after: Option<Duration>,
        message: String,
    },
    /// May pass by itself.
    Flaky {
        after: Option<Duration>,
        message: String,
    },
    /// No retry helps.
    Final(ModelError),
}

impl Fault {
    pub fn flaky(message: impl Into<String>) -> Self {
        Fault::Flaky {
            after: None,
            message: message.into(),
        }
    }

    /// The answer is not one that the wire format allows; models and gateways stumble now and then.
    pub fn garbled(what: &str) -> Self {
        Fault::flaky(format!("the reply is malformed ({what})"))
    }

    pub fn cut() -> Self {
        Fault::flaky("the reply was cut off before its end")
    }
}

impl Fault {
    /// Without a message that repeats a piece of the request: providers print what they refuse.
    pub fn without_echo(mut self, request: &[u8], model: &str) -> Self {
        let message = match &mut self {
            Fault::Limited { message, .. } | Fault::Flaky { message, .. } => message,
            Fault::Final(
                ModelError::ContextOverflow { message } | ModelError::Permanent { message, .. },
            ) => message,
            Fault::Final(_) => return self,
        };
        if echoes(message, request, model) {
            let status = message
                .split(", ")
                .next()
                .filter(|s| s.starts_with("status "));
            *message = format!(
                "{}its message repeats the request and is left out",
                status.map_or(String::new(), |s| format!("{s}, "))
            );
        }
        self
    }
}

fn echoes(message: &str, request: &[u8], model: &str) -> bool {
    let request = String::from_utf8_lossy(&request[..request.len().min(COMPARED)]);
    // The message is one line of visible text, so breaks and runs of blanks are compared as one.
    let blanks = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    let request = request
        .replace("\\n", " ")
        .replace("\\t", " ")
        .replace("\\\"", "\"");
    let request = blanks(&request);
    let plain = match model.is_empty() {
        true => message.to_string(),
        false => message.replace(model, ""),
    };
    let chars: Vec<char> = blanks(&plain).chars().collect();
    chars
        .windows(ECHO)
        .any(|run| request.contains(&run.iter().collect::<String>()))
}

impl From<ModelError> for Fault {
    fn from(e: ModelError) -> Self {
        Fault::Final(e)
    }
}

/// The provider's own message in an error body.
fn message_of(body: &Value) -> &str {
    let error = body.get("error").unwrap_or(body);
    error
        .get("message")
        .and_then(Value::as_str)
        .or_else(|| error.as_str())
        .or_else(|| body.get("message").and_then(Value::as_str))
        .or_else(|| body.get("detail").and_then(Value::as_str))
        .unwrap_or("no message")
}

/// Bounds and cleans a text from outside for an error message. The redaction comes first, so that
/// a cut cannot leave half a key.
pub(super) fn clean(text: &str, redactor: &Redactor) -> String {
    let head: String = text.chars().take(16 * MESSAGE).collect();
    clip_words(&visible(&one_line(&redactor.redact(&head))), MESSAGE)
}

/// Classifies an error that the provider named: by HTTP status, or inside a stream by the words
/// of its `error` object alone (`status` is `None` then).
pub(super) fn classify(
    status: Option<u16>,
    after: Option<Duration>,
    body: &Value,
    redactor: &Redactor,
) -> Fault {
    let error = body.get("error").unwrap_or(body);
    let word = |key: &str| match error.get(key) {
        Some(Value::String(s)) => s.to_ascii_lowercase(),
        Some(Value::Number(n)) => n.to_string(),
        _ => String::new(),
    };
    let (kind, code) = (word("type"), word("code"));
    let whole = message_of(body);
    let short = clean(whole, redactor);
    let told = status.or_else(|| code.parse().ok().filter(|s| (400..600).contains(s)));
    let message = match told {
        Some(status) => format!("status {status}, {short}"),
        None if kind.is_empty() => short.clone(),
        None => format!("{}, {short}", clean(&kind, redactor)),
    };
    let has = |words: &[&str]| words.iter().any(|w| kind.contains(w) || code.contains(w));
    let permanent = |message: String| {
        Fault::Final(ModelError::Permanent {
            status: told,
            message,
        })
    };
    if told == Some(413) || told != Some(429) && is_overflow(&kind, &code, whole) {
        return Fault::Final(ModelError::ContextOverflow { message });
    }
    if has(&["insufficient_quota", "billing"]) {
        return permanent(message);
    }
    match told {
        Some(429 | 529) => Fault::Limited { after, message },
        Some(503) if after.is_some() => Fault::Limited { after, message },
        Some(408 | 409 | 425) => Fault::Flaky { after, message },
        Some(501 | 505) => permanent(message),
        Some(s) if s >= 500 => Fault::Flaky { after, message },
        Some(_) => permanent(message),
        None if has(&["overloaded", "rate_limit", "too_many_requests"]) => {
            Fault::Limited { after, message }
        }
        None if has(&["invalid", "authentication", "permission", "not_found"]) => {
            permanent(message)
        }
        None => Fault::Flaky { after, message },
    }
}

/// The words for "too long" of Anthropic, OpenAI, vLLM, llama.cpp, Gemini and Mistral.
fn is_overflow(kind: &str, code: &str, message: &str) -> bool {
    let message = message.to_ascii_lowercase();
    kind == "request_too_large"
        || kind == "exceed_context_size_error"
        || code == "context_length_exceeded"
        || [
            "prompt is too long",
            "input is too long",
            "context length",
            "context window",
            "context limit",
            "context size",
            "too many tokens",
            "input token count",
            "too large for model with",
        ]
        .iter()
        .any(|w| message.contains(w))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn of(status: u16, body: Value) -> Fault {
        classify(Some(status), None, &body, &Redactor::new())
    }

    #[test]
    fn statuses_and_words_decide() {
        let api = json!({"error": {"type": "api_error", "message": "oops"}});
        assert!(matches!(of(529, api.clone()), Fault::Limited { .. }));
        assert!(matches!(of(500, api.clone()), Fault::Flaky { .. }));
        assert!(matches!(of(409, api.clone()), Fault::Flaky { .. }));
        assert!(matches!(
            of(401, api),
            Fault::Final(ModelError::Permanent {
                status: Some(401),
                ..
            })
        ));
        let quota = json!({"error": {"code": "insufficient_quota", "message": "pay"}});
        assert!(matches!(
            of(429, quota),
            Fault::Final(ModelError::Permanent { .. })
        ));
        for body in [
            json!({"error": {"message": "prompt is too long: 210000 tokens > 200000 maximum"}}),
            json!({"error": {"code": "context_length_exceeded", "message": "x"}}),
        ] {
            assert!(matches!(
                of(400, body),
                Fault::Final(ModelError::ContextOverflow { .. })
            ));
        }
        let inside =
            json!({"type": "error", "error": {"type": "overloaded_error", "message": "o"}});
        assert!(matches!(
            classify(None, None, &inside, &Redactor::new()),
            Fault::Limited { .. }
        ));
        let number = json!({"error": {"code": 502, "message": "upstream"}});
        assert!(matches!(
            classify(None, None, &number, &Redactor::new()),
            Fault::Flaky { .. }
        ));
    }

    #[test]
    fn messages_are_short_and_hold_no_key() {
        let redactor = Redactor::new();
        redactor.know("a-very-secret-key");
        let body = json!({"error": {"message": format!("bad key a-very-secret-key {}", "x ".repeat(9000))}});
        let short = clean(message_of(&body), &redactor);
        assert!(short.starts_with("bad key [redacted]"), "{short}");
        assert!(short.chars().count() <= MESSAGE);
        assert_eq!(message_of(&json!([1])), "no message");
    }

    #[test]
    fn a_message_that_repeats_the_request_is_left_out() {
        let request = json!({"model": "a-model-with-a-rather-long-name", "system": "def days(start, end):\n    return end - start"});
        let request = serde_json::to_vec(&request).unwrap();
        let told = |message: &str| {
            let fault = of(422, json!({"error": {"message": message}}));
            match fault.without_echo(&request, "a-model-with-a-rather-long-name") {
                Fault::Final(e) => e.to_string(),
                other => panic!("{other:?}"),
            }
        };
        let echo = told("input was: def days(start, end):\n    return end - start");
        assert_eq!(
            echo,
            "the model refused the request: status 422, its message repeats the request and is left out"
        );
        let named = told("no model a-model-with-a-rather-long-name here");
        assert!(
            named.ends_with("no model a-model-with-a-rather-long-name here"),
            "{named}"
        );
    }
}
