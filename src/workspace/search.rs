//! `search`: lines that match a regular expression.

use super::{Answer, Workspace, matching, near};
use crate::text::clip_words;
use crate::tree::{Entry, EntryKind, FileKind};
use regex::bytes::{Regex, RegexBuilder};

const MAX_MATCHES: usize = 200;
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
    lines: Vec<String>,
    matches: usize,
    files: usize,
    large: usize,
    bytes: u64,
    stopped: bool,
}

impl Workspace {
    /// The lines that match `pattern`, as `path:line: text`, in the whole tree, a folder or a file.
    /// A pattern that is no regular expression is searched as plain text.
    pub fn search(&self, pattern: &str, path: Option<&str>) -> Answer {
        let result = self.find(pattern, path.unwrap_or("."));
        self.answer(result)
    }

    fn find(&self, pattern: &str, given: &str) -> Result<String, String> {
        if pattern.is_empty() {
            return Err("the pattern is empty".into());
        }
        let (regex, note) = compile(pattern)?;
        let files = self.files().map_err(|e| e.to_string())?;
        let files = self.scope(given, files)?;
        let mut found = Found::default();
        for entry in &files {
            if entry.kind != EntryKind::File || self.hidden.matches(&entry.path) {
                continue;
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
        Ok(found.render(note))
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
                    let text = self.shown(&excerpt(line, hit.start()));
                    found.lines.push(format!("{}:{number}: {text}", entry.path));
                }
            }
            at = end + 1;
            number += 1;
        }
        found.files += usize::from(found.matches > before);
    }
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
        }
        out.push_str(&self.lines.join("\n"));
        let more = self.matches - self.lines.len();
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
