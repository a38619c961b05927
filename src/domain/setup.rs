//! What came of a project's set-up, for people.

use super::Traffic;
use serde::{Deserialize, Serialize};

/// The set-up before a check: what ran, or that an earlier run was taken.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SetUpReport {
    /// The commands, in order; empty where the project needs none.
    pub steps: Vec<String>,
    /// Whether an earlier run of the same steps on the same manifests was taken.
    pub from_cache: bool,
    pub traffic: Traffic,
    pub failed: Option<SetUpFailure>,
    pub duration_ms: u64,
}

/// The step that ended a set-up.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SetUpFailure {
    pub command: String,
    /// `exit 1`, `ended after 900 s`, …
    pub how: String,
    /// The end of its output, as it was.
    pub tail: String,
}
