//! The text of a file as edits see it, with everything kept that its bytes need.

mod align;
mod find;
mod fold;

pub(super) use align::{Change, align};
pub(super) use find::{Hits, list_lines, longest_prefix, substring, whole_lines};
pub(super) use fold::{Folded, same_folded};

use memchr::{memchr, memchr_iter, memrchr};
use std::borrow::Cow;
use std::ops::Range;

const BOM: &str = "\u{FEFF}";

/// Line ends of a text, one per LF of it.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Ends {
    /// All alike: with a CR or without.
    All(bool),
    /// CR or none, line by line.
    Each(Vec<bool>),
}

/// Why bytes are not a text that is edited.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Flaw {
    /// There is a NUL byte.
    Binary,
    /// The bytes at this offset are not UTF-8.
    Encoding(usize),
}

/// What becomes of the line end at the file's end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum FileEnd {
    Keep,
    With,
    Without,
}

/// A text: lines end at LF only, the CR before an LF belongs to the line end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Text {
    bom: bool,
    /// Without BOM; every line end is a bare LF.
    body: String,
    ends: Ends,
}

impl Text {
    pub fn new(text: &str) -> Self {
        let mut made = Self::from_str(text, text.starts_with(BOM));
        made.ends = Ends::All(false);
        made
    }

    pub fn decode(bytes: &[u8]) -> Result<Self, Flaw> {
        if memchr(0, bytes).is_some() {
            return Err(Flaw::Binary);
        }
        let text = std::str::from_utf8(bytes).map_err(|e| Flaw::Encoding(e.valid_up_to()))?;
        Ok(Self::from_str(text, text.starts_with(BOM)))
    }

    fn from_str(text: &str, bom: bool) -> Self {
        let text = if bom { &text[BOM.len()..] } else { text };
        let bytes = text.as_bytes();
        let ends = if memchr(b'\r', bytes).is_none() {
            Ends::All(false)
        } else {
            let each: Vec<bool> = memchr_iter(b'\n', bytes)
                .map(|at| at > 0 && bytes[at - 1] == b'\r')
                .collect();
            match each.first() {
                None => Ends::All(false),
                Some(first) if each.iter().all(|end| end == first) => Ends::All(*first),
                Some(_) => Ends::Each(each),
            }
        };
        Text {
            bom,
            body: unify(text).into_owned(),
            ends,
        }
    }

    pub fn encode(&self) -> Vec<u8> {
        let extra = match &self.ends {
            Ends::All(false) => 0,
            _ => memchr_iter(b'\n', self.body.as_bytes()).count(),
        };
        let mut out = Vec::with_capacity(self.body.len() + extra + BOM.len());
        if self.bom {
            out.extend_from_slice(BOM.as_bytes());
        }
        if self.ends == Ends::All(false) {
            out.extend_from_slice(self.body.as_bytes());
            return out;
        }
        let mut start = 0;
        for (line, at) in memchr_iter(b'\n', self.body.as_bytes()).enumerate() {
            out.extend_from_slice(&self.body.as_bytes()[start..at]);
            if self.end_of(line) {
                out.push(b'\r');
            }
            out.push(b'\n');
            start = at + 1;
        }
        out.extend_from_slice(&self.body.as_bytes()[start..]);
        out
    }

    /// Whether these bytes are this text.
    pub fn is_same(&self, bytes: &[u8]) -> bool {
        match self.ends {
            Ends::All(false) if !self.bom => self.body.as_bytes() == bytes,
            _ => self.encode() == bytes,
        }
    }

    pub fn body(&self) -> &str {
        &self.body
    }

    pub fn is_empty(&self) -> bool {
        self.body.is_empty()
    }

    /// Whether the end of this line, from 0, has a CR.
    fn end_of(&self, line: usize) -> bool {
        match &self.ends {
            Ends::All(end) => *end,
            Ends::Each(each) => each.get(line).copied().unwrap_or(false),
        }
    }

    /// Number, from 1, of the line that holds this byte of the body.
    pub fn line_at(&self, byte: usize) -> usize {
        memchr_iter(b'\n', &self.body.as_bytes()[..byte.min(self.body.len())]).count() + 1
    }

