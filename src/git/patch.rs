//! A unified diff put onto the files of a folder.

use super::error::GitError;
use super::init::init;
use crate::tree::TempFolder;
use git2::{ApplyLocation, Diff, Repository, RepositoryInitOptions};
use std::path::Path;

/// Applies a patch to the files of `folder`, wholly or not at all. `scratch` is where the
/// repository that libgit2 needs for it is kept meanwhile. Blocks.
///
/// # Errors
/// When the patch is none, or does not fit the files.
pub fn apply_patch(folder: &Path, patch: &[u8], scratch: &Path) -> Result<(), GitError> {
    init()?;
    let place = TempFolder::create(scratch, 0o700)
        .map_err(|e| GitError::local(format!("no place for a patch: {e}")))?;
    let mut options = RepositoryInitOptions::new();
    options
        .no_dotgit_dir(true)
        .no_reinit(true)
        .mkpath(true)
        .external_template(false)
        .workdir_path(folder);
    let repository = Repository::init_opts(place.path().join("git"), &options)?;
    // `init` leaves a link file in the work tree, which is not part of the project.
    let diff = Diff::from_buffer(patch)?;
    let applied = repository.apply(&diff, ApplyLocation::WorkDir, None);
    let link = folder.join(".git");
    if link.is_file() {
        std::fs::remove_file(link).map_err(|e| GitError::io("remove a link", &e))?;
    }
    Ok(applied?)
}
