//! The engine's client program.

use crate::domain::BackendKind;
use crate::sandbox::{SandboxError, Settings};
use crate::text::{clip_words, one_line, visible};
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;
use tokio::process::Command;

/// Where engines are, beside the operator's `PATH`.
const PLACES: [&str; 2] = ["/usr/bin", "/usr/local/bin"];
const MAX_SAID: usize = 300;

#[derive(Debug, Clone)]
pub(super) struct Client {
    kind: BackendKind,
    program: PathBuf,
    env: Vec<(String, String)>,
}

impl Client {
    pub(super) fn find(settings: &Settings) -> Result<Client, SandboxError> {
        let kind = settings.backend;
        let name = kind.name();
        let program = match &settings.engine {
            Some(program) => program.is_file().then(|| program.clone()),
            None => settings
                .path
                .split(':')
                .chain(PLACES)
                .map(|folder| Path::new(folder).join(name))
                .find(|p| p.is_absolute() && p.is_file()),
        };
        let program = program.ok_or_else(|| SandboxError::Unusable {
            reason: format!("{name} is not installed"),
            fix: format!("install {name}, or set `sandbox.backend` to \"bwrap\""),
        })?;
        Ok(Client {
            kind,
            program,
            env: settings.engine_env.clone(),
        })
    }

    pub(super) fn kind(&self) -> BackendKind {
        self.kind
    }

    pub(super) fn program(&self) -> &Path {
        &self.program
    }

    /// The client with these arguments; ends with its handle.
    pub(super) fn command(&self, arguments: &[String]) -> Command {
        let mut command = Command::new(&self.program);
        command
            .args(arguments)
            .env_clear()
            .envs(self.env.iter().map(|(n, v)| (n, v)))
            .current_dir("/")
            .stdin(Stdio::null())
            .kill_on_drop(true);
        command
    }

    /// What it printed, when it did what it was told; else why not.
    pub(super) async fn say<S: AsRef<str>>(
        &self,
        arguments: &[S],
        patience: Duration,
    ) -> Result<String, String> {
        let words: Vec<String> = arguments.iter().map(|a| a.as_ref().into()).collect();
        let output = self.command(&words).output();
        let output = tokio::time::timeout(patience, output)
            .await
            .map_err(|_| format!("no answer within {} s", patience.as_secs()))?
            .map_err(|e| e.to_string())?;
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).trim().to_string();
        match output.status.success() {
            true => Ok(text(&output.stdout)),
            false => Err(short(&text(&output.stderr))),
        }
    }

    /// The engine's own version, which also tells that its service is up.
    pub(super) async fn version(&self) -> Result<String, SandboxError> {
        let format = match self.kind {
            BackendKind::Docker => "{{.Server.Version}}",
            _ => "{{.Client.Version}}",
        };
        let arguments = ["version", "--format", format];
        let said = self.say(&arguments, Duration::from_secs(10)).await;
        let name = self.kind.name();
        said.map(|v| short(&format!("{name} {v}")))
            .map_err(|why| SandboxError::Unusable {
                reason: format!("{name} does not answer: {why}"),
                fix: match self.kind {
                    BackendKind::Docker => {
                        "start the docker service, and let mend's user reach its socket".into()
                    }
                    _ => "make `podman info` work for mend's user".into(),
                },
            })
    }

    /// Removes containers without waiting, for a process that is about to end.
    pub(super) fn remove_unwatched(&self, containers: &[String]) {
        if containers.is_empty() {
            return;
        }
        let removed = std::process::Command::new(&self.program)
            .args(["rm", "--force"])
            .args(containers)
            .env_clear()
            .envs(self.env.iter().map(|(n, v)| (n, v)))
            .current_dir("/")
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn();
        if let Err(e) = removed {
            tracing::warn!("containers were left for the next start: {e}");
        }
    }
}

/// One short line of what a program said.
pub(super) fn short(said: &str) -> String {
    let said = clip_words(&one_line(&visible(said)), MAX_SAID);
    if said.is_empty() {
        "it said nothing".into()
    } else {
        said
    }
}
