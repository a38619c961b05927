//! One command of a project's check, or of what comes before it.

use serde::Serialize;

/// A command for `/bin/sh -c`, run at the project's root or in `folder`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
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
    /// Variables of this command beside those of every run.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub env: Vec<(String, String)>,
    /// Seconds that it may take, where it has a limit of its own; counts where it is the narrower.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit_s: Option<u64>,
    /// The script of a manifest that it runs, where detection read one.
    #[serde(skip)]
    pub script: Option<String>,
    /// Where it writes JUnit XML, as patterns relative to its folder.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub reports: Vec<String>,
}

impl CheckCommand {
    pub fn new(command: impl Into<String>, why: impl Into<String>) -> Self {
        CheckCommand {
            command: command.into(),
            why: why.into(),
            ..CheckCommand::default()
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

    /// What a person would type at the project's root; tells the commands of a check apart.
    pub fn shown(&self) -> String {
        shown(&self.command, self.folder.as_deref())
    }

    /// The arguments of the process that runs it, started at the project's root.
    pub fn argv(&self) -> Vec<String> {
        argv(&self.command, self.folder.as_deref())
    }
}

/// A command that fetches or builds what the check needs, for `/bin/sh -c`: run once before the
/// check, in order, where the network is open to the hosts that the operator allows. What it
/// installs belongs outside the project's tree. `python3` and `pip` may be those of a virtual
/// environment that stands first in `PATH`; the check must then find the same one.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct SetupCommand {
    pub command: String,
    /// Why this command, in words for a person.
    pub why: String,
    /// The folder that it runs in, relative to the root.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub folder: Option<String>,
    /// Variables of this command beside those of every run.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub env: Vec<(String, String)>,
    /// The program without which `instead` is run, where there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub needs: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub instead: Option<String>,
}

impl SetupCommand {
    pub fn new(command: impl Into<String>, why: impl Into<String>) -> Self {
        SetupCommand {
            command: command.into(),
            why: why.into(),
            ..SetupCommand::default()
        }
    }

    /// The same, which needs a program that a host may lack, and what is run there.
    #[must_use]
    pub fn or(self, needs: &str, instead: impl Into<String>) -> Self {
        SetupCommand {
            needs: Some(needs.to_string()),
            instead: Some(instead.into()),
            ..self
        }
    }

    /// What a person would type at the project's root.
    pub fn shown(&self) -> String {
        shown(&self.command, self.folder.as_deref())
    }

    /// The arguments of the process that runs it, started at the project's root.
    pub fn argv(&self) -> Vec<String> {
        argv(&self.command, self.folder.as_deref())
    }
}

fn shown(command: &str, folder: Option<&str>) -> String {
    match folder {
        Some(folder) => format!("cd {} && {command}", super::narrow::quote(folder)),
        None => command.to_string(),
    }
}

fn argv(command: &str, folder: Option<&str>) -> Vec<String> {
    let sh = |args: &[&str]| args.iter().map(ToString::to_string).collect();
    match folder {
        None => sh(&["/bin/sh", "-c", command]),
        // The folder and the command are arguments, so neither is quoted into the script.
        Some(folder) => sh(&[
            "/bin/sh",
            "-c",
            r#"cd "./$1" && exec /bin/sh -c "$2""#,
            "sh",
            folder,
            command,
        ]),
    }
}
