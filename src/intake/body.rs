//! Reading a request's body within bounds of size, time and the memory of all requests together.

use axum::body::{Body, BodyDataStream};
use bytes::{Bytes, BytesMut};
use futures::StreamExt;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// Why a body was not read.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Unread {
    TooLarge,
    TooSlow,
    /// Too many unread bodies of others wait in memory.
    Crowded,
    /// The client went away or broke the protocol.
    Broken,
}

/// A refused body is still read to here, and forgotten: a client that is cut off in the middle of
/// sending never sees why.
const DISCARD: usize = 32 << 20;
const DISCARD_TIME: Duration = Duration::from_secs(2);

/// A body, and its share of the memory for bodies.
#[derive(Debug)]
pub(super) struct Whole {
    pub bytes: Bytes,
    _share: Option<OwnedSemaphorePermit>,
}

/// Reads a body of at most `limit` bytes within `time`. Memory is taken from `memory` as the bytes
/// come in, one permit a KiB, so that clients who only promise much take nothing.
pub(super) async fn read(
    body: Body,
    limit: usize,
    time: Duration,
    memory: &Arc<Semaphore>,
) -> Result<Whole, Unread> {
    tokio::time::timeout(time, collect(body, limit, memory))
        .await
        .unwrap_or(Err(Unread::TooSlow))
}

/// Reads a body that nobody wants, within bounds.
pub(super) async fn discard(body: Body) {
    forget(body.into_data_stream()).await;
}

async fn forget(mut stream: BodyDataStream) {
    let all = async {
        let mut seen = 0;
        while let Some(Ok(frame)) = stream.next().await {
            seen += frame.len();
            if seen > DISCARD {
                break;
            }
        }
    };
    let _ = tokio::time::timeout(DISCARD_TIME, all).await;
}

async fn collect(body: Body, limit: usize, memory: &Arc<Semaphore>) -> Result<Whole, Unread> {
    let mut stream = body.into_data_stream();
    let mut bytes = BytesMut::new();
    let mut share: Option<OwnedSemaphorePermit> = None;
    let mut paid = 0;
    while let Some(frame) = stream.next().await {
        let frame = frame.map_err(|_| Unread::Broken)?;
        let size = bytes.len() + frame.len();
        if size > limit {
            drop((bytes, share));
            forget(stream).await;
            return Err(Unread::TooLarge);
        }
        let cost = size.div_ceil(1024);
        if cost > paid {
            let more = u32::try_from(cost - paid).map_err(|_| Unread::TooLarge)?;
            let permit = memory
                .clone()
                .try_acquire_many_owned(more)
                .map_err(|_| Unread::Crowded)?;
            match &mut share {
                Some(share) => share.merge(permit),
                None => share = Some(permit),
            }
            paid = cost;
        }
        bytes.extend_from_slice(&frame);
    }
    Ok(Whole {
        bytes: bytes.freeze(),
        _share: share,
    })
}
