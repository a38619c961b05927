//! Who looks, and what they may see and do.

use super::cookie;
use super::error::PageError;
use super::site::{Entrance, Site};
use crate::config::Permission;
use crate::domain::{Person, TaskId};
use crate::github::Role;
use crate::store::{Sight, Task};
use axum::extract::{Request, State};
use axum::http::{HeaderMap, Method, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use futures::StreamExt;
use secrecy::SecretString;
use std::collections::HashMap;
use std::sync::{Arc, Mutex};

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
    Person {
        id: u64,
        login: String,
        token: SecretString,
    },
}

/// How long GitHub's word about a person and a repository counts.
const COUNTS_MS: i64 = 4 * 60 * 1000;
/// Words that are kept.
const MOST_SEEN: usize = 20_000;
/// Repositories that one page asks GitHub about, and how many at once.
const MOST_REPOS: u32 = 300;
const AT_ONCE: usize = 8;

/// What people may do in repositories, as GitHub said a moment ago: by session and repository.
#[derive(Default)]
pub(super) struct Seen(Mutex<HashMap<(String, u64), (i64, Role)>>);

impl Seen {
    fn get(&self, session: &str, repo: u64, now: i64) -> Option<Role> {
        let all = self.0.lock().unwrap_or_else(|e| e.into_inner());
        let (at, role) = all.get(&(session.to_string(), repo))?;
        (0..COUNTS_MS).contains(&(now - at)).then_some(*role)
    }

    fn put(&self, session: &str, repo: u64, now: i64, role: Role) {
        let mut all = self.0.lock().unwrap_or_else(|e| e.into_inner());
        if all.len() >= MOST_SEEN {
            all.retain(|_, (at, _)| now - *at < COUNTS_MS);
        }
        if all.len() < MOST_SEEN {
            all.insert((session.to_string(), repo), (now, role));
        }
    }

    /// Forgets what is known of a session.
    pub fn forget(&self, session: &str) {
        let mut all = self.0.lock().unwrap_or_else(|e| e.into_inner());
        all.retain(|(of, _), _| of != session);
    }
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
            Who::Person { id, login, .. } => Some(Person {
                id: *id,
                login: login.clone(),
                is_bot: false,
            }),
        }
    }

    pub fn login(&self) -> Option<&str> {
        match &self.0.who {
            Who::Operator => None,
            Who::Person { login, .. } => Some(login),
        }
    }
}

impl Site {
    /// The name of the session's cookie.
    pub(super) fn cookie_name(&self) -> String {
        match &self.0.entrance {
            Entrance::Operator { port } => format!("mend-{port}"),
            Entrance::People(_) => "__Host-mend".to_string(),
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
            // A way in for people lets no operator in, nor the other way round.
            Entrance::People(_) if session.person_id == 0 => return Ok(None),
            Entrance::Operator { .. } => return Ok(None),
            Entrance::People(login) => match login.oauth.unseal(&id, &session.sealed) {
                Some(token) => Who::Person {
                    id: session.person_id,
                    login: session.login,
                    token,
                },
                None => return Ok(None),
            },
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

    /// What somebody may do in a repository; GitHub is asked where its word is old.
    async fn role(&self, viewer: &Viewer, repo: u64) -> Role {
        let (Who::Person { token, .. }, Entrance::People(login)) =
            (&viewer.0.who, &self.0.entrance)
        else {
            return Role::Admin;
        };
        let now = self.store().clock().unix() * 1000;
        if let Some(role) = self.0.seen.get(viewer.session(), repo, now) {
            return role;
        }
        let role = login.oauth.role(token, repo).await;
        self.0.seen.put(viewer.session(), repo, now, role);
        role
    }

    /// Everything that somebody may see.
    pub(super) async fn sight(&self, viewer: &Viewer) -> Result<Sight, PageError> {
        if let Who::Operator = viewer.0.who {
            return Ok(Sight::All);
        }
        let known = self.store().known_repos(MOST_REPOS).await?;
        let asked = futures::stream::iter(known).map(|repo| async move {
            let role = self.role(viewer, repo.id).await;
            (role >= Role::Read).then_some(repo.id)
        });
        let seen = asked
            .buffer_unordered(AT_ONCE)
            .filter_map(std::future::ready);
        Ok(Sight::Only(seen.collect().await))
    }

    /// Whether somebody may read a repository.
    pub(super) async fn may_read(&self, viewer: &Viewer, repo: u64) -> bool {
        self.role(viewer, repo).await >= Role::Read
    }

    /// Whether somebody may stop and retry tasks of a repository, asked now.
    pub(super) async fn may_act(&self, viewer: &Viewer, repo: u64) -> bool {
        let (Who::Person { token, .. }, Entrance::People(login)) =
            (&viewer.0.who, &self.0.entrance)
        else {
            return true;
        };
        let least = match self.0.permission {
            Permission::Triage => Role::Triage,
            Permission::Write => Role::Write,
            Permission::Maintain => Role::Maintain,
            Permission::Admin => Role::Admin,
        };
        login.oauth.role(token, repo).await >= least
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
        let origin = one(header::ORIGIN);
        let ours = |o: &str| self.0.origins.iter().any(|at| o.eq_ignore_ascii_case(at));
        match one(header::HeaderName::from_static("sec-fetch-site")) {
            // Browsers say `null` where a page may not be named, as ours may not; what they say here
            // no page can make up.
            Some("same-origin") => origin.is_some_and(|o| o == "null" || ours(o)),
            Some(_) => false,
            None => origin.is_some_and(ours),
        }
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
        Ok(None) if request.uri().path().starts_with("/api/") => {
            super::api::refused(PageError::NoSession)
        }
        Ok(None) if request.method() != Method::GET => {
            PageError::Refused("Nobody is logged in.").into_response()
        }
        Ok(None) => match &site.0.entrance {
            Entrance::Operator { .. } => PageError::NoSession.into_response(),
            Entrance::People(_) => super::login::invited(request.uri().path()),
        },
        Err(error) => error.into_response(),
    }
}
