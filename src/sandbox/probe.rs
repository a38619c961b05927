//! What this host can do.

use super::bwrap::Bwrap;
use super::engine::Engine;
use super::reason::{self, OLDEST};
use super::{Backend, Bounds, Ran, SandboxError, Settings, Spec, run, spec};
use crate::domain::{BackendKind, Cancel, Exit};
use serde::Serialize;
use std::path::{Path, PathBuf};
use std::time::Duration;
use tokio::process::Command;

/// What a trial run and the host's files say.
#[derive(Debug, Clone, Serialize)]
pub struct Probe {
    /// What confines commands.
    pub backend: BackendKind,
    /// Whether commands can run confined here.
    pub usable: bool,
    /// Why not.
    pub reason: Option<String>,
    /// What to change.
    pub fix: Option<String>,
    /// bubblewrap, or the engine's client.
    pub program: Option<PathBuf>,
    pub version: Option<String>,
    /// Whether mend runs as root.
    pub root: bool,
    /// The uid of commands on the host, when mend runs as root and gives it up.
    pub outer_uid: Option<u32>,
    pub user_namespaces: bool,
    pub seccomp: bool,
    /// The Landlock ABI that holds commands, 0 without Landlock.
    pub landlock_abi: i32,
    pub limits: Vec<LimitState>,
    /// Toolchains outside the system that commands see.
    pub toolchains: Vec<PathBuf>,
}

/// What one of the back ends can do here.
#[derive(Debug, Clone, Serialize)]
pub struct BackendState {
    pub backend: BackendKind,
    pub chosen: bool,
    pub usable: bool,
    pub reason: Option<String>,
    pub fix: Option<String>,
    pub version: Option<String>,
    pub limits: Vec<LimitState>,
}

impl BackendState {
    /// Every back end of this host, the chosen one as `probe` found it.
    pub async fn all(settings: &Settings, probe: &Probe) -> Vec<BackendState> {
        let mut all = Vec::new();
        for backend in BackendKind::ALL {
            let chosen = backend == probe.backend;
            let settings = Settings {
                backend,
                // A program that was named is the chosen one's.
                engine: settings.engine.clone().filter(|_| chosen),
                ..settings.clone()
            };
            let found = match chosen {
                true => probe.clone(),
                false => super::probe(&settings).await,
            };
            all.push(BackendState {
                backend,
                chosen,
                usable: found.usable,
                reason: found.reason,
                fix: found.fix,
                version: found.version,
                limits: found.limits,
            });
        }
        all
    }
}

/// One limit and how it is kept here.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct LimitState {
    pub name: &'static str,
    pub enforcement: Enforcement,
    pub by: &'static str,
}

/// How a limit is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Enforcement {
    /// The kernel lets nothing pass it.
    Hard,
    /// It can be passed for a moment or in part.
    Soft,
}

/// Looks at the host and runs a confined `/bin/true`.
pub async fn probe(settings: &Settings) -> Probe {
    let mut probe = Probe {
        backend: settings.backend,
        usable: false,
        reason: None,
        fix: None,
        program: None,
        version: None,
        root: rustix::process::geteuid().is_root(),
        outer_uid: None,
        user_namespaces: false,
        seccomp: false,
        landlock_abi: 0,
        limits: Vec::new(),
        toolchains: Vec::new(),
    };
    let tried = match settings.backend {
        BackendKind::Bwrap => try_host(settings, &mut probe).await,
        BackendKind::Docker | BackendKind::Podman => try_engine(settings, &mut probe).await,
    };
    match tried {
        Ok(()) => probe.usable = true,
        Err(SandboxError::Unusable { reason, fix }) => {
            probe.reason = Some(reason);
            probe.fix = Some(fix);
        }
        Err(other) => {
            probe.reason = Some(other.to_string());
            probe.fix = Some("see the reason".into());
        }
    }
    probe
}

