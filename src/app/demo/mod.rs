//! The whole job on one machine: a simulated GitHub on loopback, a server, a small project with a
//! real bug. Only GitHub is simulated, and the model is a recording unless another one is named.

use super::server::{Extra, Server, StartError};
use crate::config::{
    DatabaseSettings, Engine, Environment, GithubSettings, Permission as Needed, ReposSettings,
    ServerSettings, Settings, WebSettings,
};
use crate::domain::{Journal, Verdict};
use crate::simulator::{Permission, PullView, Simulator, SimulatorError, SimulatorOptions};
use crate::store::{State, Task};
use crate::task::Times;
use crate::tree::{RelPath, TempFolder, Tree, TreeError, make_folder};
use serde_json::Value;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

/// The repository of the demo.
pub const REPO: &str = "acme/roombook";
/// Who opens the issue, labels it and comments.
pub const MAINTAINER: &str = "ada";

/// The project, a file an entry.
const PROJECT: &[(&str, &str)] = &[
    ("README.md", include_str!("project/README.md")),
    (
        "roombook/__init__.py",
        include_str!("project/roombook/__init__.py"),
    ),
    (
        "roombook/calendar.py",
        include_str!("project/roombook/calendar.py"),
    ),
    (
        "roombook/interval.py",
        include_str!("project/roombook/interval.py"),
    ),
    ("roombook/plan.py", include_str!("project/roombook/plan.py")),
    (
        "tests/__init__.py",
        include_str!("project/tests/__init__.py"),
    ),
    (
        "tests/test_calendar.py",
        include_str!("project/tests/test_calendar.py"),
    ),
    (
        "tests/test_interval.py",
        include_str!("project/tests/test_interval.py"),
    ),
    (
        "tests/test_plan.py",
        include_str!("project/tests/test_plan.py"),
    ),
];

const TITLE: &str = "Back-to-back bookings are refused";
const BODY: &str = include_str!("report.md");

