//! The spans of tasks, and the guards that fired on them. A span is written when it opens and again
//! when it closes; each writing gets a new number, so that a page asks for what is new.

use super::{Held, Store, StoreError};
use crate::domain::{SpanEnd, SpanKind, TaskId};
use sqlx::any::AnyRow;
use sqlx::{Connection, Row};

/// A span as the store keeps it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredSpan {
    /// Within the task, from 1.
    pub id: i64,
    /// The number of its last writing within the task, from 1.
    pub rev: i64,
    pub parent: Option<i64>,
    pub kind: SpanKind,
    pub name: String,
    /// Milliseconds since the Unix epoch.
    pub started_at: i64,
    pub duration_ms: Option<i64>,
    pub end: Option<SpanEnd>,
    pub input: String,
    pub output: String,
    /// A JSON object.
    pub attributes: String,
}

/// Where a trace that is gone on with begins.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct TraceEnd {
    pub id: i64,
    pub rev: i64,
}

/// What a text column of PostgreSQL cannot hold.
fn without_nul(text: &str) -> String {
    text.replace('\0', "\u{fffd}")
}

impl Store {
    /// The last span and the last writing of a task.
    pub async fn trace_end(&self, task: TaskId) -> Result<TraceEnd, StoreError> {
        // COALESCE types the NULL of an empty table, which the driver cannot.
        let row = sqlx::query(
            "SELECT COALESCE(MAX(id), 0) AS id, COALESCE(MAX(rev), 0) AS rev \
             FROM spans WHERE task_id = $1",
        )
        .bind(task.0)
        .fetch_one(&self.write)
        .await?;
        Ok(TraceEnd {
            id: row.try_get("id")?,
            rev: row.try_get("rev")?,
        })
    }

    /// Writes spans of a task; who lost the lease to a later claim writes nothing.
    pub async fn put_spans(&self, held: Held, spans: &[StoredSpan]) -> Result<(), StoreError> {
        let mut connection = self.write.acquire().await?;
        let mut tx = connection.begin_with(self.dialect.begin()).await?;
        for span in spans {
            sqlx::query(
                "INSERT INTO spans (task_id, id, rev, parent, kind, name, started_at, \
                 duration_ms, ended, input, output, attributes) \
                 SELECT id, $1, $2, CAST($3 AS BIGINT), $4, $5, $6, CAST($7 AS BIGINT), CAST($8 AS TEXT), $9, $10, $11 \
                 FROM tasks WHERE id = $12 AND epoch = $13 \
                 ON CONFLICT (task_id, id) DO UPDATE SET rev = excluded.rev, \
                 duration_ms = excluded.duration_ms, ended = excluded.ended, \
                 output = excluded.output, attributes = excluded.attributes",
            )
            .bind(span.id)
            .bind(span.rev)
            .bind(span.parent)
            .bind(kind_word(span.kind))
            .bind(without_nul(&span.name))
            .bind(span.started_at)
            .bind(span.duration_ms)
            .bind(span.end.map(end_word))
            .bind(without_nul(&span.input))
            .bind(without_nul(&span.output))
            .bind(without_nul(&span.attributes))
            .bind(held.id.0)
            .bind(held.epoch)
            .execute(&mut *tx)
            .await?;
        }
        tx.commit().await?;
        self.spans_changed.ring();
        Ok(())
    }

    /// Spans of a task that were written after number `after`, oldest writing first, at most
    /// `most`.
    pub async fn spans(
        &self,
        task: TaskId,
        after: i64,
        most: u32,
    ) -> Result<Vec<StoredSpan>, StoreError> {
        let rows = sqlx::query(
            "SELECT * FROM spans WHERE task_id = $1 AND rev > $2 ORDER BY rev LIMIT $3",
        )
        .bind(task.0)
        .bind(after)
        .bind(i64::from(most))
        .fetch_all(&self.read)
        .await?;
        rows.iter().map(read_span).collect()
    }

