//! The server: receiver, admission and workers around one store.

use super::bench::{Hub, bench};
use super::convert::sandbox_settings;
use super::state::{folders, sweep_temporary, take_state, worker_name};
use crate::agent::PromptError;
use crate::config::{Environment, Settings};
use crate::domain::{Cancel, Clock, Journal, NoJournal, Progress, SystemClock};
use crate::git::GitError;
use crate::github::{Github, GithubError};
use crate::intake::{Admit, Bounds, Missed, Receiver, router, serve};
use crate::metrics::{self, Meter, Vitals};
use crate::model::ModelError;
use crate::sandbox::{Sandbox, SandboxError};
use crate::store::{Room, Store, StoreError};
use crate::task::{Pool, Spokesman, Times};
use crate::text::Redactor;
use crate::tree::{FolderLock, TreeError};
use axum::Router;
use secrecy::ExposeSecret;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;
use tokio::net::TcpListener;
use tokio::task::{JoinHandle, JoinSet};

/// How long GitHub is asked to revoke tokens when the server ends.
const REVOKE: Duration = Duration::from_secs(10);
/// Seconds between two looks for missed deliveries where webhooks arrive.
const MISSED_S: u64 = 600;

/// Why a server does not start; the text says what to do.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    #[error(
        "`{key}` is {address}, which cannot be listened on: {source}; end what listens there, or choose another port"
    )]
    Listen {
        key: &'static str,
        address: SocketAddr,
        source: std::io::Error,
    },
    #[error(
        "another mend works in {}: give each its own `server.state_dir`", .0.display()
    )]
    StateTaken(PathBuf),
    #[error(
        "`--role web` and `--role worker` need a `database.url` that several processes share: postgres://…"
    )]
    NotShared,
    #[error("the folder of `server.state_dir` cannot be used: {0}")]
    State(#[from] TreeError),
    #[error(transparent)]
    Guards(#[from] crate::trace::GuardError),
    #[error("the database cannot be opened: {0}")]
    Store(#[from] StoreError),
    #[error("{0}")]
    Github(#[from] GithubError),
    #[error("{0}")]
    Git(#[from] GitError),
    #[error("{0}")]
    Model(#[from] ModelError),
    #[error("{0}")]
    Sandbox(#[from] SandboxError),
    #[error("{0}")]
    Prompt(#[from] PromptError),
}

impl StartError {
    /// Whether the settings are wrong, rather than the machine.
    pub fn is_setting(&self) -> bool {
        matches!(
            self,
            StartError::Model(_)
                | StartError::Github(GithubError::Setting(_))
                | StartError::Listen { .. }
                | StartError::NotShared
        )
    }
}

/// What a caller may choose: its part of the work, time, and who else hears of progress.
pub struct Extra {
    pub role: Role,
    pub clock: Arc<dyn Clock>,
    pub times: Times,
    pub journal: Arc<dyn Journal>,
    /// mend's own program, which runs inside the sandbox; `None` is the running one.
    pub program: Option<PathBuf>,
    /// Learns every secret; whoever shares it shows none.
    pub redactor: Redactor,
}

impl Default for Extra {
    fn default() -> Self {
        Extra {
            role: Role::All,
            clock: SystemClock::shared(),
            times: Times::default(),
            journal: Arc::new(NoJournal),
            program: None,
            redactor: Redactor::new(),
        }
    }
}

/// What a process does of the server's work. Several share a PostgreSQL.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, clap::ValueEnum)]
pub enum Role {
    /// Everything, on one machine
    #[default]
    All,
    /// Webhooks: receive, admit, answer; needs no sandbox and no state folder
    Web,
    /// Tasks: listens nowhere
    Worker,
}

/// A running server.
pub struct Server {
    address: Option<SocketAddr>,
    /// Where the operator's pages are.
    pages: Option<SocketAddr>,
    store: Store,
    github: Github,
    stop: Cancel,
    parts: JoinSet<()>,
    /// Metrics and health, until everything else has ended.
    vitals: Option<JoinHandle<()>>,
    /// Mirrors, worktrees and names of tasks in it are this process's alone.
    _state: Option<FolderLock>,
}

/// What the parts of a server share.
struct Common<'a> {
    settings: &'a Settings,
    environment: &'a Environment,
    extra: &'a Extra,
    hub: Hub,
    stop: Cancel,
}

impl Server {
    /// Opens the store, tries the sandbox, listens and begins to work.
    ///
    /// # Errors
    /// Whatever keeps it from working; nothing is left running then.
    pub async fn start(
        settings: &Settings,
        environment: &Environment,
        mut extra: Extra,
    ) -> Result<Server, StartError> {
        let meter = Meter::default();
        extra.journal = Arc::new(Heard(extra.journal, meter.clone()));
        let url = settings.database.url.expose_secret();
        if extra.role != Role::All && url.starts_with("sqlite:") {
            return Err(StartError::NotShared);
        }
        // A SQLite file lies in the state folder, as everything of a worker does.
        let state = match extra.role {
            Role::Web => None,
            Role::All | Role::Worker => Some(take_state(&settings.server.state_dir).await?),
        };
        let listener = match extra.role {
            Role::Worker => None,
            Role::All | Role::Web => Some(listen("server.listen", settings.server.listen).await?),
        };
        let address = listener.as_ref().and_then(|l| l.local_addr().ok());
        let vitals = match settings.metrics.listen {
            Some(address) => Some(listen("metrics.listen", address).await?),
            None => None,
        };
        let store = Store::open(url, extra.clock.clone()).await?;
        let common = Common {
            settings,
            environment,
            extra: &extra,
            hub: Hub::new(settings, &extra, store)?,
            stop: Cancel::new(),
        };
        let mut parts = JoinSet::new();
        // Whatever may fail comes before anything runs.
        let pool = match extra.role {
            Role::Web => None,
            Role::All | Role::Worker => Some(common.pool().await?),
        };
        let (ours, stopped) = (common.hub.github.clone(), common.stop.clone());
        let keeper = common.hub.keeper.clone();
        parts.spawn(async move { keeper.reap(&ours, &stopped).await });
        let mut pages = None;
        if let Some(listener) = listener {
            let (hub, stop) = (&common.hub, &common.stop);
            let people = super::pages::people(settings, hub, stop)?;
            common.web(listener, people, &mut parts);
            pages = super::pages::operator(settings, hub, stop, &mut parts).await?;
        }
        if let Some(pool) = pool {
            let stopped = common.stop.clone();
            parts.spawn(async move { pool.run(&stopped).await });
        }
        let vitals = vitals.map(|listener| {
            let pages = metrics::router(Vitals {
                store: common.hub.store.clone(),
                github: common.hub.github.clone(),
                meter,
                draining: common.stop.clone(),
            });
            // Until the very end: that mend drains is one of the things that it tells.
            let never = Cancel::new();
            tokio::spawn(serve(listener, pages, never, Bounds::default()))
        });
        match address {
            Some(address) => tracing::info!(%address, "mend is ready"),
            None => tracing::info!("mend is ready to work"),
        }
        Ok(Server {
            address,
            pages,
            store: common.hub.store,
            github: common.hub.github,
            stop: common.stop,
            parts,
            vitals,
            _state: state,
        })
    }

    /// Where webhooks go; `None` where this process takes none.
    pub fn webhook_url(&self) -> Option<String> {
        self.address.map(|a| format!("http://{a}/webhook"))
    }

    /// Where the operator's pages are; `None` where there are none.
    pub fn pages(&self) -> Option<SocketAddr> {
        self.pages
    }

    pub fn store(&self) -> &Store {
        &self.store
    }

    /// Ends: no new work, running requests are answered, running tasks are given back.
    pub async fn stop(mut self) {
        self.stop.cancel();
        while self.parts.join_next().await.is_some() {}
        let revoked = tokio::time::timeout(REVOKE, self.github.revoke_shared());
        if revoked.await.is_err() {
            tracing::warn!("GitHub was silent when tokens were revoked");
        }
        if let Some(vitals) = &self.vitals {
            vitals.abort();
        }
        self.store.close().await;
    }

    /// Ends without asking anybody, as a crash would; for tests of what comes after one.
    pub async fn abort(mut self) {
        if let Some(vitals) = &self.vitals {
            vitals.abort();
        }
        self.parts.shutdown().await;
    }
}

impl Common<'_> {
    /// The workers' pool, with everything that a task needs.
    async fn pool(&self) -> Result<Pool, StartError> {
        let (settings, extra) = (self.settings, self.extra);
        let state = &settings.server.state_dir;
        let (private, scratch) = folders(state)?;
        sweep_temporary(self.environment);
        let mut sandbox = sandbox_settings(&settings.sandbox, self.environment);
        sandbox.program = extra.program.clone();
        let sandbox = Arc::new(Sandbox::find(&sandbox).await?);
        let bench = bench(
            settings,
            extra,
            &self.hub,
            sandbox,
            (private, scratch),
            false,
        )?;
        let queue = &settings.queue;
        let room = Room {
            total: queue.total,
            per_installation: queue.per_installation,
            per_repo: Some(settings.repos.running).filter(|n| *n > 0),
            only: None,
        };
        let name = worker_name(state)?;
        Ok(Pool::new(bench, settings.server.workers, name, room))
    }

    /// The receiver, with people's pages beside it, and admission of what it stored.
    fn web(&self, listener: TcpListener, people: Option<Router>, parts: &mut JoinSet<()>) {
        let (settings, stop, hub) = (self.settings, &self.stop, &self.hub);
        let ours = Arc::new(settings.github.clone());
        let receiver = Receiver::new(
            hub.store.clone(),
            ours.clone(),
            settings.server.body_limit_bytes,
        );
        let all = match people {
            Some(pages) => router(receiver).merge(pages),
            None => router(receiver),
        };
        parts.spawn(serve(listener, all, stop.clone(), Bounds::default()));
        let admit = Admit::new(
            hub.store.clone(),
            hub.github.clone(),
            ours,
            Arc::new(settings.repos.clone()),
        )
        .with(Arc::new(settings.queue.clone()), self.extra.times.lease);
        parts.spawn(catch_up(&admit, settings, stop));
        parts.spawn(reconcile(&admit, settings, stop));
        let voice = Spokesman::new(
            hub.store.clone(),
            hub.github.clone(),
            hub.redactor.clone(),
            (
                settings.github.label.clone(),
                settings.github.branch_prefix.clone(),
            ),
        );
        let stopped = stop.clone();
        parts.spawn(async move { admit.run(&voice, &stopped).await });
    }
}

async fn listen(key: &'static str, address: SocketAddr) -> Result<TcpListener, StartError> {
    let listener = TcpListener::bind(address).await;
    listener.map_err(|source| StartError::Listen {
        key,
        address,
        source,
    })
}

/// Two journals that hear the same.
struct Heard(Arc<dyn Journal>, Meter);

impl Journal for Heard {
    fn tell(&self, event: Progress) {
        self.1.tell(event.clone());
        self.0.tell(event);
    }
}

/// Looks for what GitHub could not deliver, beside everything else.
fn catch_up(admit: &Admit, settings: &Settings, stop: &Cancel) -> impl Future<Output = ()> + use<> {
    let poll = settings.github.poll_s;
    let missed = Missed {
        every: Duration::from_secs(poll.unwrap_or(MISSED_S)),
        polling: poll.is_some(),
    };
    let (admit, stop) = (admit.clone(), stop.clone());
    async move { admit.catch_up(missed, &stop).await }
}

/// Looks for what GitHub's list of deliveries no longer holds, beside everything else.
fn reconcile(
    admit: &Admit,
    settings: &Settings,
    stop: &Cancel,
) -> impl Future<Output = ()> + use<> {
    let every = Duration::from_secs(settings.github.reconcile_s);
    let (admit, stop) = (admit.clone(), stop.clone());
    async move { admit.reconcile(every, &stop).await }
}
