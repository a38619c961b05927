//! Answers to comments and labels: a reaction where that is enough, a text where it is not.

use super::marker;
use super::release::{Release, ReleaseError};
use crate::domain::TaskId;
use crate::github::{Github, GithubError, Reaction, Session};
use crate::intake::{Notice, Said, Untold, Voice};
use crate::render;
use crate::store::{Scope, State, Store, StoreError, WaitsFor};
use crate::text::Redactor;
use async_trait::async_trait;

/// Writes notices to GitHub.
pub struct Spokesman {
    store: Store,
    github: Github,
    redactor: Redactor,
    label: String,
    prefix: String,
}

impl Spokesman {
    /// `label` is the one that starts a task; every branch of mend's begins with `prefix`.
    pub fn new(
        store: Store,
        github: Github,
        redactor: Redactor,
        (label, prefix): (String, String),
    ) -> Self {
        Spokesman {
            store,
            github,
            redactor,
            label,
            prefix,
        }
    }

    /// The text of a notice; `None` where a reaction says it.
    async fn text(&self, notice: &Notice) -> Result<Option<String>, Untold> {
        Ok(Some(match &notice.said {
            Said::Accepted { .. } | Said::Heard { .. } => return Ok(None),
            Said::Refused { needed } => render::not_allowed(needed.word()),
            Said::TooMany { scope, most } => render::too_many(whose(*scope), *most),
            Said::NotServed => render::not_served(),
            Said::Stopping { tasks } => render::stopping(tasks.len()),
            Said::Status { task } => self.status(*task).await?,
            Said::Help => render::help(&self.label),
            Said::Hint { line, hint } => render::hint(line, hint),
            Said::NotOurs => render::not_ours(),
            Said::Fork => render::fork(),
            Said::LeftOut { most, left } => render::left_out(*most, *left),
            Said::Ci => self.release(notice).await?,
        }))
    }

    /// Lets held CI run.
    async fn release(&self, notice: &Notice) -> Result<String, Untold> {
        let release = Release {
            store: &self.store,
            github: &self.github,
            prefix: &self.prefix,
        };
        let why = |error: ReleaseError| match error {
            ReleaseError::Github(e) => Untold {
                why: e.to_string(),
                transient: e.is_transient(),
                not_before: e.not_before(),
            },
            ReleaseError::Store(e) => Untold {
                why: e.to_string(),
                transient: e.is_transient(),
                not_before: None,
            },
        };
        Box::pin(release.ask(notice)).await.map_err(why)
    }

    async fn status(&self, task: Option<TaskId>) -> Result<String, Untold> {
        let now = self.store.clock().unix();
        let Some(id) = task else {
            return Ok(render::status(None, now));
        };
        let untold = |e: StoreError| Untold {
            why: e.to_string(),
            transient: e.is_transient(),
            not_before: None,
        };
        let task = self.store.task(id).await.map_err(untold)?;
        let before = match task.as_ref().map(|t| t.state) {
            Some(State::Queued) => Some(self.store.place_in_queue(id).await.map_err(untold)?),
            _ => None,
        };
        let standing = task.map(|t| render::Standing {
            task: t.id.0,
            state: t.state.word(),
            verdict: t.verdict,
            pull_request: t.reached.pr_number.or(t.trigger.asked_on),
            before,
            waits_until: t.waits_for.map(|WaitsFor::Model| t.run_at / 1000),
        });
        Ok(render::status(standing, now))
    }

    /// Reacts to the comment that asked, else to the issue or the pull request: whoever asked sees
    /// at once that it was heard, however long the queue is.
    async fn react(&self, session: &Session, notice: &Notice) -> Result<(), GithubError> {
        match notice.place.comment_id {
            Some(comment) => {
                session
                    .react_to_comment(notice.place.thread, comment, Reaction::Eyes)
                    .await
            }
            None => session.react(notice.place.thread, Reaction::Eyes).await,
        }
    }

    async fn write(
        &self,
        session: &Session,
        notice: &Notice,
        text: &str,
    ) -> Result<(), GithubError> {
        let marker = format!("<!-- mend:notice:{}:{} -->", notice.delivery, notice.name);
        let thread = notice.place.thread;
        let app = self.github.app_id();
        for marker in marker::both(&marker, app) {
            if session.find_comment_in(thread, &marker).await?.is_some() {
                return Ok(());
            }
        }
        let text = marker::with_app(&format!("{marker}\n{text}"), app);
        let text = self.redactor.redact(&text);
        session.create_comment(thread, &text).await.map(drop)
    }
}

/// Whose quota is used up, in words.
fn whose(scope: Scope) -> &'static str {
    match scope {
        Scope::Person => "you asked for",
        Scope::Repo => "this repository had",
        Scope::Installation => "this installation had",
    }
}

#[async_trait]
impl Voice for Spokesman {
    async fn tell(&self, notice: &Notice) -> Result<(), Untold> {
        let session = self.github.shared_session(&notice.place.repo);
        let done = match self.text(notice).await? {
            None => self.react(&session, notice).await,
            Some(text) => self.write(&session, notice, &text).await,
        };
        done.map_err(|e| Untold {
            why: e.to_string(),
            transient: e.is_transient(),
            not_before: e.not_before(),
        })
    }
}
