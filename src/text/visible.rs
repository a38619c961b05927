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
/// a carriage return before a line feed goes. What joins or colours pictures stays where it does.
pub fn visible(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut chars = text.chars().peekable();
    let mut before = '\0';
    while let Some(c) = chars.next() {
        let next = chars.peek().copied();
        match c {
            '\n' | '\t' => out.push(c),
            '\r' if next == Some('\n') => {}
            c if joins_pictures(before, c, next) => out.push(c),
            c if c.is_control() || is_invisible(c) => out.extend(c.escape_unicode()),
            c => out.push(c),
        }
        before = c;
    }
    out
}

/// Leaves out what [`visible`] would escape.
pub(super) fn without_invisible(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut chars = text.chars().peekable();
    let mut before = '\0';
    while let Some(c) = chars.next() {
        if joins_pictures(before, c, chars.peek().copied()) || !is_hidden(c) {
            out.push(c);
        }
        before = c;
    }
    out
}

/// Whether a character is one that a person cannot see; line ends and tabs are seen.
pub fn is_hidden(c: char) -> bool {
    c != '\n' && c != '\t' && (c.is_control() || is_invisible(c))
}

/// A joiner between two pictures, or the one selector that asks for a picture's colours behind one.
fn joins_pictures(before: char, c: char, next: Option<char>) -> bool {
    match c {
        '\u{200D}' => (is_picture(before) || before == '\u{FE0F}') && next.is_some_and(is_picture),
        '\u{FE0F}' => is_picture(before),
        _ => false,
    }
}

/// Roughly Unicode's Extended_Pictographic.
fn is_picture(c: char) -> bool {
    matches!(c,
        '\u{00A9}' | '\u{00AE}' | '\u{203C}' | '\u{2049}' | '\u{2122}' | '\u{2139}'
        | '\u{2194}'..='\u{21AA}' | '\u{231A}'..='\u{23FF}' | '\u{25AA}'..='\u{27BF}'
        | '\u{2934}' | '\u{2935}' | '\u{2B05}'..='\u{2B55}' | '\u{1F000}'..='\u{1FAFF}')
}

/// Format characters, bidirectional controls, tags, variation selectors and blank letters: what
/// can hide text from a person and not from a model.
fn is_invisible(c: char) -> bool {
    matches!(c,
        '\u{00AD}' | '\u{034F}' | '\u{0600}'..='\u{0605}' | '\u{061C}' | '\u{115F}' | '\u{1160}' | '\u{17B4}' | '\u{17B5}'
        | '\u{180B}'..='\u{180F}' | '\u{200B}'..='\u{200F}' | '\u{2028}'..='\u{202E}'
        | '\u{2060}'..='\u{206F}' | '\u{3164}' | '\u{FE00}'..='\u{FE0F}' | '\u{FEFF}' | '\u{06DD}' | '\u{070F}'
        | '\u{0890}' | '\u{0891}' | '\u{08E2}' | '\u{110BD}' | '\u{110CD}'
        | '\u{13430}'..='\u{1345F}' | '\u{2800}'
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
    fn pictures_stay_whole_and_nothing_hides_behind_them() {
        let family = "\u{1F468}\u{200D}\u{1F469}\u{200D}\u{1F467} \u{26A0}\u{FE0F}";
        assert_eq!(visible(family), family);
        assert_eq!(without_invisible(family), family);
        assert_eq!(
            without_invisible("a\u{200D}b \u{26A0}\u{FE0F}\u{FE0F}\u{E0100}c\u{FE0F}"),
            "ab \u{26A0}\u{FE0F}c"
        );
    }
}
