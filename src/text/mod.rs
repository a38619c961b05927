//! Text on its way between the outside, the model and people: bounded, made visible, redacted,
//! neutralised. Pure.

mod bound;
mod markdown;
mod nearest;
mod redact;
mod strict;
mod time;
mod visible;

pub use bound::{bound, clip_words, one_line};
pub use markdown::{code_span, fenced, neutralise};
pub use nearest::{distance, nearest};
pub use redact::{REDACTED, Redactor};
pub use strict::strict_json;
pub use time::{from_rfc3339, to_rfc3339};
pub use visible::{sanitise_report, strip_ansi, visible};
