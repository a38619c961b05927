//! A task's own git directory: outside the work folder, without a remote, borrowing the mirror's
//! objects. What the task commits stays here until it is published.

use super::checkout::{self, CheckedOut};
use super::plan::Caps;
use super::{Git, GitError, Oid, blocking};
use crate::domain::Cancel;
use git2::{Repository, RepositoryInitOptions, RepositoryOpenFlags};
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};

/// A private git directory. Clones are the same directory.
#[derive(Debug, Clone)]
pub struct Private {
    pub(super) git: Git,
    pub(super) path: PathBuf,
}

impl Private {
    pub(super) fn create(git: Git, mirror: &Path, path: &Path) -> Result<Private, GitError> {
        if !path.join("HEAD").exists() {
            init_bare(path)?;
        }
        let objects = mirror
            .join("objects")
            .canonicalize()
            .map_err(|e| GitError::io("the mirror's objects are not there", &e))?;
        let line = objects
            .to_str()
            .filter(|p| !p.contains('\n'))
            .ok_or_else(|| GitError::local("the mirror's path is not plain text"))?;
        let info = path.join("objects/info");
        make_folder(&info)?;
        write(&info.join("alternates"), format!("{line}\n").as_bytes())?;
        // Where the borrowed history ends, a walk must end as well.
        match std::fs::read(mirror.join("shallow")) {
            Ok(ends) => write(&path.join("shallow"), &ends)?,
            Err(_) => {
                let _ = std::fs::remove_file(path.join("shallow"));
            }
        }
        Private::open(git, path)
    }

    fn open(git: Git, path: &Path) -> Result<Private, GitError> {
        open_dir(path)?;
        Ok(Private {
            git,
            path: path.to_path_buf(),
        })
    }

    /// Where it lies.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Writes a commit's tree into a fresh folder, which is made or must be empty. Submodules
    /// become empty folders, symlinks stay symlinks, no filter runs. When it fails, the folder
    /// holds a part and is for the caller to remove.
    ///
    /// # Errors
    /// [`GitError::BadName`] and [`GitError::TooLarge`] before anything is written;
    /// [`GitError::Local`] for a folder that is not empty or a disk that fails.
    pub async fn checkout(
        &self,
        commit: Oid,
        folder: &Path,
        caps: Caps,
        cancel: &Cancel,
    ) -> Result<CheckedOut, GitError> {
        let (path, folder, cancel) = (self.path.clone(), folder.to_path_buf(), cancel.clone());
        blocking(move || checkout::write(&path, commit, &folder, caps, &cancel)).await
    }

    /// Runs `work` on the opened repository, on a blocking thread.
    pub(super) async fn with<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Repository) -> Result<T, GitError> + Send + 'static,
    ) -> Result<T, GitError> {
        let path = self.path.clone();
        blocking(move || work(&open_dir(&path)?)).await
    }
}

impl Git {
    /// Takes up a private git directory again, for example after a restart.
    ///
    /// # Errors
    /// [`GitError::Gone`] when it is not there, [`GitError::Local`] when it cannot be read.
    pub async fn reopen(&self, path: impl Into<PathBuf>) -> Result<Private, GitError> {
        let (git, path) = (self.clone(), path.into());
        blocking(move || Private::open(git, &path)).await
    }
}

/// Opens a bare directory. Not by `open_bare`, which overlooks where a shallow history ends.
pub(super) fn open_dir(path: &Path) -> Result<Repository, GitError> {
    let flags = RepositoryOpenFlags::BARE | RepositoryOpenFlags::NO_SEARCH;
    let no_ceiling: &[&Path] = &[];
    Ok(Repository::open_ext(path, flags, no_ceiling)?)
}

/// A folder for mend's eyes only, with its parents.
pub(super) fn make_folder(path: &Path) -> Result<(), GitError> {
    std::fs::DirBuilder::new()
        .recursive(true)
        .mode(0o700)
        .create(path)
        .map_err(|e| GitError::io("a git folder cannot be made", &e))
}

/// A bare repository without templates, hence without hooks. It is made beside its place and
/// moved there, so that a half-made one is never seen and of two makers one wins.
pub(super) fn init_bare(path: &Path) -> Result<(), GitError> {
    let folder = path.parent().unwrap_or(Path::new("/"));
    make_folder(folder)?;
    let draft = tempfile::Builder::new()
        .prefix(".new-")
        .tempdir_in(folder)
        .map_err(|e| GitError::io("a git folder cannot be made", &e))?;
    let mut options = RepositoryInitOptions::new();
    options.bare(true).external_template(false).mkpath(true);
    Repository::init_opts(draft.path(), &options)?;
    // libgit2 brings a sample of its own.
    let _ = std::fs::remove_dir_all(draft.path().join("hooks"));
    match std::fs::rename(draft.path(), path) {
        Ok(()) => Ok(()),
        Err(_) if path.join("HEAD").exists() => Ok(()),
        Err(e) => Err(GitError::io("a git folder cannot be put in place", &e)),
    }
}

fn write(path: &Path, bytes: &[u8]) -> Result<(), GitError> {
    std::fs::write(path, bytes).map_err(|e| GitError::io("a git file cannot be written", &e))
}
