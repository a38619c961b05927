//! The log on stderr, without secrets. An event comes in one piece, so that none is cut in two.

use crate::text::Redactor;
use std::io::{self, Write};
use tracing_subscriber::fmt::MakeWriter;

/// Makes writers that redact what goes to stderr.
pub(super) struct RedactedLog(Redactor);

impl RedactedLog {
    pub(super) fn new(secrets: &Redactor) -> Self {
        RedactedLog(secrets.clone())
    }
}

impl<'a> MakeWriter<'a> for RedactedLog {
    type Writer = Redacted<io::Stderr>;

    fn make_writer(&'a self) -> Self::Writer {
        Redacted {
            secrets: self.0.clone(),
            event: Vec::new(),
            to: io::stderr(),
        }
    }
}

/// Collects one event and writes it redacted.
pub(super) struct Redacted<W: Write> {
    secrets: Redactor,
    event: Vec<u8>,
    to: W,
}

impl<W: Write> Write for Redacted<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.event.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        let event = std::mem::take(&mut self.event);
        if !event.is_empty() {
            let text = self.secrets.redact(&String::from_utf8_lossy(&event));
            self.to.write_all(text.as_bytes())?;
        }
        self.to.flush()
    }
}

impl<W: Write> Drop for Redacted<W> {
    fn drop(&mut self) {
        let _ = self.flush();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn se_03_a_line_of_the_log_shows_no_secret_however_it_is_written() {
        let secrets = Redactor::new();
        secrets.know("correct horse battery");
        let mut out = Vec::new();
        let mut writer = Redacted {
            secrets,
            event: Vec::new(),
            to: &mut out,
        };
        writer.write_all(b"token=correct ho").unwrap();
        writer.write_all(b"rse battery, retry\n").unwrap();
        drop(writer);
        assert_eq!(String::from_utf8(out).unwrap(), "token=[redacted], retry\n");
    }
}
