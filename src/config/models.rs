//! The models: `[model]` works on tasks; a further role has a model of its own, or is off.

use super::reader::Reader;
use super::sections::{ModelSettings, PriceSettings, RoleSettings};
use super::values::{absolute, absolute_list, url};
use secrecy::SecretString;
use std::collections::BTreeMap;

/// `[model]`: the model that works on tasks.
pub(super) fn worker(r: &mut Reader<'_>) -> ModelSettings {
    model(r, "model", true)
}

/// The other roles; one without a section is off.
pub(super) fn roles(r: &mut Reader<'_>) -> RoleSettings {
    let mut role = |at: &str| {
        let set = r.has_section(at);
        let model = model(r, at, set);
        set.then_some(model)
    };
    RoleSettings {
        reviewer: role("models.reviewer"),
        diagnoser: role("models.diagnoser"),
    }
}

fn model(r: &mut Reader<'_>, at: &str, needed: bool) -> ModelSettings {
    let key = |name: &str| format!("{at}.{name}");
    let replay = absolute_list(r, &key("replay"));
    let wire = match r.text(&key("wire")).as_deref() {
        Some("chat" | "openai") => "chat".to_string(),
        Some(wire @ ("anthropic" | "responses")) => wire.to_string(),
        Some(other) => {
            let shown = other.escape_debug().to_string();
            r.wrong(
                &key("wire"),
                format!("is `{shown}`: it must be anthropic, chat or responses"),
            );
            String::new()
        }
        None => String::new(),
    };
    let name = r.text(&key("model")).unwrap_or_default();
    if needed && replay.is_empty() {
        super::read::required(
            r,
            &key("wire"),
            "the endpoint's format: anthropic, chat (OpenAI Chat Completions) or responses (OpenAI Responses)",
        );
        if name.is_empty() {
            r.missing(&key("model"), "the model's name as the endpoint knows it");
        }
    }
    let (small, day) = (u64::from(u32::MAX), 86_400);
    ModelSettings {
        wire,
        model: name,
        base_url: url(r, &key("base_url")),
        api_key: r.secret(&key("api_key")).map(SecretString::from),
        headers: headers(r, &key("headers")),
        extra_body: extra_body(r, &key("extra_body")),
        dialect: dialect(r, &key("dialect")),
        context_tokens: r.number(&key("context_tokens"), 4096, small),
        stream: r.parsed(&key("stream"), "true or false"),
        max_output_tokens: r
            .number(&key("max_output_tokens"), 1, small)
            .map(|n| n as u32),
        max_tokens_field: r.text(&key("max_tokens_field")),
        stream_usage: r.parsed(&key("stream_usage"), "true or false"),
        prompt_cache: r.parsed(&key("prompt_cache"), "true or false"),
        timeout_s: r.number(&key("timeout_s"), 1, day),
        idle_timeout_s: r.number(&key("idle_timeout_s"), 1, day),
        retries: r.number(&key("retries"), 0, 100).map(|n| n as u32),
        retry_wait_s: r.number(&key("retry_wait_s"), 0, day),
        busy_wait_s: r.number(&key("busy_wait_s"), 1, day),
        park_s: r.number(&key("park_s"), 0, 35 * day),
        reply_bytes: r
            .number(&key("reply_bytes"), 64 * 1024, 1024 * 1024 * 1024)
            .map(|n| n as usize),
        price: price(r, &key("price")),
        record: absolute(r, &key("record")),
        replay,
    }
}

/// How the model says what it wants done.
fn dialect(r: &mut Reader<'_>, key: &str) -> Option<String> {
    let word = r.text(key)?;
    if !["tools", "text", "auto"].contains(&word.as_str()) {
        let shown = word.escape_debug().to_string();
        r.wrong(key, format!("is `{shown}`: it must be tools, text or auto"));
    }
    Some(word)
}

fn headers(r: &mut Reader<'_>, key: &str) -> BTreeMap<String, SecretString> {
    let mut headers = BTreeMap::new();
    for (name, value) in r.secret_table(key) {
        match value {
            toml::Value::String(value) => {
                headers.insert(name, value.into());
            }
            _ => r.wrong(key, format!("has a `{name}` that is not text")),
        }
    }
    headers
}

fn extra_body(r: &mut Reader<'_>, key: &str) -> serde_json::Map<String, serde_json::Value> {
    match serde_json::to_value(r.table(key)) {
        Ok(serde_json::Value::Object(body)) => body,
        _ => serde_json::Map::new(),
    }
}

fn price(r: &mut Reader<'_>, at: &str) -> Option<PriceSettings> {
    let key = |name: &str| format!("{at}.{name}");
    let input = r.amount(&key("input_per_million"));
    let output = r.amount(&key("output_per_million"));
    let cached_per_million = r.amount(&key("cached_per_million"));
    let cache_write_per_million = r.amount(&key("cache_write_per_million"));
    if input.is_some() || output.is_some() || cached_per_million.is_some() {
        for name in ["input_per_million", "output_per_million"] {
            super::read::required(
                r,
                &key(name),
                "a price needs both, in dollars per million tokens",
            );
        }
    }
    Some(PriceSettings {
        input_per_million: input?,
        cached_per_million,
        cache_write_per_million,
        output_per_million: output?,
    })
}
