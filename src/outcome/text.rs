//! Output as lines that can be read: decoded, without terminal control, JSON event streams unwrapped.

use memchr::{memchr, memchr2, memmem};
use regex::Regex;
use serde::Deserialize;
use std::borrow::Cow;
use std::ops::Range;
use std::sync::LazyLock;

/// A longer line is noise (minified code, a dump): only its beginning is read.
const LONGEST_LINE: usize = 64 * 1024;

/// More empty lines in a row than this say nothing.
const MOST_EMPTY: usize = 200;

/// The lines of one output.
pub(super) struct Text {
    clean: String,
    lines: Vec<Range<usize>>,
    /// The last line has its end.
    ended: bool,
}

impl Text {
    /// Any bytes make a text: invalid UTF-8 is replaced, escape sequences go, of a line that was
    /// overwritten with carriage returns the last state stays.
    pub(super) fn new(bytes: &[u8]) -> Text {
        let decoded = String::from_utf8_lossy(bytes);
        let visible = match without_escapes(&decoded) {
            Cow::Borrowed(_) => decoded,
            Cow::Owned(visible) => Cow::Owned(visible),
        };
        let clean = match unwrapped(&visible) {
            Some(unwrapped) => without_escapes(&unwrapped).into_owned(),
            None => visible.into_owned(),
        };
        let mut lines: Vec<Range<usize>> = Vec::with_capacity(clean.len() / 40);
        let mut start = 0;
        let mut empty = 0;
        while start < clean.len() {
            let end = memchr(b'\n', &clean.as_bytes()[start..]).map_or(clean.len(), |n| start + n);
            let line = visible_part(&clean, start..end);
            empty = if line.is_empty() { empty + 1 } else { 0 };
            if empty <= MOST_EMPTY {
                lines.push(line);
            }
            start = end + 1;
        }
        without_prefixes(&clean, &mut lines);
        Text {
            ended: clean.ends_with(['\n', '\r']),
            clean,
            lines,
        }
    }

    pub(super) fn len(&self) -> usize {
        self.lines.len()
    }

    /// The line with this number, counted from 0; empty beyond the end.
    pub(super) fn line(&self, number: usize) -> &str {
        self.lines
            .get(number)
            .and_then(|range| self.clean.get(range.clone()))
            .unwrap_or("")
    }

    /// All lines with their numbers.
    pub(super) fn lines(&self) -> impl DoubleEndedIterator<Item = (usize, &str)> {
        self.lines
            .iter()
            .map(|range| self.clean.get(range.clone()).unwrap_or(""))
            .enumerate()
    }

    /// The lines from `from` to before `to`, with their numbers.
    pub(super) fn between(
        &self,
        from: usize,
        to: usize,
    ) -> impl DoubleEndedIterator<Item = (usize, &str)> {
        let to = to.min(self.lines.len());
        (from.min(to)..to).map(|n| (n, self.line(n)))
    }

    /// Whether this is the last line and the output ended within it.
    pub(super) fn is_cut(&self, number: usize) -> bool {
        !self.ended && number + 1 == self.lines.len()
    }

    /// Whether no line holds anything but white space.
    pub(super) fn is_blank(&self) -> bool {
        self.clean.trim().is_empty()
    }
}

/// What started several programs at once names the program before each of its lines, and the code
/// with which it ended: docker compose (`test-1  | `), concurrently (`[test] `).
static ENDED: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(
        r"(?m)^(?:(?P<c>[\w.-]+-[0-9]+)|(?P<n>\[[\w:.-]+\]) .{1,200}) exited with code [0-9]+\r?$",
    )
    .ok()
});

/// Takes the name of the program that ended first away, which is the one that the others serve, and
/// of concurrently, which runs equals, every name.
fn without_prefixes(text: &str, lines: &mut [Range<usize>]) {
    const CODE: &str = " exited with code ";
    if memmem::find(text.as_bytes(), CODE.as_bytes()).is_none() {
        return;
    }
    let Some(ended) = ENDED.as_ref().and_then(|re| re.captures(text)) else {
        return;
    };
    let service = ended.name("c").map(|c| c.as_str());
    for range in lines {
        let line = &text[range.clone()];
        if line.contains(CODE) {
            continue;
        }
        let rest = match service {
            Some(service) => line
                .strip_prefix(service)
                .and_then(|rest| rest.trim_start().strip_prefix('|')),
            None => line
                .strip_prefix('[')
                .and_then(|line| line.split_once(']'))
                .filter(|(name, _)| !name.is_empty() && !name.contains(char::is_whitespace))
                .map(|(_, rest)| rest),
        };
        if let Some(rest) = rest.filter(|rest| rest.is_empty() || rest.starts_with(' ')) {
            let rest = rest.strip_prefix(' ').unwrap_or(rest);
            range.start = range.end - rest.len();
        }
    }
}

/// What a terminal would show of one line, at most [`LONGEST_LINE`] bytes of it.
fn visible_part(text: &str, range: Range<usize>) -> Range<usize> {
    let raw = &text[range.clone()];
    let state = last_state(raw);
    let offset = state.as_ptr() as usize - raw.as_ptr() as usize;
    let line = state.trim_end();
    let mut len = line.len().min(LONGEST_LINE);
    while !line.is_char_boundary(len) {
        len -= 1;
    }
    let start = range.start + offset;
    start..start + len
}

/// `go test -json` (go doc test2json) writes one event a line; its `Output` is what go would print.
#[derive(Deserialize)]
struct GoEvent<'a> {
    #[serde(rename = "Action")]
    action: &'a str,
    #[serde(rename = "Output", default)]
    output: Cow<'a, str>,
}

