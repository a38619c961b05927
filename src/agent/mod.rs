//! The loop of the agent: first message, turns, tools, notes, stop reasons.
//!
//! The model proposes edits; it never decides an outcome. After every turn in which an edit landed
//! the full check runs by itself (rule W7), and what it said is compared with the untouched base.

mod after;
mod budget;
mod calls;
mod command;
mod compact;
mod contradiction;
mod dialect;
mod doubt;
mod end;
mod evidence;
mod first;
mod prompts;
mod reproduce;
mod review;
mod run;
mod said;
mod slow;
mod specs;
mod state;
mod told;
mod tools;
mod traced;
mod turns;

pub use contradiction::same_test;
pub use prompts::{PromptError, Prompts};
pub use run::run;
pub use traced::{check_span, checked};

use crate::check::{Checks, Prover};
use crate::domain::{
    Cancel, CheckRun, Contradiction, Journal, Keep, Limits, Outcome, Report, Review, Steer,
    StopReason, Usage,
};
use crate::model::{Dialect, Model};
use crate::workspace::{Workspace, WorkspaceError};
use serde::{Deserialize, Serialize};
use std::time::{Duration, SystemTime};

/// What is known of the untouched code before the first turn.
#[derive(Debug, Clone)]
pub enum Base {
    /// The full check ran on it.
    Ran(Vec<CheckRun>),
    /// There is no base to compare with, and why.
    None(String),
}

impl Base {
    /// The runs, where there are any.
    pub fn runs(&self) -> Option<&[CheckRun]> {
        match self {
            Base::Ran(runs) => Some(runs),
            Base::None(_) => None,
        }
    }
}

/// What ends the loop without a result: a mistake in mend's templates, or files that can no longer
/// be read.
#[derive(Debug, thiserror::Error)]
pub enum AgentError {
    #[error(transparent)]
    Prompt(#[from] PromptError),
    #[error(transparent)]
    Workspace(#[from] WorkspaceError),
}

/// What an earlier run did on the branch that this one goes on with.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Earlier {
    /// Its change, as a unified diff.
    pub diff: String,
    /// What the pull request says about it.
    pub summary: String,
}

/// How the loop speaks with the model.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Settings {
    pub dialect: Dialect,
    /// Tokens that the model takes in one request, its answer included; `None` where nobody said.
    pub context_tokens: Option<u64>,
    /// Lines of one page of `read_file`; what fits two pages comes whole.
    pub page_lines: usize,
    /// Bytes of source in the first message, of what the evidence points to; 0: none.
    pub evidence_bytes: usize,
    /// Whether the model may run commands in the sandbox.
    pub run_command: bool,
    /// Seconds of one such command at most.
    pub command_s: u64,
    /// Seconds of the base check from which the suite counts as slow (rule C12).
    pub slow_s: u64,
}

impl Default for Settings {
    fn default() -> Self {
        Settings {
            dialect: Dialect::default(),
            context_tokens: None,
            page_lines: 200,
            evidence_bytes: 24_000,
            run_command: false,
            command_s: 120,
            slow_s: 60,
        }
    }
}

/// One piece of work for the loop.
pub struct Work<'a> {
    pub report: &'a Report,
    /// What a maintainer asked for in this run, oldest first.
    pub guidance: &'a [String],
    pub base: Base,
    /// The full check on the code that the loop starts from, where that is not the base: mend's
    /// own earlier change.
    pub head: Option<Vec<CheckRun>>,
    /// What that change is, and what was said about it.
    pub earlier: Option<&'a Earlier>,
    pub model: &'a dyn Model,
    /// Reads the change before the loop ends, where there is one.
    pub reviewer: Option<&'a dyn Model>,
    pub workspace: &'a Workspace,
    pub checks: &'a Checks,
    /// Runs the tests that the change adds, on the untouched code and on the change.
    pub prover: &'a Prover<'a>,
    pub limits: &'a Limits,
    /// Wall time that the task has used already.
    pub used: Duration,
    pub prompts: &'a Prompts,
    pub tests_protected: bool,
    /// Whether test files may be added.
    pub new_tests: bool,
    pub max_output_tokens: u32,
    pub settings: Settings,
    /// What [`Keep`] was given last in an earlier attempt; the loop goes on from there where it fits.
    pub resume: Option<String>,
    pub keep: Option<&'a dyn Keep>,
    pub cancel: &'a Cancel,
    pub steer: Option<&'a dyn Steer>,
    pub journal: &'a dyn Journal,
}

/// What one turn did, for recordings and traces.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TurnEffect {
    /// Counted from 1.
    pub turn: u32,
    /// The tools that were called, in order, and whether each did what it was asked to.
    pub calls: Vec<(String, bool)>,
    /// SHA-256 of the diff against the start after this turn, in hex; empty without a change.
    pub change: String,
    /// What the full check of this turn said.
    pub check: Option<Outcome>,
}

/// How the loop ended.
#[derive(Debug, Clone)]
pub struct Ended {
    pub stop: StopReason,
    pub summary: String,
    /// Whether `summary` is the plain default, since nobody said anything (rule W8).
    pub default_summary: bool,
    pub contradictions: Vec<Contradiction>,
    /// The one thing that the model has to know, where it ended with a question.
    pub question: Option<String>,
    pub review: Option<Review>,
    /// The model's own words, where it called a test wrong and the run ended green (rule W15).
    pub doubted: Option<String>,
    pub turns: u32,
    pub usage: Usage,
    /// The full check of the work as it stands now, if one was made.
    pub check: Option<Vec<CheckRun>>,
    /// Why the model could not be asked, in one line.
    pub error: Option<String>,
    /// When the model may be asked again, where it said so.
    pub retry_at: Option<SystemTime>,
    /// Milliseconds that the model took, and that check commands took, inside the loop.
    pub model_ms: u64,
    pub checks_ms: u64,
    pub effects: Vec<TurnEffect>,
}
