//! HTTP/1.1 with the time-outs that `axum::serve` does not have: a client that sends its header a
//! byte at a time, or nothing at all, is cut off.

use crate::domain::Cancel;
use axum::Router;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use std::sync::Arc;
use std::time::Duration;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;
use tokio::task::JoinSet;

/// How much patience clients get.
#[derive(Debug, Clone, Copy)]
pub struct Bounds {
    /// Connections at the same time; more wait in the system's queue.
    pub connections: usize,
    /// From the connection's start, or the answer before, to the header's last byte.
    pub header: Duration,
    /// From the stop to the end of requests that run.
    pub drain: Duration,
}

impl Default for Bounds {
    fn default() -> Self {
        Bounds {
            connections: 1024,
            header: Duration::from_secs(10),
            drain: Duration::from_secs(10),
        }
    }
}

/// The most that a connection buffers: a header of GitHub's takes about 1 KB.
const BUFFER: usize = 32 * 1024;

/// Serves until `stop`, then lets running requests end within [`Bounds::drain`].
pub async fn serve(listener: TcpListener, router: Router, stop: Cancel, bounds: Bounds) {
    let places = Arc::new(Semaphore::new(bounds.connections));
    let mut running = JoinSet::new();
    loop {
        let place = tokio::select! {
            () = stop.cancelled() => break,
            place = places.clone().acquire_owned() => place,
        };
        let accepted = tokio::select! {
            () = stop.cancelled() => break,
            accepted = listener.accept() => accepted,
        };
        while running.try_join_next().is_some() {}
        match accepted {
            Ok((stream, _)) => {
                let (router, stop) = (router.clone(), stop.clone());
                running.spawn(async move {
                    connection(stream, router, stop, bounds).await;
                    drop(place);
                });
            }
            // Out of descriptors, mostly: some will be free in a moment.
            Err(error) => {
                tracing::warn!(%error, "a connection was not accepted");
                tokio::time::sleep(Duration::from_millis(100)).await;
            }
        }
    }
    drop(listener);
    let all = async { while running.join_next().await.is_some() {} };
    // Dropping the set afterwards ends what still runs.
    let _ = tokio::time::timeout(bounds.drain, all).await;
}

async fn connection(stream: TcpStream, router: Router, stop: Cancel, bounds: Bounds) {
    let _ = stream.set_nodelay(true);
    let serving = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(bounds.header)
        .max_buf_size(BUFFER)
        .serve_connection(TokioIo::new(stream), TowerToHyperService::new(router));
    tokio::pin!(serving);
    // Errors here are the client's: it went away, or was too slow.
    tokio::select! {
        _ = serving.as_mut() => {}
        () = stop.cancelled() => {
            serving.as_mut().graceful_shutdown();
            let _ = serving.await;
        }
    }
}
