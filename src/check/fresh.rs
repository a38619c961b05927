//! Checks on fresh trees: each run gets a copy of its own, which holds the source and exactly the
//! changes, so that nothing a run leaves behind reaches the next one or the commit (rule B7).

use super::run::blocking;
use super::{CheckCommand, CheckError, RunOptions, SetUp, narrow, run};
use crate::domain::{Cancel, CheckRun, Journal};
use crate::sandbox::Sandbox;
use crate::tree::{Change, TempFolder, Tree, copy_tree, write_all};
use std::path::PathBuf;
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
        let runs = self
            .set_up_and_run(&folder, commands, options, cancel, journal)
            .await;
        blocking(move || Ok(folder.close()?)).await?;
        runs
    }

    /// The commands on the copy in `folder`, after the set-up for exactly this state of the tree.
    async fn set_up_and_run(
        &self,
        folder: &TempFolder,
        commands: &[CheckCommand],
        mut options: RunOptions,
        cancel: &Cancel,
        journal: &dyn Journal,
    ) -> Result<Vec<CheckRun>, CheckError> {
        let copy = folder.path().join("repo");
        if let Some(setup) = &self.setup {
            let sandbox = &self.sandbox;
            let prepared = setup.prepare(sandbox, &copy, cancel, journal).await?;
            if let Some(prepared) = prepared {
                if let Some(runs) = prepared.not_started(commands) {
                    return Ok(runs);
                }
                prepared.lay(&copy, folder.path(), &mut options).await?;
            }
        }
        run(&self.sandbox, &copy, commands, &options, cancel, journal).await
    }
}
