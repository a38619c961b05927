//! How many tasks people may ask for: one who asks for too many is told once, and harms nobody else.

use super::admit::{Admit, Asking};
use super::error::IntakeError;
use super::notice::Said;
use crate::domain::{Trigger, failure_point};
use crate::store::{Quota, Scope, Within};
use std::time::Duration;

/// Claims of a task before it counts as dead.
const ATTEMPTS: u32 = 3;
const HOUR: Duration = Duration::from_secs(3600);

impl Admit {
    /// Makes the task of a trigger, or finds the one that it made before. `None` when a quota is
    /// used up and that was told within the hour.
    pub(super) async fn make(
        &self,
        asking: &Asking<'_>,
        trigger: &Trigger,
    ) -> Result<Option<Said>, IntakeError> {
        let quota = Quota {
            person: self.repos.person_per_hour,
            repo: self.repos.repo_per_hour,
            installation: self.repos.installation_per_hour,
        };
        let priority = self.queue.priority_of(&trigger.issue.repo.name);
        let within = self
            .store
            .create_task_within(trigger, ATTEMPTS, priority, quota)
            .await?;
        failure_point("task-made");
        let (scope, most) = match within {
            Within::Made(created) => return Ok(Some(Said::Accepted { task: created.id() })),
            Within::Over { scope, most } => (scope, most),
        };
        let (kind, id) = match scope {
            Scope::Person => ("person", trigger.by.id),
            Scope::Repo => ("repo", trigger.issue.repo.id),
            Scope::Installation => ("installation", trigger.issue.repo.installation_id),
        };
        let key = format!("quota:{kind}:{id}");
        let told = self.store.may_tell(&key, &asking.delivery.guid, HOUR);
        tracing::warn!(kind, id, most, key = trigger.key, "a quota is used up");
        Ok(told.await?.then_some(Said::TooMany { scope, most }))
    }
}
