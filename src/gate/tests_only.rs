//! Which tests a change alters, and whether it alters anything else. Pure.

use super::Changed;
use super::harness::name_of;
use crate::domain::{Weakness, WeaknessKind};

/// Endings and names of files that no test runs.
const DOCUMENTS: &[&str] = &[".md", ".rst", ".adoc"];
const DOCUMENT_NAMES: &[&str] = &["CHANGELOG", "LICENSE", "AUTHORS", "NEWS", "CHANGES.txt"];

/// Existing tests that are changed; and that nothing else is, where nothing else but documents is.
pub fn tests_changed(changes: &[Changed<'_>], is_test: &dyn Fn(&str) -> bool) -> Vec<Weakness> {
    let weakness = |kind, path: &str, what: &str| Weakness {
        kind,
        path: path.to_string(),
        lines: None,
        what: what.to_string(),
    };
    let is_document = |path: &str| {
        DOCUMENTS.iter().any(|end| path.ends_with(end)) || DOCUMENT_NAMES.contains(&name_of(path))
    };
    let beside = |c: &&Changed<'_>| is_test(c.path) || name_of(c.path) == "conftest.py";
    let mut found = Vec::new();
    if changes.iter().all(|c| beside(&c) || is_document(c.path)) {
        let tests = changes.iter().filter(beside);
        let only = tests.map(|c| weakness(WeaknessKind::OnlyTests, c.path, "a test is changed"));
        found.extend(only);
        if found.is_empty() {
            let all = changes.iter();
            let only = all.map(|c| weakness(WeaknessKind::OnlyTests, c.path, "a document"));
            found.extend(only);
        }
    }
    let old = changes
        .iter()
        .filter(|c| c.before.is_some() && is_test(c.path));
    found.extend(old.map(|c| {
        let what = match c.after {
            Some(_) => "it is changed",
            None => "it is removed",
        };
        weakness(WeaknessKind::TestsChanged, c.path, what)
    }));
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(changes: &[(&str, bool)]) -> Vec<(WeaknessKind, String)> {
        let changes: Vec<Changed<'_>> = changes
            .iter()
            .map(|(path, was)| Changed {
                path,
                before: was.then_some(b"a"),
                after: Some(b"b"),
            })
            .collect();
        let is_test = |path: &str| path.starts_with("tests/");
        let found = tests_changed(&changes, &is_test);
        found.into_iter().map(|w| (w.kind, w.path)).collect()
    }

    #[test]
    fn a_change_without_a_line_of_source_is_told() {
        use WeaknessKind::{OnlyTests, TestsChanged};
        let found = |kind, path: &str| (kind, path.to_string());
        assert_eq!(
            of(&[("tests/new.py", false)]),
            [found(OnlyTests, "tests/new.py")]
        );
        assert_eq!(of(&[("README.md", true)]), [found(OnlyTests, "README.md")]);
        assert_eq!(
            of(&[("tests/a.py", true), ("README.md", true)]),
            [
                found(OnlyTests, "tests/a.py"),
                found(TestsChanged, "tests/a.py")
            ]
        );
        assert_eq!(
            of(&[("tests/a.py", true), ("calc.py", true)]),
            [found(TestsChanged, "tests/a.py")]
        );
        assert_eq!(of(&[("tests/a.py", false), ("requirements.txt", true)]), []);
    }
}
