//! A GitHub, a server and recorded answers of a model, for the outermost tests.

use crate::contract::{Checked, Whose};
use mend::app::{Extra, Server};
use mend::config::{
    DatabaseSettings, Environment, GithubSettings, ModelSettings, Permission as Needed,
    ReposSettings, RoleSettings, SandboxSettings, ServerSettings, Settings,
};
use mend::domain::{Clock, Limits, Verdict};
use mend::simulator::{CommentView, Permission, PullView, SimulatorOptions};
use mend::store::{Filter, State, Task};
use mend::task::Times;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant, SystemTime};
use tempfile::TempDir;

pub const REPO: &str = "acme/adder";
/// May write, read, nothing.
pub const WRITER: &str = "ada";
pub const READER: &str = "rae";

/// A project of three files with one bug that one test shows.
pub const PROJECT: &[(&str, &str)] = &[
    (
        "adder/__init__.py",
        "from .sums import add, double\n\n__all__ = [\"add\", \"double\"]\n",
    ),
    (
        "adder/sums.py",
        "def add(a, b):\n    return a - b\n\n\ndef double(a):\n    return a * 2\n",
    ),
    ("tests/__init__.py", ""),
    (
        "tests/test_sums.py",
        "import unittest\n\nfrom adder import add, double\n\n\nclass SumsTest(unittest.TestCase):\n    \
         def test_add(self):\n        self.assertEqual(add(2, 3), 5)\n\n    \
         def test_double(self):\n        self.assertEqual(double(4), 8)\n",
    ),
];

/// One turn of a recorded model.
pub fn calls(calls: &[(&str, Value)]) -> Value {
    let calls: Vec<Value> = calls
        .iter()
        .map(|(name, arguments)| json!({"name": name, "arguments": arguments}))
        .collect();
    json!({"text": "", "tool_calls": calls})
}

pub fn text(text: &str) -> Value {
    json!({"text": text})
}

/// The edit that fixes the project.
pub fn fix() -> Value {
    calls(&[(
        "edit_file",
        json!({
            "path": "adder/sums.py",
            "edits": [{"old": "return a - b", "new": "return a + b"}],
            "summary": "`add` subtracted; it now adds."
        }),
    )])
}

/// A second change, on top of the first.
pub fn more() -> Value {
    calls(&[
        (
            "write_file",
            json!({
                "path": "tests/test_more.py",
                "content": "import unittest\n\nfrom adder import add\n\n\nclass MoreTest(unittest.TestCase):\n    def test_negative(self):\n        self.assertEqual(add(-1, 1), 0)\n",
                "summary": "Added a test with a negative number."
            }),
        ),
        (
            "finish",
            json!({"summary": "Added a test with a negative number."}),
        ),
    ])
}

/// A turn of a recorded model as Chat Completions answers it.
pub fn chat(reply: &Value) -> String {
    let calls = reply["tool_calls"].as_array().cloned().unwrap_or_default();
    let calls: Vec<Value> = calls
        .iter()
        .enumerate()
        .map(|(n, c)| {
            json!({"id": format!("call_{n}"), "type": "function",
                "function": {"name": c["name"], "arguments": c["arguments"].to_string()}})
        })
        .collect();
    json!({
        "choices": [{"index": 0, "finish_reason": "stop",
            "message": {"role": "assistant", "content": reply["text"], "tool_calls": calls}}],
        "usage": {"prompt_tokens": 1000, "completion_tokens": 50},
    })
    .to_string()
}

/// Writes a recording.
pub fn record(folder: &Path, replies: &[Value]) {
    std::fs::create_dir_all(folder).unwrap();
    for (n, reply) in replies.iter().enumerate() {
        std::fs::write(
            folder.join(format!("{:04}.reply.json", n + 1)),
            reply.to_string(),
        )
        .unwrap();
    }
}

/// The machine's clock, moved ahead by the test.
#[derive(Default)]
pub struct Moved(AtomicU64);

impl Moved {
    pub fn on(&self, by: Duration) {
        self.0.fetch_add(by.as_millis() as u64, Ordering::SeqCst);
    }
}

