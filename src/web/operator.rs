//! The operator's way in: a link that works once, exchanged for a session.

use super::cookie;
use super::error::PageError;
use super::site::Site;
use crate::store::{KeptSession, Store, StoreError};
use axum::extract::{Query, State};
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde::Deserialize;
use std::time::Duration;

const KIND: &str = "operator";
/// How long a link waits to be opened.
const LINK: Duration = Duration::from_secs(15 * 60);
/// How long the operator stays logged in.
const SESSION: Duration = Duration::from_secs(12 * 3600);

/// Makes the rest of a link that opens the operator's pages, once: what comes after scheme, host and
/// port. `path` is where it leads.
///
/// # Errors
/// Those of the store.
pub async fn invite(store: &Store, path: &str) -> Result<String, StoreError> {
    let secret = cookie::secret().ok_or(StoreError::Closed)?;
    let id = cookie::hashed(KIND, &secret);
    store.pass_keep(&id, KIND, path, LINK).await?;
    Ok(format!("/enter?key={secret}"))
}

#[derive(Deserialize)]
pub(super) struct Enter {
    #[serde(default)]
    key: String,
}

/// `GET /enter?key=…`
pub(super) async fn enter(
    State(site): State<Site>,
    Query(asked): Query<Enter>,
) -> Result<Response, PageError> {
    let id = cookie::hashed(KIND, &asked.key);
    let Some(path) = site.store().pass_use(&id, KIND).await? else {
        return Err(PageError::NoSession);
    };
    let secret = cookie::secret().ok_or(PageError::Busy("The system has no random numbers."))?;
    let session = KeptSession {
        id: cookie::hashed("session", &secret),
        person_id: 0,
        login: String::new(),
        sealed: String::new(),
        expires_at: 0,
    };
    site.store().session_keep(&session, SESSION).await?;
    let mut response = (StatusCode::SEE_OTHER, [(header::LOCATION, path)]).into_response();
    if let Some(cookie) = cookie::set(&site.cookie_name(), Some(&secret)) {
        response.headers_mut().append(header::SET_COOKIE, cookie);
    }
    Ok(response)
}
