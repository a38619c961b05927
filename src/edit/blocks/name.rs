//! Which file a block is for: read off the line above it. Prose names a file only when it leaves
//! no doubt; where it may mean another file than the one named before, the block is refused.

use super::parse::Above;
use crate::edit::content::lines;
use crate::edit::error::EditError;
use crate::edit::path::show;

/// Files that are known by names without a dot.
const PLAIN_NAMES: &[&str] = &[
    "Makefile",
    "Dockerfile",
    "Containerfile",
    "LICENSE",
    "LICENCE",
    "COPYING",
    "README",
    "NOTICE",
    "AUTHORS",
    "CHANGELOG",
    "CHANGES",
    "NEWS",
    "TODO",
    "VERSION",
    "CODEOWNERS",
    "Procfile",
    "Gemfile",
    "Rakefile",
    "Vagrantfile",
    "Jenkinsfile",
    "Brewfile",
    "Justfile",
    "justfile",
    "makefile",
    "BUILD",
    "WORKSPACE",
    "Pipfile",
    "Podfile",
    "Fastfile",
    "Caddyfile",
    "Tiltfile",
];

/// What is known about the tree while names are read.
pub(in crate::edit) struct Names<'a> {
    /// Whether a path names a file that is there or that an earlier block makes.
    pub exists: &'a mut dyn FnMut(&str) -> bool,
    pub listed: &'a [String],
}

/// The path that a line names, as written but for decoration; `None` when it is prose.
///
/// # Errors
/// `malformed`, when the line speaks of several files, or in passing of another than `carried`.
pub(in crate::edit) fn named(
    above: Above<'_>,
    creates: bool,
    carried: Option<&str>,
    names: &mut Names<'_>,
) -> Result<Option<String>, EditError> {
    let raw = above.text.trim();
    let bare = undecorated(raw);
    let mut forms = vec![raw.to_string(), bare.clone()];
    forms.extend(
        unlabelled(&bare)
            .or_else(|| unlabelled(raw))
            .map(|f| undecorated(&f)),
    );
    for form in &forms {
        if (names.exists)(form) {
            return Ok(Some(form.clone()));
        }
    }
    let in_ticks = is_one_span(raw);
    for form in &forms[1..] {
        let whole = form.chars().any(char::is_whitespace);
        let path = if whole {
            in_ticks && has_extension(form) || spaced_path(form, names.listed)
        } else {
            looks_like_path(form) || creates && (in_ticks || plain_name(form, raw, carried))
        };
        if path {
            return Ok(Some(form.clone()));
        }
    }
    in_prose(above, creates, carried, names)
}

