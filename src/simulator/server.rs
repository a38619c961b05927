//! HTTP: every request passes the faults and the log, then goes to REST, git or a page.

use super::answer::{Answer, Call, Refusal, respond, set};
use super::caller::{Caller, Credential, secret};
use super::faults::{Effect, Faults, LoggedRequest};
use super::git::GitBackend;
use super::rest::{Endpoint, GLOBAL, IN_REPO};
use super::state::World;
use super::watch::{Exchange, Watch};
use super::wire::Scissors;
use super::{git_http, oauth, pages};
use axum::Router;
use axum::body::{Body, to_bytes};
use axum::extract::{ConnectInfo, Extension, Query, RawPathParams, Request, State};
use axum::http::{self, HeaderName, HeaderValue, Method, Response, StatusCode};
use axum::middleware::{self, Next};
use axum::routing::{MethodFilter, MethodRouter, on};
use serde_json::Value;
use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

/// The largest body of a REST request, in bytes.
const BODY_LIMIT: usize = 10 << 20;

pub(super) struct Host {
    world: Mutex<World>,
    faults: Mutex<Faults>,
    log: Mutex<Vec<LoggedRequest>>,
    pub git: GitBackend,
    pub folder: PathBuf,
    /// One push at a time, so that what moved is known to be of that push.
    pub pushing: tokio::sync::Mutex<()>,
    pub closing: CancellationToken,
    watch: Option<Watch>,
    /// Requests that go on when their client is gone.
    pub running: TaskTracker,
}

/// A lock that survives a panic elsewhere: the state is plain data.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Host {
    pub fn new(world: World, git: GitBackend, watch: Option<Watch>) -> Host {
        Host {
            folder: world.folder.clone(),
            world: Mutex::new(world),
            faults: Mutex::default(),
            log: Mutex::default(),
            git,
            watch,
            pushing: tokio::sync::Mutex::default(),
            closing: CancellationToken::new(),
            running: TaskTracker::new(),
        }
    }

    pub fn world(&self) -> MutexGuard<'_, World> {
        lock(&self.world)
    }

    pub fn faults(&self) -> MutexGuard<'_, Faults> {
        lock(&self.faults)
    }

    pub fn log(&self) -> MutexGuard<'_, Vec<LoggedRequest>> {
        lock(&self.log)
    }

    /// Runs `work` on the state in a thread that may block: git is in it.
    pub async fn with<T: Send + 'static>(
        self: &Arc<Host>,
        work: impl FnOnce(&mut World) -> Result<T, Refusal> + Send + 'static,
    ) -> Result<T, Refusal> {
        let host = self.clone();
        tokio::task::spawn_blocking(move || work(&mut host.world()))
            .await
            .unwrap_or_else(|error| Err(Refusal::new(500, &format!("simulator: {error}"))))
    }
}

/// Who sent the request, found out once for the log and for what performs it.
#[derive(Clone)]
pub(super) struct Identity {
    pub secret: Option<String>,
    pub caller: Result<Caller, Refusal>,
}

pub(super) fn router(host: Arc<Host>) -> Router {
    let mut router = Router::new();
    // At its root as github.com's API is, and beneath a path as on a GitHub Enterprise Server.
    for api in ["", "/api/v3"] {
        for (method, path, endpoint) in GLOBAL {
            router = router.route(&format!("{api}{path}"), rest(method, *endpoint));
        }
        for (method, path, endpoint) in IN_REPO {
            for prefix in ["/repos/{owner}/{repo}", "/repositories/{repo_id}"] {
                router = router.route(&format!("{api}{prefix}{path}"), rest(method, *endpoint));
            }
        }
    }
    router
        .merge(git_http::routes())
        .merge(oauth::routes())
        .merge(pages::routes())
        .fallback(unknown)
        .layer(middleware::from_fn_with_state(host.clone(), outermost))
        .with_state(host)
}

fn rest(method: &str, endpoint: Endpoint) -> MethodRouter<Arc<Host>> {
    let filter = match method {
        "POST" => MethodFilter::POST,
        "PUT" => MethodFilter::PUT,
        "PATCH" => MethodFilter::PATCH,
        "DELETE" => MethodFilter::DELETE,
        _ => MethodFilter::GET,
    };
    on(
        filter,
        move |State(host): State<Arc<Host>>,
              params: RawPathParams,
              Extension(identity): Extension<Identity>,
              request: Request| async move {
            let path = params
                .iter()
                .map(|(k, v)| (k.to_string(), v.to_string()))
                .collect();
            perform(host, endpoint, path, identity, request).await
        },
    )
}

/// What this GitHub does not have.
async fn unknown(State(host): State<Arc<Host>>, request: Request) -> Response<Body> {
    let refusal = Err(Refusal::not_found());
    if let Some(watch) = &host.watch {
        watch(&exchange(&request, Value::Null, &refusal));
    }
    respond(refusal)
}

fn exchange<B>(
    request: &http::Request<B>,
    body: Value,
    answer: &Result<Answer, Refusal>,
) -> Exchange {
    let (status, answer) = match answer {
        Ok(answer) => (answer.status, answer.body.clone()),
        Err(refusal) => (refusal.status, Some(refusal.body())),
    };
    Exchange {
        method: request.method().to_string(),
        path: request.uri().path().to_string(),
        query: request.uri().query().unwrap_or_default().to_string(),
        body,
        status,
        answer,
    }
}

