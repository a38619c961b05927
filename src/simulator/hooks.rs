//! Webhooks: what is sent, the log of what was, and the one task that sends.
//!
//! As GitHub does, each delivery is tried once, within ten seconds; whoever wants it again asks
//! for a redelivery, which has the same GUID and another id.

use super::answer::Refusal;
use super::shapes;
use super::state::{AccountKind, Repo, World};
use super::time::rfc3339;
use hmac::{Hmac, Mac};
use serde_json::{Map, Value, json};
use sha2::Sha256;
use tokio::sync::mpsc::UnboundedSender;

/// One attempt to send a webhook.
#[derive(Debug, Clone)]
pub struct Delivery {
    pub id: u64,
    /// `X-GitHub-Delivery`.
    pub guid: String,
    pub event: String,
    pub action: Option<String>,
    pub repository_id: Option<u64>,
    /// Seconds since the Unix epoch.
    pub delivered_at: i64,
    pub redelivery: bool,
    pub url: String,
    pub headers: Vec<(String, String)>,
    /// The body, byte for byte as signed.
    pub body: String,
    /// `None` until it was tried.
    pub result: Option<Attempt>,
}

/// What came of a delivery.
#[derive(Debug, Clone, PartialEq)]
pub struct Attempt {
    pub seconds: f64,
    /// The receiver's, or 502 and 504 when none answered.
    pub status_code: u16,
    /// `OK`, the receiver's reason, or why none answered.
    pub status: String,
    pub headers: Vec<(String, String)>,
    pub body: String,
}

impl Delivery {
    /// Whether the receiver answered 2xx.
    pub fn succeeded(&self) -> bool {
        self.result
            .as_ref()
            .is_some_and(|r| (200..300).contains(&r.status_code))
    }
}

pub(super) struct Hooks {
    pub url: Option<String>,
    pub secret: String,
    pub log: Vec<Delivery>,
    /// Ids of deliveries to be tried.
    pub queue: UnboundedSender<u64>,
}

impl World {
    /// Queues the webhook of something that happened, if the App is subscribed to its event.
    pub fn emit(
        &mut self,
        event: &str,
        action: Option<&str>,
        repo: u64,
        sender: &str,
        about: Value,
    ) -> Result<(), Refusal> {
        if !self.app.manifest.events.contains(event) || self.app.suspended_at.is_some() {
            return Ok(());
        }
        let Some(url) = self.hooks.url.clone() else {
            return Ok(());
        };
        let body = payload(self, self.repo(repo)?, action, sender, about).to_string();
        let guid = uuid::Uuid::new_v4().to_string();
        self.queue_delivery(Delivery {
            id: 0,
            headers: Vec::new(),
            guid,
            event: event.to_string(),
            action: action.map(str::to_string),
            repository_id: Some(repo),
            delivered_at: 0,
            redelivery: false,
            url,
            body,
            result: None,
        });
        Ok(())
    }

    /// Queues the webhook of something that happened to the installation itself; every App gets
    /// it.
    pub fn emit_installation(&mut self, action: &str, sender: &str) {
        let body = json!({
            "action": action,
            "installation": shapes::installation(self),
            "sender": shapes::account(self, sender)
        });
        self.emit_plain("installation", Some(action), &body);
    }

    /// Queues the webhook by which GitHub tries an address that is new to it.
    pub fn emit_ping(&mut self) {
        let app = &self.app;
        let body = json!({
            "zen": "Design for failure.",
            "hook_id": 1,
            "hook": {
                "type": "App",
                "id": 1,
                "name": "web",
                "active": true,
                "app_id": app.id,
                "events": app.manifest.events,
                "config": {
                    "content_type": "json",
                    "insecure_ssl": "0",
                    "secret": "********",
                    "url": self.hooks.url
                },
                "created_at": rfc3339(app.created_at),
                "updated_at": rfc3339(app.created_at),
                "deliveries_url": format!("{}/app/hook/deliveries", self.base)
            }
        });
        self.emit_plain("ping", None, &body);
    }

    fn emit_plain(&mut self, event: &str, action: Option<&str>, body: &Value) {
        let Some(url) = self.hooks.url.clone() else {
            return;
        };
        self.queue_delivery(Delivery {
            id: 0,
            headers: Vec::new(),
            guid: uuid::Uuid::new_v4().to_string(),
            event: event.to_string(),
            action: action.map(str::to_string),
            repository_id: None,
            delivered_at: 0,
            redelivery: false,
            url,
            body: body.to_string(),
            result: None,
        });
    }

    /// Sends a delivery of the log again, to the present URL; the new one's id.
    pub fn redeliver(&mut self, id: u64) -> Result<u64, Refusal> {
        let old = self.hooks.log.iter().find(|d| d.id == id);
        let mut again = old.ok_or_else(Refusal::not_found)?.clone();
        if let Some(url) = &self.hooks.url {
            again.url = url.clone();
        }
        again.redelivery = true;
        again.result = None;
        Ok(self.queue_delivery(again))
    }

