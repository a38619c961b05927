//! Counts what tasks tell their journal.

use super::text::{Histogram, Page};
use crate::domain::{
    CheckRun, Journal, Outcome, Progress, SpanClosed, SpanEnd, SpanKind, SpanOpened,
};
use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

/// Spans that are open at most; a process that lost more than that has other troubles.
const MOST_OPEN: usize = 10_000;
const OUTCOMES: [Outcome; 4] = [
    Outcome::Passed,
    Outcome::Failed,
    Outcome::DidntStart,
    Outcome::TimedOut,
];
const ENDS: [&str; 3] = ["ok", "failed", "interrupted"];

/// A journal that counts; clones share the counts.
#[derive(Clone, Default)]
pub struct Meter(Arc<Mutex<Counts>>);

#[derive(Default)]
struct Counts {
    open: HashMap<u64, (SpanKind, Instant)>,
    checks: BTreeMap<&'static str, u64>,
    check_s: Histogram,
    calls: BTreeMap<&'static str, u64>,
    call_s: Histogram,
    task_s: Histogram,
    tools: u64,
    input_tokens: u64,
    cached_tokens: u64,
    output_tokens: u64,
    dollars: f64,
}

impl Meter {
    fn counts(&self) -> MutexGuard<'_, Counts> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Writes every family, those too that count nothing yet.
    pub(super) fn write(&self, page: &mut Page) {
        let counts = self.counts();
        let name = "mend_checks_total";
        page.family(name, "counter", "Check commands that ended, by outcome.");
        for outcome in OUTCOMES {
            let word = word(outcome);
            let n = counts.checks.get(word).copied().unwrap_or_default();
            page.sample(name, &[("outcome", word)], n as f64);
        }
        let name = "mend_check_duration_seconds";
        page.family(name, "histogram", "Time of one check command.");
        page.histogram(name, &[], &counts.check_s);
        let name = "mend_model_calls_total";
        page.family(name, "counter", "Requests to models, by how they ended.");
        for end in ENDS {
            let n = counts.calls.get(end).copied().unwrap_or_default();
            page.sample(name, &[("end", end)], n as f64);
        }
        let name = "mend_model_call_duration_seconds";
        page.family(
            name,
            "histogram",
            "Time of one request to a model, with its retries.",
        );
        page.histogram(name, &[], &counts.call_s);
        let name = "mend_model_tokens_total";
        page.family(
            name,
            "counter",
            "Tokens; cached ones are part of the input.",
        );
        for (kind, n) in [
            ("input", counts.input_tokens),
            ("cached", counts.cached_tokens),
            ("output", counts.output_tokens),
        ] {
            page.sample(name, &[("kind", kind)], n as f64);
        }
        let name = "mend_model_dollars_total";
        page.family(
            name,
            "counter",
            "What models cost, where a price is configured.",
        );
        page.sample(name, &[], counts.dollars);
        let name = "mend_tool_calls_total";
        page.family(name, "counter", "Tool calls of models.");
        page.sample(name, &[], counts.tools as f64);
        let name = "mend_task_work_duration_seconds";
        page.family(
            name,
            "histogram",
            "Time of one attempt at a task, from set-up to final check.",
        );
        page.histogram(name, &[], &counts.task_s);
    }
}

impl Counts {
    fn opened(&mut self, span: &SpanOpened) {
        if self.open.len() >= MOST_OPEN {
            self.open.clear();
        }
        self.open.insert(span.id, (span.kind, Instant::now()));
    }

    fn closed(&mut self, span: &SpanClosed) {
        let Some((kind, begun)) = self.open.remove(&span.id) else {
            return;
        };
        let seconds = begun.elapsed().as_secs_f64();
        match kind {
            SpanKind::Model => {
                let end = match span.end {
                    SpanEnd::Ok => ENDS[0],
                    SpanEnd::Failed => ENDS[1],
                    SpanEnd::Interrupted => ENDS[2],
                };
                *self.calls.entry(end).or_default() += 1;
                self.call_s.add(seconds);
                self.used(span);
            }
            SpanKind::Tool => self.tools += 1,
            SpanKind::Task => self.task_s.add(seconds),
            SpanKind::Step | SpanKind::Check => {}
        }
    }

    fn used(&mut self, span: &SpanClosed) {
        let usage = span
            .attributes
            .iter()
            .find(|(name, _)| *name == "mend.usage");
        let Some((_, usage)) = usage else { return };
        let number = |key: &str| usage[key].as_u64().unwrap_or_default();
        self.input_tokens += number("input_tokens");
        self.cached_tokens += number("cached_tokens");
        self.output_tokens += number("output_tokens");
        self.dollars += usage["dollars"].as_f64().unwrap_or_default();
    }

    fn checked(&mut self, run: &CheckRun) {
        let outcome = word(run.classification.outcome);
        *self.checks.entry(outcome).or_default() += 1;
        self.check_s.add(run.duration_ms as f64 / 1000.0);
    }
}

fn word(outcome: Outcome) -> &'static str {
    match outcome {
        Outcome::Passed => "passed",
        Outcome::Failed => "failed",
        Outcome::DidntStart => "didnt_start",
        Outcome::TimedOut => "timed_out",
    }
}

impl Journal for Meter {
    fn tell(&self, event: Progress) {
        match event {
            Progress::SpanOpened(span) => self.counts().opened(&span),
            Progress::SpanClosed(span) => self.counts().closed(&span),
            Progress::CheckEnded { run, .. } => self.counts().checked(&run),
            _ => {}
        }
    }
}
