//! What this host can do.

use super::reason::{self, OLDEST};
use super::{Bounds, Sandbox, SandboxError, Settings, Spec, run, spec};
use crate::domain::{Cancel, Exit};
use serde::Serialize;
use std::path::{Path, PathBuf};
use std::time::Duration;
use tokio::process::Command;

/// What a trial run and the host's files say.
#[derive(Debug, Clone, Serialize)]
pub struct Probe {
    /// Whether commands can run confined here.
    pub usable: bool,
    /// Why not.
    pub reason: Option<String>,
    /// What to change.
    pub fix: Option<String>,
    pub bwrap: Option<PathBuf>,
    pub bwrap_version: Option<String>,
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

/// One limit and how it is kept here.
#[derive(Debug, Clone, Serialize)]
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
        usable: false,
        reason: None,
        fix: None,
        bwrap: None,
        bwrap_version: None,
        root: rustix::process::geteuid().is_root(),
        outer_uid: None,
        user_namespaces: false,
        seccomp: false,
        landlock_abi: 0,
        limits: Vec::new(),
        toolchains: Vec::new(),
    };
    let group = super::cgroup::Cgroups::find().make(&Bounds::default());
    probe.limits = limits(group.holds_memory(), group.holds_processes());
    drop(group);
    match try_host(settings, &mut probe).await {
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
    let bwrap = spec::find_bwrap(settings)?;
    probe.bwrap = Some(bwrap.clone());
    let version = version_of(&bwrap).await?;
    probe.bwrap_version = Some(version.clone());
    if reason::version(&version).is_none_or(|v| v < OLDEST) {
        let (reason, fix) = reason::explain("Unknown option", &reason::Knobs::default());
        let reason = reason.replace("Unknown option", &version);
        return Err(SandboxError::Unusable { reason, fix });
    }
    let sandbox = Sandbox::untried(settings)?;
    probe.outer_uid = sandbox.user.map(|u| u.uid);
    probe.toolchains = sandbox.toolchain_folders().map(Path::to_path_buf).collect();
    let folder = tempfile::Builder::new()
        .prefix("mend-probe-")
        .tempdir()
        .map_err(|e| SandboxError::io("make a temporary folder", e))?;
    let trial = Spec {
        argv: vec!["/bin/true".into()],
        work: folder.path().into(),
        limits: Bounds {
            wall: Duration::from_secs(20),
            ..Bounds::default()
        },
        ..Spec::default()
    };
    let ran = run::run(&sandbox, &trial, &Cancel::new()).await;
    // The filter is loaded last: when it is what failed, the namespaces were there.
    probe.user_namespaces = match &ran {
        Ok(_) => true,
        Err(SandboxError::Unusable { reason, .. }) => reason.starts_with("seccomp"),
        Err(_) => false,
    };
    let (ran, landlock) = ran?;
    probe.seccomp = true;
    probe.landlock_abi = landlock;
    match ran.exit {
        Exit::Code(0) => Ok(()),
        other => Err(SandboxError::Unusable {
            reason: format!("a confined /bin/true ended with {other:?}"),
            fix: "check that /usr and the dynamic loader are whole".into(),
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
            false => state("memory", Soft, "looked at ten times a second"),
        },
        state("disk", Soft, "looked at five times a second"),
    ]
}
