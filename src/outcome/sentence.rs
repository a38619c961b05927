//! A line of output made into one sentence (rule C4).

use super::text::Text;
use crate::text::{one_line, visible};
use regex::Regex;
use std::sync::LazyLock;

/// Characters of a reason, its full stop included.
const LONGEST: usize = 240;

/// The line, and where it ends with a colon the next ones too.
pub(super) fn joined(text: &Text, at: usize) -> String {
    let mut sentence = stripped(text.line(at)).to_string();
    let mut next = at + 1;
    for _ in 0..3 {
        if !sentence.ends_with(':') {
            break;
        }
        let mut below = text
            .between(next, next + 4)
            .filter(|(_, l)| !stripped(l).is_empty());
        let Some((found, line)) = below.next() else {
            break;
        };
        let line = stripped(line);
        next = found + 1;
        if line == "ERRORS:" {
            continue;
        }
        sentence.push(' ');
        sentence.push_str(line);
    }
    sentence
}

static DECORATION: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(r"^(?:\[ERROR\] |\[error\] |npm (?:error|ERR!) |E {2,}|# |INTERNALERROR> |●\s+|[✖✘×✗] +|[!=~*+-]{3,} ?)+").ok()
});

/// A line without the marks that its printer puts before and after it.
fn stripped(line: &str) -> &str {
    let line = line.trim();
    let start = DECORATION
        .as_ref()
        .and_then(|re| re.find(line))
        .map_or(0, |m| m.end());
    let line = line[start..].trim_start();
    let line = line.strip_suffix("-> [Help 1]").unwrap_or(line);
    line.trim_end_matches(['!', '=', '~', '*', '+']).trim()
}

/// One line, without the project's root, at most [`LONGEST`] characters, one full stop.
pub(super) fn finish(sentence: &str, roots: &[String]) -> String {
    let mut line = one_line(&visible(sentence));
    for root in roots {
        line = without_root(&line, root);
    }
    let line = line.trim_end_matches(|c: char| ".!:;,…".contains(c) || c.is_whitespace());
    if line.chars().count() < LONGEST {
        return format!("{line}.");
    }
    const MARK: &str = " [...].";
    let cut: String = line.chars().take(LONGEST - MARK.len()).collect();
    let end = cut
        .rfind(' ')
        .filter(|end| *end > cut.len() / 2)
        .unwrap_or(cut.len());
    let cut = cut[..end].trim_end_matches(|c: char| ".!:;,…".contains(c) || c.is_whitespace());
    format!("{cut}{MARK}")
}

fn without_root(line: &str, root: &str) -> String {
    let root = format!("{}/", root.trim_end_matches('/'));
    let mut out = String::new();
    let mut rest = line;
    while let Some(at) = rest.find(&root) {
        let before = rest[..at].chars().next_back();
        let joined = before.is_some_and(|c| c.is_alphanumeric() || "._-/".contains(c))
            && !rest[..at].ends_with("//");
        out.push_str(&rest[..at]);
        if joined {
            out.push_str(&root);
        } else if let Some(kept) = out.strip_suffix("file://") {
            out = kept.to_string();
        }
        rest = &rest[at + root.len()..];
    }
    out.push_str(rest);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_full_stop_and_at_most_240_characters() {
        assert_eq!(finish("it broke..", &[]), "it broke.");
        assert_eq!(
            finish("No tests were found!!!", &[]),
            "No tests were found."
        );
        assert_eq!(finish("a\tb\n c:", &[]), "a b c.");
        let long = finish(&"word ".repeat(100), &[]);
        assert!(
            long.chars().count() <= LONGEST && long.ends_with("word [...]."),
            "{long}"
        );
        let solid = finish(&"é".repeat(1000), &[]);
        assert!(solid.chars().count() <= LONGEST && solid.ends_with("[...]."));
    }

    #[test]
    fn the_root_goes_where_it_begins_a_path() {
        let roots = ["/repo".to_string()];
        assert_eq!(
            finish("in /repo/a.js and file:///repo/b.js", &roots),
            "in a.js and b.js."
        );
        assert_eq!(finish("in /x/repo/a.js", &roots), "in /x/repo/a.js.");
    }

    #[test]
    fn a_colon_takes_the_next_line_along() {
        let text = Text::new(b"E   Error: x:\n\n  really bad\nmore");
        assert_eq!(joined(&text, 0), "Error: x: really bad");
        assert_eq!(
            stripped("!!!! Exit: no server on port 1 !!!!"),
            "Exit: no server on port 1"
        );
    }
}
