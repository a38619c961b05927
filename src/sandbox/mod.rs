//! Runs one confined process. No sandbox, no run.
//!
//! # How a command comes to run
//!
//! ```text
//! mend ── spawns ──► mend sandbox-launch ── becomes ──► bwrap ── starts ──► mend sandbox-init ── becomes ──► command
//! ```
//!
//! * **mend** makes one pipe for output and one socket for orders and the report, and spawns the
//!   launcher with an empty environment from a thread that never ends ([`spawn`](mod@spawn)).
//! * **The launcher** closes what it inherited, and, when it is root, gives the work folder to the
//!   sandbox's user, makes the folders that the sandbox needs reachable for that user in a mount
//!   namespace of its own, and gives up root for good. It then becomes `bwrap`.
//! * **bwrap** makes the namespaces (user, mount, pid, network, ipc, uts, cgroup) and the small
//!   read-only root of [`layout`](mod@layout).
//! * **init** runs inside: resource limits, Landlock where the kernel has it, seccomp; it reports
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

mod cgroup;
mod disk;
mod error;
mod etc;
mod init;
mod landlock;
mod launch;
mod layout;
mod output;
mod owner;
mod probe;
mod proxy;
mod reason;
mod run;
mod seccomp;
mod spawn;
mod spec;
mod toolchain;
mod watch;
mod wire;

pub use error::SandboxError;
pub use init::init_main;
pub use launch::launch_main;
pub use probe::{Enforcement, LimitState, Probe, probe};
pub use proxy::{Budget, Egress, Resolve, SystemResolver, bridge_main};
pub use spec::{Bounds, HitLimit, Mount, Ran, Settings, Spec};

use crate::domain::Cancel;
use cgroup::Cgroups;
use owner::Owner;
use std::path::{Path, PathBuf};
use toolchain::Toolchains;

/// The hidden subcommand that `main` hands to [`launch_main`].
pub const LAUNCH: &str = "sandbox-launch";
/// The hidden subcommand that `main` hands to [`init_main`].
pub const INIT: &str = "sandbox-init";
/// The hidden subcommand that `main` hands to [`bridge_main`].
pub const BRIDGE: &str = "sandbox-bridge";
/// Exit code of the launcher and of init when the command could not be confined.
pub const REFUSED: u8 = 125;
/// Where the work folder stands inside.
pub const WORK: &str = "/repo";

/// A way to run confined processes on this host. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Sandbox {
    bwrap: PathBuf,
    program: PathBuf,
    user: Option<Owner>,
    toolchains: Toolchains,
    cgroups: Cgroups,
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
    /// [`SandboxError::Unusable`] when bubblewrap is not installed, or when mend runs as root and
    /// cannot give root up.
    pub fn untried(settings: &Settings) -> Result<Sandbox, SandboxError> {
        let program = match &settings.program {
            Some(program) => program.clone(),
            None => std::env::current_exe()
                .map_err(|e| SandboxError::io("find mend's own program", e))?,
        };
        Ok(Sandbox {
            bwrap: spec::find_bwrap(settings)?,
            program,
            user: owner::outer_user(settings.user.as_deref())?,
            toolchains: Toolchains::find(&settings.path, &settings.read_only),
            cgroups: Cgroups::find(),
        })
    }

    /// Runs one command to its end, with everything that it started.
    ///
    /// # Errors
    /// [`SandboxError::Stopped`] when `cancel` ended it; otherwise the command did not run.
    pub async fn run(&self, spec: &Spec, cancel: &Cancel) -> Result<Ran, SandboxError> {
        run::run(self, spec, cancel).await.map(|(ran, _)| ran)
    }

    /// The folders of toolchains outside the system that commands see read-only.
    pub fn toolchain_folders(&self) -> impl Iterator<Item = &Path> {
        self.toolchains.folders().map(|(host, _)| host)
    }

    /// `PATH` inside.
    pub fn path_inside(&self) -> String {
        self.toolchains.path()
    }
}
