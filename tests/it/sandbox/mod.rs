//! Real commands in real sandboxes. Every test of confinement runs as root and as an ordinary
//! user, as far as the tests themselves run as root.

mod cases;
mod elsewhere;
mod engine;
mod escape;
mod lifecycle;
mod limits;
mod network;
mod recorded;
mod refusal;
mod toolchains;

use crate::host;
use mend::sandbox::{Sandbox, Settings, Spec};
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::LazyLock;
use tempfile::TempDir;

/// The uid that stands for an ordinary user when the tests run as root.
pub const USER: u32 = 65533;

/// mend's binary at a place that every user can reach.
pub static MEND: LazyLock<PathBuf> = LazyLock::new(|| {
    let built = PathBuf::from(env!("CARGO_BIN_EXE_mend"));
    if !host::is_root()
        || as_user(Path::new("/usr/bin/test"))
            .arg("-x")
            .arg(&built)
            .status()
            .is_ok_and(|s| s.success())
    {
        return built;
    }
    let folder = tempfile::Builder::new()
        .prefix("mend-test-bin")
        .tempdir()
        .unwrap()
        .keep();
    open_to_all(&folder);
    let copy = folder.join("mend");
    std::fs::copy(built, &copy).unwrap();
    copy
});

/// Who starts mend.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Start {
    Root,
    User,
}

/// The starts that this run of the tests can try.
pub fn starts() -> Vec<Start> {
    match host::has("root", host::is_root()) {
        true => vec![Start::Root, Start::User],
        false => vec![Start::User],
    }
}

pub fn as_user(program: &Path) -> Command {
    let id = USER.to_string();
    let mut command = Command::new("setpriv");
    command
        .args(["--reuid", &id, "--regid", &id, "--clear-groups", "--"])
        .arg(program);
    command
}

pub fn open_to_all(folder: &Path) {
    use std::os::unix::fs::PermissionsExt;
    std::fs::set_permissions(folder, std::fs::Permissions::from_mode(0o755)).unwrap();
}

/// A work folder that belongs to who starts mend.
pub struct Work {
    pub start: Start,
    folder: TempDir,
}

impl Work {
    pub fn new(start: Start) -> Work {
        let folder = tempfile::Builder::new()
            .prefix("mend-test")
            .tempdir()
            .unwrap();
        open_to_all(folder.path());
        let work = Work { start, folder };
        std::fs::create_dir(work.path()).unwrap();
        work.own(&work.path());
        work
    }

    /// The work folder, in a folder of its own so that a test can put things beside it.
    pub fn path(&self) -> PathBuf {
        self.folder.path().join("work")
    }

    pub fn beside(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub fn own(&self, path: &Path) {
        if self.start == Start::User && host::is_root() {
            std::os::unix::fs::chown(path, Some(USER), Some(USER)).unwrap();
        }
    }

    pub fn file(&self, name: &str, content: &str) {
        let path = self.path().join(name);
        std::fs::write(&path, content).unwrap();
        self.own(&path);
    }

    /// mend with the work folder as the current one.
    pub fn mend(&self) -> Command {
        let mut command = match (self.start, host::is_root()) {
            (Start::User, true) => as_user(&MEND),
            _ => Command::new(&*MEND),
        };
        command.current_dir(self.path()).stdin(Stdio::null());
        command
    }

    /// `mend sandbox run -- /bin/sh -c SCRIPT`.
    pub fn sh(&self, script: &str) -> Output {
        let mut command = self.mend();
        command.args([
            "sandbox",
            "run",
            "--timeout",
            "60",
            "--",
            "/bin/sh",
            "-c",
            script,
        ]);
        command.output().unwrap()
    }

    /// Standard output of a script that has to end well.
    pub fn say(&self, script: &str) -> String {
        let output = self.sh(script);
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        let errors = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{:?}: {text}{errors}", self.start);
        text
    }

    /// Runs a Python program that stands in the work folder.
    pub fn python(&self, program: &str) -> String {
        self.file("probe.py", program);
        self.say("/usr/bin/python3 probe.py")
    }

    /// `mend sandbox run --json`.
    pub fn json(&self, more: &[&str], script: &str) -> Value {
        let mut command = self.mend();
        command.args(["sandbox", "run", "--json"]).args(more);
        let output = command
            .args(["--", "/bin/sh", "-c", script])
            .output()
            .unwrap();
        serde_json::from_slice(&output.stdout)
            .unwrap_or_else(|e| panic!("{e}: {}", String::from_utf8_lossy(&output.stderr)))
    }
}

/// The library's sandbox, with mend's binary as its stages.
pub async fn sandbox() -> Sandbox {
    let settings = Settings {
        program: Some(MEND.clone()),
        ..Settings::default()
    };
    Sandbox::find(&settings).await.unwrap()
}

pub fn spec(work: &Path, script: &str) -> Spec {
    Spec {
        argv: ["/bin/sh", "-c", script].map(String::from).to_vec(),
        work: work.into(),
        ..Spec::default()
    }
}

/// Processes of the host whose command line holds this word.
pub fn living(word: &str) -> Vec<String> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir("/proc").unwrap().flatten() {
        let line = std::fs::read(entry.path().join("cmdline")).unwrap_or_default();
        let line = String::from_utf8_lossy(&line).replace('\0', " ");
        // A shell's or mend's line holds the word inside a script; only the sleeper itself counts.
        if line.starts_with("sleep ") && line.contains(word) {
            found.push(line);
        }
    }
    found
}

/// Waits until `done`, at most ten seconds.
pub fn wait_until(what: &str, done: impl Fn() -> bool) {
    for _ in 0..500 {
        if done() {
            return;
        }
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    panic!("not within ten seconds: {what}");
}

/// A number of seconds that no other test sleeps.
pub fn sleeper() -> String {
    use std::sync::atomic::{AtomicU32, Ordering};
    static NEXT: AtomicU32 = AtomicU32::new(0);
    let next = NEXT.fetch_add(1, Ordering::Relaxed);
    format!("4{:07}.{next:03}", std::process::id())
}
