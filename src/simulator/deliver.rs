//! The task that sends queued webhooks, one after the other, each once.

use super::hooks::Attempt;
use super::server::Host;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::sync::mpsc::UnboundedReceiver;

/// How long a receiver has, as on GitHub.
const TIME: Duration = Duration::from_secs(10);
/// How much of its answer is kept, in bytes.
const ANSWER_LIMIT: usize = 64 << 10;

/// Sends until the simulator closes.
pub(super) async fn run(
    host: Arc<Host>,
    client: reqwest::Client,
    mut queue: UnboundedReceiver<u64>,
) {
    loop {
        let id = tokio::select! {
            () = host.closing.cancelled() => return,
            id = queue.recv() => match id {
                Some(id) => id,
                None => return,
            },
        };
        let attempt = tokio::select! {
            () = host.closing.cancelled() => return,
            attempt = send(&host, &client, id) => attempt,
        };
        let mut world = host.world();
        if let Some(delivery) = world.hooks.log.iter_mut().find(|d| d.id == id) {
            delivery.result = Some(attempt);
        }
    }
}

async fn send(host: &Host, client: &reqwest::Client, id: u64) -> Attempt {
    let start = Instant::now();
    let delivery = host.world().hooks.log.iter().find(|d| d.id == id).cloned();
    let failed = |status_code: u16, status: &str| Attempt {
        seconds: start.elapsed().as_secs_f64(),
        status_code,
        status: status.to_string(),
        headers: Vec::new(),
        body: String::new(),
    };
    let Some(delivery) = delivery else {
        return failed(0, "not in the log");
    };
    let mut request = client.post(&delivery.url).timeout(TIME).body(delivery.body);
    for (name, value) in &delivery.headers {
        request = request.header(name, value);
    }
    let response = match request.send().await {
        Ok(response) => response,
        Err(error) if error.is_timeout() => return failed(504, "timed out"),
        Err(_) => return failed(502, "failed to connect to host"),
    };
    let status = response.status();
    let headers = response
        .headers()
        .iter()
        .map(|(k, v)| {
            (
                k.to_string(),
                String::from_utf8_lossy(v.as_bytes()).into_owned(),
            )
        })
        .collect();
    let body = response.bytes().await.unwrap_or_default();
    Attempt {
        seconds: start.elapsed().as_secs_f64(),
        status_code: status.as_u16(),
        status: status.canonical_reason().unwrap_or("unknown").to_string(),
        headers,
        body: String::from_utf8_lossy(&body[..body.len().min(ANSWER_LIMIT)]).into_owned(),
    }
}
