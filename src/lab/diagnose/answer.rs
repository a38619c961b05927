//! The diagnoser's answer, and whether it holds: tasks, spans and files that exist, a guard that
//! fires where it says and hardly elsewhere (rule L4).

use super::Shown;
use super::history::Entry;
use crate::text::{json_object, strict_json};
use crate::trace::Guard;
use serde::{Deserialize, Serialize};
use std::path::Path;

/// Of the traces that a guard does not name, the share on which it may fire.
const OTHERS: f64 = 0.2;

/// What the model answers.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Diagnosis {
    pub tasks: Vec<Finding>,
    pub fix: Fix,
    #[serde(default)]
    pub guard: Option<Proposed>,
}

/// What went wrong in one task.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Finding {
    pub task: String,
    #[serde(default)]
    pub span: Option<u32>,
    pub step: String,
    pub cause: String,
    pub weakness: String,
}

/// The one change.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Fix {
    pub title: String,
    pub kind: Kind,
    pub file: String,
    pub change: String,
    pub why: String,
}

/// Where the change is made.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    Loop,
    Tool,
    Prompt,
}

/// A guard, with the traces on which it fires.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Proposed {
    pub name: String,
    pub span: String,
    #[serde(default)]
    pub on: crate::trace::On,
    pub pattern: String,
    pub flags: String,
    pub why: String,
    #[serde(default)]
    pub fires_on: Vec<String>,
}

impl Proposed {
    /// The guard as a file of guards holds it.
    pub fn toml(&self) -> Result<String, toml::ser::Error> {
        #[derive(Serialize)]
        struct File<'a> {
            guard: [One<'a>; 1],
        }
        #[derive(Serialize)]
        struct One<'a> {
            name: &'a str,
            span: &'a str,
            on: crate::trace::On,
            pattern: &'a str,
            flags: &'a str,
            why: &'a str,
        }
        toml::to_string(&File {
            guard: [One {
                name: &self.name,
                span: &self.span,
                on: self.on,
                pattern: &self.pattern,
                flags: &self.flags,
                why: &self.why,
            }],
        })
    }
}

/// Reads an answer and names everything that does not hold.
pub(super) fn read(
    text: &str,
    shown: &Shown<'_>,
    source: &Path,
    history: &[Entry],
) -> Result<Diagnosis, Vec<String>> {
    let Some(object) = json_object(text) else {
        return Err(vec!["the answer holds no JSON object".into()]);
    };
    let read = strict_json(object).map_err(|e| e.to_string());
    let read = read.and_then(|v| serde_json::from_value(v).map_err(|e| e.to_string()));
    let diagnosis: Diagnosis =
        read.map_err(|e| vec![format!("the JSON object is not as described: {e}")])?;
    let mut faults = Vec::new();
    tasks(&diagnosis, shown, &mut faults);
    fix(&diagnosis.fix, source, history, &mut faults);
    if let Some(guard) = &diagnosis.guard {
        guarded(guard, shown, &mut faults);
    }
    match faults.is_empty() {
        true => Ok(diagnosis),
        false => Err(faults),
    }
}

fn tasks(diagnosis: &Diagnosis, shown: &Shown<'_>, faults: &mut Vec<String>) {
    if diagnosis.tasks.is_empty() {
        faults.push("`tasks` is empty".into());
    }
    for finding in &diagnosis.tasks {
        let Some((_, trace)) = shown
            .traces
            .iter()
            .find(|(row, _)| row.label() == finding.task)
        else {
            let names: Vec<String> = shown.traces.iter().map(|(row, _)| row.label()).collect();
            faults.push(format!(
                "there is no trace of `{}`; there are {}",
                finding.task,
                names.join(", ")
            ));
            continue;
        };
        match finding.span {
            Some(id) if trace.iter().all(|s| s.id != id) => {
                faults.push(format!("the trace of `{}` has no span {id}", finding.task));
            }
            None if !trace.is_empty() => {
                faults.push(format!(
                    "name the span of `{}`; its trace holds {}",
                    finding.task,
                    trace.len()
                ));
            }
            _ => {}
        }
        for (what, text) in [("cause", &finding.cause), ("weakness", &finding.weakness)] {
            if text.trim().is_empty() {
                faults.push(format!("the {what} of `{}` is empty", finding.task));
            }
        }
    }
}

fn fix(fix: &Fix, source: &Path, history: &[Entry], faults: &mut Vec<String>) {
    let inside = Path::new(&fix.file)
        .components()
        .all(|c| matches!(c, std::path::Component::Normal(_)));
    let ours = ["src/", "prompts/"].iter().any(|p| fix.file.starts_with(p));
    if !inside || !ours || !source.join(&fix.file).is_file() {
        faults.push(format!(
            "`fix.file` is `{}`, which is no file of mend beneath src/ or prompts/",
            fix.file
        ));
    }
    for (what, text) in [
        ("title", &fix.title),
        ("change", &fix.change),
        ("why", &fix.why),
    ] {
        if text.trim().is_empty() {
            faults.push(format!("`fix.{what}` is empty"));
        }
    }
    let same = history
        .iter()
        .rev()
        .find(|e| e.title.trim().eq_ignore_ascii_case(fix.title.trim()));
    if let Some(entry) = same {
        faults.push(format!(
            "`{}` was proposed before ({}); propose something else",
            entry.title,
            entry.fate.word()
        ));
    }
}

fn guarded(guard: &Proposed, shown: &Shown<'_>, faults: &mut Vec<String>) {
    let compiled = guard.toml().map_err(|e| e.to_string());
    let compiled = compiled.and_then(|text| Guard::read(&text).map_err(|e| e.to_string()));
    let compiled = match compiled {
        Ok(guards) => guards,
        Err(error) => return faults.push(format!("the guard cannot be used: {error}")),
    };
    if guard.fires_on.is_empty() {
        faults.push("`guard.fires_on` names no task".into());
    }
    let (mut others, mut fired) = (0usize, Vec::new());
    for (row, trace) in shown.all {
        let fires = compiled.iter().any(|g| !g.check(trace).is_empty());
        let named = guard.fires_on.contains(&row.label());
        match (named, fires) {
            (true, false) => faults.push(format!("the guard does not fire on `{}`", row.label())),
            (false, fires) => {
                others += 1;
                if fires {
                    fired.push(row.label());
                }
            }
            (true, true) => {}
        }
    }
    for name in &guard.fires_on {
        if shown.all.iter().all(|(row, _)| row.label() != *name) {
            faults.push(format!(
                "`guard.fires_on` names `{name}`, of which there is no trace"
            ));
        }
    }
    if fired.len() as f64 > (others as f64 * OTHERS).max(1.0) {
        faults.push(format!(
            "the guard fires on {} of {others} other traces: {}; name them or make it narrower",
            fired.len(),
            fired.join(", ")
        ));
    }
}
