//! What detection answers.

use crate::check::{CheckCommand, SetupCommand};
use serde::Serialize;

/// What would check a project, and what was not taken.
#[derive(Debug, Clone, Default, Serialize)]
pub struct Detection {
    pub setup: Vec<SetupCommand>,
    pub commands: Vec<CheckCommand>,
    pub passed_over: Vec<PassedOver>,
}

/// Something that looked like a check, or a part of one, and was not taken.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct PassedOver {
    pub what: String,
    pub why: String,
}

impl Detection {
    pub(super) fn check(&mut self, command: impl Into<String>, why: impl Into<String>) {
        self.commands.push(CheckCommand::new(command, why));
    }

    pub(super) fn set_up(&mut self, command: impl Into<String>, why: impl Into<String>) {
        self.setup.push(SetupCommand::new(command, why));
    }

    pub(super) fn pass_over(&mut self, what: impl Into<String>, why: impl Into<String>) {
        let passed = PassedOver {
            what: what.into(),
            why: why.into(),
        };
        if !self.passed_over.contains(&passed) {
            self.passed_over.push(passed);
        }
    }

    pub(super) fn append(&mut self, mut other: Detection) {
        self.setup.append(&mut other.setup);
        self.commands.append(&mut other.commands);
        for passed in other.passed_over {
            self.pass_over(passed.what, passed.why);
        }
    }

    /// Places everything that has no folder yet.
    pub(super) fn place(&mut self, folder: &str) {
        if folder.is_empty() {
            return;
        }
        let put = |at: &mut Option<String>| {
            *at = Some(match at.take() {
                None => folder.to_string(),
                Some(inner) => format!("{folder}/{inner}"),
            });
        };
        self.commands.iter_mut().for_each(|c| put(&mut c.folder));
        self.setup.iter_mut().for_each(|c| put(&mut c.folder));
        for passed in &mut self.passed_over {
            passed.what = format!("{folder}: {}", passed.what);
        }
    }
}
