//! What follows the calls of a turn: the automatic check, the notes, stop on green, the ending
//! (rules W7, W8, W11).

use super::calls::WRONG_CALLS;
use super::contradiction::{Failures, speaks_of};
use super::run::Loop;
use super::slow::First;
use super::{AgentError, TurnEffect, told, traced};
use crate::check::{overall, pairs};
use crate::domain::{CheckPair, CheckRun, FailingTest, Outcome, StopReason};
use crate::model::Dialect;
use crate::workspace::{Change, WorkspaceError};
use minijinja::context;
use sha2::{Digest, Sha256};

/// Files whose change can make a check run that could not run before (rule C3).
const MANIFESTS: &[&str] = &[
    "Cargo.toml",
    "Cargo.lock",
    "Makefile",
    "conftest.py",
    "go.mod",
    "package.json",
    "package-lock.json",
    "pyproject.toml",
    "requirements.txt",
    "setup.cfg",
    "setup.py",
    "tox.ini",
    "pytest.ini",
    "mend.toml",
];

/// What the check after an edit came to.
enum Checked {
    /// The full check ran, or could not be made.
    Full,
    /// A test that failed on base still does; the rest was not run.
    FirstFailed,
    Interrupted,
}

impl Loop<'_, '_> {
    /// The note that follows the tool results of a turn, and whether the loop ends here.
    pub(super) async fn after_calls(
        &mut self,
        edited: bool,
        finish: bool,
        checked: Option<Vec<CheckRun>>,
        effect: &mut TurnEffect,
    ) -> Result<(Option<String>, Option<StopReason>), AgentError> {
        // A question gets an answer, whatever was tried on the way to it.
        if finish && self.state.only_answers {
            return Ok((None, Some(StopReason::Answer)));
        }
        let mut notes = Vec::new();
        let by_model = checked.is_some();
        let mut first_failed = false;
        if let Some(runs) = checked {
            self.state.check = Some(runs);
        } else if edited && self.worth_checking()? {
            match self.check_now(&mut notes).await? {
                Checked::Full => {}
                Checked::FirstFailed => first_failed = true,
                Checked::Interrupted => return Ok((None, Some(self.budget.interrupted()))),
            }
        }
        let fresh = self.state.check.clone().filter(|_| by_model || edited);
        if let Some(runs) = &fresh {
            effect.check = Some(overall(runs));
            self.state.checks_ms += runs.iter().map(|r| r.duration_ms).sum::<u64>();
            self.state.failures.see(runs);
            let changes = self.changes()?;
            let reproduced = self.reproduced(runs, &changes, &mut notes).await;
            if let Some(stop) = self.judge(runs, edited, finish, reproduced, &mut notes)? {
                return Ok((None, Some(stop)));
            }
        }
        if finish {
            let failed = |r: &[CheckRun]| overall(r) == Outcome::Failed;
            let unseen_failure = edited && (first_failed || fresh.as_deref().is_some_and(failed));
            let known = |runs: &[CheckRun]| self.all_named(runs) || self.only_old(runs);
            if !unseen_failure || fresh.as_deref().is_some_and(known) {
                return Ok((None, Some(self.finished()?)));
            }
            notes.push(
                "The end of the work was not taken yet: it came with edits whose check failed, as you see above. \
                 Go on, or end it again if this is how it has to stand."
                    .to_string(),
            );
        }
        if self.state.wrong.in_a_row >= WRONG_CALLS {
            return Ok((None, Some(StopReason::InvalidCalls)));
        }
        if self.state.wrong.most_repeats >= WRONG_CALLS {
            return Ok((None, Some(StopReason::RepeatedCall)));
        }
        Ok(((!notes.is_empty()).then(|| notes.join("\n\n")), None))
    }

