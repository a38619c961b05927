//! The end of an App's registration: a code becomes the App's credentials, once.
//! <https://docs.github.com/en/rest/apps/apps#create-a-github-app-from-a-manifest>

use super::app::address;
use super::client::segment;
use super::error::{Detail, GithubError};
use super::http::http;
use super::judge::{judge, message};
use super::wire::{UserInfo, text};
use secrecy::SecretString;
use serde::Deserialize;
use std::time::Duration;

const TIME: Duration = Duration::from_secs(30);
/// Key, secrets and the App's description take a few kilobytes.
const MOST_BYTES: usize = 1 << 20;

/// A new App with everything that GitHub tells only once.
#[derive(Debug, Clone, Deserialize)]
pub struct RegisteredApp {
    pub id: u64,
    pub slug: String,
    #[serde(default, deserialize_with = "text")]
    pub html_url: String,
    #[serde(default)]
    pub owner: Option<UserInfo>,
    pub client_id: String,
    pub client_secret: SecretString,
    pub webhook_secret: SecretString,
    pub pem: SecretString,
}

/// Exchanges the code that GitHub gave the browser. It is good once, for an hour.
///
/// # Errors
/// [`GithubError::NotFound`] for a code that is unknown, used or too old, and the network's classes.
pub async fn register_app(
    api: &str,
    code: &str,
    proxy: Option<&SecretString>,
    ca: Option<&[u8]>,
) -> Result<RegisteredApp, GithubError> {
    let api = address(api)?;
    let mut detail = Detail {
        // Without the code: it is a secret until it is used.
        request: "POST /app-manifests/{code}/conversions".into(),
        ..Detail::default()
    };
    let base = api.as_str().trim_end_matches('/');
    let url = format!("{base}/app-manifests/{}/conversions", segment(code));
    let sent = http(TIME, proxy, ca)?
        .post(url)
        .header(http::header::ACCEPT, "application/vnd.github+json")
        .send()
        .await;
    let Ok(mut response) = sent else {
        detail.message = "GitHub cannot be reached".into();
        return Err(GithubError::Transient(detail));
    };
    let (status, headers) = (response.status(), response.headers().clone());
    detail.status = Some(status.as_u16());
    let mut body = Vec::new();
    while let Ok(Some(chunk)) = response.chunk().await {
        if body.len() + chunk.len() > MOST_BYTES {
            return Err(GithubError::Permanent(detail));
        }
        body.extend_from_slice(&chunk);
    }
    if !status.is_success() {
        detail.message = message(&body);
        return Err(judge(status, &headers, detail, 0));
    }
    serde_json::from_slice(&body).map_err(|_| {
        detail.message = "the App's credentials are not in it".into();
        GithubError::Permanent(detail)
    })
}
