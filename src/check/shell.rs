//! One command that the model asked for, on a fresh tree: what it leaves behind is for the caller to
//! look at, and then gone (rule B7).

use super::run::{blocking, raw};
use super::{CheckCommand, CheckError, Checks};
use crate::domain::Cancel;
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
    /// Runs a command for `/bin/sh -c` at the root of the source with `changes`.
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
        let copy = folder.path().join("repo");
        let mut options = self.options.clone();
        options.limit = limit;
        let command = CheckCommand::new(command, "asked for by the model");
        let ran = raw(&self.sandbox, &copy, &command, &options, cancel).await;
        match ran {
            Ok(ran) => Ok(Shelled {
                ran,
                tree: Tree::open(&copy)?,
                folder,
            }),
            Err(error) => {
                blocking(move || Ok(folder.close()?)).await?;
                Err(error)
            }
        }
    }
}