    /// The check that follows an edit by itself (rule W7).
    async fn check_now(&mut self, notes: &mut Vec<String>) -> Result<Checked, AgentError> {
        let changes = self.changes()?;
        match self.failing_first(&changes).await? {
            First::Go => {}
            First::Interrupted => return Ok(Checked::Interrupted),
            First::Failed(runs) => {
                notes.push(self.still_failing(&runs));
                notes.push(self.limits()?);
                notes.push(self.contradiction_note()?);
                return Ok(Checked::FirstFailed);
            }
        }
        let (work, budget) = (self.work, &self.budget);
        let span = traced::check_span(work.journal, "auto_check", work.checks);
        let ran = work
            .checks
            .full(&changes, work.base.runs(), budget.cancel(), work.journal)
            .await;
        traced::checked(span, ran.as_deref());
        match ran {
            Ok(runs) => {
                let result = told::result(&runs, self.budget.tool_result_bytes());
                notes.push(format!("{}\n{result}", told::CHECKED));
                self.state.check = Some(runs);
            }
            Err(error) if error.is_cancelled() => return Ok(Checked::Interrupted),
            Err(error) => notes.push(format!(
                "The check could not be made: {error}. This says nothing about your change."
            )),
        }
        Ok(Checked::Full)
    }

    /// Whether what fails was named as contradicting already, or fails on base too.
    fn all_named(&self, runs: &[CheckRun]) -> bool {
        let old = Failures::of(self.work.base.runs().unwrap_or_default());
        Failures::of(runs).are_all_named(&self.state.named, &old)
    }

    /// Whether the change fixed tests and broke none, and the report or the summary speaks of each
    /// test that fails as before.
    fn only_old(&self, runs: &[CheckRun]) -> bool {
        let report = self.work.report;
        let own = self.state.summaries.join("\n");
        let said = [&report.title, &report.body, &self.state.said, &own]
            .map(|text| text.to_lowercase())
            .join("\n");
        let pairs = pairs(self.work.base.runs(), runs);
        let whole = pairs.iter().all(|p| p.base.is_some() && p.after.is_some());
        let fixed = pairs.iter().any(|p| !p.comparison.fixed.is_empty());
        let broken = pairs.iter().any(|p| !p.comparison.newly_broken.is_empty());
        let mut old = pairs.iter().flat_map(|p| &p.comparison.already_failing);
        whole && fixed && !broken && old.all(|name| speaks_of(&said, name))
    }

    fn limits(&self) -> Result<String, AgentError> {
        let protected = context! { tests_protected => self.work.tests_protected };
        Ok(self.work.prompts.render("limits.md", protected)?)
    }

    fn contradiction_note(&self) -> Result<String, AgentError> {
        let text = self.state.dialect == Dialect::Text;
        let values = context! { text, finish => told::finish(text) };
        Ok(self.work.prompts.render("contradiction.md", values)?)
    }

    /// How `finish` ends the loop: a question, or an answer beside a summary, is one only where nothing
    /// was changed.
    fn finished(&self) -> Result<StopReason, AgentError> {
        let state = &self.state;
        let asks = state.question.is_some() || state.answer.is_some();
        Ok(
            match (asks && self.changes()?.is_empty(), &state.question) {
                (true, Some(_)) => StopReason::Question,
                (true, None) => StopReason::Answer,
                (false, _) => StopReason::Finished,
            },
        )
    }

    /// Judges a full check against base: stop on green, a second time-out, or what to tell.
    fn judge(
        &mut self,
        runs: &[CheckRun],
        edited: bool,
        finish: bool,
        reproduced: bool,
        notes: &mut Vec<String>,
    ) -> Result<Option<StopReason>, AgentError> {
        // Where an earlier run's change is green already, green says nothing about this run's task.
        let before = self
            .work
            .head
            .as_deref()
            .or(self.work.base.runs())
            .map(overall);
        let changed = !self.changes()?.is_empty();
        match overall(runs) {
            Outcome::Passed
                if changed && (reproduced || before.is_some_and(|b| b != Outcome::Passed)) =>
            {
                return Ok(Some(if finish {
                    StopReason::Finished
                } else {
                    StopReason::SuitePassed
                }));
            }
            Outcome::TimedOut if edited => {
                self.state.timeouts_after_edits += 1;
                if self.state.timeouts_after_edits > 1 {
                    return Ok(Some(StopReason::CheckTimedOut));
                }
            }
            Outcome::DidntStart if !told::blames(self.work.base.runs(), runs) => {
                self.state.cannot_run = true
            }
            _ => {}
        }
        let text = self.state.dialect == Dialect::Text;
        let limits = self.limits()?;
        let meaning = told::meaning(self.work.base.runs(), before, runs, &limits, text);
        if !meaning.is_empty() {
            notes.push(meaning);
        }
        if edited && overall(runs) == Outcome::Failed && self.touches_the_report(runs) {
            notes.push(self.contradiction_note()?);
        }
        Ok(None)
    }

