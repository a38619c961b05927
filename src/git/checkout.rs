//! Blobs into a fresh folder, without libgit2's own check-out: no filters, no attributes, no
//! index, and nothing that the tree could say about how it is written.

use super::lfs::{self, LfsFile};
use super::plan::{self, Caps, Plan, PlannedFile};
use super::{GitError, Oid, private};
use crate::domain::Cancel;
use git2::Repository;
use std::ffi::OsStr;
use std::fs::{DirBuilder, OpenOptions};
use std::io::Write;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{OpenOptionsExt, symlink};
use std::path::Path;

/// What a check-out wrote.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CheckedOut {
    pub files: usize,
    pub symlinks: usize,
    /// Empty folders now; their commits stay what they are.
    pub submodules: usize,
    pub bytes: u64,
    /// The submodules whose paths are UTF-8, with their commits.
    pub modules: Vec<(String, Oid)>,
    /// The files that are pointers of Git LFS.
    pub lfs: Vec<LfsFile>,
}

/// More threads than this gain nothing on one disk.
const MOST_THREADS: usize = 4;
/// Fewer files than this are written faster than a thread starts.
const ALONE: usize = 200;

pub(super) fn write(
    git_dir: &Path,
    commit: Oid,
    folder: &Path,
    caps: Caps,
    cancel: &Cancel,
) -> Result<CheckedOut, GitError> {
    let repo = private::open_dir(git_dir)?;
    let plan = plan::of(&repo, commit, caps)?;
    fresh(folder)?;
    for path in &plan.folders {
        // Not recursive: a parent that is missing or not a folder is an error, never a surprise.
        DirBuilder::new()
            .create(at(folder, path))
            .map_err(|e| GitError::io("a folder of the tree cannot be made", &e))?;
    }
    let lfs = write_files(&repo, git_dir, &plan, folder, cancel)?;
    // Last of all, so that no write above can have gone through one.
    for (path, id) in &plan.links {
        let target = repo.find_blob(*id)?;
        symlink(OsStr::from_bytes(target.content()), at(folder, path))
            .map_err(|e| GitError::io("a symlink of the tree cannot be made", &e))?;
    }
    Ok(CheckedOut {
        files: plan.files.len(),
        symlinks: plan.links.len(),
        submodules: plan.submodules.len(),
        bytes: plan.bytes,
        modules: plan
            .submodules
            .into_iter()
            .filter_map(|(path, id)| Some((String::from_utf8(path).ok()?, id)))
            .collect(),
        lfs,
    })
}

fn write_files(
    repo: &Repository,
    git_dir: &Path,
    plan: &Plan,
    folder: &Path,
    cancel: &Cancel,
) -> Result<Vec<LfsFile>, GitError> {
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let threads = threads.min(MOST_THREADS);
    if plan.files.len() < ALONE || threads < 2 {
        return write_some(repo, &plan.files, folder, cancel);
    }
    let share = plan.files.len().div_ceil(threads);
    std::thread::scope(|scope| {
        let workers: Vec<_> = plan
            .files
            .chunks(share)
            .map(|files| {
                scope.spawn(move || {
                    let repo = private::open_dir(git_dir)?;
                    write_some(&repo, files, folder, cancel)
                })
            })
            .collect();
        let mut result = Ok(Vec::new());
        for worker in workers {
            let done = worker
                .join()
                .unwrap_or_else(|_| Err(GitError::local("a check-out thread broke off")));
            result = result.and_then(|mut all: Vec<LfsFile>| {
                all.extend(done?);
                Ok(all)
            });
        }
        result
    })
}

fn write_some(
    repo: &Repository,
    files: &[PlannedFile],
    folder: &Path,
    cancel: &Cancel,
) -> Result<Vec<LfsFile>, GitError> {
    let odb = repo.odb()?;
    let mut pointers = Vec::new();
    for file in files {
        if cancel.is_cancelled() {
            return Err(GitError::Cancelled);
        }
        let blob = odb.read(file.id)?;
        pointers.extend(lfs::pointer(&file.path, blob.data()));
        OpenOptions::new()
            .write(true)
            .create_new(true)
            .mode(if file.executable { 0o755 } else { 0o644 })
            .open(at(folder, &file.path))
            .and_then(|mut out| out.write_all(blob.data()))
            .map_err(|e| GitError::io("a file of the tree cannot be written", &e))?;
    }
    Ok(pointers)
}

/// Makes the folder, or makes sure that it is empty.
fn fresh(folder: &Path) -> Result<(), GitError> {
    private::make_folder(folder)?;
    let mut entries =
        std::fs::read_dir(folder).map_err(|e| GitError::io("the folder cannot be read", &e))?;
    match entries.next() {
        None => Ok(()),
        Some(_) => Err(GitError::local(
            "the folder for the check-out is not empty; give a fresh one",
        )),
    }
}

fn at(folder: &Path, path: &[u8]) -> std::path::PathBuf {
    folder.join(OsStr::from_bytes(path))
}
