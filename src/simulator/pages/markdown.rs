//! Markdown as GitHub shows it: a short list of HTML tags passes, comments vanish, the rest of
//! HTML is text. Nothing from outside is loaded: an image is a link.

use maud::{Markup, PreEscaped};
use pulldown_cmark::{CowStr, Event, LinkType, Options, Parser, Tag, TagEnd, html};
use regex::Regex;
use std::sync::LazyLock;

/// Tags that may stand in Markdown, without attributes but `details open`.
const TAGS: &[&str] = &[
    "details",
    "summary",
    "br",
    "hr",
    "kbd",
    "sub",
    "sup",
    "b",
    "i",
    "em",
    "strong",
    "code",
    "del",
    "ins",
    "p",
    "ul",
    "ol",
    "li",
    "blockquote",
];

/// A tag at the start of the text; without the pattern nothing passes.
static TAG: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r"^<(/?)([a-zA-Z]+)( open)?\s*(/?)>").ok());
static ISSUE: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r"(^|[\s(\[,;:])#([0-9]{1,9})\b").ok());

/// Renders `text`; `#12` becomes a link below `repo_url`.
pub(super) fn render(text: &str, repo_url: &str) -> Markup {
    let options =
        Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH | Options::ENABLE_TASKLISTS;
    let mut events = Vec::new();
    let mut block: Option<String> = None;
    let mut literal = 0usize;
    for event in Parser::new_ext(text, options) {
        match event {
            Event::Start(Tag::HtmlBlock) => block = Some(String::new()),
            Event::End(TagEnd::HtmlBlock) => {
                let html = sanitise(&block.take().unwrap_or_default());
                events.push(Event::Html(html.into()));
            }
            Event::Html(raw) | Event::InlineHtml(raw) => match &mut block {
                Some(block) => block.push_str(&raw),
                None => events.push(Event::InlineHtml(sanitise(&raw).into())),
            },
            Event::Text(raw) => match &mut block {
                Some(block) => block.push_str(&raw),
                None if literal > 0 => events.push(Event::Text(raw)),
                None => linked(&raw, repo_url, &mut events),
            },
            // In comments a line break is one.
            Event::SoftBreak => events.push(Event::HardBreak),
            other => {
                literal = match &other {
                    Event::Start(Tag::CodeBlock(_) | Tag::Link { .. } | Tag::Image { .. }) => {
                        literal + 1
                    }
                    Event::End(TagEnd::CodeBlock | TagEnd::Link | TagEnd::Image) => {
                        literal.saturating_sub(1)
                    }
                    _ => literal,
                };
                events.push(harmless(other));
            }
        }
    }
    let mut out = String::new();
    html::push_html(&mut out, events.into_iter());
    PreEscaped(out)
}

fn link(url: CowStr<'_>) -> Tag<'_> {
    Tag::Link {
        link_type: LinkType::Inline,
        dest_url: url,
        title: CowStr::Borrowed(""),
        id: CowStr::Borrowed(""),
    }
}

/// Links only to where a click may lead; images as links.
fn harmless(event: Event<'_>) -> Event<'_> {
    let safe = |url: CowStr<'static>| -> CowStr<'static> {
        let scheme = url.split_once(':').map(|(s, _)| s.to_ascii_lowercase());
        let relative = url
            .split(['/', '?', '#'])
            .next()
            .is_none_or(|s| !s.contains(':'));
        match scheme.as_deref() {
            _ if relative => url,
            Some("http" | "https" | "mailto") => url,
            _ => CowStr::Borrowed("#"),
        }
    };
    match event {
        Event::Start(Tag::Link { dest_url, .. } | Tag::Image { dest_url, .. }) => {
            Event::Start(link(safe(dest_url.into_static())))
        }
        Event::End(TagEnd::Image) => Event::End(TagEnd::Link),
        other => other,
    }
}

fn linked<'a>(text: &str, repo_url: &str, events: &mut Vec<Event<'a>>) {
    let mut at = 0;
    for found in ISSUE.iter().flat_map(|r| r.captures_iter(text)) {
        let (Some(before), Some(number)) = (found.get(1), found.get(2)) else {
            continue;
        };
        let number = number.as_str();
        events.push(Event::Text(text[at..before.end()].to_string().into()));
        let url = format!("{repo_url}/issues/{number}");
        events.push(Event::Start(link(url.into())));
        events.push(Event::Text(format!("#{number}").into()));
        events.push(Event::End(TagEnd::Link));
        at = before.end() + 1 + number.len();
    }
    events.push(Event::Text(text[at..].to_string().into()));
}

/// HTML with comments removed and everything but [`TAGS`] made text.
fn sanitise(html: &str) -> String {
    let mut out = String::with_capacity(html.len());
    let mut rest = html;
    while let Some(at) = rest.find('<') {
        out.push_str(&rest[..at]);
        rest = &rest[at..];
        if let Some(inside) = rest.strip_prefix("<!--") {
            rest = inside.split_once("-->").map_or("", |(_, after)| after);
            continue;
        }
        match TAG.as_ref().and_then(|r| r.captures(rest)) {
            Some(tag) if TAGS.contains(&tag[2].to_ascii_lowercase().as_str()) => {
                let name = tag[2].to_ascii_lowercase();
                let open = if tag.get(3).is_some() && name == "details" {
                    " open"
                } else {
                    ""
                };
                out.push_str(&format!("<{}{name}{open}>", &tag[1]));
                rest = &rest[tag[0].len()..];
            }
            _ => {
                out.push_str("&lt;");
                rest = &rest[1..];
            }
        }
    }
    out.push_str(rest);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn html(text: &str) -> String {
        render(text, "/acme/shop").into_string()
    }

    #[test]
    fn what_github_allows_passes() {
        let shown = html("<details><summary>How</summary>\n\n2 turns, `x`\n\n</details>");
        assert!(shown.contains("<details><summary>How</summary>"), "{shown}");
        assert!(shown.contains("<p>2 turns, <code>x</code></p>"), "{shown}");
        assert!(html("| a |\n|---|\n| b |").contains("<table>"));
        assert!(html("Closes #41").contains(r##"<a href="/acme/shop/issues/41">#41</a>"##));
        assert!(!html("`#41`").contains("href"));
    }

    #[test]
    fn what_it_does_not_is_text() {
        for hostile in [
            "<script>alert(1)</script>",
            "a <img src=x onerror=alert(1)> b",
            "<details ontoggle=alert(1)>",
            "<DETAILS onclick=x>",
            "<svg/onload=alert(1)>",
        ] {
            let shown = html(hostile);
            assert!(
                !shown.contains("<script") && !shown.contains("<img"),
                "{shown}"
            );
            assert!(
                !shown.contains("<svg") && !shown.contains("<details "),
                "{shown}"
            );
            assert!(shown.contains("&lt;"), "{shown}");
        }
        assert!(html("[x](javascript:alert(1))").contains("href=\"#\""));
        assert!(html("[x](JaVaScript:alert(1))").contains("href=\"#\""));
        assert!(!html("![x](http://e/x.png)").contains("<img"));
    }

    #[test]
    fn comments_vanish_even_over_lines_and_unclosed() {
        let shown = html("a\n\n<!-- hidden\nmore -->\n\n@<!-- -->bob");
        assert!(
            !shown.contains("hidden") && !shown.contains("more"),
            "{shown}"
        );
        assert!(shown.contains("@bob"), "{shown}");
        assert!(!html("<!-- hidden").contains("hidden"));
    }
}
