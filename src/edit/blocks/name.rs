//! Which file a block is for: read off the line above it. Prose names a file only when it leaves
//! no doubt; where it may mean another file than the one named before, the block is refused.

use super::looks::{
    Looks, has_extension, looks, looks_like_path, means_file, plain_name, spaced_path,
};
use super::parse::Above;
use crate::edit::content::lines;
use crate::edit::error::EditError;
use crate::edit::path::show;
use crate::edit::pending::{Pending, Target};
use std::collections::BTreeSet;

/// Longest line that may name a file, in bytes, and how many words or spans of one are looked up.
const LONGEST: usize = 4096;
const LOOKED_UP: usize = 64;

/// Reads names, knowing the tree and the files that earlier blocks make.
pub(super) struct Names<'a, 'v> {
    pending: &'a mut Pending<'v>,
    made: BTreeSet<String>,
}

impl<'a, 'v> Names<'a, 'v> {
    pub fn new(pending: &'a mut Pending<'v>) -> Self {
        Names {
            pending,
            made: BTreeSet::new(),
        }
    }

    /// Checks a path; one that a block `creates` is a file for the blocks after it.
    pub fn open(&mut self, path: &str, creates: bool) -> Result<Target, EditError> {
        let target = self.pending.open(path)?;
        if creates {
            self.made.insert(target.real.clone());
        }
        Ok(target)
    }

    pub fn exists(&mut self, path: &str) -> bool {
        self.made.contains(path.strip_prefix("./").unwrap_or(path)) || self.pending.names_file(path)
    }

    /// The path that a line names, as written but for decoration; `None` when it is prose.
    ///
    /// # Errors
    /// `malformed`, when the line speaks of several files, or in passing of another than `carried`.
    pub fn named(
        &mut self,
        above: Above<'_>,
        creates: bool,
        carried: Option<&str>,
    ) -> Result<Option<String>, EditError> {
        let raw = above.text.trim();
        if raw.len() > LONGEST {
            return Ok(None);
        }
        let bare = undecorated(raw);
        let mut forms = vec![raw.to_string(), bare.clone()];
        let inner = unlabelled(&bare).or_else(|| unlabelled(raw));
        forms.extend(inner.map(|form| undecorated(&form)));
        for form in &forms {
            if self.exists(form) {
                return Ok(Some(form.clone()));
            }
        }
        let in_ticks = is_one_span(raw);
        for form in &forms[1..] {
            let path = if form.chars().any(char::is_whitespace) {
                in_ticks && has_extension(form) || spaced_path(form, || self.pending.listed())
            } else {
                looks_like_path(form) || creates && (in_ticks || plain_name(form, raw, carried))
            };
            if path {
                return Ok(Some(form.clone()));
            }
        }
        if let Some(path) = self.in_prose(above, creates, carried)? {
            return Ok(Some(path));
        }
        let Some(form) = forms.last() else {
            return Ok(None);
        };
        let labelled = forms.len() > 2 && raw.contains(':');
        match looks(form, is_marked(raw) || labelled, || self.pending.listed()) {
            Looks::Prose => Ok(None),
            // A file to be made needs a name beyond doubt; one to be edited is only looked up.
            Looks::Name if !creates || labelled || form.contains(' ') => Ok(Some(form.clone())),
            Looks::Name | Looks::Doubt => Err(EditError::malformed(format!(
                "line {} of the reply, {}, may name a file that does not exist: put the path alone \
                 in back-ticks on the line above the block",
                above.line,
                show(form)
            ))),
        }
    }

    /// A file named in passing: one span in back-ticks that is a file.
    fn in_prose(
        &mut self,
        above: Above<'_>,
        creates: bool,
        carried: Option<&str>,
    ) -> Result<Option<String>, EditError> {
        let mut spans = spans(above.text);
        spans.truncate(LOOKED_UP);
        let mut found: Vec<String> = spans.iter().filter(|s| self.exists(s)).cloned().collect();
        if found.is_empty() {
            spans.retain(|span| means_file(span, creates, || self.pending.listed()));
            found = spans;
        }
        found.sort();
        found.dedup();
        match found.as_slice() {
            [one] => return Ok(Some(one.clone())),
            [] => {}
            several => return Err(doubt(above, several)),
        }
        let mut others = self.mentioned(above.text);
        others.retain(|path| Some(path.as_str()) != carried);
        if others.is_empty() {
            return Ok(None);
        }
        Err(doubt(above, &others))
    }

