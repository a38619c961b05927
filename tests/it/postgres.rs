//! A private PostgreSQL from the installed program: a socket in a folder of its own, no network, an
//! unprivileged user. It ends with this process, however that ends.
#![allow(clippy::disallowed_methods)] // starts a server

use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

/// Runs `postgres` until its standard input ends, which it does with the process that holds it.
const KEEPER: &str = r#"
"$@" &
server=$!
cat >/dev/null
kill -QUIT $server 2>/dev/null
wait $server
[ -z "$REMOVE" ] || rm -rf "$REMOVE"
"#;

/// A running server.
pub struct Postgres {
    bin: PathBuf,
    folder: PathBuf,
    keeper: Child,
    durable: bool,
}

/// A database that goes when this is dropped.
pub struct Database {
    socket: PathBuf,
    name: String,
}

impl Postgres {
    /// The one that the tests of this process share.
    pub fn shared() -> &'static Postgres {
        static SHARED: OnceLock<Postgres> = OnceLock::new();
        SHARED.get_or_init(|| Postgres::start(&folder(), true, false))
    }

    /// One of its own in `folder`, which stays.
    pub fn own(folder: &Path) -> Postgres {
        Postgres::start(folder, false, false)
    }

    /// As [`Postgres::own`], with every commit on the disk.
    pub fn durable(folder: &Path) -> Postgres {
        Postgres::start(folder, false, true)
    }

    fn start(folder: &Path, remove: bool, durable: bool) -> Postgres {
        let bin = programs();
        if rustix::process::geteuid().is_root() {
            run(Command::new("chown").arg("nobody").arg(folder));
        }
        if !folder.join("data").exists() {
            let mut init = as_nobody(&bin.join("initdb"));
            init.args([
                "--username=mend",
                "--auth=trust",
                "--no-sync",
                "--encoding=UTF8",
            ])
            .args(["--locale=C", "--pgdata"])
            .arg(folder.join("data"));
            run(&mut init);
        }
        let keeper = keep(&bin, folder, remove, durable);
        let server = Postgres {
            bin,
            folder: folder.into(),
            keeper,
            durable,
        };
        server.wait();
        server
    }

    fn wait(&self) {
        let start = Instant::now();
        let ready = || {
            let mut ask = Command::new(self.bin.join("pg_isready"));
            ask.arg("--quiet").arg("--host").arg(&self.folder);
            ask.status().unwrap().success()
        };
        while !ready() {
            let log = std::fs::read_to_string(self.folder.join("log")).unwrap_or_default();
            assert!(
                start.elapsed() < Duration::from_secs(60),
                "not ready: {log}"
            );
            std::thread::sleep(Duration::from_millis(50));
        }
    }

    /// A fresh database.
    pub fn database(&self) -> Database {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let name = format!("mend{}", NEXT.fetch_add(1, Ordering::Relaxed));
        let database = Database {
            socket: self.folder.clone(),
            name,
        };
        database.admin(&format!("CREATE DATABASE {}", database.name));
        database
    }

    /// SIGSTOP: connections stay, and nothing is answered.
    pub fn stall(&self) {
        run(Command::new("kill").arg("-STOP").args(self.processes()));
    }

    /// SIGCONT, after [`Postgres::stall`].
    pub fn resume(&self) {
        run(Command::new("kill").arg("-CONT").args(self.processes()));
    }

    /// The server and all that belongs to it.
    fn processes(&self) -> Vec<String> {
        let pid = std::fs::read_to_string(self.folder.join("data/postmaster.pid")).unwrap();
        let pid = pid.lines().next().unwrap().to_string();
        let mut all = vec![pid.clone()];
        let children = format!("/proc/{pid}/task/{pid}/children");
        let children = std::fs::read_to_string(children).unwrap_or_default();
        all.extend(children.split_whitespace().map(String::from));
        all
    }

    /// SIGKILL to the server and all that belongs to it, in the middle of whatever it does.
    pub fn kill(&mut self) {
        run(Command::new("kill").arg("-KILL").args(self.processes()));
        drop(self.keeper.stdin.take());
        self.keeper.wait().unwrap();
    }

    /// Starts again after [`Postgres::kill`].
    pub fn again(&mut self) {
        self.keeper = keep(&self.bin, &self.folder, false, self.durable);
        self.wait();
    }
}

