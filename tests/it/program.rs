//! The real program as one or several processes around one simulated GitHub, a scripted model and a
//! database; killed, stopped and started as a host would.
#![allow(clippy::disallowed_methods)] // starts the program and kills it

use crate::model::stub::{Answer, Stub};
use crate::postgres::{Database, Postgres};
use crate::world::{PROJECT, REPO, WRITER, calls, chat, fix};
use mend::domain::SystemClock;
use mend::simulator::{CommentView, Permission, Simulator, SimulatorOptions};
use mend::store::{Filter, State, Store, Task};
use serde_json::json;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::Mutex;
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// Which database the processes share.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Base {
    Sqlite,
    Postgres,
}

/// Everything that is not mend.
pub struct Site {
    pub folder: TempDir,
    pub sim: Simulator,
    pub stub: Stub,
    pub database: Option<Database>,
    /// Where webhooks go.
    pub port: u16,
    /// A program with its options that the servers run under.
    pub under: Vec<String>,
    /// Lines of the settings that a test adds, whole sections.
    pub more: String,
    pub workers: usize,
    pub lease_s: u64,
    starts: Mutex<usize>,
}

/// A model that looks once and then fixes, in every conversation.
pub async fn fixing(pause: Duration) -> Stub {
    Stub::answering(move |body| {
        let begun = String::from_utf8_lossy(body).contains("\"assistant\"");
        let turn = match begun {
            true => fix(),
            false => calls(&[("read_file", json!({"path": "adder/sums.py"}))]),
        };
        let text = chat(&turn);
        let size = text.len();
        Answer::json(200, text).drip(size, pause)
    })
    .await
}

/// What the settings of a server say.
pub struct Written<'a> {
    pub port: u16,
    pub state: &'a Path,
    pub lease_s: u64,
    pub workers: usize,
    /// The default without it.
    pub database: Option<&'a str>,
    pub model: &'a str,
    /// Whole sections.
    pub more: &'a str,
}

impl Written<'_> {
    pub fn to(&self, config: &Path, sim: &Simulator) {
        let database = self.database.map_or(String::new(), |url| {
            format!("[database]\nurl = \"{url}\"\n")
        });
        let text = format!(
            "[server]\nlisten = \"127.0.0.1:{}\"\nstate_dir = \"{}\"\nlease_s = {}\nworkers = {}\n{database}\
             [github]\napp_id = {}\nwebhook_secret = \"{}\"\nbase_url = \"{}\"\nweb_url = \"{}\"\n\
             private_key = '''{}'''\n\
             [repos]\nrunning = 0\nperson_per_hour = 0\nrepo_per_hour = 0\ninstallation_per_hour = 0\n\
             [model]\nwire = \"chat\"\nmodel = \"scripted\"\nbase_url = \"{}\"\nstream = false\n{}",
            self.port,
            self.state.display(),
            self.lease_s,
            self.workers,
            sim.app_id(),
            sim.webhook_secret(),
            sim.base_url(),
            sim.base_url(),
            sim.private_key_pem(),
            self.model,
            self.more,
        );
        std::fs::write(config, text).unwrap();
        std::fs::set_permissions(config, std::fs::Permissions::from_mode(0o600)).unwrap();
    }
}

/// A port that nobody listens on.
pub fn free_port() -> u16 {
    let free = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    free.local_addr().unwrap().port()
}

/// `mend serve` with these settings; for figures another build of it by `MEND_FIGURES_PROGRAM`.
pub fn serve(config: &Path) -> Command {
    let other = std::env::var_os("MEND_FIGURES_PROGRAM");
    let program = other.map_or(env!("CARGO_BIN_EXE_mend").into(), PathBuf::from);
    let mut serve = Command::new(program);
    serve.args(["serve", "--config"]).arg(config);
    serve
}

/// The same command, run by another program with options of its own.
fn under(other: &[String], command: Command) -> Command {
    let Some((program, options)) = other.split_first() else {
        return command;
    };
    let mut whole = Command::new(program);
    whole.args(options).arg(command.get_program());
    whole.args(command.get_args());
    whole
}

