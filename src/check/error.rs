//! What keeps a check from being found or run.

use crate::config::{ConfigError, REPO_FILE};
use crate::sandbox::SandboxError;
use crate::tree::TreeError;

/// An error of the room `check`. That a check fails is no error.
#[derive(Debug, thiserror::Error)]
pub enum CheckError {
    #[error(
        "no check found{in_folder}: no tests that a runner known to mend would collect, no `test` script and no `test` target{in_ci}; write the command that tests the project into `{REPO_FILE}`, for example: check = \"make test\""
    )]
    NoCheck {
        in_folder: String,
        /// What the project's CI runs, where it tests.
        in_ci: String,
    },
    /// As a working directory or as a package.
    #[error("`{REPO_FILE}` names `{folder}`, which is no folder of the project")]
    NoFolder { folder: String },
    #[error(transparent)]
    Config(#[from] ConfigError),
    #[error(transparent)]
    Tree(#[from] TreeError),
    /// A command could not be confined, so it did not run.
    #[error(transparent)]
    Sandbox(SandboxError),
    #[error(
        "the set-up leaves {files} files in the project; let it write into $MEND_DEPS, node_modules or .venv"
    )]
    SetUpTooLarge { files: usize },
    /// The sandbox gives no command a network.
    #[error(
        "the project's set-up (`{step}`) needs bubblewrap, and the sandbox is a container engine; set `sandbox.backend` to \"bwrap\", or put what the project needs into the image and write `setup = []` into `{REPO_FILE}`"
    )]
    NoSetUpHere { step: String },
    #[error("stopped")]
    Stopped,
    /// Part of a check was asked for in a way that the commands do not take.
    #[error("{0}")]
    Pattern(String),
}

impl CheckError {
    /// Whether the stop signal ended it.
    pub fn is_cancelled(&self) -> bool {
        matches!(
            self,
            CheckError::Stopped | CheckError::Sandbox(SandboxError::Stopped)
        )
    }

    /// Whether the same call may succeed when it is made again.
    pub fn is_transient(&self) -> bool {
        match self {
            CheckError::Tree(e) => e.is_transient(),
            CheckError::Sandbox(e) => e.is_transient(),
            _ => false,
        }
    }
}

impl From<SandboxError> for CheckError {
    fn from(e: SandboxError) -> Self {
        match e {
            SandboxError::Stopped => CheckError::Stopped,
            e => CheckError::Sandbox(e),
        }
    }
}
