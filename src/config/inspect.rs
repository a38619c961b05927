//! Settings that may be wrong, as far as they can be read: for whoever looks for what is wrong.

use super::sections::{GithubSettings, Permission, ReposSettings, ServerSettings};
use super::settings::{Source, read_all};
use super::{Engine, Environment, Mistake, Settings, SettingsError};
use secrecy::SecretString;
use std::path::{Path, PathBuf};

/// `[github]` with what it must have and may lack.
#[derive(Debug, Clone)]
pub struct GithubDraft {
    pub app_id: Option<u64>,
    pub private_key: Option<SecretString>,
    pub webhook_secret: Option<SecretString>,
    pub webhook_secret_old: Option<SecretString>,
    pub webhook_secret_old_until: Option<i64>,
    pub base_url: String,
    pub web_url: String,
    pub label: String,
    pub branch_prefix: String,
    pub permission: Permission,
    pub poll_s: Option<u64>,
    pub reconcile_s: u64,
    pub ca_file: Option<PathBuf>,
    pub proxy: Option<SecretString>,
}

impl GithubDraft {
    /// The section, when nothing that it must have is missing.
    pub fn whole(self) -> Option<GithubSettings> {
        Some(GithubSettings {
            app_id: self.app_id?,
            private_key: self.private_key?,
            webhook_secret: self.webhook_secret?,
            webhook_secret_old: self.webhook_secret_old,
            webhook_secret_old_until: self.webhook_secret_old_until,
            base_url: self.base_url,
            web_url: self.web_url,
            label: self.label,
            branch_prefix: self.branch_prefix,
            permission: self.permission,
            poll_s: self.poll_s,
            reconcile_s: self.reconcile_s,
            ca_file: self.ca_file,
            proxy: self.proxy,
        })
    }
}

/// Sections that can be had although others are wrong.
#[derive(Debug, Clone)]
pub struct Parts {
    pub server: ServerSettings,
    pub github: GithubDraft,
    pub engine: Engine,
    pub repos: ReposSettings,
}

/// The settings with everything that is wrong with them.
#[derive(Debug, Clone)]
pub struct Inspection {
    /// The file, whether or not it could be read.
    pub file: PathBuf,
    pub parts: Parts,
    pub mistakes: Vec<Mistake>,
}

impl Settings {
    /// Reads what can be read, from where [`Settings::load`] reads; a file that cannot be read at
    /// all is one mistake, and the variables still count.
    pub fn inspect(file: Option<&Path>, environment: &Environment) -> Inspection {
        let source = Source::find(file, environment);
        let (table, unread) = match source.table() {
            Ok(table) => (table, None),
            Err(error) => (toml::Table::new(), Some(error)),
        };
        let (_, parts, mut mistakes) = read_all(&source, table, environment);
        if let Some(error) = unread {
            // What is missing because the file was not read is no mistake of its own.
            mistakes.retain(|m| !m.message.starts_with("is missing"));
            mistakes.insert(0, unreadable(&source.path, &error));
        }
        Inspection {
            file: source.path,
            parts,
            mistakes,
        }
    }
}

fn unreadable(path: &Path, error: &SettingsError) -> Mistake {
    let message = match error {
        SettingsError::Unreadable { source, .. } => {
            format!("cannot be read: {source}; `mend setup` writes one")
        }
        SettingsError::Syntax { line, message, .. } => {
            format!("is not TOML: line {line}: {message}")
        }
        SettingsError::Mistakes(_) => error.to_string(),
    };
    Mistake {
        key: path.display().to_string(),
        message,
    }
}