async fn perform(
    host: Arc<Host>,
    endpoint: Endpoint,
    path: HashMap<String, String>,
    identity: Identity,
    request: Request,
) -> Response<Body> {
    let (parts, body) = request.into_parts();
    let uri = parts.uri.clone();
    let query = Query::<HashMap<String, String>>::try_from_uri(&uri);
    let query = query.map(|Query(q)| q).unwrap_or_default();
    let body = match to_bytes(body, BODY_LIMIT).await {
        Ok(bytes) if bytes.is_empty() => Value::Null,
        Ok(bytes) => match serde_json::from_slice(&bytes) {
            Ok(json) => json,
            Err(_) => return respond(Err(Refusal::new(400, "Problems parsing JSON"))),
        },
        Err(_) => return respond(Err(Refusal::new(413, "Payload Too Large"))),
    };
    let watch = host.watch.clone().map(|watch| (watch, body.clone()));
    let key = identity.secret.clone().unwrap_or_default();
    let work = host.with(move |world| {
        let limits = world.spend(&key, uri.path() == "/rate_limit");
        let answer = identity.caller.and_then(|caller| {
            if limits.exhausted {
                let who = world.app.installation;
                let message = format!("API rate limit exceeded for installation ID {who}.");
                return Err(Refusal::new(403, &message));
            }
            let call = Call {
                caller,
                secret: identity.secret,
                uri: format!("{}{}", world.base, uri.path()),
                path,
                query,
                body,
            };
            endpoint(world, &call)
        });
        Ok((answer, limits))
    });
    match work.await {
        Err(refusal) => respond(Err(refusal)),
        Ok((answer, limits)) => {
            if let Some((watch, body)) = watch {
                let request = http::Request::from_parts(parts, ());
                watch(&exchange(&request, body, &answer));
            }
            let mut response = respond(answer);
            let headers = response.headers_mut();
            set(headers, "x-ratelimit-limit", &limits.limit.to_string());
            set(
                headers,
                "x-ratelimit-remaining",
                &limits.remaining.to_string(),
            );
            set(headers, "x-ratelimit-used", &limits.used.to_string());
            set(headers, "x-ratelimit-reset", &limits.reset.to_string());
            set(headers, "x-ratelimit-resource", "core");
            set(headers, "x-github-api-version-selected", "2022-11-28");
            response
        }
    }
}

/// Where a caller stands in its hour.
struct Limits {
    limit: u64,
    used: u64,
    remaining: u64,
    reset: i64,
    exhausted: bool,
}

impl World {
    /// Counts a request of the caller with this secret.
    fn spend(&mut self, key: &str, free: bool) -> Limits {
        let (now, limit) = (self.now(), self.rate_limit);
        let (since, used) = self.used.entry(key.to_string()).or_insert((now, 0));
        if now - *since >= 3600 {
            (*since, *used) = (now, 0);
        }
        let exhausted = !free && *used >= limit;
        if !free && !exhausted {
            *used += 1;
        }
        Limits {
            limit,
            used: *used,
            remaining: limit - (*used).min(limit),
            reset: *since + 3600,
            exhausted,
        }
    }
}

async fn outermost(
    State(host): State<Arc<Host>>,
    ConnectInfo(scissors): ConnectInfo<Scissors>,
    mut request: Request,
    next: Next,
) -> Response<Body> {
    let secret = secret(request.headers());
    let caller = host.world().identify(secret.as_deref());
    let credential = caller
        .as_ref()
        .map_or(Credential::Refused, Caller::credential);
    let (method, uri) = (request.method().clone(), request.uri().clone());
    request.extensions_mut().insert(Identity { secret, caller });
    let effect = host.faults().hit(method.as_str(), uri.path());
    let performed = !matches!(effect, Some(Effect::Answer { .. } | Effect::Cut));
    if let Some(Effect::Delay(time)) = effect {
        tokio::select! {
            () = tokio::time::sleep(time) => {}
            () = host.closing.cancelled() => {}
        }
    }
    let mut response = match performed {
        true => next.run(request).await,
        false => Response::new(Body::empty()),
    };
    let mut cut = false;
    match effect {
        Some(
            Effect::Answer {
                status,
                headers,
                body,
            }
            | Effect::AnswerAfter {
                status,
                headers,
                body,
            },
        ) => response = instead(status, &headers, body),
        Some(Effect::Cut | Effect::CutAfter) => {
            scissors.cut();
            cut = true;
        }
        Some(Effect::Delay(_)) | None => {}
    }
    let id = uuid::Uuid::new_v4().simple().to_string().to_uppercase();
    set(response.headers_mut(), "x-github-request-id", &id);
    set(response.headers_mut(), "server", "github.com");
    // By this GitHub's own clock: clients measure their skew with it.
    let now = host.world().clock.now();
    set(
        response.headers_mut(),
        "date",
        &httpdate::fmt_http_date(now),
    );
    host.log().push(LoggedRequest {
        method: method.to_string(),
        path: uri.path().to_string(),
        query: uri.query().unwrap_or_default().to_string(),
        credential,
        status: (!cut).then(|| response.status().as_u16()),
        performed,
    });
    response
}

fn instead(status: u16, headers: &[(String, String)], body: String) -> Response<Body> {
    let mut response = Response::new(Body::from(body));
    *response.status_mut() = StatusCode::from_u16(status).unwrap_or(StatusCode::BAD_GATEWAY);
    for (name, value) in headers {
        if let (Ok(name), Ok(value)) = (name.parse::<HeaderName>(), HeaderValue::from_str(value)) {
            response.headers_mut().append(name, value);
        }
    }
    response
}

/// A plain answer of the parts that are not REST.
pub(super) fn text(status: StatusCode, body: &str) -> Response<Body> {
    let mut response = respond(Ok(Answer::plain(
        "text/plain; charset=utf-8",
        body.to_string(),
    )));
    *response.status_mut() = status;
    response
}

/// Whether a method changes nothing.
pub(super) fn is_read(method: &Method) -> bool {
    method == Method::GET || method == Method::HEAD
}
