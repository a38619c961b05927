//! Issues, their events, their comments and reactions.

use super::client::{Ask, segment};
use super::error::GithubError;
use super::session::{Purpose, Session};
use super::wire::{CommentInfo, IssueInfo, LabeledEvent, UserInfo};
use serde_json::json;

/// Where a conversation stands; it decides what a token needs to write there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Thread {
    Issue(u64),
    Pull(u64),
    /// Beneath a comment on a line of a pull request.
    Line {
        pull: u64,
        comment: u64,
    },
}

impl Thread {
    /// Issues and pull requests share their numbers.
    pub fn number(self) -> u64 {
        match self {
            Thread::Issue(n) | Thread::Pull(n) | Thread::Line { pull: n, .. } => n,
        }
    }

    fn purpose(self) -> Purpose {
        match self {
            Thread::Issue(_) => Purpose::Status,
            Thread::Pull(_) | Thread::Line { .. } => Purpose::PullStatus,
        }
    }

    /// Where comments of this kind lie.
    fn kind(self) -> &'static str {
        match self {
            Thread::Issue(_) | Thread::Pull(_) => "issues",
            Thread::Line { .. } => "pulls",
        }
    }
}

/// GitHub's eight reactions, as far as mend shows them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reaction {
    Eyes,
    ThumbsUp,
    ThumbsDown,
    Confused,
    Rocket,
}

impl Reaction {
    fn word(self) -> &'static str {
        match self {
            Reaction::Eyes => "eyes",
            Reaction::ThumbsUp => "+1",
            Reaction::ThumbsDown => "-1",
            Reaction::Confused => "confused",
            Reaction::Rocket => "rocket",
        }
    }
}

/// How a label last came onto an issue, and last went.
#[derive(Debug, Clone, Default)]
pub struct LabelMoves {
    pub on: Option<LabeledEvent>,
    pub off: Option<LabeledEvent>,
}

impl LabelMoves {
    /// Whether it went after it last came.
    pub fn gone(&self) -> bool {
        let id = |event: &Option<LabeledEvent>| event.as_ref().map(|e| e.id);
        id(&self.off) > id(&self.on)
    }
}

/// Ten thousand events or three thousand comments: more is no issue but an attack.
const EVENT_PAGES: usize = 100;
const COMMENT_PAGES: usize = 30;

impl Session {
    /// An issue, or a pull request as an issue.
    ///
    /// # Errors
    /// [`GithubError::NotFound`] also for a deleted one, [`GithubError::Moved`] for a transferred.
    pub async fn issue(&self, number: u64) -> Result<IssueInfo, GithubError> {
        let ask = Ask::get(self.path(&format!("/issues/{number}")));
        self.call(Purpose::Read, &ask).await?.json()
    }

    /// The newest event that put this label (in any case) on the issue, by this actor if one is
    /// given. Its id names the act of labelling over all deliveries that tell of it.
    ///
    /// # Errors
    /// Every class of [`GithubError`].
    pub async fn newest_labeled(
        &self,
        number: u64,
        label: &str,
        actor: Option<u64>,
    ) -> Result<Option<LabeledEvent>, GithubError> {
        Ok(self.label_moves(number, label, actor).await?.on)
    }

    /// How this label (in any case) last came onto the issue, by this actor if one is given, and
    /// last went. What went before the newest coming may not be found.
    ///
    /// # Errors
    /// Every class of [`GithubError`].
    pub async fn label_moves(
        &self,
        number: u64,
        label: &str,
        actor: Option<u64>,
    ) -> Result<LabelMoves, GithubError> {
        let path = self.path(&format!("/issues/{number}/events"));
        let lower = label.to_lowercase();
        let mut moves = LabelMoves::default();
        let mut look = |events: Vec<LabeledEvent>| {
            for event in events {
                let named = event.label.as_ref().map(|l| l.name.to_lowercase());
                let by = actor.is_none() || event.actor.as_ref().map(|a| a.id) == actor;
                let place = match event.event.as_str() {
                    "labeled" if by => &mut moves.on,
                    "unlabeled" => &mut moves.off,
                    _ => continue,
                };
                let newer = place.as_ref().is_none_or(|known| known.id < event.id);
                if named.as_deref() == Some(lower.as_str()) && newer {
                    *place = Some(event);
                }
            }
            moves.on.is_some()
        };
        // Oldest first on GitHub: the newest stands on the last page.
        let ask = |page| Ask::get(format!("{path}?per_page=100&page={page}"));
        let first = self.call(Purpose::Read, &ask(1)).await?;
        let last = first
            .link("last", "page")
            .and_then(|p| p.parse::<usize>().ok())
            .map_or(1, |last| last.min(EVENT_PAGES));
        for page in (2..=last).rev() {
            if look(self.call(Purpose::Read, &ask(page)).await?.json()?) {
                return Ok(moves);
            }
        }
        look(first.json()?);
        Ok(moves)
    }

    /// The comments of an issue or a pull request, oldest first.
    ///
    /// # Errors
    /// Every class of [`GithubError`].
    pub async fn comments(&self, number: u64) -> Result<Vec<CommentInfo>, GithubError> {
        let path = self.path(&format!("/issues/{number}/comments"));
        self.list(&path, COMMENT_PAGES).await
    }

