//! `[git]`: what commands in the sandbox see of git, and what a check-out brings beside the
//! repository.

use super::reader::Reader;
use crate::domain::AllowedHost;
use std::str::FromStr;

/// `[git]`
#[derive(Debug, Clone, Default)]
pub struct GitRules {
    pub in_sandbox: GitInSandbox,
    /// Hosts that submodules may come from.
    pub submodules: Vec<AllowedHost>,
    /// Hosts that files of Git LFS may come from.
    pub lfs: Vec<AllowedHost>,
}

/// Whether commands see a read-only git directory of the commit.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum GitInSandbox {
    /// Where the project's files ask for it.
    #[default]
    Auto,
    Always,
    Never,
}

impl FromStr for GitInSandbox {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        match text {
            "auto" => Ok(GitInSandbox::Auto),
            "always" => Ok(GitInSandbox::Always),
            "never" => Ok(GitInSandbox::Never),
            _ => Err(()),
        }
    }
}

pub(super) fn git(r: &mut Reader<'_>) -> GitRules {
    GitRules {
        in_sandbox: r
            .parsed("git.in_sandbox", "auto, always or never")
            .unwrap_or_default(),
        submodules: super::network::hosts(r, "git.submodules").unwrap_or_default(),
        lfs: super::network::hosts(r, "git.lfs").unwrap_or_default(),
    }
}
