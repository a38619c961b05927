//! The state as tests and the demo look at it.

use super::state::{CheckRun, Comment, Issue, LineComment, Pull, Reaction};

/// A comment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CommentView {
    pub id: u64,
    pub author: String,
    pub body: String,
    /// Author and content, oldest first.
    pub reactions: Vec<(String, String)>,
    pub edited: bool,
}

/// An issue, or what a pull request has of one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IssueView {
    pub number: u64,
    pub author: String,
    pub title: String,
    pub body: String,
    pub open: bool,
    pub labels: Vec<String>,
    pub comments: Vec<CommentView>,
    /// Author and content, oldest first.
    pub reactions: Vec<(String, String)>,
    pub is_pull: bool,
}

/// A pull request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PullView {
    pub number: u64,
    pub author: String,
    pub title: String,
    pub body: String,
    pub open: bool,
    pub draft: bool,
    pub merged: bool,
    /// Branch names.
    pub head: String,
    pub base: String,
    pub head_sha: String,
    pub url: String,
    /// Who was asked for a review; a team with a slash before it.
    pub asked: Vec<String>,
}

/// A comment on a line of a pull request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LineCommentView {
    pub id: u64,
    pub author: String,
    pub body: String,
    pub path: String,
    /// The comment that this one answers.
    pub in_reply_to: Option<u64>,
    /// Author and content, oldest first.
    pub reactions: Vec<(String, String)>,
}

impl From<&LineComment> for LineCommentView {
    fn from(comment: &LineComment) -> Self {
        LineCommentView {
            id: comment.id,
            author: comment.author.clone(),
            body: comment.body.clone(),
            path: comment.path.clone(),
            in_reply_to: comment.in_reply_to,
            reactions: reactions(&comment.reactions),
        }
    }
}

/// A check run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CheckRunView {
    pub id: u64,
    pub name: String,
    pub head_sha: String,
    pub status: String,
    pub conclusion: Option<String>,
    pub title: Option<String>,
    pub summary: Option<String>,
    pub external_id: Option<String>,
    /// As they were given.
    pub annotations: Vec<serde_json::Value>,
}

fn reactions(of: &[Reaction]) -> Vec<(String, String)> {
    of.iter()
        .map(|r| (r.author.clone(), r.content.clone()))
        .collect()
}

impl From<&Comment> for CommentView {
    fn from(c: &Comment) -> CommentView {
        CommentView {
            id: c.id,
            author: c.author.clone(),
            body: c.body.clone(),
            reactions: reactions(&c.reactions),
            edited: c.updated_at != c.created_at,
        }
    }
}

impl From<&Issue> for IssueView {
    fn from(issue: &Issue) -> IssueView {
        IssueView {
            number: issue.number,
            author: issue.author.clone(),
            title: issue.title.clone(),
            body: issue.body.clone().unwrap_or_default(),
            open: issue.open,
            labels: issue.labels.clone(),
            comments: issue.comments.iter().map(CommentView::from).collect(),
            reactions: reactions(&issue.reactions),
            is_pull: issue.pull.is_some(),
        }
    }
}

impl PullView {
    pub(super) fn of(issue: &Issue, pull: &Pull, url: String) -> PullView {
        PullView {
            number: issue.number,
            author: issue.author.clone(),
            title: issue.title.clone(),
            body: issue.body.clone().unwrap_or_default(),
            open: issue.open,
            draft: pull.draft,
            merged: pull.merged.is_some(),
            head: pull.head.clone(),
            base: pull.base.clone(),
            head_sha: pull.head_sha.clone(),
            url,
            asked: pull.asked.clone(),
        }
    }
}

impl From<&CheckRun> for CheckRunView {
    fn from(run: &CheckRun) -> CheckRunView {
        CheckRunView {
            id: run.id,
            name: run.name.clone(),
            head_sha: run.head_sha.clone(),
            status: run.status.clone(),
            conclusion: run.conclusion.clone(),
            title: run.title.clone(),
            summary: run.summary.clone(),
            external_id: run.external_id.clone(),
            annotations: run.annotations.clone(),
        }
    }
}
