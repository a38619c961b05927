//! `mend tasks trace`: a task's spans for another program.

use super::exit::DONE;
use super::{out, tasks};
use crate::store::{Store, StoredSpan};
use crate::trace::{Span, Told, otlp};
use clap::ValueEnum;

/// Spans of one task at most.
const MOST: u32 = 100_000;

/// Print a task's trace
#[derive(Debug, clap::Args)]
pub(super) struct TraceArgs {
    task: i64,
    /// One span a line, or OpenTelemetry's OTLP in JSON with the conventions for generative AI
    #[arg(long, value_enum, default_value_t)]
    format: Format,
    /// With otlp: inputs and outputs too, which hold code and reports
    #[arg(long)]
    content: bool,
    /// Send it to a collector over OTLP/HTTP instead, such as http://127.0.0.1:4318
    #[cfg(feature = "otlp")]
    #[arg(long, value_name = "URL")]
    to: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
enum Format {
    #[default]
    Jsonl,
    Otlp,
}

pub(super) async fn run(store: &Store, args: &TraceArgs) -> anyhow::Result<u8> {
    let task = tasks::found(store, args.task).await?;
    let spans = store.spans(task.id, 0, MOST).await?;
    let mut spans: Vec<Span> = spans.into_iter().map(span).collect();
    spans.sort_by_key(|s| s.id);
    let told = Told {
        key: &task.trigger.key,
        content: args.content,
    };
    #[cfg(feature = "otlp")]
    if let Some(to) = &args.to {
        crate::trace::send(to, &otlp(&spans, told)).await?;
        return Ok(DONE);
    }
    match args.format {
        Format::Otlp => out::json(&otlp(&spans, told))?,
        Format::Jsonl => {
            for span in &spans {
                out::line(&serde_json::to_string(span)?);
            }
        }
    }
    Ok(DONE)
}

fn span(stored: StoredSpan) -> Span {
    Span {
        id: u32::try_from(stored.id).unwrap_or_default(),
        parent: stored.parent.and_then(|id| u32::try_from(id).ok()),
        kind: stored.kind,
        name: stored.name,
        started_ms: stored.started_at,
        duration_ms: stored.duration_ms.and_then(|d| u64::try_from(d).ok()),
        end: stored.end,
        input: stored.input,
        output: stored.output,
        attributes: serde_json::from_str(&stored.attributes).unwrap_or_default(),
    }
}
