//! What GitHub answered, in numbers.

use super::client::text_of;
use super::error::GithubError;
use http::{HeaderMap, StatusCode};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// Classes of answers; the last is that none came.
const CLASSES: [&str; 5] = ["2xx", "3xx", "4xx", "5xx", "none"];

/// Counts of one client.
#[derive(Debug, Default)]
pub(super) struct Figures {
    answers: [AtomicU64; CLASSES.len()],
    primary: AtomicU64,
    secondary: AtomicU64,
    /// Requests left and requests of the hour, of the last answer that told.
    remaining: Mutex<Option<(u64, u64)>>,
}

/// What was counted so far.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GithubFigures {
    pub answers: Vec<(&'static str, u64)>,
    /// Answers that told the hourly limit, and the one on bursts.
    pub primary: u64,
    pub secondary: u64,
    /// Requests left and requests of the hour, by the last answer.
    pub remaining: Option<(u64, u64)>,
}

impl Figures {
    pub fn count(&self, status: Option<StatusCode>, headers: &HeaderMap) {
        let class = match status.map(|s| s.as_u16()) {
            Some(200..=299) => 0,
            Some(300..=399) => 1,
            Some(400..=499) => 2,
            Some(_) => 3,
            None => 4,
        };
        self.answers[class].fetch_add(1, Relaxed);
        let number = |name| text_of(headers, name).and_then(|t| t.parse::<u64>().ok());
        let told = number("x-ratelimit-remaining").zip(number("x-ratelimit-limit"));
        if told.is_some() {
            *self.remaining.lock().unwrap_or_else(|e| e.into_inner()) = told;
        }
    }

    pub fn limited(&self, error: &GithubError) {
        if let GithubError::RateLimited { secondary, .. } = error {
            let which = if *secondary {
                &self.secondary
            } else {
                &self.primary
            };
            which.fetch_add(1, Relaxed);
        }
    }

    pub fn now(&self) -> GithubFigures {
        let answers = CLASSES.into_iter().zip(&self.answers);
        GithubFigures {
            answers: answers.map(|(c, n)| (c, n.load(Relaxed))).collect(),
            primary: self.primary.load(Relaxed),
            secondary: self.secondary.load(Relaxed),
            remaining: *self.remaining.lock().unwrap_or_else(|e| e.into_inner()),
        }
    }
}
