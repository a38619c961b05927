//! A model that is busy: the task is parked until the time that the provider named.

use super::attempt::Attempt;
use super::status_comment::StatusComment;
use super::{Bench, TaskError};
use crate::fix::Fixed;
use crate::render;
use crate::store::Claimed;
use std::time::{Duration, SystemTime};

/// The least that a busy model is given, so that a wrong clock or a date in the past does not make
/// a task ask in a circle.
const LEAST: Duration = Duration::from_secs(1);

impl Attempt<'_> {
    /// How long to wait before the model is asked again; `None` when nothing says that it may be
    /// asked again, a stop was asked for, or the task has waited as long as it may.
    pub(super) fn wait_for_model(&self, fixed: &Fixed) -> Option<Duration> {
        let until = fixed.retry_at?;
        if self.cancel.is_cancelled() {
            return None;
        }
        // The time is the machine's; the queue's clock may be another one.
        let wait = until
            .duration_since(SystemTime::now())
            .unwrap_or_default()
            .max(LEAST);
        let waited = Duration::from_millis(self.claimed.task.model_waited_ms);
        (waited + wait <= self.bench.model_wait).then_some(wait)
    }

    /// Says in the status comment what the task waits for. The comment is not worth more than the
    /// wait: what GitHub refuses is left.
    pub(super) async fn tell_waiting(&self, status: &StatusComment<'_>, error: &TaskError) {
        let TaskError::ModelBusy { wait, why } = error else {
            return;
        };
        let now = self.bench.clock.unix();
        let until = now + i64::try_from(wait.as_secs()).unwrap_or(i64::MAX / 2);
        let text = render::waiting(self.claimed.task.id, until, now, why);
        if let Err(error) = status.write(&text).await {
            tracing::warn!(%error, "the status comment could not say that the task waits");
        }
    }
}

/// Gives a task back until the model may be asked again; no attempt is counted.
pub(super) async fn park(
    bench: &Bench,
    claimed: &Claimed,
    wait: Duration,
    why: &str,
) -> Result<(), crate::store::StoreError> {
    tracing::warn!(wait_s = wait.as_secs(), %why, "parked, since the model is busy");
    bench.store.park_for_model(claimed.held, wait, why).await
}
