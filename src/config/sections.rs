//! The sections of the server's settings.

use crate::domain::{BackendKind, RepoName};
use secrecy::SecretString;
use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::str::FromStr;

/// `[metrics]`
#[derive(Debug, Clone, Default)]
pub struct MetricsSettings {
    /// Where `/metrics`, `/healthz` and `/readyz` are served; `None` for nowhere.
    pub listen: Option<SocketAddr>,
}

/// `[server]`
#[derive(Debug, Clone)]
pub struct ServerSettings {
    /// Where webhooks and pages are served.
    pub listen: SocketAddr,
    /// The largest webhook body, in bytes.
    pub body_limit_bytes: usize,
    /// Database, mirrors and worktrees.
    pub state_dir: PathBuf,
    /// Tasks that run at the same time.
    pub workers: usize,
    /// Seconds without a sign of life after which another worker takes a task over.
    pub lease_s: u64,
    /// Days for which the trace of an ended task is kept.
    pub trace_days: u64,
    /// Megabytes of traces; beyond them those of the oldest ended tasks go before their time.
    pub trace_mb: u64,
}

/// The least permission on a repository that lets a person start, steer or stop a task; the words
/// are those of GitHub's roles.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Permission {
    Triage,
    Write,
    Maintain,
    Admin,
}

impl Permission {
    pub fn word(self) -> &'static str {
        match self {
            Permission::Triage => "triage",
            Permission::Write => "write",
            Permission::Maintain => "maintain",
            Permission::Admin => "admin",
        }
    }
}

impl FromStr for Permission {
    type Err = ();

    fn from_str(s: &str) -> Result<Self, ()> {
        [
            Permission::Triage,
            Permission::Write,
            Permission::Maintain,
            Permission::Admin,
        ]
        .into_iter()
        .find(|p| p.word() == s)
        .ok_or(())
    }
}

/// `[github]`
#[derive(Debug, Clone)]
pub struct GithubSettings {
    pub app_id: u64,
    /// The App's private key, PEM.
    pub private_key: SecretString,
    pub webhook_secret: SecretString,
    /// The secret before the current one, accepted during a rotation.
    pub webhook_secret_old: Option<SecretString>,
    /// Seconds since the Unix epoch from which the old secret no longer counts.
    pub webhook_secret_old_until: Option<i64>,
    /// The REST API, without a slash at its end.
    pub base_url: String,
    /// Where people look at issues, without a slash at its end.
    pub web_url: String,
    pub label: String,
    /// Every branch that mend makes begins with it; it ends in a slash.
    pub branch_prefix: String,
    pub permission: Permission,
    /// Seconds between two looks at GitHub's list of deliveries, for a mend that GitHub cannot
    /// reach; `None` where webhooks arrive, and only what was missed is looked for.
    pub poll_s: Option<u64>,
    /// Seconds between two looks for labels and commands that no webhook told of.
    pub reconcile_s: u64,
    /// Certificates (PEM) that are trusted besides the system's, for a GitHub Enterprise Server.
    pub ca_file: Option<PathBuf>,
    /// The HTTP proxy through which GitHub is reached; its address may hold a password.
    pub proxy: Option<SecretString>,
}

impl GithubSettings {
    /// The content of [`GithubSettings::ca_file`].
    ///
    /// # Errors
    /// When it is set and cannot be read.
    pub fn certificates(&self) -> std::io::Result<Option<Vec<u8>>> {
        self.ca_file.as_ref().map(std::fs::read).transpose()
    }

    /// The webhook secrets that count at this time, in seconds since the Unix epoch.
    pub fn webhook_secrets(&self, now: i64) -> Vec<SecretString> {
        let old = self.webhook_secret_old.iter().filter(|_| {
            self.webhook_secret_old_until
                .is_none_or(|until| now < until)
        });
        std::iter::once(&self.webhook_secret)
            .chain(old)
            .cloned()
            .collect()
    }
}

