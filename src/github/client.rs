//! One request to GitHub: built, sent, judged, and, when it only reads, sent again.

use super::error::{Detail, GithubError};
use super::figures::Figures;
use super::judge::{graphql_errors, judge, message};
use super::pauses::{Pause, Pauses};
use super::service::WireError;
use super::time;
use crate::domain::Clock;
use crate::text::clip_words;
use http::{HeaderMap, Method};
use http_body_util::BodyExt;
use octocrab::Octocrab;
use secrecy::SecretString;
use serde::de::DeserializeOwned;
use serde_json::Value;
use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

/// A wait that GitHub asks for is sat out up to this; longer ones are the caller's to plan.
const LONGEST_WAIT_S: i64 = 20;

/// How reads are tried again.
#[derive(Debug, Clone, Copy)]
pub(super) struct Again {
    pub attempts: u32,
    pub first_wait: Duration,
}

pub(super) struct Client {
    pub rest: Octocrab,
    pub graphql: Octocrab,
    pub clock: Arc<dyn Clock>,
    pub again: Again,
    /// Seconds that GitHub's clock is before ours, by its last answer.
    skew: AtomicI64,
    pub pauses: OnceLock<Arc<dyn Pauses>>,
    pub figures: Figures,
}

/// A request, before it has a credential.
#[derive(Debug, Clone)]
pub(super) struct Ask {
    method: Method,
    path: String,
    body: Option<Value>,
    graphql: bool,
    repeatable: bool,
    /// Whose limits count for it.
    installation: Option<u64>,
}

impl Ask {
    pub fn get(path: String) -> Ask {
        Ask::new(Method::GET, path, None)
    }

    pub fn post(path: String, body: Value) -> Ask {
        Ask::new(Method::POST, path, Some(body))
    }

    /// A request to do what its path says.
    pub fn act(path: String) -> Ask {
        Ask::new(Method::POST, path, None)
    }

    pub fn patch(path: String, body: Value) -> Ask {
        Ask::new(Method::PATCH, path, Some(body))
    }

    pub fn delete(path: String) -> Ask {
        Ask::new(Method::DELETE, path, None)
    }

    pub fn graphql(query: &str, variables: Value) -> Ask {
        let body = serde_json::json!({ "query": query, "variables": variables });
        Ask {
            graphql: true,
            ..Ask::new(Method::POST, "/graphql".into(), Some(body))
        }
    }

    fn new(method: Method, path: String, body: Option<Value>) -> Ask {
        Ask {
            repeatable: method == Method::GET,
            method,
            path,
            body,
            graphql: false,
            installation: None,
        }
    }

    /// Says whose limits count for it.
    pub fn of(mut self, installation: u64) -> Ask {
        self.installation = Some(installation);
        self
    }

    /// Says that doing it twice does no harm.
    pub fn repeatable(mut self) -> Ask {
        self.repeatable = true;
        self
    }

    fn detail(&self) -> Detail {
        let path = self.path.split('?').next().unwrap_or_default();
        Detail {
            request: format!("{} {path}", self.method),
            ..Detail::default()
        }
    }
}

/// A good answer.
#[derive(Debug)]
pub(super) struct Reply {
    pub headers: HeaderMap,
    body: bytes::Bytes,
    pub detail: Detail,
}

impl Reply {
    pub fn json<T: DeserializeOwned>(&self) -> Result<T, GithubError> {
        serde_json::from_slice(&self.body).map_err(|e| {
            // Category and place, never the text: the answer may hold a token.
            GithubError::Permanent(Detail {
                message: format!(
                    "{:?} at line {} column {}",
                    e.classify(),
                    e.line(),
                    e.column()
                ),
                ..self.detail.clone()
            })
        })
    }

    /// A parameter of the address that `Link` gives for `rel`.
    pub fn link(&self, rel: &str, parameter: &str) -> Option<String> {
        let links = self.headers.get(http::header::LINK)?.to_str().ok()?;
        let wanted = format!("rel=\"{rel}\"");
        let link = links.split(',').find(|l| l.contains(&wanted))?;
        let address = link.split('<').nth(1)?.split('>').next()?;
        let query = address.split_once('?')?.1;
        query.split('&').find_map(|pair| {
            let (name, value) = pair.split_once('=')?;
            (name == parameter).then(|| value.to_string())
        })
    }
}

impl Client {
    pub fn new(rest: Octocrab, graphql: Octocrab, clock: Arc<dyn Clock>, again: Again) -> Client {
        Client {
            rest,
            graphql,
            clock,
            again,
            skew: AtomicI64::new(0),
            pauses: OnceLock::new(),
            figures: Figures::default(),
        }
    }

    /// Seconds that GitHub's clock is before ours, by its last answer.
    pub fn skew_s(&self) -> i64 {
        self.skew.load(Ordering::Relaxed)
    }

    /// Seconds since the Unix epoch by GitHub's clock.
    pub fn now(&self) -> i64 {
        self.clock.unix() + self.skew.load(Ordering::Relaxed)
    }

