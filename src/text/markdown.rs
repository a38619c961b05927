//! Foreign text inside Markdown that GitHub renders.

use super::plain::{COMMAND, is_command};

/// A code span that holds `text` on one line, whatever back-ticks it contains.
pub fn code_span(text: &str) -> String {
    span(&super::one_line(&super::visible(text)))
}

fn span(text: &str) -> String {
    let ticks = "`".repeat(longest_run(text) + 1);
    let pad = match text.starts_with('`') || text.ends_with('`') || text.trim().is_empty() {
        true => " ",
        false => "",
    };
    format!("{ticks}{pad}{text}{pad}{ticks}")
}

/// A fenced block whose fence is longer than any in `text`. A line that a bot would obey, which
/// reads no Markdown, is moved in by a blank.
pub fn fenced(text: &str, language: &str) -> String {
    let text = super::visible(text);
    let fence = "`".repeat((longest_run(&text) + 1).max(3));
    let lines = text.lines().map(|line| match is_command(line) {
        true => format!(" {}", line.replace('@', "@ ")),
        false => line.to_string(),
    });
    let inner: Vec<String> = lines.collect();
    format!("{fence}{language}\n{}\n{fence}", inner.join("\n"))
}

/// Prose by the model or a stranger: nothing in it mentions, refers, closes, links out, embeds,
/// commands a bot or opens HTML. Closed code spans and fenced blocks stay code, written anew, so that
/// no reader of Markdown can see them end elsewhere; an open fence is closed.
pub fn neutralise(text: &str) -> String {
    let text = super::visible(text);
    let mut out = Vec::new();
    let mut block: Option<(usize, String, Vec<&str>)> = None;
    for line in text.lines() {
        let (indent, run, info) = fence(line);
        match &mut block {
            Some((open, ..)) if indent < 4 && run >= *open && info.is_empty() => {
                out.extend(
                    block
                        .take()
                        .map(|(_, info, lines)| fenced(&lines.join("\n"), &info)),
                );
            }
            Some((_, _, lines)) => lines.push(line),
            None if indent < 4 && run >= 3 && !info.contains('`') => {
                block = Some((run, language(info), Vec::new()));
            }
            None => out.push(paragraph(line)),
        }
    }
    out.extend(block.map(|(_, info, lines)| fenced(&lines.join("\n"), &info)));
    out.join("\n")
}

/// Blanks before a line, its first run of back-ticks, what follows.
fn fence(line: &str) -> (usize, usize, &str) {
    let text = line.trim_start_matches([' ', '\t']);
    let tabs = line.starts_with([' ', '\t']) && line[..line.len() - text.len()].contains('\t');
    let indent = if tabs { 4 } else { line.len() - text.len() };
    let rest = text.trim_start_matches('`');
    (indent, text.len() - rest.len(), rest.trim())
}

/// A block's language; what GitHub draws, runs or applies is shown as text.
fn language(info: &str) -> String {
    const ACTIVE: &[&str] = &[
        "mermaid",
        "geojson",
        "topojson",
        "stl",
        "math",
        "suggestion",
    ];
    let plain = |c: char| c.is_ascii_alphanumeric() || "+-_#.".contains(c);
    match info.len() <= 20
        && info.chars().all(plain)
        && !ACTIVE.contains(&info.to_ascii_lowercase().as_str())
    {
        true => info.to_string(),
        false => String::new(),
    }
}

/// A line that is in no block.
fn paragraph(line: &str) -> String {
    let text = line.trim_start();
    if text.starts_with("~~~") {
        return format!("\\{}", inline(text));
    }
    let command = COMMAND.as_ref().and_then(|re| re.captures(line));
    match command.and_then(|found| found.get(1).or(found.get(2))) {
        Some(word) => {
            let rest = &line[word.end()..];
            format!("{}<!-- -->{}", word.as_str(), inline(rest))
        }
        None => inline(line),
    }
}