    /// Words of a line that are files, with a dot or a slash in them.
    pub fn mentioned(&mut self, line: &str) -> Vec<String> {
        const AROUND: &[char] = &[
            '"', '\'', '`', '(', ')', '[', ']', '{', '}', '<', '>', ',', ';', ':', '!', '?', '*',
        ];
        let mut found = Vec::new();
        let words = line.split_whitespace().flat_map(|word| {
            let whole = word.trim_matches(AROUND);
            std::iter::once(whole).chain(whole.split(AROUND))
        });
        let names = words.map(|word| word.strip_suffix('.').unwrap_or(word));
        for word in names.filter(|w| w.contains(['.', '/'])).take(LOOKED_UP) {
            if !found.iter().any(|f| f == word) && self.exists(word) {
                found.push(word.to_string());
            }
        }
        found
    }
}

fn doubt(above: Above<'_>, paths: &[String]) -> EditError {
    let shown: Vec<String> = paths.iter().take(4).map(|path| show(path)).collect();
    EditError::malformed(format!(
        "line {} of the reply speaks of {} but does not name one file: put the path alone on the \
         line above the block",
        above.line,
        shown.join(", ")
    ))
}

/// Without heading marks, bold, back-ticks, a trailing colon and `./`.
fn undecorated(line: &str) -> String {
    let mut text = line.trim();
    loop {
        let before = text;
        text = text.trim_start_matches('#').trim();
        text = text.strip_suffix(':').unwrap_or(text).trim_end();
        text = text.trim_matches('*').trim_matches('`').trim();
        text = text.strip_prefix("./").unwrap_or(text);
        if text == before {
            return text.to_string();
        }
    }
}

/// Whether the line is set off: a heading, bold, or one span in back-ticks.
fn is_marked(line: &str) -> bool {
    line.starts_with('#') || line.starts_with("**") || is_one_span(line)
}

/// Whether all of the line, but for bold, heading marks and a colon, is one span in back-ticks.
fn is_one_span(line: &str) -> bool {
    let text = line.trim_matches(['*', '#', ':', ' ']);
    let inner = text.trim_matches('`');
    inner.len() + 2 <= text.len()
        && text.starts_with('`')
        && text.ends_with('`')
        && !inner.contains('`')
}

/// Without a label, a list mark, comment signs or a remark in parentheses.
fn unlabelled(line: &str) -> Option<String> {
    let lower = line.to_ascii_lowercase();
    for label in [
        "file:",
        "filename:",
        "file name:",
        "path:",
        "file path:",
        "- ",
        "+ ",
        "// ",
        "-- ",
    ] {
        if lower.starts_with(label) {
            return Some(line[label.len()..].trim().to_string());
        }
    }
    if let Some(inner) = line
        .strip_prefix("<!--")
        .and_then(|l| l.strip_suffix("-->"))
    {
        return Some(inner.trim().to_string());
    }
    if let Some(inner) = line.strip_prefix("/*").and_then(|l| l.strip_suffix("*/")) {
        return Some(inner.trim().to_string());
    }
    let digits = line.trim_start_matches(|c: char| c.is_ascii_digit());
    if digits.len() < line.len()
        && let Some(rest) = digits
            .strip_prefix(". ")
            .or_else(|| digits.strip_prefix(") "))
    {
        return Some(rest.trim().to_string());
    }
    for quote in ['"', '\''] {
        if let Some(inner) = line.strip_prefix(quote).and_then(|l| l.strip_suffix(quote)) {
            return Some(inner.to_string());
        }
    }
    if let Some((text, _)) = line.strip_prefix('[').and_then(|l| l.split_once("](")) {
        return Some(text.to_string());
    }
    let (path, remark) = line.strip_suffix(')')?.rsplit_once(" (")?;
    (!remark.contains('(')).then(|| path.trim().to_string())
}

