//! What can go wrong with the simulator itself; what it answers to clients is no error.

use std::path::PathBuf;

/// Why the simulator did not do what it was told.
#[derive(Debug, thiserror::Error)]
pub enum SimulatorError {
    #[error(
        "cannot run `git`, which serves clones and pushes; install the package `git`: {source}"
    )]
    NoGit { source: std::io::Error },
    #[error("`git http-backend` is not in {}; install the whole package `git`", exec_path.display())]
    NoHttpBackend { exec_path: PathBuf },
    #[error("cannot listen on 127.0.0.1:{port}; choose a free port: {source}")]
    Listen { port: u16, source: std::io::Error },
    #[error("cannot make a temporary folder for repositories: {0}")]
    Folder(std::io::Error),
    #[error("cannot make the App's key pair")]
    Key,
    #[error("cannot make a client for webhooks: {0}")]
    Client(#[from] reqwest::Error),
    #[error("app manifest: {0}")]
    Manifest(String),
    #[error("repository name `{0}` is not `owner/name`")]
    BadName(String),
    #[error("there is a repository `{0}` already")]
    Exists(String),
    #[error("the fault's path is no regular expression: {0}")]
    BadPattern(#[from] regex::Error),
    #[error("git: {0}")]
    Git(#[from] git2::Error),
    #[error("{what}: {message}")]
    Refused { what: String, message: String },
}

impl SimulatorError {
    /// Whether the same call could succeed later without anybody changing anything.
    pub fn transient(&self) -> bool {
        matches!(self, SimulatorError::Listen { .. })
    }
}
