//! What a recording holds beside the conversation: the task, so that it can run again, and what it
//! came to, so that a replay can be compared (rule E13).
//!
//! The folder: `NNNN.request.json` and `NNNN.reply.json` by the room `model`; `task.json`; the
//! source in `base/`; in `start/` the code that the loop started from, where it differs;
//! `result.json`; in `review/` the reviewer's conversation, where there was one.

use super::{Fixed, Input};
use crate::agent::{Earlier, Settings, TurnEffect};
use crate::domain::{Limits, Outcome, Report, StopReason, Verdict};
use crate::tree::{RelPath, Tree, TreeError, copy_tree};
use serde::{Deserialize, Serialize};
use std::path::Path;

/// The folder of a recording that holds the reviewer's conversation.
pub const REVIEW_FOLDER: &str = "review";

const TASK: &str = "task.json";
const RESULT: &str = "result.json";

/// `task.json`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RecordedTask {
    pub report: Report,
    #[serde(default)]
    pub guidance: Vec<String>,
    /// Commands that replaced the configured or detected ones.
    #[serde(default)]
    pub check: Vec<String>,
    #[serde(default = "yes")]
    pub base_check: bool,
    #[serde(default)]
    pub allow_tests: bool,
    #[serde(default)]
    pub limits: Limits,
    /// How the loop spoke with the model.
    #[serde(default)]
    pub agent: Settings,
    /// Whether `start/` holds the code that the loop started from.
    #[serde(default)]
    pub start: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub earlier: Option<Earlier>,
}

fn yes() -> bool {
    true
}

/// `result.json`: the effects, without what differs from run to run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Recorded {
    pub verdict: Verdict,
    pub stop: StopReason,
    pub turns: Vec<TurnEffect>,
    pub diff: String,
    pub checks: Vec<RecordedCheck>,
}

/// One command's outcomes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RecordedCheck {
    pub command: String,
    pub base: Option<Outcome>,
    pub after: Option<Outcome>,
}

/// A recording that cannot be written or read.
#[derive(Debug, thiserror::Error)]
pub enum RecordingError {
    #[error(transparent)]
    Tree(#[from] TreeError),
    #[error("`{file}` of the recording is not what it should be: {why}")]
    Malformed { file: &'static str, why: String },
}

impl RecordedTask {
    /// Writes `task.json` and the source trees into `folder`, which must exist.
    ///
    /// # Errors
    /// When a file cannot be written or `base/` is there already.
    pub fn write(input: &Input<'_>, folder: &Path) -> Result<(), RecordingError> {
        let task = RecordedTask {
            report: input.report.clone(),
            guidance: input.guidance.to_vec(),
            check: input.commands.to_vec(),
            base_check: input.base_check,
            allow_tests: input.allow_tests,
            limits: input.limits.clone(),
            agent: input.agent.clone(),
            start: input.start.is_some(),
            earlier: input.earlier.cloned(),
        };
        copy_tree(&Tree::open(input.base)?, &folder.join("base"), &|_| false)?;
        if let Some(start) = input.start {
            copy_tree(&Tree::open(start)?, &folder.join("start"), &|_| false)?;
        }
        let mut task = serde_json::to_value(&task).map_err(|e| malformed(TASK, &e))?;
        input.redactor.redact_json(&mut task);
        write(folder, TASK, &task)
    }

    /// Reads `task.json`.
    ///
    /// # Errors
    /// When it is not there or is not a task.
    pub fn read(folder: &Path) -> Result<Self, RecordingError> {
        read(folder, TASK)
    }
}

impl Recorded {
    pub fn of(fixed: &Fixed) -> Self {
        let outcome =
            |run: &Option<crate::domain::CheckRun>| run.as_ref().map(|r| r.classification.outcome);
        Recorded {
            verdict: fixed.verdict,
            stop: fixed.stop,
            turns: fixed.effects.clone(),
            diff: fixed.diff.clone(),
            checks: fixed
                .pairs
                .iter()
                .map(|p| RecordedCheck {
                    command: p.command.clone(),
                    base: outcome(&p.base),
                    after: outcome(&p.after),
                })
                .collect(),
        }
    }

    /// Writes `result.json`.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn write(&self, folder: &Path) -> Result<(), RecordingError> {
        write(folder, RESULT, self)
    }

    /// Reads `result.json`.
    ///
    /// # Errors
    /// When it is not there or is not a result.
    pub fn read(folder: &Path) -> Result<Self, RecordingError> {
        read(folder, RESULT)
    }
}

fn write<T: Serialize>(folder: &Path, file: &'static str, value: &T) -> Result<(), RecordingError> {
    let mut text = serde_json::to_string_pretty(value).map_err(|e| malformed(file, &e))?;
    text.push('\n');
    Ok(Tree::open(folder)?.write(&RelPath::parse(file)?, text.as_bytes(), Some(0o644))?)
}

fn read<T: for<'de> Deserialize<'de>>(
    folder: &Path,
    file: &'static str,
) -> Result<T, RecordingError> {
    let bytes = Tree::open(folder)?.read(&RelPath::parse(file)?)?;
    serde_json::from_slice(&bytes).map_err(|e| malformed(file, &e))
}

fn malformed(file: &'static str, why: &serde_json::Error) -> RecordingError {
    RecordingError::Malformed {
        file,
        why: why.to_string(),
    }
}
