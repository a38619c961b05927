//! How the loop closes: what it hands up (rules W8, W12, W15).

use super::Ended;
use super::contradiction::Failures;
use super::doubt::doubts;
use super::run::Loop;
use crate::check::overall;
use crate::domain::{Outcome, Progress, StopReason};
use crate::model::ModelError;
use crate::text::{clip_words, one_line};

/// The summary when neither an edit nor the model said what was done.
const DEFAULT_SUMMARY: &str = "Fixed the bug; the full check passes.";

impl Loop<'_, '_> {
    /// Closes the loop.
    pub(super) fn end(self, stop: StopReason, error: Option<ModelError>) -> Ended {
        self.work.journal.tell(Progress::Loop {
            stop,
            turns: self.state.turns,
        });
        let green = self
            .state
            .check
            .as_deref()
            .is_some_and(|r| overall(r) == Outcome::Passed);
        let said = self.closing_words(stop);
        let default_summary = said.is_empty();
        let summary = match (default_summary, green) {
            (false, _) => said,
            (true, true) => DEFAULT_SUMMARY.to_string(),
            (true, false) => String::new(),
        };
        let mut state = self.state;
        if doubts(&summary) && state.doubted.is_none() {
            state.doubted = Some(clip_words(&one_line(&summary), 600));
        }
        let workspace = &self.work.workspace;
        let mut contradictions = state.failures.confirm(state.named, |f| workspace.exists(f));
        if let Some(runs) = &state.check {
            Failures::doubt_what_passes(&mut contradictions, runs);
        }
        Ended {
            stop,
            summary,
            default_summary,
            doubted: state.doubted.filter(|_| green),
            contradictions,
            review: state.reviewing.review,
            question: state.question.filter(|_| stop == StopReason::Question),
            turns: state.turns,
            usage: state.usage,
            check: state.check,
            retry_at: match &error {
                Some(ModelError::Busy { until, .. }) => *until,
                _ => None,
            },
            error: error.map(|e| e.to_string()),
            model_ms: state.model_ms,
            checks_ms: state.checks_ms,
            effects: state.effects,
        }
    }

    /// What the model said that it did; the question or the answer where the loop ended with one.
    fn closing_words(&self, stop: StopReason) -> String {
        let state = &self.state;
        let mut said: Vec<&str> = match stop {
            StopReason::Question => state.question.iter().map(String::as_str).collect(),
            StopReason::Answer => state.answer.iter().map(String::as_str).collect(),
            // A question beside a change stands in its text.
            _ => state
                .summaries
                .iter()
                .chain(&state.question)
                .map(String::as_str)
                .collect(),
        };
        said.retain(|s| !s.trim().is_empty());
        let mut once: Vec<&str> = Vec::new();
        for text in said.iter().map(|s| s.trim()) {
            if !once.contains(&text) {
                once.push(text);
            }
        }
        match once.is_empty() {
            true => state.said.trim().to_string(),
            false => once.join(" "),
        }
    }
}
