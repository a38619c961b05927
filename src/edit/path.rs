//! Paths as a model writes them: what is let pass and what is refused before any file is looked
//! at. Percent signs, entities and variables are ordinary characters here: nothing is decoded.

use super::error::{EditError, ErrorKind};

/// Longest component and longest path that Linux takes, in bytes (`NAME_MAX`, `PATH_MAX`).
const MAX_NAME: usize = 255;
const MAX_PATH: usize = 4095;

/// Checks a path and drops `./`, doubled slashes. Back-slashes count as separators for the checks
/// and stay as they are in the result.
///
/// # Errors
/// `outside_worktree` for absolute, home and drive forms and any `..`; `protected` for a component
/// that is `.git` in any case or a form of it on other file systems; `malformed` for the rest.
pub fn clean_path(raw: &str) -> Result<String, EditError> {
    check(raw).map_err(|e| e.at(raw))?;
    let parts: Vec<&str> = raw
        .split('/')
        .filter(|part| !part.is_empty() && *part != ".")
        .collect();
    let path = parts.join("/");
    if path.is_empty() || raw.ends_with('/') || raw.ends_with("/.") {
        return Err(EditError::directory(raw));
    }
    Ok(path)
}

fn check(raw: &str) -> Result<(), EditError> {
    let shown = show(raw);
    let outside = |why: &str| {
        Err(EditError::new(
            ErrorKind::OutsideWorktree,
            format!("{shown}: {why}; give a path relative to the root of the worktree"),
        ))
    };
    if raw.is_empty() {
        return Err(EditError::malformed("the path is empty; name a file"));
    }
    if raw.chars().any(char::is_control) {
        return Err(EditError::malformed(format!(
            "{shown}: a path holds no control characters"
        )));
    }
    if raw.starts_with(['/', '\\']) {
        return outside("absolute paths lead out of the worktree");
    }
    if raw.starts_with('~') {
        return outside("a path in a home folder leads out of the worktree");
    }
    let mut start = raw.chars();
    if start.next().is_some_and(|c| c.is_ascii_alphabetic()) && start.next() == Some(':') {
        return outside("a path with a drive letter leads out of the worktree");
    }
    if raw.contains("://") {
        return outside("a URL is not a path");
    }
    for part in raw.split(['/', '\\']) {
        if part == ".." {
            return outside("`..` is not allowed in a path");
        }
        if is_git(part) {
            return Err(EditError::new(
                ErrorKind::Protected,
                format!("{shown} is protected: nothing under {part} is edited"),
            ));
        }
        if part.len() > MAX_NAME {
            return Err(EditError::malformed(format!(
                "{shown}: a file name has at most {MAX_NAME} bytes"
            )));
        }
    }
    if raw.len() > MAX_PATH {
        return Err(EditError::malformed(format!(
            "{shown}: a path has at most {MAX_PATH} bytes"
        )));
    }
    Ok(())
}

/// `.git` as some file system would read it: case folded, NTFS short name and stream, trailing
/// dots and blanks, HFS+ ignorable characters (the list of git's `utf8.c`, `next_hfs_char`).
fn is_git(part: &str) -> bool {
    let plain: String = part
        .chars()
        .filter(|c| {
            !matches!(c, '\u{200C}'..='\u{200F}' | '\u{202A}'..='\u{202E}'
                | '\u{206A}'..='\u{206F}' | '\u{FEFF}')
        })
        .collect();
    let name = plain.split(':').next().unwrap_or_default();
    let name = name.trim_end_matches(['.', ' ']);
    name.eq_ignore_ascii_case(".git") || name.eq_ignore_ascii_case("git~1")
}

/// A path for a message: bounded, on one line, nothing hidden.
pub(super) fn show(raw: &str) -> String {
    crate::text::visible(&crate::text::clip_words(raw, 200))
        .replace('\n', "\\n")
        .replace('\t', "\\t")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kind(raw: &str) -> ErrorKind {
        clean_path(raw).unwrap_err().kind
    }

    #[test]
    fn ordinary_paths_pass() {
        for (raw, clean) in [
            ("a.txt", "a.txt"),
            ("./src//a b.rs", "src/a b.rs"),
            ("%2e%2e/x", "%2e%2e/x"),
            (".gitignore", ".gitignore"),
            (".github/x.yml", ".github/x.yml"),
            ("a..b/...", "a..b/..."),
            ("x.git/y", "x.git/y"),
            ("src\\a.py", "src\\a.py"),
            ("app/[id]/é.tsx", "app/[id]/é.tsx"),
        ] {
            assert_eq!(clean_path(raw).unwrap(), clean, "{raw}");
        }
    }

    #[test]
    fn paths_that_lead_out_are_refused() {
        for raw in [
            "/etc/passwd",
            "..",
            "a/../b",
            "a\\..\\b",
            "\\\\host\\x",
            "C:\\x",
            "c:x",
            "~/.bashrc",
            "~root/x",
            "~",
            "file:///etc/passwd",
        ] {
            assert_eq!(kind(raw), ErrorKind::OutsideWorktree, "{raw}");
        }
    }

    #[test]
    fn git_is_protected_in_every_form() {
        for raw in [
            ".git",
            ".git/config",
            "a/.GIT/hooks/x",
            "a\\.git\\x",
            "git~1/config",
            ".git./config",
            ".git::$INDEX_ALLOCATION/config",
            ".g\u{200c}it/config",
        ] {
            assert_eq!(kind(raw), ErrorKind::Protected, "{raw}");
        }
    }

    #[test]
    fn no_file_is_named() {
        for raw in ["", ".", "./", "src/", "a\0b", "a\nb", &"x".repeat(256)] {
            assert_eq!(kind(raw), ErrorKind::Malformed, "{raw:?}");
        }
    }
}