/// One line outside fences: code spans stay code, the rest is made inert.
fn inline(line: &str) -> String {
    let mut out = String::with_capacity(line.len() + 16);
    let mut rest = line;
    while let Some(at) = rest.find('`') {
        plain(&rest[..at], &mut out);
        let run = rest[at..].len() - rest[at..].trim_start_matches('`').len();
        let after = &rest[at + run..];
        match closing(after, run) {
            Some(end) => {
                // One blank at each end belongs to the marks.
                let code = &after[..end];
                let bare = code.strip_prefix(' ').and_then(|c| c.strip_suffix(' '));
                out.push_str(&span(bare.filter(|c| !c.trim().is_empty()).unwrap_or(code)));
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

/// An empty comment: it keeps GitHub from seeing a mention, a reference or an address, and is not
/// seen itself.
const NOTHING: &str = "<!-- -->";

fn plain(text: &str, out: &mut String) {
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        let next = chars.peek().copied();
        match c {
            '<' => out.push_str("&lt;"),
            // Else `&#64;` would be a mention after all.
            '&' => out.push_str("&amp;"),
            // Else it would take our own marks' meaning away.
            '\\' if next.is_none_or(|n| n.is_ascii_punctuation()) => out.push_str("\\\\"),
            '@' | '#' if next.is_none_or(|n| !n.is_whitespace() && n != '#') => {
                out.push(c);
                out.push_str(NOTHING);
            }
            '[' | ']' | '$' => {
                out.push('\\');
                out.push(c);
            }
            ':' if next.is_some_and(|n| n == '/' || n == '\\') => {
                out.push(c);
                out.push_str(NOTHING);
            }
            ':' if ends_with(out, "mailto") || ends_with(out, "xmpp") => {
                out.push(c);
                out.push_str(NOTHING);
            }
            '.' if ends_with(out, "www") => {
                out.push_str(NOTHING);
                out.push(c);
            }
            '-' if ends_with(out, "gh") && next.is_some_and(|n| n.is_ascii_digit()) => {
                out.push(c);
                out.push_str(NOTHING);
            }
            c => out.push(c),
        }
    }
}

fn ends_with(out: &str, word: &str) -> bool {
    let tail = out
        .len()
        .checked_sub(word.len())
        .and_then(|at| out.get(at..));
    tail.is_some_and(|tail| tail.eq_ignore_ascii_case(word))
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
    fn what_nobody_closes_swallows_nothing_of_the_body() {
        for text in [
            "<!-- hidden",
            "a <!-- b\n\nc",
            "<details><summary>x",
            "<pre>\nx",
            "<![CDATA[ x",
            "<?php x",
            "~~~\nx",
            "```\nx\n<!-- y",
            "- ```\n  x",
            "> ```\n> x",
        ] {
            let body = format!("{}\n\n**Checks, run by mend**\n", neutralise(text));
            let mut html = String::new();
            pulldown_cmark::html::push_html(&mut html, pulldown_cmark::Parser::new(&body));
            let after = html.rsplit_once("<strong>Checks, run by mend</strong>");
            assert!(after.is_some(), "{text:?}: {html}");
            assert!(
                !html.contains("<!-- hidden") && !html.contains("<details"),
                "{html}"
            );
        }
    }

    #[test]
    fn an_unclosed_back_tick_hides_nothing() {
        assert!(!neutralise("`@bob").contains("@bob"));
        assert!(!neutralise("``@bob`").contains("@bob"));
        assert!(neutralise("```\n@x").ends_with("\n```"));
    }

    #[test]
    fn code_that_only_seems_to_be_code_is_inert() {
        for text in [
            "    ```\n@bob\n    ```",
            "&#64;bob",
            "&commat;bob",
            "```\u{a0}\n@x\n```\n@bob",
            "~~~\n@bob\n~~~",
            "- ```\n@bob",
            "\t```\n@bob\n\t```",
        ] {
            let out = neutralise(text);
            assert!(
                !out.contains("@bob") && !out.contains(" &#64;"),
                "{text:?}: {out:?}"
            );
        }
    }

    #[test]
    fn an_escaped_back_tick_is_none() {
        // A back-slash before the span, not an escape of its mark.
        assert_eq!(neutralise("\\`@bob`"), "\\\\`@bob`");
    }

    #[test]
    fn what_bots_read_is_inert_in_prose_and_in_code() {
        let out = neutralise("/retest\nbors r+\n```\n/approve\n/repo/a.py:1\n```\nGH-12");
        assert_eq!(
            out,
            "/<!-- -->retest\nbors<!-- --> r+\n```\n /approve\n/repo/a.py:1\n```\nGH-<!-- -->12"
        );
        assert!(neutralise("```mermaid\nclick x\n```").starts_with("```\n"));
    }
}
