//! Webhooks, as far as mend acts on them:
//! <https://docs.github.com/webhooks/webhook-events-and-payloads>. Deleted accounts are `null`,
//! bodies too, repository webhooks have no `installation`, and new actions come without notice:
//! what mend does not know is [`Event::Other`], never an error.

use super::wire::{LabelInfo, UserInfo, list, text};
use crate::domain::{Person, RepoName};
use serde::Deserialize;
use thiserror::Error;

/// Where an event comes from and who caused it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Origin {
    /// `None` for a webhook that a repository (and not the App) sent.
    pub installation_id: Option<u64>,
    pub repo_id: u64,
    pub repo: RepoName,
    pub private: bool,
    pub default_branch: String,
    /// `None` for a deleted account.
    pub sender: Option<Person>,
}

/// An issue, or a pull request as an issue, at the moment of the event.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Issue {
    pub id: u64,
    pub number: u64,
    pub title: String,
    pub body: String,
    /// Whether it is open.
    pub open: bool,
    pub author: Option<Person>,
    pub labels: Vec<String>,
    pub is_pull: bool,
}

/// A comment at the moment of the event.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Comment {
    pub id: u64,
    pub body: String,
    pub author: Option<Person>,
    /// As GitHub writes it; changes with every edit.
    pub updated_at: String,
    /// The App through which it was written.
    pub via_app: Option<u64>,
}

/// Something about an issue.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IssueEvent {
    pub origin: Origin,
    pub issue: Issue,
    /// The label that came or went, as it is written.
    pub label: Option<String>,
    /// The text before an edit, where it was the text that changed.
    pub body_before: Option<String>,
}

/// Something about a comment of an issue or a pull request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CommentEvent {
    pub origin: Origin,
    pub issue: Issue,
    pub comment: Comment,
    /// The text before an edit.
    pub body_before: Option<String>,
}

/// Something about a pull request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PullRequestEvent {
    pub origin: Origin,
    pub number: u64,
    pub head_branch: String,
    /// `None` when the fork is gone.
    pub head_repo_id: Option<u64>,
    pub merged: bool,
}

/// A webhook.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Event {
    IssueLabeled(IssueEvent),
    IssueUnlabeled(IssueEvent),
    IssueClosed(IssueEvent),
    IssueEdited(IssueEvent),
    IssueCommentCreated(CommentEvent),
    IssueCommentEdited(CommentEvent),
    PullRequestClosed(PullRequestEvent),
    Ping,
    /// Nothing that mend acts on.
    Other {
        event: String,
        action: Option<String>,
    },
}

/// A payload that cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum EventError {
    #[error("the payload of `{event}` is not JSON")]
    NotJson { event: String },
    /// An event that mend acts on, without what is needed for that.
    #[error("the payload of `{event}` lacks `{field}`")]
    Incomplete { event: String, field: &'static str },
}

