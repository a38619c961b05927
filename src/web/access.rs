//! Who looks, and what they may see and do.

use super::cookie;
use super::error::PageError;
use super::site::{Entrance, Site};
use crate::domain::{Person, TaskId};
use crate::store::{Sight, Task};
use axum::extract::{Request, State};
use axum::http::{HeaderMap, Method, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use std::sync::Arc;

/// Somebody who is logged in.
#[derive(Clone)]
pub(super) struct Viewer(Arc<Inner>);

struct Inner {
    /// The session's id in the store.
    session: String,
    /// What forms of this session carry.
    csrf: String,
    who: Who,
}

enum Who {
    Operator,
}

impl Viewer {
    pub fn csrf(&self) -> &str {
        &self.0.csrf
    }

    pub fn session(&self) -> &str {
        &self.0.session
    }

    /// As whom a new task is asked for; the operator repeats what was asked before.
    pub fn person(&self) -> Option<Person> {
        match &self.0.who {
            Who::Operator => None,
        }
    }

    pub fn login(&self) -> Option<&str> {
        match &self.0.who {
            Who::Operator => None,
        }
    }
}

impl Site {
    /// The name of the session's cookie.
    pub(super) fn cookie_name(&self) -> String {
        match &self.0.entrance {
            Entrance::Operator { port } => format!("mend-{port}"),
        }
    }

    /// Whose session this is.
    pub(super) async fn viewer(&self, headers: &HeaderMap) -> Result<Option<Viewer>, PageError> {
        let Some(secret) = cookie::read(headers, &self.cookie_name()) else {
            return Ok(None);
        };
        let id = cookie::hashed("session", &secret);
        let Some(session) = self.store().session(&id).await? else {
            return Ok(None);
        };
        let who = match &self.0.entrance {
            Entrance::Operator { .. } if session.person_id == 0 => Who::Operator,
            Entrance::Operator { .. } => return Ok(None),
        };
        Ok(Some(Viewer(Arc::new(Inner {
            csrf: cookie::hashed("form", &secret),
            session: id,
            who,
        }))))
    }

    /// Whether this session still lasts.
    pub(super) async fn lasts(&self, viewer: &Viewer) -> Result<bool, PageError> {
        Ok(self.store().session(viewer.session()).await?.is_some())
    }

    /// Everything that somebody may see.
    pub(super) async fn sight(&self, viewer: &Viewer) -> Result<Sight, PageError> {
        match &viewer.0.who {
            Who::Operator => Ok(Sight::All),
        }
    }

    /// Whether somebody may read a repository.
    pub(super) async fn may_read(&self, viewer: &Viewer, _repo: u64) -> bool {
        match &viewer.0.who {
            Who::Operator => true,
        }
    }

    /// Whether somebody may stop and retry tasks of a repository, asked now.
    pub(super) async fn may_act(&self, viewer: &Viewer, _repo: u64) -> bool {
        match &viewer.0.who {
            Who::Operator => true,
        }
    }

    /// A run that this viewer may see; no other, and none that is not, is told apart.
    pub(super) async fn run_for(&self, viewer: &Viewer, id: &str) -> Result<Task, PageError> {
        let task = self.store().task(task_id(id)?).await?;
        let task = task.ok_or(PageError::NotFound)?;
        match self.may_read(viewer, task.trigger.issue.repo.id).await {
            true => Ok(task),
            false => Err(PageError::NotFound),
        }
    }

    /// Whether a request that changes something comes from one of our own pages.
    pub(super) fn is_own(&self, headers: &HeaderMap) -> bool {
        let one = |name| {
            let mut all = headers.get_all(name).iter();
            let first = all.next().and_then(|v| v.to_str().ok());
            first.filter(|_| all.next().is_none())
        };
        let site = one(header::HeaderName::from_static("sec-fetch-site"));
        let fetched = site.is_none_or(|s| s == "same-origin");
        let origin = one(header::ORIGIN);
        fetched
            && origin.is_some_and(|o| {
                self.0
                    .origins
                    .iter()
                    .any(|ours| o.eq_ignore_ascii_case(ours))
            })
    }
}

/// A task's number as a path names it.
pub(super) fn task_id(text: &str) -> Result<TaskId, PageError> {
    number(text).map(TaskId).ok_or(PageError::NotFound)
}

/// A number from 1, in digits alone.
pub(super) fn number(text: &str) -> Option<i64> {
    let plain = (1..=18).contains(&text.len()) && text.bytes().all(|b| b.is_ascii_digit());
    text.parse().ok().filter(|n| plain && *n > 0)
}

/// Lets in who is logged in. Without a session every path gets the same answer.
pub(super) async fn entered(
    State(site): State<Site>,
    mut request: Request,
    next: Next,
) -> Response {
    match site.viewer(request.headers()).await {
        Ok(Some(viewer)) => {
            request.extensions_mut().insert(viewer);
            next.run(request).await
        }
        Ok(None) if request.method() == Method::GET => PageError::NoSession.into_response(),
        Ok(None) => PageError::Refused("Nobody is logged in.").into_response(),
        Err(error) => error.into_response(),
    }
}
