//! What GitHub's list of deliveries no longer holds: labelled open issues that nobody worked on, and
//! commands that nobody answered. Each becomes the delivery that never came, and goes its way: the
//! same question who may, the same semantic key, so that nothing is made twice.
//!
//! Whatever mend wrote there since is its answer, also where it was another database's.

use super::admit::{Admit, label_key};
use super::error::IntakeError;
use crate::domain::{Cancel, RepoRef};
use crate::github::{CommentInfo, IssueInfo, Session, UserInfo};
use crate::store::{Added, Incoming};
use crate::text::from_rfc3339;
use serde_json::{Value, json};
use std::time::Duration;

/// Comments older than this are no longer waited for.
pub(super) const COMMENTS_S: i64 = 14 * 24 * 3600;
/// What is younger may still be on its way.
pub(super) const YOUNG_S: i64 = 180;

impl Admit {
    /// Looks now and every so often, until `stop`.
    pub async fn reconcile(&self, every: Duration, stop: &Cancel) {
        loop {
            match self.reconcile_once().await {
                Ok(0) => {}
                Ok(found) => tracing::info!(found, "labels and commands that no webhook told of"),
                Err(error) => tracing::warn!(%error, "labels and commands cannot be looked for"),
            }
            tokio::select! {
                () = stop.cancelled() => return,
                () = tokio::time::sleep(every) => {}
            }
        }
    }

    /// Stores what was missed; returns how much that was. One repository that cannot be read keeps
    /// nobody from the others.
    pub async fn reconcile_once(&self) -> Result<usize, IntakeError> {
        let mut found = 0;
        for installation in self.github.installations().await? {
            if installation.suspended_at.is_some() {
                continue;
            }
            let repos = match self.github.repos_of(installation.id).await {
                Ok(repos) => repos,
                Err(error) => {
                    tracing::warn!(%error, installation = installation.id, "the installation cannot be read");
                    continue;
                }
            };
            for repo in repos.iter().filter(|r| self.serves(&r.name)) {
                match self.reconcile_repo(repo).await {
                    Ok(some) => found += some,
                    Err(error) => {
                        tracing::warn!(%error, repo = %repo.name, "the repository cannot be looked through");
                    }
                }
            }
        }
        Ok(found)
    }

    async fn reconcile_repo(&self, repo: &RepoRef) -> Result<usize, IntakeError> {
        let session = self.github.shared_session(repo);
        let now = self.store.clock().unix();
        let mut found = 0;
        for issue in session.labelled_issues(&self.settings.label).await? {
            found += usize::from(self.missed_label(&session, &issue, now).await?);
        }
        let comments = session.comments_since(now - COMMENTS_S).await?;
        for comment in &comments {
            found += usize::from(
                self.missed_command(&session, comment, &comments, now)
                    .await?,
            );
        }
        Ok(found + self.missed_reviews(&session, now).await?)
    }

    async fn missed_label(
        &self,
        session: &Session,
        issue: &IssueInfo,
        now: i64,
    ) -> Result<bool, IntakeError> {
        if issue.pull_request.is_some() {
            return Ok(false);
        }
        let label = &self.settings.label;
        let Some(labeled) = session.newest_labeled(issue.number, label, None).await? else {
            return Ok(false);
        };
        let at = from_rfc3339(&labeled.created_at).unwrap_or(now);
        let Some(actor) = labeled.actor.filter(|a| !a.is_bot()) else {
            return Ok(false);
        };
        let repo = session.repo();
        let key = label_key(repo.id, issue.id, labeled.id);
        if now - at < YOUNG_S || self.store.has_task_of(&key).await? {
            return Ok(false);
        }
        let comments = session.comments(issue.number).await?;
        if comments.iter().any(|c| self.is_own(c) && after(c, at)) {
            return Ok(false);
        }
        let payload = json!({
            "action": "labeled",
            "issue": issue_json(issue),
            "label": { "name": label },
            "repository": repo_json(repo),
            "sender": user_json(&actor),
            "installation": { "id": repo.installation_id },
        });
        let guid = format!("reconciled-label-{}", labeled.id);
        self.store_missed(guid, "issues", session, issue.number, payload)
            .await
    }

