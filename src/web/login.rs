//! People log in at GitHub: to there with a state that is used once and belongs to the browser, back
//! with a code that nobody else can use (PKCE), into a session of a new id.

use super::access::Viewer;
use super::cookie;
use super::error::PageError;
use super::layout::plain;
use super::site::{Entrance, Login, Site};
use crate::store::KeptSession;
use axum::extract::{Query, State};
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Response};
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use maud::html;
use serde::Deserialize;
use sha2::{Digest, Sha256};
use std::time::Duration;

const KIND: &str = "login";
/// The cookie that binds a login to the browser that began it.
const BROWSER: &str = "__Host-mend-login";
/// How long GitHub's page may stay open.
const LOGIN: Duration = Duration::from_secs(10 * 60);
/// The longest that somebody stays logged in.
const SESSION: Duration = Duration::from_secs(8 * 3600);
const NO_RANDOM: PageError = PageError::Busy("The system has no random numbers.");
const BROKEN: PageError = PageError::Wrong(
    "This login was not begun here, was used before, or took too long. Begin it again.",
);

#[derive(Deserialize)]
pub(super) struct Begin {
    #[serde(default)]
    next: String,
}

/// The page of who is not logged in; `path` is where they wanted to go.
pub(super) fn invited(path: &str) -> Response {
    let next = super::search::form_urlencoded(path);
    let content = html! {
        h1 { "Runs of mend" }
        p { "You see the runs of repositories that you may read on GitHub." }
        p { a.button href={ "/login?next=" (next) } { "Log in with GitHub" } }
    };
    (StatusCode::UNAUTHORIZED, plain("Log in", &content)).into_response()
}

fn login(site: &Site) -> Result<&Login, PageError> {
    match &site.0.entrance {
        Entrance::People(login) => Ok(login),
        Entrance::Operator { .. } => Err(PageError::NotFound),
    }
}

/// A path of ours, or the first page.
fn ours(path: &str) -> &str {
    let plain = |b: u8| b.is_ascii_alphanumeric() || b"/-_.?=&#%".contains(&b);
    let fine = path.starts_with('/') && !path.starts_with("//") && path.bytes().all(plain);
    if fine && path.len() <= 300 { path } else { "/" }
}

fn verifier(browser: &str, state: &str) -> String {
    cookie::hashed("verifier", &format!("{browser}.{state}"))
}

/// `GET /login?next=…`
pub(super) async fn begin(
    State(site): State<Site>,
    Query(asked): Query<Begin>,
) -> Result<Response, PageError> {
    let login = login(&site)?;
    let (state, browser) = (cookie::secret(), cookie::secret());
    let (state, browser) = (state.ok_or(NO_RANDOM)?, browser.ok_or(NO_RANDOM)?);
    let value = format!(
        "{} {}",
        cookie::hashed("browser", &browser),
        ours(&asked.next)
    );
    let id = cookie::hashed(KIND, &state);
    site.store().pass_keep(&id, KIND, &value, LOGIN).await?;
    let challenge = Sha256::digest(verifier(&browser, &state).as_bytes());
    let challenge = URL_SAFE_NO_PAD.encode(challenge);
    let there = login.oauth.authorize_url(&login.back(), &state, &challenge);
    let mut response = (StatusCode::SEE_OTHER, [(header::LOCATION, there)]).into_response();
    if let Some(cookie) = cookie::set(BROWSER, Some(&browser)) {
        response.headers_mut().append(header::SET_COOKIE, cookie);
    }
    Ok(response)
}

#[derive(Deserialize)]
pub(super) struct Back {
    #[serde(default)]
    code: String,
    #[serde(default)]
    state: String,
}

/// `GET /login/callback?code=…&state=…`
pub(super) async fn back(
    State(site): State<Site>,
    Query(asked): Query<Back>,
    headers: HeaderMap,
) -> Result<Response, PageError> {
    let login = login(&site)?;
    // The state is used up by every try, the wrong ones too.
    let id = cookie::hashed(KIND, &asked.state);
    let kept = site.store().pass_use(&id, KIND).await?.ok_or(BROKEN)?;
    let (bound, next) = kept.split_once(' ').ok_or(BROKEN)?;
    let browser = cookie::read(&headers, BROWSER).ok_or(BROKEN)?;
    if !cookie::same(bound, &cookie::hashed("browser", &browser)) {
        return Err(BROKEN);
    }
    let verifier = verifier(&browser, &asked.state);
    let back = login.back();
    let token = login.oauth.exchange(&asked.code, &verifier, &back);
    let token = token.await.map_err(|error| {
        tracing::warn!(%error, "a login failed");
        PageError::Wrong("GitHub did not confirm this login. Begin it again.")
    })?;
    let person = login.oauth.user(&token.secret).await.map_err(|error| {
        tracing::warn!(%error, "nobody knows who logged in");
        PageError::Wrong("GitHub did not say who logs in. Begin again.")
    })?;
    // Whatever session the browser had, it gets another.
    if let Some(old) = cookie::read(&headers, &site.cookie_name()) {
        let old = cookie::hashed("session", &old);
        site.store().session_end(&old).await?;
    }
    let secret = cookie::secret().ok_or(NO_RANDOM)?;
    let id = cookie::hashed("session", &secret);
    let sealed = login.oauth.seal(&id, &token.secret).ok_or(NO_RANDOM)?;
    let session = KeptSession {
        id,
        person_id: person.id,
        login: person.login.clone(),
        sealed,
        expires_at: 0,
    };
    let life = token.life.map_or(SESSION, |life| life.min(SESSION));
    site.store().session_keep(&session, life).await?;
    tracing::info!(login = %person.login, "somebody logged in");
    let next = ours(next).to_string();
    let mut response = (StatusCode::SEE_OTHER, [(header::LOCATION, next)]).into_response();
    let cookies = [
        cookie::set(&site.cookie_name(), Some(&secret)),
        cookie::set(BROWSER, None),
    ];
    for cookie in cookies.into_iter().flatten() {
        response.headers_mut().append(header::SET_COOKIE, cookie);
    }
    Ok(response)
}

/// What is forgotten of somebody who leaves.
pub(super) fn forget(site: &Site, viewer: &Viewer) {
    site.0.seen.forget(viewer.session());
}