async fn try_host(settings: &Settings, probe: &mut Probe) -> Result<(), SandboxError> {
    let group = super::cgroup::Cgroups::find().make(&Bounds::default());
    probe.limits = limits(group.holds_memory(), group.holds_processes());
    drop(group);
    let bwrap = spec::find_bwrap(settings)?;
    probe.program = Some(bwrap.clone());
    let version = version_of(&bwrap).await?;
    probe.version = Some(version.clone());
    if reason::version(&version).is_none_or(|v| v < OLDEST) {
        let (reason, fix) = reason::explain("Unknown option", &reason::Knobs::default());
        let reason = reason.replace("Unknown option", &version);
        return Err(SandboxError::Unusable { reason, fix });
    }
    let sandbox = Bwrap::untried(settings)?;
    probe.outer_uid = sandbox.user.map(|u| u.uid);
    probe.toolchains = sandbox.toolchain_folders();
    let folder = trial_folder()?;
    let ran = run::run(&sandbox, &trial(folder.path()), &Cancel::new()).await;
    // The filter is loaded last: when it is what failed, the namespaces were there.
    probe.user_namespaces = match &ran {
        Ok(_) => true,
        Err(SandboxError::Unusable { reason, .. }) => reason.starts_with("seccomp"),
        Err(_) => false,
    };
    let (ran, landlock) = ran?;
    probe.seccomp = true;
    probe.landlock_abi = landlock;
    went_well(&ran, "check that /usr and the dynamic loader are whole")
}

async fn try_engine(settings: &Settings, probe: &mut Probe) -> Result<(), SandboxError> {
    let (engine, version) = Engine::find(settings).await?;
    probe.program = Some(engine.program());
    probe.version = Some(version);
    probe.outer_uid = engine.outer_uid();
    probe.limits = engine.limits().await?;
    let folder = trial_folder()?;
    let ran = engine.run(&trial(folder.path()), &Cancel::new()).await?;
    // Namespaces and filter are the engine's; without them no container starts.
    (probe.user_namespaces, probe.seccomp) = (true, true);
    went_well(&ran, "choose an image with /bin/sh and /bin/true")
}

/// An empty folder, locked so that no sweep takes it for one of the dead.
struct TrialFolder {
    folder: tempfile::TempDir,
    _lock: std::fs::File,
}

impl TrialFolder {
    fn path(&self) -> &Path {
        self.folder.path()
    }
}

fn trial_folder() -> Result<TrialFolder, SandboxError> {
    let fail = |e| SandboxError::io("make a temporary folder", e);
    let folder = tempfile::Builder::new()
        .prefix("mend-probe-")
        .tempdir()
        .map_err(fail)?;
    let lock = std::fs::File::open(folder.path()).map_err(fail)?;
    lock.try_lock().map_err(|e| fail(e.into()))?;
    Ok(TrialFolder {
        folder,
        _lock: lock,
    })
}

fn trial(work: &Path) -> Spec {
    Spec {
        argv: vec!["/bin/true".into()],
        work: work.into(),
        limits: Bounds {
            wall: Duration::from_secs(20),
            ..Bounds::default()
        },
        ..Spec::default()
    }
}

fn went_well(ran: &Ran, fix: &str) -> Result<(), SandboxError> {
    match ran.exit {
        Exit::Code(0) => Ok(()),
        other => Err(SandboxError::Unusable {
            reason: format!("a confined /bin/true ended with {other:?}"),
            fix: fix.into(),
        }),
    }
}

async fn version_of(bwrap: &Path) -> Result<String, SandboxError> {
    let fail = |e| SandboxError::Unusable {
        reason: format!("{} does not start: {e}", bwrap.display()),
        fix: "install it again (Debian, Ubuntu: apt-get install --reinstall bubblewrap)".into(),
    };
    let output = Command::new(bwrap)
        .arg("--version")
        .env_clear()
        .stdin(std::process::Stdio::null())
        .kill_on_drop(true)
        .output();
    let output = tokio::time::timeout(Duration::from_secs(10), output)
        .await
        .map_err(|e| fail(e.to_string()))?
        .map_err(|e| fail(e.to_string()))?;
    let text = String::from_utf8_lossy(&output.stdout);
    Ok(crate::text::clip_words(
        &crate::text::one_line(&crate::text::visible(&text)),
        80,
    ))
}

fn limits(memory: bool, processes: bool) -> Vec<LimitState> {
    use Enforcement::{Hard, Soft};
    let state = |name, enforcement, by| LimitState {
        name,
        enforcement,
        by,
    };
    vec![
        state("wall_time", Hard, "mend ends the pid namespace"),
        state("output", Hard, "mend keeps head and tail"),
        state("file_size", Hard, "RLIMIT_FSIZE"),
        state("scratch", Hard, "sized tmpfs"),
        match processes {
            true => state("processes", Hard, "control group and RLIMIT_NPROC"),
            false => state("processes", Hard, "RLIMIT_NPROC of the user namespace"),
        },
        state("memory_of_one_process", Hard, "RLIMIT_DATA"),
        match memory {
            true => state("memory", Hard, "control group"),
            false => state(
                "memory",
                Soft,
                "looked at ten times a second; detached shared memory and full sockets only when \
                 the host runs short",
            ),
        },
        state("disk", Soft, "looked at five times a second"),
    ]
}