/// A file named in passing: one span in back-ticks that is a file.
fn in_prose(
    above: Above<'_>,
    creates: bool,
    carried: Option<&str>,
    names: &mut Names<'_>,
) -> Result<Option<String>, EditError> {
    let spans = spans(above.text);
    let mut found: Vec<String> = Vec::new();
    for span in &spans {
        if (names.exists)(span) {
            found.push(span.clone());
        }
    }
    if found.is_empty() {
        let meant = |span: &&String| means_file(span, creates, names.listed);
        found.extend(spans.iter().filter(meant).cloned());
    }
    found.dedup();
    match found.as_slice() {
        [one] => return Ok(Some(one.clone())),
        [] => {}
        several => return Err(doubt(above, several)),
    }
    let others: Vec<String> = mentioned(above.text, names)
        .into_iter()
        .filter(|path| Some(path.as_str()) != carried)
        .collect();
    if others.is_empty() {
        return Ok(None);
    }
    Err(doubt(above, &others))
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

/// Words of a line that are files, with a dot or a slash in them.
pub(in crate::edit) fn mentioned(line: &str, names: &mut Names<'_>) -> Vec<String> {
    let mut found = Vec::new();
    for word in line.split_whitespace() {
        let word = word.trim_matches(|c: char| "\"'`()[]{}<>,;:!?*".contains(c));
        let word = word.strip_suffix('.').unwrap_or(word);
        if word.contains(['.', '/']) && !found.iter().any(|f| f == word) && (names.exists)(word) {
            found.push(word.to_string());
        }
    }
    found
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
    let (path, remark) = line.strip_suffix(')')?.rsplit_once(" (")?;
    (!remark.contains('(')).then(|| path.trim().to_string())
}

/// One word with a slash or with a dot before its end.
fn looks_like_path(word: &str) -> bool {
    if word.is_empty() || word.contains("://") && !word.starts_with("file:") {
        return false;
    }
    if word.contains(['/', '\\']) {
        return word.chars().any(char::is_alphanumeric);
    }
    let odd = |c: char| "()<>|*?\"'`=;,{}$!&".contains(c);
    word.trim_end_matches('.').contains('.')
        && !word.ends_with('.')
        && !word.chars().any(odd)
        && word.chars().any(char::is_alphanumeric)
}

fn has_extension(path: &str) -> bool {
    extension(path).is_some()
}

fn extension(path: &str) -> Option<&str> {
    let name = path.rsplit('/').next()?;
    let (stem, ext) = name.rsplit_once('.')?;
    let short = (1..=10).contains(&ext.len()) && ext.chars().all(|c| c.is_ascii_alphanumeric());
    (short && !(stem.is_empty() && path.contains(' '))).then_some(ext)
}

/// A path with blanks in it: in a folder that is there, and no word but the last like a file.
fn spaced_path(text: &str, listed: &[String]) -> bool {
    let Some((folder, name)) = text.split_once('/') else {
        return false;
    };
    let words: Vec<&str> = name.split_whitespace().collect();
    let Some((last, rest)) = words.split_last() else {
        return false;
    };
    has_extension(last) && !rest.iter().any(|w| has_extension(w)) && is_folder(folder, listed)
}

fn is_folder(folder: &str, listed: &[String]) -> bool {
    listed.iter().any(|path| {
        path.strip_prefix(folder)
            .is_some_and(|rest| rest.starts_with('/'))
    })
}

/// A word without dot or slash as the name of a file to be made.
fn plain_name(word: &str, raw: &str, carried: Option<&str>) -> bool {
    PLAIN_NAMES.contains(&word)
        || carried.is_none()
            && raw == word
            && word
                .chars()
                .all(|c| c.is_alphanumeric() || c == '_' || c == '-')
}

/// Whether a span in prose is meant as a file though there is none: `pkg/new.py`, but not
/// `self.rows` or `n/a`.
fn means_file(span: &str, creates: bool, listed: &[String]) -> bool {
    if span.chars().any(char::is_whitespace) || !looks_like_path(span) {
        return false;
    }
    let Some(ext) = extension(span) else {
        return span
            .split_once('/')
            .is_some_and(|(folder, _)| is_folder(folder, listed));
    };
    let name = span.rsplit('/').next().unwrap_or(span);
    creates
        || span.contains('/')
        || listed
            .iter()
            .any(|path| extension(path) == Some(ext) || path.rsplit('/').next() == Some(name))
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

    fn name(text: &str, creates: bool, carried: Option<&str>) -> Result<Option<String>, EditError> {
        let listed: Vec<String> = [
            "a.py",
            "lib/b.py",
            "docs/release notes.md",
            "Makefile",
            "app/(x)/p.tsx",
        ]
        .map(String::from)
        .to_vec();
        let mut exists = |path: &str| listed.iter().any(|l| l == path);
        named(
            Above { line: 1, text },
            creates,
            carried,
            &mut Names {
                exists: &mut exists,
                listed: &listed,
            },
        )
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
    }

    #[test]
    fn doubt_is_refused() {
        assert!(name("Now fix lib/b.py as well:", false, Some("a.py")).is_err());
        assert!(name("Both `a.py` and `lib/b.py`:", false, None).is_err());
    }
}
