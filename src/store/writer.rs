//! Group commit: deliveries that wait at the same time share one transaction, so that the disk's
//! flush is paid once for all of them. Nobody hears `stored` before the commit.

use super::bell::Bell;
use super::deliveries::{Added, Incoming, insert};
use super::{Dialect, StoreError, Time};
use crate::domain::failure_point;
use sqlx::AnyPool;
use std::time::{Duration, Instant};
use tokio::sync::{mpsc, oneshot};

/// Deliveries of one transaction.
const GROUP: usize = 64;
/// Deliveries that may wait; beyond them, callers wait for room.
const QUEUE: usize = 1024;
/// How long a group waits for those who were in the groups before it: they were answered a moment
/// ago, and a flush takes milliseconds. A timer of the runtime would be too coarse.
const GATHER: Duration = Duration::from_micros(300);

type Answer = oneshot::Sender<Result<Added, StoreError>>;

/// The way to the writer.
#[derive(Clone)]
pub(super) struct Inserts(mpsc::Sender<(Incoming, Answer)>);

impl Inserts {
    /// Resolves after the commit. Dropping the future does not take the delivery back.
    pub(super) async fn add(&self, delivery: Incoming) -> Result<Added, StoreError> {
        let (answer, answered) = oneshot::channel();
        self.0
            .send((delivery, answer))
            .await
            .map_err(|_| StoreError::Closed)?;
        answered.await.map_err(|_| StoreError::Closed)?
    }
}

/// Starts the writer; it ends when the last [`Inserts`] is dropped.
pub(super) fn start(pool: AnyPool, dialect: Dialect, time: Time, changed: Bell) -> Inserts {
    let (sender, mut waiting) = mpsc::channel(QUEUE);
    tokio::spawn(async move {
        let mut group: Vec<(Incoming, Answer)> = Vec::with_capacity(GROUP);
        // The sizes of the last two groups: with many callers, one half writes while the other waits.
        let mut before = (0, 0);
        while waiting.recv_many(&mut group, GROUP).await > 0 {
            gather(&mut waiting, &mut group, before.0 + before.1).await;
            before = (before.1, group.len());
            match write(&pool, dialect, &group, &time).await {
                Ok(added) => {
                    failure_point("delivery-stored");
                    for ((_, answer), added) in group.drain(..).zip(added) {
                        let _ = answer.send(Ok(added)); // the caller may have gone
                    }
                }
                Err(e) => {
                    for single in group.drain(..) {
                        let result = match e.shared() {
                            Some(e) => Err(e),
                            None => alone(&pool, dialect, &single, &time).await,
                        };
                        let _ = single.1.send(result);
                    }
                }
            }
            changed.ring();
        }
    });
    Inserts(sender)
}

/// Adds to a group what comes within a moment, until it has `expected` members.
async fn gather(
    waiting: &mut mpsc::Receiver<(Incoming, Answer)>,
    group: &mut Vec<(Incoming, Answer)>,
    expected: usize,
) {
    let expected = expected.min(GROUP);
    let mut last = Instant::now();
    while expected > 2 && group.len() < expected && last.elapsed() < GATHER {
        match waiting.try_recv() {
            Ok(one) => {
                group.push(one);
                last = Instant::now();
            }
            Err(_) => tokio::task::yield_now().await,
        }
    }
}

async fn write(
    pool: &AnyPool,
    dialect: Dialect,
    group: &[(Incoming, Answer)],
    time: &Time,
) -> Result<Vec<Added>, StoreError> {
    let deliveries: Vec<&Incoming> = group.iter().map(|(delivery, _)| delivery).collect();
    let now = time.now().await?;
    let mut tx = pool.begin_with(dialect.begin()).await?;
    let added = insert(&mut tx, &deliveries, now).await?;
    tx.commit().await?;
    Ok(added)
}

/// A group that the database refused is stored in single steps, so that one bad delivery takes no
/// other with it.
async fn alone(
    pool: &AnyPool,
    dialect: Dialect,
    single: &(Incoming, Answer),
    time: &Time,
) -> Result<Added, StoreError> {
    let added = write(pool, dialect, std::slice::from_ref(single), time).await?;
    Ok(added.into_iter().next().unwrap_or(Added::New))
}