/// What stands in single back-ticks on a line.
fn spans(line: &str) -> Vec<String> {
    line.split('`')
        .skip(1)
        .step_by(2)
        .map(|span| {
            span.trim()
                .strip_prefix("./")
                .unwrap_or(span.trim())
                .to_string()
        })
        .filter(|span| !span.is_empty() && lines(span).count() == 1)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::edit::{AllSeen, FileContent, Protected, View};
    use std::collections::BTreeMap;

    fn name(text: &str, creates: bool, carried: Option<&str>) -> Result<Option<String>, EditError> {
        let file = FileContent {
            bytes: Vec::new(),
            mode: 0o644,
        };
        let listed = [
            "a.py",
            "lib/b.py",
            "docs/release notes.md",
            "Makefile",
            "app/(x)/p.tsx",
        ];
        let files: BTreeMap<String, FileContent> =
            listed.map(|path| (path.to_string(), file.clone())).into();
        let guard = Protected::new();
        let mut pending = Pending::new(&View {
            files: &files,
            seen: &AllSeen,
            guard: &guard,
        });
        Names::new(&mut pending).named(Above { line: 1, text }, creates, carried)
    }

    #[test]
    fn decorated_names_are_read() {
        for text in [
            "a.py",
            "**a.py**:",
            "### a.py",
            "`a.py`",
            "**`a.py`**",
            "./a.py:",
            "File: a.py",
            "- a.py",
            "1. `a.py`",
            "# a.py",
            "// a.py",
            "<!-- a.py -->",
            "`a.py` (the fix)",
            "\"a.py\"",
            "[a.py](a.py)",
            "Next, in `a.py`:",
            "In `go()` of `a.py`:",
        ] {
            assert_eq!(
                name(text, false, Some("lib/b.py")).unwrap().as_deref(),
                Some("a.py"),
                "{text}"
            );
        }
        for text in ["docs/release notes.md", "Makefile", "app/(x)/p.tsx"] {
            assert_eq!(name(text, false, None).unwrap().as_deref(), Some(text));
        }
    }

    #[test]
    fn absent_names_are_names_too() {
        for text in [
            "mod.py",
            "../x",
            "/etc/passwd",
            "lib/new",
            "__init__.py",
            "docs/new notes.md",
            ".env",
        ] {
            assert_eq!(
                name(text, false, None).unwrap().as_deref(),
                Some(text),
                "{text}"
            );
        }
        assert_eq!(
            name("Create `src/c.rs`:", true, None).unwrap().as_deref(),
            Some("src/c.rs")
        );
        assert_eq!(
            name("In `lib/c.py`:", false, Some("a.py"))
                .unwrap()
                .as_deref(),
            Some("lib/c.py")
        );
        assert_eq!(
            name("Dockerfile", true, Some("a.py")).unwrap().as_deref(),
            Some("Dockerfile")
        );
        assert_eq!(name("notes", true, None).unwrap().as_deref(), Some("notes"));
    }

    #[test]
    fn prose_is_no_name() {
        for text in [
            "Here is the fix",
            "and",
            "Then:",
            "Set `self.rows`:",
            "Handle `n/a` values",
            "See https://x.y/z",
            "the same in a.py again:",
            "etc.",
            "Done.",
            "Use `f(x)`",
        ] {
            assert_eq!(name(text, false, Some("a.py")), Ok(None), "{text}");
        }
        assert_eq!(name("and", true, Some("a.py")), Ok(None));
        assert_eq!(name("## Fix the loop", false, Some("a.py")), Ok(None));
    }

    #[test]
    fn what_may_be_a_name_is_never_passed_over() {
        for (text, path) in [
            ("**Dockerfile**", "Dockerfile"),
            ("LICENSE", "LICENSE"),
            ("`COPYING`", "COPYING"),
            ("## Rakefile", "Rakefile"),
            ("File: `Procfile`", "Procfile"),
            ("doc/old notes.md", "doc/old notes.md"),
            ("**old notes.md**", "old notes.md"),
            ("File: old notes.md", "old notes.md"),
        ] {
            let named = name(text, false, Some("a.py"));
            assert_eq!(named, Ok(Some(path.to_string())), "{text}");
        }
        for text in ["old notes.md", "Edit lib/c.py", "`go()`", "In config.toml:"] {
            assert!(name(text, false, Some("a.py")).is_err(), "{text}");
        }
        assert!(name("helper", true, Some("a.py")).is_err());
    }

    #[test]
    fn doubt_is_refused() {
        assert!(name("Now fix lib/b.py as well:", false, Some("a.py")).is_err());
        assert!(name("Both `a.py` and `lib/b.py`:", false, None).is_err());
    }
}
