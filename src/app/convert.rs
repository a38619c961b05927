//! Settings as each room wants them.

use crate::config::{self, Environment, SandboxSettings};
use crate::model::{self, Model, ModelError, Price, WireKind};
use crate::sandbox;
use std::sync::Arc;

/// The model that the settings describe.
///
/// # Errors
/// `Settings` names the key that is wrong.
pub fn connect(settings: &config::ModelSettings) -> Result<Arc<dyn Model>, ModelError> {
    model::connect(&model_settings(settings))
}

fn model_settings(s: &config::ModelSettings) -> model::ModelSettings {
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

/// The sandbox's settings, with the toolchains of the operator's `PATH`.
pub fn sandbox_settings(s: &SandboxSettings, environment: &Environment) -> sandbox::Settings {
    sandbox::Settings {
        bwrap: s.bwrap.clone(),
        path: environment.get("PATH").unwrap_or_default().to_string(),
        read_only: s.read_only.clone(),
        user: s.user.clone(),
        program: None,
    }
}
