//! The server: receiver, admission and workers around one store.

use super::convert::{agent_settings, models, sandbox_settings, set_up_settings};
use crate::agent::{PromptError, Prompts};
use crate::check::SetUpSettings;
use crate::config::{Environment, Settings, password_of};
use crate::domain::{Cancel, Clock, Journal, NoJournal, SystemClock};
use crate::git::{Git, GitError, GitSettings};
use crate::github::{Github, GithubError, GithubSettings};
use crate::intake::{Admit, Bounds, Missed, Receiver, router, serve};
use crate::model::ModelError;
use crate::sandbox::{Sandbox, SandboxError};
use crate::store::{Store, StoreError};
use crate::task::{Bench, Pool, Spokesman, Times, TokenKeeper};
use crate::text::Redactor;
use crate::tree::{TreeError, make_folder, sweep};
use secrecy::ExposeSecret;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;
use tokio::net::TcpListener;
use tokio::task::JoinSet;

/// Seconds that a task waits for a busy model, unless the settings say otherwise: one night.
const MODEL_WAIT_S: u64 = 12 * 3600;
/// How long GitHub is asked to revoke tokens when the server ends.
const REVOKE: Duration = Duration::from_secs(10);
/// Seconds between two looks for missed deliveries where webhooks arrive.
const MISSED_S: u64 = 600;

/// Why a server does not start; the text says what to do.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    #[error("`server.listen` is {address}, which cannot be listened on: {source}")]
    Listen {
        address: SocketAddr,
        source: std::io::Error,
    },
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
        )
    }
}

/// What a caller may exchange: time, and who else hears of progress.
pub struct Extra {
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
            clock: SystemClock::shared(),
            times: Times::default(),
            journal: Arc::new(NoJournal),
            program: None,
            redactor: Redactor::new(),
        }
    }
}

/// A running server.
pub struct Server {
    address: SocketAddr,
    store: Store,
    github: Github,
    stop: Cancel,
    parts: JoinSet<()>,
}

impl Server {
    /// Opens the store, tries the sandbox, listens and begins to work.
    ///
    /// # Errors
    /// Whatever keeps it from working; nothing is left running then.
    pub async fn start(
        settings: &Settings,
        environment: &Environment,
        extra: Extra,
    ) -> Result<Server, StartError> {
        let state = &settings.server.state_dir;
        let (private, scratch) = folders(state)?;
        sweep_temporary(environment);
        let mut sandbox = sandbox_settings(&settings.sandbox, environment);
        sandbox.program = extra.program.clone();
        let sandbox = Arc::new(Sandbox::find(&sandbox).await?);
        let (listener, address) = listen(settings.server.listen).await?;
        let store = Store::open(settings.database.url.expose_secret(), extra.clock.clone()).await?;
        let (bench, keeper) = bench(
            settings,
            extra,
            store.clone(),
            sandbox,
            (private, scratch),
            false,
        )?;
        let github = bench.github.clone();
        let (stop, mut parts) = (Cancel::new(), JoinSet::new());
        let ours = Arc::new(settings.github.clone());
        let receiver = Receiver::new(
            store.clone(),
            ours.clone(),
            settings.server.body_limit_bytes,
        );
        parts.spawn(serve(
            listener,
            router(receiver),
            stop.clone(),
            Bounds::default(),
        ));
        let admit = Admit::new(
            store.clone(),
            bench.github.clone(),
            ours,
            Arc::new(settings.repos.clone()),
        );
        parts.spawn(catch_up(&admit, settings, &stop));
        parts.spawn(reconcile(&admit, settings, &stop));
        let (ours, stopped) = (github.clone(), stop.clone());
        parts.spawn(async move { keeper.reap(&ours, &stopped).await });
        let voice = Spokesman::new(bench.clone(), settings.github.label.clone());
        let (stopped, workers) = (stop.clone(), settings.server.workers);
        parts.spawn(async move { admit.run(&voice, &stopped).await });
        let stopped = stop.clone();
        parts.spawn(async move { Pool::new(bench, workers).run(&stopped).await });
        tracing::info!(%address, "mend is ready");
        Ok(Server {
            address,
            store,
            github,
            stop,
            parts,
        })
    }

    /// Where it listens; webhooks go to `/webhook`.
    pub fn address(&self) -> SocketAddr {
        self.address
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
        self.store.close().await;
    }

    /// Ends without asking anybody, as a crash would; for tests of what comes after one.
    pub async fn abort(mut self) {
        self.parts.shutdown().await;
    }
}

/// The socket, and where it really is.
async fn listen(address: SocketAddr) -> Result<(TcpListener, SocketAddr), StartError> {
    let failed = |source| StartError::Listen { address, source };
    let listener = TcpListener::bind(address).await.map_err(failed)?;
    let bound = listener.local_addr().map_err(failed)?;
    Ok((listener, bound))
}

