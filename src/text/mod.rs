//! Text on its way between the outside, the model and people: bounded, made visible, redacted,
//! neutralised. Pure.

mod bound;
mod hidden;
mod known;
mod markdown;
mod nearest;
mod plain;
mod redact;
mod secrets;
mod strict;
mod time;
mod visible;

pub use bound::{bound, clip_words, one_line};
pub use hidden::{hidden_chars, sanitise_report};
pub use markdown::{code_span, fenced, neutralise};
pub use nearest::{distance, nearest};
pub use plain::{inert_line, inert_message};
pub use redact::{REDACTED, RedactedStream, Redactor};
pub use secrets::{SecretFound, secrets};
pub use strict::{json_object, strict_json};
pub use time::{from_rfc3339, to_rfc3339};
pub use visible::{is_hidden, strip_ansi, visible};
