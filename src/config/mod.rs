//! Server settings and the repository's `.github/mend.toml`; the only room that reads the environment.
#![allow(clippy::disallowed_methods)] // this room may touch files or processes (src/lib.rs)

mod budget;
mod environment;
mod error;
mod git;
mod inspect;
mod models;
mod network;
mod prompts;
mod publish;
mod queue;
mod read;
mod reader;
mod reference;
mod repo;
mod repo_keys;
mod repo_schema;
mod repo_values;
mod secret_file;
mod sections;
mod settings;
mod values;
mod web;

pub use budget::BudgetSettings;
pub use environment::Environment;
pub use error::ConfigError;
pub use git::{GitInSandbox, GitRules};
pub use inspect::{GithubDraft, Inspection, Parts};
pub use network::{NetworkSettings, SetupFile, SetupSettings};
pub use publish::{CommitsBy, HoldCi, IssueLink, PublishAs, PublishSettings, is_base_branch};
pub use queue::QueueSettings;
pub use reference::{reference, settings_keys};
pub use repo::{PackageConfig, REPO_FILE, RepoConfig, RepoLimits};
pub use repo_schema::repo_schema;
pub use sections::{
    AgentSettings, DatabaseSettings, GithubSettings, MetricsSettings, ModelSettings, Permission,
    PriceSettings, ReposSettings, RoleSettings, SandboxSettings, ServerSettings,
};
pub use settings::{DEFAULT_FILE, Engine, Ground, Mistake, Settings, SettingsError};
pub use values::password_of;
pub use web::{LoginSettings, WebSettings};
