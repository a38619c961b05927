//! Red to green: each test file that a change adds is run alone, on a fresh copy of the untouched
//! code with nothing but the added tests, and on the change. The model has no part in it.

use super::alone::alone;
use super::missing::{Written, added_name, no_behaviour};
use super::red::{is_program, not_fixed, not_green, not_red, ran};
use super::run::blocking;
use super::script::test_script;
use super::trial::{GREEN, RED, Trial, WITHOUT};
use super::{CheckCommand, CheckError, Checks, pairs};
use crate::domain::{Cancel, CheckRun, Journal, Outcome, Reproduction};
use crate::tree::{Change, EntryKind, RelPath};
use std::sync::atomic::{AtomicU64, Ordering};
use tokio::sync::Mutex;

/// Test files of one change that are tried; more are said to be left out.
const MOST: usize = 6;
/// Of those, how many where each needs a run of the whole check.
const MOST_WHOLE: usize = 2;

/// What decides whether a path is a test.
pub type IsTest = dyn Fn(&RelPath) -> bool + Send + Sync;

/// Proves changes of one task. The last answer is kept, so that the same change is never run twice.
pub struct Prover<'a> {
    /// The check on the untouched code.
    base: &'a Checks,
    /// The check on the code that the change is made to.
    start: &'a Checks,
    /// Tests of an earlier run that stand in `start` and not on base.
    earlier: Vec<RelPath>,
    is_test: Box<IsTest>,
    /// The report, in which a name may be asked for.
    report: String,
    known: Mutex<Option<(Vec<Change>, Vec<Reproduction>)>>,
    spent_ms: AtomicU64,
}

/// What one proof needs from the task.
#[derive(Clone, Copy)]
pub struct Runs<'a> {
    pub changes: &'a [Change],
    /// The full check on the untouched code and on the change.
    pub base: Option<&'a [CheckRun]>,
    pub after: &'a [CheckRun],
}

impl<'a> Prover<'a> {
    /// `follow_up`: whether `start` holds an earlier change.
    ///
    /// # Errors
    /// When the trees cannot be walked.
    pub fn new(
        base: &'a Checks,
        start: &'a Checks,
        follow_up: bool,
        is_test: Box<IsTest>,
        report: String,
    ) -> Result<Self, CheckError> {
        let mut earlier = Vec::new();
        let entries = match follow_up {
            true => start.source.walk()?,
            false => Vec::new(),
        };
        for entry in entries {
            let added = entry.kind == EntryKind::File
                && is_test(&entry.path)
                && base.source.stat(&entry.path)?.is_none();
            if added {
                earlier.push(entry.path);
            }
        }
        Ok(Prover {
            base,
            start,
            earlier,
            is_test,
            report,
            known: Mutex::new(None),
            spent_ms: AtomicU64::new(0),
        })
    }

    /// Whether the check is deaf: see [`super::is_deaf`].
    ///
    /// # Errors
    /// As [`Prover::prove`].
    pub async fn is_deaf(
        &self,
        changes: &[Change],
        cancel: &Cancel,
        journal: &dyn Journal,
    ) -> Result<Option<String>, CheckError> {
        super::canary::is_deaf(self.base, self.start, changes, cancel, journal).await
    }

    /// The whole check on the change without the files that it adds among the tests; `None` where
    /// it adds none.
    ///
    /// # Errors
    /// As [`Prover::prove`].
    pub async fn without_added(
        &self,
        runs: Runs<'_>,
        cancel: &Cancel,
        journal: &dyn Journal,
    ) -> Result<Option<Vec<CheckRun>>, CheckError> {
        let mut rest = Vec::new();
        for change in runs.changes {
            let beside = (self.is_test)(&change.path) || change.path.name() == "conftest.py";
            if !beside || self.base.source.stat(&change.path)?.is_some() {
                rest.push(change.clone());
            }
        }
        let earlier = self.earlier.iter().map(|path| Change {
            path: path.clone(),
            after: None,
            mode: None,
        });
        if rest.len() == runs.changes.len() && self.earlier.is_empty() {
            return Ok(None);
        }
        rest.extend(earlier);
        let told = Trial {
            journal,
            what: WITHOUT,
        };
        let made = self
            .start
            .on_copy(&self.base.commands, &rest, runs.base, cancel, &told)
            .await?;
        self.spend(&made.iter().collect::<Vec<_>>());
        Ok(Some(made))
    }

