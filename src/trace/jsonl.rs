//! A trace as JSON lines, one span a line.

use super::Span;
use std::collections::BTreeMap;
use std::io::{self, BufRead, Write};

/// A trace that cannot be read or written.
#[derive(Debug, thiserror::Error)]
pub enum JsonlError {
    #[error("the trace cannot be read or written: {0}")]
    Io(#[from] io::Error),
    #[error("line {line} of the trace is no span: {source}")]
    Line {
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
    let mut bytes = Vec::new();
    for line in 1.. {
        bytes.clear();
        if from.read_until(b'\n', &mut bytes)? == 0 {
            break;
        }
        match serde_json::from_slice::<Span>(&bytes) {
            Ok(span) => drop(spans.insert(span.id, span)),
            Err(_) if bytes.last() != Some(&b'\n') => break,
            Err(_) if bytes.iter().all(u8::is_ascii_whitespace) => {}
            Err(source) => return Err(JsonlError::Line { line, source }),
        }
    }
    Ok(spans.into_values().collect())
}