/// Everything that tasks share, by the settings.
pub(super) fn bench(
    settings: &Settings,
    extra: Extra,
    store: Store,
    sandbox: Arc<Sandbox>,
    (private, scratch): (PathBuf, PathBuf),
    rehearsal: bool,
) -> Result<(Arc<Bench>, Arc<TokenKeeper>), StartError> {
    let state = &settings.server.state_dir;
    let (redactor, ca) = (known(settings, &extra), certificates(settings)?);
    let keeper = Arc::new(TokenKeeper::new(store.clone(), extra.times.lease));
    let github = github(settings, &extra, ca.clone(), keeper.clone())?;
    github.keep_pauses(Arc::new(super::pauses::Kept(store.clone())));
    let bench = Arc::new(Bench {
        store,
        github,
        git: git(settings, state, ca)?,
        sandbox,
        models: models(&settings.model, &settings.roles)?,
        rehearsal,
        max_output_tokens: settings.model.max_output_tokens.unwrap_or(16_384),
        model_wait: Duration::from_secs(settings.model.park_s.unwrap_or(MODEL_WAIT_S)),
        agent: agent_settings(&settings.model, &settings.agent),
        prompts: Prompts::replaced(&settings.agent.prompts)?,
        limits: settings.limits.clone(),
        publish: settings.publish.clone(),
        permission: settings.github.permission,
        running_per_repo: settings.repos.running,
        branch_prefix: settings.github.branch_prefix.clone(),
        private,
        scratch,
        baselines: state.join("baselines"),
        setup: set_ups(settings, &redactor),
        git_in_sandbox: settings.git.in_sandbox,
        redactor,
        guards: Arc::new(crate::trace::shipped()?),
        clock: extra.clock,
        times: extra.times,
        journal: extra.journal,
    });
    Ok((bench, keeper))
}

/// The folders for private git directories and for throwaway trees, made and swept.
pub(super) fn folders(state: &Path) -> Result<(PathBuf, PathBuf), StartError> {
    let (private, scratch) = (state.join("tasks"), state.join("work"));
    for (folder, mode) in [
        (state, 0o711),
        (private.as_path(), 0o700),
        (scratch.as_path(), 0o711),
    ] {
        make_folder(folder, mode)?;
    }
    sweep(&scratch)?;
    Ok((private, scratch))
}

fn github(
    settings: &Settings,
    extra: &Extra,
    ca: Option<Vec<u8>>,
    book: Arc<TokenKeeper>,
) -> Result<Github, StartError> {
    let s = &settings.github;
    let mut wanted = GithubSettings::new(s.base_url.clone(), s.app_id, s.private_key.clone());
    wanted.proxy = s.proxy.clone();
    wanted.ca = ca;
    wanted.redactor = extra.redactor.clone();
    Ok(Github::with_book(&wanted, extra.clock.clone(), Some(book))?)
}

fn git(settings: &Settings, state: &Path, ca: Option<Vec<u8>>) -> Result<Git, StartError> {
    let mut wanted = GitSettings::new(state.join("mirrors"), settings.github.web_url.clone());
    wanted.push_prefix = format!("refs/heads/{}", settings.github.branch_prefix);
    wanted.proxy = settings.github.proxy.clone();
    wanted.ca = ca;
    wanted.submodules = settings.git.submodules.clone();
    wanted.lfs = settings.git.lfs.clone();
    Ok(Git::new(wanted)?)
}

/// The certificates that are trusted besides the system's.
fn certificates(settings: &Settings) -> Result<Option<Vec<u8>>, StartError> {
    Ok(settings.github.certificates().map_err(|e| {
        GithubError::Setting(format!("the file of `github.ca_file` cannot be read: {e}"))
    })?)
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

/// Removes the short-lived folders that a killed mend left where every program puts its own.
fn sweep_temporary(environment: &Environment) {
    let temporary = environment.get("TMPDIR").unwrap_or("/tmp");
    if let Err(e) = sweep(Path::new(temporary)) {
        tracing::warn!(error = %e, "a temporary folder of a mend that is gone was left");
    }
}

/// Every secret of the settings, so that no text shows one.
fn known(settings: &Settings, extra: &Extra) -> Redactor {
    let redactor = extra.redactor.clone();
    let github = &settings.github;
    let roles = &settings.roles;
    let models = [
        Some(&settings.model),
        roles.reviewer.as_ref(),
        roles.diagnoser.as_ref(),
    ];
    let models = models.into_iter().flatten();
    let keys = models.flat_map(|m| m.api_key.iter().chain(m.headers.values()));
    let ours = [
        Some(&github.private_key),
        Some(&github.webhook_secret),
        github.webhook_secret_old.as_ref(),
    ];
    for secret in ours.into_iter().flatten().chain(keys) {
        redactor.know(secret.expose_secret());
    }
    let addresses = github.proxy.iter().chain([&settings.database.url]);
    for password in addresses.flat_map(|a| password_of(a.expose_secret())) {
        redactor.know(&password);
    }
    redactor
}

/// The set-ups of all repositories.
fn set_ups(settings: &Settings, redactor: &Redactor) -> SetUpSettings {
    let cache = settings.server.state_dir.join("setups");
    set_up_settings(&settings.network, &settings.setup, cache, redactor)
}
