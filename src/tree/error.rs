//! What can go wrong beneath a root. Messages name paths inside the tree only.

use super::RelPath;
use rustix::io::Errno;
use std::path::PathBuf;

/// An error of the room `tree`.
#[derive(Debug, thiserror::Error)]
pub enum TreeError {
    /// The path's form is not allowed, whatever the tree holds.
    #[error("`{path}` {why}; give a path relative to the project's root, such as `src/main.py`")]
    BadPath { path: String, why: &'static str },
    /// A symbolic link on the way leads out of the tree.
    #[error("`{path}` leads outside the project through a symbolic link, which is refused")]
    Outside { path: RelPath },
    /// A symbolic link on the way leads into a `.git` folder.
    #[error("`{path}` leads into a .git folder through a symbolic link, which is refused")]
    Git { path: RelPath },
    /// More links than are followed, as when they lead to each other.
    #[error("`{path}` goes through a loop or too long a chain of symbolic links, which is refused")]
    Loop { path: RelPath },
    /// A symbolic link whose target does not exist.
    #[error(
        "`{path}` goes through a symbolic link to a path that does not exist, which is refused"
    )]
    Dangling { path: RelPath },
    #[error("`{path}` does not exist")]
    Missing { path: RelPath },
    /// A folder, FIFO, socket or device where a regular file is needed.
    #[error("`{path}` is {what}, not a regular file")]
    NotAFile { path: RelPath, what: &'static str },
    /// A component before the last is not a folder.
    #[error("a part of `{path}` before its last is not a folder")]
    NotAFolder { path: RelPath },
    #[error("`{path}` has {bytes} bytes, more than the {max} that are read at once")]
    TooLarge { path: RelPath, bytes: u64, max: u64 },
    /// Something else renamed parts of the path at that moment.
    #[error("`{path}` changed while it was opened; try again")]
    Changed { path: RelPath },
    /// A cap on the size of the tree was reached.
    #[error("the tree has more than {max} {what}, at `{at}`; mend stops there")]
    Limit {
        what: &'static str,
        max: u64,
        at: String,
    },
    #[error(
        "this system lacks openat2 (Linux 5.6 or later, not blocked by seccomp), without which mend touches no tree"
    )]
    Unsupported,
    #[error("cannot open the folder {path}: {source}")]
    Root { path: PathBuf, source: Errno },
    #[error("the folder {path} is not empty; name one that does not exist yet")]
    NotEmpty { path: PathBuf },
    #[error("cannot {action} `{path}`: {source}")]
    Io {
        action: &'static str,
        path: String,
        source: Errno,
    },
    /// A batch failed, and what had been written could not be put back.
    #[error("{first}; and `{path}` could not be put back: {second}")]
    PutBack {
        path: RelPath,
        first: Box<TreeError>,
        second: Box<TreeError>,
    },
}

impl TreeError {
    /// Whether the same call may succeed when it is made again.
    pub fn is_transient(&self) -> bool {
        match self {
            TreeError::Changed { .. } => true,
            TreeError::Io { source, .. } | TreeError::Root { source, .. } => matches!(
                *source,
                Errno::AGAIN
                    | Errno::INTR
                    | Errno::MFILE
                    | Errno::NFILE
                    | Errno::NOSPC
                    | Errno::NOMEM
            ),
            _ => false,
        }
    }

    pub(super) fn io(action: &'static str, path: impl std::fmt::Display, source: Errno) -> Self {
        TreeError::Io {
            action,
            path: path.to_string(),
            source,
        }
    }

    /// The error of a path that the kernel refused to open beneath the root without links.
    pub(super) fn of(action: &'static str, path: &RelPath, source: Errno) -> Self {
        let path = path.clone();
        match source {
            Errno::NOENT => TreeError::Missing { path },
            Errno::NOTDIR => TreeError::NotAFolder { path },
            Errno::LOOP | Errno::XDEV | Errno::AGAIN => TreeError::Changed { path },
            Errno::ISDIR => TreeError::NotAFile {
                path,
                what: "a folder",
            },
            Errno::NXIO | Errno::NODEV => TreeError::NotAFile {
                path,
                what: "a special file",
            },
            source => TreeError::io(action, path, source),
        }
    }
}

/// The errno inside an I/O error.
pub(super) fn errno(e: &std::io::Error) -> Errno {
    Errno::from_io_error(e).unwrap_or(Errno::IO)
}
