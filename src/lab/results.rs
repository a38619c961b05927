//! A run's folder: `run.json`, `results.jsonl` with a line per task and repeat, and of each of these
//! a trace, the change, and the recording where one was asked for.

use super::{LabError, lines};
use crate::domain::{Outcome, StopReason, Verdict};
use crate::trace::{self, Span};
use serde::{Deserialize, Serialize};
use std::fs::File;
use std::io::BufReader;
use std::path::{Path, PathBuf};

const ABOUT: &str = "run.json";
const RESULTS: &str = "results.jsonl";

/// `run.json`: what was run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct About {
    pub suite: String,
    pub model: String,
    pub version: String,
    /// Seconds since the Unix epoch.
    pub began: i64,
    pub repeats: u32,
    /// A hash of the prompts, the loop's settings and its limits.
    #[serde(default)]
    pub settings: String,
    /// What else was set, in the words of whoever ran it.
    #[serde(default)]
    pub note: String,
}

/// One task, once.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Row {
    pub task: String,
    /// From 1.
    pub repeat: u32,
    pub language: String,
    pub tags: Vec<String>,
    pub solved: bool,
    /// Why it does not count as solved; empty where it does.
    pub why: String,
    /// What the hidden check said.
    pub hidden: Outcome,
    /// `None` where nothing could be tried.
    pub verdict: Option<Verdict>,
    pub stop: Option<StopReason>,
    pub turns: u32,
    pub input_tokens: u64,
    pub output_tokens: u64,
    pub cached_tokens: u64,
    pub dollars: Option<f64>,
    pub seconds: f64,
    pub model_seconds: f64,
    pub check_seconds: f64,
    /// Tests that were named as contradicting the report.
    pub named: Vec<String>,
    pub error: Option<String>,
}

impl Row {
    /// What its files are called.
    pub fn label(&self) -> String {
        label(&self.task, self.repeat)
    }
}

pub(super) fn label(task: &str, repeat: u32) -> String {
    format!("{task}.{repeat}")
}

/// The folder of a run.
#[derive(Debug, Clone)]
pub struct RunFolder {
    path: PathBuf,
}

impl RunFolder {
    /// Opens a run that is there.
    ///
    /// # Errors
    /// When the folder holds no run.
    pub fn open(path: &Path) -> Result<(RunFolder, About), LabError> {
        let file = path.join(ABOUT);
        let text = std::fs::read_to_string(&file).map_err(|e| {
            LabError::Suite(format!(
                "{} is no run: {}: {e}",
                path.display(),
                file.display()
            ))
        })?;
        let about = serde_json::from_str(&text)
            .map_err(|e| LabError::Suite(format!("{} is no run: {e}", file.display())))?;
        Ok((RunFolder { path: path.into() }, about))
    }

    /// Makes a run's folder, or goes on with the one that is there where it is of the same suite
    /// and model.
    ///
    /// # Errors
    /// When it holds something else, or cannot be written.
    pub fn begin(path: &Path, about: &About) -> Result<RunFolder, LabError> {
        if path.join(ABOUT).exists() {
            let (run, there) = RunFolder::open(path)?;
            let what = |a: &About| {
                let words = [&a.suite, &a.model, &a.version, &a.note];
                words.map(String::clone)
            };
            if what(&there) == what(about) && there.settings != about.settings {
                return Err(LabError::Suite(format!(
                    "the run in {} began with other prompts, settings or limits; name another folder",
                    path.display()
                )));
            }
            if what(&there) != what(about) {
                return Err(LabError::Suite(format!(
                    "{} holds a run of {} with {} by mend {} ({:?}); name another folder",
                    path.display(),
                    there.suite,
                    there.model,
                    there.version,
                    there.note
                )));
            }
            return Ok(run);
        }
        if std::fs::read_dir(path).is_ok_and(|mut entries| entries.next().is_some()) {
            let what = format!("{} is not empty and holds no run", path.display());
            return Err(LabError::Suite(what));
        }
        for folder in ["traces", "changes"] {
            std::fs::create_dir_all(path.join(folder))?;
        }
        std::fs::write(path.join(ABOUT), json(about)?)?;
        Ok(RunFolder { path: path.into() })
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The rows so far. A last line that was cut off, as a kill leaves it, does not count.
    ///
    /// # Errors
    /// When another line is none.
    pub fn rows(&self) -> Result<Vec<Row>, LabError> {
        Ok(lines::read(&self.path.join(RESULTS), "row of a run")?)
    }

    /// Adds a row, whole or not at all.
    pub(super) fn add(&self, row: &Row, trace: &[Span], diff: &str) -> Result<(), LabError> {
        let label = row.label();
        let mut file = File::create(self.trace_of(&label))?;
        for span in trace {
            trace::write(&mut file, span)?;
        }
        std::fs::write(self.path.join(format!("changes/{label}.diff")), diff)?;
        Ok(lines::append(&self.path.join(RESULTS), row)?)
    }

    fn trace_of(&self, label: &str) -> PathBuf {
        self.path.join(format!("traces/{label}.jsonl"))
    }

    /// The trace of a row.
    ///
    /// # Errors
    /// When it cannot be read.
    pub fn trace(&self, row: &Row) -> Result<Vec<Span>, LabError> {
        let file = File::open(self.trace_of(&row.label()))?;
        Ok(trace::read(&mut BufReader::new(file))?)
    }

    /// The change of a row, as a unified diff.
    ///
    /// # Errors
    /// When it cannot be read.
    pub fn change(&self, row: &Row) -> Result<String, LabError> {
        let path = self.path.join(format!("changes/{}.diff", row.label()));
        Ok(std::fs::read_to_string(path)?)
    }

    /// Where the recording of a task's repeat lies, or is to lie.
    pub(super) fn recording(&self, task: &str, repeat: u32) -> PathBuf {
        self.path.join("recordings").join(label(task, repeat))
    }
}

fn json(value: &impl Serialize) -> Result<String, LabError> {
    Ok(serde_json::to_string_pretty(value).map_err(std::io::Error::other)? + "\n")
}
