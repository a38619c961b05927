//! A finished set-up, as checks use it.

use super::super::run::blocking;
use super::{Ecosystem, SetUpFile, place};
use crate::check::{CheckCommand, CheckError, RunOptions};
use crate::domain::{CheckRun, Classification, Exit, Kind, Outcome, SetUpReport};
use crate::sandbox::Mount;
use crate::tree::{RelPath, Tree, fill_tree, make_folder};
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};

/// What came of a set-up.
#[derive(Debug, Clone)]
pub struct Prepared {
    pub report: SetUpReport,
    pub(super) kept: Option<Kept>,
    pub(super) env: Vec<(String, String)>,
    pub(super) files: Vec<SetUpFile>,
}

/// The folder of a set-up that went well.
#[derive(Debug, Clone)]
pub(super) struct Kept {
    pub folder: PathBuf,
    pub done: Done,
}

/// What is written beside the dependencies.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Done {
    pub report: SetUpReport,
    pub ecosystems: Vec<String>,
    pub venv: bool,
    /// Folders of the project, each with the name under which it lies in `deps`.
    pub folders: Vec<(String, String)>,
}

impl Prepared {
    /// Lays what the set-up left into a check's tree and says how the check has to run. `beside`
    /// is a folder of this run alone. Gives the files that it added to the tree.
    pub(crate) async fn lay(
        &self,
        copy: &Path,
        beside: &Path,
        options: &mut RunOptions,
    ) -> Result<Vec<RelPath>, CheckError> {
        let Some(kept) = self.kept.clone() else {
            return Ok(Vec::new());
        };
        options.env.extend(self.env.iter().cloned());
        options
            .mounts
            .push(place::deps(&kept.folder.join("deps"), false));
        for file in self.files.iter().filter(|f| f.in_checks) {
            options.mounts.push(Mount {
                host: file.host.clone(),
                inside: file.inside.clone(),
                writable: false,
            });
        }
        let mut scratch = Vec::new();
        for (n, (at, name)) in kept.done.folders.iter().enumerate() {
            let inside = Path::new(crate::sandbox::WORK).join(at);
            options.mounts.push(Mount {
                host: kept.folder.join("deps").join(name),
                inside: inside.clone(),
                writable: false,
            });
            if at.ends_with("node_modules") {
                for written in place::WRITTEN {
                    let host = beside.join(format!("{n}{written}"));
                    options.mounts.push(Mount {
                        host: host.clone(),
                        inside: inside.join(written),
                        writable: true,
                    });
                    scratch.push(host);
                }
            }
        }
        let (tree, copy) = (kept.folder.join("tree"), copy.to_path_buf());
        blocking(move || {
            for folder in scratch {
                make_folder(&folder, 0o777)?;
            }
            let (from, to) = (Tree::open(&tree)?, Tree::open(&copy)?);
            let mut added = Vec::new();
            for entry in from.walk()? {
                if to.stat(&entry.path).is_ok_and(|there| there.is_none()) {
                    added.push(entry.path);
                }
            }
            fill_tree(&from, &copy)?;
            Ok(added)
        })
        .await
    }

    /// By what the state of the dependencies is known; empty where there are none.
    pub(crate) fn key(&self) -> String {
        let name = self.kept.as_ref().and_then(|k| k.folder.file_name());
        name.map_or(String::new(), |n| n.to_string_lossy().into_owned())
    }

    /// What the commands come to without a set-up: they didn't start.
    pub(crate) fn not_started(&self, commands: &[CheckCommand]) -> Option<Vec<CheckRun>> {
        let failed = self.report.failed.as_ref()?;
        let last = telling(&failed.tail).map_or(String::new(), |l| {
            format!(": {}", crate::text::clip_words(l, 120))
        });
        let reason = format!(
            "the set-up failed, `{}` {}{last}",
            failed.command, failed.how
        );
        let reason = crate::text::one_line(&crate::text::visible(&reason));
        let reason = crate::text::clip_words(reason.trim_end_matches('.'), 239) + ".";
        let run = |command: &CheckCommand| CheckRun {
            command: command.shown(),
            exit: Exit::Code(1),
            duration_ms: 0,
            output: format!(
                "{}\n\nset-up: {}\n",
                failed.tail,
                self.report.traffic.words()
            ),
            classification: Classification {
                outcome: Outcome::DidntStart,
                kind: Some(Kind::Setup),
                tests: None,
                failed_names: Vec::new(),
                failing: Vec::new(),
                reason: reason.clone(),
                named_files: Vec::new(),
                blames_change: false,
                narrowed: command.narrowed,
                runner: None,
                flaky: Vec::new(),
                evidence: vec!["the set-up failed, so the command was not run".into()],
            },
        };
        Some(commands.iter().map(run).collect())
    }
}

/// The line of a failed step that says most: npm's first in words, an exception's, else the last
/// that speaks of an error, else the last.
fn telling(tail: &str) -> Option<&str> {
    let lines = || tail.lines().map(str::trim).filter(|l| !l.is_empty());
    let of_npm = |l| str::strip_prefix(l, "npm error ").or_else(|| l.strip_prefix("npm ERR! "));
    let labels = ["code ", "errno ", "syscall ", "path ", "A complete log"];
    if let Some(said) = lines()
        .filter_map(of_npm)
        .find(|l| !labels.iter().any(|label| l.starts_with(label)))
    {
        return Some(said.trim());
    }
    let exception = |l: &&str| l.contains("Error: ") && !l.contains("subprocess");
    let speaks = |l: &&str| l.to_lowercase().starts_with("error") || l.contains(" error ");
    lines()
        .rfind(exception)
        .or_else(|| lines().rfind(speaks))
        .or_else(|| lines().next_back())
}

/// Ecosystems by the names under which they are written down.
pub(super) fn named(names: &[String]) -> Vec<Ecosystem> {
    let all = [
        Ecosystem::Python,
        Ecosystem::Node,
        Ecosystem::Rust,
        Ecosystem::Go,
        Ecosystem::Ruby,
        Ecosystem::Php,
        Ecosystem::Jvm,
    ];
    all.into_iter()
        .filter(|e| names.contains(&format!("{e:?}")))
        .collect()
}
