//! Which model to ask, where and how.

use super::ModelError;
use reqwest::Url;
use secrecy::SecretString;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::collections::BTreeMap;
use std::path::PathBuf;

/// The wire format of an endpoint.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum WireKind {
    /// Anthropic Messages.
    Anthropic,
    /// OpenAI Chat Completions, which most gateways and local servers speak.
    Chat,
    /// OpenAI Responses, without the provider's memory.
    Responses,
}

/// How a model says what it wants done.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Dialect {
    /// Tool calls.
    Tools,
    /// Blocks and lines in its text, for endpoints without tool calling.
    Text,
    /// Tool calls, until the endpoint refuses them or the model answers in blocks.
    #[default]
    Auto,
}

impl std::str::FromStr for Dialect {
    type Err = ();

    fn from_str(s: &str) -> Result<Self, ()> {
        match s {
            "tools" => Ok(Dialect::Tools),
            "text" => Ok(Dialect::Text),
            "auto" => Ok(Dialect::Auto),
            _ => Err(()),
        }
    }
}

impl WireKind {
    /// The public endpoint of the format's owner.
    pub fn public_base(self) -> &'static str {
        match self {
            WireKind::Anthropic => "https://api.anthropic.com",
            WireKind::Chat | WireKind::Responses => "https://api.openai.com",
        }
    }

    fn route(self) -> &'static str {
        match self {
            WireKind::Anthropic => "messages",
            WireKind::Chat => "chat/completions",
            WireKind::Responses => "responses",
        }
    }
}

/// Dollars per million tokens.
#[derive(Debug, Clone, Copy, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Price {
    pub input_per_million: f64,
    /// Input read from the provider's cache; the input price when absent.
    #[serde(default)]
    pub cached_per_million: Option<f64>,
    /// Input written to the provider's cache; 1.25 times the input price on the Anthropic wire
    /// (docs.anthropic.com, prompt caching, 5-minute writes), the input price elsewhere, when absent.
    #[serde(default)]
    pub cache_write_per_million: Option<f64>,
    pub output_per_million: f64,
}

/// One model behind one endpoint. Keys stay in secrecy types: `Debug` does not show them.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ModelSettings {
    pub wire: WireKind,
    /// With or without a trailing `/v1`; the public endpoint of the wire's owner when absent.
    /// A query (`?api-version=…`) is kept.
    #[serde(default)]
    pub base_url: Option<String>,
    pub model: String,
    /// Sent as `x-api-key` (anthropic) or `authorization: Bearer` (chat, responses).
    #[serde(default)]
    pub api_key: Option<SecretString>,
    /// Further headers; one of the same name replaces mend's own.
    #[serde(default)]
    pub headers: BTreeMap<String, SecretString>,
    /// Further members of the request's body, for example `thinking`, `reasoning_effort` or,
    /// for reasoning that is kept across turns on the responses wire, `reasoning`.
    #[serde(default)]
    pub extra_body: Map<String, Value>,
    #[serde(default = "yes")]
    pub stream: bool,
    /// Upper bound of one turn's output, in tokens.
    #[serde(default = "max_output_tokens")]
    pub max_output_tokens: u32,
    /// Chat: the member that bounds the output, `max_tokens` or `max_completion_tokens`; by
    /// default the latter for OpenAI's and Azure's hosts and the former for all others.
    #[serde(default)]
    pub max_tokens_field: Option<String>,
    /// Chat, streamed: ask for usage with `stream_options`.
    #[serde(default = "yes")]
    pub stream_usage: bool,
    /// Anthropic: mark tools, system and the last user messages for the prompt cache.
    #[serde(default = "yes")]
    pub prompt_cache: bool,
    /// Seconds for one attempt, from connecting to the last byte.
    #[serde(default = "timeout_s")]
    pub timeout_s: u64,
    /// Seconds without a byte of a reply that has begun, or of a stream, before an attempt ends.
    #[serde(default = "idle_timeout_s")]
    pub idle_timeout_s: u64,
    /// Attempts after the first.
    #[serde(default = "retries")]
    pub retries: u32,
    /// Seconds that one call may wait between attempts, all pauses together. A provider that asks
    /// for more ends the call as busy until then.
    #[serde(default = "retry_wait_s")]
    pub retry_wait_s: u64,
    /// Seconds after which a model that is busy without naming a time is asked again, by a later
    /// attempt of the task.
    #[serde(default = "busy_wait_s")]
    pub busy_wait_s: u64,
    /// Bytes of one reply.
    #[serde(default = "reply_bytes")]
    pub reply_bytes: usize,
    /// Without it usage has no dollars.
    #[serde(default)]
    pub price: Option<Price>,
    /// Folder in which every turn is recorded.
    #[serde(default)]
    pub record: Option<PathBuf>,
}

