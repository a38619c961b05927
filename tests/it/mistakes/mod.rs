//! The twenty likeliest mistakes: each ends in a message that says what to do. Through the real program.
#![allow(clippy::disallowed_methods)] // starts the program

mod github;
mod host;
mod model;
mod project;

use crate::onboard::Place;
use std::process::Output;

/// What a command said, on both streams, and its exit code.
pub fn said(out: &Output) -> (i32, String) {
    let text = format!(
        "{}{}",
        String::from_utf8_lossy(&out.stdout),
        String::from_utf8_lossy(&out.stderr)
    );
    (out.status.code().unwrap_or(-1), text)
}

/// `mend serve` that does not start.
pub async fn refused(place: &Place) -> (i32, String) {
    said(&place.mend(&["serve"]).await)
}

/// Every one of the parts stands in the text.
pub fn tells(text: &str, parts: &[&str]) {
    for part in parts {
        assert!(text.contains(part), "`{part}` is not in: {text}");
    }
}
