//! The key and the settings on disk. What is there stays, unless the operator said that it goes;
//! then it is kept beside.

use super::{Deliveries, ModelChoice, SetupError};
use crate::config::{Environment, Settings};
use crate::github::RegisteredApp;
use crate::tree::{make_folder, move_file, read_own, write_secret};
use secrecy::{ExposeSecret, SecretString};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};

/// The most that a settings file may have.
const MOST: u64 = 1 << 20;

/// Where things go, and what is said before the App is there.
#[derive(Debug, Clone)]
pub struct Settled {
    pub file: PathBuf,
    pub state_dir: PathBuf,
    pub listen: SocketAddr,
    /// `https://github.com`, or a GitHub Enterprise Server's address.
    pub github_url: String,
    /// Certificates that are trusted besides the system's, for GitHub.
    pub ca_file: Option<PathBuf>,
    /// The way to GitHub; may hold a password.
    pub proxy: Option<SecretString>,
    /// Whether a settings file that is there may go; it is kept under another name.
    pub replace: bool,
}

/// How far the settings are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Stands {
    /// There is no file.
    Nothing,
    /// The App is in them and the model is not: an earlier set-up stopped there.
    App(KnownApp),
    /// They are whole, or somebody else wrote them.
    Whole,
}

/// An App that is in the settings.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KnownApp {
    pub id: u64,
    /// Its page; empty where it is not known.
    pub page: String,
}

impl Settled {
    /// GitHub's API.
    pub fn api(&self) -> String {
        match self.is_public() {
            true => "https://api.github.com".into(),
            false => format!("{}/api/v3", self.github_url),
        }
    }

    fn is_public(&self) -> bool {
        self.github_url == "https://github.com"
    }

    /// How far the settings are.
    pub fn stands(&self) -> Stands {
        if !self.file.exists() {
            return Stands::Nothing;
        }
        let found = Settings::inspect(Some(&self.file), &Environment::default());
        let model_only = !found.mistakes.is_empty()
            && found.mistakes.iter().all(|m| m.key.starts_with("model."));
        let text = read_own(&self.file, MOST).unwrap_or_default();
        let no_model = !String::from_utf8_lossy(&text).contains("[model]");
        match found.parts.github.app_id {
            Some(id) if model_only && no_model => Stands::App(KnownApp {
                id,
                page: String::new(),
            }),
            _ => Stands::Whole,
        }
    }

    /// Writes the key and the first part of the settings.
    ///
    /// # Errors
    /// [`SetupError::Choice`] where settings stand that may not go.
    pub fn keep_app(&self, app: &RegisteredApp, how: &Deliveries) -> Result<KnownApp, SetupError> {
        let folder = self.folder();
        self.clear()?;
        if !folder.exists() {
            make_folder(folder, 0o750)?;
        }
        let key = folder.join(format!("app-{}.pem", app.id));
        let pem = format!("{}\n", app.pem.expose_secret().trim_end());
        write_secret(&key, pem.as_bytes(), true)?;
        let text = self.app_text(app, how, &key);
        write_secret(&self.file, text.as_bytes(), false)?;
        Ok(KnownApp {
            id: app.id,
            page: app.html_url.clone(),
        })
    }

    /// Adds the model to the settings.
    ///
    /// # Errors
    /// When the file cannot be read or written.
    pub fn keep_model(&self, choice: &ModelChoice) -> Result<(), SetupError> {
        let text = read_own(&self.file, MOST)?;
        let mut text = String::from_utf8_lossy(&text).into_owned();
        // An earlier choice stands at the end, as it was put there.
        if let Some(at) = text.find("\n[model]\n") {
            if text[at + 2..].contains("\n[") {
                return Err(SetupError::Choice(format!(
                    "{} has a [model] that was not written here: change it by hand",
                    self.file.display()
                )));
            }
            text.truncate(at);
        }
        text.push_str(&model_text(choice));
        write_secret(&self.file, text.as_bytes(), true)?;
        Ok(())
    }

    /// Makes room for new settings.
    fn clear(&self) -> Result<(), SetupError> {
        if !self.file.exists() {
            return Ok(());
        }
        if !self.replace {
            return Err(SetupError::Choice(format!(
                "{} is there already and stays as it is: name another file with --config, or say --replace, and the old one is kept beside",
                self.file.display()
            )));
        }
        let kept = self.kept_name();
        move_file(&self.file, &kept)?;
        Ok(())
    }

    /// A name beside the file that is free.
    fn kept_name(&self) -> PathBuf {
        let name = |n: u32| PathBuf::from(format!("{}.before-{n}", self.file.display()));
        (1..).map(name).find(|p| !p.exists()).unwrap_or(name(0))
    }

    fn folder(&self) -> &Path {
        let parent = self.file.parent().filter(|p| !p.as_os_str().is_empty());
        parent.unwrap_or(Path::new("."))
    }

    fn app_text(&self, app: &RegisteredApp, how: &Deliveries, key: &Path) -> String {
        let mut lines = vec![
            "# Written by `mend setup`. `mend config reference` tells every setting.".to_string(),
            String::new(),
            "[server]".into(),
            pair("listen", &self.listen.to_string()),
            pair("state_dir", &self.state_dir.display().to_string()),
            String::new(),
            "[github]".into(),
            format!("app_id = {}", app.id),
            pair("private_key_path", &key.display().to_string()),
            secret("webhook_secret", &app.webhook_secret),
        ];
        // Scheme and host alone, over TLS: otherwise people cannot log in there.
        let login = match how {
            Deliveries::Public(url) => url.starts_with("https://") && url.matches('/').count() == 2,
            Deliveries::Poll(_) => false,
        };
        if !app.client_id.is_empty() {
            lines.push(pair("client_id", &app.client_id));
            // GitHub tells it only now.
            let line = secret("client_secret", &app.client_secret);
            lines.push(match login {
                true => line,
                false => format!("# {line}   # for logins, with `web.public_url`"),
            });
        }
        if !self.is_public() {
            lines.push(pair("base_url", &self.api()));
            lines.push(pair("web_url", &self.github_url));
        }
        if let Some(file) = &self.ca_file {
            lines.push(pair("ca_file", &file.display().to_string()));
        }
        if let Some(proxy) = &self.proxy {
            lines.push(secret("proxy", proxy));
        }
        if let Deliveries::Poll(seconds) = how {
            lines.push(format!("poll_s = {seconds}"));
        }
        if let Deliveries::Public(url) = how
            && login
            && !app.client_id.is_empty()
        {
            lines.extend([String::new(), "[web]".into(), pair("public_url", url)]);
        }
        lines.join("\n") + "\n"
    }
}

fn model_text(choice: &ModelChoice) -> String {
    let mut lines = vec![
        String::new(),
        "[model]".into(),
        pair("wire", choice.wire_word()),
        pair("model", &choice.model),
    ];
    if let Some(url) = &choice.base_url {
        lines.push(pair("base_url", url));
    }
    if let Some(key) = &choice.key {
        lines.push(secret("api_key", key));
    }
    lines.join("\n") + "\n"
}

fn pair(key: &str, value: &str) -> String {
    format!("{key} = {}", toml::Value::String(value.to_string()))
}

fn secret(key: &str, value: &SecretString) -> String {
    pair(key, value.expose_secret())
}
