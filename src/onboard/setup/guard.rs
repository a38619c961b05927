//! Who may use the pages: whoever has the token, on this host name alone.

use super::page;
use super::serve::Shared;
use axum::extract::{Query, Request, State as Of};
use axum::http::{HeaderValue, StatusCode, header};
use axum::middleware::Next;
use axum::response::{Html, IntoResponse, Redirect, Response};
use serde::Deserialize;
use std::sync::Arc;

const COOKIE: &str = "mend_setup";

#[derive(Deserialize)]
struct Entry {
    token: Option<String>,
}

/// Only this host name, only who had the token; and the headers of every answer.
pub(super) async fn guard(Of(shared): Of<Arc<Shared>>, request: Request, next: Next) -> Response {
    let mut response = match asks(&shared, &request) {
        Asks::Elsewhere => {
            return (
                StatusCode::MISDIRECTED_REQUEST,
                "another host was asked for\n",
            )
                .into_response();
        }
        Asks::Known => next.run(request).await,
        Asks::Enters => enter(&shared),
        Asks::Stranger => {
            let why = "Open the address that `mend setup` printed. It works once; start it again for another.";
            let page = page::words("Not this way", why).into_string();
            (StatusCode::FORBIDDEN, Html(page)).into_response()
        }
    };
    let github = shared.settled().github_url;
    let origin: Vec<&str> = github.split('/').take(3).collect();
    let policy = format!(
        "default-src 'none'; style-src 'unsafe-inline'; form-action 'self' {}; base-uri 'none'; frame-ancestors 'none'",
        origin.join("/")
    );
    let headers = response.headers_mut();
    if let Ok(value) = HeaderValue::from_str(&policy) {
        headers.insert(header::CONTENT_SECURITY_POLICY, value);
    }
    for (name, value) in [
        (header::CACHE_CONTROL, "no-store"),
        (header::REFERRER_POLICY, "no-referrer"),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
    ] {
        headers.insert(name, HeaderValue::from_static(value));
    }
    response
}

/// Who asks.
enum Asks {
    Known,
    /// Shows the token, which holds no more.
    Enters,
    Stranger,
    /// Another host name leads here: a page in the same browser may have it so.
    Elsewhere,
}

fn asks(shared: &Shared, request: &Request) -> Asks {
    let text = |name| request.headers().get(name).and_then(|v| v.to_str().ok());
    if text(header::HOST) != Some(shared.host.as_str()) {
        return Asks::Elsewhere;
    }
    let wanted = format!("{COOKIE}={}", shared.cookie);
    let cookies = text(header::COOKIE).unwrap_or_default();
    if cookies.split(';').any(|c| c.trim() == wanted) {
        return Asks::Known;
    }
    let entry = Query::<Entry>::try_from_uri(request.uri()).ok();
    let token = entry.and_then(|Query(e)| e.token);
    match take(shared, token.as_deref()) {
        true => Asks::Enters,
        false => Asks::Stranger,
    }
}

fn enter(shared: &Shared) -> Response {
    // SameSite=Lax: GitHub leads the browser back here.
    let cookie = format!("{COOKIE}={}; Path=/; HttpOnly; SameSite=Lax", shared.cookie);
    let mut response = Redirect::to("/").into_response();
    if let Ok(value) = HeaderValue::from_str(&cookie) {
        response.headers_mut().insert(header::SET_COOKIE, value);
    }
    response
}

fn take(shared: &Shared, token: Option<&str>) -> bool {
    let mut now = shared.now();
    let fits = now.token.is_some() && now.token.as_deref() == token;
    if fits {
        now.token = None;
    }
    fits
}
