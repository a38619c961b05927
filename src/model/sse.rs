//! Server-sent events out of a byte stream, however it is cut into chunks
//! (HTML standard, section 9.2.6).

use super::error::Fault;

/// One event: its name, empty when the server gave none, and its data.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Event {
    pub name: String,
    pub data: String,
}

/// Collects bytes into events.
#[derive(Default)]
pub(super) struct Parser {
    line: Vec<u8>,
    /// The last byte was a carriage return: a line feed that follows belongs to it.
    after_cr: bool,
    begun: bool,
    name: String,
    data: Option<String>,
}

impl Parser {
    /// Takes a chunk and appends the events that it completes.
    pub fn push(&mut self, chunk: &[u8], events: &mut Vec<Event>) -> Result<(), Fault> {
        let mut rest = chunk;
        while !rest.is_empty() {
            if std::mem::take(&mut self.after_cr) && rest[0] == b'\n' {
                rest = &rest[1..];
                continue;
            }
            match memchr::memchr2(b'\r', b'\n', rest) {
                Some(at) => {
                    self.line.extend_from_slice(&rest[..at]);
                    self.after_cr = rest[at] == b'\r';
                    rest = &rest[at + 1..];
                    self.end_of_line(events)?;
                }
                None => {
                    self.line.extend_from_slice(rest);
                    break;
                }
            }
        }
        Ok(())
    }

    /// The stream ended: what stands without a blank line after it still counts, since some
    /// servers leave it out. Data that was cut is not JSON and is found there.
    pub fn finish(&mut self, events: &mut Vec<Event>) -> Result<(), Fault> {
        if !self.line.is_empty() {
            self.end_of_line(events)?;
        }
        self.dispatch(events);
        Ok(())
    }

    fn end_of_line(&mut self, events: &mut Vec<Event>) -> Result<(), Fault> {
        let bytes = std::mem::take(&mut self.line);
        let line = std::str::from_utf8(&bytes).map_err(|_| Fault::garbled("not UTF-8"))?;
        let line = match self.begun {
            false => line.strip_prefix('\u{feff}').unwrap_or(line),
            true => line,
        };
        self.begun = true;
        if line.is_empty() {
            self.dispatch(events);
            return Ok(());
        }
        let (field, value) = line.split_once(':').unwrap_or((line, ""));
        let value = value.strip_prefix(' ').unwrap_or(value);
        match field {
            "event" => self.name = value.to_string(),
            "data" => match &mut self.data {
                Some(data) => {
                    data.push('\n');
                    data.push_str(value);
                }
                None => self.data = Some(value.to_string()),
            },
            _ => {} // a comment (empty field), `id`, `retry` and what is not known
        }
        Ok(())
    }

    fn dispatch(&mut self, events: &mut Vec<Event>) {
        let name = std::mem::take(&mut self.name);
        if let Some(data) = self.data.take() {
            events.push(Event { name, data });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(chunks: &[&[u8]]) -> Vec<(String, String)> {
        let (mut parser, mut events) = (Parser::default(), Vec::new());
        for c in chunks {
            parser.push(c, &mut events).unwrap();
        }
        parser.finish(&mut events).unwrap();
        events.into_iter().map(|e| (e.name, e.data)).collect()
    }

    #[test]
    fn any_split_gives_the_same_events() {
        let text = "\u{feff}: hello\r\nevent: a\r\ndata: {\"x\":\r\ndata: \"é\"}\r\n\r\ndata:two\n\nid: 3\revent: c\rdata: 3\r\rdata: last";
        let bytes = text.as_bytes();
        let whole = parse(&[bytes]);
        assert_eq!(
            whole,
            [
                ("a".into(), "{\"x\":\n\"é\"}".into()),
                ("".into(), "two".into()),
                ("c".into(), "3".into()),
                ("".into(), "last".to_string()),
            ]
        );
        for i in 0..=bytes.len() {
            for j in i..=bytes.len() {
                assert_eq!(parse(&[&bytes[..i], &bytes[i..j], &bytes[j..]]), whole);
            }
        }
    }

    #[test]
    fn bytes_that_are_not_text_are_an_error() {
        let mut events = Vec::new();
        assert!(
            Parser::default()
                .push(b"data: \xff\n", &mut events)
                .is_err()
        );
    }
}
