//! Detects a project's check and runs it through the sandbox.

mod command;
mod detect;
mod error;
mod narrow;
mod node;
mod project;
mod python;
mod run;
mod rust;

pub use command::CheckCommand;
pub use detect::{detect, repo_config};
pub use error::CheckError;
pub use narrow::{narrow, quote};
pub use run::{RunOptions, overall, run, run_on_copy};