/// Waits for something; generous, since machines are slow and shared.
pub async fn until<T>(what: &str, look: impl AsyncFn() -> Option<T>) -> T {
    let start = Instant::now();
    loop {
        if let Some(found) = look().await {
            return found;
        }
        assert!(start.elapsed() < Duration::from_secs(90), "in vain: {what}");
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
}

impl Site {
    pub async fn new(base: Base, stub: Stub) -> Site {
        let folder = tempfile::Builder::new()
            .prefix("mend-site-")
            .tempdir_in("/tmp")
            .unwrap();
        let sim = Simulator::start(SimulatorOptions::default()).await.unwrap();
        sim.add_person(WRITER, Permission::Write);
        sim.create_repo(REPO, PROJECT.iter().copied()).unwrap();
        let database = (base == Base::Postgres).then(|| Postgres::shared().database());
        let port = free_port();
        sim.set_webhook_url(Some(&format!("http://127.0.0.1:{port}/webhook")));
        Site {
            folder,
            sim,
            stub,
            database,
            port,
            under: Vec::new(),
            more: String::new(),
            workers: 2,
            lease_s: 2,
            starts: Mutex::default(),
        }
    }

    /// The state folder of one of the processes.
    pub fn state(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn url(&self, name: &str) -> String {
        match &self.database {
            Some(database) => database.url(),
            None => format!("sqlite:{}", self.state(name).join("mend.db").display()),
        }
    }

    /// Writes the settings of one of the processes.
    pub fn config(&self, name: &str) -> PathBuf {
        let config = self.folder.path().join(format!("{name}.toml"));
        Written {
            port: self.port,
            state: &self.state(name),
            lease_s: self.lease_s,
            workers: self.workers,
            database: Some(&self.url(name)),
            model: &self.stub.base,
            more: &self.more,
        }
        .to(&config, &self.sim);
        config
    }

    /// `mend serve` as a process of this name; `environment` is added to what it inherits.
    pub fn start(&self, name: &str, role: &str, environment: &[(&str, &str)]) -> Serve {
        let n = {
            let mut starts = self.starts.lock().unwrap();
            *starts += 1;
            *starts
        };
        let log = self.folder.path().join(format!("{name}-{n}.log"));
        let mut serve = under(&self.under, serve(&self.config(name)));
        serve
            .args(["--role", role])
            .envs(environment.iter().copied());
        Serve::start(serve, log)
    }

    /// Any other command of mend, with the settings of a process.
    pub fn mend(&self, name: &str, arguments: &[&str]) -> std::process::Output {
        Command::new(env!("CARGO_BIN_EXE_mend"))
            .args(arguments)
            .arg("--config")
            .arg(self.config(name))
            .output()
            .unwrap()
    }

    /// Waits until webhooks are taken.
    pub async fn listens(&self) {
        let port = self.port;
        self.until("it listens", async || {
            tokio::net::TcpStream::connect(("127.0.0.1", port))
                .await
                .ok()
        })
        .await;
    }

    pub async fn store(&self, name: &str) -> Store {
        Store::open(&self.url(name), SystemClock::shared())
            .await
            .unwrap()
    }

    /// Opens an issue and labels it.
    pub fn label(&self) -> u64 {
        self.label_in(REPO)
    }

    pub fn label_in(&self, repo: &str) -> u64 {
        let (sim, title) = (&self.sim, "add subtracts");
        let issue = sim.open_issue(repo, WRITER, title, "It does.").unwrap();
        sim.label_issue(repo, issue, "mend", WRITER).unwrap();
        issue
    }

    /// Waits until so many tasks have ended, and answers all.
    pub async fn ended(&self, store: &Store, count: usize) -> Vec<Task> {
        self.until(&format!("{count} tasks end"), async || {
            let tasks = store.tasks(&Filter::default(), 1000).await.ok()?;
            let over = tasks.iter().filter(|t| t.verdict.is_some()).count();
            (over >= count).then_some(tasks)
        })
        .await
    }

    pub async fn until<T>(&self, what: &str, look: impl AsyncFn() -> Option<T>) -> T {
        let start = Instant::now();
        loop {
            if let Some(found) = look().await {
                return found;
            }
            if start.elapsed() > Duration::from_secs(120) {
                panic!("in vain until {what}; logs: {}", self.logs());
            }
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    }

    /// The ends of all logs.
    pub fn logs(&self) -> String {
        let mut text = String::new();
        for entry in std::fs::read_dir(self.folder.path()).unwrap() {
            let path = entry.unwrap().path();
            if path.extension().is_some_and(|e| e == "log") {
                let log = std::fs::read_to_string(&path).unwrap_or_default();
                let lines: Vec<&str> = log.lines().collect();
                let from = lines.len().saturating_sub(15);
                text.push_str(&format!(
                    "\n== {}\n{}",
                    path.display(),
                    lines[from..].join("\n")
                ));
            }
        }
        text
    }

    /// mend's own comments on an issue.
    pub fn own_comments(&self, repo: &str, issue: u64) -> Vec<CommentView> {
        let bot = format!("{}[bot]", self.sim.app_slug());
        let comments = self.sim.issue(repo, issue).unwrap().comments;
        comments.into_iter().filter(|c| c.author == bot).collect()
    }

    /// What must hold of one fixed issue, whatever happened on the way: one branch with one commit,
    /// one pull request, one status comment.
    pub fn fixed_once(&self, repo: &str, issue: u64) {
        let branch = format!("mend/issue-{issue}");
        let whole = format!("refs/heads/{branch}");
        let refs = self.sim.refs(repo);
        let ours = refs
            .keys()
            .filter(|r| **r == whole || r.starts_with(&format!("{whole}-")));
        assert_eq!(ours.count(), 1, "{refs:?}{}", self.logs());
        assert_eq!(self.sim.log(repo, &branch).len(), 2, "{}", self.logs());
        let pulls = self.sim.pulls(repo);
        let pulls = pulls.iter().filter(|p| p.head == branch).count();
        assert_eq!(pulls, 1, "{}", self.logs());
        let comments = self.own_comments(repo, issue);
        assert_eq!(comments.len(), 1, "{comments:#?}{}", self.logs());
    }

    /// No lease, no throwaway tree and no process of this site is left.
    pub async fn nothing_left(&self, names: &[&str], tasks: &[Task]) {
        for task in tasks {
            assert!(matches!(task.state, State::Done | State::Dead), "{task:#?}");
            assert!(task.lease_owner.is_none(), "{task:#?}");
        }
        for name in names {
            let work = self.state(name).join("work");
            let left: Vec<_> = std::fs::read_dir(work)
                .into_iter()
                .flatten()
                .map(|e| e.unwrap().path())
                .collect();
            assert!(left.is_empty(), "{left:?}");
        }
        let folder = self.folder.path().to_str().unwrap();
        for entry in std::fs::read_dir("/proc").unwrap().filter_map(Result::ok) {
            let line = std::fs::read(entry.path().join("cmdline")).unwrap_or_default();
            let line = String::from_utf8_lossy(&line).to_string();
            assert!(!line.contains(folder), "left: {line}");
        }
    }
}

/// A running `mend serve`, killed when this is dropped.
pub struct Serve {
    pub child: Child,
    log: PathBuf,
}

impl Serve {
    /// Starts it; what it says goes to the end of `log`.
    pub fn start(mut serve: Command, log: PathBuf) -> Serve {
        let mut file = std::fs::OpenOptions::new();
        let file = file.create(true).append(true).open(&log).unwrap();
        let child = serve.stdout(Stdio::null()).stderr(file).spawn().unwrap();
        Serve { child, log }
    }

    pub fn pid(&self) -> u32 {
        self.child.id()
    }

    /// SIGKILL.
    pub fn kill(&mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }

    pub fn signal(&self, signal: rustix::process::Signal) {
        let pid = rustix::process::Pid::from_child(&self.child);
        rustix::process::kill_process(pid, signal).unwrap();
    }

    /// Waits for its end, on this thread.
    pub fn wait(&mut self) -> ExitStatus {
        self.child.wait().unwrap()
    }

    pub fn has_ended(&mut self) -> Option<ExitStatus> {
        self.child.try_wait().unwrap()
    }

    /// Waits for its end.
    pub async fn ends(&mut self) -> ExitStatus {
        let start = Instant::now();
        loop {
            if let Some(status) = self.has_ended() {
                return status;
            }
            assert!(
                start.elapsed() < Duration::from_secs(60),
                "it does not end: {}",
                self.log()
            );
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    }

    pub fn log(&self) -> String {
        std::fs::read_to_string(&self.log).unwrap_or_default()
    }
}

impl Drop for Serve {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
