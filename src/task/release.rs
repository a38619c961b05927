//! `/mend ci`: an empty commit on mend's branch, whose push starts the CI that is held.

use super::marker;
use crate::github::{
    CheckOutput, Conclusion, Github, GithubError, NewCheckRun, PullInfo, PullState, PullUpdate,
    Session, Stands, Thread,
};
use crate::intake::Notice;
use crate::render;
use crate::store::{Store, StoreError};

/// What a release needs.
pub(super) struct Release<'a> {
    pub(super) store: &'a Store,
    pub(super) github: &'a Github,
    /// Every branch of mend's begins with it.
    pub(super) prefix: &'a str,
}

/// Why it was not tried to the end; it is tried again.
#[derive(Debug, thiserror::Error)]
pub(super) enum ReleaseError {
    #[error(transparent)]
    Github(#[from] GithubError),
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl Release<'_> {
    /// Lets CI run, once however often it is called; the answer.
    pub(super) async fn ask(&self, notice: &Notice) -> Result<String, ReleaseError> {
        let session = self.github.session(&notice.place.repo);
        let done = self.with(&session, notice).await;
        if let Err(error) = session.revoke_all().await {
            tracing::debug!(%error, "a token was not revoked and expires by itself");
        }
        done
    }

    async fn with(&self, session: &Session, notice: &Notice) -> Result<String, ReleaseError> {
        let Some(pull) = self.pull(session, notice).await? else {
            return Ok(render::no_held_pull());
        };
        let (branch, head) = (&pull.head.branch, &pull.head.sha);
        let commit = session.git_commit(head).await?;
        if !render::holds_ci(&commit.message) {
            // The answer to an earlier try may be lost.
            return Ok(match render::is_release(&commit.message) {
                true => render::ci_released(branch, head),
                false => render::nothing_held(branch),
            });
        }
        let message = render::release_message(&notice.place.person.login, head);
        let moved = async {
            let repo = session.repo_by_id().await?;
            let new = session
                .make_commit(&message, &commit.tree.sha, head)
                .await?;
            let stands = session.move_branch(&repo, branch, Some(head), &new, false);
            Ok((stands.await?, new))
        };
        let new = match moved.await {
            Ok((Stands::There, new)) => new,
            Ok((Stands::Elsewhere(_), _)) => {
                return Ok(render::release_refused(branch, "it moved meanwhile"));
            }
            Err(error @ (GithubError::Forbidden(_) | GithubError::Validation(_))) => {
                return Ok(render::release_refused(branch, &error.to_string()));
            }
            Err(error) => return Err(error.into()),
        };
        self.tell(session, &pull, &new).await;
        Ok(render::ci_released(branch, &new))
    }

    /// The open pull request of mend's that is meant.
    async fn pull(
        &self,
        session: &Session,
        notice: &Notice,
    ) -> Result<Option<PullInfo>, ReleaseError> {
        let (repo, number) = (session.repo().id, notice.place.thread.number());
        let number = match notice.place.thread {
            Thread::Pull(n) | Thread::Line { pull: n, .. } => Some(n),
            Thread::Issue(_) => self.store.pull_of_issue(repo, number).await?,
        };
        let Some(number) = number else {
            return Ok(None);
        };
        let known = session.pull(number).await?;
        let ours = known.head.branch.starts_with(self.prefix)
            && marker::other_app(&known.body, self.github.app_id()).is_none();
        if !ours {
            return Ok(None);
        }
        // Of this repository's branch, and open.
        let open = session
            .pulls_of(&known.head.branch, PullState::Open)
            .await?;
        Ok(open.into_iter().find(|pull| pull.number == number))
    }

    /// What says that CI is held goes, and the new head has what mend's checks said of the same
    /// files. Neither keeps CI from running.
    async fn tell(&self, session: &Session, pull: &PullInfo, new: &str) {
        if let Some(body) = render::released(&pull.body) {
            let update = PullUpdate {
                body: Some(&body),
                ..PullUpdate::default()
            };
            if let Err(error) = session.update_pull(pull.number, &update).await {
                tracing::warn!(%error, "the pull request still says that CI is held");
            }
        }
        if let Err(error) = self.check_run(session, pull, new).await {
            tracing::warn!(%error, "no check run on the commit that lets CI run");
        }
    }

    async fn check_run(
        &self,
        session: &Session,
        pull: &PullInfo,
        new: &str,
    ) -> Result<(), ReleaseError> {
        let repo = session.repo().id;
        let Some(task) = self.store.latest_task_of_pull(repo, pull.number).await? else {
            return Ok(());
        };
        let (name, id) = (super::check_run::NAME, task.id.to_string());
        let Some(run) = session.find_check_run(&pull.head.sha, name, &id).await? else {
            return Ok(());
        };
        let word = serde_json::Value::from(run.conclusion.unwrap_or_default());
        let Ok(conclusion) = serde_json::from_value::<Conclusion>(word) else {
            return Ok(());
        };
        let output = CheckOutput {
            title: render::same_files_title(&pull.head.sha),
            summary: render::same_files(&pull.head.sha, &run.html_url),
            text: None,
            annotations: Vec::new(),
        };
        let again = NewCheckRun {
            name,
            head_sha: new,
            external_id: Some(&id),
            details_url: None,
            conclusion: Some(conclusion),
            output: Some(&output),
        };
        session.create_check_run(&again).await?;
        Ok(())
    }
}
