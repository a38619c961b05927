//! The deliveries of the App's webhook, as GitHub keeps them.

use super::app::Github;
use super::client::{Ask, segment};
use super::error::GithubError;
use super::wire::{Delivery, text};
use serde::Deserialize;

/// The App's webhook as GitHub has it.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct HookConfig {
    /// Where deliveries go; empty where the webhook is off.
    #[serde(default, deserialize_with = "text")]
    pub url: String,
    /// `json` or `form`.
    #[serde(default, deserialize_with = "text")]
    pub content_type: String,
    /// Whether the receiver's certificate is not checked: `1` or `0`, a text or a number.
    #[serde(default)]
    insecure_ssl: serde_json::Value,
}

impl HookConfig {
    /// Whether GitHub does not check the receiver's certificate.
    pub fn is_insecure(&self) -> bool {
        ["1", "\"1\""].contains(&self.insecure_ssl.to_string().as_str())
    }
}

impl Github {
    /// The App's webhook.
    ///
    /// # Errors
    /// Every class of [`GithubError`].
    pub async fn hook_config(&self) -> Result<HookConfig, GithubError> {
        let reply = self.as_app(Ask::get("/app/hook/config".into())).await?;
        reply.json()
    }

    /// What the receiver answered to a delivery, as far as GitHub kept it.
    ///
    /// # Errors
    /// Every class of [`GithubError`].
    pub async fn answer_to(&self, delivery_id: u64) -> Result<String, GithubError> {
        #[derive(Deserialize)]
        struct Whole {
            #[serde(default)]
            response: Option<Response>,
        }
        #[derive(Deserialize)]
        struct Response {
            #[serde(default)]
            payload: Option<serde_json::Value>,
        }
        let ask = Ask::get(format!("/app/hook/deliveries/{delivery_id}"));
        let whole: Whole = self.as_app(ask).await?.json()?;
        Ok(match whole.response.and_then(|r| r.payload) {
            Some(serde_json::Value::String(text)) => text,
            Some(other) => other.to_string(),
            None => String::new(),
        })
    }

    /// Deliveries of the App's webhook, newest first, and the cursor of the next page.
    ///
    /// # Errors
    /// Every class of [`GithubError`].
    pub async fn deliveries(
        &self,
        cursor: Option<&str>,
    ) -> Result<(Vec<Delivery>, Option<String>), GithubError> {
        let mut path = "/app/hook/deliveries?per_page=100".to_string();
        if let Some(cursor) = cursor {
            path.push_str(&format!("&cursor={}", segment(cursor)));
        }
        let reply = self.as_app(Ask::get(path)).await?;
        let next = reply.link("next", "cursor");
        Ok((reply.json()?, next))
    }

    /// The body of a delivery; `None` when GitHub no longer has it.
    ///
    /// # Errors
    /// Every class of [`GithubError`].
    pub async fn delivered_payload(
        &self,
        delivery_id: u64,
    ) -> Result<Option<serde_json::Value>, GithubError> {
        #[derive(Deserialize)]
        struct Whole {
            #[serde(default)]
            request: Option<Request>,
        }
        #[derive(Deserialize)]
        struct Request {
            #[serde(default)]
            payload: Option<serde_json::Value>,
        }
        let ask = Ask::get(format!("/app/hook/deliveries/{delivery_id}"));
        match self.as_app(ask).await {
            Ok(reply) => Ok(reply.json::<Whole>()?.request.and_then(|r| r.payload)),
            Err(GithubError::NotFound(_)) => Ok(None),
            Err(e) => Err(e),
        }
    }

    /// Asks GitHub to send a delivery again.
    ///
    /// # Errors
    /// Every class of [`GithubError`].
    pub async fn redeliver(&self, delivery_id: u64) -> Result<(), GithubError> {
        let path = format!("/app/hook/deliveries/{delivery_id}/attempts");
        self.as_app(Ask::act(path)).await.map(drop)
    }
}
