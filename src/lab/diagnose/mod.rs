//! A model reads the slowest and the failed traces of a run and proposes one change (rule L4).

mod answer;
mod history;
mod report;

pub use answer::{Diagnosis, Finding, Fix, Kind, Proposed};
pub use history::{Entry, Fate, add as add_history, read as read_history};
pub use report::report;

use super::LabError;
use super::results::{Row, RunFolder};
use crate::domain::Cancel;
use crate::model::{Message, Model, Request};
use crate::text::bound;
use crate::trace::Span;
use std::path::Path;

/// What the diagnoser is.
const SYSTEM: &str = include_str!("../../../prompts/diagnoser.md");
/// How often a wrong answer goes back.
const AGAIN: usize = 2;
/// Bytes of all traces, and of one span's texts.
const TRACES: usize = 160 * 1024;
const INPUT: usize = 600;
const OUTPUT: usize = 1600;

/// What is diagnosed.
pub struct Asked<'a> {
    pub model: &'a dyn Model,
    pub max_output_tokens: u32,
    /// mend's own source, for the files that a change may name.
    pub source: &'a Path,
    pub history: &'a [Entry],
    /// Traces that are shown at most.
    pub most: usize,
    pub cancel: &'a Cancel,
}

/// The traces of a run: those that are shown, and all.
pub(super) struct Shown<'a> {
    pub(super) traces: Vec<&'a (&'a Row, Vec<Span>)>,
    pub(super) all: &'a [(&'a Row, Vec<Span>)],
}

/// Diagnoses a run. An answer that does not hold goes back with what is wrong about it.
///
/// # Errors
/// When the run cannot be read, the model cannot be asked, or its answers do not hold.
pub async fn diagnose(run: &RunFolder, asked: &Asked<'_>) -> Result<Diagnosis, LabError> {
    let rows = run.rows()?;
    let all: Result<Vec<_>, LabError> = rows.iter().map(|r| Ok((r, run.trace(r)?))).collect();
    let all = all?;
    let traces = worst(&all, asked.most);
    if traces.is_empty() {
        return Err(LabError::Suite("the run holds no task".into()));
    }
    let shown = Shown { traces, all: &all };
    let mut request = Request {
        system: SYSTEM.to_string(),
        messages: vec![Message::User(first(&rows, &shown, asked)?)],
        tools: Vec::new(),
        max_output_tokens: asked.max_output_tokens,
    };
    let mut faults = Vec::new();
    for _ in 0..=AGAIN {
        let turn = asked.model.turn(&request, asked.cancel).await?;
        match answer::read(&turn.text, &shown, asked.source, asked.history) {
            Ok(diagnosis) => return Ok(diagnosis),
            Err(found) => faults = found,
        }
        request.messages.push(Message::Assistant(turn));
        let list: String = faults.iter().map(|f| format!("* {f}\n")).collect();
        request.messages.push(Message::User(format!(
            "Your answer does not hold:\n{list}\nSend the whole JSON object again, corrected."
        )));
    }
    Err(LabError::Suite(format!(
        "the diagnosis does not hold: {}",
        faults.join("; ")
    )))
}

/// The failed traces, then the slowest by turns and time.
fn worst<'a>(all: &'a [(&'a Row, Vec<Span>)], most: usize) -> Vec<&'a (&'a Row, Vec<Span>)> {
    let mut order: Vec<&(&Row, Vec<Span>)> = all.iter().collect();
    order.sort_by(|(a, _), (b, _)| {
        let key = |r: &Row| (r.solved, std::cmp::Reverse(r.turns));
        key(a).cmp(&key(b)).then(b.seconds.total_cmp(&a.seconds))
    });
    order.truncate(most.max(1));
    order
}

fn first(rows: &[Row], shown: &Shown<'_>, asked: &Asked<'_>) -> Result<String, LabError> {
    let mut text = String::from("# What mend consists of\n\n");
    for (folder, about) in [
        ("src/agent", "the loop"),
        ("src/workspace", "what the tools do"),
        ("src/edit", "how edits are read and placed"),
        ("prompts", "what the model reads"),
    ] {
        let files = files(asked.source, folder)?;
        text.push_str(&format!("`{folder}/` ({about}): {}\n", files.join(", ")));
    }
    text.push_str("\n# What was changed earlier\n\n");
    let entries = history::present(asked.history);
    for entry in &entries {
        let evidence = match entry.evidence.is_empty() {
            true => String::new(),
            false => format!(": {}", entry.evidence),
        };
        text.push_str(&format!(
            "* {} ({}, {}){evidence}\n",
            entry.title,
            entry.fate.word(),
            entry.kind
        ));
    }
    if entries.is_empty() {
        text.push_str("Nothing is on record.\n");
    }
    text.push_str("\n# The run\n\n| task | solved | turns | tokens | seconds | ended |\n|---|---|---|---|---|---|\n");
    for row in rows {
        let how = match row.solved {
            true => "yes".to_string(),
            false => format!("no: {}", row.why),
        };
        let stop = row.stop.map_or("not tried", |s| s.word());
        text.push_str(&format!(
            "| {} | {how} | {} | {} | {:.1} | {stop} |\n",
            row.label(),
            row.turns,
            row.input_tokens + row.output_tokens,
            row.seconds
        ));
    }
    text.push_str("\n# Traces\n");
    let room = TRACES / shown.traces.len().max(1);
    for (row, trace) in &shown.traces {
        let mut one = format!("\n## {} \n\n", row.label());
        for span in trace {
            one.push_str(&line(span, trace));
        }
        text.push_str(&bound(&one, room));
    }
    Ok(text)
}

fn line(span: &Span, trace: &[Span]) -> String {
    let mut depth = 0;
    let mut at = span.parent;
    while let Some(parent) = at.and_then(|id| trace.iter().find(|s| s.id == id)) {
        (depth, at) = (depth + 1, parent.parent);
    }
    let took = span
        .duration_ms
        .map_or("open".to_string(), |d| format!("{d} ms"));
    format!(
        "{}[{}] {} ({took})\n    in: {}\n    out: {}\n",
        "  ".repeat(depth),
        span.id,
        span.name,
        bound(&crate::text::visible(&span.input), INPUT).replace('\n', "\n      "),
        bound(&crate::text::visible(&span.output), OUTPUT).replace('\n', "\n      ")
    )
}

fn files(source: &Path, folder: &str) -> Result<Vec<String>, LabError> {
    let entries = std::fs::read_dir(source.join(folder)).map_err(|e| {
        LabError::Suite(format!(
            "{} is not mend's source: {folder}: {e}",
            source.display()
        ))
    })?;
    let mut names: Vec<String> = entries
        .filter_map(|e| e.ok()?.file_name().into_string().ok())
        .collect();
    names.sort();
    Ok(names)
}
