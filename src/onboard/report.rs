//! What was found, a line each.

use crate::text::{one_line, visible};
use serde::Serialize;

/// How something stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum State {
    Ok,
    /// It works, and something about it should be known or changed.
    Warning,
    Failed,
}

impl State {
    pub fn word(self) -> &'static str {
        match self {
            State::Ok => "ok",
            State::Warning => "warning",
            State::Failed => "failed",
        }
    }
}

/// One thing that was looked at.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Finding {
    /// A fixed name, for scripts.
    pub name: &'static str,
    pub state: State,
    /// What is so, in one sentence.
    pub what: String,
    /// What to do about it, in one sentence; empty where nothing is to be done.
    #[serde(rename = "do")]
    pub remedy: String,
}

impl Finding {
    pub fn ok(name: &'static str, what: impl Into<String>) -> Finding {
        Finding::new(name, State::Ok, what, "")
    }

    pub fn warning(
        name: &'static str,
        what: impl Into<String>,
        remedy: impl Into<String>,
    ) -> Finding {
        Finding::new(name, State::Warning, what, remedy)
    }

    pub fn failed(
        name: &'static str,
        what: impl Into<String>,
        remedy: impl Into<String>,
    ) -> Finding {
        Finding::new(name, State::Failed, what, remedy)
    }

    fn new(
        name: &'static str,
        state: State,
        what: impl Into<String>,
        remedy: impl Into<String>,
    ) -> Finding {
        // Words of other programs stand in it.
        let plain = |text: String| one_line(&visible(&text));
        Finding {
            name,
            state,
            what: plain(what.into()),
            remedy: plain(remedy.into()),
        }
    }
}

/// Everything that was looked at, in the order in which one thing needs the one before.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Report {
    pub findings: Vec<Finding>,
}

impl Report {
    /// The worst of all.
    pub fn state(&self) -> State {
        let worst = self.findings.iter().map(|f| f.state).max();
        worst.unwrap_or(State::Ok)
    }

    pub fn count(&self, state: State) -> usize {
        self.findings.iter().filter(|f| f.state == state).count()
    }

    /// For a terminal: a line each, what to do beneath, and the sum.
    pub fn lines(&self) -> Vec<String> {
        let mut lines = Vec::new();
        for f in &self.findings {
            lines.push(format!("{:<8} {:<12} {}", f.state.word(), f.name, f.what));
            if !f.remedy.is_empty() {
                lines.push(format!("{:21} → {}", "", f.remedy));
            }
        }
        lines.push(self.sum());
        lines
    }

    /// The sum in words.
    pub fn sum(&self) -> String {
        let (failed, warned) = (self.count(State::Failed), self.count(State::Warning));
        let counted = |n: usize, word: &str| match n {
            1 => format!("1 {word}"),
            n => format!("{n} {word}s"),
        };
        match (failed, warned) {
            (0, 0) => "All is well.".into(),
            (0, w) => format!("It works, with {}.", counted(w, "warning")),
            (f, 0) => format!("{}.", counted(f, "failure")),
            (f, w) => format!("{}, {}.", counted(f, "failure"), counted(w, "warning")),
        }
    }
}
