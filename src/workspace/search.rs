//! `search`: lines that match a regular expression.

use super::{Answer, Workspace, matching, near};
use crate::text::clip_words;
use crate::tree::{Entry, EntryKind, FileKind, RelPath};
use regex::bytes::{Regex, RegexBuilder};

/// Lines that are shown, those around matches included.
const MAX_MATCHES: usize = 200;
/// Lines on each side of a match at most.
const MAX_AROUND: usize = 5;
/// So few matches come with [`FEW_AROUND`] lines around each, unless the call says otherwise: an edit
/// can follow without a read between.
const FEW: usize = 10;
const FEW_AROUND: usize = 2;
/// Names of files in an answer without a match.
const NAMES: usize = 5;
/// Counting goes on after the last match that is shown, up to here.
const MAX_COUNTED: usize = 10_000;
/// Larger files are data; they are named as left out.
const MAX_FILE: u64 = 4 * 1024 * 1024;
const MAX_TOTAL: u64 = 192 * 1024 * 1024;
/// Characters of a line around its match.
const MAX_LINE: usize = 300;
/// Bytes of a compiled pattern.
const MAX_PATTERN: usize = 2 * 1024 * 1024;

#[derive(Default)]
struct Found {
    lines: Vec<Line>,
    /// Lines on each side of a match.
    around: usize,
    matches: usize,
    /// Matches among `lines`.
    shown: usize,
    files: usize,
    large: usize,
    /// Files whose path matches, which is what was meant where no line does.
    names: Vec<String>,
    bytes: u64,
    stopped: bool,
}

/// One line of the answer.
struct Line {
    path: RelPath,
    number: usize,
    hit: bool,
    text: String,
}

impl Workspace {
    /// The same with lines around each match, as `path-line- text`; `None` leaves it to how many
    /// there are.
    pub fn search_around(
        &self,
        pattern: &str,
        path: Option<&str>,
        around: Option<usize>,
    ) -> Answer {
        let path = path.unwrap_or(".");
        let result = match around {
            Some(n) => self
                .find(pattern, path, n.min(MAX_AROUND))
                .map(|(text, _)| text),
            None => match self.find(pattern, path, FEW_AROUND) {
                Ok((_, matches)) if matches > FEW => {
                    self.find(pattern, path, 0).map(|(text, _)| text)
                }
                found => found.map(|(text, _)| text),
            },
        };
        self.answer(result)
    }

    /// The lines that match `pattern`, as `path:line: text`, in the whole tree, a folder or a file.
    /// A pattern that is no regular expression is searched as plain text.
    pub fn search(&self, pattern: &str, path: Option<&str>) -> Answer {
        let result = self.find(pattern, path.unwrap_or("."), 0);
        self.answer(result.map(|(text, _)| text))
    }

    /// The answer, and how many matches there were.
    fn find(&self, pattern: &str, given: &str, around: usize) -> Result<(String, usize), String> {
        if pattern.is_empty() {
            return Err("the pattern is empty".into());
        }
        let (regex, note) = compile(pattern)?;
        let files = self.files().map_err(|e| e.to_string())?;
        let files = self.scope(given, files)?;
        let mut found = Found {
            around,
            ..Found::default()
        };
        for entry in &files {
            if entry.kind != EntryKind::File || self.hidden.matches(&entry.path) {
                continue;
            }
            if files.len() > 1 && regex.is_match(entry.path.as_str().as_bytes()) {
                found.names.push(entry.path.to_string());
            }
            if entry.len > MAX_FILE {
                found.large += 1;
                continue;
            }
            if found.bytes > MAX_TOTAL || found.matches >= MAX_COUNTED {
                found.stopped = true;
                break;
            }
            // A file that went away or may not be read is no match.
            if let Ok(content) = self.tree.read_up_to(&entry.path, MAX_FILE) {
                self.find_in(&regex, pattern, entry, &content, &mut found);
            }
        }
        let matches = found.matches;
        Ok((found.render(note), matches))
    }

