//! Reviews of mend's open pull requests, and commands on their lines, that no webhook told of.

use super::admit::Admit;
use super::error::IntakeError;
use super::reconcile::{COMMENTS_S, YOUNG_S, repo_json, user_json};
use crate::domain::{Command, IssueRef};
use crate::github::{PullInfo, ReviewCommentInfo, ReviewInfo, Session, UserInfo};
use crate::text::from_rfc3339;
use serde_json::{Value, json};

impl Admit {
    /// Stores what was missed in one repository; returns how much that was.
    pub(super) async fn missed_reviews(
        &self,
        session: &Session,
        now: i64,
    ) -> Result<usize, IntakeError> {
        let (repo, prefix) = (session.repo(), &self.settings.branch_prefix);
        let ours = |pull: &PullInfo| {
            let here = pull.head.repo.as_ref().map(|r| r.id) == Some(repo.id);
            here && pull.head.branch.starts_with(prefix)
        };
        let open = session.open_pulls().await?;
        let mut found = 0;
        for pull in open.iter().filter(|p| ours(p)) {
            // What this database does not know is another's, or was answered by one that is lost.
            let Some(about) = self.about_pull(repo.clone(), pull.number).await? else {
                continue;
            };
            for review in session.reviews(pull.number).await? {
                let missed = self.missed_review(session, pull, &about.issue, &review, now);
                found += usize::from(missed.await?);
            }
            let lines = session.line_comments(pull.number).await?;
            for line in &lines {
                let missed = self.missed_line(session, pull, (&about.issue, &lines), line, now);
                found += usize::from(missed.await?);
            }
        }
        Ok(found)
    }

    /// A review that asks for changes or for a run, after which mend wrote nothing on the pull
    /// request.
    async fn missed_review(
        &self,
        session: &Session,
        pull: &PullInfo,
        issue: &IssueRef,
        review: &ReviewInfo,
        now: i64,
    ) -> Result<bool, IntakeError> {
        let Some(author) = review.user.as_ref().filter(|u| !u.is_bot()) else {
            return Ok(false);
        };
        let at = from_rfc3339(&review.submitted_at).unwrap_or(now);
        let changes = review.state.eq_ignore_ascii_case("changes_requested");
        let asks = changes || self.asks_for_a_run(&review.body).await?;
        let old = now - at > COMMENTS_S || now - at < YOUNG_S;
        let key = format!("{}:{}:review:{}", session.repo().id, issue.id, review.id);
        if !asks || old || self.store.has_task_of(&key).await? {
            return Ok(false);
        }
        let comments = session.comments(pull.number).await?;
        let later = |c: &str| from_rfc3339(c).is_some_and(|t| t >= at);
        if comments
            .iter()
            .any(|c| self.is_own(c) && later(&c.updated_at))
        {
            return Ok(false);
        }
        let mut payload = on_pull(session, pull, author, "submitted");
        payload["review"] = json!({
            "id": review.id,
            "body": review.body,
            "state": review.state.to_lowercase(),
            "user": user_json(author),
            "submitted_at": review.submitted_at,
        });
        let guid = format!("reconciled-review-{}", review.id);
        self.store_missed(guid, "pull_request_review", session, issue.number, payload)
            .await
    }

    /// A command on a line that asks for a run, after which mend wrote nothing beneath it.
    async fn missed_line(
        &self,
        session: &Session,
        pull: &PullInfo,
        (issue, all): (&IssueRef, &[ReviewCommentInfo]),
        line: &ReviewCommentInfo,
        now: i64,
    ) -> Result<bool, IntakeError> {
        let Some(author) = line.user.as_ref().filter(|u| !u.is_bot()) else {
            return Ok(false);
        };
        let at = from_rfc3339(&line.updated_at).unwrap_or(now);
        let old = now - at > COMMENTS_S || now - at < YOUNG_S;
        if old || !self.asks_for_a_run(&line.body).await? {
            return Ok(false);
        }
        let review = line.pull_request_review_id.unwrap_or(line.id);
        let key = format!("{}:{}:review:{review}", session.repo().id, issue.id);
        let root = line.in_reply_to_id.unwrap_or(line.id);
        let bot = format!("{}[bot]", self.github.app().await?.slug);
        let answered = all.iter().any(|c| {
            let ours = c.user.as_ref().is_some_and(|u| u.login == bot);
            let later = from_rfc3339(&c.updated_at).is_some_and(|t| t >= at);
            ours && later && c.in_reply_to_id == Some(root)
        });
        if answered || self.store.has_task_of(&key).await? {
            return Ok(false);
        }
        let mut payload = on_pull(session, pull, author, "created");
        payload["comment"] = json!({
            "id": line.id,
            "pull_request_review_id": line.pull_request_review_id,
            "path": line.path,
            "body": line.body,
            "user": user_json(author),
            "updated_at": line.updated_at,
        });
        let guid = format!("reconciled-line-{}-{}", line.id, line.updated_at);
        let event = "pull_request_review_comment";
        self.store_missed(guid, event, session, issue.number, payload)
            .await
    }

    /// Whether a text holds a command that starts a run.
    pub(super) async fn asks_for_a_run(&self, text: &str) -> Result<bool, IntakeError> {
        let asked = self.asked(text).await?.unwrap_or_default();
        let runs = |c: &Command| matches!(c, Command::Retry { .. } | Command::Fix { .. });
        Ok(asked.iter().any(runs))
    }
}

fn on_pull(session: &Session, pull: &PullInfo, by: &UserInfo, action: &str) -> Value {
    let repo = session.repo();
    json!({
        "action": action,
        "pull_request": {
            "number": pull.number,
            "head": { "ref": pull.head.branch, "repo": { "id": repo.id } },
        },
        "repository": repo_json(repo),
        "sender": user_json(by),
        "installation": { "id": repo.installation_id },
    })
}
