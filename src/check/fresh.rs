//! Checks on fresh trees: each run gets a copy of its own, which holds the source and exactly the
//! changes, so that nothing a run leaves behind reaches the next one or the commit (rule B7).

use super::run::blocking;
use super::{Baseline, CheckCommand, CheckError, Prepared, RunOptions, SetUp, narrow, run};
use crate::domain::{Cancel, CheckRun, Journal, Progress};
use crate::sandbox::Sandbox;
use crate::tree::{Change, TempFolder, Tree, copy_tree, write_all};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A project's check, ready to run on its source with changes.
pub struct Checks {
    pub sandbox: Arc<Sandbox>,
    /// The source as it was; never written.
    pub source: Tree,
    /// Where the throwaway copies are made; a sandbox under another uid must be able to pass.
    pub scratch: PathBuf,
    pub commands: Vec<CheckCommand>,
    pub options: RunOptions,
    /// The project's set-up, before any of its commands; `None` where there is none.
    pub setup: Option<Arc<SetUp>>,
    /// What is known about the source, which is then that of a commit; `None` where it is none.
    pub baseline: Option<Baseline>,
}

impl Checks {
    /// Runs every command, wholly. `base` are the runs of the same commands on the untouched code.
    ///
    /// # Errors
    /// When the copy cannot be made, the sandbox cannot run, or `cancel` fired.
    pub async fn full(
        &self,
        changes: &[Change],
        base: Option<&[CheckRun]>,
        cancel: &Cancel,
        journal: &dyn Journal,
    ) -> Result<Vec<CheckRun>, CheckError> {
        self.on_copy(&self.commands, changes, base, cancel, journal)
            .await
    }

    /// Runs only the tests that match `pattern`.
    ///
    /// # Errors
    /// As `full`; and where the commands take no pattern.
    pub async fn narrowed(
        &self,
        pattern: &str,
        changes: &[Change],
        base: Option<&[CheckRun]>,
        cancel: &Cancel,
        journal: &dyn Journal,
    ) -> Result<Vec<CheckRun>, CheckError> {
        let commands = narrow(&self.commands, pattern).map_err(CheckError::Pattern)?;
        self.on_copy(&commands, changes, base, cancel, journal)
            .await
    }

    /// A folder whose `repo` holds the source with exactly the changes.
    pub(super) async fn fresh(&self, changes: &[Change]) -> Result<TempFolder, CheckError> {
        let (from, scratch, wanted) = (self.source.clone(), self.scratch.clone(), changes.to_vec());
        let bytes = self.options.bounds.clone().unwrap_or_default().disk;
        blocking(move || {
            // Its own errors come before mend's watcher looks.
            let folder = TempFolder::create_sized(&scratch, 0o711, bytes)?;
            let copy = folder.path().join("repo");
            copy_tree(&from, &copy, &|_| false)?;
            write_all(&Tree::open(&copy)?, &wanted)?;
            Ok(folder)
        })
        .await
    }

    pub(super) async fn on_copy(
        &self,
        commands: &[CheckCommand],
        changes: &[Change],
        base: Option<&[CheckRun]>,
        cancel: &Cancel,
        journal: &dyn Journal,
    ) -> Result<Vec<CheckRun>, CheckError> {
        let folder = self.fresh(changes).await?;
        let mut options = self.options.clone();
        options.changed = changes.iter().map(|c| c.path.to_string()).collect();
        options.base = base.map(<[CheckRun]>::to_vec);
        options.reports = Some(folder.path().join("reports"));
        // A commit's own code, and nothing else.
        let plain = changes.is_empty() && base.is_none();
        let baseline = self.baseline.as_ref().filter(|_| plain);
        let runs = self
            .set_up_and_run(&folder, commands, (options, baseline), cancel, journal)
            .await;
        blocking(move || Ok(folder.close()?)).await?;
        runs
    }

    /// The set-up of the tree in `copy`, for whatever runs in it.
    pub(super) async fn prepared(
        &self,
        copy: &Path,
        cancel: &Cancel,
        journal: &dyn Journal,
    ) -> Result<Option<Prepared>, CheckError> {
        match &self.setup {
            Some(setup) => {
                let git = self.options.git.as_deref();
                setup
                    .prepare(&self.sandbox, copy, git, cancel, journal)
                    .await
            }
            None => Ok(None),
        }
    }

    /// The commands on the copy in `folder`, after the set-up for exactly this state of the tree.
    async fn set_up_and_run(
        &self,
        folder: &TempFolder,
        commands: &[CheckCommand],
        (mut options, baseline): (RunOptions, Option<&Baseline>),
        cancel: &Cancel,
        journal: &dyn Journal,
    ) -> Result<Vec<CheckRun>, CheckError> {
        let copy = folder.path().join("repo");
        let mut set_up = String::new();
        let prepared = self.prepared(&copy, cancel, journal).await?;
        if let Some(prepared) = prepared {
            if let Some(runs) = prepared.not_started(commands, &options) {
                return Ok(runs);
            }
            set_up = prepared.key();
            prepared.lay(&copy, folder.path(), &mut options).await?;
        }
        match baseline.cloned() {
            Some(baseline) => {
                let kept = Kept { baseline, set_up };
                self.with_kept(&kept, &copy, commands, &options, cancel, journal)
                    .await
            }
            None => run(&self.sandbox, &copy, commands, &options, cancel, journal).await,
        }
    }

    /// The commands on the untouched source: those that ran on this commit before are not run again.
    async fn with_kept(
        &self,
        kept: &Kept,
        copy: &Path,
        commands: &[CheckCommand],
        options: &RunOptions,
        cancel: &Cancel,
        journal: &dyn Journal,
    ) -> Result<Vec<CheckRun>, CheckError> {
        let mut runs = Vec::with_capacity(commands.len());
        for command in commands {
            let (baseline, set_up) = (kept.baseline.clone(), kept.set_up.clone());
            let (wanted, with) = (command.clone(), options.clone());
            let known = blocking(move || Ok(baseline.get(&wanted, &set_up, &with))).await?;
            if let Some(run) = known {
                journal.tell(Progress::CheckEnded {
                    command: run.command.clone(),
                    outcome: run.classification.outcome,
                    run: Box::new(run.clone()),
                });
                runs.push(run);
                continue;
            }
            let one = std::slice::from_ref(command);
            let made = run(&self.sandbox, copy, one, options, cancel, journal).await?;
            for run in &made {
                let (baseline, set_up) = (kept.baseline.clone(), kept.set_up.clone());
                let (wanted, with, run) = (command.clone(), options.clone(), run.clone());
                let put = move || Ok(baseline.put(&wanted, &set_up, &with, &run)?);
                if let Err(error) = blocking(put).await {
                    tracing::warn!(%error, "the base check could not be kept");
                }
            }
            runs.extend(made);
        }
        Ok(runs)
    }
}

/// What is known, and the state of the dependencies that it holds for.
struct Kept {
    baseline: Baseline,
    set_up: String,
}
