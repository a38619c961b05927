//! Reading and writing single files.

use super::error::errno;
use super::resolve::{open_beneath, open_folder};
use super::{RelPath, TreeError};
use rustix::fd::{AsFd, BorrowedFd, OwnedFd};
use rustix::fs::{
    AtFlags, CWD, FileType, Mode, OFlags, Stat, fchmod, fchown, fstat, fsync, mkdirat, openat,
    readlinkat, renameat, statat, symlinkat, unlinkat,
};
use rustix::io::Errno;
use std::ffi::{CStr, CString};
use std::fs::File;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, SystemTime};

/// Largest file that [`Tree::read`] reads, in bytes.
pub const MAX_FILE_BYTES: u64 = 32 * 1024 * 1024;
const NEW_FILE: u32 = 0o644;
const NEW_FOLDER: u32 = 0o755;

/// Files beneath a directory handle. Clones share the handle.
#[derive(Debug, Clone)]
pub struct Tree {
    root: Arc<OwnedFd>,
    path: PathBuf,
}

/// What stands at a path, after links inside the tree.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Meta {
    pub kind: FileKind,
    /// Permission bits, `0o777` at most: set-user, set-group and sticky bits are dropped wherever mend
    /// writes, since nothing that a task made may keep them.
    pub mode: u32,
    /// Bytes.
    pub len: u64,
}

/// The kinds of things in a folder that matter here.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FileKind {
    File,
    Folder,
    /// FIFO, socket or device.
    Special,
}

impl Tree {
    /// Takes a handle on `path`, which must be a folder.
    ///
    /// # Errors
    /// `Root` when it cannot be opened, `Unsupported` when the kernel lacks `openat2`.
    pub fn open(path: &Path) -> Result<Tree, TreeError> {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let root = openat(CWD, path, flags, Mode::empty()).map_err(|source| TreeError::Root {
            path: path.into(),
            source,
        })?;
        match open_folder(&root, ".") {
            Ok(_) => {}
            // Seccomp filters that do not know the call answer EPERM.
            Err(Errno::NOSYS | Errno::PERM | Errno::INVAL) => return Err(TreeError::Unsupported),
            Err(source) => {
                return Err(TreeError::Root {
                    path: path.into(),
                    source,
                });
            }
        }
        Ok(Tree {
            root: Arc::new(root),
            path: path.into(),
        })
    }

    /// The host path that it was opened by; never for the model or a person outside.
    pub fn path(&self) -> &Path {
        &self.path
    }