    /// Ends the spans that an attempt which is gone left open; each counts as written anew.
    pub async fn interrupt_spans(&self, held: Held) -> Result<(), StoreError> {
        let mut tx = self.write.begin_with(self.dialect.begin()).await?;
        let open = sqlx::query(
            "SELECT s.id, (SELECT MAX(rev) FROM spans WHERE task_id = $1) AS last FROM spans s \
             JOIN tasks t ON t.id = s.task_id AND t.epoch = $2 \
             WHERE s.task_id = $1 AND s.ended IS NULL ORDER BY s.id",
        )
        .bind(held.id.0)
        .bind(held.epoch)
        .fetch_all(&mut *tx)
        .await?;
        for (n, row) in (1..).zip(&open) {
            sqlx::query(
                "UPDATE spans SET ended = 'interrupted', duration_ms = 0, rev = $1 \
                 WHERE task_id = $2 AND id = $3",
            )
            .bind(row.try_get::<i64, _>("last")? + n)
            .bind(held.id.0)
            .bind(row.try_get::<i64, _>("id")?)
            .execute(&mut *tx)
            .await?;
        }
        tx.commit().await?;
        Ok(())
    }

    /// Notes which guards fired on a task, by name and span.
    pub async fn put_fired(&self, task: TaskId, fired: &[(String, i64)]) -> Result<(), StoreError> {
        for (guard, span) in fired {
            sqlx::query(
                "INSERT INTO fired (task_id, guard, span_id) VALUES ($1, $2, $3) \
                 ON CONFLICT DO NOTHING",
            )
            .bind(task.0)
            .bind(guard)
            .bind(*span)
            .execute(&self.write)
            .await?;
        }
        Ok(())
    }

    /// The guards that fired on a task, by name and span.
    pub async fn fired(&self, task: TaskId) -> Result<Vec<(String, i64)>, StoreError> {
        let rows = sqlx::query(
            "SELECT guard, span_id FROM fired WHERE task_id = $1 ORDER BY span_id, guard",
        )
        .bind(task.0)
        .fetch_all(&self.read)
        .await?;
        rows.iter()
            .map(|row| Ok((row.try_get("guard")?, row.try_get("span_id")?)))
            .collect()
    }
}

fn read_span(row: &AnyRow) -> Result<StoredSpan, StoreError> {
    let kind: String = row.try_get("kind")?;
    let ended: Option<String> = row.try_get("ended")?;
    Ok(StoredSpan {
        id: row.try_get("id")?,
        rev: row.try_get("rev")?,
        parent: row.try_get("parent")?,
        kind: kind_of(&kind),
        name: row.try_get("name")?,
        started_at: row.try_get("started_at")?,
        duration_ms: row.try_get("duration_ms")?,
        end: ended.as_deref().map(end_of),
        input: row.try_get("input")?,
        output: row.try_get("output")?,
        attributes: row.try_get("attributes")?,
    })
}

fn kind_word(kind: SpanKind) -> &'static str {
    match kind {
        SpanKind::Task => "task",
        SpanKind::Step => "step",
        SpanKind::Model => "model",
        SpanKind::Tool => "tool",
        SpanKind::Check => "check",
    }
}

pub(super) fn kind_of(word: &str) -> SpanKind {
    match word {
        "task" => SpanKind::Task,
        "model" => SpanKind::Model,
        "tool" => SpanKind::Tool,
        "check" => SpanKind::Check,
        _ => SpanKind::Step,
    }
}

fn end_word(end: SpanEnd) -> &'static str {
    match end {
        SpanEnd::Ok => "ok",
        SpanEnd::Failed => "failed",
        SpanEnd::Interrupted => "interrupted",
    }
}

pub(super) fn end_of(word: &str) -> SpanEnd {
    match word {
        "ok" => SpanEnd::Ok,
        "failed" => SpanEnd::Failed,
        _ => SpanEnd::Interrupted,
    }
}
