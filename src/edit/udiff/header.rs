//! File headers of a unified diff: which file, made, deleted, renamed, with which mode.

use crate::edit::error::EditError;

/// One side of a header.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Side {
    /// `/dev/null`
    Nothing,
    File(String),
}

/// What git's extended header lines and `---`, `+++` say of a file.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Header {
    /// Line of the reply, from 1.
    pub line: usize,
    /// From `diff --git`, as written, prefixes included.
    pub git: Option<(String, String)>,
    pub old: Option<Side>,
    pub new: Option<Side>,
    pub rename: (Option<String>, Option<String>),
    pub new_file_mode: Option<u32>,
    pub deleted: bool,
    pub new_mode: Option<u32>,
}

/// What is to happen, with paths whose prefixes are stripped.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Plan {
    Edit(String),
    /// Either of two: the header names two paths, and the file that is there decides.
    EditOne(String, String),
    Create(String),
    Delete(String),
    Rename(String, String),
}

impl Header {
    /// Takes an extended header line in; `false` when it is none.
    pub fn extend(&mut self, line: &str) -> Result<bool, EditError> {
        let here = self.line;
        let mode = |text: &str| file_mode(text, here);
        if let Some(rest) = line.strip_prefix("new file mode ") {
            self.new_file_mode = Some(mode(rest)?);
        } else if line.starts_with("deleted file mode ") {
            self.deleted = true;
        } else if let Some(rest) = line.strip_prefix("new mode ") {
            self.new_mode = Some(mode(rest)?);
        } else if let Some(rest) = line.strip_prefix("rename from ") {
            self.rename.0 = Some(unquote(rest));
        } else if let Some(rest) = line.strip_prefix("rename to ") {
            self.rename.1 = Some(unquote(rest));
        } else if line.starts_with("copy from ") || line.starts_with("copy to ") {
            return Err(EditError::malformed(format!(
                "line {here} of the reply: a diff that copies a file is not applied; create the new \
                 file with all its lines"
            )));
        } else {
            return Ok([
                "index ",
                "old mode ",
                "similarity index ",
                "dissimilarity index ",
            ]
            .iter()
            .any(|start| line.starts_with(start)));
        }
        Ok(true)
    }

    /// What the header asks for.
    pub fn plan(&self) -> Result<Plan, EditError> {
        if let (Some(from), Some(to)) = &self.rename {
            return Ok(Plan::Rename(from.clone(), to.clone()));
        }
        let git = self.git.as_ref().map(|(a, b)| pair(a, b));
        match (&self.old, &self.new) {
            (Some(Side::Nothing), Some(Side::File(new))) => Ok(Plan::Create(lone(new, "b/"))),
            (Some(Side::File(old)), Some(Side::Nothing)) => Ok(Plan::Delete(lone(old, "a/"))),
            (Some(Side::File(old)), Some(Side::File(new))) => {
                let (old, new) = pair(old, new);
                Ok(match () {
                    () if old != new => Plan::EditOne(old, new),
                    () if self.new_file_mode.is_some() => Plan::Create(new),
                    () if self.deleted => Plan::Delete(new),
                    () => Plan::Edit(new),
                })
            }
            (Some(Side::Nothing), Some(Side::Nothing)) => Err(EditError::malformed(format!(
                "line {} of the reply: both sides of the diff are /dev/null",
                self.line
            ))),
            _ => match git {
                Some((_, new)) if self.new_file_mode.is_some() => Ok(Plan::Create(new)),
                Some((old, _)) if self.deleted => Ok(Plan::Delete(old)),
                Some((old, new)) if old == new => Ok(Plan::Edit(new)),
                _ => Err(EditError::malformed(format!(
                    "the diff at line {} of the reply names no file: put `--- a/PATH` and \
                     `+++ b/PATH` above its hunks",
                    self.line
                ))),
            },
        }
    }
}

/// The file that a `---` or `+++` line names; a time stamp behind a tab is not part of it.
pub(super) fn side(rest: &str) -> Side {
    let rest = rest.trim_start();
    let name = if rest.starts_with('"') {
        unquote(rest)
    } else {
        rest.split('\t')
            .next()
            .unwrap_or_default()
            .trim_end()
            .to_string()
    };
    if name == "/dev/null" {
        Side::Nothing
    } else {
        Side::File(name)
    }
}

