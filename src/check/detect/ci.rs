//! What the project's CI runs, as a hint. `.github/workflows` is read; nothing in it is executed,
//! and no command is taken from it: it chooses between commands that mend found by itself, and
//! gives them variables.

use super::strict::lenient;
use super::words::{Call, Tool, calls};
use crate::check::CheckCommand;
use crate::check::project::Project;
use serde_json::Value;

/// Workflows that are read, and their greatest size.
const MOST_FILES: usize = 20;
const MOST_BYTES: usize = 64 * 1024;
/// Variables that are taken over from one step.
const MOST_VARIABLES: usize = 16;
/// Parts of names of variables that are the CI's own, or secrets.
const NOT_TAKEN: &[&str] = &[
    "TOKEN",
    "SECRET",
    "PASSWORD",
    "KEY",
    "GITHUB_",
    "RUNNER_",
    "CODECOV",
    "COVERALLS",
    "PIP_",
    "UV_",
    "NPM_CONFIG",
    "CARGO_",
    "PATH",
    "PROXY",
    "LD_",
    "CACHE",
    "COLOR",
];

/// Variables by which tests are chosen or code is loaded before them: the command would not be the
/// whole check any more.
const NOT_TAKEN_WHOLE: &[&str] = &[
    "CI",
    "HOME",
    "ENV",
    "BASH_ENV",
    "PYTHONSTARTUP",
    "PYTEST_ADDOPTS",
    "SPEC_OPTS",
    "TESTOPTS",
    "GTEST_FILTER",
    "MAVEN_ARGS",
];

/// One step that calls a test tool.
#[derive(Debug, Clone)]
pub(super) struct Step {
    /// The workflow's file.
    pub file: String,
    /// Relative to the root; empty there.
    pub folder: String,
    pub env: Vec<(String, String)>,
    pub calls: Vec<Call>,
    /// The line as it stands, for a person.
    pub line: String,
}

#[derive(Debug, Default)]
pub(super) struct Ci {
    pub steps: Vec<Step>,
}

impl Ci {
    /// Reads the workflows of the whole project.
    pub(super) fn read(project: &Project<'_>) -> Ci {
        let mut ci = Ci::default();
        let files = project
            .files()
            .filter(|f| f.starts_with(".github/workflows/"))
            .filter(|f| f.ends_with(".yml") || f.ends_with(".yaml"));
        for file in files.take(MOST_FILES) {
            let Some(text) = project.text(file).filter(|t| t.len() <= MOST_BYTES) else {
                continue;
            };
            // The reader bounds aliases and depth; a file that it refuses gives no hint.
            let Ok(workflow) = serde_saphyr::from_str::<Value>(&text) else {
                continue;
            };
            ci.workflow(file, &workflow);
        }
        ci
    }

    fn workflow(&mut self, file: &str, workflow: &Value) {
        let jobs = workflow.get("jobs").and_then(Value::as_object);
        for job in jobs.into_iter().flat_map(|j| j.values()) {
            let steps = job.get("steps").and_then(Value::as_array);
            for step in steps.into_iter().flatten() {
                let Some(run) = step.get("run").and_then(Value::as_str) else {
                    continue;
                };
                let calls = calls(run);
                let Some(folder) = folder_of(workflow, job, step).filter(|_| !calls.is_empty())
                else {
                    continue;
                };
                let line = run.lines().find(|l| !super::words::calls(l).is_empty());
                self.steps.push(Step {
                    file: file.to_string(),
                    folder,
                    env: variables(&[workflow, job, step]),
                    calls,
                    line: line.unwrap_or(run).trim().to_string(),
                });
            }
        }
    }

    /// The calls made in a folder, with the file that makes them.
    pub(super) fn calls_in(&self, folder: &str) -> impl Iterator<Item = (&Call, &str)> {
        self.steps
            .iter()
            .filter(move |s| s.folder == folder)
            .flat_map(|s| s.calls.iter().map(move |c| (c, s.file.as_str())))
    }

    /// Whether the CI shows which ecosystems it tests, and this one is not among them.
    pub(super) fn leaves_out(&self, ecosystem: &str) -> Option<&str> {
        let tools: Vec<Tool> = self
            .steps
            .iter()
            .flat_map(|s| s.calls.iter().map(|c| c.tool))
            .collect();
        let shown = tools.iter().all(|t| t.ecosystem().is_some());
        let runs = tools.iter().any(|t| t.ecosystem() == Some(ecosystem));
        match self.steps.first() {
            Some(step) if shown && !runs => Some(&step.file),
            _ => None,
        }
    }

    /// Gives a command the variables of the step that makes the same call in the same folder.
    pub(super) fn dress(&self, command: &mut CheckCommand) {
        let Some(tool) = calls(&command.command).last().map(|c| c.tool) else {
            return;
        };
        let folder = command.folder.as_deref().unwrap_or_default();
        let step = self.steps.iter().find(|s| {
            (s.folder == folder || s.folder.is_empty()) && s.calls.iter().any(|c| c.tool == tool)
        });
        if let Some(step) = step.filter(|s| !s.env.is_empty() && command.env.is_empty()) {
            command.env = step.env.clone();
            command.why = format!("{}; variables from {}", command.why, step.file);
        }
    }
}

fn folder_of(workflow: &Value, job: &Value, step: &Value) -> Option<String> {
    let own = step.get("working-directory");
    let default = |v: &Value| v.pointer("/defaults/run/working-directory").cloned();
    let folder = own
        .cloned()
        .or_else(|| default(job))
        .or_else(|| default(workflow));
    let folder = folder.as_ref().and_then(Value::as_str).unwrap_or_default();
    let folder = folder.trim_start_matches("./").trim_end_matches('/');
    let inside = !folder.contains("${{") && !folder.split('/').any(|p| p == "..");
    inside.then(|| {
        if folder == "." {
            String::new()
        } else {
            folder.to_string()
        }
    })
}

/// Plain variables, the inner ones over the outer ones.
fn variables(levels: &[&Value]) -> Vec<(String, String)> {
    let mut found: Vec<(String, String)> = Vec::new();
    for level in levels {
        let env = level.get("env").and_then(Value::as_object);
        for (name, value) in env.into_iter().flatten() {
            let text = match value {
                Value::String(text) => text.clone(),
                Value::Number(number) => number.to_string(),
                Value::Bool(yes) => yes.to_string(),
                _ => continue,
            };
            let plain = |c: char| c.is_ascii_alphanumeric() || c == '_';
            let upper = name.to_uppercase();
            let taken = !name.is_empty()
                && name.chars().all(plain)
                && !NOT_TAKEN_WHOLE.contains(&upper.as_str())
                && !NOT_TAKEN.iter().any(|part| upper.contains(part));
            if taken && text.len() <= 1024 && !text.contains("${{") && !text.contains('\0') {
                found.retain(|(other, _)| other != name);
                found.extend(lenient(name, &text).map(|left| (name.clone(), left)));
            }
        }
    }
    found.truncate(MOST_VARIABLES);
    found
}
