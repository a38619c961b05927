//! An endpoint that answers by script, byte for byte.

use axum::body::{Body, Bytes};
use axum::extract::State;
use axum::http::{HeaderMap, Method, StatusCode, Uri};
use axum::response::Response;
use axum::serve::ListenerExt;
use std::collections::VecDeque;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

/// How a body ends.
#[derive(Clone, Copy, PartialEq)]
pub enum End {
    /// As HTTP wants it.
    Clean,
    /// The connection breaks.
    Broken,
    /// Nothing comes any more and the connection stays.
    Silent,
}

#[derive(Clone)]
pub struct Answer {
    pub status: u16,
    pub headers: Vec<(&'static str, String)>,
    pub chunks: Vec<Bytes>,
    pub pause: Duration,
    pub end: End,
}

impl Answer {
    pub fn new(status: u16, kind: &str, body: impl Into<Bytes>) -> Self {
        Answer {
            status,
            headers: vec![("content-type", kind.to_string())],
            chunks: vec![body.into()],
            pause: Duration::ZERO,
            end: End::Clean,
        }
    }

    pub fn json(status: u16, body: impl Into<Bytes>) -> Self {
        Self::new(status, "application/json", body)
    }

    pub fn sse(body: impl Into<Bytes>) -> Self {
        Self::new(200, "text/event-stream; charset=utf-8", body)
    }

    pub fn header(mut self, name: &'static str, value: impl ToString) -> Self {
        self.headers.push((name, value.to_string()));
        self
    }

    pub fn end(mut self, end: End) -> Self {
        self.end = end;
        self
    }

    /// Splits the body into pieces of `size` bytes with a pause before each.
    pub fn drip(mut self, size: usize, pause: Duration) -> Self {
        let whole: Vec<u8> = self.chunks.concat();
        self.chunks = whole.chunks(size).map(Bytes::copy_from_slice).collect();
        self.pause = pause;
        self
    }
}

/// A request that came in.
pub struct Seen {
    pub at: Instant,
    pub path: String,
    pub headers: HeaderMap,
    pub body: Bytes,
}

type Answering = dyn Fn(&[u8]) -> Answer + Send + Sync;

#[derive(Clone, Default)]
struct Script {
    answers: Arc<Mutex<VecDeque<Answer>>>,
    /// What follows the script: an answer to the body of the request.
    after: Option<Arc<Answering>>,
    seen: Arc<Mutex<Vec<Seen>>>,
}

pub struct Stub {
    pub base: String,
    script: Script,
    server: tokio::task::JoinHandle<()>,
}

impl Stub {
    pub async fn start(answers: Vec<Answer>) -> Stub {
        Stub::of(Script {
            answers: Arc::new(Mutex::new(answers.into())),
            ..Script::default()
        })
        .await
    }

    /// Answers every request by what it asks.
    pub async fn answering(answer: impl Fn(&[u8]) -> Answer + Send + Sync + 'static) -> Stub {
        Stub::of(Script {
            after: Some(Arc::new(answer)),
            ..Script::default()
        })
        .await
    }

    async fn of(script: Script) -> Stub {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let base = format!("http://{}", listener.local_addr().unwrap());
        let listener = listener.tap_io(|io| io.set_nodelay(true).unwrap());
        let router = axum::Router::new()
            .fallback(respond)
            .with_state(script.clone());
        let server = tokio::spawn(async move { axum::serve(listener, router).await.unwrap() });
        Stub {
            base,
            script,
            server,
        }
    }

    pub fn seen(&self) -> std::sync::MutexGuard<'_, Vec<Seen>> {
        self.script.seen.lock().unwrap()
    }

    pub fn then(&self, answer: Answer) {
        self.script.answers.lock().unwrap().push_back(answer);
    }

    pub fn bodies(&self) -> Vec<serde_json::Value> {
        let seen = self.seen();
        seen.iter()
            .map(|s| serde_json::from_slice(&s.body).unwrap())
            .collect()
    }
}

impl Drop for Stub {
    fn drop(&mut self) {
        self.server.abort();
    }
}

async fn respond(
    State(script): State<Script>,
    method: Method,
    uri: Uri,
    headers: HeaderMap,
    body: Bytes,
) -> Response {
    assert_eq!(method, Method::POST);
    script.seen.lock().unwrap().push(Seen {
        at: Instant::now(),
        path: uri.to_string(),
        headers,
        body: body.clone(),
    });
    let answer = script.answers.lock().unwrap().pop_front();
    let answer = answer
        .or_else(|| script.after.as_ref().map(|after| after(&body)))
        .unwrap_or_else(|| Answer::json(418, r#"{"error":{"message":"the script is over"}}"#));
    let mut response = Response::builder().status(StatusCode::from_u16(answer.status).unwrap());
    for (name, value) in &answer.headers {
        response = response.header(*name, value);
    }
    let (sender, receiver) = tokio::sync::mpsc::channel::<Result<Bytes, std::io::Error>>(4);
    tokio::spawn(async move {
        for chunk in answer.chunks {
            if !answer.pause.is_zero() {
                tokio::time::sleep(answer.pause).await;
            }
            if sender.send(Ok(chunk)).await.is_err() {
                return;
            }
        }
        match answer.end {
            End::Clean => {}
            End::Broken => {
                let _ = sender.send(Err(std::io::Error::other("cut"))).await;
            }
            End::Silent => sender.closed().await,
        }
    });
    let stream = futures::stream::unfold(receiver, |mut r| async move {
        r.recv().await.map(|item| (item, r))
    });
    response.body(Body::from_stream(stream)).unwrap()
}
