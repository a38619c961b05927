//! Foreign text inside Markdown that GitHub renders.

/// A code span that holds `text` on one line, whatever back-ticks it contains.
pub fn code_span(text: &str) -> String {
    let text = super::one_line(&super::visible(text));
    let ticks = "`".repeat(longest_run(&text) + 1);
    let pad = if text.starts_with('`') || text.ends_with('`') {
        " "
    } else {
        ""
    };
    format!("{ticks}{pad}{text}{pad}{ticks}")
}

/// A fenced block whose fence is longer than any in `text`.
pub fn fenced(text: &str, language: &str) -> String {
    let text = super::visible(text);
    let fence = "`".repeat((longest_run(&text) + 1).max(3));
    let end = if text.ends_with('\n') { "" } else { "\n" };
    format!("{fence}{language}\n{text}{end}{fence}")
}

/// Prose by the model or a stranger: nothing in it mentions, closes, links out, embeds or opens
/// HTML. Closed code spans and fenced blocks stay as they are; an open fence is closed.
pub fn neutralise(text: &str) -> String {
    let text = super::visible(text);
    let mut out = Vec::new();
    let mut fence: Option<usize> = None;
    for line in text.lines() {
        let run = line.trim_start().len() - line.trim_start().trim_start_matches('`').len();
        match fence {
            Some(open) => {
                if run >= open && line.trim().len() == run {
                    fence = None;
                }
                out.push(line.to_string());
            }
            None if run >= 3 && !line.trim_start()[run..].contains('`') => {
                fence = Some(run);
                out.push(line.to_string());
            }
            None => out.push(inline(line)),
        }
    }
    if let Some(open) = fence {
        out.push("`".repeat(open));
    }
    out.join("\n")
}

/// One line outside fences: code spans verbatim, the rest made inert.
fn inline(line: &str) -> String {
    let mut out = String::with_capacity(line.len() + 16);
    let mut rest = line;
    while let Some(at) = rest.find('`') {
        plain(&rest[..at], &mut out);
        let run = rest[at..].len() - rest[at..].trim_start_matches('`').len();
        let after = &rest[at + run..];
        match closing(after, run) {
            Some(end) => {
                out.push_str(&rest[at..at + run + end + run]);
                rest = &after[end + run..];
            }
            None => {
                out.push_str(&"\\`".repeat(run));
                rest = after;
            }
        }
    }
    plain(rest, &mut out);
    out
}

/// Where a run of exactly `run` back-ticks begins in `text`.
fn closing(text: &str, run: usize) -> Option<usize> {
    let mut at = 0;
    while let Some(found) = text[at..].find('`') {
        let start = at + found;
        let length = text[start..].len() - text[start..].trim_start_matches('`').len();
        if length == run {
            return Some(start);
        }
        at = start + length;
    }
    None
}

fn plain(text: &str, out: &mut String) {
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        let next_is_word = chars
            .peek()
            .is_some_and(|n| !n.is_whitespace() && *n != '#');
        match c {
            '<' => out.push_str("&lt;"),
            // An empty comment is what keeps GitHub from seeing a mention or a reference.
            '@' | '#' if next_is_word => {
                out.push(c);
                out.push_str("<!-- -->");
            }
            '!' if chars.peek() == Some(&'[') => out.push_str("&#33;"),
            '[' | ']' => {
                out.push('\\');
                out.push(c);
            }
            ':' if chars.peek() == Some(&'/') => out.push_str("&#58;"),
            '.' if ends_with_www(out) => out.push_str("&#46;"),
            c => out.push(c),
        }
    }
}

fn ends_with_www(out: &str) -> bool {
    out.len() >= 3
        && out.is_char_boundary(out.len() - 3)
        && out[out.len() - 3..].eq_ignore_ascii_case("www")
}

fn longest_run(text: &str) -> usize {
    text.split(|c| c != '`').map(str::len).max().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spans_and_fences_hold_their_content() {
        assert_eq!(code_span("a`b"), "``a`b``");
        assert_eq!(code_span("`x`"), "`` `x` ``");
        assert!(fenced("```\nx", "").starts_with("````\n"));
    }

    #[test]
    fn foreign_prose_is_inert() {
        let text =
            neutralise("Fixes #1, acme/o#2 by @bob ![x](http://e) <img> www.e.com `a[0] @x`");
        for live in ["#1", "#2", "@bob", "<img", "http://", "![x]", "www.e"] {
            assert!(!text.contains(live), "{live} in {text}");
        }
        assert!(text.contains("`a[0] @x`"));
    }

    #[test]
    fn an_unclosed_back_tick_hides_nothing() {
        assert!(!neutralise("`@bob").contains("@bob"));
        assert!(!neutralise("``@bob`").contains("@bob"));
        assert!(neutralise("```\n@x").ends_with("\n```"));
    }
}
