//! A stand-in for GitHub's API: it records every request, mints tokens, and lets each test say
//! what else is answered.

use crate::contract::description::GITHUB;
use axum::Router;
use axum::extract::{Request, State};
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Response};
use mend::domain::{Clock, RepoRef};
use mend::github::{Github, GithubSettings, Session};
use mend::simulator::Exchange;
use serde_json::{Value, json};
use std::sync::{Arc, LazyLock, Mutex};
use std::time::{Duration, SystemTime};

/// One RSA key for all tests: making one takes a while.
pub static KEY: LazyLock<(String, String, Vec<u8>)> = LazyLock::new(make_key);

/// PKCS#8 and PKCS#1 in PEM, and the public key in DER.
fn make_key() -> (String, String, Vec<u8>) {
    use aws_lc_rs::encoding::AsDer;
    use aws_lc_rs::rsa::{KeyPair, KeySize};
    use aws_lc_rs::signature::KeyPair as _;
    let pair = KeyPair::generate(KeySize::Rsa2048).unwrap();
    let der: aws_lc_rs::encoding::Pkcs8V1Der<'_> = pair.as_der().unwrap();
    // PKCS#8 of a 2048-bit RSA key wraps PKCS#1 in 26 bytes of header.
    let pkcs1 = pem("RSA PRIVATE KEY", &der.as_ref()[26..]);
    (
        pem("PRIVATE KEY", der.as_ref()),
        pkcs1,
        pair.public_key().as_ref().to_vec(),
    )
}

fn pem(name: &str, der: &[u8]) -> String {
    use base64::Engine;
    let text = base64::engine::general_purpose::STANDARD.encode(der);
    let lines: Vec<&str> = text
        .as_bytes()
        .chunks(64)
        .map(|c| std::str::from_utf8(c).unwrap())
        .collect();
    format!(
        "-----BEGIN {name}-----\n{}\n-----END {name}-----\n",
        lines.join("\n")
    )
}

#[derive(Debug, Clone)]
pub struct Seen {
    pub method: String,
    /// With its query.
    pub path: String,
    pub headers: HeaderMap,
    pub body: Value,
}

impl Seen {
    pub fn bearer(&self) -> String {
        let value = self.headers.get(header::AUTHORIZATION).unwrap();
        value
            .to_str()
            .unwrap()
            .strip_prefix("Bearer ")
            .unwrap()
            .to_string()
    }

    pub fn line(&self) -> String {
        format!("{} {}", self.method, self.path)
    }
}

type Answer = dyn Fn(&Seen, usize) -> Response + Send + Sync;

pub struct Stub {
    pub base: String,
    seen: Mutex<Vec<Seen>>,
    /// Requests that GitHub does not describe so.
    wrong: Mutex<Vec<String>>,
    answer: Box<Answer>,
    /// Seconds since the Unix epoch at which minted tokens expire.
    pub expires: Mutex<String>,
}

impl Stub {
    /// `answer` gets the request and how many with the same method and path came before.
    pub async fn new(
        answer: impl Fn(&Seen, usize) -> Response + Send + Sync + 'static,
    ) -> Arc<Stub> {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let stub = Arc::new(Stub {
            base: format!("http://{}", listener.local_addr().unwrap()),
            seen: Mutex::default(),
            wrong: Mutex::default(),
            answer: Box::new(answer),
            expires: Mutex::new("2099-01-01T00:00:00Z".into()),
        });
        let app = Router::new().fallback(handle).with_state(stub.clone());
        tokio::spawn(async move { axum::serve(listener, app).await });
        stub
    }

    /// What was asked, tokens apart.
    pub fn seen(&self) -> Vec<Seen> {
        let wrong = self.wrong.lock().unwrap();
        assert!(wrong.is_empty(), "not GitHub's contract: {wrong:#?}");
        let seen = self.seen.lock().unwrap();
        seen.iter()
            .filter(|s| !s.path.ends_with("/access_tokens"))
            .cloned()
            .collect()
    }

    pub fn mints(&self) -> Vec<Seen> {
        let seen = self.seen.lock().unwrap();
        seen.iter()
            .filter(|s| s.path.ends_with("/access_tokens"))
            .cloned()
            .collect()
    }

    pub fn github(&self) -> Github {
        self.github_at(&self.base)
    }

    pub fn github_at(&self, api: &str) -> Github {
        Github::new(&settings(api), Arc::new(Now)).unwrap()
    }

    pub fn session(&self) -> Session {
        self.github().session(&repo())
    }
}

pub fn settings(api: &str) -> GithubSettings {
    let mut settings = GithubSettings::new(api, 42, KEY.1.clone().into());
    settings.first_wait = Duration::from_millis(10);
    settings.time = Duration::from_secs(2);
    settings
}

pub fn repo() -> RepoRef {
    RepoRef {
        id: 7,
        name: "acme/app".parse().unwrap(),
        installation_id: 99,
    }
}

pub struct Now;

impl Clock for Now {
    fn now(&self) -> SystemTime {
        SystemTime::now()
    }
}

pub fn ok(value: Value) -> Response {
    axum::Json(value).into_response()
}

pub fn status(code: u16, value: Value) -> Response {
    (StatusCode::from_u16(code).unwrap(), axum::Json(value)).into_response()
}

/// A token of the form of 2026, about 520 characters with dots, different each time.
pub fn token(n: usize) -> String {
    format!(
        "ghs_42_eyJhbGciOiJSUzI1NiJ9.{}{n}.sig-_",
        "aB3x".repeat(120)
    )
}

async fn handle(State(stub): State<Arc<Stub>>, request: Request) -> Response {
    let (parts, body) = request.into_parts();
    let body = axum::body::to_bytes(body, 1 << 20).await.unwrap();
    let seen = Seen {
        method: parts.method.to_string(),
        path: parts.uri.to_string(),
        headers: parts.headers,
        body: serde_json::from_slice(&body).unwrap_or(Value::Null),
    };
    let path = seen
        .path
        .strip_prefix("http://ghes.invalid")
        .unwrap_or(&seen.path);
    let (path, query) = path.split_once('?').unwrap_or((path, ""));
    let wrong = GITHUB.request(&Exchange {
        method: seen.method.clone(),
        path: path.strip_prefix("/api/v3").unwrap_or(path).to_string(),
        query: query.to_string(),
        body: seen.body.clone(),
        status: 200,
        answer: None,
    });
    if !wrong.is_empty() {
        let line = format!("{}: {}", seen.line(), wrong.join("; "));
        stub.wrong.lock().unwrap().push(line);
    }
    let (before, minted) = {
        let mut all = stub.seen.lock().unwrap();
        let before = all.iter().filter(|s| s.line() == seen.line()).count();
        all.push(seen.clone());
        let minted = all
            .iter()
            .filter(|s| s.path.ends_with("/access_tokens"))
            .count();
        (before, minted)
    };
    let answer = (stub.answer)(&seen, before);
    let mints = seen.path.ends_with("/access_tokens");
    if mints && answer.status() == StatusCode::NOT_IMPLEMENTED {
        let expires = stub.expires.lock().unwrap().clone();
        return status(
            201,
            json!({ "token": token(minted), "expires_at": expires }),
        );
    }
    answer
}

/// "I have nothing to say about this request."
pub fn pass() -> Response {
    StatusCode::NOT_IMPLEMENTED.into_response()
}