    /// Replaces a part of the body by `new`, whose line ends are bare LFs. Whether the file ends
    /// with a line end stays as it was, unless nothing of the last line remains.
    pub fn replace(&mut self, range: Range<usize>, new: &str) {
        let new = self.fit_end(&range, new);
        if let Ends::Each(_) = self.ends {
            self.replace_ends(&range, &new);
        }
        self.body.replace_range(range, &new);
    }

    /// Replaces whole lines, from a line's start to a line's end, by these lines.
    pub fn replace_lines(&mut self, mut range: Range<usize>, new: &[&str], end: FileEnd) {
        let at_end = range.end == self.body.len();
        if at_end && end == FileEnd::With {
            self.set_end(true);
            range.end = self.body.len();
        }
        let mut text = new.join("\n");
        if !new.is_empty() {
            text.push('\n');
        }
        self.replace(range, &text);
        if at_end && end == FileEnd::Without {
            self.set_end(false);
        }
    }

    /// Replaces everything and keeps the file's own form: BOM, line ends, final line end.
    pub fn replace_all(&mut self, new: &str) {
        self.replace(0..self.body.len(), new.strip_prefix(BOM).unwrap_or(new));
    }

    fn fit_end<'n>(&self, range: &Range<usize>, new: &'n str) -> Cow<'n, str> {
        let touches_end = range.end == self.body.len() && !self.body.is_empty();
        if !touches_end {
            return Cow::Borrowed(new);
        }
        if !self.body.ends_with('\n') {
            return Cow::Borrowed(new.trim_end_matches('\n'));
        }
        let kept = &self.body[..range.start];
        let open = if new.is_empty() {
            !kept.is_empty() && !kept.ends_with('\n')
        } else {
            !new.ends_with('\n')
        };
        if open {
            Cow::Owned(format!("{new}\n"))
        } else {
            Cow::Borrowed(new)
        }
    }

    fn set_end(&mut self, with: bool) {
        if with && !self.body.is_empty() && !self.body.ends_with('\n') {
            let line = memchr_iter(b'\n', self.body.as_bytes()).count();
            let end = if line > 0 {
                self.end_of(line - 1)
            } else {
                false
            };
            if let Ends::Each(each) = &mut self.ends {
                each.push(end);
            }
            self.body.push('\n');
        } else if !with && self.body.ends_with('\n') {
            self.body.pop();
            if let Ends::Each(each) = &mut self.ends {
                each.pop();
            }
        }
    }

    /// New ends for a file whose line ends differ: an unchanged line keeps its own; a new one takes
    /// that of the first line that it replaces, else of the line above, else the file's first.
    fn replace_ends(&mut self, range: &Range<usize>, new: &str) {
        let start = line_start(&self.body, range.start);
        let end = if range.end > start
            && self.body[..range.end].ends_with('\n')
            && range.start != range.end
        {
            range.end
        } else {
            line_end(&self.body, range.end)
        };
        let window = &self.body[start..end];
        let fresh = format!(
            "{}{new}{}",
            &self.body[start..range.start],
            &self.body[range.end..end]
        );
        let (old, new): (Vec<&str>, Vec<&str>) = (lines(window).collect(), lines(&fresh).collect());
        let first = memchr_iter(b'\n', &self.body.as_bytes()[..start]).count();
        let closed =
            |line: usize| line < old.len() && (line + 1 < old.len() || window.ends_with('\n'));
        let mut ends = Vec::with_capacity(new.len());
        let mut at = 0;
        for change in align(&old, &new) {
            ends.extend(
                (at..change.old.start).map(|line| self.end_above(first, line, closed(line))),
            );
            let replaced = change.old.clone().next().is_some_and(closed);
            let end = self.end_above(first, change.old.start, replaced);
            ends.extend(change.new.clone().map(|_| end));
            at = change.old.end;
        }
        ends.extend((at..old.len()).map(|line| self.end_above(first, line, closed(line))));
        ends.truncate(memchr_iter(b'\n', fresh.as_bytes()).count());
        let had = memchr_iter(b'\n', window.as_bytes()).count();
        if let Ends::Each(each) = &mut self.ends {
            each.splice(first..first + had, ends);
        }
    }

    /// End of a line of the window that begins at line `first`: its own, else that of the line
    /// above, else the file's first.
    fn end_above(&self, first: usize, line: usize, own: bool) -> bool {
        match (own, (first + line).checked_sub(1)) {
            (true, _) => self.end_of(first + line),
            (false, Some(above)) => self.end_of(above),
            (false, None) => self.end_of(0),
        }
    }
}

