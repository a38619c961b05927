//! The trace of an attempt: spans go to the store as they come, and guards read them at its end.

use super::{Bench, in_time};
use crate::domain::{Journal, Progress};
use crate::store::{Held, Store, StoreError, StoredSpan};
use crate::trace::{Guard, Recorder, Span};
use std::sync::{Arc, OnceLock};
use std::time::Duration;
use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};
use tokio::task::JoinHandle;

/// Spans of one writing.
const MOST: usize = 64;
/// How long the end of an attempt waits for its last spans.
const LAST: Duration = Duration::from_secs(10);
/// Spans that guards read at a time.
const READ: u32 = 200;

/// The journal that an attempt's spans go to.
pub(super) struct Trace {
    recorder: OnceLock<Recorder>,
}

/// What writes them.
pub(super) struct Writer {
    writing: Option<JoinHandle<()>>,
}

impl Trace {
    /// Goes on with the task's trace. Without a store that answers there is none: no task fails
    /// for it.
    pub(super) async fn begin(bench: &Bench, held: Held) -> (Trace, Writer) {
        let recorder = OnceLock::new();
        let begun = async {
            bench.store.interrupt_spans(held).await?;
            bench.store.trace_end(held.id).await
        };
        let writing = match in_time(LAST, begun).await {
            Ok(end) => {
                let (to, from) = unbounded_channel();
                let after = u32::try_from(end.id).unwrap_or(u32::MAX);
                let (redactor, clock) = (bench.redactor.clone(), bench.clock.clone());
                let _ = recorder.set(Recorder::new(redactor, clock, after, to));
                let store = bench.store.clone();
                Some(tokio::spawn(write(store, held, end.rev, from)))
            }
            Err(error) => {
                tracing::warn!(%error, "this attempt has no trace");
                None
            }
        };
        (Trace { recorder }, Writer { writing })
    }
}

impl Journal for Trace {
    fn tell(&self, event: Progress) {
        if let Some(recorder) = self.recorder.get() {
            recorder.tell(event);
        }
    }
}

impl Writer {
    /// Waits for the last spans, then has the guards read the task's.
    pub(super) async fn end(self, bench: &Bench, held: Held) {
        let Some(writing) = self.writing else { return };
        if tokio::time::timeout(LAST, writing).await.is_err() {
            tracing::warn!("the last spans of a trace were not written in time");
        }
        if let Err(error) = guard(bench, held).await {
            tracing::warn!(%error, "no guard read the trace");
        }
    }
}

async fn write(store: Store, held: Held, mut rev: i64, mut from: UnboundedReceiver<Span>) {
    let mut told = Vec::new();
    while from.recv_many(&mut told, MOST).await > 0 {
        let spans: Vec<StoredSpan> = told
            .drain(..)
            .map(|span| {
                rev += 1;
                stored(span, rev)
            })
            .collect();
        if let Err(error) = store.put_spans(held, &spans).await {
            tracing::warn!(%error, spans = spans.len(), "spans were not written");
        }
    }
}

fn stored(span: Span, rev: i64) -> StoredSpan {
    StoredSpan {
        id: span.id.into(),
        rev,
        parent: span.parent.map(i64::from),
        kind: span.kind,
        name: span.name,
        started_at: span.started_ms,
        duration_ms: span
            .duration_ms
            .map(|d| i64::try_from(d).unwrap_or(i64::MAX)),
        end: span.end,
        input: span.input,
        output: span.output,
        attributes: serde_json::Value::Object(span.attributes).to_string(),
    }
}

/// Each span by itself, a part of them in memory at a time.
async fn guard(bench: &Bench, held: Held) -> Result<(), StoreError> {
    let mut after = 0;
    loop {
        let spans = bench.store.spans(held.id, after, READ).await?;
        let Some(last) = spans.last() else {
            return Ok(());
        };
        after = last.rev;
        let spans: Vec<Span> = spans.into_iter().map(back).collect();
        let fired = bench.guards.iter().flat_map(|guard| guard.check(&spans));
        let fired: Vec<_> = fired.map(|f| (f.guard, i64::from(f.span))).collect();
        for (guard, span) in &fired {
            tracing::info!(task = %held.id, guard, span, "a guard fired");
        }
        bench.store.put_fired(held.id, &fired).await?;
    }
}

fn back(span: StoredSpan) -> Span {
    Span {
        id: u32::try_from(span.id).unwrap_or_default(),
        parent: span.parent.and_then(|id| u32::try_from(id).ok()),
        kind: span.kind,
        name: span.name,
        started_ms: span.started_at,
        duration_ms: span.duration_ms.and_then(|d| u64::try_from(d).ok()),
        end: span.end,
        input: span.input,
        output: span.output,
        attributes: serde_json::from_str(&span.attributes).unwrap_or_default(),
    }
}

/// The guards that a server asks.
pub type Guards = Arc<Vec<Guard>>;
