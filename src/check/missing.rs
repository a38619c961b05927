//! Whether a test is red on the untouched code only because it uses a name or a file that the
//! change adds. That shows the bug where the report asks for that name, and nothing otherwise.

use regex::Regex;
use std::sync::LazyLock;

/// How runners and compilers say that a name is not there. The first group that matched is the name.
static MISSING: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(
        &[
            r"cannot import name '([\w.]+)'",
            r"No module named '?([\w.]+)'?",
            r"(?:module|object|type|class) '[\w. ]+' has no attribute '(\w+)'",
            r"has no attribute '(\w+)'",
            r"name '(\w+)' is not defined",
            r"got an unexpected keyword argument '(\w+)'",
            r"does not provide an export named '?(\w+)'?",
            r"Cannot find module '([^']+)'",
            r"(\w+) is not (?:a function|defined|a constructor)",
            r"cannot find (?:\w+ )*`(\w+)` in",
            r"unresolved import `([\w:]+)`",
            r"no (?:\w+ )*(?:named|found for \w+|method named) `(\w+)`",
            r"no `(\w+)` in",
            r"undefined: ([\w.]+)",
            r"has no field or method (\w+)",
            r"has no exported member '?(\w+)'?",
            r"Property '(\w+)' does not exist",
        ]
        .join("|"),
    )
    .ok()
});

/// A file that the change writes, with its text before and after.
pub(super) struct Written {
    pub(super) path: String,
    pub(super) before: String,
    pub(super) after: String,
}

/// The name that `said` misses, where the change is what adds it.
pub(super) fn added_name(said: &str, change: &[Written]) -> Option<String> {
    let found = MISSING.as_ref()?.captures(said)?;
    let whole = found.iter().skip(1).flatten().next()?.as_str();
    let name = whole.rsplit(['.', ':', '/']).find(|part| {
        !part.is_empty() && !matches!(*part, "js" | "mjs" | "cjs" | "ts" | "tsx" | "jsx")
    })?;
    let adds = change.iter().any(|file| {
        let stem = file.path.rsplit('/').next().unwrap_or_default();
        let stem = stem.split('.').next().unwrap_or_default();
        let is_new_file = file.before.is_empty() && (stem == name || in_path(&file.path, name));
        is_new_file || has_word(&file.after, name) && !has_word(&file.before, name)
    });
    adds.then(|| name.to_string())
}

fn in_path(path: &str, name: &str) -> bool {
    path.split('/').any(|part| part == name)
}

/// Whether a text holds a word, whole.
pub(super) fn has_word(text: &str, word: &str) -> bool {
    let inside = |c: char| c.is_alphanumeric() || c == '_';
    text.match_indices(word).any(|(at, _)| {
        let before = text[..at].chars().next_back();
        let after = text[at + word.len()..].chars().next();
        !before.is_some_and(inside) && !after.is_some_and(inside)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_name_that_the_change_adds_is_found_in_every_languages_words() {
        let change = [
            Written {
                path: "adder/sums.py".into(),
                before: "def add(a, b): ...".into(),
                after: "def add(a, b): ...\ndef triple(a): ...".into(),
            },
            Written {
                path: "adder/extra.py".into(),
                before: String::new(),
                after: "x = 1".into(),
            },
        ];
        for said in [
            "ImportError: cannot import name 'triple' from 'adder.sums' (/repo/adder/sums.py).",
            "AttributeError: module 'adder.sums' has no attribute 'triple'.",
            "NameError: name 'triple' is not defined",
            "SyntaxError: The requested module '../sums.js' does not provide an export named 'triple'",
            "TypeError: sums.triple is not a function",
            "error[E0425]: cannot find function `triple` in crate `adder`",
            "error[E0432]: unresolved import `adder::triple`",
            "error[E0599]: no method named `triple` found for struct `Sums` in the current scope",
            "./new_test.go:6:5: undefined: adder.triple",
        ] {
            assert_eq!(
                added_name(said, &change).as_deref(),
                Some("triple"),
                "{said}"
            );
        }
        assert_eq!(
            added_name(
                "ModuleNotFoundError: No module named 'adder.extra'",
                &change
            )
            .as_deref(),
            Some("extra")
        );
        for said in [
            "AssertionError: -1 != 5.",
            "ModuleNotFoundError: No module named 'freezegun'.",
            "NameError: name 'add' is not defined",
        ] {
            assert_eq!(added_name(said, &change), None, "{said}");
        }
        assert!(has_word("there is no `triple`.", "triple") && !has_word("tripled", "triple"));
    }
}
