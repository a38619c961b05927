//! A receiver for one ping, where no server runs yet. It answers everything else with 503, so that
//! GitHub keeps it for the server to come.

use crate::github::signature;
use axum::Router;
use axum::body::Bytes;
use axum::extract::{DefaultBodyLimit, State};
use axum::http::{HeaderMap, StatusCode};
use axum::routing::post;
use secrecy::SecretString;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, PoisonError};
use tokio::net::TcpListener;
use tokio::task::JoinHandle;

/// A ping is a few kilobytes.
const BODY: usize = 256 * 1024;

/// How a delivery's signature was.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Heard {
    Right,
    Wrong,
}

struct Shared {
    secrets: Vec<SecretString>,
    /// The delivery that is waited for; no other is taken.
    guid: String,
    heard: Mutex<Option<Heard>>,
}

/// Listens until it is dropped.
pub(super) struct Ear {
    shared: Arc<Shared>,
    task: JoinHandle<()>,
}

impl Ear {
    /// # Errors
    /// When the address cannot be listened on.
    pub async fn open(
        at: SocketAddr,
        secrets: Vec<SecretString>,
        guid: &str,
    ) -> std::io::Result<Ear> {
        let listener = TcpListener::bind(at).await?;
        let shared = Arc::new(Shared {
            secrets,
            guid: guid.to_string(),
            heard: Mutex::new(None),
        });
        let router = Router::new()
            .route("/webhook", post(receive))
            .layer(DefaultBodyLimit::max(BODY))
            .with_state(shared.clone());
        let task = tokio::spawn(async move {
            if let Err(error) = axum::serve(listener, router).await {
                tracing::debug!(%error, "the doctor's receiver ended");
            }
        });
        Ok(Ear { shared, task })
    }

    pub fn heard(&self) -> Option<Heard> {
        *self
            .shared
            .heard
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Ear {
    fn drop(&mut self) {
        self.task.abort();
    }
}

async fn receive(
    State(shared): State<Arc<Shared>>,
    headers: HeaderMap,
    body: Bytes,
) -> (StatusCode, &'static str) {
    let text = |name: &str| headers.get(name).and_then(|v| v.to_str().ok());
    if text("x-github-delivery") != Some(&shared.guid) {
        return (StatusCode::SERVICE_UNAVAILABLE, "mend is not running yet\n");
    }
    let right = signature::verify(&shared.secrets, text("x-hub-signature-256"), &body);
    let heard = if right { Heard::Right } else { Heard::Wrong };
    *shared.heard.lock().unwrap_or_else(PoisonError::into_inner) = Some(heard);
    match heard {
        Heard::Right => (StatusCode::ACCEPTED, "heard\n"),
        Heard::Wrong => (StatusCode::UNAUTHORIZED, "the signature is wrong\n"),
    }
}
