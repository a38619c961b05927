//! Counts what goes through: the budget, and the lists that a person reads.

use super::Budget;
use super::refuse::Why;
use crate::domain::{HostCount, Refusal, Traffic};
use crate::text::{clip_words, one_line, visible};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard};

/// Different hosts that are listed; a hostile command could ask for any number.
const MOST_LISTED: usize = 100;
/// Bytes of a name that is shown.
const SHOWN: usize = 100;

pub(super) struct Tally {
    budget: Budget,
    requests: AtomicU64,
    received: AtomicU64,
    sent: AtomicU64,
    lists: Mutex<Traffic>,
}

impl Tally {
    pub fn new(budget: Budget) -> Tally {
        Tally {
            budget,
            requests: AtomicU64::new(0),
            received: AtomicU64::new(0),
            sent: AtomicU64::new(0),
            lists: Mutex::default(),
        }
    }

    /// Counts one more request.
    pub fn request(&self) -> Result<(), Why> {
        let before = self.requests.fetch_add(1, Ordering::Relaxed);
        match before < self.budget.requests {
            true => Ok(()),
            false => Err(Why::Requests),
        }
    }

    /// Counts bytes from a host.
    pub fn received(&self, bytes: usize) -> Result<(), Why> {
        let before = self.received.fetch_add(bytes as u64, Ordering::Relaxed);
        match before + bytes as u64 <= self.budget.received_bytes {
            true => Ok(()),
            false => Err(Why::Bytes),
        }
    }

    /// Counts bytes to a host.
    pub fn sent(&self, bytes: usize) -> Result<(), Why> {
        let before = self.sent.fetch_add(bytes as u64, Ordering::Relaxed);
        match before + bytes as u64 <= self.budget.sent_bytes {
            true => Ok(()),
            false => Err(Why::Bytes),
        }
    }

    pub fn reached(&self, host: &str) {
        let mut lists = self.lists();
        match lists.reached.iter_mut().find(|r| r.host == host) {
            Some(known) => known.requests += 1,
            None => lists.reached.push(HostCount {
                host: host.into(),
                requests: 1,
            }),
        }
    }

    /// Lists a refusal under what was asked for.
    pub fn refused(&self, asked: &str, why: Why) {
        let host = clip_words(&one_line(&visible(asked)), SHOWN);
        tracing::debug!(%host, why = why.words(), "a sandbox's request did not go out");
        let mut lists = self.lists();
        let same = |r: &&mut Refusal| r.host == host && r.why == why.words();
        if let Some(known) = lists.refused.iter_mut().find(same) {
            known.times += 1;
        } else if lists.refused.len() < MOST_LISTED {
            lists.refused.push(Refusal {
                host,
                why: why.words().into(),
                by_policy: why.by_policy(),
                times: 1,
            });
        } else {
            lists.more_refused += 1;
        }
    }

    pub fn traffic(&self) -> Traffic {
        Traffic {
            received_bytes: self.received.load(Ordering::Relaxed),
            sent_bytes: self.sent.load(Ordering::Relaxed),
            ..self.lists().clone()
        }
    }

    fn lists(&self) -> MutexGuard<'_, Traffic> {
        self.lists.lock().unwrap_or_else(|e| e.into_inner())
    }
}
