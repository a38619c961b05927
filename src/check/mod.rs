//! Detects a project's check and runs it through the sandbox.

mod command;
mod detect;
mod error;
mod fresh;
mod narrow;
mod node;
mod pairs;
mod project;
mod python;
mod run;
mod rust;

pub use command::CheckCommand;
pub use detect::{detect, repo_config};
pub use error::CheckError;
pub use fresh::Checks;
pub use narrow::{narrow, quote};
pub use pairs::pairs;
pub use run::{RunOptions, overall, run};
