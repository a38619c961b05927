//! What pages load: from this binary, under names that change with their content.

use super::error::PageError;
use axum::extract::Path;
use axum::http::header;
use axum::response::{IntoResponse, Response};
use sha2::{Digest, Sha256};
use std::sync::LazyLock;

const STYLE: &str = include_str!("assets/style.css");
const SCRIPT: &str = include_str!("assets/live.js");
const DRAWING: &str = include_str!("assets/mend.svg");

fn named(stem: &str, content: &str, end: &str) -> String {
    let hash = hex::encode(Sha256::digest(content.as_bytes()));
    format!("/static/{stem}-{}.{end}", &hash[..12])
}

pub(super) static STYLE_PATH: LazyLock<String> = LazyLock::new(|| named("mend", STYLE, "css"));
pub(super) static SCRIPT_PATH: LazyLock<String> = LazyLock::new(|| named("live", SCRIPT, "js"));
pub(super) static DRAWING_PATH: LazyLock<String> = LazyLock::new(|| named("mend", DRAWING, "svg"));

/// `GET /static/{name}`: three names, and nothing else.
pub(super) async fn serve(Path(name): Path<String>) -> Result<Response, PageError> {
    let path = format!("/static/{name}");
    let (kind, content) = if path == *STYLE_PATH {
        ("text/css; charset=utf-8", STYLE)
    } else if path == *SCRIPT_PATH {
        ("text/javascript; charset=utf-8", SCRIPT)
    } else if path == *DRAWING_PATH {
        ("image/svg+xml", DRAWING)
    } else {
        return Err(PageError::NotFound);
    };
    let headers = [
        (header::CONTENT_TYPE, kind),
        (header::CACHE_CONTROL, "public, max-age=31536000, immutable"),
    ];
    Ok((headers, content).into_response())
}
