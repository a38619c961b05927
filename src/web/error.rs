//! Answers that are no page.

use super::layout::plain;
use crate::store::StoreError;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use maud::html;

/// Why there is no page.
#[derive(Debug, thiserror::Error)]
pub(super) enum PageError {
    /// There is none, or whoever asks may not see it: the same answer.
    #[error("there is no such page")]
    NotFound,
    /// Nobody is logged in.
    #[error("nobody is logged in")]
    NoSession,
    /// Asked from elsewhere, without the page's token, or by somebody who may only read.
    #[error("{0}")]
    Refused(&'static str),
    #[error("{0}")]
    Wrong(&'static str),
    #[error("{0}")]
    Busy(&'static str),
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl IntoResponse for PageError {
    fn into_response(self) -> Response {
        let (status, title, words) = match &self {
            PageError::NotFound => (
                StatusCode::NOT_FOUND,
                "Not found",
                "There is no such page, or you may not read its repository on GitHub.",
            ),
            PageError::NoSession => (
                StatusCode::UNAUTHORIZED,
                "Not logged in",
                "On the machine that runs mend, `mend open` prints a link that opens these pages; it works once.",
            ),
            PageError::Refused(why) => (StatusCode::FORBIDDEN, "Refused", *why),
            PageError::Wrong(why) => (StatusCode::BAD_REQUEST, "Not understood", *why),
            PageError::Busy(why) => (StatusCode::SERVICE_UNAVAILABLE, "Busy", *why),
            PageError::Store(error) => {
                tracing::error!(%error, "a page could not be made");
                (
                    StatusCode::SERVICE_UNAVAILABLE,
                    "Not available",
                    "The database does not answer. Try again in a moment; the server's log says more.",
                )
            }
        };
        let content = html! {
            h1 { (title) }
            p { (super::words::coded(words)) }
            @if !matches!(self, PageError::NoSession) { p { a href="/" { "All runs" } } }
        };
        (status, plain(title, &content)).into_response()
    }
}
