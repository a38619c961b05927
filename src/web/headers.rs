//! The headers of every answer, and the address that requests must be for.

use super::site::Site;
use axum::extract::{Request, State};
use axum::http::{HeaderValue, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};

/// Nothing inline, nothing from elsewhere, nothing framed.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; \
    connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'";

const FIXED: [(header::HeaderName, &str); 6] = [
    (header::CONTENT_SECURITY_POLICY, POLICY),
    (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
    (header::X_FRAME_OPTIONS, "DENY"),
    (header::REFERRER_POLICY, "no-referrer"),
    (header::CACHE_CONTROL, "no-store"),
    (
        header::HeaderName::from_static("cross-origin-opener-policy"),
        "same-origin",
    ),
];

/// Refuses requests for another host, so that no name that leads here by somebody else's doing is
/// answered; sets the headers.
pub(super) async fn framed(State(site): State<Site>, request: Request, next: Next) -> Response {
    let mut response = match is_ours(&site, &request) {
        true => next.run(request).await,
        false => (
            StatusCode::MISDIRECTED_REQUEST,
            "mend is not served under this name\n",
        )
            .into_response(),
    };
    let headers = response.headers_mut();
    for (name, value) in FIXED {
        if !headers.contains_key(&name) {
            headers.insert(name, HeaderValue::from_static(value));
        }
    }
    response
}

/// Exactly one Host, and it is one of ours.
fn is_ours(site: &Site, request: &Request) -> bool {
    let mut all = request.headers().get_all(header::HOST).iter();
    let (Some(host), None) = (all.next(), all.next()) else {
        return false;
    };
    let Ok(host) = host.to_str() else {
        return false;
    };
    let named = request.uri().authority().map(|a| a.as_str());
    site.0.origins.iter().any(|origin| {
        let ours = origin.split("://").nth(1).unwrap_or_default();
        host.eq_ignore_ascii_case(ours) && named.is_none_or(|n| n.eq_ignore_ascii_case(ours))
    })
}
