//! Checks of a suite's tasks: the project's own and the hidden one, in the sandbox.

use super::LabError;
use super::suite::{BenchTask, Made};
use crate::check::{CheckCommand, Checks, RunOptions, SetUp, SetUpSettings, overall};
use crate::config::RepoConfig;
use crate::domain::{Cancel, CheckRun, NoJournal, Outcome};
use crate::sandbox::Sandbox;
use crate::tree::{Change, TempFolder, Tree, write_all};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

/// Where checks of the lab run.
#[derive(Clone)]
pub struct Bench {
    pub sandbox: Arc<Sandbox>,
    pub scratch: PathBuf,
    pub setup: SetUpSettings,
    pub cancel: Cancel,
}

impl Bench {
    /// The set-up of a task: its own steps, if it has some.
    pub(super) fn set_up(&self, task: &BenchTask) -> Arc<SetUp> {
        let mut settings = self.setup.clone();
        settings.cache = settings.cache.join(&task.name);
        Arc::new(SetUp::new(settings, &config(task)))
    }

    /// Runs the project's own check, or the hidden one, in `folder`, with a set-up before it.
    async fn check(
        &self,
        task: &BenchTask,
        folder: &Path,
        which: Which,
    ) -> Result<Vec<CheckRun>, LabError> {
        let written = &task.written;
        let (commands, set_up) = match which {
            Which::Own => (&written.check, true),
            Which::Hidden => (&written.hidden_check, written.hidden_setup),
        };
        let source = Tree::open(folder)?;
        let files = source.walk()?.into_iter();
        let named = commands
            .iter()
            .map(|c| CheckCommand::new(c, "given").named());
        let checks = Checks {
            sandbox: self.sandbox.clone(),
            scratch: self.scratch.clone(),
            commands: named.collect(),
            options: RunOptions {
                limit: Duration::from_secs(written.timeout),
                files: files.map(|e| e.path.to_string()).collect(),
                ..RunOptions::default()
            },
            source,
            setup: set_up.then(|| self.set_up(task)),
            baseline: None,
        };
        Ok(checks.full(&[], None, &self.cancel, &NoJournal).await?)
    }

    /// Makes a state of a task's project, with `changes` in it, and runs one of its checks.
    pub(super) async fn tried(
        &self,
        task: &BenchTask,
        (made, changes): (Made, &[Change]),
        which: Which,
    ) -> Result<Vec<CheckRun>, LabError> {
        let place = TempFolder::create(&self.scratch, 0o711)?;
        let folder = place.path().join("repo");
        let (its, to, scratch) = (task.clone(), folder.clone(), self.scratch.clone());
        let changes = changes.to_vec();
        blocking(move || {
            its.make(made, &to, &scratch)?;
            write_all(&Tree::open(&to)?, &changes)?;
            match which {
                Which::Hidden => its.lay_hidden(&to),
                Which::Own => Ok(()),
            }
        })
        .await?;
        let runs = self.check(task, &folder, which).await?;
        place.close()?;
        Ok(runs)
    }

    /// What the hidden check says of a change of the project with the bug.
    pub(super) async fn hidden(
        &self,
        task: &BenchTask,
        changes: &[Change],
    ) -> Result<Outcome, LabError> {
        let runs = self
            .tried(task, (Made::Bug, changes), Which::Hidden)
            .await?;
        Ok(overall(&runs))
    }
}

/// Which of a task's checks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Which {
    Own,
    Hidden,
}

/// What the repository of a task says for itself.
pub(super) fn config(task: &BenchTask) -> RepoConfig {
    RepoConfig {
        // Empty: none runs, and none is detected.
        setup: Some(task.written.setup.clone()),
        check: task.written.check.clone(),
        ..RepoConfig::default()
    }
}

/// File work off the threads that serve everything else.
pub(super) async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, LabError> + Send + 'static,
) -> Result<T, LabError> {
    match tokio::task::spawn_blocking(work).await {
        Ok(result) => result,
        Err(error) => Err(LabError::Suite(format!("file work broke down: {error}"))),
    }
}
