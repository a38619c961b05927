//! What goes into one piece of work and what it used.

use super::{CheckRun, Comparison};
use serde::{Deserialize, Serialize};

/// Paths that mend never changes, in the form of lines of a `.gitignore`, compared without regard to
/// case: what runs with a repository's rights, and what says who may do what. GitHub refuses a push
/// that touches workflows from an App without that permission, and mend's App does not ask for it.
/// The last lines are what an interpreter loads unasked into every run, the tests' among them.
pub const REFUSED_PATHS: &[&str] = &[
    "/.github/workflows/",
    "/.github/mend.toml",
    "action.yml",
    "action.yaml",
    "CODEOWNERS",
    ".gitmodules",
    "sitecustomize.py",
    "usercustomize.py",
    "*.pth",
    "node_modules/",
];

/// The person's text about the bug.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Report {
    pub title: String,
    pub body: String,
}

impl Report {
    /// Reads a report whose first line is the title, as in a commit's message.
    pub fn titled(text: &str) -> Report {
        let text = text.trim_start();
        let (title, body) = text.split_once('\n').unwrap_or((text.trim(), ""));
        Report {
            title: title.trim().trim_start_matches('#').trim().to_string(),
            body: body.trim().to_string(),
        }
    }
}

/// The bounds of one task (rule W13).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Limits {
    /// Turns of the model.
    pub turns: u32,
    /// Wall time of the whole task, in seconds.
    pub wall_s: u64,
    /// Wall time of one check command, in seconds.
    pub check_s: u64,
    /// Input tokens over all turns.
    pub input_tokens: u64,
    /// Dollars; counts only when a price is configured.
    pub dollars: Option<f64>,
    /// Bytes of one tool result.
    pub tool_result_bytes: usize,
    /// How often a test that fails newly is run again alone before it is called broken.
    pub reruns: u32,
}

impl Default for Limits {
    fn default() -> Self {
        Limits {
            turns: 25,
            wall_s: 45 * 60,
            check_s: 10 * 60,
            input_tokens: 2_000_000,
            dollars: None,
            tool_result_bytes: 64 * 1024,
            reruns: 2,
        }
    }
}

/// Tokens and money that model calls used.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct Usage {
    /// All input tokens, cached ones included.
    pub input_tokens: u64,
    pub output_tokens: u64,
    /// Input tokens that were read from the provider's cache.
    pub cached_tokens: u64,
    /// `None` without a configured price.
    pub dollars: Option<f64>,
}

impl Usage {
    /// Adds another call's usage.
    pub fn add(&mut self, other: &Usage) {
        self.input_tokens += other.input_tokens;
        self.output_tokens += other.output_tokens;
        self.cached_tokens += other.cached_tokens;
        self.dollars = match (self.dollars, other.dollars) {
            (None, None) => None,
            (a, b) => Some(a.unwrap_or(0.0) + b.unwrap_or(0.0)),
        };
    }
}

/// One check command on base and after the change.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CheckPair {
    pub command: String,
    /// `None` when the base check was off or could not be made.
    pub base: Option<CheckRun>,
    /// `None` when nothing changed.
    pub after: Option<CheckRun>,
    pub comparison: Comparison,
}
