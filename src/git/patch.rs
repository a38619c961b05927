//! A unified diff put onto the files of a folder.

use super::error::GitError;
use super::init::init;
use crate::tree::TempFolder;
use git2::{ApplyLocation, Diff, Repository, RepositoryInitOptions};
use std::path::Path;

/// Applies a patch to the files of `folder`, wholly or not at all: one of git's, or one of `diff -u`
/// with the prefixes `a/` and `b/`. `scratch` is where the
/// repository that libgit2 needs for it is kept meanwhile. Blocks.
///
/// # Errors
/// When the patch is none, or does not fit the files.
pub fn apply_patch(folder: &Path, patch: &[u8], scratch: &Path) -> Result<(), GitError> {
    init()?;
    let place = TempFolder::create(scratch, 0o700)
        .map_err(|e| GitError::local(format!("no place for a patch: {e}")))?;
    let mut options = RepositoryInitOptions::new();
    options
        .no_dotgit_dir(true)
        .no_reinit(true)
        .mkpath(true)
        .external_template(false)
        .workdir_path(folder);
    let repository = Repository::init_opts(place.path().join("git"), &options)?;
    // `init` leaves a link file in the work tree, which is not part of the project.
    let diff = Diff::from_buffer(&with_headers(patch))?;
    let applied = repository.apply(&diff, ApplyLocation::WorkDir, None);
    let link = folder.join(".git");
    if link.is_file() {
        std::fs::remove_file(link).map_err(|e| GitError::io("remove a link", &e))?;
    }
    Ok(applied?)
}

/// The patch with a line `diff --git` before each file that has none, since libgit2 reads no other.
fn with_headers(patch: &[u8]) -> Vec<u8> {
    let lines: Vec<&[u8]> = patch.split_inclusive(|b| *b == b'\n').collect();
    let mut out = Vec::with_capacity(patch.len() + 256);
    // Lines of the hunk that are still to come, on either side; whether git's header was seen.
    let (mut old, mut new, mut headed) = (0u64, 0u64, false);
    let mut at = 0;
    while let Some(line) = lines.get(at) {
        at += 1;
        if old > 0 || new > 0 {
            match line.first() {
                Some(b'-') => old = old.saturating_sub(1),
                Some(b'+') => new = new.saturating_sub(1),
                Some(b'\\') => {}
                _ => (old, new) = (old.saturating_sub(1), new.saturating_sub(1)),
            }
            out.extend_from_slice(line);
            continue;
        }
        if let Some((before, after)) = hunk(line) {
            (old, new, headed) = (before, after, false);
        }
        headed |= line.starts_with(b"diff --git ");
        let pair = lines.get(at).and_then(|next| named(line, next));
        let (Some((from, to)), false) = (pair, headed) else {
            // What `diff -r` says between files.
            if headed || !(line.starts_with(b"diff -") || line.starts_with(b"Only in ")) {
                out.extend_from_slice(line);
            }
            continue;
        };
        let size = lines.get(at + 1).and_then(|line| hunk(line));
        out.extend(header(&from, &to, size).into_bytes());
        at += 1;
    }
    out
}

/// The sizes of a hunk by its first line: lines before and after.
fn hunk(line: &[u8]) -> Option<(u64, u64)> {
    let line = std::str::from_utf8(line).ok()?;
    let mut words = line.strip_prefix("@@ ")?.split(' ');
    let mut size = |sign: char| {
        let range = words.next()?.strip_prefix(sign)?;
        match range.split_once(',') {
            Some((_, size)) => size.parse().ok(),
            None => Some(1),
        }
    };
    Some((size('-')?, size('+')?))
}

/// The names in the two lines before a file's first hunk, without times and prefixes.
fn named(from: &[u8], to: &[u8]) -> Option<(String, String)> {
    let name = |line: &[u8], sign: &str, prefix: &str| {
        let line = std::str::from_utf8(line)
            .ok()?
            .trim_end_matches(['\n', '\r']);
        let name = line.strip_prefix(sign)?.split('\t').next()?;
        Some(name.strip_prefix(prefix).unwrap_or(name).to_string())
    };
    Some((name(from, "--- ", "a/")?, name(to, "+++ ", "b/")?))
}

/// git's header of a file; one without lines on a side is made or deleted, as `diff -N` tells it.
fn header(from: &str, to: &str, size: Option<(u64, u64)>) -> String {
    const NONE: &str = "/dev/null";
    let made = from == NONE || size.is_some_and(|(before, _)| before == 0);
    let gone = to == NONE || size.is_some_and(|(_, after)| after == 0);
    let path = if to == NONE { from } else { to };
    let (mode, from, to) = match (made, gone) {
        (true, _) => (
            "new file mode 100644\n",
            NONE.to_string(),
            format!("b/{path}"),
        ),
        (_, true) => (
            "deleted file mode 100644\n",
            format!("a/{path}"),
            NONE.to_string(),
        ),
        _ => ("", format!("a/{path}"), format!("b/{path}")),
    };
    format!("diff --git a/{path} b/{path}\n{mode}--- {from}\n+++ {to}\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn put(patch: &str, files: &[(&str, &str)]) -> Result<Vec<(String, String)>, GitError> {
        let place = tempfile::tempdir().unwrap();
        let folder = place.path().join("project");
        std::fs::create_dir(&folder).unwrap();
        for (name, text) in files {
            std::fs::write(folder.join(name), text).unwrap();
        }
        apply_patch(&folder, patch.as_bytes(), place.path())?;
        let mut all: Vec<(String, String)> = std::fs::read_dir(&folder)
            .unwrap()
            .map(|entry| {
                let path = entry.unwrap().path();
                let name = path.file_name().unwrap().to_string_lossy().into_owned();
                (name, std::fs::read_to_string(&path).unwrap())
            })
            .collect();
        all.sort();
        Ok(all)
    }

    #[test]
    fn patches_of_diff_and_of_git_are_put_on_alike() {
        let edit = "@@ -1,3 +1,3 @@\n a\n--- b\n+++ c\n d\n";
        let files = [("x", "a\n-- b\nd\n")];
        let wanted = vec![("x".to_string(), "a\n++ c\nd\n".to_string())];
        for head in [
            "diff --git a/x b/x\nindex 1111111..2222222 100644\n--- a/x\n+++ b/x\n",
            "--- a/x\n+++ b/x\n",
            "diff -ruN a/x b/x\n--- a/x\t2026-12-01 02:00:00.0 +0000\n+++ b/x\t2026-12-01 02:00:01.0 +0000\n",
        ] {
            assert_eq!(
                put(&format!("{head}{edit}"), &files).unwrap(),
                wanted,
                "{head}"
            );
        }
        let both = "Only in a: y\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n--- /dev/null\n+++ b/new\n@@ -0,0 +1 @@\n+n\n--- a/old\t1\n+++ b/old\t1970-01-01\n@@ -1 +0,0 @@\n-o\n";
        assert_eq!(
            put(both, &[("x", "a\n"), ("old", "o\n")]).unwrap(),
            [("new", "n\n"), ("x", "b\n")].map(|(a, b)| (a.to_string(), b.to_string()))
        );
        assert!(put("--- a/x\n+++ b/x\n@@ -1 +1 @@\n-z\n+b\n", &files).is_err());
    }
}
