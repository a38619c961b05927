//! The set-up before a check: a project's dependencies, fetched through the proxy and kept.
//!
//! ```text
//! <cache>/<key>/deps       /deps inside: virtual environment, registries, …; read-only for checks
//!              /deps/in-N  a folder that stood in the project (`node_modules`), bound over its place
//!              /tree       whatever else the steps left in the project; copied into each check's tree
//!              /done.json  what ran, and where the folders stood
//!              /used       written whenever it is taken
//! ```
//!
//! The key is a hash of steps, manifests, lockfiles, toolchain versions and operator's settings,
//! of the whole source where a step depends on it. A set-up runs on a copy of its own in a draft
//! folder, which gets its name when everything went well; nobody writes to it afterwards. A change
//! of a manifest has another key, so the set-up runs again for it. The cache belongs to one
//! repository and keeps the set-ups used last, within a number and bytes.

mod key;
mod leave;
mod place;
mod prepared;
mod prune;
mod run;
mod steps;

pub use prepared::Prepared;
pub use steps::Ecosystem;

use crate::config::RepoConfig;
use crate::domain::AllowedHost;
use crate::text::Redactor;
use std::path::PathBuf;
use std::time::Duration;

/// What the operator says about set-ups, and where one repository's are kept.
#[derive(Debug, Clone)]
pub struct SetUpSettings {
    /// One repository's folder; made when missing. A sandbox under another uid must be able to
    /// pass it.
    pub cache: PathBuf,
    /// `None`: the public registries of the project's ecosystems.
    pub allow: Option<Vec<AllowedHost>>,
    /// Variables of the steps; may hold secrets.
    pub env: Vec<(String, String)>,
    pub files: Vec<SetUpFile>,
    /// Wall time of one step.
    pub limit: Duration,
    /// Bytes of a repository's set-ups together; those of the last day are kept all the same.
    pub cache_bytes: u64,
    /// Takes the operator's secrets out of what a failed step printed.
    pub redactor: Redactor,
}

impl SetUpSettings {
    /// Public registries, fifteen minutes a step, 20 GiB kept in this folder.
    pub fn new(cache: impl Into<PathBuf>) -> Self {
        SetUpSettings {
            cache: cache.into(),
            allow: None,
            env: Vec::new(),
            files: Vec::new(),
            limit: Duration::from_secs(900),
            cache_bytes: 20 << 30,
            redactor: Redactor::new(),
        }
    }
}

/// A file of the host that the steps see, such as a `pip.conf` or a certificate.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SetUpFile {
    /// Absolute.
    pub inside: PathBuf,
    pub host: PathBuf,
    /// Whether checks see it too, which run the project's own code.
    pub in_checks: bool,
}

impl SetUpFile {
    /// `inside` is absolute or begins with `~/`, the home inside.
    pub fn new(inside: &str, host: impl Into<PathBuf>, in_checks: bool) -> Self {
        SetUpFile {
            inside: place::inside(inside),
            host: host.into(),
            in_checks,
        }
    }
}

/// The set-up of one project, ready to run on any state of its tree.
pub struct SetUp {
    pub(super) settings: SetUpSettings,
    config: RepoConfig,
    /// What was asked for, and what was there.
    tools: tokio::sync::Mutex<Option<(Vec<String>, String)>>,
    last: tokio::sync::Mutex<Option<Prepared>>,
}

impl SetUp {
    pub fn new(settings: SetUpSettings, config: &RepoConfig) -> SetUp {
        SetUp {
            settings,
            config: config.clone(),
            tools: tokio::sync::Mutex::default(),
            last: tokio::sync::Mutex::default(),
        }
    }

    /// What came of the last set-up; `None` where none was needed or made.
    pub async fn last(&self) -> Option<Prepared> {
        self.last.lock().await.clone()
    }
}