/// Where the line that holds this byte begins.
pub(super) fn line_start(text: &str, byte: usize) -> usize {
    memrchr(b'\n', &text.as_bytes()[..byte]).map_or(0, |at| at + 1)
}

/// Where the line that holds this byte ends, its LF included.
pub(super) fn line_end(text: &str, byte: usize) -> usize {
    memchr(b'\n', &text.as_bytes()[byte..]).map_or(text.len(), |at| byte + at + 1)
}

/// Lines without their LF; a text that ends with LF has no further empty line.
pub(super) fn lines(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        let end = memchr(b'\n', rest.as_bytes());
        let line = &rest[..end.unwrap_or(rest.len())];
        rest = end.map_or("", |at| &rest[at + 1..]);
        Some(line)
    })
}

/// The text with LF for every CR LF.
pub(super) fn unify(text: &str) -> Cow<'_, str> {
    if memchr(b'\r', text.as_bytes()).is_none() {
        return Cow::Borrowed(text);
    }
    Cow::Owned(text.replace("\r\n", "\n"))
}

/// The same for what a model gave, which may begin with the file's BOM.
pub(super) fn unify_given(text: &str) -> Cow<'_, str> {
    unify(text.strip_prefix(BOM).unwrap_or(text))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn edited(before: &str, old: &str, new: &str) -> String {
        let mut text = Text::decode(before.as_bytes()).unwrap();
        let at = text.body().find(old).unwrap();
        text.replace(at..at + old.len(), new);
        String::from_utf8(text.encode()).unwrap()
    }

    #[test]
    fn bytes_come_back_as_they_were() {
        for bytes in [
            "",
            "\n",
            "a",
            "a\r\nb\nc\r",
            "\u{FEFF}a\r\n",
            "\r\n\n\r\r\n",
            "\u{FEFF}",
        ] {
            assert_eq!(
                Text::decode(bytes.as_bytes()).unwrap().encode(),
                bytes.as_bytes()
            );
        }
        assert_eq!(Text::decode(b"a\0"), Err(Flaw::Binary));
        assert_eq!(Text::decode(b"ab\xe9"), Err(Flaw::Encoding(2)));
    }

    #[test]
    fn new_lines_take_the_end_of_what_they_replace() {
        assert_eq!(edited("a\r\nb\nc\n", "a\nb", "a\nB"), "a\r\nB\nc\n");
        assert_eq!(edited("a\r\nb\nc\n", "a", "a\nx"), "a\r\nx\r\nb\nc\n");
        assert_eq!(edited("a\nb\r\nc", "c", "C\nd"), "a\nb\r\nC\r\nd");
        assert_eq!(edited("a\nb\r\nc\n", "b", "B\nd"), "a\nB\r\nd\r\nc\n");
        assert_eq!(edited("a\r\nb\r\n", "b", "x\ny"), "a\r\nx\r\ny\r\n");
        assert_eq!(edited("a\r\nb\n", "a\n", ""), "b\n");
        assert_eq!(edited("a\nb\r\nc\n", "\nb", ""), "a\nc\n");
    }

    #[test]
    fn the_end_of_the_file_is_kept() {
        assert_eq!(edited("a\nb\n", "b\n", "c"), "a\nc\n");
        assert_eq!(edited("a\nb", "b", "c\n"), "a\nc");
        assert_eq!(edited("a\nb\n", "\nb\n", ""), "a\n");
        assert_eq!(edited("a\nb", "b", ""), "a\n");
        assert_eq!(edited("a\n", "a\n", ""), "");
    }

    #[test]
    fn the_end_of_the_file_may_be_set() {
        let mut text = Text::decode(b"a\r\nb").unwrap();
        text.replace_lines(2..3, &["b"], FileEnd::With);
        assert_eq!(text.encode(), b"a\r\nb\r\n");
        text.replace_lines(2..4, &["c"], FileEnd::Without);
        assert_eq!(text.encode(), b"a\r\nc");
    }
}
