//! Slow suites (rule C12): where the base check took long, the tests that failed in it run first
//! after an edit, and the full check only when they pass. What runs alone never counts as the check
//! (rule C7).

use super::AgentError;
use super::contradiction::key;
use super::run::Loop;
use super::{told, traced};
use crate::check::{CheckError, overall};
use crate::domain::{CheckRun, Outcome};
use crate::workspace::Change;

/// Tests that are run alone; where more failed, only the full check says enough.
const MOST: usize = 4;

/// What the tests that failed on base say now.
pub(super) enum First {
    /// Nothing that would keep the full check from running.
    Go,
    Failed(Vec<CheckRun>),
    Interrupted,
}

impl Loop<'_, '_> {
    /// Runs base's failing tests, where the suite is slow and they can be named.
    pub(super) async fn failing_first(&mut self, changes: &[Change]) -> Result<First, AgentError> {
        let base = self.work.base.runs().unwrap_or_default();
        let took: u64 = base.iter().map(|r| r.duration_ms).sum();
        let mut names: Vec<String> = base
            .iter()
            .flat_map(|r| &r.classification.failed_names)
            .filter_map(|name| key(name))
            .collect();
        names.sort_unstable();
        names.dedup();
        if took <= self.work.settings.slow_s * 1000 || names.is_empty() || names.len() > MOST {
            return Ok(First::Go);
        }
        for name in names {
            let (budget, work) = (&self.budget, self.work);
            let base = work.base.runs();
            let span = traced::check_span(work.journal, "first_check", work.checks);
            let ran = work
                .checks
                .narrowed(&name, changes, base, budget.cancel(), work.journal)
                .await;
            traced::checked(span, ran.as_deref());
            match ran {
                Ok(runs) => {
                    self.state.checks_ms += runs.iter().map(|r| r.duration_ms).sum::<u64>();
                    if overall(&runs) == Outcome::Failed {
                        return Ok(First::Failed(runs));
                    }
                }
                Err(e) if e.is_cancelled() => return Ok(First::Interrupted),
                // Not every command takes the name of a test; then the full check decides.
                Err(CheckError::Pattern(_)) => return Ok(First::Go),
                Err(e) => {
                    tracing::debug!(error = %e, "base's failing tests could not be run alone");
                    return Ok(First::Go);
                }
            }
        }
        Ok(First::Go)
    }

    /// What the model reads where they still fail.
    pub(super) fn still_failing(&self, runs: &[CheckRun]) -> String {
        format!(
            "{} the full check takes long here, so a test that failed on the untouched code ran first, alone; the rest was not run.\n{}",
            told::CHECKED_FIRST,
            told::result(runs, self.budget.tool_result_bytes())
        )
    }
}
