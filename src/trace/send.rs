//! Hands a trace to a collector over OTLP/HTTP.

use reqwest::Url;
use serde_json::Value;
use std::time::Duration;

const TIME: Duration = Duration::from_secs(30);

/// Why a collector does not have a trace.
#[derive(Debug, thiserror::Error)]
pub enum SendError {
    #[error("the collector's address must be http or https, such as http://127.0.0.1:4318")]
    Address,
    #[error("the collector at {0} cannot be reached; check that it listens for OTLP over HTTP")]
    Unreachable(String),
    #[error("the collector at {0} answers {1}; it must take OTLP over HTTP in JSON")]
    Refused(String, u16),
}

/// Sends to `/v1/traces` of a collector, or to the very path that the address has.
///
/// # Errors
/// See [`SendError`].
pub async fn send(collector: &str, request: &Value) -> Result<(), SendError> {
    let mut url = Url::parse(collector).map_err(|_| SendError::Address)?;
    if !matches!(url.scheme(), "http" | "https") || !url.has_host() {
        return Err(SendError::Address);
    }
    if url.path() == "/" {
        url.set_path("/v1/traces");
    }
    let shown = format!("{}{}", url.origin().ascii_serialization(), url.path());
    let unreachable = || SendError::Unreachable(shown.clone());
    let client = reqwest::Client::builder()
        .timeout(TIME)
        .redirect(reqwest::redirect::Policy::none())
        .no_proxy()
        .build()
        .map_err(|_| unreachable())?;
    let sent = client.post(url).json(request).send().await;
    let status = sent.map_err(|_| unreachable())?.status();
    match status.is_success() {
        true => Ok(()),
        false => Err(SendError::Refused(shown, status.as_u16())),
    }
}
