//! What a caller says about the host and about one command.

use super::{Egress, SandboxError, proxy};
use crate::domain::{BackendKind, Exit, Traffic};
use std::path::{Component, Path, PathBuf};
use std::time::Duration;
use tokio::sync::mpsc;

/// What the operator says about the host. Every field has a working default.
#[derive(Debug, Clone, Default)]
pub struct Settings {
    /// What confines commands.
    pub backend: BackendKind,
    /// The image of the containers of docker and podman.
    pub image: Option<String>,
    /// The engine's client program; `None` looks along `path` and in the system's folders.
    pub engine: Option<PathBuf>,
    /// Variables of the engine's client ([`ENGINE_VARIABLES`](super::ENGINE_VARIABLES)).
    pub engine_env: Vec<(String, String)>,
    /// The bubblewrap program; `None` looks in the system's folders.
    pub bwrap: Option<PathBuf>,
    /// The operator's `PATH`, by which toolchains outside `/usr` are found; empty finds none.
    pub path: String,
    /// More folders that every command may read, at the same place inside.
    pub read_only: Vec<PathBuf>,
    /// The user that commands are on the host when mend runs as root: a uid, or a name of
    /// `/etc/passwd`; default 65534.
    pub user: Option<String>,
    /// mend's own program; `None` is the running one. Tests name it, because they run as another.
    pub program: Option<PathBuf>,
}

/// Variables that hold options for a program which hold beside those of others: a value is added to
/// what is there and comes after it.
pub(super) const JOINED: [&str; 2] = ["MAVEN_OPTS", "GRADLE_OPTS"];

/// One command.
#[derive(Debug, Clone, Default)]
pub struct Spec {
    /// Program and arguments; the program is looked up in `PATH` inside.
    pub argv: Vec<String>,
    /// The host's folder that is read-write at `/repo`, where the command starts.
    pub work: PathBuf,
    /// Variables beside the fixed ones, which they replace.
    pub env: Vec<(String, String)>,
    pub limits: Bounds,
    /// More folders and files of the host.
    pub mounts: Vec<Mount>,
    /// What the command may reach; `None`: no network but its own loopback.
    pub network: Option<Egress>,
    /// After the command, files of the sandbox's user in the work folder go to the folder's owner.
    /// Matters only when mend runs as root.
    pub give_back: bool,
    /// Gets the output as it comes. When it is full, reading waits for it; the limits still hold.
    pub tee: Option<mpsc::Sender<Vec<u8>>>,
}

/// A folder or file of the host inside the sandbox.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mount {
    pub host: PathBuf,
    /// Absolute, outside the system's folders.
    pub inside: PathBuf,
    pub writable: bool,
}

/// The bounds of one command. Which of them this host enforces hard, [`probe`](super::probe()) says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Bounds {
    pub wall: Duration,
    /// Bytes of output that are kept from its beginning.
    pub output_head: usize,
    /// Bytes of output that are kept from its end.
    pub output_tail: usize,
    /// Bytes of memory of all processes together; each single process is held to it by the kernel.
    pub memory: u64,
    /// Processes and threads at one time.
    pub processes: u64,
    /// Bytes of one file.
    pub file_size: u64,
    /// Bytes by which the work folder may grow; an empty file counts 4 KiB.
    pub disk: u64,
    /// Bytes in `/tmp`, and again in `/dev/shm`.
    pub scratch: u64,
    /// Open files of one process.
    pub open_files: u64,
}

impl Default for Bounds {
    fn default() -> Self {
        Bounds {
            wall: Duration::from_secs(600),
            output_head: 256 << 10,
            output_tail: 768 << 10,
            memory: 4 << 30,
            processes: 1024,
            file_size: 2 << 30,
            disk: 10 << 30,
            scratch: 2 << 30,
            open_files: 4096,
        }
    }
}

/// A limit, beside time, for which the command or a part of it was ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "snake_case")]
pub enum HitLimit {
    Memory,
    Disk,
}

impl HitLimit {
    /// The word in a sentence: `the memory limit`.
    pub fn word(self) -> &'static str {
        match self {
            HitLimit::Memory => "memory",
            HitLimit::Disk => "disk",
        }
    }
}

/// How a command ended.
#[derive(Debug, Clone)]
pub struct Ran {
    pub exit: Exit,
    /// Standard output and error in the order they came: head, a marker line, tail.
    pub output: Vec<u8>,
    /// Whether something is missing between head and tail.
    pub truncated: bool,
    /// From the command's start to its end.
    pub duration: Duration,
    /// The limit that it came to, when it was not time.
    pub hit: Option<HitLimit>,
    /// What it reached and what it was refused; `None` for a command without network.
    pub traffic: Option<Traffic>,
}

const BWRAP_PLACES: [&str; 4] = [
    "/usr/bin/bwrap",
    "/usr/local/bin/bwrap",
    "/bin/bwrap",
    "/run/current-system/sw/bin/bwrap",
];

/// Where bubblewrap is.
pub(super) fn find_bwrap(settings: &Settings) -> Result<PathBuf, SandboxError> {
    if let Some(path) = &settings.bwrap {
        return match path.is_absolute() && path.is_file() {
            true => Ok(path.clone()),
            false => Err(SandboxError::Unusable {
                reason: format!("no bubblewrap at {}", path.display()),
                fix: "install it (Debian, Ubuntu: apt-get install bubblewrap) or correct the \
                      setting `sandbox.bwrap`"
                    .into(),
            }),
        };
    }
    BWRAP_PLACES
        .iter()
        .map(PathBuf::from)
        .find(|p| p.is_file())
        .ok_or_else(|| SandboxError::Unusable {
            reason: "bubblewrap is not installed".into(),
            fix: "install it (Debian, Ubuntu: apt-get install bubblewrap)".into(),
        })
}

