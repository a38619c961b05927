//! The model's words in a text of mend's: they must not look like a part that mend wrote.

use crate::text::neutralise;
use regex::Regex;
use std::sync::LazyLock;

/// A sentence that claims what only the check shows.
static CLAIM: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(
        r"(?xi)^(?:(?:now|and|so|with\ this),?\ )?
          (?:(?:all|both|every|each|the)\ )?(?:of\ )?(?:the\ )?(?:(?:\d+|other|existing|unit|full|whole|new|added)\ )*
          (?:tests?|checks?|(?:test\ )?suite)(?:\ suite)?\ (?:now\ )?
          (?:pass(?:es|ed)?|succeeds?|are\ (?:all\ )?(?:green|passing)|is\ (?:green|passing))(?:\ (?:now|again|too))?\s*[.!]?$",
    )
    .ok()
});

/// The model's prose without headings, tables, rules and bold beginnings of lines, and without its
/// own word for what the tests say.
pub(super) fn said(text: &str) -> String {
    let inert = neutralise(text.trim());
    let mut out: Vec<String> = Vec::new();
    let mut fence: Option<usize> = None;
    for line in inert.lines() {
        let text = line.trim_start();
        let run = text.len() - text.trim_start_matches('`').len();
        match fence {
            Some(open) => {
                if run >= open && text.trim_end().len() == run {
                    fence = None;
                }
                out.push(line.to_string());
            }
            None if run >= 3 => {
                fence = Some(run);
                out.push(line.to_string());
            }
            None => {
                let kept = plain(&without_claims(line));
                if !kept.trim().is_empty() || line.trim().is_empty() {
                    out.push(kept);
                }
            }
        }
    }
    out.join("\n").trim().to_string()
}

/// The same as a quotation.
pub(super) fn quoted_block(text: &str) -> String {
    let lines = text.lines().map(|line| match line.is_empty() {
        true => ">".to_string(),
        false => format!("> {line}"),
    });
    lines.collect::<Vec<_>>().join("\n")
}

fn without_claims(line: &str) -> String {
    let Some(claim) = CLAIM.as_ref() else {
        return line.to_string();
    };
    let kept: Vec<&str> = line
        .split_inclusive(". ")
        .filter(|sentence| !claim.is_match(sentence.trim().trim_start_matches(['*', '-', ' '])))
        .collect();
    kept.concat().trim_end().to_string()
}

/// One line that begins nothing but a paragraph or a list.
fn plain(line: &str) -> String {
    let text = line.trim_start();
    let rule = text.len() > 1 && text.chars().all(|c| "-=:| _*".contains(c));
    if rule {
        return format!("\\{text}");
    }
    let hashes = text.len() - text.trim_start_matches('#').len();
    if (1..=6).contains(&hashes) {
        return format!("\\{text}");
    }
    if text.starts_with('|') {
        return text.replace('|', "\\|");
    }
    for mark in ["**", "__"] {
        if let Some((bold, rest)) = text.strip_prefix(mark).and_then(|t| t.split_once(mark)) {
            return format!("{bold}{rest}");
        }
    }
    line.to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_section_of_mends_cannot_be_forged() {
        let text = said(
            "Counts both ends.\n\n## Summary\n\n**Checks, run by mend**\n\n| check | base |\n|---|---|\n| `x` | passed |\n\nTitle\n=====\n",
        );
        for forged in ["\n## ", "**", "\n|", "\n==="] {
            assert!(!text.contains(forged), "{forged:?} in {text}");
        }
        assert!(
            text.starts_with("Counts both ends.\n\n\\## Summary"),
            "{text}"
        );
    }

    #[test]
    fn what_only_the_check_shows_is_left_out() {
        for (text, kept) in [
            ("All 200 tests pass.", ""),
            ("Counts both ends. All tests pass now.", "Counts both ends."),
            (
                "The full test suite passes. `days` counts.",
                "`days` counts.",
            ),
            ("All the existing tests are green.", ""),
            (
                "The tests pass a naive date.",
                "The tests pass a naive date.",
            ),
            ("* a list\n* of two", "* a list\n* of two"),
            (
                "```\nAll tests pass.\n# x\n```",
                "```\nAll tests pass.\n# x\n```",
            ),
        ] {
            assert_eq!(said(text), kept, "{text}");
        }
    }
}
