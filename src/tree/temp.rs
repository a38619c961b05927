//! Temporary folders that do not outlive their owner for long.
//!
//! The owner holds a lock on the folder itself; the kernel drops it with the process, however that
//! ended. So a sweep can tell the folders of the dead from those of the living, also across pid
//! namespaces that share the parent.
//!
//! Where mend may mount and the host has the memory, the content lies in a file system of its own
//! in memory, whose size the kernel holds; else on the disk of the parent.

use super::{TreeError, remove_tree};
use rustix::fd::OwnedFd;
use rustix::fs::{CWD, FlockOperation, Mode, OFlags, chmod, flock, fstat, mkdir, openat, stat};
use rustix::io::Errno;
use rustix::mount::{MountFlags, UnmountFlags, mount, unmount};
use std::ffi::CString;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

const PREFIX: &str = "mend-tmp-";
/// Prefixes of folders that other rooms make by `tempfile` and lock.
const OTHERS: [&str; 4] = [
    "mend-egress-",
    "mend-etc-",
    "mend-probe-",
    "mend-simulator-",
];
/// Younger ones of the other rooms may not have their lock yet.
const SETTLED: Duration = Duration::from_secs(60);
/// Where the file system in memory is mounted.
const ROOM: &str = "room";
/// What a small file costs at least; bounds the number of files.
const PER_FILE: u64 = 4096;

/// Bytes of all file systems in memory that this process has.
static IN_MEMORY: AtomicU64 = AtomicU64::new(0);

/// Whether mend gave this name: the prefix and 32 hexadecimal digits, or what `tempfile` gives.
fn is_ours(name: &str) -> bool {
    let id = name.strip_prefix(PREFIX).unwrap_or_default();
    id.len() == 32 && id.bytes().all(|b| b.is_ascii_hexdigit()) || is_others(name)
}

fn is_others(name: &str) -> bool {
    let id = OTHERS.iter().find_map(|p| name.strip_prefix(p));
    id.is_some_and(|id| id.len() == 6 && id.bytes().all(|b| b.is_ascii_alphanumeric()))
}

/// A folder that is removed when this value is dropped.
#[derive(Debug)]
pub struct TempFolder {
    path: PathBuf,
    /// Holds the lock; `None` once it was closed or kept.
    lock: Option<OwnedFd>,
    /// The file system in memory, and its size.
    room: Option<(PathBuf, u64)>,
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
                    room: None,
                });
            }
        }
        Err(fail(Errno::BUSY))
    }

    /// As [`create`](TempFolder::create), in memory where mend may mount and the host has twice
    /// this memory to spare; `bytes` is then the most that fits.
    ///
    /// # Errors
    /// `Root` when it cannot be made.
    pub fn create_sized(parent: &Path, mode: u32, bytes: u64) -> Result<TempFolder, TreeError> {
        let mut folder = TempFolder::create(parent, mode)?;
        let reserved = IN_MEMORY.fetch_add(bytes, Ordering::Relaxed);
        let wanted = reserved.saturating_add(bytes);
        let room = folder.path.join(ROOM);
        if wanted <= spare_memory() / 2 && mount_room(&room, mode, bytes).is_ok() {
            folder.room = Some((room, bytes));
        } else {
            IN_MEMORY.fetch_sub(bytes, Ordering::Relaxed);
            // It is there and empty when only the mount failed.
            let _ = std::fs::remove_dir(&room);
        }
        Ok(folder)
    }

    pub fn path(&self) -> &Path {
        match &self.room {
            Some((room, _)) => room,
            None => &self.path,
        }
    }

    /// Whether its content lies in memory, in a file system of its own.
    pub fn is_in_memory(&self) -> bool {
        self.room.is_some()
    }

    fn remove(&mut self) -> Result<(), TreeError> {
        if let Some((room, bytes)) = self.room.take() {
            IN_MEMORY.fetch_sub(bytes, Ordering::Relaxed);
            unmount(&room, UnmountFlags::DETACH)
                .map_err(|e| TreeError::io("unmount", room.display(), e))?;
        }
        remove_tree(&self.path)
    }

    /// Removes it now and tells whether that worked.
    ///
    /// # Errors
    /// `Io`.
    pub fn close(mut self) -> Result<(), TreeError> {
        let _held_until_it_is_gone = self.lock.take();
        self.remove()
    }

    /// Leaves the folder where it is; a later sweep removes it.
    pub fn keep(mut self) -> PathBuf {
        self.lock = None;
        if let Some((_, bytes)) = self.room.take() {
            IN_MEMORY.fetch_sub(bytes, Ordering::Relaxed);
        }
        self.path.clone()
    }
}

impl Drop for TempFolder {
    fn drop(&mut self) {
        if let Some(_held_until_it_is_gone) = self.lock.take()
            && let Err(e) = self.remove()
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
        if is_others(name) && !is_settled(&path) {
            continue;
        }
        let Ok(Some(held)) = lock(&path) else {
            continue;
        };
        let own = rustix::process::geteuid().as_raw();
        if fstat(&held).is_ok_and(|stat| stat.st_uid != own) {
            continue;
        }
        // EINVAL where nothing is mounted.
        let _ = unmount(
            path.join(ROOM),
            UnmountFlags::DETACH | UnmountFlags::NOFOLLOW,
        );
        match remove_tree(&path) {
            Ok(()) => removed += 1,
            Err(e) => last = Err(e),
        }
    }
    last.map(|()| removed)
}

/// A file system in memory for this user, without devices and without programs that give rights.
fn mount_room(room: &Path, mode: u32, bytes: u64) -> Result<(), Errno> {
    mkdir(room, Mode::from_raw_mode(mode))?;
    let files = bytes / PER_FILE;
    let options = format!("mode={mode:o},size={bytes},nr_inodes={files}");
    let options = CString::new(options).map_err(|_| Errno::INVAL)?;
    let flags = MountFlags::NOSUID | MountFlags::NODEV;
    mount("tmpfs", room, "tmpfs", flags, Some(options.as_c_str()))
}

/// `MemAvailable` of proc_meminfo(5).
fn spare_memory() -> u64 {
    let text = std::fs::read_to_string("/proc/meminfo").unwrap_or_default();
    let line = text.lines().find_map(|l| l.strip_prefix("MemAvailable:"));
    let kib = line.and_then(|l| l.split_whitespace().next()?.parse::<u64>().ok());
    kib.unwrap_or(0).saturating_mul(1024)
}

fn is_settled(path: &Path) -> bool {
    let made = std::fs::symlink_metadata(path).and_then(|m| m.modified());
    made.is_ok_and(|at| at.elapsed().is_ok_and(|age| age > SETTLED))
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
