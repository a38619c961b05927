//! stdout and stderr. A reader that went away (a closed pipe) ends nothing with a panic.

use serde::Serialize;
use std::io::Write;
use std::sync::atomic::{AtomicBool, Ordering};

/// One JSON document on stdout.
pub(super) fn json<T: Serialize>(value: &T) -> anyhow::Result<()> {
    let text = serde_json::to_string_pretty(value)?;
    line(&text);
    Ok(())
}

/// Whether something could not be written to stdout for another reason than that nobody reads it.
static LOST: AtomicBool = AtomicBool::new(false);

/// A line on stdout.
pub(super) fn line(text: &str) {
    let mut out = std::io::stdout();
    match writeln!(out, "{text}").and_then(|()| out.flush()) {
        Err(e) if e.kind() != std::io::ErrorKind::BrokenPipe => LOST.store(true, Ordering::Relaxed),
        _ => {}
    }
}

/// Whether output was lost, to a full disk for example.
pub(super) fn lost() -> bool {
    LOST.load(Ordering::Relaxed)
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
