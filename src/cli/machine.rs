//! What the commands share of this machine: settings, sandbox, scratch space, the stop signal.

use super::exit::WrongUse;
use crate::config::{Engine, Environment, SandboxSettings};
use crate::domain::Cancel;
use crate::sandbox::Sandbox;
use crate::tree::{TempFolder, sweep};
use futures::FutureExt;
use std::io::IsTerminal;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;
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
            .with_ansi(self.colour())
            .try_init();
    }

    /// Whether progress on stderr may be coloured: on a terminal that shows colours, unless
    /// `NO_COLOR` is set (no-color.org).
    pub(super) fn colour(&self) -> bool {
        let plain = self.environment.get("NO_COLOR").is_some()
            || self.environment.get("TERM") == Some("dumb");
        std::io::stderr().is_terminal() && !plain
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
        let mut hangup = signal(SignalKind::hangup())?;
        tokio::spawn(async move {
            tokio::select! {
                _ = terminate.recv() => {}
                _ = interrupt.recv() => {}
                _ = hangup.recv() => {}
            }
            fired.cancel();
            // Terminals and wrappers send it twice in a row; only a later one is impatience.
            tokio::time::sleep(Duration::from_secs(2)).await;
            while interrupt.recv().now_or_never().flatten().is_some() {}
            interrupt.recv().await;
            std::process::exit(130);
        });
        Ok(cancel)
    }
}
