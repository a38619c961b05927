//! JSON lines: a trace with one span a line, and whatever else is kept so.

use super::Span;
use serde::de::DeserializeOwned;
use std::collections::BTreeMap;
use std::io::{self, BufRead, Write};

/// A file that cannot be read or written.
#[derive(Debug, thiserror::Error)]
pub enum JsonlError {
    #[error("the file cannot be read or written: {0}")]
    Io(#[from] io::Error),
    #[error("line {line} is no {what}: {source}")]
    Line {
        what: &'static str,
        /// From 1.
        line: usize,
        source: serde_json::Error,
    },
}

/// Appends a span.
///
/// # Errors
/// [`JsonlError::Io`] when it cannot be written.
pub fn write(to: &mut dyn Write, span: &Span) -> Result<(), JsonlError> {
    let mut line = serde_json::to_vec(span).map_err(io::Error::other)?;
    line.push(b'\n');
    Ok(to.write_all(&line)?)
}

/// Reads a trace, in the order of opening; a span that is told twice counts as it was told last.
///
/// # Errors
/// [`JsonlError::Line`] names the first line that is no span. A last line that was cut off, as a
/// kill leaves it, is left out.
pub fn read(from: &mut dyn BufRead) -> Result<Vec<Span>, JsonlError> {
    let mut spans = BTreeMap::new();
    each_line(from, "span", &mut |span: Span| {
        drop(spans.insert(span.id, span))
    })?;
    Ok(spans.into_values().collect())
}

/// Reads lines, each of which is a `what`.
///
/// # Errors
/// As [`read`].
pub fn each_line<T: DeserializeOwned>(
    from: &mut dyn BufRead,
    what: &'static str,
    with: &mut dyn FnMut(T),
) -> Result<(), JsonlError> {
    let mut bytes = Vec::new();
    for line in 1.. {
        bytes.clear();
        if from.read_until(b'\n', &mut bytes)? == 0 {
            break;
        }
        match serde_json::from_slice(&bytes) {
            Ok(one) => with(one),
            Err(_) if bytes.last() != Some(&b'\n') => break,
            Err(_) if bytes.iter().all(u8::is_ascii_whitespace) => {}
            Err(source) => return Err(JsonlError::Line { what, line, source }),
        }
    }
    Ok(())
}