/// Folders that can never be a work folder, and their content neither.
const SYSTEM: [&str; 11] = [
    "/bin", "/boot", "/dev", "/etc", "/lib", "/lib32", "/lib64", "/proc", "/sbin", "/sys", "/usr",
];
/// Folders that can never be a work folder themselves.
const TOP: [&str; 11] = [
    "/", "/home", "/media", "/mnt", "/opt", "/root", "/run", "/srv", "/tmp", "/var", "/var/tmp",
];
/// Places inside where a caller may not mount.
const TAKEN: [&str; 4] = ["/repo", "/run", "/tmp", "/tmp/home"];

/// The real path of the work folder, when it may be one.
pub(super) fn real_work(work: &Path) -> Result<String, SandboxError> {
    let fail = |source| SandboxError::Work {
        path: work.into(),
        source,
    };
    let real = work.canonicalize().map_err(fail)?;
    if !real.is_dir() {
        return Err(fail(std::io::ErrorKind::NotADirectory.into()));
    }
    let system = SYSTEM.iter().any(|s| real.starts_with(s));
    if system || TOP.iter().any(|t| real == Path::new(t)) {
        return Err(SandboxError::BadSpec(format!(
            "{} belongs to the system and cannot be the work folder; choose a project's folder",
            real.display()
        )));
    }
    text(&real)
}

/// A path as text; bubblewrap gets it in an order that is JSON.
pub(super) fn text(path: &Path) -> Result<String, SandboxError> {
    path.to_str().map(String::from).ok_or_else(|| {
        SandboxError::BadSpec(format!(
            "{} is not UTF-8; rename it",
            path.to_string_lossy().escape_debug()
        ))
    })
}

impl Spec {
    /// The host's folder that is the work folder's `.git`.
    pub(super) fn git(&self) -> Option<&Path> {
        let is_git = |m: &&Mount| !m.writable && m.inside == Path::new("/repo/.git");
        self.mounts.iter().find(is_git).map(|m| m.host.as_path())
    }

    pub(super) fn check(&self) -> Result<(), SandboxError> {
        let bad = |what: String| Err(SandboxError::BadSpec(what));
        if self.argv.first().is_none_or(String::is_empty) {
            return bad("no command was given".into());
        }
        if self.argv.iter().any(|a| a.contains('\0')) {
            return bad("the command holds a NUL character".into());
        }
        for (name, value) in &self.env {
            if name.is_empty() || name.contains(['=', '\0']) || value.contains('\0') {
                return bad(format!(
                    "`{}` cannot be set as a variable",
                    name.escape_debug()
                ));
            }
        }
        for mount in &self.mounts {
            let inside = &mount.inside;
            let plain = inside.is_absolute()
                && inside
                    .components()
                    .all(|c| matches!(c, Component::RootDir | Component::Normal(_)));
            let system = SYSTEM.iter().any(|s| inside.starts_with(s));
            if !plain
                || system
                || proxy::is_taken(inside)
                || TAKEN.iter().chain(&["/"]).any(|t| inside == Path::new(t))
            {
                return bad(format!("nothing can be mounted at {}", inside.display()));
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spec() -> Spec {
        Spec {
            argv: vec!["true".into()],
            ..Spec::default()
        }
    }

    #[test]
    fn what_no_host_may_run_is_refused() {
        assert!(spec().check().is_ok());
        assert!(Spec::default().check().is_err());
        let mut nul = spec();
        nul.argv.push("a\0b".into());
        assert!(nul.check().is_err());
        let mut env = spec();
        env.env = vec![("A=B".into(), String::new())];
        assert!(env.check().is_err());
    }

    #[test]
    fn mounts_stay_out_of_the_system() {
        for (inside, fine) in [
            ("/repo/.git", true),
            ("/tmp/cargo/registry", true),
            ("/deps", true),
            ("/", false),
            ("/repo", false),
            ("/usr/lib/x", false),
            ("/etc/passwd", false),
            ("/a/../etc", false),
            ("deps", false),
        ] {
            let mut s = spec();
            s.mounts = vec![Mount {
                host: "/x".into(),
                inside: inside.into(),
                writable: false,
            }];
            assert_eq!(s.check().is_ok(), fine, "{inside}");
        }
    }

    #[test]
    fn system_folders_are_no_work_folder() {
        for path in ["/", "/usr", "/etc/ssl", "/tmp", "/proc/self", "/root"] {
            assert!(
                matches!(real_work(Path::new(path)), Err(SandboxError::BadSpec(_))),
                "{path}"
            );
        }
        let missing = real_work(Path::new("/nonexistent/x"));
        assert!(matches!(missing, Err(SandboxError::Work { .. })));
        let folder = tempfile::tempdir().unwrap();
        assert!(real_work(folder.path()).is_ok());
    }

    #[test]
    fn a_missing_bubblewrap_names_the_fix() {
        let settings = Settings {
            bwrap: Some("/nonexistent/bwrap".into()),
            ..Settings::default()
        };
        let message = find_bwrap(&settings).unwrap_err().to_string();
        assert!(message.contains("apt-get install bubblewrap"), "{message}");
    }
}
