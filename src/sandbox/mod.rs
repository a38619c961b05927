//! Runs one confined process. No sandbox, no run.
//!
//! # How a command comes to run
//!
//! ```text
//! mend ── starts ──► bwrap ── starts ──► init ── becomes ──► command
//! ```
//!
//! * **mend** makes one pipe for output and one socket for the report, and starts bubblewrap with an
//!   empty environment from a thread that lives as long as bubblewrap does ([`start`](mod@start)).
//!   The thread closes, in a table of its own, every descriptor that is not meant for the sandbox;
//!   when mend is root it gives the work folder to the sandbox's user, makes the folders that the
//!   sandbox needs reachable for that user in a mount namespace of its own, and starts bubblewrap
//!   as that user.
//! * **bwrap** makes the namespaces (user, mount, pid, network, ipc, uts, cgroup) and the small
//!   read-only root of [`layout`](mod@layout).
//! * **init** (`inside`, a small program of its own that mend carries) runs inside: resource limits, Landlock where the kernel has it, seccomp; it reports
//!   `ready` and becomes the command. Where seccomp does not load, the command never runs.
//!
//! With [`Spec::network`] one Unix socket leads out of the empty network namespace, to a proxy
//! that lets through what the list says ([`proxy`](mod@proxy)).
//!
//! Who changes owners: [`Sandbox::run`], only when mend runs as root. The work folder and
//! everything in it that belongs to the folder's owner or to root goes to the sandbox's user
//! (default 65534) before the command starts; with [`Spec::give_back`] it goes back afterwards.
//! Files with more than one hard link keep their owner.
//!
//! The end of the first process of the pid namespace is the end of all of them: at exit, time-out,
//! stop, and when mend itself dies.
#![allow(clippy::disallowed_methods)] // this room may touch files or processes (src/lib.rs)

mod bwrap;
mod cgroup;
mod collect;
mod disk;
mod engine;
mod error;
mod etc;
mod etc_folder;
mod landlock;
mod layout;
mod memory;
mod output;
mod owner;
mod probe;
mod proxy;
mod reason;
mod run;
mod seccomp;
mod spec;
mod start;
mod toolchain;
mod watch;
mod wire;

pub use error::SandboxError;
pub use probe::{BackendState, Enforcement, LimitState, Probe, probe};
pub use proxy::{Budget, Egress, Resolve, SystemResolver, bridge_main};
pub use spec::{Bounds, HitLimit, Mount, Ran, Settings, Spec};

use crate::domain::{BackendKind, Cancel};
use bwrap::Bwrap;
use engine::Engine;
use std::path::PathBuf;
use std::sync::Arc;

/// The variables by which the clients of docker and podman find their engine.
pub const ENGINE_VARIABLES: [&str; 9] = [
    "CONTAINERS_CONF",
    "CONTAINERS_STORAGE_CONF",
    "CONTAINER_HOST",
    "DOCKER_CERT_PATH",
    "DOCKER_CONTEXT",
    "DOCKER_HOST",
    "HOME",
    "PATH",
    "XDG_RUNTIME_DIR",
];
/// The hidden subcommand that `main` hands to [`bridge_main`].
pub const BRIDGE: &str = "sandbox-bridge";
/// Exit code of init when the command could not be confined.
pub const REFUSED: u8 = 125;
/// Where the work folder stands inside.
pub const WORK: &str = "/repo";

/// A way to run confined processes on this host. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Sandbox(Arc<dyn Backend>);

/// What confines commands.
#[async_trait::async_trait]
trait Backend: std::fmt::Debug + Send + Sync {
    async fn run(&self, spec: &Spec, cancel: &Cancel) -> Result<Ran, SandboxError>;

    /// The folders of toolchains outside the system that commands see read-only.
    fn toolchain_folders(&self) -> Vec<PathBuf> {
        Vec::new()
    }

    /// `PATH` inside, where mend sets it.
    fn path_inside(&self) -> Option<String> {
        None
    }

    /// Whether a command can have [`Spec::network`].
    fn takes_network(&self) -> bool {
        false
    }
}

impl Sandbox {
    /// Tries the host with a confined `/bin/true` and gives the sandbox when that worked.
    ///
    /// # Errors
    /// [`SandboxError::Unusable`] with the reason and the fix. There is no fallback.
    pub async fn find(settings: &Settings) -> Result<Sandbox, SandboxError> {
        let probe = probe(settings).await;
        if !probe.usable {
            return Err(SandboxError::Unusable {
                reason: probe.reason.unwrap_or_default(),
                fix: probe.fix.unwrap_or_default(),
            });
        }
        Sandbox::untried(settings)
    }

    /// Gives the sandbox without a trial run; whatever is wrong with the host, the first
    /// [`run`](Sandbox::run) refuses with the same reason and fix.
    ///
    /// # Errors
    /// [`SandboxError::Unusable`] when bubblewrap or the engine's client is not installed, or when
    /// mend runs as root and cannot give root up.
    pub fn untried(settings: &Settings) -> Result<Sandbox, SandboxError> {
        Ok(Sandbox(match settings.backend {
            BackendKind::Bwrap => Arc::new(Bwrap::untried(settings)?),
            BackendKind::Docker | BackendKind::Podman => Arc::new(Engine::untried(settings)?),
        }))
    }

    /// Runs one command to its end, with everything that it started.
    ///
    /// # Errors
    /// [`SandboxError::Stopped`] when `cancel` ended it; otherwise the command did not run.
    pub async fn run(&self, spec: &Spec, cancel: &Cancel) -> Result<Ran, SandboxError> {
        self.0.run(spec, cancel).await
    }

    /// The folders of toolchains outside the system that commands see read-only.
    pub fn toolchain_folders(&self) -> Vec<PathBuf> {
        self.0.toolchain_folders()
    }

    /// Whether a command can have [`Spec::network`]: only bubblewrap's, behind the proxy.
    pub fn takes_network(&self) -> bool {
        self.0.takes_network()
    }

    /// `PATH` inside; `None` when an image says it.
    pub fn path_inside(&self) -> Option<String> {
        self.0.path_inside()
    }
}
