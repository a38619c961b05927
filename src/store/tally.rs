//! What this process ended and stored, counted from its start.

use super::{Store, StoreError};
use crate::domain::Verdict;
use sqlx::Row;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Results of deliveries that are counted.
const RESULTS: [&str; 6] = ["stored", "duplicate", "done", "ignored", "failed", "again"];

const VERDICTS: [Verdict; 11] = [
    Verdict::Ready,
    Verdict::Draft,
    Verdict::NoChange,
    Verdict::Question,
    Verdict::Answer,
    Verdict::NotAllowed,
    Verdict::Stopped,
    Verdict::LimitReached,
    Verdict::DidntStart,
    Verdict::NotPublished,
    Verdict::Crashed,
];

/// Counts of a store; clones share them.
#[derive(Debug, Clone, Default)]
pub struct Tally(Arc<Mutex<Counts>>);

#[derive(Debug, Default)]
struct Counts {
    ended: BTreeMap<&'static str, u64>,
    deliveries: BTreeMap<&'static str, u64>,
}

/// What waits and runs.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct QueueLengths {
    pub queued: u64,
    pub running: u64,
    /// How long the oldest one waits that could run now.
    pub oldest_ms: u64,
    pub deliveries: u64,
}

impl Tally {
    fn counts(&self) -> MutexGuard<'_, Counts> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn end(&self, verdict: Verdict) {
        *self.counts().ended.entry(verdict.word()).or_default() += 1;
    }

    pub(super) fn delivery(&self, result: &'static str) {
        *self.counts().deliveries.entry(result).or_default() += 1;
    }

    /// Every verdict, with how many tasks ended so.
    pub fn ended(&self) -> Vec<(&'static str, u64)> {
        let counts = self.counts();
        let of = |v: Verdict| (v.word(), counts.ended.get(v.word()).copied().unwrap_or(0));
        VERDICTS.into_iter().map(of).collect()
    }

    /// Every result of a delivery, with how many there were.
    pub fn deliveries(&self) -> Vec<(&'static str, u64)> {
        let counts = self.counts();
        let of = |r| (r, counts.deliveries.get(r).copied().unwrap_or(0));
        RESULTS.into_iter().map(of).collect()
    }
}

impl Store {
    /// What this process ended and stored.
    pub fn tally(&self) -> &Tally {
        &self.tally
    }

    /// What waits and runs, over all processes.
    ///
    /// # Errors
    /// When the database does not answer.
    pub async fn queue_lengths(&self) -> Result<QueueLengths, StoreError> {
        let now = self.now().await?;
        let row = sqlx::query(
            "SELECT COUNT(CASE WHEN state = 'queued' THEN 1 END) AS queued, \
             COUNT(CASE WHEN state = 'running' THEN 1 END) AS running, \
             MIN(CASE WHEN state = 'queued' AND run_at <= $1 THEN run_at END) AS oldest, \
             (SELECT COUNT(*) FROM deliveries WHERE state = 'new') AS deliveries \
             FROM tasks WHERE state = 'queued' OR state = 'running'",
        )
        .bind(now)
        .fetch_one(&self.read)
        .await?;
        let number = |name: &str| -> Result<u64, StoreError> {
            Ok(row.try_get::<i64, _>(name)?.unsigned_abs())
        };
        let oldest: Option<i64> = row.try_get("oldest")?;
        Ok(QueueLengths {
            queued: number("queued")?,
            running: number("running")?,
            oldest_ms: oldest.map_or(0, |at| (now - at).max(0).unsigned_abs()),
            deliveries: number("deliveries")?,
        })
    }
}
