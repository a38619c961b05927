//! What ends runs that nobody asked to stop: the label taken off, the issue or the pull request
//! closed, mend taken away. Such an event may come late, or after what followed it; so it ends what
//! was asked for before it, and nothing newer.

use super::admit::{Admit, Admitted, label_key};
use super::error::IntakeError;
use crate::domain::{RepoRef, StopCause};
use crate::github::{IssueEvent, Origin, PullRequestEvent, Withdrawn};
use crate::store::{Delivery, PullEnd};
use crate::text::from_rfc3339;

/// What a withdrawal ends.
struct Older {
    /// Asked for until then, in seconds since the Unix epoch; `None` is everything.
    until: Option<i64>,
    /// The key of a task that is not ended, however old.
    spared: Option<String>,
}

impl Older {
    fn than(until: Option<i64>) -> Older {
        Older {
            until,
            spared: None,
        }
    }
}

impl Admit {
    /// The label went. Its event tells no time, so GitHub is asked for that; where it does not
    /// answer, what was asked for before the delivery came ends: stopping is the safe side.
    pub(super) async fn unlabeled(
        &self,
        delivery: &Delivery,
        event: IssueEvent,
    ) -> Result<Admitted, IntakeError> {
        let (repo_id, issue_id) = (event.origin.repo_id, event.issue.id);
        if self.store.open_tasks(repo_id, issue_id).await?.is_empty() {
            return Ok(Admitted::Ignored("no task to stop"));
        }
        let received = Older::than(Some(delivery.received_at / 1000));
        let older = match self
            .label_went(&event.origin, (issue_id, event.issue.number))
            .await
        {
            Ok(Some(older)) => older,
            Ok(None) => received,
            Err(error) => {
                tracing::warn!(%error, "nobody says when the label went; what runs stops");
                received
            }
        };
        self.end(repo_id, issue_id, StopCause::LabelRemoved, older)
            .await
    }

    /// When the label went, by GitHub's word; `None` where it does not show that yet.
    async fn label_went(
        &self,
        origin: &Origin,
        (issue_id, number): (u64, u64),
    ) -> Result<Option<Older>, IntakeError> {
        let Some(installation_id) = origin.installation_id else {
            return Ok(None);
        };
        let repo = RepoRef {
            id: origin.repo_id,
            name: origin.repo.clone(),
            installation_id,
        };
        let session = self.github.shared_session(&repo);
        let label = &self.settings.label;
        let moves = session.label_moves(number, label, None).await?;
        let went = moves.off.as_ref().map(|e| from_rfc3339(&e.created_at));
        if moves.gone() {
            return Ok(went.map(Older::than));
        }
        // The newest that GitHub lists is that it came. It may have gone since.
        let Some(on) = moves.on else { return Ok(None) };
        if !self.still_labeled(&session, number).await? {
            return Ok(None);
        }
        let came = from_rfc3339(&on.created_at);
        Ok(Some(Older {
            until: went.flatten().or(came),
            spared: Some(label_key(repo.id, issue_id, on.id)),
        }))
    }

    pub(super) async fn closed(
        &self,
        delivery: &Delivery,
        event: &IssueEvent,
    ) -> Result<Admitted, IntakeError> {
        let at = from_rfc3339(&event.issue.closed_at).unwrap_or(delivery.received_at / 1000);
        let (repo_id, issue_id) = (event.origin.repo_id, event.issue.id);
        self.end(
            repo_id,
            issue_id,
            StopCause::IssueClosed,
            Older::than(Some(at)),
        )
        .await
    }

    pub(super) async fn gone(&self, event: &IssueEvent) -> Result<Admitted, IntakeError> {
        let (repo_id, issue_id) = (event.origin.repo_id, event.issue.id);
        self.end(repo_id, issue_id, StopCause::IssueGone, Older::than(None))
            .await
    }

    pub(super) async fn pull_closed(
        &self,
        delivery: &Delivery,
        event: PullRequestEvent,
    ) -> Result<Admitted, IntakeError> {
        let repo_id = event.origin.repo_id;
        let ms = |at: &str| from_rfc3339(at).map_or(0, |s| s * 1000);
        let end = PullEnd {
            repo_id,
            number: event.number,
            merged: event.merged,
            opened_at: ms(&event.created_at),
            ended_at: ms(&event.closed_at),
            head_sha: event.head_sha.clone(),
        };
        self.store.put_pull_end(&end).await?;
        let newest = self.store.latest_task_of_pull(repo_id, event.number);
        let Some(task) = newest.await? else {
            return Ok(Admitted::Ignored("a pull request of somebody else"));
        };
        let at = from_rfc3339(&event.closed_at).unwrap_or(delivery.received_at / 1000);
        let issue_id = task.trigger.issue.id;
        self.end(
            repo_id,
            issue_id,
            StopCause::PullClosed,
            Older::than(Some(at)),
        )
        .await
    }

    /// Ends the tasks of an issue; their own comments say so.
    async fn end(
        &self,
        repo_id: u64,
        issue_id: u64,
        cause: StopCause,
        older: Older,
    ) -> Result<Admitted, IntakeError> {
        let mut stopped = 0;
        for task in self.store.open_tasks(repo_id, issue_id).await? {
            let spared = older.spared.as_ref() == Some(&task.trigger.key);
            let newer = older.until.is_some_and(|until| task.asked_at() > until);
            if !spared && !newer && self.store.stop(task.id, cause).await? {
                stopped += 1;
            }
        }
        Ok(match stopped {
            0 => Admitted::Ignored("no task to stop"),
            _ => Admitted::Done(Vec::new()),
        })
    }

    /// mend may no longer work there: what runs or waits stops. The person who did it wanted that,
    /// so nobody is asked what they may do.
    pub(super) async fn taken_away(&self, what: Withdrawn) -> Result<Admitted, IntakeError> {
        let Some(installation) = what.installation_id else {
            return Ok(Admitted::Ignored("no installation"));
        };
        let repos: Vec<Option<u64>> = match what.repo_ids {
            None => vec![None],
            Some(ids) => ids.into_iter().map(Some).collect(),
        };
        let mut stopped = 0;
        for repo in repos {
            let tasks = self
                .store
                .cancel_installation(installation, repo, what.cause)
                .await?;
            stopped += tasks.len();
        }
        Ok(match stopped {
            0 => Admitted::Ignored("no task to stop"),
            _ => Admitted::Done(Vec::new()),
        })
    }
}
