//! stdout and stderr. A reader that went away (a closed pipe) ends nothing with a panic.

use serde::Serialize;
use std::io::Write;

/// One JSON document on stdout.
pub(super) fn json<T: Serialize>(value: &T) -> anyhow::Result<()> {
    let text = serde_json::to_string_pretty(value)?;
    line(&text);
    Ok(())
}

/// A line on stdout.
pub(super) fn line(text: &str) {
    let _ = writeln!(std::io::stdout(), "{text}");
}

/// `mend: …` on stderr.
pub(super) fn error(text: &str) {
    let _ = writeln!(std::io::stderr(), "mend: {text}");
}

/// An error with its causes, each of which is said once.
pub(super) fn chain(error: &anyhow::Error) -> String {
    let mut text = String::new();
    for cause in error.chain().map(ToString::to_string) {
        if text.is_empty() {
            text = cause;
        } else if !text.contains(&cause) {
            text = format!("{text}: {cause}");
        }
    }
    text
}
