//! What may go wrong on purpose, and the log of what was asked.

use super::caller::Credential;
use super::error::SimulatorError;
use regex::Regex;
use std::time::Duration;

/// What a fault does to a request.
#[derive(Debug, Clone, PartialEq)]
pub enum Effect {
    /// The request is not performed; this is answered.
    Answer {
        status: u16,
        headers: Vec<(String, String)>,
        body: String,
    },
    /// The request is performed, and this is answered instead of its answer.
    AnswerAfter {
        status: u16,
        headers: Vec<(String, String)>,
        body: String,
    },
    /// The request is performed and answered, but only after this time.
    Delay(Duration),
    /// The connection is cut; the request is not performed.
    Cut,
    /// The request is performed; then the connection is cut, so that its answer is lost.
    CutAfter,
}

impl Effect {
    /// An answer of GitHub's error form, without performing the request.
    pub fn status(status: u16, message: &str) -> Effect {
        Effect::Answer {
            status,
            headers: vec![("content-type".into(), "application/json".into())],
            body: serde_json::json!({ "message": message }).to_string(),
        }
    }
}

/// A fault: on which requests, how often, and what happens.
#[derive(Debug, Clone)]
pub struct Fault {
    /// `None` is any method.
    pub method: Option<String>,
    /// A regular expression, searched for in the path (without the query).
    pub path: String,
    /// Matching requests that pass before the fault sets in.
    pub skip: usize,
    /// Requests that it then hits.
    pub times: usize,
    pub effect: Effect,
}

impl Fault {
    /// Hits the next request of this method on a path that matches.
    pub fn once(method: &str, path: &str, effect: Effect) -> Fault {
        Fault {
            method: Some(method.to_string()),
            path: path.to_string(),
            skip: 0,
            times: 1,
            effect,
        }
    }

    /// Hits every request on a path that matches.
    pub fn always(path: &str, effect: Effect) -> Fault {
        Fault {
            method: None,
            path: path.to_string(),
            skip: 0,
            times: usize::MAX,
            effect,
        }
    }
}

/// One request as the simulator saw it. Webhook deliveries are in a log of their own.
#[derive(Debug, Clone, PartialEq)]
pub struct LoggedRequest {
    pub method: String,
    pub path: String,
    pub query: String,
    pub credential: Credential,
    /// What was answered; `None` when the connection was cut.
    pub status: Option<u16>,
    /// Whether the request took effect: false only when a fault prevented it.
    pub performed: bool,
}

struct Armed {
    fault: Fault,
    path: Regex,
    seen: usize,
}

#[derive(Default)]
pub(super) struct Faults {
    armed: Vec<Armed>,
    /// Hits everything.
    pub down: Option<Effect>,
}

impl Faults {
    pub fn add(&mut self, fault: Fault) -> Result<(), SimulatorError> {
        let path = Regex::new(&fault.path)?;
        self.armed.push(Armed {
            fault,
            path,
            seen: 0,
        });
        Ok(())
    }

    pub fn clear(&mut self) {
        self.armed.clear();
        self.down = None;
    }

    /// The effect on this request. Every fault that matches counts it; the first one that is due
    /// wins.
    pub fn hit(&mut self, method: &str, path: &str) -> Option<Effect> {
        if let Some(effect) = &self.down {
            return Some(effect.clone());
        }
        let mut effect = None;
        for armed in &mut self.armed {
            let method_fits = armed.fault.method.as_deref().is_none_or(|m| m == method);
            if !method_fits || !armed.path.is_match(path) {
                continue;
            }
            let due =
                armed.seen >= armed.fault.skip && armed.seen - armed.fault.skip < armed.fault.times;
            armed.seen = armed.seen.saturating_add(1);
            if due && effect.is_none() {
                effect = Some(armed.fault.effect.clone());
            }
        }
        effect
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fault_hits_the_requests_it_names() {
        let mut faults = Faults::default();
        let fault = Fault {
            skip: 1,
            times: 2,
            ..Fault::once("POST", "/comments$", Effect::Cut)
        };
        faults.add(fault).unwrap();
        let hits: Vec<bool> = (0..5)
            .map(|_| faults.hit("POST", "/repos/a/b/issues/1/comments").is_some())
            .collect();
        assert_eq!(hits, [false, true, true, false, false]);
        assert_eq!(faults.hit("GET", "/repos/a/b/issues/1/comments"), None);
        faults.down = Some(Effect::Cut);
        assert_eq!(faults.hit("GET", "/x"), Some(Effect::Cut));
        assert!(faults.add(Fault::once("GET", "(", Effect::Cut)).is_err());
    }
}