    fn queue_delivery(&mut self, mut delivery: Delivery) -> u64 {
        delivery.id = self.fresh();
        delivery.delivered_at = self.now();
        delivery.headers = headers(&delivery, self.app.id, &self.hooks.secret);
        let id = delivery.id;
        self.hooks.log.push(delivery);
        // The sender is gone only when the simulator is shutting down.
        let _ = self.hooks.queue.send(id);
        id
    }
}

fn payload(world: &World, repo: &Repo, action: Option<&str>, sender: &str, about: Value) -> Value {
    let mut json = Map::new();
    if let Some(action) = action {
        json.insert("action".into(), json!(action));
    }
    if let Value::Object(about) = about {
        json.extend(about);
    }
    json.insert("repository".into(), shapes::repo(world, repo));
    let owner = world.account(&repo.owner);
    if let Some(owner) = owner.filter(|a| a.kind == AccountKind::Organization) {
        json.insert(
            "organization".into(),
            json!({
                "login": owner.login,
                "id": owner.id,
                "node_id": shapes::node_id("O", owner.id),
                "url": format!("{}/orgs/{}", world.base, owner.login),
                "repos_url": format!("{}/orgs/{}/repos", world.base, owner.login),
                "events_url": format!("{}/orgs/{}/events", world.base, owner.login),
                "hooks_url": format!("{}/orgs/{}/hooks", world.base, owner.login),
                "issues_url": format!("{}/orgs/{}/issues", world.base, owner.login),
                "members_url": format!("{}/orgs/{}/members{{/member}}", world.base, owner.login),
                "public_members_url":
                    format!("{}/orgs/{}/public_members{{/member}}", world.base, owner.login),
                "avatar_url": format!("{}/avatars/{}", world.base, owner.id),
                "description": null
            }),
        );
    }
    json.insert("sender".into(), shapes::account(world, sender));
    json.insert(
        "installation".into(),
        json!({
            "id": world.app.installation,
            "node_id": shapes::node_id("IN", world.app.installation)
        }),
    );
    Value::Object(json)
}

fn headers(delivery: &Delivery, app: u64, secret: &str) -> Vec<(String, String)> {
    [
        ("Accept", "*/*".to_string()),
        ("Content-Type", "application/json".into()),
        ("User-Agent", "GitHub-Hookshot/5a1ed00".into()),
        ("X-GitHub-Delivery", delivery.guid.clone()),
        ("X-GitHub-Event", delivery.event.clone()),
        ("X-GitHub-Hook-ID", "1".into()),
        ("X-GitHub-Hook-Installation-Target-ID", app.to_string()),
        (
            "X-GitHub-Hook-Installation-Target-Type",
            "integration".into(),
        ),
        (
            "X-Hub-Signature-256",
            sign(secret, delivery.body.as_bytes()),
        ),
    ]
    .map(|(name, value)| (name.to_string(), value))
    .to_vec()
}

/// The value of `X-Hub-Signature-256`
/// (<https://docs.github.com/en/webhooks/using-webhooks/validating-webhook-deliveries>).
pub(super) fn sign(secret: &str, body: &[u8]) -> String {
    // HMAC takes a key of any length.
    match Hmac::<Sha256>::new_from_slice(secret.as_bytes()) {
        Ok(mut mac) => {
            mac.update(body);
            format!("sha256={}", hex::encode(mac.finalize().into_bytes()))
        }
        Err(_) => String::new(),
    }
}

/// A delivery as `/app/hook/deliveries` shows it; `whole` adds the request and the response.
pub(super) fn shape(world: &World, delivery: &Delivery, whole: bool) -> Value {
    let result = delivery.result.as_ref();
    let object = |pairs: &[(String, String)]| -> Value {
        pairs
            .iter()
            .map(|(k, v)| (k.clone(), json!(v)))
            .collect::<Map<_, _>>()
            .into()
    };
    let mut json = json!({
        "id": delivery.id,
        "guid": delivery.guid,
        "delivered_at": rfc3339(delivery.delivered_at),
        "redelivery": delivery.redelivery,
        "duration": result.map_or(0.0, |r| r.seconds),
        "status": result.map_or("pending", |r| r.status.as_str()),
        "status_code": result.map_or(0, |r| r.status_code),
        "event": delivery.event,
        "action": delivery.action,
        "installation_id": world.app.installation,
        "repository_id": delivery.repository_id,
        "throttled_at": null
    });
    if whole {
        json["url"] = json!(delivery.url);
        json["request"] = json!({
            "headers": object(&delivery.headers),
            "payload": serde_json::from_str::<Value>(&delivery.body).unwrap_or_default()
        });
        json["response"] = json!({
            "headers": result.map(|r| object(&r.headers)),
            "payload": result.map(|r| r.body.clone())
        });
    }
    json
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_signature_is_the_one_of_githubs_documentation() {
        assert_eq!(
            sign("It's a Secret to Everybody", b"Hello, World!"),
            "sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17"
        );
    }
}
