//! What the commands share of this machine: settings, sandbox, scratch space, the stop signal.

use super::exit::WrongUse;
use super::log::RedactedLog;
use crate::check::SetUp;
use crate::config::{
    Engine, Environment, NetworkSettings, RepoConfig, SandboxSettings, SetupSettings,
};
use crate::domain::Cancel;
use crate::sandbox::Sandbox;
use crate::text::Redactor;
use crate::tree::{TempFolder, sweep};
use futures::FutureExt;
use sha2::{Digest, Sha256};
use std::io::IsTerminal;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;
use tokio::signal::unix::{SignalKind, signal};
use tracing_subscriber::EnvFilter;

pub(super) struct Machine {
    pub(super) environment: Environment,
    /// What no line of the log shows.
    pub(super) secrets: Redactor,
}

impl Machine {
    pub(super) fn new(environment: Environment) -> Self {
        Machine {
            environment,
            secrets: Redactor::new(),
        }
    }

    /// Logs to stderr; `MEND_LOG` sets what, `level` is the default.
    pub(super) fn log(&self, level: &str) {
        let wanted = self.environment.get("MEND_LOG").unwrap_or(level);
        let filter = EnvFilter::try_new(wanted).unwrap_or_else(|_| EnvFilter::new(level));
        let _ = tracing_subscriber::fmt()
            .with_env_filter(filter)
            .with_writer(RedactedLog::new(&self.secrets))
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

    /// The set-up of the project in `folder`; finished ones are kept in the user's cache.
    pub(super) fn set_up(
        &self,
        folder: &Path,
        config: &RepoConfig,
        (network, setup): (&NetworkSettings, &SetupSettings),
        redactor: &Redactor,
        scratch: &Path,
    ) -> Arc<SetUp> {
        let home = self
            .environment
            .get("HOME")
            .map(|h| Path::new(h).join(".cache"));
        let cache = self
            .environment
            .get("XDG_CACHE_HOME")
            .map(PathBuf::from)
            .or(home);
        let real = std::fs::canonicalize(folder).unwrap_or_else(|_| folder.into());
        let name = hex::encode(&Sha256::digest(real.as_os_str().as_encoded_bytes())[..12]);
        let cache = match cache.filter(|c| c.is_absolute()) {
            Some(cache) => cache.join("mend/setups").join(name),
            // Kept for this run alone.
            None => scratch.join("setups"),
        };
        let settings = crate::app::set_up_settings(network, setup, cache, redactor);
        Arc::new(SetUp::new(settings, config))
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
