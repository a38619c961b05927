//! May this change be published? Deterministic, and the last word before a push. Pure.

mod harness;
mod in_source;
mod python_modules;
mod sensitive;
mod settings;
mod tests_only;

pub use harness::weaknesses;
pub use in_source::touched_tests;
pub use sensitive::sensitive;
pub use tests_only::tests_changed;

use crate::domain::REFUSED_PATHS;
use crate::text::{Redactor, secrets};
use ignore::gitignore::{Gitignore, GitignoreBuilder};
use std::collections::HashSet;
use std::sync::LazyLock;

/// A command of the check.
pub struct Called {
    /// The folder that it runs in, where that is not the root.
    pub folder: Option<String>,
    pub text: String,
}

/// What the rules have to know beside the change.
pub struct Surroundings<'a> {
    /// The commands of the check, and the scripts behind them.
    pub commands: &'a [Called],
    pub is_test: &'a dyn Fn(&str) -> bool,
    /// Whether a file stands there with the change.
    pub exists: &'a dyn Fn(&str) -> bool,
}

/// Bytes of all changed files together.
const MAX_BYTES: usize = 5 * 1024 * 1024;
const MAX_FILES: usize = 300;

static REFUSED: LazyLock<Option<Gitignore>> = LazyLock::new(|| {
    let mut set = GitignoreBuilder::new("");
    set.case_insensitive(true).ok()?;
    for pattern in REFUSED_PATHS {
        set.add_line(None, pattern).ok()?;
    }
    set.build().ok()
});

/// Why a change is not published.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Objection {
    /// A path that mend does not change.
    Path(String),
    /// Added lines of a file hold something shaped like a secret that stood nowhere in it before; the
    /// rule that says so.
    Secret { path: String, rule: String },
    /// Too much at once.
    Size { files: usize, bytes: usize },
}

impl std::fmt::Display for Objection {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Objection::Path(path) => write!(f, "`{path}` may not be changed by mend"),
            Objection::Secret { path, rule } => {
                write!(
                    f,
                    "`{path}` would hold something that looks like a secret ({rule})"
                )
            }
            Objection::Size { files, bytes } => {
                write!(f, "the change is too large ({files} files, {bytes} bytes)")
            }
        }
    }
}

/// One changed file.
pub struct Changed<'a> {
    pub path: &'a str,
    pub before: Option<&'a [u8]>,
    pub after: Option<&'a [u8]>,
}

/// Everything that speaks against publishing; empty when nothing does.
pub fn objections(changes: &[Changed<'_>], redactor: &Redactor) -> Vec<Objection> {
    let mut found = Vec::new();
    for change in changes {
        if refused(change.path) {
            found.push(Objection::Path(change.path.to_string()));
        }
        found.extend(leak(change, redactor).map(|rule| Objection::Secret {
            path: change.path.to_string(),
            rule,
        }));
    }
    let bytes = changes
        .iter()
        .filter_map(|c| c.after)
        .map(<[u8]>::len)
        .sum();
    if bytes > MAX_BYTES || changes.len() > MAX_FILES {
        found.push(Objection::Size {
            files: changes.len(),
            bytes,
        });
    }
    found
}

/// The rule by which added lines, or the name, give a secret away; one that stood in the file
/// before does not count.
fn leak(change: &Changed<'_>, redactor: &Redactor) -> Option<String> {
    let text = |bytes: Option<&[u8]>| {
        let bytes = bytes.unwrap_or_default();
        String::from_utf8_lossy(bytes).into_owned()
    };
    let (before, after) = (text(change.before), text(change.after));
    let old: HashSet<&str> = before.lines().collect();
    let mut added = vec![change.path];
    added.extend(after.lines().filter(|line| !old.contains(line)));
    let added = added.join("\n");
    if redactor.knows(&added) && !redactor.knows(&before) {
        return Some("one of mend's own".to_string());
    }
    let found = secrets(&added).into_iter();
    found
        .filter(|f| !before.contains(&added[f.start..f.end]))
        .map(|f| f.rule)
        .next()
}

/// Whether mend refuses to change this path; without a working pattern everything is refused.
pub fn refused(path: &str) -> bool {
    // No harvest enters such a folder; the gate does not rest on that.
    let in_git = path.split('/').any(|p| p.eq_ignore_ascii_case(".git"));
    let set = REFUSED.as_ref();
    in_git || set.is_none_or(|set| set.matched_path_or_any_parents(path, false).is_ignore())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(path: &str, before: &str, after: &str) -> Vec<Objection> {
        let change = Changed {
            path,
            before: Some(before.as_bytes()),
            after: Some(after.as_bytes()),
        };
        objections(&[change], &Redactor::new())
    }

    #[test]
    fn a_plain_change_passes() {
        assert!(of("src/lib.rs", "a", "b").is_empty());
        assert!(of(".github/ISSUE_TEMPLATE/bug.md", "a", "b").is_empty());
    }

    #[test]
    fn workflows_and_owners_are_refused_in_any_case() {
        for path in [
            ".github/workflows/ci.yml",
            ".GitHub/Workflows/x.yml",
            "CODEOWNERS",
            "lib/.gitmodules",
            ".github/mend.toml",
            "sitecustomize.py",
            "src/usercustomize.py",
            "lib/x.pth",
            "web/node_modules/jest/index.js",
        ] {
            assert_eq!(of(path, "a", "b"), [Objection::Path(path.into())]);
        }
    }

    #[test]
    fn only_a_new_secret_counts() {
        let token = format!("ghp_{}", "x7Kq2mVn9Lw4Rt6Yb1Hs3Jd5Fg8Zc0PaQeUi");
        let token = token.as_str();
        let found = of("a", "", token);
        assert!(matches!(&found[..], [Objection::Secret { path, .. }] if path == "a"));
        assert!(of("a", token, &format!("{token}\nmore")).is_empty());
        assert!(of("a", token, &format!("x = {token}\n")).is_empty());
        let redactor = Redactor::new();
        redactor.know("correct horse battery");
        let change = Changed {
            path: "b",
            before: None,
            after: Some(b"x\nY29ycmVjdCBob3JzZSBiYXR0ZXJ5\n"),
        };
        let found = objections(&[change], &redactor);
        assert!(matches!(&found[..], [Objection::Secret { rule, .. }] if rule.contains("mend")));
    }

    #[test]
    fn a_flood_is_refused() {
        let big = "x".repeat(MAX_BYTES + 1);
        assert!(matches!(of("a", "", &big)[..], [Objection::Size { .. }]));
    }
}
