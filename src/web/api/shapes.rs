//! What the answers hold. `description` says the same for programs; a test compares the two.

use crate::domain::{SpanEnd, SpanKind, Spent, Step, Verdict};
use crate::store::{State, StoredSpan, Task};
use crate::text::to_rfc3339;
use serde::Serialize;
use serde_json::Value;

/// A task, in short.
#[derive(Debug, Serialize)]
pub(in crate::web) struct ApiTask {
    id: i64,
    repository: String,
    issue: u64,
    title: String,
    asked_by: String,
    state: State,
    step: Option<Step>,
    verdict: Option<Verdict>,
    stopping: bool,
    attempt: u32,
    max_attempts: u32,
    pull_request: Option<u64>,
    base_sha: Option<String>,
    head_sha: Option<String>,
    model: Option<String>,
    error: Option<String>,
    created_at: String,
    updated_at: String,
    runs_at: String,
}

fn at(ms: i64) -> String {
    to_rfc3339(ms.div_euclid(1000))
}

impl ApiTask {
    pub(super) fn of(task: &Task) -> ApiTask {
        let issue = &task.trigger.issue;
        ApiTask {
            id: task.id.0,
            repository: issue.repo.name.to_string(),
            issue: issue.number,
            title: task.trigger.title.clone(),
            asked_by: task.trigger.by.login.clone(),
            state: task.state,
            step: task.step,
            verdict: task.verdict,
            stopping: task.cancel_requested && task.verdict.is_none(),
            attempt: task.attempt,
            max_attempts: task.max_attempts,
            pull_request: task.reached.pr_number,
            base_sha: task.reached.base_sha.clone(),
            head_sha: task.reached.head_sha.clone(),
            model: Some(task.model.clone()).filter(|m| !m.is_empty()),
            error: task.error.clone(),
            created_at: at(task.created_at),
            updated_at: at(task.updated_at),
            runs_at: at(task.run_at),
        }
    }
}

/// A task with what came of it.
#[derive(Debug, Serialize)]
pub(in crate::web) struct ApiTaskWhole {
    #[serde(flatten)]
    task: ApiTask,
    turns: u64,
    tokens: u64,
    /// `None` where no price is configured.
    dollars: Option<f64>,
    /// Guards that fired, with the span on which.
    guards: Vec<ApiGuard>,
    /// The document of `mend fix --json`, with the pull request; `None` until the end.
    result: Option<Value>,
}

#[derive(Debug, Serialize)]
struct ApiGuard {
    guard: String,
    span: i64,
}

impl ApiTaskWhole {
    pub(super) fn of(task: &Task, spent: Spent, fired: Vec<(String, i64)>) -> ApiTaskWhole {
        ApiTaskWhole {
            task: ApiTask::of(task),
            turns: spent.turns,
            tokens: spent.tokens,
            dollars: (spent.microdollars > 0).then(|| spent.microdollars as f64 / 1e6),
            guards: fired
                .into_iter()
                .map(|(guard, span)| ApiGuard { guard, span })
                .collect(),
            result: task.result.clone(),
        }
    }
}

/// A span with its texts.
#[derive(Debug, Serialize)]
pub(in crate::web) struct ApiSpan {
    id: i64,
    /// The number of its last writing: ask for those after it to go on.
    rev: i64,
    parent: Option<i64>,
    kind: SpanKind,
    name: String,
    started_at_ms: i64,
    duration_ms: Option<i64>,
    end: Option<SpanEnd>,
    input: String,
    output: String,
    attributes: Value,
}

impl ApiSpan {
    pub(super) fn of(span: StoredSpan) -> ApiSpan {
        ApiSpan {
            id: span.id,
            rev: span.rev,
            parent: span.parent,
            kind: span.kind,
            name: span.name,
            started_at_ms: span.started_at,
            duration_ms: span.duration_ms,
            end: span.end,
            input: span.input,
            output: span.output,
            attributes: serde_json::from_str(&span.attributes).unwrap_or_default(),
        }
    }
}
