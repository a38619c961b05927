//! Starting and stopping.

use super::error::SimulatorError;
use super::git::GitBackend;
use super::hooks::Hooks;
use super::oauth::Logins;
use super::server::{Host, router};
use super::state::{Account, AccountKind, App, Permission, World};
use super::watch::Watch;
use super::wire::{Scissors, Wire};
use super::{deliver, keys, manifest};
use crate::domain::{Clock, SystemClock};
use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;
use std::time::Duration;
use tempfile::TempDir;
use tokio::net::TcpListener;
use tokio::sync::mpsc::unbounded_channel;
use tokio::task::JoinHandle;

/// How long open requests have when the simulator stops.
const GRACE: Duration = Duration::from_secs(2);

/// The App that is registered and installed from the start.
#[derive(Debug, Clone)]
pub struct AppOptions {
    pub id: u64,
    pub installation_id: u64,
    /// Text of an App manifest; the project's own by default.
    pub manifest: String,
    /// The organisation that registered the App and installed it on all of its repositories.
    pub account: String,
}

impl Default for AppOptions {
    fn default() -> Self {
        AppOptions {
            id: 424_242,
            installation_id: 5_151_515,
            manifest: include_str!("../../app-manifest.yml").to_string(),
            account: "acme".to_string(),
        }
    }
}

/// How to start.
#[derive(Clone)]
pub struct SimulatorOptions {
    /// `None` takes a free one.
    pub port: Option<u16>,
    /// Where webhooks go; `None` sends none.
    pub webhook_url: Option<String>,
    pub webhook_secret: String,
    pub app: AppOptions,
    pub clock: Arc<dyn Clock>,
    /// How long an installation token lives.
    pub token_life: Duration,
    /// Requests per token and hour.
    pub rate_limit: u64,
    /// Told of every exchange of the REST API.
    pub watch: Option<Watch>,
}

impl Default for SimulatorOptions {
    fn default() -> Self {
        SimulatorOptions {
            port: None,
            webhook_url: None,
            webhook_secret: uuid::Uuid::new_v4().to_string(),
            app: AppOptions::default(),
            clock: SystemClock::shared(),
            token_life: Duration::from_secs(3600),
            rate_limit: 5000,
            watch: None,
        }
    }
}

/// A running GitHub. Dropping it stops it; [`Simulator::shutdown`] also waits until it has.
pub struct Simulator {
    pub(super) host: Arc<Host>,
    pub(super) base: String,
    pub(super) private_pem: String,
    tasks: Vec<JoinHandle<()>>,
    /// Goes last, with the repositories in it.
    _folder: TempDir,
    /// Held, so that no sweep takes the folder for one of the dead.
    _lock: std::fs::File,
}

