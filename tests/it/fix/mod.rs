//! The engine from outside: a project, a report and a scripted model in; a verdict out. The sandbox
//! and the checks are real.

mod apart;
mod check;
mod commands;
mod dialect;
mod evidence;
mod honest;
mod loops;
mod prompts;
mod proof;
mod recordings;
mod replay;
mod resume;
mod review;
mod room;
mod rules;
mod table;
mod verdicts;

use async_trait::async_trait;
use mend::agent::{self, Earlier, Prompts};
use mend::check::{SetUp, SetUpSettings, repo_config};
use mend::domain::{Cancel, EditEvent, Journal, Keep, Limits, Progress, Report, Steer, Usage};
use mend::fix::{self, Fixed, Input};
use mend::model::{Arguments, Message, Model, ModelError, Request, ToolCall, Turn, TurnEnd};
use mend::sandbox::{Sandbox, Settings};
use mend::text::Redactor;
use mend::tree::{Tree, copy_tree};
use serde_json::{Value, json};
use std::collections::VecDeque;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use tempfile::TempDir;

/// A project with two bugs, each shown by one test, and an old failure that nobody reports.
pub const SUMS: &[(&str, &str)] = &[
    ("adder/__init__.py", ""),
    (
        "adder/sums.py",
        "def add(a, b):\n    return a - b\n\n\ndef double(a):\n    return a * 2\n",
    ),
    ("tests/__init__.py", ""),
    (
        "tests/test_sums.py",
        "import unittest\n\nfrom adder.sums import add, double\n\n\nclass SumsTest(unittest.TestCase):\n    def test_add(self):\n        self.assertEqual(add(2, 3), 5)\n\n    def test_double(self):\n        self.assertEqual(double(4), 8)\n",
    ),
];

/// The answers of a model, in order, and everything that it was asked.
pub struct Scripted {
    turns: Mutex<VecDeque<Turn>>,
    pub seen: Mutex<Vec<Request>>,
}

impl Scripted {
    pub fn new(turns: Vec<Turn>) -> Self {
        Scripted {
            turns: Mutex::new(turns.into()),
            seen: Mutex::default(),
        }
    }

    /// The text of the last message of request number `n`, from 1: first message, or results and
    /// note.
    pub fn told(&self, n: usize) -> String {
        match self.seen.lock().unwrap()[n - 1].messages.last().unwrap() {
            Message::User(text) => text.clone(),
            Message::ToolResults { results, note } => {
                let results: Vec<&str> = results.iter().map(|r| r.content.as_str()).collect();
                format!(
                    "{}\n{}",
                    results.join("\n"),
                    note.clone().unwrap_or_default()
                )
            }
            Message::Assistant(_) => panic!("the last message is the model's own"),
        }
    }

    pub fn asked(&self) -> usize {
        self.seen.lock().unwrap().len()
    }
}

#[async_trait]
impl Model for Scripted {
    fn name(&self) -> &str {
        "scripted"
    }

    async fn turn(&self, request: &Request, _: &Cancel) -> Result<Turn, ModelError> {
        self.seen.lock().unwrap().push(request.clone());
        let next = self.turns.lock().unwrap().pop_front();
        next.ok_or(ModelError::Permanent {
            status: None,
            message: "the script is at its end".into(),
        })
    }

    fn wire_body(&self, _: &Request) -> Result<(&'static str, Value), ModelError> {
        Ok(("chat", Value::Null))
    }
}

/// A turn with a text and calls.
pub fn turn(text: &str, calls: &[(&str, Value)]) -> Turn {
    let calls = calls
        .iter()
        .enumerate()
        .map(|(n, (name, arguments))| ToolCall {
            id: format!("call-{n}"),
            name: (*name).into(),
            arguments: Arguments::Json(arguments.clone()),
        });
    Turn {
        text: text.into(),
        calls: calls.collect(),
        end: TurnEnd::ToolUse,
        usage: Usage {
            input_tokens: 100,
            output_tokens: 10,
            ..Usage::default()
        },
        carry: None,
    }
}

