//! What the harness and the reviewer add to a check: a reproduction, and what weakens a green run.

use super::Outcome;
use serde::{Deserialize, Serialize};

/// A test file that the change adds, run alone by the harness: on the untouched code and on the
/// change.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reproduction {
    pub file: String,
    /// The command that ran it.
    pub command: String,
    /// `None` where it was not run there.
    pub base: Option<Outcome>,
    pub after: Option<Outcome>,
    /// What the run on the untouched code said, in one line; empty when it passed.
    pub reason: String,
    /// The name or file that the untouched code lacks and the report asks for, where that is why it
    /// is red there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub missing: Option<String>,
    /// Red on the untouched code and green now.
    pub red_to_green: bool,
    /// Why it proves nothing, where it does not; a clause without a full stop.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub because: Option<String>,
    /// Tests that ran with the change, where the runner counts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tests: Option<u64>,
}

/// Why a green run of this change says less than it seems to: the change reaches what runs, chooses
/// or reports the tests, or the tests themselves.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Weakness {
    pub kind: WeaknessKind,
    /// The changed file; empty where it is no file's.
    pub path: String,
    /// First and last line, where it is about some lines.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lines: Option<(usize, usize)>,
    /// A clause about it, without a full stop.
    pub what: String,
}

/// The kinds, the gravest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum WeaknessKind {
    /// The check stays green where it has to be red.
    Deaf,
    /// It reaches the test runner, its settings, or what they load.
    Harness,
    /// Tests that ran on the untouched code do not run any more.
    Lost,
    /// A hunk lies in tests that stand inside source files.
    InSource,
    /// Nothing but tests and documents is changed.
    OnlyTests,
    /// What is fixed is not fixed without the files that the change adds among the tests.
    ByTests,
    /// Existing tests are changed, as somebody allowed.
    TestsChanged,
    /// Files that act on other machines: what installs, builds, releases, or an editor obeys.
    Sensitive,
}

impl WeaknessKind {
    /// Whether it keeps a change from being ready; the others are only told.
    pub fn holds_back(self) -> bool {
        !matches!(self, WeaknessKind::TestsChanged | WeaknessKind::Sensitive)
    }
}

/// A point of the reviewer, about a line of the change.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReviewPoint {
    pub path: String,
    /// Line in the file as the change leaves it, counted from 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub line: Option<u64>,
    pub severity: Severity,
    pub text: String,
}

/// How grave a point is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Severity {
    /// The change is wrong, or leaves the report unmet.
    MustFix,
    ShouldFix,
    Note,
}

/// What the reviewer came to. Its points are a model's words and decide no outcome.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Review {
    /// The model that reviewed.
    pub model: String,
    /// Points that went back to the worker.
    pub sent_back: Vec<ReviewPoint>,
    /// Points that stand at the end.
    pub open: Vec<ReviewPoint>,
    /// Points among the open ones that name no file of the change.
    pub unplaced: usize,
    /// Why there is no review, or none of the last state, in one line.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failed: Option<String>,
}
