//! Everything in a tree, in one sorted list.

use super::path::is_git;
use super::resolve::open_beneath;
use super::{RelPath, Tree, TreeError};
use rustix::fd::{AsFd, OwnedFd};
use rustix::fs::{AtFlags, Dir, FileType, Mode, OFlags, readlinkat, statat};
use rustix::io::Errno;
use std::ffi::CString;

/// Entries after which a walk gives up.
pub const MAX_ENTRIES: u64 = 500_000;
/// Folders inside folders after which a walk gives up.
pub const MAX_DEPTH: usize = 128;

/// One file, link or special file; folders show only by what they hold.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    pub path: RelPath,
    pub kind: EntryKind,
    /// Permission bits, `0o777` at most.
    pub mode: u32,
    /// Bytes.
    pub len: u64,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum EntryKind {
    File,
    /// With its target as it is written in the link.
    Symlink(String),
    /// FIFO, socket or device.
    Other,
}

/// A whole walk.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Walk {
    /// Sorted by path.
    pub entries: Vec<Entry>,
    /// What has no place in `entries`, made visible: names that are not UTF-8 or that no path may
    /// hold, and folders that could not be opened.
    pub left_out: Vec<String>,
}

impl Tree {
    /// Lists every file, link and special file, never entering a link or a `.git`.
    ///
    /// # Errors
    /// `Limit` beyond [`MAX_ENTRIES`] or [`MAX_DEPTH`].
    pub fn walk(&self) -> Result<Vec<Entry>, TreeError> {
        self.walk_all().map(|w| w.entries)
    }

    /// As [`Tree::walk`], and tells what could not be listed.
    ///
    /// # Errors
    /// As [`Tree::walk`].
    pub fn walk_all(&self) -> Result<Walk, TreeError> {
        self.walk_where(&mut |_| true)
    }

    /// As [`Tree::walk_all`], entering only the folders for which `enter` answers true; it is
    /// asked for a folder after those that hold it.
    ///
    /// # Errors
    /// As [`Tree::walk`].
    pub fn walk_where(&self, enter: &mut dyn FnMut(&RelPath) -> bool) -> Result<Walk, TreeError> {
        let mut walk = Walk::default();
        let top = list_folder(self.root(), ".").map_err(|e| TreeError::io("list", ".", e))?;
        into(&top, None, 0, &mut walk, enter)?;
        walk.entries.sort_by(|a, b| a.path.cmp(&b.path));
        walk.left_out.sort();
        Ok(walk)
    }
}

fn into(
    folder: &OwnedFd,
    at: Option<&RelPath>,
    depth: usize,
    walk: &mut Walk,
    enter: &mut dyn FnMut(&RelPath) -> bool,
) -> Result<(), TreeError> {
    let shown = |name: &str| at.map_or(name.to_string(), |at| format!("{at}/{name}"));
    for name in names(folder).map_err(|e| TreeError::io("list", shown("."), e))? {
        if (walk.entries.len() + walk.left_out.len()) as u64 >= MAX_ENTRIES {
            return Err(TreeError::Limit {
                what: "entries",
                max: MAX_ENTRIES,
                at: at.map_or(".".into(), ToString::to_string),
            });
        }
        let text = name.to_string_lossy();
        if is_git(&text) {
            continue;
        }
        let path = match name.to_str().map(|n| RelPath::join(at, n)) {
            Ok(Ok(path)) => path,
            _ => {
                walk.left_out.push(crate::text::visible(&shown(&text)));
                continue;
            }
        };
        let stat = match statat(folder, &name, AtFlags::SYMLINK_NOFOLLOW) {
            Ok(stat) => stat,
            // It went away between listing and looking.
            Err(Errno::NOENT) => continue,
            Err(e) => return Err(TreeError::of("look at", &path, e)),
        };
        let kind = match FileType::from_raw_mode(stat.st_mode) {
            FileType::Directory => {
                if !enter(&path) {
                    continue;
                }
                if depth + 1 >= MAX_DEPTH {
                    return Err(too_deep(path.as_str()));
                }
                match list_folder(folder, name.as_c_str()) {
                    Ok(inner) => into(&inner, Some(&path), depth + 1, walk, enter)?,
                    Err(Errno::NOENT | Errno::LOOP | Errno::NOTDIR) => {}
                    Err(e) => walk.left_out.push(format!("{path} ({e})")),
                }
                continue;
            }
            FileType::RegularFile => EntryKind::File,
            FileType::Symlink => match readlinkat(folder, &name, Vec::new()) {
                Ok(target) => EntryKind::Symlink(target.to_string_lossy().into_owned()),
                Err(_) => continue,
            },
            _ => EntryKind::Other,
        };
        walk.entries.push(Entry {
            path,
            kind,
            mode: stat.st_mode & 0o777,
            len: u64::try_from(stat.st_size).unwrap_or(0),
        });
    }
    Ok(())
}

/// The end of a shown path that went too deep.
pub(super) fn too_deep(path: &str) -> TreeError {
    TreeError::Limit {
        what: "folders inside folders",
        max: MAX_DEPTH as u64,
        at: crate::text::clip_words(path, 80),
    }
}

/// Opens a folder for listing, by one name in another, following nothing.
pub(super) fn list_folder(
    folder: impl AsFd,
    name: impl rustix::path::Arg,
) -> Result<OwnedFd, Errno> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::NONBLOCK;
    open_beneath(folder, name, flags, Mode::empty())
}

/// The names in a folder without `.` and `..`, sorted.
pub(super) fn names(folder: &OwnedFd) -> Result<Vec<CString>, Errno> {
    let mut found = Vec::new();
    let mut dir = Dir::read_from(folder)?;
    while let Some(entry) = dir.read() {
        let entry = entry?;
        let name = entry.file_name();
        if name != c"." && name != c".." {
            found.push(name.to_owned());
        }
    }
    found.sort();
    Ok(found)
}
