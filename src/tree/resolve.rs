//! From a path to a handle: links are followed here, the kernel never follows one.

use super::path::is_git;
use super::{RelPath, Tree, TreeError};
use rustix::fd::{AsFd, OwnedFd};
use rustix::fs::{FileType, Mode, OFlags, ResolveFlags, openat2, readlinkat, statat};
use rustix::io::Errno;
use rustix::path::Arg;
use std::collections::VecDeque;

/// As many links as the kernel itself would follow.
const MAX_LINKS: usize = 40;
/// `openat2` answers EAGAIN when a rename anywhere ran at the same time.
const ATTEMPTS: usize = 16;

/// Opens beneath `root`, following no link at all.
pub(super) fn open_beneath(
    root: impl AsFd,
    path: impl Arg,
    flags: OFlags,
    mode: Mode,
) -> Result<OwnedFd, Errno> {
    let how = ResolveFlags::BENEATH | ResolveFlags::NO_MAGICLINKS | ResolveFlags::NO_SYMLINKS;
    let mut last = Errno::AGAIN;
    let path = path.into_c_str()?;
    for _ in 0..ATTEMPTS {
        match openat2(root.as_fd(), &*path, flags | OFlags::CLOEXEC, mode, how) {
            Err(e @ (Errno::AGAIN | Errno::INTR)) => last = e,
            other => return other,
        }
    }
    Err(last)
}

/// Opens a folder for look-ups beneath it; needs no permission to list it.
pub(super) fn open_folder(root: impl AsFd, path: impl Arg) -> Result<OwnedFd, Errno> {
    open_beneath(
        root,
        path,
        OFlags::PATH | OFlags::DIRECTORY | OFlags::NOFOLLOW,
        Mode::empty(),
    )
}

/// The path of a folder for `openat2`.
fn or_dot(parts: &[String]) -> String {
    if parts.is_empty() {
        ".".into()
    } else {
        parts.join("/")
    }
}

impl Tree {
    /// The real path of `path`: every link on the way followed, the last part included. What does
    /// not exist (yet) keeps its name.
    ///
    /// # Errors
    /// `Outside` when a link leads out of the tree, `Git` when one leads into a `.git` folder,
    /// `Loop` when there is no end of them, `Dangling` when one leads nowhere,
    /// `NotAFolder` when a part before the last is a file.
    pub fn canonical(&self, path: &RelPath) -> Result<RelPath, TreeError> {
        if self.is_plain(path) {
            return Ok(path.clone());
        }
        let mut pending: VecDeque<(String, bool)> =
            path.parts().map(|p| (p.to_string(), false)).collect();
        let mut done: Vec<String> = Vec::new();
        let mut links = 0;
        while let Some((part, from_link)) = pending.pop_front() {
            match part.as_str() {
                "" | "." => continue,
                ".." => {
                    // Everything in `done` is free of links, so going up is dropping one.
                    if done.pop().is_none() {
                        return Err(TreeError::Outside { path: path.clone() });
                    }
                    continue;
                }
                name if is_git(name) => return Err(TreeError::Git { path: path.clone() }),
                _ => {}
            }
            let looked = open_folder(self.root(), or_dot(&done))
                .and_then(|folder| readlinkat(&folder, &part, Vec::new()));
            match looked {
                Ok(target) => {
                    links += 1;
                    let target = target.into_string().unwrap_or_default();
                    if links > MAX_LINKS {
                        return Err(TreeError::Loop { path: path.clone() });
                    }
                    if target.is_empty() || target.starts_with('/') {
                        return Err(TreeError::Outside { path: path.clone() });
                    }
                    for piece in target.split('/').rev() {
                        pending.push_front((piece.to_string(), true));
                    }
                }
                Err(Errno::INVAL) => done.push(part),
                Err(Errno::NOENT) if from_link => {
                    return Err(TreeError::Dangling { path: path.clone() });
                }
                Err(Errno::NOENT) => {
                    done.push(part);
                    done.extend(pending.drain(..).map(|(p, _)| p));
                }
                Err(e) => return Err(TreeError::of("look up", path, e)),
            }
        }
        RelPath::parse(&done.join("/")).map_err(|_| TreeError::Outside { path: path.clone() })
    }

    /// The real path of `path` where its last part is not followed.
    pub(super) fn canonical_name(&self, path: &RelPath) -> Result<RelPath, TreeError> {
        match path.parent() {
            Some(up) => RelPath::join(Some(&self.canonical(&up)?), path.name()),
            None => Ok(path.clone()),
        }
    }

    /// The handle of the folder that holds a canonical path.
    pub(super) fn parent_of(&self, real: &RelPath) -> Result<OwnedFd, TreeError> {
        let up = real.parent();
        let up = up.as_ref().map_or(".", RelPath::as_str);
        open_folder(self.root(), up).map_err(|e| TreeError::of("open", real, e))
    }

    /// The common case, in two calls: no link anywhere.
    fn is_plain(&self, path: &RelPath) -> bool {
        let Ok(folder) = self.parent_of(path) else {
            return false;
        };
        matches!(
            statat(&folder, path.name(), rustix::fs::AtFlags::SYMLINK_NOFOLLOW),
            Ok(s) if FileType::from_raw_mode(s.st_mode) != FileType::Symlink
        )
    }
}
