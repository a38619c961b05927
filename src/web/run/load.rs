//! What is known of a run, without the texts of its spans.

use super::items::{Item, items};
use crate::domain::Spent;
use crate::store::{SpanLine, Store, Task};
use crate::web::error::PageError;
use serde::de::DeserializeOwned;
use serde_json::Value;

/// Spans of a run that a page knows of; those of more turns than any limit allows are left out.
const MOST_SPANS: u32 = 20_000;

pub(super) struct Run {
    pub task: Task,
    pub lines: Vec<SpanLine>,
    pub items: Vec<Item>,
    /// Guards that fired, by name and span.
    pub fired: Vec<(String, i64)>,
    pub spent: Spent,
    /// Milliseconds since the Unix epoch.
    pub now: i64,
}

impl Run {
    pub async fn load(store: &Store, task: Task) -> Result<Run, PageError> {
        let lines = store.span_lines(task.id, 0, MOST_SPANS).await?;
        Ok(Run {
            items: items(&lines),
            fired: store.fired(task.id).await?,
            spent: store.spent_of(task.id).await?,
            now: store.now_ms().await?,
            lines,
            task,
        })
    }

    /// A part of the result; what is not there, or reads differently, is its default.
    pub fn result<T: DeserializeOwned + Default>(&self, name: &str) -> T {
        let part = self.task.result.as_ref().and_then(|r| r.get(name));
        part.filter(|v| !v.is_null())
            .and_then(|v| T::deserialize(v).ok())
            .unwrap_or_default()
    }

    pub fn has_ended(&self) -> bool {
        self.task.verdict.is_some()
    }

    /// The number of the last writing.
    pub fn rev(&self) -> i64 {
        self.lines.iter().map(|l| l.rev).max().unwrap_or(0)
    }

    /// The path of the run's page.
    pub fn path(&self) -> String {
        format!("/runs/{}", self.task.id)
    }

    /// The text of a JSON value's part.
    pub fn text(&self, name: &str) -> String {
        let part = self.task.result.as_ref().and_then(|r| r.get(name));
        part.and_then(Value::as_str).unwrap_or_default().to_string()
    }
}