/// The two names of a `diff --git` line. Unquoted names with blanks are read where both halves
/// name the same file.
pub(super) fn git_names(rest: &str) -> Option<(String, String)> {
    if rest.starts_with('"') {
        let end = quoted_end(rest)?;
        return Some((unquote(&rest[..end]), unquote(rest[end..].trim())));
    }
    if let Some(at) = rest.find(" \"") {
        return Some((rest[..at].to_string(), unquote(rest[at..].trim())));
    }
    let mut halves = rest
        .match_indices(' ')
        .map(|(at, _)| (&rest[..at], &rest[at + 1..]));
    let same = halves.find(|(a, b)| {
        a == b
            || matches!((a.strip_prefix("a/"), b.strip_prefix("b/")), (Some(a), Some(b)) if a == b)
    });
    let (a, b) = same.or_else(|| rest.split_once(' '))?;
    Some((a.to_string(), b.trim_end().to_string()))
}

/// `a/` and `b/` go only as a pair.
fn pair(old: &str, new: &str) -> (String, String) {
    match (old.strip_prefix("a/"), new.strip_prefix("b/")) {
        (Some(a), Some(b)) => (a.to_string(), b.to_string()),
        _ => (old.to_string(), new.to_string()),
    }
}

/// Beside `/dev/null` git's prefix is taken to be one.
fn lone(path: &str, prefix: &str) -> String {
    path.strip_prefix(prefix).unwrap_or(path).to_string()
}

fn file_mode(text: &str, line: usize) -> Result<u32, EditError> {
    match text.trim() {
        "100644" => Ok(0o644),
        "100755" => Ok(0o755),
        other => Err(EditError::malformed(format!(
            "line {line} of the reply: mode {} is not applied; regular files have 100644 or 100755",
            crate::text::clip_words(other, 20)
        ))),
    }
}

fn quoted_end(text: &str) -> Option<usize> {
    let mut escaped = false;
    for (at, c) in text.char_indices().skip(1) {
        match c {
            '"' if !escaped => return Some(at + 1),
            '\\' => escaped = !escaped,
            _ => escaped = false,
        }
    }
    None
}

/// A name as git quotes it: C escapes, octal bytes. What is not quoted stays as it is.
fn unquote(text: &str) -> String {
    let text = text.trim_end();
    let Some(inner) = quoted_end(text)
        .filter(|_| text.starts_with('"'))
        .map(|end| &text.as_bytes()[1..end - 1])
    else {
        return text.to_string();
    };
    let mut out = Vec::new();
    let mut at = 0;
    while at < inner.len() {
        if inner[at] != b'\\' {
            out.push(inner[at]);
            at += 1;
            continue;
        }
        let octal = inner
            .get(at + 1..at + 4)
            .and_then(|d| std::str::from_utf8(d).ok());
        if let Some(byte) = octal.and_then(|d| u8::from_str_radix(d, 8).ok()) {
            out.push(byte);
            at += 4;
            continue;
        }
        out.push(match inner.get(at + 1) {
            Some(b'n') => b'\n',
            Some(b't') => b'\t',
            Some(b'r') => b'\r',
            Some(b'a') => 7,
            Some(b'b') => 8,
            Some(b'v') => 11,
            Some(b'f') => 12,
            Some(other) => *other,
            None => b'\\',
        });
        at += 2;
    }
    String::from_utf8_lossy(&out).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(name: &str) -> Side {
        Side::File(name.to_string())
    }

    #[test]
    fn names_are_read() {
        assert_eq!(side("a/x.txt\t2024-01-01 00:00:00"), file("a/x.txt"));
        assert_eq!(side("a/release notes.md\t"), file("a/release notes.md"));
        assert_eq!(side("/dev/null"), Side::Nothing);
        assert_eq!(side("\"a/x\\\"\\303\\251\\n\""), file("a/x\"é\n"));
        assert_eq!(
            git_names("a/r n.md b/r n.md"),
            Some(("a/r n.md".into(), "b/r n.md".into()))
        );
        assert_eq!(
            git_names("\"a/\\t\" \"b/\\t\""),
            Some(("a/\t".into(), "b/\t".into()))
        );
        assert_eq!(git_names("x"), None);
    }

    #[test]
    fn prefixes_go_only_as_a_pair() {
        let plan = |old: &str, new: &str| {
            Header {
                old: Some(side(old)),
                new: Some(side(new)),
                ..Header::default()
            }
            .plan()
            .unwrap()
        };
        assert_eq!(plan("a/x", "b/x"), Plan::Edit("x".into()));
        assert_eq!(plan("a/x", "a/x"), Plan::Edit("a/x".into()));
        assert_eq!(plan("x", "b/x"), Plan::EditOne("x".into(), "b/x".into()));
        assert_eq!(plan("/dev/null", "b/x"), Plan::Create("x".into()));
        assert_eq!(plan("a/x", "/dev/null"), Plan::Delete("x".into()));
    }
}