/// The text that a stream of events carries, other lines as they are; `None` without events.
fn unwrapped(text: &str) -> Option<String> {
    memmem::find(text.as_bytes(), b"\"Action\":")?;
    let mut out = String::with_capacity(text.len());
    for line in text.split_inclusive('\n') {
        let event = line
            .starts_with("{\"")
            .then(|| serde_json::from_str::<GoEvent<'_>>(line.trim_end()).ok())
            .flatten();
        match event {
            None => out.push_str(line),
            Some(event) if matches!(event.action, "output" | "build-output") => {
                out.push_str(&event.output);
            }
            Some(_) => {}
        }
    }
    Some(out)
}

/// What a terminal would show of a line with carriage returns.
fn last_state(line: &str) -> &str {
    let line = line.trim_end_matches('\r');
    if memchr(b'\r', line.as_bytes()).is_none() {
        return line;
    }
    line.rsplit('\r')
        .find(|part| !part.trim().is_empty())
        .unwrap_or(&line[..0])
}

/// Removes CSI, OSC and two-byte escapes; a move to the line's first columns becomes a carriage
/// return, a move to another column a blank.
fn without_escapes(text: &str) -> Cow<'_, str> {
    let bytes = text.as_bytes();
    let Some(first) = memchr(0x1b, bytes) else {
        return Cow::Borrowed(text);
    };
    let mut out = String::with_capacity(text.len());
    let mut at = 0;
    let mut next = Some(first);
    while let Some(escape) = next {
        out.push_str(&text[at..escape]);
        at = escape + escape_len(&bytes[escape..]);
        while !text.is_char_boundary(at) {
            at += 1;
        }
        if bytes[escape..at].last() == Some(&b'G') && bytes.get(escape + 1) == Some(&b'[') {
            let column = &text[escape + 2..at - 1];
            out.push(if matches!(column, "" | "0" | "1" | "2") {
                '\r'
            } else {
                ' '
            });
        }
        next = memchr(0x1b, &bytes[at..]).map(|found| at + found);
    }
    out.push_str(&text[at..]);
    Cow::Owned(out)
}

/// Bytes of the escape sequence that `bytes` begins with (ECMA-48; xterm's OSC may end with BEL).
fn escape_len(bytes: &[u8]) -> usize {
    match bytes.get(1) {
        Some(b'[') => {
            let params = bytes[2..].iter().take(64);
            let body = params.take_while(|b| (0x20..=0x3f).contains(*b)).count();
            let end = bytes
                .get(2 + body)
                .is_some_and(|b| (0x40..=0x7e).contains(b));
            2 + body + usize::from(end)
        }
        Some(b']') => match memchr2(0x07, 0x1b, &bytes[2..bytes.len().min(4096)]) {
            Some(found) if bytes[2 + found] == 0x07 => 3 + found,
            Some(found) if bytes.get(3 + found) == Some(&b'\\') => 4 + found,
            _ => 2,
        },
        Some(b'(' | b')') => bytes.len().min(3),
        Some(0x20..=0x7e) => 2,
        _ => 1,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(bytes: &[u8]) -> Vec<String> {
        let text = Text::new(bytes);
        text.lines().map(|(_, line)| line.to_string()).collect()
    }

    #[test]
    fn colours_links_and_moves_go() {
        assert_eq!(
            lines(b"\x1b[1m\x1b[31m1 failed\x1b[0m, 2\x1b[39;49;00m"),
            ["1 failed, 2"]
        );
        assert_eq!(
            lines(b"\x1b]8;;http://e\x07link\x1b]8;;\x1b\\ x"),
            ["link x"]
        );
        assert_eq!(lines(b"\x1b[?25h\x1b[2K\x1b[1A\x1b[Gdone"), ["done"]);
        assert_eq!(lines("\x1b[é\x1b".as_bytes()), ["é"]);
        assert_eq!(
            lines(b"\x1b[1G   adds\x1b[K\x1b[77G1/2\x1b[2G\x1b[31m ok adds"),
            [" ok adds"]
        );
    }

    #[test]
    fn carriage_returns_keep_the_last_state() {
        assert_eq!(lines(b"10%\r50%\r100%\r\nnext\r\n"), ["100%", "next"]);
        assert_eq!(lines(b"a\n \r  \r \r\nb"), ["a", "", "b"]);
    }

    #[test]
    fn events_of_go_become_lines_and_other_json_stays() {
        let text = concat!(
            "{\"Time\":\"t\",\"Action\":\"run\",\"Package\":\"p\"}\n",
            "{\"Action\":\"output\",\"Output\":\"--- FAIL: T (0.00s)\\n\"}\n",
            "{\"other\":1}\n"
        );
        assert_eq!(
            lines(text.as_bytes()),
            ["--- FAIL: T (0.00s)", "{\"other\":1}"]
        );
    }

    #[test]
    fn names_of_programs_before_their_lines_go() {
        assert!(ENDED.is_some());
        assert_eq!(
            lines(b"db-1    | ready\ntest-1  | 3 passed\ntest-1  |\ntest-1 exited with code 0\n"),
            [
                "db-1    | ready",
                "3 passed",
                "",
                "test-1 exited with code 0"
            ]
        );
        assert_eq!(
            lines(b"[a] 1 passing\n[a]\n[a] mocha exited with code 0\n"),
            ["1 passing", "", "[a] mocha exited with code 0"]
        );
        assert_eq!(lines(b"[a] x\na | b\n"), ["[a] x", "a | b"]);
    }

    #[test]
    fn any_bytes_make_a_text() {
        assert_eq!(Text::new(b"").len(), 0);
        assert_eq!(lines(b"a\xff\xfeb\0"), ["a\u{fffd}\u{fffd}b\0"]);
        assert_eq!(Text::new(&vec![b'x'; 1 << 20]).line(0).len(), LONGEST_LINE);
    }
}
