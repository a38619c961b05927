//! What was proposed, kept and reverted so far: one JSON line each, in the order in which it
//! happened.

use super::super::{LabError, lines};
use serde::{Deserialize, Serialize};
use std::path::Path;

/// What became of a proposed change.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Fate {
    Proposed,
    Kept,
    Reverted,
    /// Measured, without enough evidence either way.
    Open,
}

impl Fate {
    pub fn word(self) -> &'static str {
        match self {
            Fate::Proposed => "proposed",
            Fate::Kept => "kept",
            Fate::Reverted => "reverted",
            Fate::Open => "not enough evidence",
        }
    }
}

/// A line of the history. The last line of a title is its present fate.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Entry {
    pub title: String,
    pub fate: Fate,
    /// `loop`, `tool` or `prompt`.
    #[serde(default)]
    pub kind: String,
    #[serde(default)]
    pub file: String,
    /// What was seen that speaks for the fate.
    #[serde(default)]
    pub evidence: String,
}

/// Reads a history; none that is there is an empty one.
///
/// # Errors
/// When a line is none.
pub fn read(path: &Path) -> Result<Vec<Entry>, LabError> {
    Ok(lines::read(path, "entry of the history")?)
}

/// Adds a line.
///
/// # Errors
/// When the file cannot be written.
pub fn add(path: &Path, entry: &Entry) -> Result<(), LabError> {
    Ok(lines::append(path, entry)?)
}

/// The present fate of each title, in the order of first mention.
pub(super) fn present(entries: &[Entry]) -> Vec<&Entry> {
    let mut last: Vec<&Entry> = Vec::new();
    for entry in entries {
        match last.iter_mut().find(|e| e.title == entry.title) {
            Some(known) => *known = entry,
            None => last.push(entry),
        }
    }
    last
}