/// The recorded answers: of the first run, and of the run that a comment starts.
const RECORDINGS: [&[(&str, &str)]; 2] = [
    &[
        ("0001.reply.json", include_str!("fix/0001.reply.json")),
        ("0002.reply.json", include_str!("fix/0002.reply.json")),
    ],
    &[
        ("0001.reply.json", include_str!("retry/0001.reply.json")),
        ("0002.reply.json", include_str!("retry/0002.reply.json")),
    ],
];
/// What keeps a demo from running.
#[derive(Debug, thiserror::Error)]
pub enum DemoError {
    #[error(transparent)]
    Simulator(#[from] SimulatorError),
    #[error(transparent)]
    Server(#[from] StartError),
    #[error(transparent)]
    Tree(#[from] TreeError),
    #[error("the task did not come to an end within {0} s")]
    TooLong(u64),
    #[error("the store cannot be read: {0}")]
    Store(#[from] crate::store::StoreError),
}

/// A demo that runs.
pub struct Demo {
    pub simulator: Simulator,
    pub server: Server,
    /// The issue's number.
    pub issue: u64,
    folder: TempFolder,
}

/// How one task of the demo ended.
pub struct Ended {
    pub task: Task,
    pub verdict: Verdict,
    /// The document of `mend fix --json`, with the pull request.
    pub document: Value,
}

impl Demo {
    /// Starts GitHub and the server, pushes the project, opens the issue and labels it.
    ///
    /// # Errors
    /// See [`DemoError`].
    pub async fn start(
        engine: Engine,
        environment: &Environment,
        scratch: &Path,
        port: Option<u16>,
        journal: Arc<dyn Journal>,
    ) -> Result<Demo, DemoError> {
        // The simulator uses libgit2 too, whose global options are set once.
        crate::git::init().map_err(StartError::from)?;
        let folder = TempFolder::create(scratch, 0o711)?;
        let simulator = Simulator::start(SimulatorOptions {
            port,
            ..SimulatorOptions::default()
        })
        .await?;
        simulator.add_person(MAINTAINER, Permission::Admin);
        simulator.create_repo(REPO, PROJECT.iter().copied())?;
        let settings = settings(&simulator, engine, folder.path())?;
        let times = Times {
            status: Duration::from_millis(500),
            ..Times::default()
        };
        let extra = Extra {
            times,
            journal,
            ..Extra::default()
        };
        let server = Server::start(&settings, environment, extra).await?;
        simulator.set_webhook_url(server.webhook_url().as_deref());
        let issue = simulator.open_issue(REPO, MAINTAINER, TITLE, BODY)?;
        simulator.label_issue(REPO, issue, "mend", MAINTAINER)?;
        Ok(Demo {
            simulator,
            server,
            issue,
            folder,
        })
    }

    /// The issue's page.
    pub fn issue_url(&self) -> String {
        format!("{}/{REPO}/issues/{}", self.simulator.base_url(), self.issue)
    }

    /// An address that opens a page of mend's, once; `None` where the pages are not served.
    ///
    /// # Errors
    /// Those of the store.
    pub async fn page_url(&self, path: &str) -> Result<Option<String>, DemoError> {
        let Some(address) = self.server.pages() else {
            return Ok(None);
        };
        let store = self.server.store();
        Ok(Some(super::invitation(store, address, path).await?))
    }

    /// The newest pull request.
    pub fn pull(&self) -> Option<PullView> {
        self.simulator.pulls(REPO).pop()
    }

    /// The newest comment on the issue.
    pub fn last_word(&self) -> String {
        let issue = self.simulator.issue(REPO, self.issue);
        let last = issue.and_then(|mut i| i.comments.pop());
        let body = last.map(|c| c.body).unwrap_or_default();
        // Without the hidden line by which mend finds it again.
        let seen = body.lines().filter(|l| !l.starts_with("<!--"));
        seen.collect::<Vec<_>>().join("\n")
    }

    /// Waits for the task after the first `already` ones to end.
    ///
    /// # Errors
    /// `TooLong` after `most`.
    pub async fn task(&self, already: usize, most: Duration) -> Result<Ended, DemoError> {
        let filter = crate::store::Filter::default();
        let wait = async {
            loop {
                let mut tasks = self.server.store().tasks(&filter, 1000).await?;
                tasks.sort_by_key(|t| t.id);
                if let Some(task) = tasks.into_iter().nth(already)
                    && matches!(task.state, State::Done | State::Dead)
                    && let Some(verdict) = task.verdict
                {
                    let document = task.result.clone().unwrap_or(Value::Null);
                    return Ok(Ended {
                        task,
                        verdict,
                        document,
                    });
                }
                tokio::time::sleep(Duration::from_millis(20)).await;
            }
        };
        tokio::time::timeout(most, wait)
            .await
            .map_err(|_| DemoError::TooLong(most.as_secs()))?
    }

    /// Ends everything and removes what it made.
    ///
    /// # Errors
    /// When a folder cannot be removed.
    pub async fn stop(self) -> Result<(), DemoError> {
        self.server.stop().await;
        self.simulator.shutdown().await;
        Ok(self.folder.close()?)
    }
}

fn settings(
    simulator: &Simulator,
    mut engine: Engine,
    folder: &Path,
) -> Result<Settings, DemoError> {
    let state = folder.join("state");
    make_folder(&state, 0o711)?;
    if engine.model.wire.is_empty() && engine.model.replay.is_empty() {
        for (n, files) in RECORDINGS.iter().enumerate() {
            let recording = folder.join(format!("recording-{}", n + 1));
            make_folder(&recording, 0o700)?;
            let tree = Tree::open(&recording)?;
            for (name, text) in *files {
                tree.write(&RelPath::parse(name)?, text.as_bytes(), Some(0o600))?;
            }
            engine.model.replay.push(recording);
        }
    }
    Ok(Settings {
        server: ServerSettings {
            listen: ([127, 0, 0, 1], 0).into(),
            body_limit_bytes: 5 * 1024 * 1024,
            state_dir: state.clone(),
            workers: 2,
            lease_s: 60,
            trace_days: 30,
            trace_mb: 1024,
        },
        github: GithubSettings {
            app_id: simulator.app_id(),
            private_key: simulator.private_key_pem().to_string().into(),
            webhook_secret: simulator.webhook_secret().into(),
            webhook_secret_old: None,
            webhook_secret_old_until: None,
            base_url: simulator.base_url().to_string(),
            web_url: simulator.base_url().to_string(),
            label: "mend".to_string(),
            branch_prefix: "mend/".to_string(),
            permission: Needed::Write,
            poll_s: None,
            reconcile_s: 6 * 3600,
            ca_file: None,
            proxy: None,
        },
        model: engine.model,
        roles: engine.roles,
        agent: engine.agent,
        database: DatabaseSettings {
            url: format!("sqlite:{}", state.join("mend.db").display()).into(),
        },
        limits: engine.limits,
        sandbox: engine.sandbox,
        network: engine.network,
        setup: engine.setup,
        git: engine.git,
        repos: ReposSettings::default(),
        publish: Default::default(),
        queue: Default::default(),
        budget: Default::default(),
        web: WebSettings {
            operator: Some(([127, 0, 0, 1], 0).into()),
            ..WebSettings::default()
        },
        metrics: Default::default(),
    })
}
