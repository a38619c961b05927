//! The server's settings: one file, every key overridable by a variable, checked once at start
//! with all mistakes named together.

use super::budget::BudgetSettings;
use super::git::GitRules;
use super::network::{NetworkSettings, SetupSettings};
use super::publish::PublishSettings;
use super::queue::QueueSettings;
use super::reader::Reader;
use super::secret_file::too_open;
use super::sections::{
    AgentSettings, DatabaseSettings, GithubSettings, MetricsSettings, ModelSettings, ReposSettings,
    RoleSettings, SandboxSettings, ServerSettings,
};
use super::web::WebSettings;
use super::{Environment, inspect::Parts, read::read};
use crate::domain::Limits;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// Read where no other file is named.
pub const DEFAULT_FILE: &str = "/etc/mend/config.toml";

/// One thing that is wrong with the settings.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mistake {
    /// The key, or the name of a variable.
    pub key: String,
    /// What is wrong with it and what to do; holds no secret.
    pub message: String,
}

/// Why the settings cannot be used; each is the operator's to mend.
#[derive(Debug, thiserror::Error)]
pub enum SettingsError {
    #[error("cannot read the settings file {path}: {source}; `mend setup` writes one")]
    Unreadable {
        path: PathBuf,
        source: std::io::Error,
    },
    #[error("the settings file {path} is not TOML: line {line}: {message}")]
    Syntax {
        path: PathBuf,
        line: usize,
        message: String,
    },
    /// Every mistake, a line each.
    #[error("{}", lines(.0))]
    Mistakes(Vec<Mistake>),
}

fn lines(mistakes: &[Mistake]) -> String {
    let all: Vec<_> = mistakes
        .iter()
        .map(|m| format!("`{}` {}", m.key, m.message))
        .collect();
    all.join("\n")
}

/// What the server was told.
#[derive(Debug, Clone)]
pub struct Settings {
    pub server: ServerSettings,
    pub github: GithubSettings,
    pub model: ModelSettings,
    pub roles: RoleSettings,
    pub agent: AgentSettings,
    pub database: DatabaseSettings,
    pub limits: Limits,
    pub sandbox: SandboxSettings,
    pub network: NetworkSettings,
    pub setup: SetupSettings,
    pub git: GitRules,
    pub repos: ReposSettings,
    pub publish: PublishSettings,
    pub queue: QueueSettings,
    pub budget: BudgetSettings,
    pub web: WebSettings,
    pub metrics: MetricsSettings,
}

/// The part of the settings that a fix without GitHub needs.
#[derive(Debug, Clone)]
pub struct Engine {
    /// Where the server's tasks are.
    pub database: DatabaseSettings,
    pub model: ModelSettings,
    pub roles: RoleSettings,
    pub agent: AgentSettings,
    pub limits: Limits,
    pub sandbox: SandboxSettings,
    pub network: NetworkSettings,
    pub setup: SetupSettings,
    pub git: GitRules,
}

impl Settings {
    /// Reads the settings from `file`, else from the file that `MEND_CONFIG` names, else from
    /// `/etc/mend/config.toml` where it exists; variables override. See [`SettingsError`].
    pub fn load(file: Option<&Path>, environment: &Environment) -> Result<Settings, SettingsError> {
        let (settings, _, mistakes) = load(file, environment)?;
        match settings {
            Some(settings) if mistakes.is_empty() => Ok(settings),
            _ => Err(SettingsError::Mistakes(mistakes)),
        }
    }
}

impl Engine {
    /// As [`Settings::load`]; the sections that only the server needs may be missing or wrong.
    pub fn load(file: Option<&Path>, environment: &Environment) -> Result<Engine, SettingsError> {
        let (_, engine, mut mistakes) = load(file, environment)?;
        let servers = [
            "server", "github", "database", "repos", "publish", "queue", "budget", "web", "metrics",
        ];
        mistakes.retain(|m| {
            let section = m.key.split('.').next().unwrap_or_default();
            !servers.contains(&section)
        });
        match mistakes.is_empty() {
            true => Ok(engine),
            false => Err(SettingsError::Mistakes(mistakes)),
        }
    }
}

/// The part of the settings that a check without a model needs.
#[derive(Debug, Clone)]
pub struct Ground {
    pub sandbox: SandboxSettings,
    pub network: NetworkSettings,
    pub setup: SetupSettings,
    pub git: GitRules,
}

impl Ground {
    /// As [`Settings::load`], of these sections alone.
    pub fn load(file: Option<&Path>, environment: &Environment) -> Result<Ground, SettingsError> {
        let (_, engine, mut mistakes) = load(file, environment)?;
        let ours = [
            "sandbox",
            "network",
            "setup",
            "git.",
            "MEND_GIT_",
            "MEND_SANDBOX",
            "MEND_NETWORK",
            "MEND_SETUP",
        ];
        mistakes.retain(|m| ours.iter().any(|s| m.key.starts_with(s)));
        match mistakes.is_empty() {
            true => Ok(Ground {
                sandbox: engine.sandbox,
                network: engine.network,
                setup: engine.setup,
                git: engine.git,
            }),
            false => Err(SettingsError::Mistakes(mistakes)),
        }
    }
}

type Loaded = (Option<Settings>, Engine, Vec<Mistake>);

fn load(file: Option<&Path>, environment: &Environment) -> Result<Loaded, SettingsError> {
    let source = Source::find(file, environment);
    let table = source.table()?;
    let (settings, parts, mistakes) = read_all(&source, table, environment);
    Ok((settings, parts.engine, mistakes))
}

/// Where the settings stand.
pub(super) struct Source {
    pub(super) path: PathBuf,
    /// Whether somebody named the file, so that it must be there.
    must_exist: bool,
}

impl Source {
    pub(super) fn find(file: Option<&Path>, environment: &Environment) -> Source {
        let named = file
            .map(Path::to_path_buf)
            .or_else(|| environment.get("MEND_CONFIG").map(PathBuf::from));
        Source {
            must_exist: named.is_some(),
            path: named.unwrap_or_else(|| DEFAULT_FILE.into()),
        }
    }

    pub(super) fn table(&self) -> Result<toml::Table, SettingsError> {
        let path = &self.path;
        let text = match std::fs::read_to_string(path) {
            Ok(text) => text,
            Err(e) if e.kind() == std::io::ErrorKind::NotFound && !self.must_exist => String::new(),
            Err(source) => {
                let path = path.clone();
                return Err(SettingsError::Unreadable { path, source });
            }
        };
        text.parse().map_err(|e: toml::de::Error| {
            let at = e.span().map_or(0, |s| s.start.min(text.len()));
            let before = text.as_bytes()[..at].iter();
            SettingsError::Syntax {
                line: before.filter(|b| **b == b'\n').count() + 1,
                // Without the source line, which may be the one with the secret.
                message: e.message().to_string(),
                path: path.clone(),
            }
        })
    }
}

pub(super) fn read_all(
    source: &Source,
    table: toml::Table,
    environment: &Environment,
) -> (Option<Settings>, Parts, Vec<Mistake>) {
    let mut reader = Reader::new(table, environment);
    let (settings, parts) = read(&mut reader);
    let path = &source.path;
    if reader.secret_in_file
        && let Ok(meta) = std::fs::metadata(path)
        && let Some(why) = too_open(meta.mode(), path)
    {
        reader.wrong(
            &path.display().to_string(),
            format!("holds secrets and {why}"),
        );
    }
    (settings, parts, reader.mistakes())
}
