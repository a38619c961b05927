//! Server settings and the repository's `.github/mend.toml`; the only room that reads the environment.
#![allow(clippy::disallowed_methods)] // this room may touch files or processes (src/lib.rs)

mod error;
mod repo;

pub use error::ConfigError;
pub use repo::{REPO_FILE, RepoConfig, RepoLimits};
