//! `read_file`: numbered lines, a page at a time (rule W4).

use super::{Answer, Workspace, near};
use crate::tree::{FileKind, RelPath, TreeError};

/// Longer lines (minified code, data) are cut, and then do not count as seen.
const MAX_LINE: usize = 2000;

impl Workspace {
    /// A page of a file from line `start` (counted from 1), or a folder's list.
    pub fn read_file(&self, path: &str, start: Option<u64>, lines: Option<u64>) -> Answer {
        let result = self.read(path, start, lines);
        self.answer(result)
    }

    fn read(&self, given: &str, start: Option<u64>, lines: Option<u64>) -> Result<String, String> {
        let Some(path) = self.path(given).map_err(|e| e.to_string())? else {
            let answer = self.list_files(None);
            return if answer.error {
                Err(answer.text)
            } else {
                Ok(answer.text)
            };
        };
        let real = self.tree.canonical(&path).map_err(|e| e.to_string())?;
        let (content, text) = match self.text_of(&path, &real) {
            Ok(read) => read,
            Err(Unread::Folder) => {
                let files = self.files().map_err(|e| e.to_string())?;
                return Ok(format!(
                    "`{path}` is a folder:\n{}",
                    self.list_folder(&real, &files)?
                ));
            }
            Err(Unread::Told(why)) => return Err(why),
        };
        let all: Vec<&str> = text.split_inclusive('\n').collect();
        let total = all.len();
        if total == 0 {
            self.state().seen.show(&real, &content, 0, (0, 0));
            return Ok(format!("`{path}` is empty"));
        }
        let from = usize::try_from(start.unwrap_or(1).max(1) - 1).unwrap_or(usize::MAX);
        if from >= total {
            return Err(format!(
                "`{path}` has {}; start {} is past its end",
                counted(total),
                start.unwrap_or(1)
            ));
        }
        let want = match lines {
            // A remainder that fits two pages comes whole: a second call costs more than its lines.
            None | Some(0) if total - from <= 2 * self.options.page_lines => total - from,
            None | Some(0) => self.options.page_lines,
            Some(n) => usize::try_from(n).unwrap_or(usize::MAX),
        };
        let mut page = Page::new(self.options.result_bytes);
        for (i, line) in all.iter().enumerate().skip(from).take(want) {
            if !page.add(i + 1, &self.shown_line(line)) {
                break;
            }
        }
        let to = from + page.lines;
        {
            let mut state = self.state();
            for (a, b) in page.whole_ranges(from) {
                state.seen.show(&real, &content, total, (a, b));
            }
        }
        let mut out = page.text;
        if to < total {
            let more = total - to;
            out.push_str(&format!(
                "... ({more} more {}; file has {})",
                if more == 1 { "line" } else { "lines" },
                format_args!("{} total", counted(total))
            ));
        }
        Ok(out)
    }

    fn shown_line(&self, line: &str) -> String {
        let line = line.strip_suffix('\n').unwrap_or(line);
        let line = line.strip_suffix('\r').unwrap_or(line);
        self.shown(line)
    }

    /// The content of a text file, as bytes and as text without a byte order mark.
    fn text_of(&self, path: &RelPath, real: &RelPath) -> Result<(Vec<u8>, String), Unread> {
        let told = |e: TreeError| Unread::Told(e.to_string());
        match self.tree.stat(real).map_err(told)? {
            None => {
                let files = self.files().map_err(told)?;
                return Err(Unread::Told(near::missing(path, &files)));
            }
            Some(meta) if meta.kind == FileKind::Folder => return Err(Unread::Folder),
            Some(_) => {}
        }
        self.check_shown(path, real).map_err(Unread::Told)?;
        let content = self.tree.read(real).map_err(told)?;
        if content.contains(&0) {
            return Err(Unread::Told(format!(
                "`{path}` is a binary file of {} bytes",
                content.len()
            )));
        }
        match std::str::from_utf8(&content) {
            Ok(text) => {
                let text = text.strip_prefix('\u{feff}').unwrap_or(text).to_string();
                Ok((content, text))
            }
            Err(e) => Err(Unread::Told(format!(
                "`{path}` is not UTF-8 (byte {}), so it can be neither shown nor edited",
                e.valid_up_to()
            ))),
        }
    }
}

enum Unread {
    Folder,
    Told(String),
}

fn counted(lines: usize) -> String {
    match lines {
        1 => "1 line".into(),
        n => format!("{n} lines"),
    }
}

/// Numbered lines within a number of bytes.
struct Page {
    text: String,
    max: usize,
    lines: usize,
    cut: Vec<usize>,
}

impl Page {
    fn new(max: usize) -> Page {
        Page {
            text: String::new(),
            // Room for the remark about what remains.
            max: max.saturating_sub(256),
            lines: 0,
            cut: Vec::new(),
        }
    }

    /// Adds a line; false when the page is full.
    fn add(&mut self, number: usize, line: &str) -> bool {
        let length = line.chars().count();
        let line = if length > MAX_LINE {
            let head: String = line.chars().take(MAX_LINE).collect();
            format!("{head}... ({} more characters)", length - MAX_LINE)
        } else {
            line.to_string()
        };
        let entry = format!("{number}\t{line}\n");
        if self.lines > 0 && self.text.len() + entry.len() > self.max {
            return false;
        }
        if length > MAX_LINE {
            self.cut.push(self.lines);
        }
        self.text.push_str(&entry);
        self.lines += 1;
        true
    }

    /// The ranges of line indexes that were shown without a cut.
    fn whole_ranges(&self, from: usize) -> Vec<(usize, usize)> {
        let mut ranges = Vec::new();
        let mut at = 0;
        for cut in self.cut.iter().copied().chain([self.lines]) {
            if cut > at {
                ranges.push((from + at, from + cut));
            }
            at = cut + 1;
        }
        ranges
    }
}