impl Clock for Moved {
    fn now(&self) -> SystemTime {
        SystemTime::now() + Duration::from_millis(self.0.load(Ordering::SeqCst))
    }
}

pub struct World {
    pub sim: Checked,
    pub settings: Settings,
    pub times: Times,
    pub clock: Arc<Moved>,
    server: Option<Server>,
    pub folder: TempDir,
}

impl World {
    /// A GitHub with the project, and a server that answers with these recordings, one a task.
    pub async fn new(recordings: &[&[Value]]) -> World {
        World::with(recordings, PROJECT, |_| {}).await
    }

    pub async fn with(
        recordings: &[&[Value]],
        project: &[(&str, &str)],
        change: impl FnOnce(&mut Settings),
    ) -> World {
        let folder = tempfile::Builder::new()
            .prefix("mend-world-")
            .tempdir_in("/tmp")
            .unwrap();
        let sim = Checked::start(SimulatorOptions::default(), Whose::Mend).await;
        sim.add_person(WRITER, Permission::Write);
        sim.add_person(READER, Permission::Read);
        sim.create_repo(REPO, project.iter().copied()).unwrap();
        let mut replay = Vec::new();
        for (n, replies) in recordings.iter().enumerate() {
            let path = folder.path().join(format!("recording-{n}"));
            record(&path, replies);
            replay.push(path);
        }
        let mut settings = settings(&sim, folder.path(), replay);
        change(&mut settings);
        let times = Times {
            lease: Duration::from_secs(4),
            beat: Duration::from_millis(100),
            status: Duration::from_millis(50),
            again: Duration::from_millis(300),
            idle: Duration::from_millis(100),
            ..Times::default()
        };
        let mut world = World {
            sim,
            settings,
            times,
            clock: Arc::default(),
            server: None,
            folder,
        };
        world.up().await;
        world
    }

    /// Starts the server, on the same store.
    pub async fn up(&mut self) {
        let environment = Environment::of([("PATH", std::env::var("PATH").unwrap())]);
        let extra = Extra {
            times: self.times.clone(),
            clock: self.clock.clone(),
            program: Some(PathBuf::from(env!("CARGO_BIN_EXE_mend"))),
            ..Extra::default()
        };
        let starting = Box::pin(Server::start(&self.settings, &environment, extra));
        let server = starting.await.unwrap();
        self.sim.set_webhook_url(Some(&self.webhook(&server)));
        self.server = Some(server);
    }

    /// Stops the server as Ctrl-C does.
    pub async fn down(&mut self) {
        self.server.take().unwrap().stop().await;
    }

    /// Kills the server's parts in the middle of what they do.
    pub async fn crash(&mut self) {
        self.server.take().unwrap().abort().await;
    }

    fn webhook(&self, server: &Server) -> String {
        server.webhook_url().unwrap()
    }

    pub fn webhook_url(&self) -> String {
        self.webhook(self.server())
    }

    pub fn server(&self) -> &Server {
        self.server.as_ref().unwrap()
    }

    /// Opens an issue and labels it.
    pub fn label(&self) -> u64 {
        let issue = self
            .sim
            .open_issue(
                REPO,
                WRITER,
                "add subtracts",
                "`add(2, 3)` gives -1; it should give 5.",
            )
            .unwrap();
        self.sim.label_issue(REPO, issue, "mend", WRITER).unwrap();
        issue
    }

    pub async fn tasks(&self) -> Vec<Task> {
        let mut tasks = self
            .server()
            .store()
            .tasks(&Filter::default(), 1000)
            .await
            .unwrap();
        tasks.sort_by_key(|t| t.id);
        tasks
    }

    /// Waits until task number `n` (from 1) has ended, and answers it.
    pub async fn ended(&self, n: usize) -> Task {
        self.until(&format!("task {n} ends"), async || {
            let task = self.tasks().await.into_iter().nth(n - 1)?;
            (matches!(task.state, State::Done | State::Dead) && task.verdict.is_some())
                .then_some(task)
        })
        .await
    }

