//! Protected paths by pattern.

use super::files::Guard;
use globset::{Glob, GlobSet, GlobSetBuilder};

/// Patterns with the reason why what they name is not to be edited. A pattern without a slash
/// names a file or folder anywhere; one with a slash starts at the root; one that names a folder
/// holds for everything beneath it.
#[derive(Debug, Clone, Default)]
pub struct Protected {
    rules: Vec<Rule>,
}

#[derive(Debug, Clone)]
struct Rule {
    set: GlobSet,
    patterns: Vec<String>,
    existing_only: bool,
    reason: String,
}

impl Protected {
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds patterns. `existing_only` lets new files that match be created. The reason ends the
    /// sentence "… is protected: ".
    ///
    /// # Errors
    /// A pattern that is not a glob, with the pattern and what is wrong with it.
    pub fn protect<S: AsRef<str>>(
        mut self,
        patterns: &[S],
        existing_only: bool,
        reason: &str,
    ) -> Result<Self, globset::Error> {
        let mut set = GlobSetBuilder::new();
        let mut names = Vec::new();
        for pattern in patterns {
            for form in forms(pattern.as_ref()) {
                set.add(glob(&form)?);
                names.push(pattern.as_ref().to_string());
            }
        }
        self.rules.push(Rule {
            set: set.build()?,
            patterns: names,
            existing_only,
            reason: reason.to_string(),
        });
        Ok(self)
    }
}

/// The globs over whole paths that one pattern stands for.
fn forms(pattern: &str) -> Vec<String> {
    let trimmed = pattern.strip_prefix("./").unwrap_or(pattern);
    let folder = trimmed.strip_suffix('/');
    let body = folder.unwrap_or(trimmed);
    let rooted = body.contains('/');
    let body = body.strip_prefix('/').unwrap_or(body);
    let mut forms = Vec::new();
    for start in if rooted { &[""][..] } else { &["", "**/"] } {
        if folder.is_none() {
            forms.push(format!("{start}{body}"));
        }
        forms.push(format!("{start}{body}/**"));
    }
    forms
}

fn glob(pattern: &str) -> Result<Glob, globset::Error> {
    globset::GlobBuilder::new(pattern)
        .literal_separator(true)
        .build()
}

impl Guard for Protected {
    fn refuse(&self, path: &str, exists: bool) -> Option<String> {
        self.rules
            .iter()
            .filter(|rule| exists || !rule.existing_only)
            .find_map(|rule| {
                let hit = *rule.set.matches(path).first()?;
                let pattern = rule.patterns.get(hit).map_or("", String::as_str);
                Some(format!("{} (pattern {pattern})", rule.reason))
            })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(patterns: &[&str], path: &str) -> bool {
        Protected::new()
            .protect(patterns, false, "kept")
            .unwrap()
            .refuse(path, true)
            .is_some()
    }

    #[test]
    fn patterns_name_files_and_folders() {
        assert!(refused(&["test_*.py"], "a/b/test_x.py"));
        assert!(refused(&["tests"], "pkg/tests/data/x.json"));
        assert!(refused(&["tests/"], "tests/x.py"));
        assert!(!refused(&["tests/"], "tests"));
        assert!(refused(&["/tests/*.py"], "tests/x.py"));
        assert!(!refused(&["/tests/*.py"], "pkg/tests/x.py"));
        assert!(!refused(&["src/*.rs"], "src/a/b.rs"));
        assert!(refused(&["src/**/*.rs"], "src/a/b.rs"));
        assert!(!refused(&["*.lock"], "clock"));
    }

    #[test]
    fn new_files_may_be_let_through_and_the_reason_is_told() {
        let guard = Protected::new()
            .protect(&["tests/**"], true, "the report is fixed in the code")
            .unwrap();
        assert_eq!(guard.refuse("tests/new.py", false), None);
        let reason = guard.refuse("tests/old.py", true).unwrap();
        assert!(reason.contains("fixed in the code") && reason.contains("tests/**"));
        assert!(Protected::new().protect(&["a[b"], false, "x").is_err());
    }
}