    pub(super) fn root(&self) -> BorrowedFd<'_> {
        self.root.as_fd()
    }

    /// Reads a regular file of at most [`MAX_FILE_BYTES`].
    ///
    /// # Errors
    /// `Missing`, `NotAFile`, `TooLarge`, `Outside`, `Dangling`.
    pub fn read(&self, path: &RelPath) -> Result<Vec<u8>, TreeError> {
        self.read_up_to(path, MAX_FILE_BYTES)
    }

    /// Reads a regular file of at most `max` bytes.
    ///
    /// # Errors
    /// As [`Tree::read`].
    pub fn read_up_to(&self, path: &RelPath, max: u64) -> Result<Vec<u8>, TreeError> {
        let real = self.canonical(path)?;
        // Without a writer a FIFO would block its reader for ever.
        let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::NOFOLLOW | OFlags::NOCTTY;
        let file = open_beneath(self.root(), real.as_str(), flags, Mode::empty())
            .map_err(|e| TreeError::of("open", path, e))?;
        let stat = fstat(&file).map_err(|e| TreeError::of("look at", path, e))?;
        regular(path, &stat)?;
        let len = u64::try_from(stat.st_size).unwrap_or(u64::MAX);
        let too_large = |bytes| TreeError::TooLarge {
            path: path.clone(),
            bytes,
            max,
        };
        if len > max {
            return Err(too_large(len));
        }
        let mut bytes = Vec::with_capacity(usize::try_from(len).unwrap_or(0));
        File::from(file)
            .take(max.saturating_add(1))
            .read_to_end(&mut bytes)
            .map_err(|e| TreeError::of("read", path, errno(&e)))?;
        if bytes.len() as u64 > max {
            return Err(too_large(bytes.len() as u64));
        }
        Ok(bytes)
    }

    /// What stands at `path`, links inside the tree followed; `None` when nothing does.
    ///
    /// # Errors
    /// `Outside`, `Dangling`.
    pub fn stat(&self, path: &RelPath) -> Result<Option<Meta>, TreeError> {
        let real = match self.canonical(path) {
            Err(TreeError::NotAFolder { .. } | TreeError::Missing { .. }) => return Ok(None),
            other => other?,
        };
        let folder = match self.parent_of(&real) {
            Err(TreeError::NotAFolder { .. } | TreeError::Missing { .. }) => return Ok(None),
            other => other?,
        };
        match statat(&folder, real.name(), AtFlags::SYMLINK_NOFOLLOW) {
            Ok(stat) => Ok(Some(Meta::of(&stat))),
            Err(Errno::NOENT) => Ok(None),
            Err(e) => Err(TreeError::of("look at", path, e)),
        }
    }

    /// When the content at `path` was last written, links inside the tree followed; `None` when
    /// nothing stands there.
    ///
    /// # Errors
    /// `Outside`, `Dangling`.
    pub fn modified(&self, path: &RelPath) -> Result<Option<SystemTime>, TreeError> {
        let real = self.canonical(path)?;
        let folder = self.parent_of(&real)?;
        match statat(&folder, real.name(), AtFlags::SYMLINK_NOFOLLOW) {
            Ok(stat) => {
                let seconds = u64::try_from(stat.st_mtime).unwrap_or(0);
                let part = u32::try_from(stat.st_mtime_nsec).unwrap_or(0);
                Ok(SystemTime::UNIX_EPOCH.checked_add(Duration::new(seconds, part)))
            }
            Err(Errno::NOENT) => Ok(None),
            Err(e) => Err(TreeError::of("look at", path, e)),
        }
    }

    /// Writes a regular file whole: a temporary file beside it, synced, renamed onto it. Folders
    /// on the way are made. The mode of an existing file is kept unless `mode` is given (`0o644`
    /// for a new one). Where `path` is a link to a file of the tree, that file is written.
    ///
    /// # Errors
    /// `NotAFile` when something else stands there, `Outside`, `Dangling`, `Changed`, `Io`.
    pub fn write(&self, path: &RelPath, bytes: &[u8], mode: Option<u32>) -> Result<(), TreeError> {
        self.write_noting(path, bytes, mode).map(drop)
    }

    /// Writes as [`Tree::write`] does and answers with the folders that it had to make.
    pub(super) fn write_noting(
        &self,
        path: &RelPath,
        bytes: &[u8],
        mode: Option<u32>,
    ) -> Result<Vec<RelPath>, TreeError> {
        let real = self.canonical(path)?;
        let (folder, made) = self.make_parents(&real)?;
        let put = self.put(path, &real, &folder, bytes, mode);
        if put.is_err() {
            for folder in made.iter().rev() {
                let _ = self.remove_empty(folder);
            }
        }
        put.map(|()| made)
    }

    fn put(
        &self,
        path: &RelPath,
        real: &RelPath,
        folder: &OwnedFd,
        bytes: &[u8],
        mode: Option<u32>,
    ) -> Result<(), TreeError> {
        let old = match statat(folder, real.name(), AtFlags::SYMLINK_NOFOLLOW) {
            Ok(stat) => Some(stat),
            Err(Errno::NOENT) => None,
            Err(e) => return Err(TreeError::of("look at", path, e)),
        };
        if let Some(stat) = &old {
            regular(path, stat)?;
        }
        let mode = mode.or(old.as_ref().map(|s| s.st_mode)).unwrap_or(NEW_FILE);
        let name = format!(".mend-{}.tmp", uuid::Uuid::new_v4().simple());
        let put = || -> Result<(), Errno> {
            let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW;
            let file = open_beneath(folder, &name, flags, Mode::from_raw_mode(0o600))?;
            let mut file = File::from(file);
            file.write_all(bytes).map_err(|e| errno(&e))?;
            let owner = match &old {
                Some(old) => *old,
                None => fstat(folder)?,
            };
            give_to(&file, &owner);
            fchmod(&file, Mode::from_raw_mode(mode & 0o777))?;
            fsync(&file)?;
            renameat(folder, &name, folder, real.name())
        };
        put().map_err(|e| {
            // Best effort: the error to tell is the first one.
            let _ = unlinkat(folder, &name, AtFlags::empty());
            TreeError::of("write", path, e)
        })
    }

    /// Removes a file, or a link itself (never its target).
    ///
    /// # Errors
    /// `Missing`, `NotAFile` for a folder, `Outside`.
    pub fn remove(&self, path: &RelPath) -> Result<(), TreeError> {
        let real = self.canonical_name(path)?;
        let folder = self.parent_of(&real)?;
        unlinkat(&folder, real.name(), AtFlags::empty())
            .map_err(|e| TreeError::of("remove", path, e))
    }

    /// The target of a link, as it is written in it; `None` when `path` is no link.
    ///
    /// # Errors
    /// `Outside`, `Io`.
    pub fn link_target(&self, path: &RelPath) -> Result<Option<CString>, TreeError> {
        let real = self.canonical_name(path)?;
        let target = self.parent_of(&real).and_then(|folder| {
            readlinkat(&folder, real.name(), Vec::new())
                .map_err(|e| TreeError::of("look at", path, e))
        });
        match target {
            Ok(target) => Ok(Some(target)),
            Err(TreeError::Missing { .. } | TreeError::NotAFolder { .. }) => Ok(None),
            Err(TreeError::Io {
                source: Errno::INVAL,
                ..
            }) => Ok(None),
            Err(e) => Err(e),
        }
    }

    /// Makes a link where nothing stands.
    pub(super) fn make_link(&self, path: &RelPath, target: &CStr) -> Result<(), TreeError> {
        let real = self.canonical_name(path)?;
        let folder = self.parent_of(&real)?;
        symlinkat(target, &folder, real.name()).map_err(|e| TreeError::of("link", path, e))
    }

    /// Removes a folder when it is empty.
    pub(super) fn remove_empty(&self, path: &RelPath) -> Result<(), TreeError> {
        let folder = self.parent_of(path)?;
        unlinkat(&folder, path.name(), AtFlags::REMOVEDIR)
            .map_err(|e| TreeError::of("remove", path, e))
    }

    /// The folder of a canonical path, made where it is missing; and what was made, outermost first.
    fn make_parents(&self, real: &RelPath) -> Result<(OwnedFd, Vec<RelPath>), TreeError> {
        let mut made = Vec::new();
        match self.parent_of(real) {
            Err(TreeError::Missing { .. }) => {}
            other => return other.map(|folder| (folder, made)),
        }
        let mut here = open_folder(self.root(), ".").map_err(|e| TreeError::of("open", real, e))?;
        let mut at: Option<RelPath> = None;
        for part in real.parent().iter().flat_map(RelPath::parts) {
            let next = RelPath::join(at.as_ref(), part)?;
            match mkdirat(&here, part, Mode::from_raw_mode(NEW_FOLDER)) {
                Ok(()) => made.push(next.clone()),
                Err(Errno::EXIST) => {}
                Err(e) => return Err(TreeError::of("make the folder of", real, e)),
            }
            let inner = open_folder(&here, part)
                .map_err(|e| TreeError::of("open the folder of", real, e))?;
            if made.last() == Some(&next)
                && let (Ok(owner), Ok(folder)) = (
                    fstat(&here),
                    open_beneath(
                        &inner,
                        ".",
                        OFlags::RDONLY | OFlags::DIRECTORY,
                        Mode::empty(),
                    ),
                )
            {
                give_to(&folder, &owner);
            }
            here = inner;
            at = Some(next);
        }
        Ok((here, made))
    }
}

