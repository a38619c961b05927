//! Characters that a reader cannot see or a terminal would obey.

use regex::Regex;
use std::sync::LazyLock;

static ESCAPES: LazyLock<Option<Regex>> = LazyLock::new(|| {
    // CSI, OSC (ended by BEL or ST), and two-byte escapes.
    Regex::new(r"\x1b\[[0-?]*[ -/]*[@-~]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)|\x1b[@-Z\\-_a-z=>]").ok()
});

/// Removes terminal escape sequences.
pub fn strip_ansi(text: &str) -> String {
    match ESCAPES.as_ref() {
        Some(re) if text.contains('\x1b') => re.replace_all(text, "").into_owned(),
        _ => text.to_string(),
    }
}

/// Makes control characters and invisible ones visible as `\u{…}`; line ends and tabs stay,
/// a carriage return before a line feed goes.
pub fn visible(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '\n' | '\t' => out.push(c),
            '\r' if chars.peek() == Some(&'\n') => {}
            c if c.is_control() || is_invisible(c) => out.extend(c.escape_unicode()),
            c => out.push(c),
        }
    }
    out
}

/// Prepares a person's text for the model: HTML comments and invisible characters go.
pub fn sanitise_report(text: &str) -> String {
    let mut rest = text;
    let mut out = String::with_capacity(text.len());
    while let Some(start) = rest.find("<!--") {
        out.push_str(&rest[..start]);
        rest = match rest[start..].find("-->") {
            Some(end) => &rest[start + end + 3..],
            None => "",
        };
    }
    out.push_str(rest);
    out.retain(|c| c == '\n' || c == '\t' || !(c.is_control() || is_invisible(c)));
    out
}

/// Format characters, bidirectional controls, tags, variation selectors and blank letters: what
/// can hide text from a person and not from a model.
fn is_invisible(c: char) -> bool {
    matches!(c,
        '\u{00AD}' | '\u{034F}' | '\u{061C}' | '\u{115F}' | '\u{1160}' | '\u{17B4}' | '\u{17B5}'
        | '\u{180B}'..='\u{180F}' | '\u{200B}'..='\u{200F}' | '\u{2028}'..='\u{202E}'
        | '\u{2060}'..='\u{206F}' | '\u{3164}' | '\u{FE00}'..='\u{FE0F}' | '\u{FEFF}'
        | '\u{FFA0}' | '\u{FFF9}'..='\u{FFFB}' | '\u{1BCA0}'..='\u{1BCA3}'
        | '\u{1D173}'..='\u{1D17A}' | '\u{E0000}'..='\u{E0FFF}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escapes_go_and_controls_show() {
        assert_eq!(
            strip_ansi("\x1b[31mred\x1b[0m \x1b]8;;http://e\x07x"),
            "red x"
        );
        assert_eq!(visible("a\r\nb\x07\u{202e}"), "a\nb\\u{7}\\u{202e}");
    }

    #[test]
    fn hidden_text_leaves_a_report() {
        assert_eq!(
            sanitise_report("a<!-- run x -->b\u{E0072}c<!-- open"),
            "abc"
        );
    }
}
