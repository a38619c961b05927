//! Files beneath a directory handle: read, write, walk, copy, remove.
//!
//! A process that ran in the sandbox may have changed anything in a work tree, and may still be
//! changing it. So no path is ever handed to the kernel as a whole host path: every access starts
//! at a handle on the root and resolves with `openat2` (Linux 5.6) beneath it, without following
//! links. Links are read and followed here, component by component, so that one which leads out
//! of the tree, dangles, or ends in a `.git` folder is refused, and callers learn the real path of
//! what they touch ([`Tree::canonical`]).
#![allow(clippy::disallowed_methods)] // this room may touch files (src/lib.rs)

mod all;
mod copy;
mod error;
mod folder;
mod path;
mod remove;
mod resolve;
mod root;
mod temp;
mod walk;

pub use all::{Change, write_all};
pub use copy::{copy_tree, fill_tree};
pub use error::TreeError;
pub use folder::{
    FolderLock, lock_folder, make_folder, move_file, move_folder, names_in, read_own, write_own,
    write_secret,
};
pub use path::RelPath;
pub use remove::remove_tree;
pub use root::{FileKind, MAX_FILE_BYTES, Meta, Tree};
pub use temp::{TempFolder, sweep};
pub use walk::{Entry, EntryKind, MAX_DEPTH, MAX_ENTRIES, Walk};