    /// Sends; a read (or what is declared repeatable) is sent again after a failure that may pass,
    /// anything else is sent once.
    pub async fn send(&self, ask: &Ask, bearer: &SecretString) -> Result<Reply, GithubError> {
        let attempts = match ask.repeatable {
            true => self.again.attempts.max(1),
            false => 1,
        };
        let mut attempt = 1;
        loop {
            let error = match self.gated(ask, bearer).await {
                Ok(reply) => return Ok(reply),
                Err(e) => e,
            };
            let wait = match &error {
                GithubError::Transient(_) => Some(self.again.first_wait * 2u32.pow(attempt - 1)),
                GithubError::RateLimited { until, .. } => {
                    let left = until - self.clock.unix();
                    (left <= LONGEST_WAIT_S).then(|| Duration::from_secs(left.max(1) as u64))
                }
                _ => None,
            };
            match wait {
                Some(wait) if attempt < attempts => {
                    tracing::debug!(wait_ms = wait.as_millis() as u64, "a read is tried again");
                    tokio::time::sleep(jitter(wait)).await;
                }
                _ => return Err(error),
            }
            attempt += 1;
        }
    }

    /// Sends, unless GitHub asked the installation to wait; remembers when it does.
    async fn gated(&self, ask: &Ask, bearer: &SecretString) -> Result<Reply, GithubError> {
        let (Some(pauses), Some(installation)) = (self.pauses.get(), ask.installation) else {
            return self.once(ask, bearer).await;
        };
        if let Some(pause) = pauses.of(installation).await
            && pause.until > self.clock.unix()
        {
            return Err(pause.refusal(&ask.detail().request));
        }
        let done = self.once(ask, bearer).await;
        if let Err(GithubError::RateLimited {
            until, secondary, ..
        }) = &done
        {
            let (until, secondary) = (*until, *secondary);
            pauses.begin(installation, Pause { until, secondary }).await;
        }
        done
    }

    async fn once(&self, ask: &Ask, bearer: &SecretString) -> Result<Reply, GithubError> {
        let crab = if ask.graphql {
            &self.graphql
        } else {
            &self.rest
        };
        let unsendable = |_| {
            GithubError::Permanent(Detail {
                message: "the request cannot be built".into(),
                ..ask.detail()
            })
        };
        let crab = crab.user_access_token(bearer.clone()).map_err(unsendable)?;
        let request = http::Request::builder()
            .method(ask.method.clone())
            .uri(&ask.path)
            .header(http::header::ACCEPT, "application/vnd.github+json");
        let request = crab
            .build_request(request, ask.body.as_ref())
            .map_err(unsendable)?;
        let response = crab.execute(request).await.map_err(|e| {
            self.figures.count(None, &HeaderMap::new());
            no_answer(ask, &e)
        })?;
        let (parts, body) = response.into_parts();
        self.figures.count(Some(parts.status), &parts.headers);
        if let Some(skew) = skew(&parts.headers, self.clock.unix()) {
            self.skew.store(skew, Ordering::Relaxed);
        }
        let body = body
            .collect()
            .await
            .map_err(|e| no_answer(ask, &e))?
            .to_bytes();
        let mut detail = Detail {
            status: Some(parts.status.as_u16()),
            request_id: text_of(&parts.headers, "x-github-request-id")
                .map(|id| clip_words(&id, 80)),
            ..ask.detail()
        };
        if parts.status.is_success() {
            let reply = Reply {
                headers: parts.headers,
                body,
                detail,
            };
            return match ask.graphql {
                true => graphql_errors(reply, self.clock.unix()),
                false => Ok(reply),
            };
        }
        detail.message = message(&body);
        let error = judge(parts.status, &parts.headers, detail, self.clock.unix());
        self.figures.limited(&error);
        Err(error)
    }
}

/// Up to a quarter more (never less than was asked for), so that many tasks do not come back in
/// step.
fn jitter(wait: Duration) -> Duration {
    let noise = uuid::Uuid::new_v4().as_u128() as u32 % 250;
    wait * (1000 + noise) / 1000
}

fn no_answer(ask: &Ask, error: &octocrab::Error) -> GithubError {
    let wire = match error {
        octocrab::Error::Service { source, .. } => source.downcast_ref::<WireError>(),
        _ => None,
    };
    let detail = Detail {
        message: wire.map_or_else(|| "no answer came".into(), ToString::to_string),
        maybe_done: ask.method != Method::GET
            && !matches!(wire, Some(WireError::Unreachable | WireError::Unsendable)),
        ..ask.detail()
    };
    match wire {
        Some(WireError::TooLarge | WireError::Unsendable) => GithubError::Permanent(detail),
        _ => GithubError::Transient(detail),
    }
}

pub(super) fn text_of(headers: &HeaderMap, name: &str) -> Option<String> {
    Some(headers.get(name)?.to_str().ok()?.trim().to_string())
}

/// How far GitHub's clock is before ours, by the `Date` of an answer.
fn skew(headers: &HeaderMap, now: i64) -> Option<i64> {
    Some(time::from_header(&text_of(headers, "date")?)? - now)
}

/// One segment of a path, whatever characters it holds.
pub(super) fn segment(text: &str) -> String {
    use std::fmt::Write;
    text.bytes().fold(String::new(), |mut out, b| {
        match b {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'_' | b'.' | b'~' => {
                out.push(b as char);
            }
            _ => {
                let _ = write!(out, "%{b:02X}");
            }
        }
        out
    })
}
