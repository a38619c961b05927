//! Settings as each room wants them.

use crate::agent;
use crate::check::{SetUpFile, SetUpSettings};
use crate::config::{
    self, Environment, NetworkSettings, RoleSettings, SandboxSettings, SetupSettings,
};
use crate::model::{self, Model, ModelError, Normalise, Price, Recorder, Replay, WireKind};
use crate::sandbox;
use crate::task::{Models, Source};
use crate::text::Redactor;
use secrecy::ExposeSecret;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

/// The one model that the settings describe: an endpoint, or the first recording. With `record`,
/// every turn is written there.
///
/// # Errors
/// `Settings` names the key that is wrong; `Recording` when a folder cannot be used.
pub fn connect(settings: &config::ModelSettings) -> Result<Arc<dyn Model>, ModelError> {
    let Some(folder) = settings.replay.first() else {
        return model::connect(&model_settings(settings));
    };
    let replay: Arc<dyn Model> = Arc::new(Replay::open(folder)?);
    Ok(match &settings.record {
        Some(record) => Arc::new(Recorder::new(replay, record, Normalise::default())?),
        None => replay,
    })
}

/// How the loop speaks with that model.
pub fn agent_settings(
    model: &config::ModelSettings,
    own: &config::AgentSettings,
) -> agent::Settings {
    let plain = agent::Settings::default();
    agent::Settings {
        dialect: model
            .dialect
            .as_deref()
            .and_then(|word| word.parse().ok())
            .unwrap_or_default(),
        context_tokens: model.context_tokens,
        page_lines: own.page_lines.unwrap_or(plain.page_lines),
        evidence_bytes: own.evidence_bytes.unwrap_or(plain.evidence_bytes),
        run_command: own.run_command,
        command_s: own.command_s.unwrap_or(plain.command_s),
        ..plain
    }
}

/// The models of a server's tasks.
///
/// # Errors
/// As [`connect`].
pub(super) fn models(
    settings: &config::ModelSettings,
    roles: &RoleSettings,
) -> Result<Models, ModelError> {
    Ok(Models {
        source: source(settings)?,
        reviewer: roles.reviewer.as_ref().map(source).transpose()?,
        record: settings.record.clone(),
    })
}

/// Where one role's answers come from. Each task records into a folder of its own, later.
fn source(settings: &config::ModelSettings) -> Result<Source, ModelError> {
    match settings.replay.is_empty() {
        true => Ok(Source::One(model::connect(&model::ModelSettings {
            record: None,
            ..model_settings(settings)
        })?)),
        false => Ok(Source::recordings(settings.replay.clone())),
    }
}

/// The model of a role; `None` where the role is off.
///
/// # Errors
/// As [`connect`].
pub fn connect_role(
    settings: Option<&config::ModelSettings>,
) -> Result<Option<Arc<dyn Model>>, ModelError> {
    settings.map(connect).transpose()
}

/// How a model's endpoint is spoken to.
pub fn model_settings(s: &config::ModelSettings) -> model::ModelSettings {
    let wire = match s.wire.as_str() {
        "anthropic" => WireKind::Anthropic,
        "responses" => WireKind::Responses,
        _ => WireKind::Chat,
    };
    let plain = model::ModelSettings::new(wire, s.model.clone());
    model::ModelSettings {
        base_url: s.base_url.clone(),
        api_key: s.api_key.clone(),
        headers: s.headers.clone(),
        extra_body: s.extra_body.clone(),
        stream: s.stream.unwrap_or(plain.stream),
        max_output_tokens: s.max_output_tokens.unwrap_or(plain.max_output_tokens),
        max_tokens_field: s.max_tokens_field.clone(),
        stream_usage: s.stream_usage.unwrap_or(plain.stream_usage),
        prompt_cache: s.prompt_cache.unwrap_or(plain.prompt_cache),
        timeout_s: s.timeout_s.unwrap_or(plain.timeout_s),
        idle_timeout_s: s.idle_timeout_s.unwrap_or(plain.idle_timeout_s),
        retries: s.retries.unwrap_or(plain.retries),
        retry_wait_s: s.retry_wait_s.unwrap_or(plain.retry_wait_s),
        busy_wait_s: s.busy_wait_s.unwrap_or(plain.busy_wait_s),
        reply_bytes: s.reply_bytes.unwrap_or(plain.reply_bytes),
        price: s.price.map(|p| Price {
            input_per_million: p.input_per_million,
            cached_per_million: p.cached_per_million,
            cache_write_per_million: p.cache_write_per_million,
            output_per_million: p.output_per_million,
        }),
        record: s.record.clone(),
        ..plain
    }
}

/// What set-ups may reach and are given, with their folder of finished ones.
pub fn set_up_settings(
    network: &NetworkSettings,
    setup: &SetupSettings,
    cache: impl Into<PathBuf>,
    redactor: &Redactor,
) -> SetUpSettings {
    let plain = SetUpSettings::new(cache);
    for secret in set_up_secrets(setup) {
        redactor.know(&secret);
    }
    SetUpSettings {
        allow: network.allow.clone(),
        env: setup
            .env
            .iter()
            .map(|(name, value)| (name.clone(), value.expose_secret().to_string()))
            .collect(),
        files: setup
            .files
            .iter()
            .map(|f| SetUpFile::new(&f.inside, &f.host, f.in_checks))
            .collect(),
        limit: setup.limit_s.map_or(plain.limit, Duration::from_secs),
        cache_bytes: setup.cache_bytes.unwrap_or(plain.cache_bytes),
        redactor: redactor.clone(),
        ..plain
    }
}

/// The values among the set-up's variables that are secrets: by the variable's name, and passwords
/// in addresses. Others, such as a path, are no secret, and hiding them would hide much else.
fn set_up_secrets(setup: &SetupSettings) -> Vec<String> {
    let mut secrets = Vec::new();
    for (name, value) in &setup.env {
        let (name, value) = (name.to_uppercase(), value.expose_secret());
        let words = ["TOKEN", "PASSWORD", "PASSWD", "SECRET", "AUTH", "KEY"];
        if words.iter().any(|w| name.contains(w)) && value.len() >= 6 {
            secrets.push(value.to_string());
        }
        for part in value.split_whitespace() {
            let user = part
                .split_once("://")
                .and_then(|(_, rest)| rest.split('/').next());
            let password = user.and_then(|u| Some(u.rsplit_once('@')?.0.split_once(':')?.1));
            secrets.extend(password.filter(|p| p.len() >= 4).map(String::from));
        }
    }
    secrets
}

/// The sandbox's settings, with the toolchains of the operator's `PATH`.
pub fn sandbox_settings(s: &SandboxSettings, environment: &Environment) -> sandbox::Settings {
    let engine_env = sandbox::ENGINE_VARIABLES
        .iter()
        .filter_map(|n| Some((n.to_string(), environment.get(n)?.to_string())));
    sandbox::Settings {
        backend: s.backend,
        image: s.image.clone(),
        engine: None,
        engine_env: engine_env.collect(),
        bwrap: s.bwrap.clone(),
        path: environment.get("PATH").unwrap_or_default().to_string(),
        read_only: s.read_only.clone(),
        user: s.user.clone(),
        program: None,
    }
}
