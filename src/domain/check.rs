//! What a check is, how it ended and how two runs of it compare.

use serde::{Deserialize, Serialize};

/// The four words that people read about a check (rule C1).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// Tests ran and the run was green.
    Passed,
    /// Tests ran and the run was not green.
    Failed,
    /// The run stopped before its first test.
    DidntStart,
    /// mend's own limit ended the run; this says nothing about the change.
    TimedOut,
}

impl Outcome {
    /// The word in a sentence: `passed`, `failed`, `didn't start`, `timed out`.
    pub fn words(self) -> &'static str {
        match self {
            Outcome::Passed => "passed",
            Outcome::Failed => "failed",
            Outcome::DidntStart => "didn't start",
            Outcome::TimedOut => "timed out",
        }
    }

    /// The word that opens a tool result for the model (rule W7).
    pub fn shout(self) -> &'static str {
        match self {
            Outcome::Passed => "PASSED",
            Outcome::Failed => "FAILED",
            Outcome::DidntStart => "DIDN'T START",
            Outcome::TimedOut => "TIMED OUT",
        }
    }
}

/// The finer cause beside the outcome.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    Assertion,
    Setup,
    Coverage,
    Lint,
    Build,
    MissingDependency,
    MissingRunner,
    Config,
    NoTests,
    Crash,
    Killed,
    Internal,
}

/// How a process ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Exit {
    /// It exited by itself with this code.
    Code(i32),
    /// This signal ended it, and mend did not send it.
    Signal(i32),
    /// mend's own deadline ended it.
    TimedOut,
}

/// Counts as the runner gives them, summed over all suites; `None` where the output does not say.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Counts {
    pub passed: Option<u64>,
    pub failed: Option<u64>,
    pub errors: Option<u64>,
    pub skipped: Option<u64>,
}

impl Counts {
    /// `212 passed, 1 failed`: what is not zero; empty where nothing is.
    pub fn words(&self) -> String {
        let errors = if self.errors == Some(1) {
            "error"
        } else {
            "errors"
        };
        [
            (self.passed, "passed"),
            (self.failed, "failed"),
            (self.errors, errors),
            (self.skipped, "skipped"),
        ]
        .iter()
        .filter_map(|(n, word)| n.filter(|n| *n > 0).map(|n| format!("{n} {word}")))
        .collect::<Vec<_>>()
        .join(", ")
    }
}

/// A failing test, with its place where the output prints one.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct FailingTest {
    /// The name as the runner prints it.
    pub name: String,
    /// Path relative to the project's root.
    pub file: Option<String>,
    /// Line in `file`, counted from 1.
    pub line: Option<u64>,
}

/// The answer of `outcome::classify` to one run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Classification {
    pub outcome: Outcome,
    /// `None` for a plain pass.
    pub kind: Option<Kind>,
    pub tests: Option<Counts>,
    pub failed_names: Vec<String>,
    /// The failing tests with their places; the same tests as `failed_names`.
    #[serde(default)]
    pub failing: Vec<FailingTest>,
    /// One line, at most 240 characters, one full stop at its end (rule C4); empty when passed.
    pub reason: String,
    /// Project files that the error part of the output names.
    pub named_files: Vec<String>,
    /// Whether the output blames a file of the change (rule C3).
    pub blames_change: bool,
    /// Whether the command ran only a part of the suite (rule C7).
    pub narrowed: bool,
    /// The runner that was recognised by its output, when one was.
    pub runner: Option<String>,
    /// Names among `failed_names` that passed when they ran again alone.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub flaky: Vec<String>,
    /// The facts that the decision rests on, one short line each.
    pub evidence: Vec<String>,
}

/// One run of one check command.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CheckRun {
    pub command: String,
    pub exit: Exit,
    pub duration_ms: u64,
    /// Combined output, bounded head and tail, control characters as they were.
    #[serde(skip)]
    pub output: String,
    #[serde(flatten)]
    pub classification: Classification,
}

/// What two runs were compared by.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Basis {
    /// By the names of failing tests.
    Names,
    /// By counts alone.
    Counts,
    /// By normalised lines of output.
    Lines,
    /// By the outcome alone (one of the two runs shows no tests).
    Outcome,
    /// There was nothing to compare with.
    #[default]
    None,
}

/// Base and after, compared (rule C8). Entries are test names, or phrases such as
/// `2 more tests fail` where the runner prints no names.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Comparison {
    pub fixed: Vec<String>,
    pub newly_broken: Vec<String>,
    pub already_failing: Vec<String>,
    pub vanished: Vec<String>,
    pub flaky: Vec<String>,
    /// Failing tests of files that the change adds: they broke nothing.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub added_failing: Vec<String>,
    #[serde(default)]
    pub basis: Basis,
}

/// A test that contradicts the report (rule W12).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Contradiction {
    pub test: String,
    pub file: Option<String>,
    pub line: Option<u64>,
    pub expected: Option<String>,
    pub report_requires: Option<String>,
    pub why: Option<String>,
    /// Whether a full check of the task showed this test failing.
    #[serde(default)]
    pub confirmed: bool,
}