    /// Every comment of the repository's issues and pull requests that was written or edited since
    /// then (in seconds since the Unix epoch), oldest first.
    ///
    /// # Errors
    /// Every class of [`GithubError`].
    pub async fn comments_since(&self, since: i64) -> Result<Vec<CommentInfo>, GithubError> {
        let since = crate::text::to_rfc3339(since);
        let path = format!(
            "/issues/comments?sort=updated&direction=asc&since={}",
            segment(&since)
        );
        self.list(&self.path(&path), COMMENT_PAGES).await
    }

    /// The open issues (and pull requests) with this label.
    ///
    /// # Errors
    /// Every class of [`GithubError`].
    pub async fn labelled_issues(&self, label: &str) -> Result<Vec<IssueInfo>, GithubError> {
        let path = format!("/issues?state=open&labels={}", segment(label));
        self.list(&self.path(&path), COMMENT_PAGES).await
    }

    /// The App's own comment that holds a (hidden) marker. Somebody else's with the same marker
    /// is not taken for it.
    ///
    /// # Errors
    /// Every class of [`GithubError`].
    pub async fn find_comment(
        &self,
        number: u64,
        marker: &str,
    ) -> Result<Option<CommentInfo>, GithubError> {
        self.find_comment_in(Thread::Issue(number), marker).await
    }

    /// As [`Session::find_comment`], in this conversation.
    ///
    /// # Errors
    /// Every class of [`GithubError`].
    pub async fn find_comment_in(
        &self,
        thread: Thread,
        marker: &str,
    ) -> Result<Option<CommentInfo>, GithubError> {
        let path = self.path(&format!("/{}/{}/comments", thread.kind(), thread.number()));
        let comments: Vec<CommentInfo> = self.list(&path, COMMENT_PAGES).await?;
        let app = self.github().app_id();
        let mut found = None;
        for comment in comments {
            if !comment.body.contains(marker) {
                continue;
            }
            let ours = match (&comment.performed_via_github_app, &comment.user) {
                (Some(via), user) => via.id == app && user.as_ref().is_none_or(UserInfo::is_bot),
                (None, Some(user)) if user.is_bot() => {
                    user.login == format!("{}[bot]", self.github().app().await?.slug)
                }
                _ => false,
            };
            if ours {
                found = found.or(Some(comment));
            }
        }
        Ok(found)
    }

    /// Writes a comment; sent once.
    ///
    /// # Errors
    /// Every class of [`GithubError`]; look for the marker before writing again.
    pub async fn create_comment(
        &self,
        thread: Thread,
        body: &str,
    ) -> Result<CommentInfo, GithubError> {
        let path = match thread {
            Thread::Issue(n) | Thread::Pull(n) => format!("/issues/{n}/comments"),
            Thread::Line { pull, comment } => format!("/pulls/{pull}/comments/{comment}/replies"),
        };
        let path = self.path(&path);
        let ask = Ask::post(path, json!({ "body": body }));
        self.call(thread.purpose(), &ask).await?.json()
    }

    /// Whether a comment of an issue or a pull request is there.
    ///
    /// # Errors
    /// Every class of [`GithubError`] but `NotFound`.
    pub async fn has_comment(&self, comment_id: u64) -> Result<bool, GithubError> {
        let ask = Ask::get(self.path(&format!("/issues/comments/{comment_id}")));
        match self.call(Purpose::Read, &ask).await {
            Ok(_) => Ok(true),
            Err(GithubError::NotFound(_)) => Ok(false),
            Err(e) => Err(e),
        }
    }

    /// Replaces a comment's text.
    ///
    /// # Errors
    /// [`GithubError::NotFound`] when somebody deleted it.
    pub async fn update_comment(
        &self,
        thread: Thread,
        comment_id: u64,
        body: &str,
    ) -> Result<CommentInfo, GithubError> {
        let path = self.path(&format!("/{}/comments/{comment_id}", thread.kind()));
        let ask = Ask::patch(path, json!({ "body": body }));
        self.call(thread.purpose(), &ask).await?.json()
    }

    /// Reacts to an issue or a pull request; GitHub keeps one of each kind.
    ///
    /// # Errors
    /// Every class of [`GithubError`].
    pub async fn react(&self, thread: Thread, reaction: Reaction) -> Result<(), GithubError> {
        let path = self.path(&format!("/issues/{}/reactions", thread.number()));
        let ask = Ask::post(path, json!({ "content": reaction.word() }));
        self.call(thread.purpose(), &ask).await.map(drop)
    }

    /// Puts labels on an issue or a pull request, beside those that it has.
    ///
    /// # Errors
    /// Every class of [`GithubError`].
    pub async fn add_labels(&self, thread: Thread, labels: &[String]) -> Result<(), GithubError> {
        let path = self.path(&format!("/issues/{}/labels", thread.number()));
        let ask = Ask::post(path, json!({ "labels": labels }));
        self.call(thread.purpose(), &ask).await.map(drop)
    }

    /// Reacts to a comment.
    ///
    /// # Errors
    /// Every class of [`GithubError`].
    pub async fn react_to_comment(
        &self,
        thread: Thread,
        comment_id: u64,
        reaction: Reaction,
    ) -> Result<(), GithubError> {
        let path = self.path(&format!(
            "/{}/comments/{comment_id}/reactions",
            thread.kind()
        ));
        let ask = Ask::post(path, json!({ "content": reaction.word() }));
        self.call(thread.purpose(), &ask).await.map(drop)
    }
}
