//! The loop that admits what the receiver stored.

use super::admit::{Admit, Admitted};
use super::error::IntakeError;
use super::notice::Voice;
use crate::domain::{Cancel, failure_point};
use crate::store::{Delivery, DeliveryEnd, StoreError};
use futures::{FutureExt, StreamExt};
use std::collections::BTreeSet;
use std::panic::AssertUnwindSafe;
use std::sync::{Mutex, MutexGuard};
use std::time::Duration;

/// Deliveries that are admitted side by side; each waits for GitHub most of its time.
const SIDE_BY_SIDE: usize = 8;
const BATCH: u32 = 32;
/// A wake-up may be lost, and delays end by themselves.
const POLL: Duration = Duration::from_secs(2);
/// An answer later than this helps nobody.
const GIVE_UP_MS: i64 = 24 * 3600 * 1000;
/// Hand-outs after which a delivery that panics, or ends the process, is given up.
const POISON: u32 = 5;
const FIRST_WAIT: Duration = Duration::from_secs(2);
const LONGEST_WAIT: Duration = Duration::from_secs(15 * 60);

impl Admit {
    /// Admits deliveries as they come, until `stop`. Those that GitHub's troubles delay are tried
    /// again for a day.
    pub async fn run(&self, voice: &dyn Voice, stop: &Cancel) {
        // A killed mend held some, and with each of them its whole lane.
        // Where others share the database, they may hold theirs still: the hold runs out.
        let released = match self.store.is_shared() {
            true => Ok(0),
            false => self.store.release_deliveries().await,
        };
        match released {
            Ok(0) => {}
            Ok(count) => tracing::info!(count, "deliveries that a killed mend had taken"),
            Err(error) => tracing::error!(%error, "held deliveries stay held for a while"),
        }
        while !stop.is_cancelled() {
            // Before the query, so that what comes between the two is not slept through.
            let changed = self.store.deliveries_changed();
            match self.drain(voice).await {
                Ok(0) => {}
                Ok(_) => continue,
                Err(error) => tracing::error!(%error, "deliveries cannot be read"),
            }
            tokio::select! {
                () = stop.cancelled() => {}
                () = changed => {}
                () = tokio::time::sleep(POLL) => {}
            }
        }
    }

    /// Admits what waits now; returns how many deliveries that were.
    pub async fn drain(&self, voice: &dyn Voice) -> Result<usize, StoreError> {
        let batch = self.store.next_deliveries(BATCH, self.hold).await?;
        let count = batch.len();
        if count > 0 {
            failure_point("delivery-taken");
        }
        let open: Mutex<BTreeSet<i64>> = Mutex::new(batch.iter().map(|d| d.id).collect());
        let admitted = futures::stream::iter(batch)
            .map(|delivery| async {
                let delivery = delivery;
                self.one(&delivery, voice).await;
                locked(&open).remove(&delivery.id);
            })
            .buffer_unordered(SIDE_BY_SIDE)
            .for_each(|()| async {});
        tokio::select! {
            () = admitted => {}
            () = self.keep(&open) => {}
        }
        Ok(count)
    }

    /// Keeps deliveries from being handed out again while they are worked on.
    async fn keep(&self, open: &Mutex<BTreeSet<i64>>) {
        loop {
            tokio::time::sleep(self.hold / 3).await;
            let ids: Vec<i64> = locked(open).iter().copied().collect();
            if let Err(error) = self.store.keep_deliveries(&ids, self.hold).await {
                tracing::warn!(%error, "deliveries may be handed out twice");
            }
        }
    }

    async fn one(&self, delivery: &Delivery, voice: &dyn Voice) {
        let admitted = AssertUnwindSafe(self.admit_and_tell(delivery, voice))
            .catch_unwind()
            .await
            .unwrap_or(Err(IntakeError::Panic));
        let end = match admitted {
            Ok(end) => end,
            Err(error) => self.after(delivery, &error),
        };
        let (guid, event) = (&delivery.guid, &delivery.event);
        match &end {
            DeliveryEnd::Failed(why) => tracing::error!(guid, event, why, "delivery given up"),
            DeliveryEnd::Again { after, why } => {
                let wait_s = after.as_secs();
                tracing::warn!(guid, event, why, wait_s, "delivery waits");
            }
            DeliveryEnd::Done => tracing::info!(guid, event, "delivery admitted"),
            DeliveryEnd::Ignored => {}
        }
        if let Err(error) = self.store.end_delivery(delivery.id, &end).await {
            // It comes again after its hold, and makes nothing twice.
            tracing::error!(guid, %error, "the end of a delivery was not recorded");
        }
        if end == DeliveryEnd::Done {
            failure_point("delivery-ended");
        }
    }

    async fn admit_and_tell(
        &self,
        delivery: &Delivery,
        voice: &dyn Voice,
    ) -> Result<DeliveryEnd, IntakeError> {
        match self.admit(delivery).await? {
            Admitted::Ignored(why) => {
                tracing::debug!(guid = delivery.guid, why, "delivery ignored");
                Ok(DeliveryEnd::Ignored)
            }
            Admitted::Done(notices) => {
                for notice in &notices {
                    voice.tell(notice).await?;
                }
                Ok(DeliveryEnd::Done)
            }
        }
    }

    /// What follows a failure: again, later and later, or never.
    fn after(&self, delivery: &Delivery, error: &IntakeError) -> DeliveryEnd {
        let why = error.to_string();
        let now_ms = self.store.clock().unix() * 1000;
        let poison = matches!(error, IntakeError::Panic) && delivery.attempts >= POISON;
        if !error.is_transient() || poison || now_ms - delivery.received_at > GIVE_UP_MS {
            return DeliveryEnd::Failed(why);
        }
        let grown = FIRST_WAIT.saturating_mul(1 << delivery.attempts.saturating_sub(1).min(12));
        let asked = error
            .not_before()
            .map_or(0, |at| at - self.store.clock().unix());
        let asked = Duration::from_secs(asked.max(0).unsigned_abs());
        DeliveryEnd::Again {
            after: grown.min(LONGEST_WAIT).max(asked),
            why,
        }
    }
}

fn locked(open: &Mutex<BTreeSet<i64>>) -> MutexGuard<'_, BTreeSet<i64>> {
    open.lock().unwrap_or_else(|e| e.into_inner())
}
