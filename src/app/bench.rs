//! What tasks and answers share, by the settings: GitHub with its tokens and pauses, the store, the
//! secrets that no text shows; and the bench of the workers.

use super::convert::{agent_settings, models, set_up_settings};
use super::server::{Extra, StartError};
use crate::agent::Prompts;
use crate::check::SetUpSettings;
use crate::config::{Settings, password_of};
use crate::git::{Git, GitSettings};
use crate::github::{Github, GithubError, GithubSettings};
use crate::sandbox::Sandbox;
use crate::store::Store;
use crate::task::{Bench, Links, TokenKeeper};
use crate::text::Redactor;
use secrecy::ExposeSecret;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

/// Seconds that a task waits for a busy model, unless the settings say otherwise: one night.
const MODEL_WAIT_S: u64 = 12 * 3600;

/// The part that needs neither sandbox nor state folder.
pub(super) struct Hub {
    pub(super) store: Store,
    pub(super) github: Github,
    /// Keeps the tokens in use, and revokes what the dead left.
    pub(super) keeper: Arc<TokenKeeper>,
    pub(super) redactor: Redactor,
}

impl Hub {
    pub(super) fn new(settings: &Settings, extra: &Extra, store: Store) -> Result<Hub, StartError> {
        let keeper = Arc::new(TokenKeeper::new(store.clone(), extra.times.lease));
        let github = github(settings, extra, keeper.clone())?;
        github.keep_pauses(Arc::new(super::pauses::Kept(store.clone())));
        Ok(Hub {
            store,
            github,
            keeper,
            redactor: known(settings, extra),
        })
    }
}

/// Everything that tasks share. `private` holds their git directories, `scratch` throwaway trees.
pub(super) fn bench(
    settings: &Settings,
    extra: &Extra,
    hub: &Hub,
    sandbox: Arc<Sandbox>,
    (private, scratch): (PathBuf, PathBuf),
    rehearsal: bool,
) -> Result<Arc<Bench>, StartError> {
    let state = &settings.server.state_dir;
    Ok(Arc::new(Bench {
        store: hub.store.clone(),
        github: hub.github.clone(),
        git: git(settings, state, certificates(settings)?)?,
        sandbox,
        models: models(&settings.model, &settings.roles)?,
        rehearsal,
        max_output_tokens: settings.model.max_output_tokens.unwrap_or(16_384),
        model_wait: Duration::from_secs(settings.model.park_s.unwrap_or(MODEL_WAIT_S)),
        agent: agent_settings(&settings.model, &settings.agent),
        prompts: Prompts::replaced(&settings.agent.prompts)?,
        limits: settings.limits.clone(),
        budget: settings.budget.clone(),
        publish: settings.publish.clone(),
        links: Links {
            web: settings.github.web_url.clone(),
            pages: settings.web.public_url.clone(),
        },
        permission: settings.github.permission,
        branch_prefix: settings.github.branch_prefix.clone(),
        private,
        scratch,
        baselines: state.join("baselines"),
        trace_age: Duration::from_secs(settings.server.trace_days * 24 * 3600),
        trace_bytes: settings.server.trace_mb << 20,
        setup: set_ups(settings, &hub.redactor),
        git_in_sandbox: settings.git.in_sandbox,
        redactor: hub.redactor.clone(),
        guards: Arc::new(crate::trace::shipped()?),
        clock: extra.clock.clone(),
        times: extra.times.clone(),
        journal: extra.journal.clone(),
    }))
}

/// How GitHub is spoken with.
pub(super) fn github_settings(
    settings: &Settings,
    redactor: &Redactor,
) -> Result<GithubSettings, StartError> {
    let s = &settings.github;
    let mut wanted = GithubSettings::new(s.base_url.clone(), s.app_id, s.private_key.clone());
    wanted.proxy = s.proxy.clone();
    wanted.ca = certificates(settings)?;
    wanted.redactor = redactor.clone();
    Ok(wanted)
}

fn github(
    settings: &Settings,
    extra: &Extra,
    book: Arc<TokenKeeper>,
) -> Result<Github, StartError> {
    let wanted = github_settings(settings, &extra.redactor)?;
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
    let login = settings.web.login.as_ref().map(|l| &l.client_secret);
    for secret in ours.into_iter().flatten().chain(keys).chain(login) {
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