impl Simulator {
    /// Starts on 127.0.0.1, with one App installed in one organisation and nothing else.
    ///
    /// # Errors
    /// When git is missing, the port is taken, or the manifest is wrong.
    pub async fn start(options: SimulatorOptions) -> Result<Simulator, SimulatorError> {
        let manifest = manifest::parse(&options.app.manifest).map_err(SimulatorError::Manifest)?;
        let git = GitBackend::find().await?;
        let port = options.port.unwrap_or(0);
        let listen = |source| SimulatorError::Listen { port, source };
        let listener = TcpListener::bind(("127.0.0.1", port))
            .await
            .map_err(listen)?;
        let port = listener.local_addr().map_err(listen)?.port();
        let base = format!("http://127.0.0.1:{port}");
        let folder = tempfile::Builder::new()
            .prefix("mend-simulator-")
            .tempdir()
            .map_err(SimulatorError::Folder)?;
        let lock = std::fs::File::open(folder.path()).map_err(SimulatorError::Folder)?;
        lock.try_lock()
            .map_err(|e| SimulatorError::Folder(e.into()))?;
        let pair = tokio::task::spawn_blocking(keys::generate).await;
        let pair = pair.ok().flatten().ok_or(SimulatorError::Key)?;
        // A test's proxy settings are not for loopback; GitHub follows no redirect.
        let client = reqwest::Client::builder()
            .no_proxy()
            .redirect(reqwest::redirect::Policy::none())
            .build()?;
        let (queue, queued) = unbounded_channel();
        let now = options.clock.unix();
        let slug = slug(&manifest.name);
        let world = World {
            base: base.clone(),
            folder: folder.path().to_path_buf(),
            app: App {
                id: options.app.id,
                client_id: format!("Iv23li{:x}", options.app.id),
                slug,
                manifest,
                installation: options.app.installation_id,
                account: options.app.account,
                created_at: now,
                suspended_at: None,
                installed: true,
            },
            public_key: pair.public_der,
            accounts: BTreeMap::new(),
            repos: BTreeMap::new(),
            tokens: HashMap::new(),
            made: Vec::new(),
            token_life: i64::try_from(options.token_life.as_secs()).unwrap_or(i64::MAX),
            rate_limit: options.rate_limit,
            used: HashMap::new(),
            hooks: Hooks {
                url: options.webhook_url,
                secret: options.webhook_secret,
                log: Vec::new(),
                queue,
            },
            registrations: HashMap::new(),
            logins: Logins::new(),
            last_id: 1_000_000,
            clock: options.clock,
        };
        let host = Arc::new(Host::new(with_accounts(world), git, options.watch));
        let service = router(host.clone()).into_make_service_with_connect_info::<Scissors>();
        let closing = host.closing.clone();
        let server = tokio::spawn(async move {
            let stop = async move { closing.cancelled().await };
            let serving = axum::serve(Wire(listener), service).with_graceful_shutdown(stop);
            if let Err(error) = serving.await {
                tracing::error!(%error, "the simulator's server ended");
            }
        });
        let deliverer = tokio::spawn(deliver::run(host.clone(), client, queued));
        Ok(Simulator {
            host,
            base,
            private_pem: pair.private_pem,
            tasks: vec![server, deliverer],
            _folder: folder,
            _lock: lock,
        })
    }

    /// Stops, and returns when nothing of it is left: no task, process or temporary folder.
    pub async fn shutdown(mut self) {
        self.host.closing.cancel();
        self.host.running.close();
        let running = self.host.running.clone();
        let tasks = std::mem::take(&mut self.tasks);
        let aborts: Vec<_> = tasks.iter().map(JoinHandle::abort_handle).collect();
        let all = async move {
            running.wait().await;
            for task in tasks {
                let _ = task.await;
            }
        };
        if tokio::time::timeout(GRACE, all).await.is_err() {
            for task in aborts {
                task.abort();
            }
        }
    }
}

impl Drop for Simulator {
    fn drop(&mut self) {
        self.host.closing.cancel();
    }
}

/// An App's name as GitHub makes its URL and login from it.
pub(super) fn slug(name: &str) -> String {
    let mut slug = String::new();
    for c in name.to_lowercase().chars() {
        if c.is_ascii_alphanumeric() {
            slug.push(c);
        } else if !slug.ends_with('-') {
            slug.push('-');
        }
    }
    slug.trim_matches('-').to_string()
}

/// The App's organisation and the account that it acts as.
fn with_accounts(mut world: World) -> World {
    let (owner, bot) = (world.app.account.clone(), world.app.bot());
    world.add_account(&owner, AccountKind::Organization, Permission::Admin);
    world.add_account(&bot, AccountKind::Bot, Permission::None);
    world
}

impl World {
    /// Adds an account, or gives the known one another permission; its id.
    pub(super) fn add_account(
        &mut self,
        login: &str,
        kind: AccountKind,
        permission: Permission,
    ) -> u64 {
        if let Some(known) = self.accounts.get_mut(&login.to_lowercase()) {
            known.permission = permission;
            return known.id;
        }
        let id = self.fresh();
        let account = Account {
            id,
            login: login.to_string(),
            kind,
            permission,
        };
        self.accounts.insert(login.to_lowercase(), account);
        id
    }
}