    /// The untouched code.
    pub fn untouched(&self) -> &Checks {
        self.base
    }

    /// One entry for each test file that the change adds and a runner could run.
    ///
    /// # Errors
    /// When a copy cannot be made, the sandbox cannot run, or `cancel` fired.
    pub async fn prove(
        &self,
        runs: Runs<'_>,
        cancel: &Cancel,
        journal: &dyn Journal,
    ) -> Result<Vec<Reproduction>, CheckError> {
        let mut known = self.known.lock().await;
        if let Some((changes, proofs)) = &*known
            && changes == runs.changes
        {
            return Ok(proofs.clone());
        }
        let tests = self.added(runs.changes)?;
        let mut proofs = Vec::new();
        let mut whole = 0;
        for test in tests.iter().filter(|t| is_program(&t.path)).take(MOST) {
            let text = String::from_utf8_lossy(test.after.as_deref().unwrap_or_default());
            let proof = match self.command(&test.path, &text) {
                Some(command) => {
                    self.alone(test, &command, &tests, runs, cancel, journal)
                        .await?
                }
                None if whole < MOST_WHOLE && runs.base.is_some() => {
                    whole += 1;
                    self.whole(test, &tests, runs, cancel, journal).await?
                }
                None => continue,
            };
            proofs.push(proof);
        }
        *known = Some((runs.changes.to_vec(), proofs.clone()));
        Ok(proofs)
    }

    /// Milliseconds that commands of proofs took so far.
    pub fn spent_ms(&self) -> u64 {
        self.spent_ms.load(Ordering::Relaxed)
    }

    fn spend(&self, runs: &[&CheckRun]) {
        let sum = runs.iter().map(|r| r.duration_ms).sum();
        self.spent_ms.fetch_add(sum, Ordering::Relaxed);
    }

    /// The test files, and what else lies among the tests, that base does not have.
    fn added(&self, changes: &[Change]) -> Result<Vec<Change>, CheckError> {
        let mut added = Vec::new();
        for change in changes {
            let new = change.after.is_some()
                && (self.is_test)(&change.path)
                && self.base.source.stat(&change.path)?.is_none();
            if new {
                added.push(change.clone());
            }
        }
        for path in &self.earlier {
            if !changes.iter().any(|c| c.path == *path) {
                added.push(Change {
                    path: path.clone(),
                    after: Some(self.start.source.read(path)?),
                    mode: None,
                });
            }
        }
        Ok(added)
    }

    fn command(&self, path: &RelPath, text: &str) -> Option<CheckCommand> {
        self.base.commands.iter().find_map(|command| {
            let script = test_script(&self.base.source, command.folder.as_deref());
            alone(command, path.as_str(), text, script.as_deref())
        })
    }

    async fn alone(
        &self,
        test: &Change,
        command: &CheckCommand,
        tests: &[Change],
        runs: Runs<'_>,
        cancel: &Cancel,
        journal: &dyn Journal,
    ) -> Result<Reproduction, CheckError> {
        let commands = std::slice::from_ref(command);
        let told = |what| Trial { journal, what };
        let (red, green) = (told(RED), told(GREEN));
        let base = self.base.on_copy(commands, tests, None, cancel, &red);
        let base = base.await?.into_iter().next();
        let start = self.start;
        let after = start.on_copy(commands, runs.changes, None, cancel, &green);
        let after = after.await?.into_iter().next();
        let (Some(base), Some(after)) = (base, after) else {
            return Err(CheckError::Stopped);
        };
        self.spend(&[&base, &after]);
        let missing = self.missing(&base, runs.changes).await?;
        let mut proof = Reproduction {
            file: test.path.to_string(),
            command: command.shown(),
            base: Some(base.classification.outcome),
            after: Some(after.classification.outcome),
            reason: base.classification.reason.clone(),
            missing: None,
            red_to_green: false,
            because: None,
            tests: ran(&after),
        };
        proof.because =
            not_red(&base, missing.as_deref(), &self.report).or_else(|| not_green(&base, &after));
        self.shows_behaviour(test, runs.changes, &mut proof).await?;
        proof.red_to_green = proof.because.is_none();
        proof.missing = missing.filter(|_| proof.red_to_green);
        Ok(proof)
    }

