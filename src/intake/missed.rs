//! Deliveries that never came: mend was down, or nobody can reach it from outside. GitHub keeps
//! each with its body, and hands it out to whoever signs as the App. Taking it from there needs no
//! public address, which asking GitHub to send it again would.

use super::admit::Admit;
use super::error::IntakeError;
use super::receiver::{EVENTS, lane};
use crate::domain::Cancel;
use crate::github::Delivery;
use crate::store::{Added, Incoming};
use crate::text::from_rfc3339;
use std::collections::HashSet;
use std::time::Duration;

/// How long GitHub keeps deliveries.
const KEPT_S: i64 = 3 * 24 * 3600;
/// A look reaches this far behind the one before: deliveries are listed late, and are being
/// delivered while mend looks.
const OVERLAP_S: i64 = 15 * 60;
/// Pages of a hundred that one look reads at most.
const PAGES: usize = 200;

/// How missed deliveries are looked for.
#[derive(Debug, Clone, Copy)]
pub struct Missed {
    /// The time between two looks.
    pub every: Duration,
    /// Also what somebody else took: mend has no address of its own that GitHub could reach.
    pub polling: bool,
}

/// A list that could not be read is read again soon, whatever the settings say.
const AFTER_A_FAILURE: Duration = Duration::from_secs(30);

impl Admit {
    /// Looks for missed deliveries now and every so often, until `stop`.
    pub async fn catch_up(&self, missed: Missed, stop: &Cancel) {
        let now = || self.store.clock().unix();
        let mut since = now() - KEPT_S;
        loop {
            let begun = now();
            let wait = match self.look_for_missed(since, missed.polling).await {
                Ok(found) => {
                    if found > 0 {
                        tracing::info!(found, "missed deliveries taken from GitHub's list");
                    }
                    since = begun - OVERLAP_S;
                    missed.every
                }
                Err(error) => {
                    tracing::warn!(%error, "missed deliveries cannot be looked for");
                    let asked = error.not_before().map_or(0, |at| at - now());
                    missed
                        .every
                        .min(AFTER_A_FAILURE)
                        .max(Duration::from_secs(asked.max(0).unsigned_abs()))
                }
            };
            tokio::select! {
                () = stop.cancelled() => return,
                () = tokio::time::sleep(wait) => {}
            }
        }
    }

    /// Stores what GitHub could not deliver since then (`polling`: whatever is not stored yet),
    /// oldest first; returns how many deliveries that were.
    pub async fn look_for_missed(&self, since: i64, polling: bool) -> Result<usize, IntakeError> {
        let mut found = 0;
        for delivery in self.undelivered(since, polling).await? {
            let Some(payload) = self.github.delivered_payload(delivery.id).await? else {
                continue;
            };
            let payload = payload.to_string();
            let incoming = Incoming {
                lane: lane(payload.as_bytes()),
                guid: delivery.guid,
                event: delivery.event,
                payload: payload.into(),
            };
            found += usize::from(self.store.add_delivery(incoming).await? == Added::New);
        }
        Ok(found)
    }

    async fn undelivered(&self, since: i64, polling: bool) -> Result<Vec<Delivery>, IntakeError> {
        let mut all = Vec::new();
        let mut cursor = None;
        for _ in 0..PAGES {
            let (page, next) = self.github.deliveries(cursor.as_deref()).await?;
            let older = |d: &Delivery| from_rfc3339(&d.delivered_at).is_some_and(|at| at < since);
            let done = page.last().is_none_or(older);
            all.extend(page.into_iter().filter(|d| !older(d)));
            match next {
                Some(next) if !done => cursor = Some(next),
                _ => break,
            }
        }
        let taken = |d: &Delivery| d.status_code.is_some_and(|s| (200..300).contains(&s));
        let mut known: HashSet<String> = match polling {
            true => HashSet::new(),
            // A redelivery has the id of the first.
            false => all
                .iter()
                .filter(|d| taken(d))
                .map(|d| d.guid.clone())
                .collect(),
        };
        let mut missed = Vec::new();
        for delivery in all.into_iter().rev() {
            let new = EVENTS.contains(&delivery.event.as_str())
                && !delivery.guid.is_empty()
                // One that is just being delivered has no answer yet.
                && (polling || delivery.status_code.is_some_and(|s| s != 0))
                && known.insert(delivery.guid.clone());
            if new && !self.store.has_delivery(&delivery.guid).await? {
                missed.push(delivery);
            }
        }
        Ok(missed)
    }
}