impl Drop for Postgres {
    fn drop(&mut self) {
        drop(self.keeper.stdin.take());
        let _ = self.keeper.wait();
    }
}

impl Database {
    pub fn url(&self) -> String {
        let socket = self.socket.display().to_string().replace('/', "%2F");
        format!("postgres://mend@{socket}/{}", self.name)
    }

    fn admin(&self, sql: &str) {
        run(self.psql("postgres").arg(sql));
    }

    /// Runs SQL beside mend and answers what it prints.
    pub fn sql(&self, sql: &str) -> String {
        let out = self.psql(&self.name).arg(sql).output().unwrap();
        assert!(out.status.success(), "{sql}: {out:?}");
        String::from_utf8(out.stdout).unwrap().trim().to_string()
    }

    fn psql(&self, database: &str) -> Command {
        let mut psql = Command::new("psql");
        psql.args(["--no-psqlrc", "--quiet", "--tuples-only", "--no-align"])
            .args(["--username=mend", "--dbname", database, "--host"])
            .arg(&self.socket)
            .arg("--command");
        psql
    }
}

impl Drop for Database {
    fn drop(&mut self) {
        let sql = format!("DROP DATABASE IF EXISTS {} WITH (FORCE)", self.name);
        // Its server may have been killed by the test.
        let _ = self.psql("postgres").arg(sql).output();
    }
}

fn keep(bin: &Path, folder: &Path, remove: bool, durable: bool) -> Child {
    let log = std::fs::File::create(folder.join("log")).unwrap();
    let server = as_nobody(&bin.join("postgres"));
    let mut keeper = Command::new("sh");
    keeper
        .args(["-c", KEEPER, "keeper"])
        .arg(server.get_program())
        .args(server.get_args())
        .arg("-D")
        .arg(folder.join("data"))
        .arg("-k")
        .arg(folder);
    for setting in [
        "listen_addresses=",
        "max_connections=400",
        "shared_buffers=32MB",
        "max_wal_size=128MB",
        if durable { "fsync=on" } else { "fsync=off" },
    ] {
        keeper.args(["-c", setting]);
    }
    keeper
        .env(
            "REMOVE",
            if remove {
                folder.as_os_str()
            } else {
                "".as_ref()
            },
        )
        .stdin(Stdio::piped())
        .stdout(log.try_clone().unwrap())
        .stderr(log)
        .process_group(0)
        .spawn()
        .unwrap()
}

fn folder() -> PathBuf {
    let folder = tempfile::Builder::new()
        .prefix("mend-postgres-")
        .tempdir_in("/tmp")
        .unwrap();
    folder.keep()
}

/// PostgreSQL refuses to run as root.
fn as_nobody(program: &Path) -> Command {
    if !rustix::process::geteuid().is_root() {
        return Command::new(program);
    }
    let mut command = Command::new("setpriv");
    command
        .args(["--reuid=nobody", "--regid=nogroup", "--clear-groups", "--"])
        .arg(program);
    command
}

/// The newest installed version's programs.
fn programs() -> PathBuf {
    let versions = std::fs::read_dir("/usr/lib/postgresql")
        .into_iter()
        .flatten();
    versions
        .filter_map(|entry| Some(entry.ok()?.path().join("bin")))
        .filter(|bin| bin.join("initdb").exists())
        .max_by_key(|bin| {
            let version = bin.parent().and_then(Path::file_name).unwrap_or_default();
            version.to_string_lossy().parse::<u32>().unwrap_or(0)
        })
        .expect("PostgreSQL's server is not installed: run tests/install")
}

fn run(command: &mut Command) {
    let out = command.output().unwrap();
    assert!(out.status.success(), "{command:?}: {out:?}");
}
