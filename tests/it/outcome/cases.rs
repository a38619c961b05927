//! The recorded cases, read from their folders.

use mend::domain::{Classification, Exit};
use mend::outcome::{Input, classify_without};
use serde::Deserialize;
use std::fs;
use std::path::{Path, PathBuf};

/// `expect.json`; see `tests/cases/checks/README.md`.
#[derive(Debug, Default, Deserialize)]
pub struct Expect {
    pub outcome: String,
    #[serde(default)]
    pub also_accept: Vec<String>,
    pub tests: Option<Tests>,
    #[serde(default)]
    pub failed_names: Vec<String>,
    #[serde(default)]
    pub names_optional: bool,
    pub reason_contains: Option<String>,
    #[serde(default)]
    pub reason_optional: bool,
    #[serde(default)]
    pub named_files: Vec<String>,
    #[serde(default)]
    pub named_optional: bool,
    #[serde(default)]
    pub not_named: Vec<String>,
    #[serde(default)]
    pub also_named: Vec<String>,
    #[serde(default)]
    pub narrowed: bool,
    #[serde(default)]
    pub repo_files: Vec<String>,
}

#[derive(Debug, Deserialize)]
pub struct Tests {
    pub passed: Option<u64>,
    pub failed: Option<u64>,
    pub errors: Option<u64>,
    pub skipped: Option<u64>,
}

#[derive(Debug)]
pub struct Case {
    /// `runner/case`.
    pub name: String,
    pub command: String,
    pub exit: Exit,
    pub output: Vec<u8>,
    pub expect: Expect,
}

impl Case {
    pub fn runner(&self) -> &str {
        self.name.split('/').next().unwrap()
    }

    pub fn classify(&self, output: &[u8], held: &[&str]) -> Classification {
        classify_without(
            &Input {
                command: &self.command,
                exit: self.exit,
                output,
                files: &self.expect.repo_files,
                changed: &[],
                base_started: None,
                whole: true,
                report: None,
            },
            held,
        )
    }
}

pub fn all() -> Vec<Case> {
    let mut cases = Vec::new();
    for runner in folders(Path::new("tests/cases/checks")) {
        for folder in folders(&runner) {
            cases.push(read(&folder));
        }
    }
    assert!(cases.len() >= 362, "{} cases", cases.len());
    cases
}

fn folders(path: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(path).unwrap().map(|e| e.unwrap().path());
    let mut folders: Vec<_> = entries.filter(|p| p.is_dir()).collect();
    folders.sort();
    folders
}

fn read(folder: &Path) -> Case {
    let text = |file: &str| fs::read_to_string(folder.join(file)).unwrap();
    let parts: Vec<_> = folder
        .iter()
        .rev()
        .take(2)
        .map(|p| p.to_string_lossy())
        .collect();
    Case {
        name: format!("{}/{}", parts[1], parts[0]),
        command: text("command.txt").trim().to_string(),
        exit: exit(text("exit.txt").trim()),
        output: fs::read(folder.join("output.txt")).unwrap(),
        expect: serde_json::from_str(&text("expect.json")).unwrap(),
    }
}

fn exit(text: &str) -> Exit {
    match text.split_once(' ') {
        Some(("exit", code)) => Exit::Code(code.parse().unwrap()),
        Some(("signal", number)) => Exit::Signal(number.parse().unwrap()),
        Some(("timeout", _)) => Exit::TimedOut,
        _ => panic!("{text}"),
    }
}

/// A run in one object instead of a folder (`tests/cases/unseen/runs.json`).
#[derive(Debug, Deserialize)]
struct Run {
    name: String,
    command: String,
    exit: String,
    output: Vec<String>,
    expect: Expect,
}

/// Runs that were made after the rules, of other projects and other runners.
pub fn later_runs() -> Vec<Case> {
    runs("tests/cases/unseen/runs.json")
}

/// Green runs whose tests print what looks red.
pub fn noisy_greens() -> Vec<Case> {
    runs("tests/cases/unseen/greens.json")
}

/// Runs that a reader judged before the rules were asked.
pub fn judged() -> Vec<Case> {
    runs("tests/cases/unseen/judged.json")
}

fn runs(path: &str) -> Vec<Case> {
    let text = fs::read_to_string(path).unwrap();
    let runs: Vec<Run> = serde_json::from_str(&text).unwrap();
    let cases = runs.into_iter().map(|run| Case {
        name: run.name,
        command: run.command,
        exit: exit(&run.exit),
        output: run.output.join("\n").into_bytes(),
        expect: run.expect,
    });
    cases.collect()
}
