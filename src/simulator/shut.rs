//! What closes a place: a locked conversation, an archived repository, issues that are switched off,
//! another visibility.

use super::error::SimulatorError;
use super::start::Simulator;
use serde_json::Value;

impl Simulator {
    /// Locks a conversation, or opens it again.
    ///
    /// # Errors
    /// When there is no such issue.
    pub fn lock_issue(&self, repo: &str, number: u64, locked: bool) -> Result<(), SimulatorError> {
        self.act("lock", repo, |world, id| {
            world.issue_mut(id, number)?.locked = locked;
            Ok(())
        })
    }

    /// Archives a repository; `told` sends the webhook.
    ///
    /// # Errors
    /// When there is no such repository.
    pub fn archive(&self, repo: &str, told: bool) -> Result<(), SimulatorError> {
        self.act("archive", repo, |world, id| {
            world.repo_mut(id)?.archived = true;
            let by = world.repo(id)?.owner.clone();
            match told {
                true => world.emit("repository", Some("archived"), id, &by, Value::Null),
                false => Ok(()),
            }
        })
    }

    /// Switches the repository's issues on or off.
    ///
    /// # Errors
    /// When there is no such repository.
    pub fn set_issues(&self, repo: &str, on: bool) -> Result<(), SimulatorError> {
        self.act("switch issues", repo, |world, id| {
            world.repo_mut(id)?.has_issues = on;
            Ok(())
        })
    }

    /// Makes a repository private or public.
    ///
    /// # Errors
    /// When there is no such repository.
    pub fn set_private(&self, repo: &str, private: bool) -> Result<(), SimulatorError> {
        self.act("set visibility", repo, |world, id| {
            let before = std::mem::replace(&mut world.repo_mut(id)?.private, private);
            let action = if private { "privatized" } else { "publicized" };
            let by = world.repo(id)?.owner.clone();
            match before == private {
                true => Ok(()),
                false => world.emit("repository", Some(action), id, &by, Value::Null),
            }
        })
    }
}
