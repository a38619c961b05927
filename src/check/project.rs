//! The files of a project as detection sees them.

use crate::check::CheckError;
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
    "_build",
    "deps",
    ".gradle",
];
/// Folders that hold data of tests, or samples, rather than packages of the project.
const FIXTURES: &[&str] = &[
    "tests",
    "test",
    "spec",
    "fixtures",
    "__fixtures__",
    "fixture",
    "testdata",
    "test-data",
    "test_data",
    "examples",
    "example",
    "samples",
    "sample",
    "docs",
    "doc",
    "templates",
    "benchmarks",
    "bench",
    "benches",
];

/// A project, or a folder of one. Paths are relative to that folder.
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

    /// The part of it in a folder; itself for an empty one.
    pub(super) fn within(&self, folder: &str) -> Project<'a> {
        let beneath = match folder {
            "" => String::new(),
            folder => format!("{folder}/"),
        };
        Project {
            tree: self.tree,
            files: self
                .files()
                .filter_map(|f| f.strip_prefix(&beneath).map(String::from))
                .collect(),
            prefix: format!("{}{beneath}", self.prefix),
        }
    }

    /// The same without what lies in these folders.
    pub(super) fn without(&self, folders: &[String]) -> Project<'a> {
        let outside = |f: &&str| !folders.iter().any(|folder| is_beneath(f, folder));
        Project {
            tree: self.tree,
            files: self.files().filter(outside).map(String::from).collect(),
            prefix: self.prefix.clone(),
        }
    }

    /// A path of this folder, seen from the tree's root.
    pub(super) fn rooted(&self, path: &str) -> String {
        format!("{}{path}", self.prefix)
    }

    pub(super) fn has(&self, path: &str) -> bool {
        self.files.contains(path)
    }

    /// The first of these files that is there.
    pub(super) fn first_of<'n>(&self, names: &[&'n str]) -> Option<&'n str> {
        names.iter().find(|n| self.has(n)).copied()
    }

    /// Whether a file lies in this folder.
    pub(super) fn has_folder(&self, folder: &str) -> bool {
        let beneath = format!("{}/", folder.trim_end_matches('/'));
        self.files
            .range(beneath.clone()..)
            .next()
            .is_some_and(|f| f.starts_with(&beneath))
    }

    /// A path of this folder, seen from the tree's root.
    pub(super) fn whole_path(&self, path: &str) -> String {
        format!("{}{path}", self.prefix)
    }

    pub(super) fn files(&self) -> impl Iterator<Item = &str> {
        self.files.iter().map(String::as_str)
    }

    /// Files at the top, not in a folder.
    pub(super) fn top(&self) -> impl Iterator<Item = &str> {
        self.files().filter(|f| !f.contains('/'))
    }

    /// The text of a file; `None` when it is not there, too large or not text.
    pub(super) fn text(&self, path: &str) -> Option<String> {
        let path = RelPath::parse(&self.rooted(path)).ok()?;
        let bytes = self.tree.read_up_to(&path, MAX_READ).ok()?;
        String::from_utf8(bytes).ok()
    }

    pub(super) fn toml(&self, path: &str) -> Option<toml::Table> {
        self.text(path)?.parse().ok()
    }

    pub(super) fn json(&self, path: &str) -> Option<serde_json::Value> {
        serde_json::from_str(&self.text(path)?).ok()
    }

    /// Folders that hold one of these manifests (`*.ext`: any file that ends so), the higher ones
    /// first; the top is the empty one. Fixtures and samples are none.
    pub(super) fn folders_with(&self, manifests: &[&str]) -> Vec<String> {
        let is_one = |name: &str| {
            manifests.iter().any(|m| match m.strip_prefix('*') {
                Some(ending) => name.ends_with(ending),
                None => name == *m,
            })
        };
        let found: BTreeSet<&str> = self
            .files()
            .filter(|f| is_one(name_of(f)))
            .map(folder_of)
            .filter(|f| !is_fixture(f))
            .collect();
        let mut found: Vec<String> = found.into_iter().map(String::from).collect();
        found.sort_by_key(|f| (!f.is_empty(), f.matches('/').count()));
        found
    }
}

/// Whether a folder holds data of tests or samples.
fn is_fixture(folder: &str) -> bool {
    folder.split('/').any(|p| FIXTURES.contains(&p))
}

/// Whether a path lies in a folder; every path lies in the empty one.
pub(super) fn is_beneath(path: &str, folder: &str) -> bool {
    folder.is_empty()
        || path
            .strip_prefix(folder)
            .is_some_and(|rest| rest.starts_with('/'))
}

/// The folder part of a path; empty at the root.
pub(super) fn folder_of(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(folder, _)| folder)
}

/// The last part of a path.
pub(super) fn name_of(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}