fn yes() -> bool {
    true
}
fn max_output_tokens() -> u32 {
    16_384
}
fn timeout_s() -> u64 {
    900
}
fn idle_timeout_s() -> u64 {
    180
}
fn retries() -> u32 {
    4
}
fn retry_wait_s() -> u64 {
    60
}
fn busy_wait_s() -> u64 {
    60
}
fn reply_bytes() -> usize {
    16 * 1024 * 1024
}

impl ModelSettings {
    /// Settings with every default.
    pub fn new(wire: WireKind, model: impl Into<String>) -> Self {
        ModelSettings {
            wire,
            base_url: None,
            model: model.into(),
            api_key: None,
            headers: BTreeMap::new(),
            extra_body: Map::new(),
            stream: true,
            max_output_tokens: max_output_tokens(),
            max_tokens_field: None,
            stream_usage: true,
            prompt_cache: true,
            timeout_s: timeout_s(),
            idle_timeout_s: idle_timeout_s(),
            retries: retries(),
            retry_wait_s: retry_wait_s(),
            busy_wait_s: busy_wait_s(),
            reply_bytes: reply_bytes(),
            price: None,
            record: None,
        }
    }

    /// The address that requests go to. A base that already names a version (`/v1`, `/v1beta/…`,
    /// `/v4`), an Azure deployment or the route itself gets no `/v1` of its own.
    ///
    /// # Errors
    /// [`ModelError::Settings`] for anything but an http(s) URL without user and password.
    pub fn endpoint(&self) -> Result<Url, ModelError> {
        let wrong = |message: &str| ModelError::Settings {
            key: "base_url",
            message: message.to_string(),
        };
        let base = self.base_url.as_deref().unwrap_or(self.wire.public_base());
        let mut url = Url::parse(base.trim())
            .map_err(|e| wrong(&format!("not a URL ({e}); give one like https://host/v1")))?;
        if !matches!(url.scheme(), "http" | "https") || url.host_str().is_none() {
            return Err(wrong("give an http:// or https:// URL with a host"));
        }
        if !url.username().is_empty() || url.password().is_some() {
            return Err(wrong(
                "put the key into `api_key` or `headers`, not into the URL",
            ));
        }
        url.set_fragment(None);
        let path = url.path().trim_end_matches('/').to_string();
        let route = self.wire.route();
        let complete = format!("/{route}");
        if !path.ends_with(&complete) {
            let versioned = path.split('/').any(|s| is_version(s) || s == "deployments");
            let middle = if versioned { "" } else { "/v1" };
            url.set_path(&format!("{path}{middle}/{route}"));
        }
        Ok(url)
    }

    /// The member of a chat body that bounds the output.
    pub(super) fn max_tokens_name(&self) -> &str {
        if let Some(name) = &self.max_tokens_field {
            return name;
        }
        let host = self
            .endpoint()
            .ok()
            .and_then(|u| u.host_str().map(str::to_string));
        match host.as_deref() {
            Some(h) if h == "api.openai.com" || h.ends_with(".openai.azure.com") => {
                "max_completion_tokens"
            }
            _ => "max_tokens",
        }
    }

    /// The bound of one request's output.
    pub(super) fn output_bound(&self, asked: u32) -> u32 {
        match asked {
            0 => self.max_output_tokens,
            n => n.min(self.max_output_tokens),
        }
    }

