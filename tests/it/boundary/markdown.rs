//! What a reader of GitHub's Markdown finds alive in a text, by a parser that mend does not use.

use comrak::nodes::{Node, NodeValue};
use comrak::{Arena, Options, parse_document};
use regex::Regex;

/// Everything alive in `text`: links, images, HTML but empty comments, mentions, references,
/// addresses.
pub fn alive(text: &str) -> Vec<String> {
    let arena = Arena::new();
    let root = parse_document(&arena, text, &options());
    let mut found = Vec::new();
    let mut words = String::new();
    for node in root.descendants() {
        let value = &node.data.borrow().value;
        if let NodeValue::Text(part) = value {
            words.push_str(part);
            continue;
        }
        found.extend(in_words(&std::mem::take(&mut words)));
        match value {
            NodeValue::Link(link) => found.push(format!("link to {}", link.url)),
            NodeValue::Image(image) => found.push(format!("image {}", image.url)),
            NodeValue::HtmlBlock(html) => found.push(format!("html block {}", html.literal)),
            NodeValue::HtmlInline(html) if html != "<!-- -->" => found.push(format!("html {html}")),
            NodeValue::FootnoteDefinition(_) | NodeValue::FootnoteReference(_) => {
                found.push("footnote".into());
            }
            NodeValue::CodeBlock(code) if ACTIVE.contains(&code.info.trim()) => {
                found.push(format!("active block {}", code.info));
            }
            _ => {}
        }
    }
    found.extend(in_words(&words));
    found
}

const ACTIVE: &[&str] = &[
    "mermaid",
    "geojson",
    "topojson",
    "stl",
    "math",
    "suggestion",
];

/// The text of the last paragraph at the top.
pub fn last_paragraph(text: &str) -> Option<String> {
    let arena = Arena::new();
    let root = parse_document(&arena, text, &options());
    let last: Node<'_> = root.last_child()?;
    if !matches!(last.data.borrow().value, NodeValue::Paragraph) {
        return None;
    }
    let texts = last
        .descendants()
        .filter_map(|n| match &n.data.borrow().value {
            NodeValue::Text(part) => Some(part.to_string()),
            _ => None,
        });
    Some(texts.collect())
}

fn options() -> Options<'static> {
    let mut options = Options::default();
    options.extension.strikethrough = true;
    options.extension.table = true;
    options.extension.autolink = true;
    options.extension.tasklist = true;
    options.extension.footnotes = true;
    options
}

/// What GitHub makes of plain words.
fn in_words(words: &str) -> Vec<String> {
    let live = [
        r"(?:^|[^A-Za-z0-9`])@[A-Za-z0-9]",
        r"#[0-9]",
        r"(?i)\bgh-[0-9]",
        r"(?i)[a-z]://",
        r"(?i)\bwww\.[a-z]",
    ];
    live.iter()
        .filter_map(|re| Regex::new(re).unwrap().find(words))
        .map(|found| format!("`{}` in {words:?}", found.as_str()))
        .collect()
}

#[test]
fn the_reader_sees_what_is_alive() {
    for text in [
        "@bob",
        "see #1",
        "GH-1",
        "http://e.com",
        "[a](http://e)",
        "![a](b)",
        "<b>x</b>",
        "www.e.com",
        "a\n\n[r]: http://e\n\n[r]",
        "```mermaid\nx\n```",
        "<!-- x -->",
    ] {
        assert!(!alive(text).is_empty(), "{text}");
    }
    for text in ["plain words", "`@bob #1`", "```\n@bob\n```", "a @<!-- -->b"] {
        assert_eq!(alive(text), Vec::<String>::new(), "{text}");
    }
    assert_eq!(last_paragraph("a\n\nafter").as_deref(), Some("after"));
    assert_eq!(last_paragraph("```\na\n\nafter"), None);
}