    fn scope(&self, given: &str, files: Vec<Entry>) -> Result<Vec<Entry>, String> {
        let Some(path) = self.path(given).map_err(|e| e.to_string())? else {
            return Ok(files);
        };
        let real = self.tree.canonical(&path).map_err(|e| e.to_string())?;
        let Some(meta) = self.tree.stat(&real).map_err(|e| e.to_string())? else {
            return Err(near::missing(&path, &files));
        };
        self.check_shown(&path, &real)?;
        match meta.kind {
            FileKind::Folder => {
                matching::beneath(&self.tree, &real, &files).map_err(|e| e.to_string())
            }
            FileKind::File => Ok(vec![Entry {
                path: real,
                kind: EntryKind::File,
                mode: meta.mode,
                len: meta.len,
            }]),
            FileKind::Special => Err(format!("`{path}` is not a regular file")),
        }
    }

    fn find_in(
        &self,
        regex: &Regex,
        pattern: &str,
        entry: &Entry,
        content: &[u8],
        found: &mut Found,
    ) {
        found.bytes += content.len() as u64;
        if content.iter().take(8192).any(|b| *b == 0) {
            return;
        }
        // Anchors of the whole text mean a line's here, so such a pattern cannot skip ahead.
        let skips = !pattern.contains(r"\A") && !pattern.contains(r"\z");
        let (mut at, mut number, before) = (0, 1, found.matches);
        while at < content.len() && found.matches < MAX_COUNTED {
            if skips {
                let Some(hit) = regex.find_at(content, at) else {
                    break;
                };
                let start = line_start(content, hit.start().min(content.len() - 1), at);
                number += memchr::memchr_iter(b'\n', &content[at..start]).count();
                at = start;
            }
            let end = memchr::memchr(b'\n', &content[at..]).map_or(content.len(), |i| at + i);
            let line = content[at..end]
                .strip_suffix(b"\r")
                .unwrap_or(&content[at..end]);
            if let Some(hit) = regex.find(line) {
                found.matches += 1;
                if found.lines.len() < MAX_MATCHES {
                    self.show(entry, content, (at, end), number, hit.start(), found);
                    found.shown += 1;
                }
            }
            at = end + 1;
            number += 1;
        }
        found.files += usize::from(found.matches > before);
    }

    /// Puts the match at `at..end` into the answer, with its neighbours where they are wanted.
    fn show(
        &self,
        entry: &Entry,
        content: &[u8],
        (at, end): (usize, usize),
        number: usize,
        hit: usize,
        found: &mut Found,
    ) {
        let line = |number: usize, hit: bool, text: String| Line {
            path: entry.path.clone(),
            number,
            hit,
            text,
        };
        // What the match before has shown already is not repeated.
        let known = match found.lines.last() {
            Some(last) if last.path == entry.path => last.number,
            _ => 0,
        };
        if known >= number {
            let again = found.lines.iter().rposition(|l| l.number == number);
            if let Some(shown) = again {
                found.lines[shown].hit = true;
            }
        }
        let (before, after) = neighbours(content, at, end, found.around);
        for (n, text) in before.iter().enumerate().rev() {
            let number = number - n - 1;
            if number > known {
                let text = self.shown(&excerpt(text, 0));
                found.lines.push(line(number, false, text));
            }
        }
        if number > known {
            let whole = &content[at..end];
            let whole = whole.strip_suffix(b"\r").unwrap_or(whole);
            let text = self.shown(&excerpt(whole, hit));
            found.lines.push(line(number, true, text));
        }
        for (n, text) in after.iter().enumerate() {
            let number = number + n + 1;
            if number > known {
                let text = self.shown(&excerpt(text, 0));
                found.lines.push(line(number, false, text));
            }
        }
    }
}

