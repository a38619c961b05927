//! The files of a project as detection sees them.

use super::CheckError;
use crate::tree::{EntryKind, RelPath, Tree};
use std::collections::BTreeSet;

/// Detection reads manifests and the first part of tests, never more of a file.
const MAX_READ: u64 = 512 * 1024;
/// Test files that are looked into.
pub(super) const MAX_LOOKED: usize = 400;

/// Folders that hold others' code or what was built.
const FOREIGN: &[&str] = &[
    "node_modules",
    "target",
    "vendor",
    "third_party",
    "venv",
    ".venv",
    "env",
    "site-packages",
    ".tox",
    ".nox",
    "__pycache__",
    "dist",
    "build",
    ".eggs",
];

/// A project, or the folder of one that its checks run in. Paths are relative to that folder.
pub(super) struct Project<'a> {
    tree: &'a Tree,
    prefix: String,
    files: BTreeSet<String>,
}

impl<'a> Project<'a> {
    pub(super) fn open(tree: &'a Tree, folder: Option<&str>) -> Result<Self, CheckError> {
        let prefix = folder.map_or(String::new(), |f| format!("{f}/"));
        let walk = tree.walk_where(&mut |f| {
            !FOREIGN.contains(&f.name()) && !f.name().ends_with(".egg-info")
        })?;
        let files: BTreeSet<String> = walk
            .entries
            .into_iter()
            .filter(|e| e.kind != EntryKind::Other)
            .filter_map(|e| e.path.as_str().strip_prefix(&prefix).map(String::from))
            .collect();
        match folder {
            Some(folder) if files.is_empty() => Err(CheckError::NoFolder {
                folder: folder.to_string(),
            }),
            _ => Ok(Project {
                tree,
                prefix,
                files,
            }),
        }
    }

    pub(super) fn has(&self, path: &str) -> bool {
        self.files.contains(path)
    }

    pub(super) fn files(&self) -> impl Iterator<Item = &str> {
        self.files.iter().map(String::as_str)
    }

    /// The text of a file; `None` when it is not there, too large or not text.
    pub(super) fn text(&self, path: &str) -> Option<String> {
        let path = RelPath::parse(&format!("{}{path}", self.prefix)).ok()?;
        let bytes = self.tree.read_up_to(&path, MAX_READ).ok()?;
        String::from_utf8(bytes).ok()
    }
}

/// The folder part of a path; empty at the root.
pub(super) fn folder_of(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(folder, _)| folder)
}

/// The last part of a path.
pub(super) fn name_of(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}
