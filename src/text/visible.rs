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
/// a carriage return before a line feed goes. What joins or colours pictures, and what joins or parts
/// letters of scripts that need it, stays where it does.
pub fn visible(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut chars = text.char_indices().peekable();
    let mut before = '\0';
    while let Some((at, c)) = chars.next() {
        let next = chars.peek().map(|(_, c)| *c);
        match c {
            '\n' | '\t' => out.push(c),
            '\r' if next == Some('\n') => {}
            FLAG if let Some(tags) = region(&text[at..]) => {
                out.push(c);
                out.push_str(tags);
                for _ in tags.chars() {
                    chars.next();
                }
            }
            c if joins_pictures(before, c, next) || joins_letters(before, c, next) => out.push(c),
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
        // Colours, or plain ink; a keycap is a digit, this selector and a frame.
        '\u{FE0E}' => is_picture(before),
        '\u{FE0F}' => {
            let framed = before.is_ascii_digit() || before == '#' || before == '*';
            is_picture(before) || framed && next == Some('\u{20E3}')
        }
        _ => false,
    }
}

/// A joiner or its contrary between two letters of a script whose spelling has them: Arabic, those of
/// India and their like.
fn joins_letters(before: char, c: char, next: Option<char>) -> bool {
    let spells = |c: char| {
        matches!(c, '\u{0620}'..='\u{06FF}' | '\u{0750}'..='\u{077F}' | '\u{0900}'..='\u{0DFF}' | '\u{1000}'..='\u{109F}' | '\u{1780}'..='\u{17D3}')
            && !is_invisible(c)
    };
    matches!(c, '\u{200C}' | '\u{200D}') && spells(before) && next.is_some_and(spells)
}

const FLAG: char = '\u{1F3F4}';

/// The tags of a black flag that make it England's, Scotland's or Wales's: the only three that there
/// are, since tags can spell anything.
fn region(flag: &str) -> Option<&'static str> {
    const ALL: [&str; 3] = [
        "\u{E0067}\u{E0062}\u{E0065}\u{E006E}\u{E0067}\u{E007F}",
        "\u{E0067}\u{E0062}\u{E0073}\u{E0063}\u{E0074}\u{E007F}",
        "\u{E0067}\u{E0062}\u{E0077}\u{E006C}\u{E0073}\u{E007F}",
    ];
    let rest = flag.strip_prefix(FLAG)?;
    ALL.into_iter().find(|tags| rest.starts_with(tags))
}

/// Roughly Unicode's Extended_Pictographic.
fn is_picture(c: char) -> bool {
    matches!(c,
        '\u{00A9}' | '\u{00AE}' | '\u{203C}' | '\u{2049}' | '\u{2122}' | '\u{2139}'
        | '\u{2194}'..='\u{21AA}' | '\u{231A}'..='\u{23FF}' | '\u{25AA}'..='\u{27BF}'
        | '\u{24C2}' | '\u{3030}' | '\u{303D}' | '\u{3297}' | '\u{3299}'
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
    fn what_people_write_is_published_as_they_write_it() {
        for text in [
            "\u{2764}\u{FE0F}\u{200D}\u{1F525} \u{1F469}\u{1F3FD}\u{200D}\u{1F4BB}",
            "1\u{FE0F}\u{20E3} #\u{FE0F}\u{20E3}",
            "\u{26A0}\u{FE0E} \u{24C2}\u{FE0F} \u{3030}\u{FE0F} \u{00A9}\u{FE0F}",
            "\u{1F1EB}\u{1F1F7}",
            "\u{1F3F3}\u{FE0F}\u{200D}\u{1F308}",
            "\u{1F3F4}\u{E0067}\u{E0062}\u{E0073}\u{E0063}\u{E0074}\u{E007F}!",
            "\u{0645}\u{06CC}\u{200C}\u{062E}\u{0648}\u{0627}\u{0647}\u{0645}",
            "\u{0915}\u{094D}\u{200D}\u{0937}",
        ] {
            assert_eq!(visible(text), text, "{}", text.escape_unicode());
        }
    }

    #[test]
    fn what_hides_is_shown() {
        for (text, shown) in [
            ("a\u{FE0F}b", "a\\u{fe0f}b"),
            ("1\u{FE0F}2", "1\\u{fe0f}2"),
            ("a\u{200D}b", "a\\u{200d}b"),
            ("a\u{200C}b", "a\\u{200c}b"),
            ("\u{26A0}\u{FE0F}\u{FE0F}", "\u{26A0}\u{FE0F}\\u{fe0f}"),
            (
                "\u{0645}\u{200C}\u{200C}\u{062E}",
                "\u{0645}\\u{200c}\\u{200c}\u{062E}",
            ),
            (
                "\u{1F3F4}\u{E0068}\u{E0069}\u{E007F}",
                "\u{1F3F4}\\u{e0068}\\u{e0069}\\u{e007f}",
            ),
        ] {
            assert_eq!(visible(text), shown);
        }
        // On the way to the model nothing of it is needed.
        assert_eq!(
            without_invisible("\u{1F3F4}\u{E0067}\u{E0062}\u{E0065}\u{E006E}\u{E0067}\u{E007F}"),
            "\u{1F3F4}"
        );
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
