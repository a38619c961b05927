//! Issues: opened, edited, closed, reopened.

use super::super::answer::Refusal;
use super::super::state::{Happening, Issue, World};
use super::check_body;
use serde_json::{Value, json};

/// What an edit sets; `None` leaves as it is.
#[derive(Debug, Default)]
pub(in super::super) struct IssueEdit {
    pub title: Option<String>,
    pub body: Option<String>,
    pub open: Option<bool>,
    pub state_reason: Option<String>,
}

impl World {
    pub fn open_issue(
        &mut self,
        repo: u64,
        author: &str,
        title: &str,
        body: Option<&str>,
        labels: &[String],
    ) -> Result<u64, Refusal> {
        if title.trim().is_empty() {
            return Err(Refusal::invalid("Issue", "title", "missing_field", None));
        }
        check_body("Issue", body.unwrap_or_default())?;
        let number = self.new_issue(repo, author, title, body)?;
        self.emit_issue(repo, number, "opened", author, json!({}))?;
        self.add_labels(repo, number, labels, author)?;
        Ok(number)
    }

    /// An issue without webhooks, for pull requests as well.
    pub(super) fn new_issue(
        &mut self,
        repo: u64,
        author: &str,
        title: &str,
        body: Option<&str>,
    ) -> Result<u64, Refusal> {
        let (id, now) = (self.fresh(), self.now());
        let repo = self.repo_mut(repo)?;
        let number = repo.next_number;
        repo.next_number += 1;
        repo.issues.insert(
            number,
            Issue {
                id,
                number,
                author: author.to_string(),
                title: title.to_string(),
                body: body.map(str::to_string),
                labels: Vec::new(),
                open: true,
                locked: false,
                state_reason: None,
                created_at: now,
                updated_at: now,
                closed_at: None,
                closed_by: None,
                comments: Vec::new(),
                reactions: Vec::new(),
                events: Vec::new(),
                pull: None,
            },
        );
        Ok(number)
    }

    /// Edits an issue or the issue part of a pull request.
    pub fn edit_issue(
        &mut self,
        repo: u64,
        number: u64,
        edit: IssueEdit,
        actor: &str,
    ) -> Result<(), Refusal> {
        let now = self.now();
        let issue = self.issue_mut(repo, number)?;
        let mut changes = json!({});
        if let Some(title) = edit.title.filter(|t| *t != issue.title) {
            if title.trim().is_empty() {
                return Err(Refusal::invalid("Issue", "title", "missing_field", None));
            }
            changes["title"] = json!({ "from": issue.title });
            let from = std::mem::replace(&mut issue.title, title.clone());
            self.note(repo, number, actor, Happening::Renamed { from, to: title })?;
        }
        let issue = self.issue_mut(repo, number)?;
        if let Some(body) = edit.body.filter(|b| Some(b) != issue.body.as_ref()) {
            check_body("Issue", &body)?;
            changes["body"] = json!({ "from": issue.body.clone().unwrap_or_default() });
            issue.body = Some(body);
        }
        if changes != json!({}) {
            issue.updated_at = now;
            self.emit_issue(repo, number, "edited", actor, json!({ "changes": changes }))?;
        }
        match edit.open {
            Some(open) => self.set_open(repo, number, open, edit.state_reason, actor),
            None => Ok(()),
        }
    }

    pub(super) fn set_open(
        &mut self,
        repo: u64,
        number: u64,
        open: bool,
        reason: Option<String>,
        actor: &str,
    ) -> Result<(), Refusal> {
        let now = self.now();
        let issue = self.issue_mut(repo, number)?;
        if issue.open == open {
            return Ok(());
        }
        issue.open = open;
        issue.closed_at = (!open).then_some(now);
        issue.closed_by = (!open).then(|| actor.to_string());
        issue.state_reason = match (issue.pull.is_some(), open) {
            (true, _) => None,
            (false, true) => Some("reopened".to_string()),
            (false, false) => Some(reason.unwrap_or_else(|| "completed".to_string())),
        };
        let (what, action) = if open {
            (Happening::Reopened, "reopened")
        } else {
            (Happening::Closed, "closed")
        };
        self.note(repo, number, actor, what)?;
        self.emit_issue(repo, number, action, actor, Value::Null)
    }
}
