//! What the commands share of this machine: settings, sandbox, scratch space, the stop signal.

use super::exit::WrongUse;
use crate::config::{Engine, Environment, SandboxSettings};
use crate::domain::Cancel;
use crate::sandbox::Sandbox;
use crate::tree::{TempFolder, sweep};
use std::io::IsTerminal;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tokio::signal::unix::{SignalKind, signal};
use tracing_subscriber::EnvFilter;

pub(super) struct Machine {
    pub(super) environment: Environment,
}

impl Machine {
    pub(super) fn new(environment: Environment) -> Self {
        Machine { environment }
    }

    /// Logs to stderr; `MEND_LOG` sets what, `level` is the default.
    pub(super) fn log(&self, level: &str) {
        let wanted = self.environment.get("MEND_LOG").unwrap_or(level);
        let filter = EnvFilter::try_new(wanted).unwrap_or_else(|_| EnvFilter::new(level));
        let _ = tracing_subscriber::fmt()
            .with_env_filter(filter)
            .with_writer(std::io::stderr)
            .with_ansi(std::io::stderr().is_terminal())
            .try_init();
    }

    /// Model, limits and sandbox, without what only the server needs.
    pub(super) fn engine(&self, file: Option<&Path>, said: &Environment) -> anyhow::Result<Engine> {
        Engine::load(file, said).map_err(WrongUse::of)
    }

    /// The sandbox; without one nothing runs.
    pub(super) async fn sandbox(&self, settings: &SandboxSettings) -> anyhow::Result<Arc<Sandbox>> {
        let settings = crate::app::sandbox_settings(settings, &self.environment);
        Ok(Arc::new(Sandbox::find(&settings).await?))
    }

    /// A folder for throwaway trees that goes with this process. A sandbox under another uid can
    /// pass it, and nobody can list it.
    pub(super) fn scratch(&self) -> anyhow::Result<TempFolder> {
        let parent = self
            .environment
            .get("TMPDIR")
            .map_or_else(|| PathBuf::from("/tmp"), PathBuf::from);
        let _ = sweep(&parent);
        Ok(TempFolder::create(&parent, 0o711)?)
    }

    /// Fires on Ctrl-C and on a polite kill; the second Ctrl-C ends the process at once.
    pub(super) fn stop_signal(&self) -> anyhow::Result<Cancel> {
        let cancel = Cancel::new();
        let fired = cancel.clone();
        let mut terminate = signal(SignalKind::terminate())?;
        let mut interrupt = signal(SignalKind::interrupt())?;
        tokio::spawn(async move {
            tokio::select! {
                _ = terminate.recv() => {}
                _ = interrupt.recv() => {}
            }
            fired.cancel();
            interrupt.recv().await;
            std::process::exit(130);
        });
        Ok(cancel)
    }
}
