//! What the operator chooses.

use super::SetupError;
use crate::model::{ModelSettings, WireKind};
use reqwest::Url;
use secrecy::SecretString;
use std::str::FromStr;

/// Seconds between two looks at GitHub's list, where nothing else is said.
pub const POLL_S: u64 = 30;
/// The longest name of an App.
const NAME_CHARS: usize = 34;

/// How GitHub's webhooks get here.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Deliveries {
    /// Through an address that GitHub reaches, of a proxy or a tunnel: scheme and host.
    Public(String),
    /// They do not: GitHub's list of them is read every so many seconds.
    Poll(u64),
}

impl Deliveries {
    /// Reads an address that GitHub can reach.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn public(text: &str) -> Result<Deliveries, SetupError> {
        Ok(Deliveries::Public(base_of(text, "the public address")?))
    }
}

/// An http(s) address without anything after its host, or with a path.
pub(super) fn base_of(text: &str, what: &str) -> Result<String, SetupError> {
    let text = text.trim().trim_end_matches('/');
    let fine = Url::parse(text).is_ok_and(|u| {
        matches!(u.scheme(), "http" | "https")
            && u.has_host()
            && u.username().is_empty()
            && u.password().is_none()
            && u.query().is_none()
            && u.fragment().is_none()
    });
    match fine {
        true => Ok(text.trim_end_matches("/webhook").to_string()),
        false => Err(SetupError::Choice(format!(
            "{what} must be an http or https address, such as https://mend.example.com"
        ))),
    }
}

/// The name that an App is asked for with.
///
/// # Errors
/// When it is empty or too long.
pub(super) fn app_name(text: &str) -> Result<String, SetupError> {
    let name = text.trim();
    match (1..=NAME_CHARS).contains(&name.chars().count()) {
        true => Ok(name.to_string()),
        false => Err(SetupError::Choice(format!(
            "the App's name must have 1 to {NAME_CHARS} characters"
        ))),
    }
}

/// Who serves the model.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Provider {
    Anthropic,
    OpenAi,
    /// Any address that speaks Chat Completions.
    Compatible,
    /// A server on this machine, such as Ollama's.
    Local,
}

impl Provider {
    pub const ALL: [Provider; 4] = [
        Provider::Anthropic,
        Provider::OpenAi,
        Provider::Compatible,
        Provider::Local,
    ];

    pub fn word(self) -> &'static str {
        match self {
            Provider::Anthropic => "anthropic",
            Provider::OpenAi => "openai",
            Provider::Compatible => "compatible",
            Provider::Local => "local",
        }
    }

    pub(super) fn label(self) -> &'static str {
        match self {
            Provider::Anthropic => "Anthropic",
            Provider::OpenAi => "OpenAI",
            Provider::Compatible => "another endpoint in OpenAI's format",
            Provider::Local => "a server on this machine (Ollama, llama.cpp, vLLM)",
        }
    }

    /// The address that is taken when none is given.
    pub fn usual_url(self) -> Option<&'static str> {
        (self == Provider::Local).then_some("http://127.0.0.1:11434")
    }

    fn wire(self) -> WireKind {
        match self {
            Provider::Anthropic => WireKind::Anthropic,
            Provider::OpenAi => WireKind::Responses,
            Provider::Compatible | Provider::Local => WireKind::Chat,
        }
    }
}

impl FromStr for Provider {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let all = Provider::ALL.into_iter();
        all.into_iter()
            .find(|p| p.word() == text.trim())
            .ok_or_else(|| "is no provider: give anthropic, openai, compatible or local".into())
    }
}

/// A model with its endpoint and key.
#[derive(Debug, Clone)]
pub struct ModelChoice {
    pub provider: Provider,
    pub model: String,
    pub base_url: Option<String>,
    pub key: Option<SecretString>,
}

impl ModelChoice {
    /// # Errors
    /// What is missing.
    pub fn new(
        provider: Provider,
        model: &str,
        base_url: &str,
        key: &str,
    ) -> Result<ModelChoice, SetupError> {
        let wrong = |text: &str| Err(SetupError::Choice(text.into()));
        let model = model.trim();
        if model.is_empty() || model.chars().any(char::is_control) {
            return wrong("name the model as its endpoint knows it");
        }
        let given = Some(base_url.trim()).filter(|u| !u.is_empty());
        let base_url = match given.or(provider.usual_url()) {
            Some(url) => Some(base_of(url, "the model's address")?),
            None if provider == Provider::Compatible => {
                return wrong("the model's address is missing, such as https://host/v1");
            }
            None => None,
        };
        let key = Some(key.trim()).filter(|k| !k.is_empty());
        let needs_key = matches!(provider, Provider::Anthropic | Provider::OpenAi);
        if key.is_none() && needs_key && base_url.is_none() {
            return wrong("the model's key is missing");
        }
        Ok(ModelChoice {
            provider,
            model: model.to_string(),
            base_url,
            key: key.map(SecretString::from),
        })
    }

    pub(super) fn wire_word(&self) -> &'static str {
        match self.provider.wire() {
            WireKind::Anthropic => "anthropic",
            WireKind::Chat => "chat",
            WireKind::Responses => "responses",
        }
    }

    pub(super) fn settings(&self) -> ModelSettings {
        ModelSettings {
            base_url: self.base_url.clone(),
            api_key: self.key.clone(),
            ..ModelSettings::new(self.provider.wire(), self.model.clone())
        }
    }
}