    /// Waits for something; generous, since machines are slow and shared.
    pub async fn until<T>(&self, what: &str, look: impl AsyncFn() -> Option<T>) -> T {
        let start = Instant::now();
        loop {
            if let Some(found) = look().await {
                return found;
            }
            if start.elapsed() > Duration::from_secs(60) {
                let tasks = self.tasks().await;
                panic!(
                    "waited in vain until {what}; tasks: {tasks:#?}; comments: {:#?}",
                    self.sim.issue(REPO, 1)
                );
            }
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    }

    pub fn pulls(&self) -> Vec<PullView> {
        self.sim.pulls(REPO)
    }

    pub fn comments(&self, issue: u64) -> Vec<CommentView> {
        self.sim.issue(REPO, issue).unwrap().comments
    }

    /// mend's own comments.
    pub fn own_comments(&self, issue: u64) -> Vec<CommentView> {
        let bot = format!("{}[bot]", self.sim.app_slug());
        self.comments(issue)
            .into_iter()
            .filter(|c| c.author == bot)
            .collect()
    }

    /// Ends the world; nothing may be left: no claimed task, no throwaway tree, no process.
    pub async fn end(mut self) {
        for task in self.tasks().await {
            assert!(
                matches!(task.state, State::Done | State::Dead),
                "left over: {task:#?}"
            );
            assert!(task.lease_owner.is_none());
            assert_ne!(task.verdict, None::<Verdict>);
        }
        self.down().await;
        self.nothing_left();
        self.sim.shutdown().await;
    }

    /// No throwaway tree and no process that names this world's folder.
    pub fn nothing_left(&self) {
        let work = self.settings.server.state_dir.join("work");
        let left: Vec<_> = std::fs::read_dir(&work)
            .unwrap()
            .map(|e| e.unwrap().path())
            .collect();
        assert!(left.is_empty(), "{left:?}");
        let name = self.folder.path().to_str().unwrap();
        let own = std::process::id().to_string();
        for entry in std::fs::read_dir("/proc").unwrap().filter_map(Result::ok) {
            let pid = entry.file_name().to_string_lossy().to_string();
            let line = std::fs::read(entry.path().join("cmdline")).unwrap_or_default();
            let line = String::from_utf8_lossy(&line).to_string();
            assert!(
                pid == own || !line.contains(name),
                "process {pid} is left: {line}"
            );
        }
    }
}

fn settings(sim: &Checked, folder: &Path, replay: Vec<PathBuf>) -> Settings {
    let state = folder.join("state");
    Settings {
        server: ServerSettings {
            listen: ([127, 0, 0, 1], 0).into(),
            body_limit_bytes: 1024 * 1024,
            state_dir: state.clone(),
            workers: 2,
            lease_s: 60,
            trace_days: 30,
            trace_mb: 1024,
        },
        github: GithubSettings {
            app_id: sim.app_id(),
            private_key: sim.private_key_pem().to_string().into(),
            webhook_secret: sim.webhook_secret().into(),
            webhook_secret_old: None,
            webhook_secret_old_until: None,
            base_url: sim.base_url().to_string(),
            web_url: sim.base_url().to_string(),
            label: "mend".into(),
            branch_prefix: "mend/".into(),
            permission: Needed::Write,
            poll_s: None,
            reconcile_s: 6 * 3600,
            ca_file: None,
            proxy: None,
        },
        model: ModelSettings {
            replay,
            ..ModelSettings::default()
        },
        roles: RoleSettings::default(),
        agent: Default::default(),
        database: DatabaseSettings {
            url: format!("sqlite:{}", state.join("mend.db").display()).into(),
        },
        limits: Limits::default(),
        sandbox: SandboxSettings::default(),
        network: Default::default(),
        git: Default::default(),
        setup: Default::default(),
        repos: ReposSettings::default(),
        publish: Default::default(),
        queue: Default::default(),
        budget: Default::default(),
        web: Default::default(),
        metrics: Default::default(),
    }
}