#[derive(Deserialize)]
struct Head {
    #[serde(default)]
    action: Option<String>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct Payload {
    installation: Option<Id>,
    repository: Option<RepoPart>,
    sender: Option<UserInfo>,
    issue: Option<IssuePart>,
    comment: Option<CommentPart>,
    label: Option<LabelInfo>,
    pull_request: Option<PullPart>,
    changes: Option<Changes>,
}

#[derive(Deserialize)]
struct Id {
    id: u64,
}

#[derive(Deserialize)]
struct RepoPart {
    id: u64,
    full_name: String,
    #[serde(default)]
    private: bool,
    #[serde(default, deserialize_with = "text")]
    default_branch: String,
}

#[derive(Deserialize)]
struct IssuePart {
    id: u64,
    number: u64,
    #[serde(default, deserialize_with = "text")]
    title: String,
    #[serde(default, deserialize_with = "text")]
    body: String,
    #[serde(default, deserialize_with = "text")]
    state: String,
    #[serde(default)]
    user: Option<UserInfo>,
    #[serde(default, deserialize_with = "list")]
    labels: Vec<LabelInfo>,
    #[serde(default)]
    pull_request: Option<serde_json::Value>,
}

#[derive(Deserialize)]
struct CommentPart {
    id: u64,
    #[serde(default, deserialize_with = "text")]
    body: String,
    #[serde(default)]
    user: Option<UserInfo>,
    #[serde(default, deserialize_with = "text")]
    updated_at: String,
    #[serde(default)]
    performed_via_github_app: Option<Id>,
}

#[derive(Deserialize)]
struct PullPart {
    number: u64,
    #[serde(default)]
    merged: Option<bool>,
    #[serde(default)]
    head: Option<HeadPart>,
}

#[derive(Deserialize)]
struct HeadPart {
    #[serde(rename = "ref", default, deserialize_with = "text")]
    branch: String,
    #[serde(default)]
    repo: Option<Id>,
}

#[derive(Deserialize)]
struct Changes {
    #[serde(default)]
    body: Option<From>,
}

#[derive(Deserialize)]
struct From {
    #[serde(default)]
    from: Option<String>,
}

impl Event {
    /// Reads a payload by the header `X-GitHub-Event`.
    ///
    /// # Errors
    /// [`EventError`]; never for an event or action that mend does not act on.
    pub fn parse(event: &str, body: &[u8]) -> Result<Event, EventError> {
        if event == "ping" {
            return Ok(Event::Ping);
        }
        let not_json = || EventError::NotJson {
            event: event.to_string(),
        };
        let head: Head = serde_json::from_slice(body).map_err(|_| not_json())?;
        let action = head.action.as_deref().unwrap_or_default();
        let make: fn(Parts) -> Result<Event, &'static str> = match (event, action) {
            ("issues", "labeled") => |p| Ok(Event::IssueLabeled(p.with_label()?)),
            ("issues", "unlabeled") => |p| Ok(Event::IssueUnlabeled(p.with_label()?)),
            ("issues", "closed") => |p| Ok(Event::IssueClosed(p.issue()?)),
            ("issues", "edited") => |p| Ok(Event::IssueEdited(p.issue()?)),
            ("issue_comment", "created") => |p| Ok(Event::IssueCommentCreated(p.comment()?)),
            ("issue_comment", "edited") => |p| Ok(Event::IssueCommentEdited(p.comment()?)),
            ("pull_request", "closed") => |p| Ok(Event::PullRequestClosed(p.pull()?)),
            _ => {
                return Ok(Event::Other {
                    event: event.to_string(),
                    action: head.action,
                });
            }
        };
        let incomplete = |field| EventError::Incomplete {
            event: event.to_string(),
            field,
        };
        let payload: Payload =
            serde_json::from_slice(body).map_err(|_| incomplete("a field of the right type"))?;
        make(Parts(payload)).map_err(incomplete)
    }
}

struct Parts(Payload);

impl Parts {
    fn origin(&mut self) -> Result<Origin, &'static str> {
        let repo = self.0.repository.take().ok_or("repository")?;
        Ok(Origin {
            installation_id: self.0.installation.take().map(|i| i.id),
            repo_id: repo.id,
            repo: repo.full_name.parse().map_err(|_| "repository.full_name")?,
            private: repo.private,
            default_branch: repo.default_branch,
            sender: self.0.sender.take().map(person),
        })
    }

    fn body_before(&mut self) -> Option<String> {
        self.0.changes.take()?.body?.from
    }

    fn take_issue(&mut self) -> Result<Issue, &'static str> {
        let issue = self.0.issue.take().ok_or("issue")?;
        Ok(Issue {
            id: issue.id,
            number: issue.number,
            title: issue.title,
            body: issue.body,
            open: issue.state != "closed",
            author: issue.user.map(person),
            labels: issue.labels.into_iter().map(|l| l.name).collect(),
            is_pull: issue.pull_request.is_some(),
        })
    }

    fn issue(mut self) -> Result<IssueEvent, &'static str> {
        Ok(IssueEvent {
            origin: self.origin()?,
            issue: self.take_issue()?,
            body_before: self.body_before(),
            label: self.0.label.map(|l| l.name),
        })
    }

    fn with_label(self) -> Result<IssueEvent, &'static str> {
        let event = self.issue()?;
        match &event.label {
            Some(label) if !label.is_empty() => Ok(event),
            _ => Err("label"),
        }
    }

    fn comment(mut self) -> Result<CommentEvent, &'static str> {
        let comment = self.0.comment.take().ok_or("comment")?;
        Ok(CommentEvent {
            origin: self.origin()?,
            issue: self.take_issue()?,
            body_before: self.body_before(),
            comment: Comment {
                id: comment.id,
                body: comment.body,
                author: comment.user.map(person),
                updated_at: comment.updated_at,
                via_app: comment.performed_via_github_app.map(|a| a.id),
            },
        })
    }

    fn pull(mut self) -> Result<PullRequestEvent, &'static str> {
        let pull = self.0.pull_request.take().ok_or("pull_request")?;
        let head = pull.head.ok_or("pull_request.head")?;
        Ok(PullRequestEvent {
            origin: self.origin()?,
            number: pull.number,
            head_branch: head.branch,
            head_repo_id: head.repo.map(|r| r.id),
            merged: pull.merged.unwrap_or(false),
        })
    }
}

fn person(user: UserInfo) -> Person {
    Person {
        is_bot: user.is_bot(),
        id: user.id,
        login: user.login,
    }
}
