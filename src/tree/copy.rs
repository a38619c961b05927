//! A fresh copy of a tree.

use super::error::errno;
use super::path::is_git;
use super::resolve::open_beneath;
use super::root::give_to;
use super::walk::{list_folder, names, too_deep};
use super::{MAX_DEPTH, MAX_ENTRIES, RelPath, Tree, TreeError};
use rustix::fd::OwnedFd;
use rustix::fs::{
    AtFlags, CWD, FileType, Mode, OFlags, Stat, Timestamps, fchmod, fstat, futimens, mkdir,
    mkdirat, readlinkat, statat, symlinkat,
};
use rustix::io::Errno;
use std::ffi::CStr;
use std::fs::File;
use std::path::Path;

/// Bytes after which a copy gives up; a sparse file counts with its full length.
const MAX_BYTES: u64 = 16 * 1024 * 1024 * 1024;

struct Copying<'a> {
    skip: &'a dyn Fn(&RelPath) -> bool,
    entries: u64,
    bytes: u64,
    /// Whether what is there already stays as it is.
    fill: bool,
}

/// Copies files, modes, times and links into `to`, which must be empty or not exist (its parent
/// must). `.git` is never copied, nor are FIFOs, sockets and devices; hard links become files of
/// their own; links are copied as links, wherever they lead. A folder or file for which `skip`
/// answers true is left out. Names that no [`RelPath`] can hold are copied all the same.
///
/// # Errors
/// `NotEmpty`, `Limit` beyond entries, depth or 16 GiB, `Io`. What was copied until then stays.
pub fn copy_tree(from: &Tree, to: &Path, skip: &dyn Fn(&RelPath) -> bool) -> Result<(), TreeError> {
    let made = match mkdir(to, Mode::from_raw_mode(0o700)) {
        Ok(()) => true,
        Err(Errno::EXIST) => false,
        Err(source) => {
            return Err(TreeError::Root {
                path: to.into(),
                source,
            });
        }
    };
    let at_root = |source| TreeError::Root {
        path: to.into(),
        source,
    };
    let target = list_folder_of(to).map_err(at_root)?;
    if !names(&target).map_err(at_root)?.is_empty() {
        return Err(TreeError::NotEmpty { path: to.into() });
    }
    let source = list_folder(from.root(), ".").map_err(|e| TreeError::io("list", ".", e))?;
    let mut copying = Copying {
        skip,
        entries: 0,
        bytes: 0,
        fill: false,
    };
    copying.folder(&source, &target, "", 0)?;
    if made {
        let stat = fstat(&source).map_err(|e| TreeError::io("look at", ".", e))?;
        finish(&target, &stat).map_err(at_root)?;
    }
    Ok(())
}

/// As [`copy_tree`] into a folder that holds something: what is there stays, the rest is added.
///
/// # Errors
/// As [`copy_tree`], without `NotEmpty`.
pub fn fill_tree(from: &Tree, to: &Path) -> Result<(), TreeError> {
    let target = list_folder_of(to).map_err(|source| TreeError::Root {
        path: to.into(),
        source,
    })?;
    let source = list_folder(from.root(), ".").map_err(|e| TreeError::io("list", ".", e))?;
    let mut copying = Copying {
        skip: &|_| false,
        entries: 0,
        bytes: 0,
        fill: true,
    };
    copying.folder(&source, &target, "", 0)
}

fn list_folder_of(path: &Path) -> Result<OwnedFd, Errno> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    rustix::fs::openat(CWD, path, flags, Mode::empty())
}

