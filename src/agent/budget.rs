//! The limits of a task, checked in one place (rule W13).

use crate::domain::{Cancel, Limits, StopReason, Usage};
use std::time::Duration;
use tokio::task::JoinHandle;

/// What a task may still use. Needs a running tokio runtime.
pub(super) struct Budget {
    limits: Limits,
    stop: Cancel,
    inner: Cancel,
    timer: JoinHandle<()>,
}

impl Budget {
    /// Starts the clock of the wall-time limit; `used` is what went by before, for example in the
    /// base check.
    pub(super) fn start(limits: &Limits, used: Duration, stop: &Cancel) -> Self {
        let left = Duration::from_secs(limits.wall_s).saturating_sub(used);
        let inner = stop.child();
        let expiry = inner.clone();
        let timer = tokio::spawn(async move {
            tokio::time::sleep(left).await;
            expiry.cancel();
        });
        Budget {
            limits: limits.clone(),
            stop: stop.clone(),
            inner,
            timer,
        }
    }

    /// The reason to end now, if there is one.
    pub(super) fn reached(&self, turns: u32, usage: &Usage) -> Option<StopReason> {
        let limits = &self.limits;
        if self.inner.is_cancelled() {
            Some(self.interrupted())
        } else if turns >= limits.turns {
            Some(StopReason::TurnLimit)
        } else if usage.input_tokens >= limits.input_tokens {
            Some(StopReason::TokenLimit)
        } else if matches!((limits.dollars, usage.dollars), (Some(cap), Some(spent)) if spent >= cap)
        {
            Some(StopReason::MoneyLimit)
        } else {
            None
        }
    }

    /// Why `cancel` fired: a person's stop, or the wall-time limit.
    pub(super) fn interrupted(&self) -> StopReason {
        if self.stop.is_cancelled() {
            StopReason::Stopped
        } else {
            StopReason::TimeLimit
        }
    }

    /// The signal for everything inside the loop: a person's stop and the wall-time limit.
    pub(super) fn cancel(&self) -> &Cancel {
        &self.inner
    }

    pub(super) fn turns(&self) -> u32 {
        self.limits.turns
    }

    pub(super) fn tool_result_bytes(&self) -> usize {
        self.limits.tool_result_bytes
    }
}

impl Drop for Budget {
    fn drop(&mut self) {
        self.timer.abort();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn each_limit_has_its_reason() {
        let limits = Limits {
            turns: 3,
            input_tokens: 100,
            dollars: Some(1.0),
            ..Limits::default()
        };
        let stop = Cancel::new();
        let budget = Budget::start(&limits, Duration::ZERO, &stop);
        let usage = |input_tokens, dollars| Usage {
            input_tokens,
            dollars,
            ..Usage::default()
        };
        assert_eq!(budget.reached(2, &usage(99, None)), None);
        assert_eq!(
            budget.reached(3, &usage(0, None)),
            Some(StopReason::TurnLimit)
        );
        assert_eq!(
            budget.reached(0, &usage(100, None)),
            Some(StopReason::TokenLimit)
        );
        assert_eq!(
            budget.reached(0, &usage(0, Some(1.0))),
            Some(StopReason::MoneyLimit)
        );
        let late = Budget::start(&limits, Duration::from_secs(limits.wall_s), &stop);
        late.cancel().cancelled().await;
        assert_eq!(
            late.reached(0, &usage(0, None)),
            Some(StopReason::TimeLimit)
        );
        stop.cancel();
        assert_eq!(
            budget.reached(0, &usage(0, None)),
            Some(StopReason::Stopped)
        );
    }
}