    /// A comment that asks for a run, after which mend wrote nothing there. Other commands are not
    /// repeated: a stop or a question of two weeks ago is over.
    async fn missed_command(
        &self,
        session: &Session,
        comment: &CommentInfo,
        all: &[CommentInfo],
        now: i64,
    ) -> Result<bool, IntakeError> {
        let Some(author) = comment.user.as_ref().filter(|u| !u.is_bot()) else {
            return Ok(false);
        };
        let at = from_rfc3339(&comment.updated_at).unwrap_or(now);
        if comment.performed_via_github_app.is_some() || now - at < YOUNG_S {
            return Ok(false);
        }
        if !self.asks_for_a_run(&comment.body).await? {
            return Ok(false);
        }
        let place = |c: &CommentInfo| {
            c.issue_url
                .rsplit('/')
                .next()
                .and_then(|n| n.parse::<u64>().ok())
        };
        let Some(number) = place(comment) else {
            return Ok(false);
        };
        let answered = |c: &CommentInfo| place(c) == Some(number) && self.is_own(c) && after(c, at);
        if all.iter().any(answered) {
            return Ok(false);
        }
        let repo = session.repo();
        let issue = session.issue(number).await?;
        let key = format!(
            "{}:{}:comment:{}:{}",
            repo.id, issue.id, comment.id, comment.updated_at
        );
        if issue.state == "closed" || self.store.has_task_of(&key).await? {
            return Ok(false);
        }
        let payload = json!({
            "action": "created",
            "issue": issue_json(&issue),
            "comment": {
                "id": comment.id,
                "body": comment.body,
                "user": user_json(author),
                "created_at": comment.created_at,
                "updated_at": comment.updated_at,
            },
            "repository": repo_json(repo),
            "sender": user_json(author),
            "installation": { "id": repo.installation_id },
        });
        let guid = format!("reconciled-comment-{}-{}", comment.id, comment.updated_at);
        self.store_missed(guid, "issue_comment", session, number, payload)
            .await
    }

    pub(super) async fn store_missed(
        &self,
        guid: String,
        event: &str,
        session: &Session,
        number: u64,
        payload: Value,
    ) -> Result<bool, IntakeError> {
        let incoming = Incoming {
            guid,
            event: event.to_string(),
            lane: Some(format!("{}:{number}", session.repo().id)),
            payload: payload.to_string().into(),
        };
        Ok(self.store.add_delivery(incoming).await? == Added::New)
    }

    /// Whether this App wrote it.
    pub(super) fn is_own(&self, comment: &CommentInfo) -> bool {
        let via = comment.performed_via_github_app.as_ref();
        let by_app = via.is_some_and(|app| app.id == self.github.app_id());
        let bot = comment.user.as_ref().is_some_and(UserInfo::is_bot);
        by_app || bot && via.is_none() && comment.body.starts_with("<!-- mend:")
    }
}

/// Written or edited since.
fn after(comment: &CommentInfo, at: i64) -> bool {
    from_rfc3339(&comment.updated_at).is_some_and(|written| written >= at)
}

pub(super) fn user_json(user: &UserInfo) -> Value {
    json!({ "id": user.id, "login": user.login, "type": user.kind })
}

pub(super) fn repo_json(repo: &RepoRef) -> Value {
    json!({ "id": repo.id, "full_name": repo.name.to_string() })
}

fn issue_json(issue: &IssueInfo) -> Value {
    json!({
        "id": issue.id,
        "number": issue.number,
        "title": issue.title,
        "body": issue.body,
        "state": issue.state,
        "user": issue.user.as_ref().map(user_json),
        "labels": issue.labels.iter().map(|l| json!({ "name": l.name })).collect::<Vec<_>>(),
        "pull_request": issue.pull_request,
    })
}