impl Copying<'_> {
    fn folder(
        &mut self,
        from: &OwnedFd,
        to: &OwnedFd,
        at: &str,
        depth: usize,
    ) -> Result<(), TreeError> {
        for name in names(from).map_err(|e| TreeError::io("list", at, e))? {
            let text = name.to_string_lossy();
            if is_git(&text) {
                continue;
            }
            let path = if at.is_empty() {
                text.to_string()
            } else {
                format!("{at}/{text}")
            };
            let known = name.to_str().ok().and_then(|_| RelPath::parse(&path).ok());
            if known.is_some_and(|p| (self.skip)(&p)) {
                continue;
            }
            self.entries += 1;
            if self.entries > MAX_ENTRIES {
                return Err(limit("entries", MAX_ENTRIES, &path));
            }
            let stat = match statat(from, &name, AtFlags::SYMLINK_NOFOLLOW) {
                Err(Errno::NOENT) => continue,
                other => other.map_err(|e| TreeError::io("look at", &path, e))?,
            };
            let copied = match FileType::from_raw_mode(stat.st_mode) {
                FileType::RegularFile => self.file(from, to, &name, &path)?,
                FileType::Symlink => match link(from, to, &name) {
                    Err(Errno::EXIST) if self.fill => Ok(()),
                    other => other,
                },
                FileType::Directory => {
                    if depth + 1 >= MAX_DEPTH {
                        return Err(too_deep(&path));
                    }
                    self.inner(from, to, &name, &path, depth)?
                }
                _ => Ok(()),
            };
            copied.map_err(|e| TreeError::io("copy", &path, e))?;
        }
        Ok(())
    }

    fn inner(
        &mut self,
        from: &OwnedFd,
        to: &OwnedFd,
        name: &CStr,
        path: &str,
        depth: usize,
    ) -> Result<Result<(), Errno>, TreeError> {
        let mut made = true;
        let mut open = || {
            let source = list_folder(from, name)?;
            match mkdirat(to, name, Mode::from_raw_mode(0o700)) {
                Err(Errno::EXIST) if self.fill => made = false,
                other => other?,
            }
            Ok::<_, Errno>((fstat(&source)?, source, list_folder(to, name)?))
        };
        let (stat, source, target) = match open() {
            Ok(opened) => opened,
            // Something else than a folder has the name, and keeps it.
            Err(Errno::NOTDIR | Errno::LOOP) if self.fill => return Ok(Ok(())),
            Err(e) => return Ok(Err(e)),
        };
        self.folder(&source, &target, path, depth + 1)?;
        Ok(match made {
            true => finish(&target, &stat),
            false => Ok(()),
        })
    }

    fn file(
        &mut self,
        from: &OwnedFd,
        to: &OwnedFd,
        name: &CStr,
        path: &str,
    ) -> Result<Result<(), Errno>, TreeError> {
        let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::NOCTTY;
        let open = || {
            let source = open_beneath(from, name, flags, Mode::empty())?;
            Ok::<_, Errno>((fstat(&source)?, source))
        };
        let (stat, source) = match open() {
            Ok((stat, _)) if FileType::from_raw_mode(stat.st_mode) != FileType::RegularFile => {
                return Ok(Ok(()));
            }
            Ok(opened) => opened,
            Err(e) => return Ok(Err(e)),
        };
        self.bytes += u64::try_from(stat.st_size).unwrap_or(0);
        if self.bytes > MAX_BYTES {
            return Err(limit("bytes", MAX_BYTES, path));
        }
        let put = || {
            let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW;
            let target = open_beneath(to, name, flags, Mode::from_raw_mode(0o600))?;
            let mut target = File::from(target);
            // `std` uses copy_file_range, which shares blocks where the file system can.
            std::io::copy(&mut File::from(source), &mut target).map_err(|e| errno(&e))?;
            finish(&target, &stat)
        };
        Ok(match put() {
            Err(Errno::EXIST) if self.fill => Ok(()),
            other => other,
        })
    }
}

fn link(from: &OwnedFd, to: &OwnedFd, name: &CStr) -> Result<(), Errno> {
    let target = readlinkat(from, name, Vec::new())?;
    symlinkat(target, to, name)
}

/// Mode, times and (for a server that runs as root) owner as the source has them.
fn finish(target: impl rustix::fd::AsFd, like: &Stat) -> Result<(), Errno> {
    give_to(&target, like);
    fchmod(&target, Mode::from_raw_mode(like.st_mode & 0o777))?;
    let time = |sec, nsec| rustix::fs::Timespec {
        tv_sec: sec,
        tv_nsec: nsec as _,
    };
    futimens(
        &target,
        &Timestamps {
            last_access: time(like.st_atime, like.st_atime_nsec),
            last_modification: time(like.st_mtime, like.st_mtime_nsec),
        },
    )
}

fn limit(what: &'static str, max: u64, at: &str) -> TreeError {
    TreeError::Limit {
        what,
        max,
        at: crate::text::clip_words(&crate::text::visible(at), 80),
    }
}
