//! From a payload to an [`Event`].

use super::{
    CheckRunEvent, Comment, CommentEvent, Event, EventError, Issue, IssueEvent, Origin,
    PullRequestEvent, ReviewCommentEvent, ReviewEvent, Withdrawn,
};
use crate::domain::{Person, StopCause};
use crate::github::wire::{LabelInfo, UserInfo, list, text};
use serde::Deserialize;

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
    review: Option<ReviewPart>,
    check_run: Option<CheckRunPart>,
    check_suite: Option<CheckRunPart>,
    repositories_removed: Option<Vec<Id>>,
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
    #[serde(default, deserialize_with = "text")]
    closed_at: String,
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
    #[serde(default)]
    pull_request_review_id: Option<u64>,
}

#[derive(Deserialize)]
struct ReviewPart {
    id: u64,
    #[serde(default, deserialize_with = "text")]
    body: String,
    #[serde(default, deserialize_with = "text")]
    state: String,
    #[serde(default)]
    user: Option<UserInfo>,
    #[serde(default, deserialize_with = "text")]
    submitted_at: String,
}

#[derive(Deserialize)]
struct CheckRunPart {
    id: u64,
    #[serde(default)]
    app: Option<Id>,
    #[serde(default, deserialize_with = "list")]
    pull_requests: Vec<Numbered>,
}

#[derive(Deserialize)]
struct Numbered {
    number: u64,
}

#[derive(Deserialize)]
struct PullPart {
    number: u64,
    #[serde(default)]
    merged: Option<bool>,
    #[serde(default, deserialize_with = "text")]
    created_at: String,
    #[serde(default, deserialize_with = "text")]
    closed_at: String,
    #[serde(default)]
    head: Option<HeadPart>,
}

