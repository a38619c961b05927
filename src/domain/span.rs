//! Spans: what a task did, each with a beginning, an end, an input and an output. They go through
//! the [`Journal`]; whoever keeps them puts them together (room `trace`).

use super::{Journal, Progress};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// What kind of work a span is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SpanKind {
    /// The whole task.
    Task,
    /// A step of it, such as a set-up.
    Step,
    /// A request to a model.
    Model,
    /// A tool call of the model.
    Tool,
    /// A check, or one command of it.
    Check,
}

/// How a span ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SpanEnd {
    Ok,
    Failed,
    /// Stopped, or left through an error that stands in the task's own end.
    Interrupted,
}

/// More about a span, by names such as `gen_ai.usage.input_tokens`.
pub type Attributes = Vec<(&'static str, Value)>;

/// A span began.
#[derive(Debug, Clone, PartialEq)]
pub struct SpanOpened {
    /// Unique in this process.
    pub id: u64,
    pub kind: SpanKind,
    /// `solve_task`, `base_check`, `model_call`, a tool's name.
    pub name: String,
    pub input: Arc<str>,
    pub attributes: Attributes,
}

/// A span ended.
#[derive(Debug, Clone, PartialEq)]
pub struct SpanClosed {
    pub id: u64,
    pub end: SpanEnd,
    pub output: Arc<str>,
    pub attributes: Attributes,
}

static NEXT: AtomicU64 = AtomicU64::new(1);

/// A span that is open. One that is dropped without [`OpenSpan::close`] was interrupted.
pub struct OpenSpan<'a> {
    journal: &'a dyn Journal,
    id: u64,
    closed: bool,
}

impl<'a> OpenSpan<'a> {
    /// Opens a span; spans that are opened before it closes lie inside it.
    pub fn open(
        journal: &'a dyn Journal,
        kind: SpanKind,
        name: impl Into<String>,
        input: impl Into<Arc<str>>,
        attributes: Attributes,
    ) -> OpenSpan<'a> {
        let id = NEXT.fetch_add(1, Ordering::Relaxed);
        journal.tell(Progress::SpanOpened(Box::new(SpanOpened {
            id,
            kind,
            name: name.into(),
            input: input.into(),
            attributes,
        })));
        OpenSpan {
            journal,
            id,
            closed: false,
        }
    }

    /// Closes it.
    pub fn close(mut self, end: SpanEnd, output: impl Into<Arc<str>>, attributes: Attributes) {
        self.tell(end, output.into(), attributes);
    }

    fn tell(&mut self, end: SpanEnd, output: Arc<str>, attributes: Attributes) {
        self.closed = true;
        self.journal.tell(Progress::SpanClosed(Box::new(SpanClosed {
            id: self.id,
            end,
            output,
            attributes,
        })));
    }
}

impl Drop for OpenSpan<'_> {
    fn drop(&mut self) {
        if !self.closed {
            self.tell(SpanEnd::Interrupted, "".into(), Vec::new());
        }
    }
}
