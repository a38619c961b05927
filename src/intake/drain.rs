//! The loop that admits what the receiver stored.

use super::admit::{Admit, Admitted};
use super::error::IntakeError;
use super::notice::Voice;
use crate::domain::Cancel;
use crate::store::{Delivery, DeliveryEnd, StoreError};
use futures::{FutureExt, StreamExt};
use std::panic::AssertUnwindSafe;
use std::time::Duration;

/// Deliveries that are admitted side by side; each waits for GitHub most of its time.
const SIDE_BY_SIDE: usize = 8;
const BATCH: u32 = 32;
/// A delivery is taken for this long; who dies meanwhile gives it back.
const HOLD: Duration = Duration::from_secs(300);
/// Wake-ups of other processes do not arrive, and delays end by themselves.
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
        match self.store.release_deliveries().await {
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
        let batch = self.store.next_deliveries(BATCH, HOLD).await?;
        let count = batch.len();
        futures::stream::iter(batch)
            .map(|delivery| async move { self.one(&delivery, voice).await })
            .buffer_unordered(SIDE_BY_SIDE)
            .for_each(|()| async {})
            .await;
        Ok(count)
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
