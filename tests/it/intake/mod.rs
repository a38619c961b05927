//! Webhooks over real HTTP on loopback, into a real database.

mod admit;
pub mod hub;
mod receiver;
mod reordered;
mod reviews;
mod slow;
mod steer;

use crate::store::{Fresh, url};
use hmac::{Hmac, Mac};
use mend::config::{Environment, GithubSettings, Settings};
use mend::domain::{Cancel, Clock, SystemClock};
use mend::intake::{Bounds, Receiver, router, serve};
use mend::store::Store;
use sha2::Sha256;
use std::net::SocketAddr;
use std::sync::Arc;

pub const NEW: &str = "the new webhook secret";
pub const OLD: &str = "the old webhook secret";

/// Settings of a server that takes [`NEW`], and [`OLD`] until 2023-11-14T22:13:30Z, ten seconds
/// after the tests' clock begins.
pub fn settings(more: &[(&'static str, &str)]) -> GithubSettings {
    let variables = [
        ("MEND_CONFIG", "/dev/null"),
        ("MEND_GITHUB_APP_ID", "12"),
        (
            "MEND_GITHUB_PRIVATE_KEY",
            "-----BEGIN PRIVATE KEY-----\\nx\\n-----END PRIVATE KEY-----",
        ),
        ("MEND_GITHUB_WEBHOOK_SECRET", NEW),
        ("MEND_GITHUB_WEBHOOK_SECRET_OLD", OLD),
        (
            "MEND_GITHUB_WEBHOOK_SECRET_OLD_UNTIL",
            "2023-11-14T22:13:30Z",
        ),
        ("MEND_MODEL_REPLAY", "/none"),
    ];
    let all = variables.into_iter().chain(more.iter().copied());
    Settings::load(None, &Environment::of(all)).unwrap().github
}

pub fn signature(secret: &str, body: &[u8]) -> String {
    let mut mac = Hmac::<Sha256>::new_from_slice(secret.as_bytes()).unwrap();
    mac.update(body);
    format!("sha256={}", hex::encode(mac.finalize().into_bytes()))
}

/// A receiver on a port of its own.
pub struct Served {
    pub address: SocketAddr,
    pub store: Store,
    pub stop: Cancel,
    pub ended: tokio::task::JoinHandle<()>,
    http: reqwest::Client,
    _folder: tempfile::TempDir,
}

impl Served {
    pub async fn of(fresh: Fresh, limit: usize, bounds: Bounds) -> Served {
        let receiver = Receiver::new(fresh.store.clone(), Arc::new(settings(&[])), limit);
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let stop = Cancel::new();
        let ended = tokio::spawn(serve(listener, router(receiver), stop.clone(), bounds));
        Served {
            address,
            store: fresh.store,
            stop,
            ended,
            http: reqwest::Client::new(),
            _folder: fresh.folder,
        }
    }

    pub async fn new() -> Served {
        Served::of(Fresh::new().await, 100_000, Bounds::default()).await
    }

    /// A delivery as GitHub sends it, to be changed by the test.
    pub fn delivery(&self, guid: &str, body: impl Into<Vec<u8>>) -> reqwest::RequestBuilder {
        let body = body.into();
        self.http
            .post(format!("http://{}/webhook", self.address))
            .header("x-github-event", "issues")
            .header("x-github-delivery", guid)
            .header("content-type", "application/json")
            .header("x-hub-signature-256", signature(NEW, &body))
            .body(body)
    }

    pub async fn get(&self, path: &str) -> reqwest::Response {
        let address = format!("http://{}{path}", self.address);
        self.http.get(address).send().await.unwrap()
    }

    pub async fn stored(&self) -> u64 {
        let counts = self.store.count_deliveries().await.unwrap();
        counts.iter().map(|(_, n)| n).sum()
    }
}

/// A store on the machine's clock.
pub async fn store_now(folder: &std::path::Path) -> Store {
    let clock: Arc<dyn Clock> = SystemClock::shared();
    Store::open(&url(folder), clock).await.unwrap()
}