/// A server that runs as root works on trees that an unprivileged sandbox owns; what it writes
/// there must stay theirs. Elsewhere this changes nothing, so an error is no news.
pub(super) fn give_to(file: impl AsFd, like: &Stat) {
    if rustix::process::geteuid().is_root() {
        let _ = fchown(
            file,
            Some(rustix::fs::Uid::from_raw(like.st_uid)),
            Some(rustix::fs::Gid::from_raw(like.st_gid)),
        );
    }
}

fn regular(path: &RelPath, stat: &Stat) -> Result<(), TreeError> {
    let what = match FileType::from_raw_mode(stat.st_mode) {
        FileType::RegularFile => return Ok(()),
        FileType::Directory => "a folder",
        FileType::Symlink => return Err(TreeError::Changed { path: path.clone() }),
        FileType::Fifo => "a FIFO",
        FileType::Socket => "a socket",
        _ => "a device",
    };
    Err(TreeError::NotAFile {
        path: path.clone(),
        what,
    })
}

impl Meta {
    fn of(stat: &Stat) -> Meta {
        Meta {
            kind: match FileType::from_raw_mode(stat.st_mode) {
                FileType::RegularFile => FileKind::File,
                FileType::Directory => FileKind::Folder,
                _ => FileKind::Special,
            },
            mode: stat.st_mode & 0o777,
            len: u64::try_from(stat.st_size).unwrap_or(0),
        }
    }
}
