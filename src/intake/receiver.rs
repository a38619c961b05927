//! `POST /webhook`: bounded, verified, stored, answered. No call goes out from here.

use super::body::{self, Unread, Whole};
use crate::config::GithubSettings;
use crate::github::signature;
use crate::store::{Added, Incoming, Store};
use axum::Router;
use axum::body::Body;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use serde::Deserialize;
use serde_json::json;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::sync::Semaphore;

/// GitHub gives up after ten seconds; a body on a good line takes far less.
const BODY_TIME: Duration = Duration::from_secs(5);
/// A commit takes milliseconds; when it takes this long, GitHub shall hear that it was not stored.
const STORE_TIME: Duration = Duration::from_secs(4);
/// KiB that the bodies of all requests may take together.
const MEMORY_KIB: usize = 48 * 1024;

/// The events that admission reads; every other is answered and forgotten.
pub(super) const EVENTS: [&str; 10] = [
    "check_run",
    "check_suite",
    "installation",
    "installation_repositories",
    "issue_comment",
    "issues",
    "pull_request",
    "pull_request_review",
    "pull_request_review_comment",
    "repository",
];

/// What the receiver needs; clones share it.
#[derive(Clone)]
pub struct Receiver {
    store: Store,
    github: Arc<GithubSettings>,
    limit: usize,
    memory: Arc<Semaphore>,
}

impl Receiver {
    /// `limit` is the largest body, in bytes.
    pub fn new(store: Store, github: Arc<GithubSettings>, limit: usize) -> Receiver {
        // Whatever the limit, one body of that size must fit.
        let memory = MEMORY_KIB.max(2 * limit.div_ceil(1024));
        Receiver {
            store,
            github,
            limit,
            memory: Arc::new(Semaphore::new(memory)),
        }
    }
}

/// `POST /webhook` and `GET /healthz`.
pub fn router(receiver: Receiver) -> Router {
    Router::new()
        .route("/webhook", post(webhook))
        .route("/healthz", get(health))
        .with_state(receiver)
}

/// An answer that is not 2xx.
struct Refused(StatusCode, &'static str);

impl IntoResponse for Refused {
    fn into_response(self) -> Response {
        let body = axum::Json(json!({ "error": self.1 }));
        let mut response = (self.0, body).into_response();
        if self.0 == StatusCode::SERVICE_UNAVAILABLE {
            let seconds = header::HeaderValue::from_static("10");
            response.headers_mut().insert(header::RETRY_AFTER, seconds);
        }
        response
    }
}

async fn webhook(State(receiver): State<Receiver>, headers: HeaderMap, body: Body) -> Response {
    let start = Instant::now();
    let answer = receive(&receiver, &headers, body).await;
    let duration_ms = start.elapsed().as_millis() as u64;
    match answer {
        Ok((incoming, result)) => {
            let (guid, event) = (incoming.guid, incoming.event);
            tracing::info!(%guid, %event, result, duration_ms, "delivery");
            let body = axum::Json(json!({ "delivery": guid, "result": result }));
            (StatusCode::ACCEPTED, body).into_response()
        }
        Err(refused) => {
            let (status, why) = (refused.0.as_u16(), refused.1);
            tracing::warn!(status, why, duration_ms, "delivery refused");
            refused.into_response()
        }
    }
}

async fn receive(
    receiver: &Receiver,
    headers: &HeaderMap,
    body: Body,
) -> Result<(Incoming, &'static str), Refused> {
    let bytes = verified(receiver, headers, body).await?;
    let mut incoming = incoming(headers)?;
    if !EVENTS.contains(&incoming.event.as_str()) {
        return Ok((incoming, "ignored"));
    }
    incoming.lane = lane(&bytes.bytes);
    incoming.payload = bytes.bytes.clone();
    let stored = tokio::time::timeout(STORE_TIME, receiver.store.add_delivery(incoming.clone()));
    match stored.await {
        Ok(Ok(Added::New)) => Ok((incoming, "stored")),
        Ok(Ok(Added::Duplicate)) => Ok((incoming, "duplicate")),
        Ok(Err(error)) => {
            tracing::error!(%error, "a delivery could not be stored");
            Err(not_stored())
        }
        Err(_) => Err(not_stored()),
    }
}

fn not_stored() -> Refused {
    Refused(
        StatusCode::SERVICE_UNAVAILABLE,
        "the delivery could not be stored; deliver it again",
    )
}

/// The body, when its signature is right. Nothing of it was parsed before.
async fn verified(receiver: &Receiver, headers: &HeaderMap, body: Body) -> Result<Whole, Refused> {
    let too_large = Refused(StatusCode::PAYLOAD_TOO_LARGE, "the body is too large");
    let announced = header_text(headers, "content-length").and_then(|n| n.parse::<usize>().ok());
    if announced.is_some_and(|n| n > receiver.limit) {
        body::discard(body).await;
        return Err(too_large);
    }
    let unsigned = Refused(
        StatusCode::UNAUTHORIZED,
        "the signature in X-Hub-Signature-256 is missing or wrong",
    );
    let Some(given) = header_text(headers, "x-hub-signature-256") else {
        body::discard(body).await;
        return Err(unsigned);
    };
    let whole = body::read(body, receiver.limit, BODY_TIME, &receiver.memory)
        .await
        .map_err(|why| match why {
            Unread::TooLarge => too_large,
            Unread::TooSlow => Refused(StatusCode::REQUEST_TIMEOUT, "the body came too slowly"),
            Unread::Crowded => Refused(
                StatusCode::SERVICE_UNAVAILABLE,
                "too many bodies at once; deliver it again",
            ),
            Unread::Broken => Refused(StatusCode::BAD_REQUEST, "the body broke off"),
        })?;
    let secrets = receiver
        .github
        .webhook_secrets(receiver.store.clock().unix());
    match signature::verify(&secrets, Some(given), &whole.bytes) {
        true => Ok(whole),
        false => Err(unsigned),
    }
}

/// A header's value, when there is exactly one and it is plain text.
fn header_text<'a>(headers: &'a HeaderMap, name: &str) -> Option<&'a str> {
    let mut all = headers.get_all(name).iter();
    let first = all.next()?.to_str().ok()?;
    all.next().is_none().then_some(first)
}

