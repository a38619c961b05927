//! One command of a project's check.

use serde::Serialize;

/// A command for `/bin/sh -c`, run at the project's root or in `folder`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct CheckCommand {
    pub command: String,
    /// Why this command, in words for a person.
    pub why: String,
    /// The folder that it runs in, relative to the root.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub folder: Option<String>,
    /// Whether a person named it as the check. Then its exit code 0 counts even where its output
    /// shows no tests, as with a linter or a script; a detected command has to show some.
    pub named: bool,
    /// Whether it runs only a part of the suite (rule C7).
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub narrowed: bool,
}

impl CheckCommand {
    pub fn new(command: impl Into<String>, why: impl Into<String>) -> Self {
        CheckCommand {
            command: command.into(),
            why: why.into(),
            folder: None,
            named: false,
            narrowed: false,
        }
    }

    /// The same, as a person's word.
    #[must_use]
    pub fn named(self) -> Self {
        CheckCommand {
            named: true,
            ..self
        }
    }

    /// The arguments of the process that runs it, started at the project's root.
    pub fn argv(&self) -> Vec<String> {
        let sh = |args: &[&str]| args.iter().map(ToString::to_string).collect();
        match &self.folder {
            None => sh(&["/bin/sh", "-c", &self.command]),
            // The folder and the command are arguments, so neither is quoted into the script.
            Some(folder) => sh(&[
                "/bin/sh",
                "-c",
                r#"cd "./$1" && exec /bin/sh -c "$2""#,
                "sh",
                folder,
                &self.command,
            ]),
        }
    }
}