    /// Whether another run can say something new: always, but where the check cannot run here and
    /// no manifest changed since (rule C3).
    fn worth_checking(&self) -> Result<bool, AgentError> {
        let changes = self.changes()?;
        let manifest = |name: &str| MANIFESTS.contains(&name) || name.ends_with(".lock");
        Ok(!changes.is_empty()
            && (!self.state.cannot_run || changes.iter().any(|c| manifest(c.path.name()))))
    }

    fn changes(&self) -> Result<Vec<Change>, AgentError> {
        Ok(self
            .work
            .workspace
            .changes()
            .map_err(WorkspaceError::from)?)
    }

    /// Whether something that fails now could contradict the report: it broke with this work, or
    /// it shares a word with the report, or there are no names to tell (rule W11).
    fn touches_the_report(&self, runs: &[CheckRun]) -> bool {
        let pairs = pairs(self.work.base.runs(), runs);
        let own = self.own_tests(runs);
        let broken = |p: &CheckPair| p.comparison.newly_broken.iter().any(|n| !own.contains(n));
        if pairs.iter().any(|p| p.base.is_none() || broken(p)) {
            return true;
        }
        let only_own = pairs.iter().any(|p| !p.comparison.newly_broken.is_empty());
        let old: Vec<&String> = pairs
            .iter()
            .flat_map(|p| &p.comparison.already_failing)
            .collect();
        let report =
            format!("{}\n{}", self.work.report.title, self.work.report.body).to_lowercase();
        let said: Vec<&str> = report
            .split(|c: char| !c.is_alphanumeric())
            .filter(|w| w.len() > 1)
            .collect();
        old.is_empty() && !only_own
            || old
                .iter()
                .any(|name| test_words(name).iter().any(|w| said.contains(&w.as_str())))
    }

    /// The failing tests that stand in files which the change creates: they say nothing of the report.
    fn own_tests(&self, runs: &[CheckRun]) -> Vec<String> {
        let changed = self.work.workspace.changed().unwrap_or_default();
        let created: Vec<&str> = changed
            .iter()
            .filter(|c| c.before.is_none())
            .map(|c| c.path.as_str())
            .collect();
        let of = |test: &FailingTest| match &test.file {
            Some(file) => created.contains(&file.as_str()),
            // An import that failed is named by the module alone.
            None => created.iter().any(|path| {
                let module = path.rsplit('/').next().unwrap_or(path);
                let module = module.split('.').next().unwrap_or(module);
                let mut words = test
                    .name
                    .split(|c: char| !(c.is_alphanumeric() || c == '_'));
                words.any(|word| word == module)
            }),
        };
        let failing = runs.iter().flat_map(|r| &r.classification.failing);
        failing.filter(|t| of(t)).map(|t| t.name.clone()).collect()
    }

    /// SHA-256 of the change so far, in hex; empty without one.
    pub(super) fn fingerprint(&self) -> Result<String, AgentError> {
        let diff = self.work.workspace.diff().map_err(WorkspaceError::from)?;
        Ok(if diff.is_empty() {
            String::new()
        } else {
            hex::encode(Sha256::digest(diff.as_bytes()))
        })
    }
}

/// The words of a failing test's name that could stand in a report.
fn test_words(name: &str) -> Vec<String> {
    const COMMON: &[&str] = &[
        "test", "tests", "py", "rs", "js", "ts", "src", "spec", "the", "and", "case", "lib", "for",
        "to", "is", "of", "in",
    ];
    let mut words = Vec::new();
    for part in name.split(|c: char| !c.is_alphanumeric()) {
        let part = part.to_lowercase();
        if part.len() > 1 && !COMMON.contains(&part.as_str()) {
            words.push(part);
        }
    }
    words
}
