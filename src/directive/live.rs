//! Which lines of a comment are the person's own words: not quoted, not code, not hidden, not HTML.
//! Markdown is read as GitHub reads it, so that a line counts as what people see it as.

use pulldown_cmark::{Event, Options, Parser, TagEnd};
use regex::Regex;
use std::borrow::Cow;
use std::collections::BTreeSet;
use std::sync::LazyLock;

/// A line without its end, and whether a command may begin on it.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Line<'a> {
    pub text: &'a str,
    pub live: bool,
}

/// Elements whose content is quoted, code, crossed out, folded away or not shown at all, also where
/// Markdown goes on inside them.
const APART: &[&str] = &[
    "blockquote",
    "code",
    "del",
    "details",
    "kbd",
    "pre",
    "q",
    "s",
    "samp",
    "script",
    "strike",
    "style",
    "template",
    "textarea",
];

static COMMENT: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r"(?s)<!--.*?(?:-->|\z)").ok());
static TAG: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r"<(/?)([A-Za-z][A-Za-z0-9-]*)[^<>]*>").ok());

static END: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r"(?i)</(?:pre|script|style|textarea)>").ok());

pub(super) fn lines(text: &str) -> Vec<Line<'_>> {
    let own = own_words(text);
    let mut at = 0;
    let mut out = Vec::new();
    for whole in text.split_inclusive('\n') {
        let line = whole.trim_end_matches(['\n', '\r']);
        let first = at + (line.len() - line.trim_start().len());
        out.push(Line {
            text: line,
            live: own.contains(&first) || line.trim().is_empty(),
        });
        at += whole.len();
    }
    out
}

/// Where pieces of plain prose begin: in paragraphs, headings and lists, and in nothing else.
fn own_words(text: &str) -> BTreeSet<usize> {
    // The parser ends such a block by small letters only, GitHub by any.
    let text = END.as_ref().map_or(Cow::Borrowed(text), |end| {
        end.replace_all(text, |end: &regex::Captures<'_>| {
            end[0].to_ascii_lowercase()
        })
    });
    let text = &*text;
    let options = Options::ENABLE_FOOTNOTES | Options::ENABLE_STRIKETHROUGH;
    let mut own = BTreeSet::new();
    // How much is open that is no prose, the elements that are, and the HTML block that is read.
    let (mut other, mut apart, mut block) = (0usize, Vec::new(), String::new());
    for (event, range) in Parser::new_ext(text, options).into_offset_iter() {
        match event {
            Event::Start(tag) => other += usize::from(!is_prose(tag.to_end())),
            Event::End(end) => {
                other = other.saturating_sub(usize::from(!is_prose(end)));
                if end == TagEnd::HtmlBlock {
                    tags(&std::mem::take(&mut block), &mut apart);
                }
            }
            Event::Html(raw) => block.push_str(&raw),
            Event::InlineHtml(raw) => tags(&raw, &mut apart),
            Event::Text(_) if other == 0 => {
                // A comment that nobody closes is shown, but nobody means what is in it.
                if text[range.start..].starts_with("<!--") {
                    break;
                }
                if apart.is_empty() {
                    own.insert(range.start);
                }
            }
            _ => {}
        }
    }
    own
}

fn is_prose(part: TagEnd) -> bool {
    matches!(
        part,
        TagEnd::Paragraph | TagEnd::Heading(_) | TagEnd::List(_) | TagEnd::Item
    )
}

/// Opens and closes the elements of a piece of HTML that stand apart.
fn tags(html: &str, open: &mut Vec<String>) {
    let (Some(comment), Some(tag)) = (COMMENT.as_ref(), TAG.as_ref()) else {
        return;
    };
    let html = comment.replace_all(html, "");
    for found in tag.captures_iter(&html) {
        let name = found[2].to_ascii_lowercase();
        if !APART.contains(&name.as_str()) {
            continue;
        }
        if found[1].is_empty() {
            open.push(name);
        } else if let Some(at) = open.iter().rposition(|known| *known == name) {
            open.truncate(at);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_persons_own_lines_are_live() {
        let table: &[(&str, &str)] = &[
            ("a\r\nb", "LL"),
            ("> a\n\nb", "xLL"),
            ("```\na\n```\nb", "xxxL"),
            ("~~~ sh\na\n```\n~~~\nb", "xxxxL"),
            ("````\n```\na\n````\nb", "xxxxL"),
            ("```\nnever closed", "xx"),
            ("``` not a fence `` ```\nb", "xL"),
            ("    a\n\n\tb\n\n   c", "xLxLL"),
            ("<!-- a\nb -->\nc", "xxL"),
            ("say <!-- a\nb --> `x\ny` z\nc", "LxxL"),
            ("<!-- one line --> b\n\nc", "xLL"),
            ("<!-- never closed\n\nb", "xLx"),
            ("x <!-- never closed\n\nb", "LLx"),
            ("`<!--` is code\nb", "xL"),
            ("a `b\nc` d\ne", "LxL"),
            ("a ` b\n\nc ` d", "LLL"),
            ("``a ` b\nc`` d\ne", "xxL"),
            ("<pre>\na\n</pre>\nb", "xxxL"),
            ("<PRE class=x>a</PRE>\nb", "xL"),
            ("x ```\ny\nz", "LLL"),
            // Quotes go on where nobody ends the paragraph.
            ("> a\nb\n\nc", "xxLL"),
            ("> - a\nb\n\nc", "xxLL"),
            ("> ```\n> a\nb", "xxL"),
            // Fences in lists, and what goes on after them.
            ("- ```\n  a\n  ```\n- b\nc", "xxxxL"),
            ("1. x\n\n   ```\n   a\n   ```\n\nb", "xLxxxLL"),
            ("* x\n      a\n\nb", "xLLL"),
            ("* x\n\n      a\n\nb", "xLxLL"),
            // HTML, over blank lines too.
            ("<details>\n\na\n\n</details>\n\nb", "xLxLxLL"),
            ("<details><summary>x</summary>\n\na\n", "xLx"),
            (
                "<blockquote>\n\na\n\n<b>x</b>\n\n</blockquote>\nb\n\nc",
                "xLxLxLxxLL",
            ),
            ("<code>\na\n</code>\nb", "xxxx"),
            ("see <code>x\na\n</code> y\nb", "LxxL"),
            ("see <code>x</code>\nb", "LL"),
            ("<!-- <details> -->\n\nb", "xLL"),
            ("`<details>` is broken\n\nb", "xLL"),
            ("<div>\na\n</div>\n\nb", "xxxLL"),
            ("~~x\na~~\nb", "xxL"),
            ("x[^1]\n\n[^1]: y\na\n\nb", "LLxxLL"),
            ("a\n===\n\nb\n---", "LxLLx"),
        ];
        for (text, expected) in table {
            let got: String = lines(text)
                .iter()
                .map(|l| if l.live { 'L' } else { 'x' })
                .collect();
            assert_eq!(&got, expected, "{text:?}");
        }
    }
}