/// `[model.price]`, in dollars per million tokens.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PriceSettings {
    pub input_per_million: f64,
    pub cached_per_million: Option<f64>,
    pub cache_write_per_million: Option<f64>,
    pub output_per_million: f64,
}

/// `[model]`; `None` where the room `model` has a default.
#[derive(Debug, Clone, Default)]
pub struct ModelSettings {
    /// `anthropic`, `chat` or `responses`; empty only with `replay`.
    pub wire: String,
    /// The model's name; empty only with `replay`.
    pub model: String,
    pub base_url: Option<String>,
    pub api_key: Option<SecretString>,
    pub headers: BTreeMap<String, SecretString>,
    pub extra_body: serde_json::Map<String, serde_json::Value>,
    /// `tools`, `text` or `auto`.
    pub dialect: Option<String>,
    /// Tokens that the model takes in one request, its answer included.
    pub context_tokens: Option<u64>,
    pub stream: Option<bool>,
    pub max_output_tokens: Option<u32>,
    pub max_tokens_field: Option<String>,
    pub stream_usage: Option<bool>,
    pub prompt_cache: Option<bool>,
    pub timeout_s: Option<u64>,
    pub idle_timeout_s: Option<u64>,
    pub retries: Option<u32>,
    pub retry_wait_s: Option<u64>,
    pub busy_wait_s: Option<u64>,
    /// Seconds that a task may be parked because the model is busy, all times together.
    pub park_s: Option<u64>,
    /// Bytes of one reply.
    pub reply_bytes: Option<usize>,
    pub price: Option<PriceSettings>,
    /// Folder in which every turn is recorded.
    pub record: Option<PathBuf>,
    /// Recordings that answer instead of an endpoint, one a task, in order.
    pub replay: Vec<PathBuf>,
}

/// `[models.reviewer]` and `[models.diagnoser]`: models for roles beside the worker; `None` where
/// the role is off.
#[derive(Debug, Clone, Default)]
pub struct RoleSettings {
    pub reviewer: Option<ModelSettings>,
    pub diagnoser: Option<ModelSettings>,
}

/// `[agent]`: how the loop works with the model.
#[derive(Debug, Clone, Default)]
pub struct AgentSettings {
    /// Lines of one page of a file.
    pub page_lines: Option<usize>,
    /// Bytes of source in the first message.
    pub evidence_bytes: Option<usize>,
    /// Whether the model may run commands in the sandbox.
    pub run_command: bool,
    /// Seconds of one such command at most.
    pub command_s: Option<u64>,
    /// Prompts that replace the built-in ones: file name and text.
    pub prompts: Vec<(String, String)>,
}

/// `[database]`
#[derive(Debug, Clone)]
pub struct DatabaseSettings {
    /// `sqlite:PATH` or `postgres://…`; may hold a password.
    pub url: SecretString,
}

/// `[sandbox]`
#[derive(Debug, Clone, Default)]
pub struct SandboxSettings {
    /// What confines commands.
    pub backend: BackendKind,
    /// The image of docker's or podman's containers.
    pub image: Option<String>,
    pub bwrap: Option<PathBuf>,
    /// Further folders that checks may read, for example a toolchain.
    pub read_only: Vec<PathBuf>,
    /// The user that the sandbox runs as on the host when mend was started as root.
    pub user: Option<String>,
}

/// `[repos]`
#[derive(Debug, Clone, Default)]
pub struct ReposSettings {
    /// `owner/name` or `owner/*`, in lower case; empty allows every repository of the installation.
    pub allow: Vec<String>,
    /// Tasks of one repository that run at the same time; 0 is any number.
    pub running: u32,
    /// Tasks that one person may ask for in an hour; 0 is any number, here and below.
    pub person_per_hour: u32,
    pub repo_per_hour: u32,
    pub installation_per_hour: u32,
}

impl ReposSettings {
    pub fn allows(&self, repo: &RepoName) -> bool {
        let name = repo.to_string().to_lowercase();
        let all = format!("{}/*", repo.owner().to_lowercase());
        self.allow.is_empty() || self.allow.iter().any(|a| *a == name || *a == all)
    }
}
