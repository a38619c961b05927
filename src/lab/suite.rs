//! A suite: a folder of tasks, each a project, a bug as a patch, a report, a check and hidden tests.

use super::LabError;
use crate::domain::{Report, Verdict};
use crate::git::apply_patch;
use crate::tree::{Change, EntryKind, RelPath, Tree, copy_tree, write_all};
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};

/// What runs leave behind in a project; never copied.
const CACHES: &[&str] = &["target", "__pycache__", ".pytest_cache", "node_modules"];

/// `task.toml`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Written {
    pub title: String,
    pub language: String,
    #[serde(default)]
    pub tags: Vec<String>,
    /// The project without the bug, relative to the task's folder.
    pub source: String,
    /// The patch that puts the bug in.
    pub bug: String,
    /// The report, its title on the first line.
    pub report: String,
    #[serde(default)]
    pub setup: Vec<String>,
    pub check: Vec<String>,
    /// Tests that the model never sees, laid over the project to judge a fix.
    pub hidden: String,
    pub hidden_check: Vec<String>,
    /// Whether the set-up runs before the hidden check.
    #[serde(default = "yes")]
    pub hidden_setup: bool,
    /// A patch on top of the bug that fixes it.
    pub reference: String,
    /// A patch that looks like a fix and is none.
    #[serde(default)]
    pub wrong: Option<String>,
    /// Whether an existing test contradicts the report.
    #[serde(default)]
    pub contradiction: bool,
    #[serde(default)]
    pub contradicting_test: Option<String>,
    /// Tests that fail before and after.
    #[serde(default)]
    pub failing: Vec<String>,
    /// Tests that fail now and then, whatever is done.
    #[serde(default)]
    pub flaky: Vec<String>,
    #[serde(default)]
    pub expect: Option<Verdict>,
    /// Seconds of one check command.
    #[serde(default = "a_minute")]
    pub timeout: u64,
}

fn yes() -> bool {
    true
}

fn a_minute() -> u64 {
    60
}

/// A task of a suite.
#[derive(Debug, Clone)]
pub struct BenchTask {
    /// The name of its folder.
    pub name: String,
    pub folder: PathBuf,
    pub written: Written,
    pub report: Report,
}

/// What is done to the project.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Made {
    /// Without the bug.
    Clean,
    Bug,
    /// With the reference fix.
    Fixed,
    /// With the fix that is none.
    Wrong,
}

/// Which tasks of a suite.
#[derive(Debug, Clone, Default)]
pub struct Chosen {
    pub names: Vec<String>,
    /// All of these tags and languages, where there are any.
    pub tags: Vec<String>,
}

/// Reads the tasks of a suite, sorted by name.
///
/// # Errors
/// When a task is not what it should be, or a chosen one is not there.
pub fn load(suite: &Path, chosen: &Chosen) -> Result<Vec<BenchTask>, LabError> {
    let wrong = |what: String| LabError::Suite(what);
    let entries = std::fs::read_dir(suite)
        .map_err(|e| wrong(format!("the suite {} cannot be read: {e}", suite.display())))?;
    let mut tasks = Vec::new();
    for entry in entries {
        let folder = entry?.path();
        let file = folder.join("task.toml");
        let name = folder.file_name().and_then(|n| n.to_str());
        let Some(name) = name.filter(|_| file.is_file()).map(String::from) else {
            continue;
        };
        let text = std::fs::read_to_string(&file)?;
        let written: Written = toml::from_str(&text)
            .map_err(|e| wrong(format!("{}: {}", file.display(), e.message())))?;
        let report = std::fs::read_to_string(folder.join(&written.report))
            .map_err(|e| wrong(format!("the report of {name} cannot be read: {e}")))?;
        let report = Report::titled(&report);
        tasks.push(BenchTask {
            name,
            folder,
            written,
            report,
        });
    }
    tasks.sort_by(|a, b| a.name.cmp(&b.name));
    if let Some(name) = chosen
        .names
        .iter()
        .find(|n| tasks.iter().all(|t| t.name != **n))
    {
        let known = tasks.iter().map(|t| t.name.as_str());
        let near = crate::text::nearest(name, known);
        let hint = near.map_or(String::new(), |n| format!("; did you mean `{n}`?"));
        return Err(wrong(format!(
            "there is no task `{name}` in the suite{hint}"
        )));
    }
    tasks.retain(|t| {
        let named = chosen.names.is_empty() || chosen.names.contains(&t.name);
        let has = |tag: &String| t.written.tags.contains(tag) || t.written.language == *tag;
        named && chosen.tags.iter().all(has)
    });
    match tasks.is_empty() {
        true => Err(wrong(format!("no task of {} is meant", suite.display()))),
        false => Ok(tasks),
    }
}

impl BenchTask {
    /// Makes the project at `to`, which does not exist. Blocks.
    ///
    /// # Errors
    /// When a patch does not fit or files cannot be written.
    pub fn make(&self, made: Made, to: &Path, scratch: &Path) -> Result<(), LabError> {
        let source = Tree::open(&self.folder.join(&self.written.source))?;
        let cache = |path: &RelPath| {
            let last = path.as_str().rsplit('/').next();
            last.is_some_and(|name| CACHES.contains(&name))
        };
        copy_tree(&source, to, &cache)?;
        let wrong = self.written.wrong.as_deref();
        let patches: &[&str] = match made {
            Made::Clean => &[],
            Made::Bug => &[&self.written.bug],
            Made::Fixed => &[&self.written.bug, &self.written.reference],
            Made::Wrong => &[&self.written.bug, wrong.unwrap_or_default()],
        };
        for patch in patches {
            let bytes = std::fs::read(self.folder.join(patch)).map_err(|e| {
                LabError::Suite(format!("`{patch}` of {} cannot be read: {e}", self.name))
            })?;
            apply_patch(to, &bytes, scratch).map_err(|e| {
                LabError::Suite(format!("`{patch}` of {} does not apply: {e}", self.name))
            })?;
        }
        Ok(())
    }

    /// Lays the hidden tests over the project at `to`, in place of what is there. Blocks.
    ///
    /// # Errors
    /// When files cannot be read or written.
    pub fn lay_hidden(&self, to: &Path) -> Result<(), LabError> {
        let hidden = Tree::open(&self.folder.join(&self.written.hidden))?;
        let mut changes = Vec::new();
        for entry in hidden.walk()? {
            if entry.kind == EntryKind::File {
                changes.push(Change {
                    after: Some(hidden.read(&entry.path)?),
                    mode: Some(entry.mode),
                    path: entry.path,
                });
            }
        }
        Ok(write_all(&Tree::open(to)?, &changes)?)
    }
}
