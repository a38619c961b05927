//! Which files are tests, which are never written, which never shown, which the project ignores.

use super::WorkspaceError;
use crate::tree::{Entry, EntryKind, RelPath, Tree, TreeError};
use ignore::Match;
use ignore::gitignore::{Gitignore, GitignoreBuilder};
use std::collections::HashMap;

/// Tests, unless the repository's `test_paths` replaces the list.
pub const TESTS: &[&str] = &[
    "tests/",
    "test/",
    "spec/",
    "__tests__/",
    "test_*.py",
    "*_test.py",
    "conftest.py",
    "*_test.go",
    "*_test.rs",
    "*.test.*",
    "*.spec.*",
];

/// What holds credentials by convention. Examples of `.env` hold none.
pub const HIDDEN: &[&str] = &[
    ".env",
    ".env.*",
    "!.env.example",
    "!.env.sample",
    "!.env.template",
    ".envrc",
    ".netrc",
    ".pypirc",
    ".htpasswd",
    ".git-credentials",
    ".aws/credentials",
    "*.pem",
    "*.key",
    "*.p12",
    "*.pfx",
    "*.jks",
    "*.keystore",
    "id_rsa*",
    "id_dsa*",
    "id_ecdsa*",
    "id_ed25519*",
];

/// Patterns in the form of a `.gitignore`: with a `/` inside anchored at the root, with one at the
/// end a folder at any depth, else a name at any depth; `!` takes back.
#[derive(Debug, Clone)]
pub struct Matcher(Gitignore);

impl Matcher {
    /// # Errors
    /// `Pattern` for the first that cannot be understood.
    pub fn new(patterns: &[String], fold_case: bool) -> Result<Matcher, WorkspaceError> {
        let wrong = |pattern: &str, e: ignore::Error| WorkspaceError::Pattern {
            pattern: pattern.to_string(),
            why: e.to_string(),
        };
        let mut builder = GitignoreBuilder::new("");
        // Never an error in this crate's version; the type allows one.
        let _ = builder.case_insensitive(fold_case);
        for pattern in patterns {
            builder
                .add_line(None, pattern)
                .map_err(|e| wrong(pattern, e))?;
        }
        builder
            .build()
            .map(Matcher)
            .map_err(|e| wrong(&patterns.join(" "), e))
    }

    /// Whether the file `path`, or a folder that holds it, matches.
    pub fn matches(&self, path: &RelPath) -> bool {
        self.0
            .matched_path_or_any_parents(path.as_str(), false)
            .is_ignore()
    }
}

/// Folders that hold what others wrote or what was built, whether or not `.gitignore` says so.
const NEVER_LISTED: &[&str] = &[
    "node_modules",
    "__pycache__",
    ".venv",
    ".tox",
    ".mypy_cache",
];

/// Every entry that no `.gitignore` of the tree excludes.
pub(super) fn unignored(tree: &Tree) -> Result<Vec<Entry>, TreeError> {
    let mut rules = Ignores::default();
    rules.load(tree, None);
    let walk = tree.walk_where(&mut |folder| {
        if NEVER_LISTED.contains(&folder.name()) || rules.ignores(folder, true) {
            return false;
        }
        rules.load(tree, Some(folder));
        true
    })?;
    Ok(walk
        .entries
        .into_iter()
        .filter(|e| e.kind != EntryKind::Other && !rules.ignores(&e.path, false))
        .collect())
}

/// What lies beneath a folder: without what is ignored, unless everything in it is.
pub(super) fn beneath(
    tree: &Tree,
    folder: &RelPath,
    files: &[Entry],
) -> Result<Vec<Entry>, TreeError> {
    let kept: Vec<Entry> = files
        .iter()
        .filter(|e| e.path.is_beneath(folder))
        .cloned()
        .collect();
    if !kept.is_empty() {
        return Ok(kept);
    }
    let mut all = tree
        .walk_where(&mut |f| f.is_beneath(folder) || folder.is_beneath(f))?
        .entries;
    all.retain(|e| e.path.is_beneath(folder) && e.kind != EntryKind::Other);
    Ok(all)
}

/// The `.gitignore` files of the folders that were entered.
#[derive(Default)]
struct Ignores(HashMap<String, Gitignore>);

impl Ignores {
    fn load(&mut self, tree: &Tree, folder: Option<&RelPath>) {
        const MAX_BYTES: u64 = 256 * 1024;
        let at = folder.map_or(String::new(), |f| f.as_str().to_string());
        let path = if at.is_empty() {
            ".gitignore".to_string()
        } else {
            format!("{at}/.gitignore")
        };
        let Ok(bytes) = RelPath::parse(&path).and_then(|p| tree.read_up_to(&p, MAX_BYTES)) else {
            return;
        };
        let mut builder = GitignoreBuilder::new("");
        for line in String::from_utf8_lossy(&bytes).lines() {
            // git ignores lines that it does not understand, too.
            let _ = builder.add_line(None, line);
        }
        if let Ok(rules) = builder.build() {
            self.0.insert(at, rules);
        }
    }

    /// The nearest `.gitignore` that says anything decides.
    fn ignores(&self, path: &RelPath, is_folder: bool) -> bool {
        let mut up = path.parent();
        loop {
            let at = up.as_ref().map_or("", RelPath::as_str);
            if let Some(rules) = self.0.get(at) {
                let below = path.as_str()[at.len()..].trim_start_matches('/');
                match rules.matched(below, is_folder) {
                    Match::Ignore(_) => return true,
                    Match::Whitelist(_) => return false,
                    Match::None => {}
                }
            }
            match up {
                None => return false,
                Some(folder) => up = folder.parent(),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn matcher(patterns: &[&str], fold: bool) -> Matcher {
        let patterns: Vec<String> = patterns.iter().map(ToString::to_string).collect();
        Matcher::new(&patterns, fold).unwrap()
    }

    #[test]
    fn tests_by_default() {
        let m = matcher(TESTS, false);
        for (path, yes) in [
            ("tests/a.py", true),
            ("pkg/tests/deep/data.json", true),
            ("src/test/java/A.java", true),
            ("test_a.py", true),
            ("pkg/a_test.go", true),
            ("src/a.test.tsx", true),
            ("conftest.py", true),
            ("tests.py", false),
            ("src/contest.py", false),
            ("latest/a.py", false),
            ("src/testing/a.py", false),
            ("src/lib.rs", false),
        ] {
            assert_eq!(m.matches(&RelPath::parse(path).unwrap()), yes, "{path}");
        }
    }

    #[test]
    fn refused_and_hidden_fold_case() {
        let m = matcher(crate::domain::REFUSED_PATHS, true);
        for path in [
            ".GitHub/Workflows/x.yml",
            ".github/mend.toml",
            "docs/CodeOwners",
            "a/action.yml",
        ] {
            assert!(m.matches(&RelPath::parse(path).unwrap()), "{path}");
        }
        assert!(!m.matches(&RelPath::parse("src/.github/workflows/x.yml").unwrap()));
        let m = matcher(HIDDEN, true);
        for (path, yes) in [
            (".env", true),
            ("a/.ENV.local", true),
            (".env.example", false),
            ("k/server.PEM", true),
            ("id_rsa", true),
            ("src/env.py", false),
        ] {
            assert_eq!(m.matches(&RelPath::parse(path).unwrap()), yes, "{path}");
        }
    }

    #[test]
    fn a_bad_pattern_is_named() {
        let e = Matcher::new(&["[z-a]".into()], false)
            .unwrap_err()
            .to_string();
        assert!(e.contains("`[z-a]`"), "{e}");
    }
}