pub fn edit(path: &str, old: &str, new: &str) -> (&'static str, Value) {
    (
        "edit_file",
        json!({"path": path, "edits": [{"old": old, "new": new}]}),
    )
}

pub fn finish(summary: &str) -> (&'static str, Value) {
    ("finish", json!({"summary": summary}))
}

/// The edit that fixes `add`.
pub fn fixes_add() -> (&'static str, Value) {
    edit("adder/sums.py", "return a - b", "return a + b")
}

/// One run of the engine, as a test sets it up.
pub struct Case {
    pub folder: TempDir,
    pub report: Report,
    /// With which the project is set up; `None`: not at all.
    pub setup: Option<SetUpSettings>,
    pub guidance: Vec<String>,
    /// Files of the base that are different in the code that the loop starts from.
    pub start: Option<Vec<(&'static str, &'static str)>>,
    pub earlier: Option<Earlier>,
    pub commands: Vec<String>,
    pub base_check: bool,
    pub allow_tests: bool,
    pub reviewer: Option<Scripted>,
    pub limits: Limits,
    pub agent: agent::Settings,
    pub cancel: Cancel,
    pub resume: Option<String>,
    /// What people say while it runs.
    pub said: Said,
    /// What was handed out after each turn.
    pub kept: Kept,
    /// What the journal heard.
    pub heard: Heard,
}

/// A word that is said before one turn.
#[derive(Default)]
pub struct Said(Mutex<VecDeque<Vec<String>>>);

impl Said {
    /// Says it before turn `n`, from 1.
    pub fn at(n: usize, text: &str) -> Self {
        let mut turns = vec![vec![]; n - 1];
        turns.push(vec![text.to_string()]);
        Said(Mutex::new(turns.into()))
    }
}

impl Steer for Said {
    fn take(&self) -> Vec<String> {
        self.0.lock().unwrap().pop_front().unwrap_or_default()
    }
}

/// The states that a run handed out, in order.
#[derive(Default)]
pub struct Kept(Mutex<Vec<String>>);

#[async_trait]
impl Keep for Kept {
    async fn keep(&self, state: &str) {
        self.0.lock().unwrap().push(state.to_string());
    }
}

impl Kept {
    /// The state after turn `n`, from 1.
    pub fn after(&self, n: usize) -> String {
        self.0.lock().unwrap()[n - 1].clone()
    }
}

/// Everything that a run told.
#[derive(Default)]
pub struct Heard(pub Mutex<Vec<Progress>>);

impl Journal for Heard {
    fn tell(&self, event: Progress) {
        self.0.lock().unwrap().push(event);
    }
}

impl Heard {
    /// The notes, a line each.
    pub fn notes(&self) -> String {
        let heard = self.0.lock().unwrap();
        let notes = heard.iter().filter_map(|p| match p {
            Progress::Note(note) => Some(note.clone()),
            _ => None,
        });
        notes.collect::<Vec<_>>().join("\n")
    }

    /// What became of edits.
    pub fn edits(&self) -> Vec<EditEvent> {
        let heard = self.0.lock().unwrap();
        let edits = heard.iter().filter_map(|p| match p {
            Progress::Edits { edits, .. } => Some(edits.clone()),
            _ => None,
        });
        edits.collect()
    }
}

pub fn case(files: &[(&str, &str)]) -> Case {
    let folder = tempfile::Builder::new()
        .prefix("mend-fix-")
        .tempdir_in("/tmp")
        .unwrap();
    for (path, text) in files {
        let path = folder.path().join("project").join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }
    let mut mode = std::fs::metadata(folder.path()).unwrap().permissions();
    std::os::unix::fs::PermissionsExt::set_mode(&mut mode, 0o711);
    std::fs::set_permissions(folder.path(), mode).unwrap();
    Case {
        folder,
        report: Report {
            title: "add subtracts".into(),
            body: "`add(2, 3)` gives -1; it should give 5.".into(),
        },
        setup: None,
        guidance: vec![],
        start: None,
        earlier: None,
        commands: vec![],
        base_check: true,
        allow_tests: false,
        reviewer: None,
        limits: Limits::default(),
        agent: agent::Settings::default(),
        cancel: Cancel::new(),
        resume: None,
        said: Said::default(),
        kept: Kept::default(),
        heard: Heard::default(),
    }
}

