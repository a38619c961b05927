//! One command that the model asked for, on a fresh tree: what it leaves behind is for the caller to
//! look at, and then gone (rule B7).

use super::run::{blocking, raw};
use super::{CheckCommand, CheckError, Checks, RunOptions};
use crate::domain::{Cancel, NoJournal};
use crate::sandbox::Ran;
use crate::tree::{Change, TempFolder, Tree};
use std::time::Duration;

/// A command that ran, and the tree in which it did.
pub struct Shelled {
    pub ran: Ran,
    pub tree: Tree,
    folder: TempFolder,
}

impl Shelled {
    /// Removes the tree.
    ///
    /// # Errors
    /// When it cannot be removed.
    pub async fn close(self) -> Result<(), CheckError> {
        let folder = self.folder;
        blocking(move || Ok(folder.close()?)).await
    }
}

impl Checks {
    /// Runs a command for `/bin/sh -c` at the root of the source with `changes`, with the
    /// dependencies that a check of this state has. Where their set-up fails, the command runs
    /// without them, and its output says so first.
    ///
    /// # Errors
    /// As [`Checks::full`].
    pub async fn shell(
        &self,
        command: &str,
        limit: Duration,
        changes: &[Change],
        cancel: &Cancel,
    ) -> Result<Shelled, CheckError> {
        let folder = self.fresh(changes).await?;
        let mut options = self.options.clone();
        options.limit = limit;
        let command = CheckCommand::new(command, "asked for by the model");
        match self.in_folder(&folder, &command, options, cancel).await {
            Ok((ran, tree)) => Ok(Shelled { ran, tree, folder }),
            Err(error) => {
                blocking(move || Ok(folder.close()?)).await?;
                Err(error)
            }
        }
    }

    async fn in_folder(
        &self,
        folder: &TempFolder,
        command: &CheckCommand,
        mut options: RunOptions,
        cancel: &Cancel,
    ) -> Result<(Ran, Tree), CheckError> {
        let copy = folder.path().join("repo");
        let mut laid = Vec::new();
        let mut failed = None;
        if let Some(prepared) = self.prepared(&copy, cancel, &NoJournal).await? {
            let runs = prepared.not_started(std::slice::from_ref(command), &options);
            failed = runs.and_then(|runs| runs.into_iter().next());
            laid = prepared.lay(&copy, folder.path(), &mut options).await?;
        }
        let mut ran = raw(&self.sandbox, &copy, command, &options, cancel).await?;
        if let Some(failed) = failed {
            let first = format!("[{}]\n", failed.classification.reason);
            ran.output.splice(0..0, first.into_bytes());
        }
        // What the set-up laid there is none of the command's doing.
        blocking(move || {
            let tree = Tree::open(&copy)?;
            for path in &laid {
                if tree.stat(path).is_ok_and(|s| s.is_some()) {
                    tree.remove(path)?;
                }
            }
            Ok((ran, tree))
        })
        .await
    }
}
