//! Spans for pages: an index without their texts, and texts by the piece, so that a page of a long
//! run costs what it shows.

use super::spans::{end_of, kind_of};
use super::{Store, StoreError};
use crate::domain::{SpanEnd, SpanKind, TaskId};
use sqlx::Row;
use sqlx::any::AnyRow;
use std::collections::HashMap;
use std::future::Future;

/// A span without its texts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SpanLine {
    pub id: i64,
    pub rev: i64,
    pub parent: Option<i64>,
    pub kind: SpanKind,
    pub name: String,
    /// Milliseconds since the Unix epoch.
    pub started_at: i64,
    pub duration_ms: Option<i64>,
    pub end: Option<SpanEnd>,
    /// A JSON object.
    pub attributes: String,
}

/// What went in and came out of a span: the beginning, and how long the whole is.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SpanText {
    pub input: String,
    pub output: String,
    /// In characters.
    pub input_length: u64,
    pub output_length: u64,
}

impl Store {
    /// The spans of a task that were written after number `after`, in the order of opening.
    pub async fn span_lines(
        &self,
        task: TaskId,
        after: i64,
        most: u32,
    ) -> Result<Vec<SpanLine>, StoreError> {
        let rows = sqlx::query(
            "SELECT id, rev, parent, kind, name, started_at, duration_ms, ended, attributes \
             FROM spans WHERE task_id = $1 AND rev > $2 ORDER BY id LIMIT $3",
        )
        .bind(task.0)
        .bind(after)
        .bind(i64::from(most))
        .fetch_all(&self.read)
        .await?;
        rows.iter().map(line).collect()
    }

    /// The number of a task's last writing; 0 without spans.
    pub async fn span_rev(&self, task: TaskId) -> Result<i64, StoreError> {
        let row = sqlx::query("SELECT COALESCE(MAX(rev), 0) AS rev FROM spans WHERE task_id = $1")
            .bind(task.0)
            .fetch_one(&self.read)
            .await?;
        Ok(row.try_get("rev")?)
    }

    /// The first `most` characters of what went in and out of a task's spans from `first` to `last`.
    pub async fn span_texts(
        &self,
        task: TaskId,
        (first, last): (i64, i64),
        most: u32,
    ) -> Result<HashMap<i64, SpanText>, StoreError> {
        let rows = sqlx::query(
            "SELECT id, SUBSTR(input, 1, $4) AS input, SUBSTR(output, 1, $4) AS output, \
             CAST(LENGTH(input) AS BIGINT) AS input_length, \
             CAST(LENGTH(output) AS BIGINT) AS output_length \
             FROM spans WHERE task_id = $1 AND id >= $2 AND id <= $3 LIMIT 2000",
        )
        .bind(task.0)
        .bind(first)
        .bind(last)
        // PostgreSQL's SUBSTR takes a 32-bit length.
        .bind(i32::try_from(most).unwrap_or(i32::MAX))
        .fetch_all(&self.read)
        .await?;
        rows.iter()
            .map(|row| {
                let text = SpanText {
                    input: row.try_get("input")?,
                    output: row.try_get("output")?,
                    input_length: row.try_get::<i64, _>("input_length")?.unsigned_abs(),
                    output_length: row.try_get::<i64, _>("output_length")?.unsigned_abs(),
                };
                Ok((row.try_get("id")?, text))
            })
            .collect()
    }

    /// The whole texts of a span: what went in, what came out.
    pub async fn span_whole(
        &self,
        task: TaskId,
        span: i64,
    ) -> Result<Option<(String, String)>, StoreError> {
        let row = sqlx::query("SELECT input, output FROM spans WHERE task_id = $1 AND id = $2")
            .bind(task.0)
            .bind(span)
            .fetch_optional(&self.read)
            .await?;
        row.map(|row| Ok((row.try_get("input")?, row.try_get("output")?)))
            .transpose()
    }

    /// Resolves when spans were written, by this process or by another one on the same PostgreSQL.
    /// Call it before the query whose answer it would change, and poll all the same.
    pub fn spans_changed(&self) -> impl Future<Output = ()> + Send + 'static {
        self.spans_changed.heard()
    }
}

fn line(row: &AnyRow) -> Result<SpanLine, StoreError> {
    let kind: String = row.try_get("kind")?;
    let ended: Option<String> = row.try_get("ended")?;
    Ok(SpanLine {
        id: row.try_get("id")?,
        rev: row.try_get("rev")?,
        parent: row.try_get("parent")?,
        kind: kind_of(&kind),
        name: row.try_get("name")?,
        started_at: row.try_get("started_at")?,
        duration_ms: row.try_get("duration_ms")?,
        end: ended.as_deref().map(end_of),
        attributes: row.try_get("attributes")?,
    })
}
