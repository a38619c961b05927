//! Paths inside a tree.

use super::TreeError;
use crate::text;
use serde::{Deserialize, Serialize};
use std::fmt;

/// The kernel's `PATH_MAX` and `NAME_MAX`.
const MAX_PATH: usize = 4096;
const MAX_NAME: usize = 255;

/// A path relative to a tree's root: UTF-8, parts joined by `/`, no `..`, `.` or empty part, no
/// NUL, no home or drive form, no part that any file system would take for `.git`.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct RelPath(String);

impl RelPath {
    /// Checks a path as somebody wrote it.
    ///
    /// # Errors
    /// `BadPath` with the reason.
    pub fn parse(path: &str) -> Result<RelPath, TreeError> {
        match fault(path) {
            None => Ok(RelPath(path.to_string())),
            Some(why) => Err(TreeError::BadPath {
                path: text::clip_words(&text::visible(path).replace('\n', "\\n"), 120),
                why,
            }),
        }
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }

    pub fn parts(&self) -> impl Iterator<Item = &str> {
        self.0.split('/')
    }

    /// The last part.
    pub fn name(&self) -> &str {
        self.0.rsplit('/').next().unwrap_or(&self.0)
    }

    /// The folder that holds it; `None` at the top.
    pub fn parent(&self) -> Option<RelPath> {
        self.0.rsplit_once('/').map(|(up, _)| RelPath(up.into()))
    }

    /// Whether it is `folder` or lies beneath it.
    pub fn is_beneath(&self, folder: &RelPath) -> bool {
        self.0
            .strip_prefix(folder.as_str())
            .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    }

    pub(super) fn join(folder: Option<&RelPath>, name: &str) -> Result<RelPath, TreeError> {
        match folder {
            Some(folder) => RelPath::parse(&format!("{folder}/{name}")),
            None => RelPath::parse(name),
        }
    }
}

fn fault(path: &str) -> Option<&'static str> {
    if path.is_empty() {
        return Some("is empty");
    }
    if path.len() > MAX_PATH {
        return Some("is too long");
    }
    if path.contains('\0') {
        return Some("holds a NUL");
    }
    if path.starts_with('/') {
        return Some("is absolute");
    }
    let bytes = path.as_bytes();
    if bytes.len() > 1
        && bytes[0].is_ascii_alphabetic()
        && bytes[1] == b':'
        && matches!(bytes.get(2), None | Some(b'/' | b'\\'))
    {
        return Some("names a drive");
    }
    for (i, part) in path.split('/').enumerate() {
        match part {
            ".." => return Some("goes up with `..`"),
            "" => return Some("has an empty part"),
            "." => return Some("has a part `.`"),
            "~" if i == 0 => return Some("starts at a home folder"),
            _ if part.len() > MAX_NAME => return Some("has a part that is too long"),
            _ if is_git(part) => return Some("lies in a `.git` folder, which is protected"),
            _ => {}
        }
    }
    None
}

/// Whether some file system takes `name` for `.git`: any case, NTFS short names, trailing dots,
/// blanks and streams, and the characters that HFS+ ignores (git's own `verify_dotfile` rules).
pub(super) fn is_git(name: &str) -> bool {
    let ignored = |c: char| matches!(c, '\u{200C}'..='\u{200F}' | '\u{202A}'..='\u{202E}' | '\u{206A}'..='\u{206F}' | '\u{FEFF}');
    let name = name.split([':', '\\']).next().unwrap_or_default();
    let plain: String = name.chars().filter(|c| !ignored(*c)).collect();
    let plain = plain.trim_end_matches(['.', ' ']);
    plain.eq_ignore_ascii_case(".git") || plain.eq_ignore_ascii_case("git~1")
}

impl fmt::Display for RelPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0.contains(|c: char| c.is_control()) || !self.0.is_ascii() {
            f.write_str(&text::visible(&self.0).replace('\n', "\\n"))
        } else {
            f.write_str(&self.0)
        }
    }
}

impl AsRef<str> for RelPath {
    fn as_ref(&self) -> &str {
        &self.0
    }
}

impl TryFrom<String> for RelPath {
    type Error = TreeError;

    fn try_from(s: String) -> Result<Self, TreeError> {
        RelPath::parse(&s)
    }
}

impl From<RelPath> for String {
    fn from(p: RelPath) -> String {
        p.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_refused_and_why() {
        let long = "a/".repeat(2499) + "aa";
        for (path, why) in [
            ("", "empty"),
            ("/etc/passwd", "absolute"),
            ("../../etc/passwd", "`..`"),
            ("a/../../x", "`..`"),
            ("./././..", "`.`"),
            ("a//b", "empty part"),
            ("a/", "empty part"),
            ("a\0b", "NUL"),
            ("~/.ssh", "home"),
            ("C:/x", "drive"),
            ("C:\\x", "drive"),
            (".git/config", ".git"),
            ("sub/.GIT/config", ".git"),
            ("git~1/x", ".git"),
            (".git\u{200c}/x", ".git"),
            (".git./x", ".git"),
            (".git::$INDEX_ALLOCATION/x", ".git"),
            (long.as_str(), "too long"),
        ] {
            let e = RelPath::parse(path).expect_err(path).to_string();
            assert!(e.contains(why), "{e}");
            assert!(e.len() < 400, "{e}");
        }
        let name = "n".repeat(256);
        assert!(RelPath::parse(&name).is_err());
    }

    #[test]
    fn what_is_allowed() {
        for path in [
            ".gitignore",
            ".github/mend.toml",
            "%2e%2e/x",
            "a b/ü.py",
            "...",
            "~x",
            "legit.git/x",
        ] {
            assert_eq!(RelPath::parse(path).unwrap().as_str(), path);
        }
        let p = RelPath::parse("a/b/c").unwrap();
        assert_eq!(p.name(), "c");
        assert_eq!(p.parent().unwrap().as_str(), "a/b");
        assert!(p.is_beneath(&RelPath::parse("a/b").unwrap()));
        assert!(!p.is_beneath(&RelPath::parse("a/bb").unwrap()));
        assert_eq!(RelPath::parse("a\nb").unwrap().to_string(), "a\\nb");
    }
}