#[derive(Deserialize)]
struct HeadPart {
    #[serde(rename = "ref", default, deserialize_with = "text")]
    branch: String,
    #[serde(default, deserialize_with = "text")]
    sha: String,
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
        let Some(make) = maker(event, action) else {
            return Ok(Event::Other {
                event: event.to_string(),
                action: head.action,
            });
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

type Make = fn(Parts) -> Result<Event, &'static str>;

/// How the event is read, if mend acts on it.
fn maker(event: &str, action: &str) -> Option<Make> {
    let make: Make = match (event, action) {
        ("issues", "labeled") => |p| Ok(Event::IssueLabeled(p.with_label()?)),
        ("issues", "unlabeled") => |p| Ok(Event::IssueUnlabeled(p.with_label()?)),
        ("issues", "closed") => |p| Ok(Event::IssueClosed(p.issue()?)),
        ("issues", "deleted" | "transferred") => |p| Ok(Event::IssueGone(p.issue()?)),
        ("issues", "edited") => |p| Ok(Event::IssueEdited(p.issue()?)),
        ("issue_comment", "created") => |p| Ok(Event::IssueCommentCreated(p.comment()?)),
        ("issue_comment", "edited") => |p| Ok(Event::IssueCommentEdited(p.comment()?)),
        ("pull_request", "closed") => |p| Ok(Event::PullRequestClosed(p.pull()?)),
        ("pull_request_review", "submitted") => |p| Ok(Event::ReviewSubmitted(p.review()?)),
        ("pull_request_review_comment", "created") => {
            |p| Ok(Event::ReviewCommentCreated(p.review_comment()?))
        }
        ("pull_request_review_comment", "edited") => {
            |p| Ok(Event::ReviewCommentEdited(p.review_comment()?))
        }
        ("check_run", "rerequested") => |p| Ok(Event::CheckRunRerequested(p.check_run()?)),
        ("check_suite", "rerequested") => |p| Ok(Event::CheckSuiteRerequested(p.check_suite()?)),
        ("installation", "deleted") => |p| Ok(p.installation(StopCause::AppUninstalled)),
        ("installation", "suspend") => |p| Ok(p.installation(StopCause::AppSuspended)),
        ("installation_repositories", "removed") => |p| Ok(Event::Withdrawn(p.removed()?)),
        ("repository", "deleted" | "transferred") => |p| p.repository(StopCause::RepoGone),
        ("repository", "archived") => |p| p.repository(StopCause::RepoArchived),
        ("repository", "privatized") => |p| p.repository(StopCause::RepoPrivate),
        _ => return None,
    };
    Some(make)
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
            closed_at: issue.closed_at,
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
            comment: read_comment(comment),
        })
    }

    fn review(mut self) -> Result<ReviewEvent, &'static str> {
        let review = self.0.review.take().ok_or("review")?;
        Ok(ReviewEvent {
            pull: self.pull()?,
            review_id: review.id,
            state: review.state.to_lowercase(),
            body: review.body,
            author: review.user.map(person),
            submitted_at: review.submitted_at,
        })
    }

    fn review_comment(mut self) -> Result<ReviewCommentEvent, &'static str> {
        let comment = self.0.comment.take().ok_or("comment")?;
        let body_before = self.body_before();
        Ok(ReviewCommentEvent {
            pull: self.pull()?,
            review_id: comment.pull_request_review_id,
            comment: read_comment(comment),
            body_before,
        })
    }

    fn check_run(mut self) -> Result<CheckRunEvent, &'static str> {
        let run = self.0.check_run.take().ok_or("check_run")?;
        self.checked(run)
    }

    fn check_suite(mut self) -> Result<CheckRunEvent, &'static str> {
        let suite = self.0.check_suite.take().ok_or("check_suite")?;
        self.checked(suite)
    }

    fn checked(mut self, run: CheckRunPart) -> Result<CheckRunEvent, &'static str> {
        Ok(CheckRunEvent {
            origin: self.origin()?,
            check_run_id: run.id,
            app_id: run.app.map(|a| a.id),
            pulls: run.pull_requests.iter().map(|p| p.number).collect(),
        })
    }

    fn installation(self, cause: StopCause) -> Event {
        Event::Withdrawn(Withdrawn {
            installation_id: self.0.installation.map(|i| i.id),
            repo_ids: None,
            cause,
        })
    }

    fn removed(self) -> Result<Withdrawn, &'static str> {
        let repos = self.0.repositories_removed.ok_or("repositories_removed")?;
        Ok(Withdrawn {
            installation_id: self.0.installation.map(|i| i.id),
            repo_ids: Some(repos.iter().map(|r| r.id).collect()),
            cause: StopCause::RepoRemoved,
        })
    }

    fn repository(self, cause: StopCause) -> Result<Event, &'static str> {
        Ok(Event::Withdrawn(Withdrawn {
            repo_ids: Some(vec![self.0.repository.ok_or("repository")?.id]),
            installation_id: self.0.installation.map(|i| i.id),
            cause,
        }))
    }

    fn pull(mut self) -> Result<PullRequestEvent, &'static str> {
        let pull = self.0.pull_request.take().ok_or("pull_request")?;
        let head = pull.head.ok_or("pull_request.head")?;
        Ok(PullRequestEvent {
            origin: self.origin()?,
            number: pull.number,
            head_branch: head.branch,
            head_sha: head.sha,
            created_at: pull.created_at,
            head_repo_id: head.repo.map(|r| r.id),
            merged: pull.merged.unwrap_or(false),
            closed_at: pull.closed_at,
        })
    }
}

fn read_comment(comment: CommentPart) -> Comment {
    Comment {
        id: comment.id,
        body: comment.body,
        author: comment.user.map(person),
        updated_at: comment.updated_at,
        via_app: comment.performed_via_github_app.map(|a| a.id),
    }
}

fn person(user: UserInfo) -> Person {
    Person {
        is_bot: user.is_bot(),
        id: user.id,
        login: user.login,
    }
}
