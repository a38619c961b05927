//! Detects a project's check and runs it through the sandbox.

mod again;
mod alone;
mod attempt;
mod baseline;
mod canary;
mod command;
mod detect;
mod error;
mod fresh;
mod missing;
mod narrow;
mod pairs;
mod project;
mod prove;
mod red;
mod report;
mod run;
mod script;
mod setup;
mod shell;
mod trial;
mod vcs;

pub use baseline::Baseline;
pub use command::{CheckCommand, SetupCommand};
pub use detect::{Detection, PassedOver, detect, repo_config, survey};
pub use error::CheckError;
pub use fresh::Checks;
pub use narrow::{narrow, quote};
pub use pairs::pairs;
pub use prove::{IsTest, Prover, Runs};
pub use run::{RunOptions, overall, run};
pub use script::test_scripts;
pub use setup::{Ecosystem, Prepared, SetUp, SetUpFile, SetUpSettings};
pub use shell::Shelled;
pub use vcs::wants_git;