    /// Where no runner takes a single file: the whole check on base with this one test file more,
    /// compared by the names of tests.
    async fn whole(
        &self,
        test: &Change,
        tests: &[Change],
        runs: Runs<'_>,
        cancel: &Cancel,
        journal: &dyn Journal,
    ) -> Result<Reproduction, CheckError> {
        let with: Vec<Change> = tests
            .iter()
            .filter(|t| t.path == test.path || !is_program(&t.path))
            .cloned()
            .collect();
        let told = Trial { journal, what: RED };
        let red = self
            .base
            .on_copy(&self.base.commands, &with, runs.base, cancel, &told)
            .await?;
        self.spend(&red.iter().collect::<Vec<_>>());
        let decided = pairs(runs.base, &red).into_iter().find(|p| {
            !p.comparison.newly_broken.is_empty()
                || matches!(&p.after, Some(r) if r.classification.outcome == Outcome::DidntStart)
        });
        let names: Vec<String> = self.base.commands.iter().map(CheckCommand::shown).collect();
        let mut proof = Reproduction {
            file: test.path.to_string(),
            command: names.join("; "),
            base: Some(super::overall(&red)),
            after: Some(super::overall(runs.after)),
            reason: String::new(),
            missing: None,
            red_to_green: false,
            because: None,
            tests: None,
        };
        let Some(pair) = decided else {
            let why = "the whole check says the same without this change, with it and without it";
            proof.because = Some(why.to_string());
            return Ok(proof);
        };
        let Some(base) = &pair.after else {
            return Err(CheckError::Stopped);
        };
        proof.command = pair.command.clone();
        proof.reason = base.classification.reason.clone();
        let missing = self.missing(base, runs.changes).await?;
        let after = runs.after.iter().find(|r| r.command == pair.command);
        proof.because = not_red(base, missing.as_deref(), &self.report).or_else(|| {
            let now = pairs(Some(&red), runs.after);
            let now = now.iter().find(|p| p.command == pair.command);
            not_fixed(&pair.comparison, now.map(|p| &p.comparison), after)
        });
        self.shows_behaviour(test, runs.changes, &mut proof).await?;
        proof.red_to_green = proof.because.is_none();
        proof.missing = missing.filter(|_| proof.red_to_green);
        Ok(proof)
    }

    /// The name that the run misses and the change adds, outside the tests.
    async fn missing(
        &self,
        base: &CheckRun,
        changes: &[Change],
    ) -> Result<Option<String>, CheckError> {
        let c = &base.classification;
        let lone = c.outcome == Outcome::DidntStart || c.failed_names.len() <= 1;
        if c.outcome == Outcome::Passed || !lone {
            return Ok(None);
        }
        let written = self.written(changes).await?;
        Ok(added_name(&c.reason, &written))
    }

    /// A test that reads the change's text shows nothing, however red and green it was.
    async fn shows_behaviour(
        &self,
        test: &Change,
        changes: &[Change],
        proof: &mut Reproduction,
    ) -> Result<(), CheckError> {
        if proof.because.is_none() {
            let text = String::from_utf8_lossy(test.after.as_deref().unwrap_or_default());
            let written = self.written(changes).await?;
            proof.because = no_behaviour(&text, &written, &self.report);
        }
        Ok(())
    }

    /// What the change writes outside the tests.
    async fn written(&self, changes: &[Change]) -> Result<Vec<Written>, CheckError> {
        let source = self.base.source.clone();
        let code = changes.iter().filter(|c| !(self.is_test)(&c.path));
        let code: Vec<Change> = code.cloned().collect();
        blocking(move || {
            let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
            let mut written = Vec::new();
            for change in &code {
                let before = match source.stat(&change.path)? {
                    Some(_) => text(&source.read(&change.path)?),
                    None => String::new(),
                };
                written.push(Written {
                    path: change.path.to_string(),
                    before,
                    after: text(change.after.as_deref().unwrap_or_default()),
                });
            }
            Ok(written)
        })
        .await
    }
}
