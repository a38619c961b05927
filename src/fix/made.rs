//! A change that an earlier run made, checked again where it stands now.

use super::Fixed;
use crate::agent::Ended;
use crate::domain::{Contradiction, StopReason, Usage};
use crate::tree::{Change, RelPath, TreeError};
use crate::workspace::{Workspace, WorkspaceError};
use serde::{Deserialize, Serialize};

/// What the loop said of its change, as data.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Said {
    pub stop: StopReason,
    pub summary: String,
    pub doubted: Option<String>,
    pub contradictions: Vec<Contradiction>,
    pub turns: u32,
    pub usage: Usage,
    pub model_ms: u64,
}

impl Said {
    /// What was said in the run that made the change.
    pub fn of(fixed: &Fixed) -> Said {
        Said {
            stop: fixed.stop,
            summary: fixed.summary.clone(),
            doubted: fixed.doubted.clone(),
            contradictions: fixed.contradictions.clone(),
            turns: fixed.turns,
            usage: fixed.usage,
            model_ms: fixed.model_ms,
        }
    }
}

/// A change with what was said of it.
#[derive(Debug, Clone)]
pub struct Made {
    /// Path, content (`None`: removed) and permission bits, against the code that is started from.
    pub files: Vec<(String, Option<Vec<u8>>, u32)>,
    pub said: Said,
}

impl Made {
    /// Puts the change into the workspace; the check of it is the caller's.
    pub(super) fn put(&self, workspace: &Workspace) -> Result<Ended, WorkspaceError> {
        let files = self.files.iter().map(|(path, after, mode)| {
            Ok(Change {
                path: RelPath::parse(path)?,
                after: after.clone(),
                mode: Some(*mode),
            })
        });
        let batch: Vec<Change> = files.collect::<Result<_, TreeError>>()?;
        workspace.put(&batch)?;
        let said = self.said.clone();
        Ok(Ended {
            stop: said.stop,
            summary: said.summary,
            default_summary: false,
            contradictions: said.contradictions,
            question: None,
            review: None,
            doubted: said.doubted,
            turns: said.turns,
            usage: said.usage,
            check: None,
            error: None,
            retry_at: None,
            model_ms: said.model_ms,
            checks_ms: 0,
            effects: Vec::new(),
        })
    }
}
