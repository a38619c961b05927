//! What came of a project's set-up, for people.

use super::Traffic;
use serde::{Deserialize, Serialize};

/// What the reason of a check begins with that didn't start because its set-up failed; the step, as
/// code, and how it ended follow, then a colon and the rest.
pub const SET_UP_FAILED: &str = "the set-up failed, ";

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

impl SetUpReport {
    /// Whether it failed, and mend itself had kept it from a host.
    pub fn was_refused(&self) -> bool {
        self.failed.is_some() && self.traffic.refused.iter().any(|r| r.by_policy)
    }
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