fn incoming(headers: &HeaderMap) -> Result<Incoming, Refused> {
    let bad = |why| Refused(StatusCode::BAD_REQUEST, why);
    let word = |name: &str, fits: fn(u8) -> bool| {
        header_text(headers, name)
            .filter(|v| (1..=64).contains(&v.len()) && v.bytes().all(fits))
            .map(String::from)
    };
    let event = word("x-github-event", |b| b.is_ascii_lowercase() || b == b'_')
        .ok_or(bad("X-GitHub-Event is missing or no event's name"))?;
    let guid = word("x-github-delivery", |b| {
        b.is_ascii_alphanumeric() || b == b'-'
    })
    .ok_or(bad("X-GitHub-Delivery is missing or no delivery's id"))?;
    let kind = header_text(headers, "content-type").unwrap_or_default();
    let kind = kind.split(';').next().unwrap_or_default().trim();
    if !kind.eq_ignore_ascii_case("application/json") {
        return Err(bad(
            "the content type must be application/json: change it in the webhook's settings",
        ));
    }
    if headers.contains_key("content-encoding") {
        return Err(bad("a content encoding is not accepted"));
    }
    Ok(Incoming {
        guid,
        event,
        lane: None,
        payload: bytes::Bytes::new(),
    })
}

#[derive(Deserialize)]
struct Numbered {
    number: u64,
}

#[derive(Deserialize)]
struct Identified {
    id: u64,
}

#[derive(Deserialize)]
struct Place {
    repository: Option<Identified>,
    issue: Option<Numbered>,
    pull_request: Option<Numbered>,
}

/// Repository and issue (or pull request), so that what happens to one is admitted in order. A
/// payload that does not say has no lane; admission will say what is wrong with it.
pub(super) fn lane(payload: &[u8]) -> Option<String> {
    let place: Place = serde_json::from_slice(payload).ok()?;
    let number = place.issue.or(place.pull_request)?.number;
    Some(format!("{}:{number}", place.repository?.id))
}

/// 200 while the database answers.
async fn health(State(receiver): State<Receiver>) -> Response {
    match tokio::time::timeout(STORE_TIME, receiver.store.ping()).await {
        Ok(Ok(())) => (StatusCode::OK, "ok\n").into_response(),
        _ => (
            StatusCode::SERVICE_UNAVAILABLE,
            "the database is out of reach\n",
        )
            .into_response(),
    }
}
