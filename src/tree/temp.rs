//! Temporary folders that do not outlive their owner for long.
//!
//! The owner holds a lock on the folder itself; the kernel drops it with the process, however that
//! ended. So a sweep can tell the folders of the dead from those of the living, also across pid
//! namespaces that share the parent.

use super::{TreeError, remove_tree};
use rustix::fd::OwnedFd;
use rustix::fs::{CWD, FlockOperation, Mode, OFlags, chmod, flock, fstat, mkdir, openat, stat};
use rustix::io::Errno;
use std::path::{Path, PathBuf};

const PREFIX: &str = "mend-tmp-";

/// Whether mend gave this name: the prefix and 32 hexadecimal digits.
fn is_ours(name: &str) -> bool {
    let id = name.strip_prefix(PREFIX).unwrap_or_default();
    id.len() == 32 && id.bytes().all(|b| b.is_ascii_hexdigit())
}

/// A folder that is removed when this value is dropped.
#[derive(Debug)]
pub struct TempFolder {
    path: PathBuf,
    /// Holds the lock; `None` once it was closed or kept.
    lock: Option<OwnedFd>,
}

impl TempFolder {
    /// Makes an empty folder with a name of its own and exactly these permission bits (`0o700`,
    /// or `0o711` when a sandbox under another uid must pass through) beneath `parent`, which is
    /// made too when only its last part is missing.
    ///
    /// # Errors
    /// `Root` when it cannot be made.
    pub fn create(parent: &Path, mode: u32) -> Result<TempFolder, TreeError> {
        let fail = |source| TreeError::Root {
            path: parent.into(),
            source,
        };
        match mkdir(parent, Mode::from_raw_mode(mode)) {
            Ok(()) | Err(Errno::EXIST) => {}
            Err(e) => return Err(fail(e)),
        }
        for _ in 0..16 {
            let path = parent.join(format!("{PREFIX}{}", uuid::Uuid::new_v4().simple()));
            mkdir(&path, Mode::from_raw_mode(0o700)).map_err(fail)?;
            // A sweep may have come between: it then holds the lock, or the folder is gone.
            if let Some(lock) = lock(&path).map_err(fail)? {
                chmod(&path, Mode::from_raw_mode(mode)).map_err(fail)?;
                return Ok(TempFolder {
                    path,
                    lock: Some(lock),
                });
            }
        }
        Err(fail(Errno::BUSY))
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Removes it now and tells whether that worked.
    ///
    /// # Errors
    /// `Io`.
    pub fn close(mut self) -> Result<(), TreeError> {
        self.lock = None;
        remove_tree(&self.path)
    }

    /// Leaves the folder where it is; a later sweep removes it.
    pub fn keep(mut self) -> PathBuf {
        self.lock = None;
        self.path.clone()
    }
}

impl Drop for TempFolder {
    fn drop(&mut self) {
        if self.lock.take().is_some()
            && let Err(e) = remove_tree(&self.path)
        {
            tracing::warn!(error = %e, "a temporary folder was left for the next sweep");
        }
    }
}

/// Removes the temporary folders beneath `parent` whose owner is gone, and answers how many.
///
/// # Errors
/// `Root` when `parent` cannot be listed; `Io` of the last folder that could not be removed.
pub fn sweep(parent: &Path) -> Result<usize, TreeError> {
    let fail = |source| TreeError::Root {
        path: parent.into(),
        source,
    };
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
    let folder = match openat(CWD, parent, flags, Mode::empty()) {
        Err(Errno::NOENT) => return Ok(0),
        other => other.map_err(fail)?,
    };
    let mut removed = 0;
    let mut last = Ok(());
    for name in super::walk::names(&folder).map_err(fail)? {
        let Some(name) = name.to_str().ok().filter(|n| is_ours(n)) else {
            continue;
        };
        let path = parent.join(name);
        let Ok(Some(_held)) = lock(&path) else {
            continue;
        };
        match remove_tree(&path) {
            Ok(()) => removed += 1,
            Err(e) => last = Err(e),
        }
    }
    last.map(|()| removed)
}

/// The lock of a folder, unless somebody holds it or the folder went away.
fn lock(path: &Path) -> Result<Option<OwnedFd>, Errno> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let handle = match openat(CWD, path, flags, Mode::empty()) {
        Err(Errno::NOENT) => return Ok(None),
        other => other?,
    };
    match flock(&handle, FlockOperation::NonBlockingLockExclusive) {
        Err(Errno::WOULDBLOCK) => return Ok(None),
        other => other?,
    }
    let held = fstat(&handle)?;
    match stat(path) {
        Ok(now) if (now.st_dev, now.st_ino) == (held.st_dev, held.st_ino) => Ok(Some(handle)),
        Ok(_) | Err(Errno::NOENT) => Ok(None),
        Err(e) => Err(e),
    }
}