/// The same, where the first message holds no source.
pub fn unseen(files: &[(&str, &str)]) -> Case {
    let mut case = case(files);
    case.agent.evidence_bytes = 0;
    case
}

pub async fn sandbox() -> Arc<Sandbox> {
    let settings = Settings {
        path: std::env::var("PATH").unwrap(),
        program: Some(PathBuf::from(env!("CARGO_BIN_EXE_mend"))),
        ..Settings::default()
    };
    Arc::new(Sandbox::find(&settings).await.unwrap())
}

impl Case {
    pub fn project(&self) -> PathBuf {
        self.folder.path().join("project")
    }

    pub async fn run(&self, turns: Vec<Turn>) -> (Fixed, Scripted) {
        let model = Scripted::new(turns);
        let fixed = self.run_with(&model).await;
        (fixed, model)
    }

    pub async fn run_with(&self, model: &dyn Model) -> Fixed {
        let reviewer = self.reviewer.as_ref().map(|r| r as &dyn Model);
        self.run_reviewed(model, reviewer).await
    }

    pub async fn run_reviewed(&self, model: &dyn Model, reviewer: Option<&dyn Model>) -> Fixed {
        let before = listing(&self.project());
        let config = repo_config(&Tree::open(&self.project()).unwrap()).unwrap();
        let setup = self.setup.clone().map(|s| SetUp::new(s, &config));
        let start = self.start.as_ref().map(|files| {
            let start = tempfile::tempdir().unwrap();
            let folder = start.path().join("start");
            copy_tree(&Tree::open(&self.project()).unwrap(), &folder, &|_| false).unwrap();
            for (path, text) in files {
                std::fs::write(folder.join(path), text).unwrap();
            }
            start
        });
        let start_path = start.as_ref().map(|s| s.path().join("start"));
        let input = Input {
            base: &self.project(),
            start: start_path.as_deref(),
            earlier: self.earlier.as_ref(),
            report: &self.report,
            guidance: &self.guidance,
            config: &config,
            setup: setup.map(Arc::new),
            git: None,
            commands: &self.commands,
            base_check: self.base_check,
            baseline: None,
            allow_tests: self.allow_tests,
            limits: &config.limits.narrow(&self.limits),
            model,
            reviewer,
            max_output_tokens: 4096,
            agent: self.agent.clone(),
            resume: self.resume.clone(),
            made: None,
            keep: Some(&self.kept),
            sandbox: sandbox().await,
            scratch: self.folder.path(),
            prompts: &Prompts::embedded().unwrap(),
            redactor: &Redactor::new(),
            cancel: &self.cancel,
            steer: Some(&self.said),
            journal: &self.heard,
        };
        let fixed = fix::run(&input).await.unwrap();
        assert_eq!(
            listing(&self.project()),
            before,
            "the given folder stays as it was"
        );
        let left: Vec<_> = std::fs::read_dir(self.folder.path())
            .unwrap()
            .map(|e| e.unwrap().file_name())
            .collect();
        assert_eq!(left, ["project"], "no throwaway tree is left");
        fixed
    }
}

/// Every path beneath a folder with its bytes.
fn listing(folder: &Path) -> Vec<(PathBuf, Vec<u8>)> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        match path.is_dir() {
            true => found.extend(listing(&path)),
            false => found.push((path.clone(), std::fs::read(&path).unwrap())),
        }
    }
    found.sort();
    found
}