    /// Checks what serde cannot.
    pub(super) fn check(&self) -> Result<(), ModelError> {
        let wrong = |key, message: &str| {
            Err(ModelError::Settings {
                key,
                message: message.to_string(),
            })
        };
        if self.model.trim().is_empty() {
            return wrong("model", "name the model, for example \"claude-sonnet-4-5\"");
        }
        if self.max_output_tokens == 0 {
            return wrong("max_output_tokens", "must be at least 1");
        }
        if self.timeout_s == 0 || self.idle_timeout_s == 0 {
            return wrong("timeout_s", "timeouts must be at least 1 second");
        }
        const OWN: [&str; 7] = [
            "model",
            "messages",
            "input",
            "system",
            "instructions",
            "tools",
            "stream",
        ];
        if let Some(key) = self.extra_body.keys().find(|k| OWN.contains(&k.as_str())) {
            return wrong(
                "extra_body",
                &format!("`{key}` is set by mend itself; remove it"),
            );
        }
        let field = self.max_tokens_field.as_deref();
        if !matches!(field, None | Some("max_tokens" | "max_completion_tokens")) {
            return wrong(
                "max_tokens_field",
                "give \"max_tokens\" or \"max_completion_tokens\"",
            );
        }
        if let Some(p) = &self.price {
            let all = [
                Some(p.input_per_million),
                p.cached_per_million,
                p.cache_write_per_million,
                Some(p.output_per_million),
            ];
            if all.iter().flatten().any(|d| !d.is_finite() || *d < 0.0) {
                return wrong("price", "dollars per million tokens must be 0 or more");
            }
        }
        self.endpoint().map(|_| ())
    }
}

/// `v1`, `v1beta`, `v4`, `v1alpha2`.
fn is_version(segment: &str) -> bool {
    let mut chars = segment.chars();
    chars.next() == Some('v')
        && chars.next().is_some_and(|c| c.is_ascii_digit())
        && chars.all(|c| c.is_ascii_alphanumeric())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(wire: WireKind, base: &str) -> String {
        let mut s = ModelSettings::new(wire, "m");
        s.base_url = Some(base.to_string());
        match s.endpoint() {
            Ok(url) => url.to_string(),
            Err(e) => e.to_string(),
        }
    }

    #[test]
    fn any_base_leads_to_the_route() {
        use WireKind::*;
        for base in [
            "http://h:1",
            "http://h:1/",
            "http://h:1/v1",
            "http://h:1/v1/",
            "http://h:1/v1/messages",
        ] {
            assert_eq!(at(Anthropic, base), "http://h:1/v1/messages");
        }
        assert_eq!(
            at(Chat, "https://g/v1beta/openai/"),
            "https://g/v1beta/openai/chat/completions"
        );
        assert_eq!(
            at(Chat, "https://g/api/paas/v4"),
            "https://g/api/paas/v4/chat/completions"
        );
        assert_eq!(
            at(
                Chat,
                "https://a/openai/deployments/d?api-version=2024-10-21"
            ),
            "https://a/openai/deployments/d/chat/completions?api-version=2024-10-21"
        );
        assert_eq!(
            at(Chat, "https://o/api"),
            "https://o/api/v1/chat/completions"
        );
        assert!(at(Chat, "https://u:p@h").contains("api_key"));
        assert!(at(Chat, "localhost:11434").contains("http://"));
    }

    #[test]
    fn settings_read_from_toml_and_hide_keys() {
        let s: ModelSettings = toml::from_str(
            "wire = 'chat'\nmodel = 'm'\napi_key = 'sk-secret-secret'\n[headers]\nx-a = 'hidden-value'\n\
             [price]\ninput_per_million = 3\noutput_per_million = 15\n[extra_body]\nreasoning_effort = 'low'",
        )
        .unwrap();
        let shown = format!("{s:?}");
        assert!(!shown.contains("sk-secret") && !shown.contains("hidden-value"));
        assert_eq!(s.max_tokens_name(), "max_completion_tokens");
        s.check().unwrap();
        let e =
            toml::from_str::<ModelSettings>("wire = 'chat'\nmodel = 'm'\nurl = 'x'").unwrap_err();
        assert!(e.to_string().contains("url"));
    }

    #[test]
    fn a_reserved_member_is_refused() {
        let mut s = ModelSettings::new(WireKind::Chat, "m");
        s.extra_body.insert("messages".into(), Value::Null);
        assert!(s.check().unwrap_err().to_string().contains("messages"));
    }
}