/// The lines before `at` and after `end`, nearest first, with the distance of each.
fn neighbours(content: &[u8], at: usize, end: usize, most: usize) -> (Vec<&[u8]>, Vec<&[u8]>) {
    let bare = |line: &'_ [u8]| -> usize { line.len() - usize::from(line.ends_with(b"\r")) };
    let (mut before, mut after) = (Vec::new(), Vec::new());
    let mut head = &content[..at];
    while before.len() < most && !head.is_empty() {
        let body = &head[..head.len() - 1];
        let start = memchr::memrchr(b'\n', body).map_or(0, |i| i + 1);
        let line = &body[start..];
        before.push(&line[..bare(line)]);
        head = &head[..start];
    }
    let mut tail = content.get(end + 1..).unwrap_or_default();
    while after.len() < most && !tail.is_empty() {
        let stop = memchr::memchr(b'\n', tail).unwrap_or(tail.len());
        let line = &tail[..stop];
        after.push(&line[..bare(line)]);
        tail = tail.get(stop + 1..).unwrap_or_default();
    }
    (before, after)
}

/// Where the line begins that holds `at`.
fn line_start(content: &[u8], at: usize, least: usize) -> usize {
    memchr::memrchr(b'\n', &content[least..at]).map_or(least, |i| least + i + 1)
}

/// A line, or the part of a long one around its match.
fn excerpt(line: &[u8], hit: usize) -> String {
    let text = String::from_utf8_lossy(line);
    if text.chars().count() <= MAX_LINE {
        return text.into_owned();
    }
    let before = String::from_utf8_lossy(&line[..hit]).chars().count();
    let skip = before.saturating_sub(MAX_LINE / 3);
    let part: String = text.chars().skip(skip).take(MAX_LINE).collect();
    let head = if skip > 0 { "..." } else { "" };
    format!("{head}{part}...")
}

/// The pattern as a regular expression, else as plain text with a note that says so.
fn compile(pattern: &str) -> Result<(Regex, &'static str), String> {
    let build = |pattern: &str| {
        RegexBuilder::new(pattern)
            .multi_line(true)
            .crlf(true)
            .size_limit(MAX_PATTERN)
            .dfa_size_limit(MAX_PATTERN)
            .build()
    };
    match build(pattern) {
        Ok(regex) => Ok((regex, "")),
        Err(regex::Error::CompiledTooBig(_)) => {
            Err("the pattern is too large when compiled; use smaller repetitions".into())
        }
        Err(_) => build(&regex::escape(pattern))
            .map(|regex| {
                (
                    regex,
                    "(not a valid regular expression; searched as plain text)\n",
                )
            })
            .map_err(|e| {
                format!(
                    "the pattern cannot be searched: {}",
                    clip_words(&e.to_string(), 200)
                )
            }),
    }
}

impl Found {
    fn render(self, note: &str) -> String {
        let mut out = String::from(note);
        if self.matches == 0 {
            out.push_str("no matches");
            if !self.names.is_empty() {
                let shown = &self.names[..self.names.len().min(NAMES)];
                let more = if self.names.len() > NAMES {
                    ", …"
                } else {
                    ""
                };
                out.push_str(&format!(
                    " in the text; files of that name: {}{more}",
                    shown.join(", ")
                ));
            }
        }
        let mut last: Option<&Line> = None;
        for line in &self.lines {
            if let Some(last) = last {
                let apart = last.path != line.path || last.number + 1 != line.number;
                out.push_str(if apart && self.around > 0 {
                    "\n--\n"
                } else {
                    "\n"
                });
            }
            let mark = if line.hit { ':' } else { '-' };
            let (path, number, text) = (&line.path, line.number, &line.text);
            out.push_str(&format!("{path}{mark}{number}{mark} {text}"));
            last = Some(line);
        }
        let more = self.matches - self.shown;
        if more > 0 {
            out.push_str(&format!(
                "\n... ({more} more matches; {}{} in {} files)",
                if self.stopped { "at least " } else { "" },
                self.matches,
                self.files
            ));
        } else if self.stopped {
            out.push_str("\n... (the search stopped early; give a path)");
        }
        if self.large > 0 {
            out.push_str(&format!(
                "\n({} files over 4 MiB were left out; give one's path to read it)",
                self.large
            ));
        }
        out
    }
}
