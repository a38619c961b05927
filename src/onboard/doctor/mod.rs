//! `mend doctor`: everything that a working bot needs, looked at once.
//!
//! | file | what |
//! |---|---|
//! | `app` | the App: reachable, key, permissions, events, installations, clock |
//! | `repo` | one installed repository: clone, push, label |
//! | `webhook`, `ear` | whether deliveries arrive, with a receiver of its own where no server runs |
//! | `model` | one tiny request with a tool |
//! | `host` | sandbox, limits, toolchains, the set-up's proxy, disk |
//! | `database` | the store |

mod app;
mod database;
mod ear;
mod host;
mod model;
mod repo;
mod webhook;

pub(super) use model::prove;

use super::report::{Finding, Report};
use crate::config::Inspection;
use crate::domain::{Clock, RepoName};
use crate::github::{Github, GithubSettings};
use crate::model::ModelSettings;
use crate::sandbox;
use crate::text::Redactor;
use secrecy::ExposeSecret;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

/// Seconds that one question to GitHub may take.
const ASK: Duration = Duration::from_secs(15);

/// What is examined, in the words of each room.
pub struct Doctor {
    pub settings: Inspection,
    pub sandbox: sandbox::Settings,
    /// The models that the settings name, by role; the worker's first.
    pub models: Vec<(&'static str, ModelSettings)>,
    /// Whether the worker's answers are recorded ones.
    pub replays: bool,
    /// The repository to try a clone of; the smallest one without it.
    pub repo: Option<RepoName>,
    /// Where throwaway folders go.
    pub temporary: PathBuf,
    pub clock: Arc<dyn Clock>,
    pub redactor: Redactor,
}

/// Looks at everything. Parts that do not need each other are looked at at the same time; what
/// needs something that is broken is left out.
pub async fn examine(doctor: &Doctor) -> Report {
    learn(doctor);
    let github = async {
        let mut findings = Vec::new();
        match github(doctor) {
            Err(finding) => findings.extend(finding),
            Ok(github) => {
                let (more, install) = app::look(doctor, &github).await;
                let reached = app::is_reached(&more);
                findings.extend(more);
                if reached {
                    findings.extend(webhook::look(doctor, &github).await);
                }
                if let Some(install) = install {
                    findings.extend(repo::look(doctor, &github, &install).await);
                }
                github.revoke_shared().await;
            }
        }
        findings
    };
    let (github, models, host, database) = tokio::join!(
        github,
        model::look(doctor),
        host::look(doctor),
        database::look(doctor)
    );
    let mut findings = settings(doctor);
    for part in [github, models, database, host] {
        findings.extend(part);
    }
    for finding in &mut findings {
        finding.what = doctor.redactor.redact(&finding.what);
        finding.remedy = doctor.redactor.redact(&finding.remedy);
    }
    Report { findings }
}

/// A line for each mistake in the settings, or one that there is none.
fn settings(doctor: &Doctor) -> Vec<Finding> {
    let (file, name) = (doctor.settings.file.display(), "settings");
    let mistakes = &doctor.settings.mistakes;
    if mistakes.is_empty() {
        return vec![Finding::ok(name, format!("{file} holds no mistake"))];
    }
    let wrong = |m: &crate::config::Mistake| {
        let what = format!("`{}` {}", m.key, m.message);
        Finding::failed(
            name,
            what,
            format!("change it in {file}, or by its variable"),
        )
    };
    mistakes.iter().map(wrong).collect()
}

/// Every secret that a message could repeat.
fn learn(doctor: &Doctor) {
    let github = &doctor.settings.parts.github;
    let keys = doctor.models.iter();
    let keys = keys.flat_map(|(_, m)| m.api_key.iter().chain(m.headers.values()));
    let ours = [&github.private_key, &github.webhook_secret];
    for secret in ours.into_iter().flatten().chain(keys) {
        doctor.redactor.know(secret.expose_secret());
    }
    let url = &doctor.settings.parts.engine.database.url;
    for address in github.proxy.iter().chain([url]) {
        for password in crate::config::password_of(address.expose_secret()) {
            doctor.redactor.know(&password);
        }
    }
}

/// The client, or why there is none; a missing setting is told with the settings.
fn github(doctor: &Doctor) -> Result<Github, Option<Finding>> {
    let s = &doctor.settings.parts.github;
    let (Some(id), Some(key)) = (s.app_id, &s.private_key) else {
        let needed = "`github.app_id` and a private key";
        return Err(Some(Finding::failed(
            "app",
            format!("GitHub was not asked: it takes {needed}"),
            "set them, or make the App with `mend setup`",
        )));
    };
    let wrong = |what: String, remedy: &str| Some(Finding::failed("app", what, remedy));
    let mut wanted = GithubSettings::new(s.base_url.clone(), id, key.clone());
    wanted.time = ASK;
    wanted.attempts = 2;
    wanted.proxy.clone_from(&s.proxy);
    wanted.ca = match &s.ca_file {
        None => None,
        Some(file) => Some(certificates(file).map_err(|why| {
            let what = format!("`github.ca_file` is {}, which {why}", file.display());
            wrong(what, "name a file of certificates in PEM form")
        })?),
    };
    wanted.redactor = doctor.redactor.clone();
    Github::new(&wanted, doctor.clock.clone()).map_err(|e| {
        wrong(
            e.to_string(),
            "make a new key on the App's page (Private keys), and name its file",
        )
    })
}

/// The accounts on which the App of these settings is installed; none where it cannot be asked.
pub async fn installed_on(settings: &Inspection, clock: Arc<dyn Clock>) -> Vec<String> {
    let s = &settings.parts.github;
    let (Some(id), Some(key)) = (s.app_id, &s.private_key) else {
        return Vec::new();
    };
    let mut wanted = GithubSettings::new(s.base_url.clone(), id, key.clone());
    wanted.time = ASK;
    wanted.attempts = 1;
    wanted.proxy.clone_from(&s.proxy);
    wanted.ca = s.ca_file.as_ref().and_then(|f| certificates(f).ok());
    let Ok(github) = Github::new(&wanted, clock) else {
        return Vec::new();
    };
    let all = github.installations().await.unwrap_or_default();
    let account = |i: crate::github::Installation| i.account.map(|a| a.login);
    all.into_iter().filter_map(account).collect()
}

fn certificates(file: &std::path::Path) -> Result<Vec<u8>, String> {
    crate::tree::read_own(file, 4 << 20).map_err(|e| format!("cannot be read: {e}"))
}
