//! Retries within one call: bounded in number and in time, never sooner than the provider asks.

use super::Model;
use super::error::{Fault, ModelError};
use super::settings::ModelSettings;
use super::turn::{Request, Turn};
use crate::domain::Cancel;
use async_trait::async_trait;
use bytes::Bytes;
use serde_json::Value;
use std::time::{Duration, SystemTime};

/// The first pause; each further one is twice as long, up to [`LONGEST`].
const FIRST: Duration = Duration::from_millis(500);
const LONGEST: Duration = Duration::from_secs(16);

/// Something that can be asked once.
#[async_trait]
pub(super) trait Attempt: Send + Sync {
    fn name(&self) -> &str;
    fn wire_body(&self, request: &Request) -> Result<(&'static str, Value), ModelError>;
    /// `body` is the request's JSON, the same bytes in every attempt.
    async fn attempt(&self, request: &Request, body: Bytes) -> Result<Turn, Fault>;
}

/// The bounds of the retries.
#[derive(Debug, Clone, Copy)]
pub(super) struct Policy {
    pub retries: u32,
    /// All pauses of one call together.
    pub wait: Duration,
    /// What a provider that is busy without naming a time is given before it is asked again by a
    /// later attempt of the task.
    pub busy: Duration,
    /// A replay does not sleep: the recording knows what came next.
    pub sleep: bool,
}

impl Policy {
    pub fn of(settings: &ModelSettings) -> Self {
        Policy {
            retries: settings.retries,
            wait: Duration::from_secs(settings.retry_wait_s),
            busy: Duration::from_secs(settings.busy_wait_s),
            sleep: true,
        }
    }
}

/// A model made of attempts.
pub(super) struct Retrying<A> {
    inner: A,
    policy: Policy,
}

impl<A: Attempt> Retrying<A> {
    pub fn new(inner: A, policy: Policy) -> Self {
        Retrying { inner, policy }
    }

    pub fn inner(&self) -> &A {
        &self.inner
    }

    async fn asked(&self, request: &Request) -> Result<Turn, ModelError> {
        let (_, body) = self.inner.wire_body(request)?;
        let body = serde_json::to_vec(&body)
            .map_err(|e| ModelError::permanent(format!("the request is not JSON: {e}")))?;
        let body = Bytes::from(body);
        let mut waited = Duration::ZERO;
        let mut tried = 0;
        loop {
            let fault = match self.inner.attempt(request, body.clone()).await {
                Ok(turn) => return Ok(turn),
                Err(fault) => fault,
            };
            let after = match &fault {
                Fault::Final(e) => return Err(e.clone()),
                Fault::Limited { after, .. } | Fault::Flaky { after, .. } => *after,
            };
            let pause = after.unwrap_or_else(|| backoff(tried));
            let spent = tried >= self.policy.retries || waited + pause > self.policy.wait;
            let (Fault::Limited { message, .. } | Fault::Flaky { message, .. }) = &fault else {
                return Err(ModelError::permanent("no attempt was made"));
            };
            tracing::warn!(
                model = self.inner.name(),
                attempt = tried + 1,
                again = !spent,
                pause_ms = pause.as_millis() as u64,
                "the model failed: {message}"
            );
            if spent {
                return Err(given_up(fault, tried, self.policy.busy));
            }
            if self.policy.sleep {
                tokio::time::sleep(pause).await;
            }
            waited += pause;
            tried += 1;
        }
    }
}

#[async_trait]
impl<A: Attempt> Model for Retrying<A> {
    fn name(&self) -> &str {
        self.inner.name()
    }

    async fn turn(&self, request: &Request, cancel: &Cancel) -> Result<Turn, ModelError> {
        tokio::select! {
            biased;
            () = cancel.cancelled() => Err(ModelError::Cancelled),
            turn = self.asked(request) => turn,
        }
    }

    fn wire_body(&self, request: &Request) -> Result<(&'static str, Value), ModelError> {
        self.inner.wire_body(request)
    }
}

fn given_up(fault: Fault, retries: u32, busy: Duration) -> ModelError {
    let told = |message: String| match retries {
        0 => message,
        n => format!("{message}, after {} attempts", n + 1),
    };
    match fault {
        Fault::Limited { after, message } => ModelError::Busy {
            until: SystemTime::now().checked_add(after.unwrap_or(busy)),
            message: told(until(message, after)),
        },
        // A server that names a time is to be asked at that time, whatever its status.
        Fault::Flaky {
            after: Some(after),
            message,
        } => ModelError::Busy {
            until: SystemTime::now().checked_add(after),
            message: told(until(message, Some(after))),
        },
        Fault::Flaky { message, .. } => ModelError::Unavailable {
            message: told(message),
        },
        Fault::Final(e) => e,
    }
}

/// A message with the pause that the provider asks for.
fn until(message: String, after: Option<Duration>) -> String {
    let Some(seconds) = after.map(|a| a.as_secs_f64().ceil() as u64) else {
        return message;
    };
    let pause = match seconds {
        0..=120 => format!("{seconds} s"),
        121..=7200 => format!("{} min", seconds.div_ceil(60)),
        _ => format!("{} h", seconds.div_ceil(3600)),
    };
    format!("{message}, it asks for a pause of {pause}")
}

/// Doubling pauses, each up to a quarter longer or shorter, so that many tasks do not come back
/// at one moment.
fn backoff(tried: u32) -> Duration {
    let base = FIRST.saturating_mul(1 << tried.min(10)).min(LONGEST);
    let dice = SystemTime::now()
        .duration_since(SystemTime::UNIX_EPOCH)
        .map_or(0, |d| d.subsec_nanos());
    base.mul_f64(0.75 + f64::from(dice % 1000) / 2000.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_busy_provider_is_told_with_the_pause_that_it_asks_for() {
        for (seconds, says) in [(7, "7 s"), (3600, "60 min"), (86_400, "24 h")] {
            let limited = Fault::Limited {
                after: Some(Duration::from_secs(seconds)),
                message: "status 429, slow down".into(),
            };
            let told = given_up(limited, 0, Duration::ZERO).to_string();
            assert!(
                told.ends_with(&format!("slow down, it asks for a pause of {says}")),
                "{told}"
            );
        }
    }

    #[test]
    fn pauses_grow_to_a_bound() {
        assert!(backoff(0) < Duration::from_millis(700));
        assert!(backoff(2) > Duration::from_millis(1400));
        assert!(backoff(4_000_000) <= LONGEST.mul_f64(1.25));
    }
}
