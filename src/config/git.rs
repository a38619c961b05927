//! `[git]`: what commands in the sandbox see of git.

use super::reader::Reader;
use std::str::FromStr;

/// `[git]`
#[derive(Debug, Clone, Copy, Default)]
pub struct GitRules {
    pub in_sandbox: GitInSandbox,
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
    }
}
