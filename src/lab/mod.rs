//! The lab: suites of tasks, runs of them, comparisons of runs, diagnoses, and replays of recordings
//! (rules L1 to L6). What it is for: measure, find one general weakness, change one thing, measure
//! again, keep or revert.

#![allow(clippy::disallowed_methods)] // this room may touch files (src/lib.rs)

mod compare;
mod diagnose;
mod judge;
mod lines;
mod page;
mod replay;
mod results;
mod run;
mod stats;
mod suite;
mod verify;

pub use compare::{Advice, Compared, Measure, PerTask, compare, median, table};
pub use diagnose::{
    Asked as Diagnosing, Diagnosis, Entry, Fate, Finding, Fix, Kind, Proposed, add_history,
    diagnose, read_history, report,
};
pub use judge::Bench;
pub use page::page;
pub use replay::{Difference, ReplayError, Replayed, replay};
pub use results::{About, Row, RunFolder};
pub use run::{Answers, Asked, Ran, Unanswered, run};
pub use stats::{Interval, bootstrap, mcnemar, wilcoxon};
pub use suite::{BenchTask, Chosen, Made, load};
pub use verify::{Verified, verify};

use crate::check::CheckError;
use crate::fix::{FixError, RecordingError};
use crate::model::ModelError;
use crate::trace::JsonlError;
use crate::tree::TreeError;

/// What keeps the lab from its result.
#[derive(Debug, thiserror::Error)]
pub enum LabError {
    /// A suite or a run that is not what it should be; says which and why.
    #[error("{0}")]
    Suite(String),
    #[error(transparent)]
    Tree(#[from] TreeError),
    #[error(transparent)]
    Check(#[from] CheckError),
    #[error(transparent)]
    Fix(#[from] FixError),
    #[error(transparent)]
    Model(#[from] ModelError),
    #[error(transparent)]
    Recording(#[from] RecordingError),
    #[error(transparent)]
    Trace(#[from] JsonlError),
    #[error("a file of the run cannot be read or written: {0}")]
    Io(#[from] std::io::Error),
}
