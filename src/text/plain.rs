//! Foreign text where no Markdown is: titles of pull requests and messages of commits. GitHub and
//! other programs read both for references, commands and trailers.

use super::{one_line, visible};
use regex::Regex;
use std::sync::LazyLock;

/// `[skip ci]` and what else holds a run back.
static SKIP: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(r"(?i)\[\s*((?:skip|no)[ _-]?[a-z _-]*|[a-z _-]*[ _-]skip)\s*\]|\*\*\*(no_ci)\*\*\*")
        .ok()
});
/// `GH-12`.
static GH: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(r"(?i)\b(gh)-(\d)").ok());
/// A scheme, with which an address becomes a link and a reference to another repository's issue.
static SCHEME: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(r"(?i)[a-z0-9+.-]*://").ok());
static TRAILER: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(r"(?i)\b([a-z]+(?:-[a-z]+)*-(?:by|checks|id|to|from|sent)|skip-checks|cc|fixes|closes|resolves)[ \t]*:").ok()
});
/// What bots take a line for: `/retest`, `bors r+`.
pub(super) static COMMAND: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(concat!(
        r"(?i)^[ \t]*(?:(/)[a-z][a-z0-9_-]*(?:[ \t,:;.!?].*)?",
        r"|(bors|homu|mergify|dependabot|renovate|jenkins|codecov|retest|recheck|rebuild|test this|ok to test)(?:[^a-z0-9].*)?)$",
    ))
    .ok()
});

/// A title: one line that mentions, refers to and commands nothing.
pub fn inert_line(text: &str) -> String {
    one_line(&inert(&one_line(&visible(text))))
}

/// A commit's message, or a part of one.
pub fn inert_message(text: &str) -> String {
    let text = inert(&visible(text));
    let Some(trailer) = TRAILER.as_ref() else {
        return String::new();
    };
    let text = trailer.replace_all(&text, "$1");
    let lines = text.lines().map(|line| match is_command(line) {
        true => line.trim_start().trim_start_matches('/').to_string(),
        false => line.to_string(),
    });
    lines.collect::<Vec<_>>().join("\n")
}

/// Whether bots could take a line for theirs.
pub(super) fn is_command(line: &str) -> bool {
    COMMAND.as_ref().is_none_or(|re| re.is_match(line))
}

fn inert(text: &str) -> String {
    let (Some(skip), Some(gh), Some(scheme)) = (SKIP.as_ref(), GH.as_ref(), SCHEME.as_ref()) else {
        return String::new();
    };
    // Brackets in brackets, schemes in schemes: until nothing is left.
    let mut now = text.replace(['@', '#'], "");
    for _ in 0..8 {
        let next = skip.replace_all(&now, "$1$2").into_owned();
        let next = gh.replace_all(&next, "$1 $2").into_owned();
        let next = scheme.replace_all(&next, "").into_owned();
        if next == now {
            return now;
        }
        now = next;
    }
    now.replace(['[', ']', '/'], " ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn titles_and_messages_are_inert() {
        for (text, inert) in [
            ("closes #5 and acme/o#2", "closes 5 and acme/o2"),
            ("ask @acme/team", "ask acme/team"),
            ("GH-12 [skip ci] [CI Skip]", "GH 12 skip ci CI Skip"),
            (
                "see https://github.com/a/b/issues/3",
                "see github.com/a/b/issues/3",
            ),
            ("[[skip ci]] hthttps://tps://x", "skip ci x"),
            ("index [0] of [a, b]", "index [0] of [a, b]"),
        ] {
            assert_eq!(inert_line(text), inert, "{text}");
        }
        for (text, inert) in [
            ("x\n\nCo-authored-by: a <b>", "x\n\nCo-authored-by a <b>"),
            ("skip-checks: true", "skip-checks true"),
            ("/retest\nbors r+", "retest\nbors r+"),
            ("a note: yes", "a note: yes"),
        ] {
            assert_eq!(inert_message(text), inert, "{text}");
        }
    }

    #[test]
    fn commands_are_told_from_paths_and_prose() {
        for line in [
            "/retest",
            "  /approve now",
            "bors r+",
            "Bors: try",
            "ok to test",
            "/lgtm cancel",
        ] {
            assert!(is_command(line), "{line}");
        }
        for line in [
            "/repo/src/a.py:3: x",
            "/ is the root",
            "a /retest",
            "retesting it",
            "rebuilds",
            "",
        ] {
            assert!(!is_command(line), "{line}");
        }
    }
}
