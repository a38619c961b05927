//! The git directory that commands see, from the folder's own repository (rule B8).

use crate::check::{CheckError, wants_git};
use crate::config::GitInSandbox;
use crate::domain::Cancel;
use crate::git::inside_of_folder;
use crate::tree::Tree;
use std::path::{Path, PathBuf};

/// Makes it at `at` where the project wants one and the folder is a repository's root.
pub(super) async fn git_of(
    folder: &Path,
    tree: &Tree,
    rule: GitInSandbox,
    at: PathBuf,
    cancel: &Cancel,
) -> Result<Option<PathBuf>, CheckError> {
    let wanted = match rule {
        GitInSandbox::Always => true,
        GitInSandbox::Never => false,
        GitInSandbox::Auto => wants_git(tree)?.is_some(),
    };
    if !wanted {
        return Ok(None);
    }
    match inside_of_folder(folder, &at, cancel).await {
        Ok(made) => Ok(made.then_some(at)),
        Err(_) if cancel.is_cancelled() => Err(CheckError::Stopped),
        Err(error) => {
            tracing::warn!(%error, "commands see no git directory");
            Ok(None)
        }
    }
}
