//! Traces of tasks: spans put together from what a task tells its journal, kept as JSON lines, and
//! guards over them. Names and attributes follow OpenTelemetry's conventions for generative AI
//! where they have one (<https://opentelemetry.io/docs/specs/semconv/gen-ai/>).

mod guard;
mod jsonl;
mod otlp;
mod recorder;
#[cfg(feature = "otlp")]
mod send;

pub use guard::{Fired, Guard, GuardError, On, shipped};
pub use jsonl::{JsonlError, each_line, read, write};
pub use otlp::{Told, otlp};
pub use recorder::Recorder;
#[cfg(feature = "otlp")]
pub use send::{SendError, send};

use crate::domain::{SpanEnd, SpanKind};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// A span of a trace. It is told twice: when it opens, and when it closes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Span {
    /// From 1, in the order of opening.
    pub id: u32,
    /// The span that was open when it began.
    pub parent: Option<u32>,
    pub kind: SpanKind,
    pub name: String,
    /// Milliseconds since the Unix epoch.
    pub started_ms: i64,
    /// `None` while it is open.
    pub duration_ms: Option<u64>,
    pub end: Option<SpanEnd>,
    /// Redacted and bounded.
    pub input: String,
    /// Redacted and bounded; empty while it is open.
    pub output: String,
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub attributes: Map<String, Value>,
}
