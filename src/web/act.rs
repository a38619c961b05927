//! What people do here: stop, retry, log out. Forms carry the session's token; what they do is a row in
//! the store, as for a command in the thread.

use super::access::Viewer;
use super::cookie;
use super::error::PageError;
use super::site::Site;
use crate::domain::Cancel;
use crate::store::{Retried, Task};
use axum::Extension;
use axum::extract::rejection::FormRejection;
use axum::extract::{Form, Path, State};
use axum::http::{HeaderMap, header};
use axum::response::{IntoResponse, Redirect, Response};
use serde::Deserialize;

/// Characters of guidance.
const GUIDANCE: usize = 4000;
const ELSEWHERE: PageError = PageError::Refused(
    "This did not come from a page of mend's that is open here. Go back, reload it and try again.",
);

#[derive(Deserialize)]
pub(super) struct Asked {
    #[serde(default)]
    csrf: String,
    #[serde(default)]
    guidance: String,
}

impl Site {
    /// The run, when the request is one of our own forms and the person may act on it.
    async fn acted(
        &self,
        viewer: &Viewer,
        headers: &HeaderMap,
        (id, csrf): (&str, &str),
    ) -> Result<Task, PageError> {
        if !self.is_own(headers) || !cookie::same(csrf, viewer.csrf()) {
            return Err(ELSEWHERE);
        }
        let task = self.run_for(viewer, id).await?;
        match self.may_act(viewer, task.trigger.issue.repo.id).await {
            true => Ok(task),
            false => Err(PageError::Refused(
                "You may read this repository, and stopping or retrying takes more.",
            )),
        }
    }
}

/// What is sent in another form than a page's is none of ours.
fn form(asked: Result<Form<Asked>, FormRejection>) -> Result<Asked, PageError> {
    asked.map(|Form(asked)| asked).map_err(|_| ELSEWHERE)
}

/// What `GET` gets where something would be done.
pub(super) async fn refused() -> PageError {
    ELSEWHERE
}

/// `POST /runs/{id}/stop`
pub(super) async fn stop(
    State(site): State<Site>,
    Extension(viewer): Extension<Viewer>,
    Path(id): Path<String>,
    headers: HeaderMap,
    asked: Result<Form<Asked>, FormRejection>,
) -> Result<Redirect, PageError> {
    let asked = form(asked)?;
    let task = site.acted(&viewer, &headers, (&id, &asked.csrf)).await?;
    site.store().cancel(task.id).await?;
    tracing::info!(task = %task.id, by = viewer.login().unwrap_or("operator"), "stopped from its page");
    Ok(Redirect::to(&format!("/runs/{}", task.id)))
}

/// `POST /runs/{id}/retry`
pub(super) async fn retry(
    State(site): State<Site>,
    Extension(viewer): Extension<Viewer>,
    Path(id): Path<String>,
    headers: HeaderMap,
    asked: Result<Form<Asked>, FormRejection>,
) -> Result<Redirect, PageError> {
    let asked = form(asked)?;
    let task = site.acted(&viewer, &headers, (&id, &asked.csrf)).await?;
    if asked.guidance.chars().count() > GUIDANCE {
        return Err(PageError::Wrong("Guidance has at most 4,000 characters."));
    }
    let new = match site.store().retry(&task, viewer.person()).await? {
        Retried::Made(new) => {
            let guidance = asked.guidance.replace('\0', "");
            if !guidance.trim().is_empty() {
                site.store().steer_add(new, guidance.trim()).await?;
            }
            new
        }
        Retried::Before(new) => new,
        Retried::NotEnded => task.id,
    };
    tracing::info!(task = %task.id, %new, by = viewer.login().unwrap_or("operator"), "retried from its page");
    Ok(Redirect::to(&format!("/runs/{new}")))
}

/// `POST /leave`
pub(super) async fn leave(
    State(site): State<Site>,
    Extension(viewer): Extension<Viewer>,
    headers: HeaderMap,
    asked: Result<Form<Asked>, FormRejection>,
) -> Result<Response, PageError> {
    let asked = form(asked)?;
    if !site.is_own(&headers) || !cookie::same(&asked.csrf, viewer.csrf()) {
        return Err(ELSEWHERE);
    }
    site.store().session_end(viewer.session()).await?;
    super::login::forget(&site, &viewer);
    let mut response = Redirect::to("/").into_response();
    if let Some(gone) = cookie::set(&site.cookie_name(), None) {
        response.headers_mut().append(header::SET_COOKIE, gone);
    }
    Ok(response)
}

/// Ends a stream with the server.
pub(super) fn stopping(site: &Site) -> Cancel {
    site.0.stop.clone()
}
