//! Output of programs as they coloured it: escape sequences become classes, every other one goes, and
//! all text is escaped.

use crate::text::visible;
use maud::{Markup, html};

/// How a run of characters looks.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Look {
    /// One of sixteen.
    ink: Option<u8>,
    ground: Option<u8>,
    bold: bool,
    dim: bool,
    italic: bool,
    underlined: bool,
    reversed: bool,
}

impl Look {
    fn classes(self) -> String {
        let (ink, ground) = match self.reversed {
            true => (self.ground.or(Some(16)), self.ink.or(Some(17))),
            false => (self.ink, self.ground),
        };
        let mut all = Vec::new();
        all.extend(ink.map(|n| format!("f{n}")));
        all.extend(ground.map(|n| format!("g{n}")));
        for (is, class) in [
            (self.bold, "bo"),
            (self.dim, "di"),
            (self.italic, "it"),
            (self.underlined, "un"),
        ] {
            if is {
                all.push(class.to_string());
            }
        }
        all.join(" ")
    }

    /// Takes over what a sequence `CSI … m` says.
    fn take(&mut self, parameters: &str) {
        let mut codes = parameters.split([';', ':']).map(|p| {
            if p.is_empty() {
                0
            } else {
                p.parse::<u32>().unwrap_or(u32::MAX)
            }
        });
        while let Some(code) = codes.next() {
            match code {
                0 => *self = Look::default(),
                1 => self.bold = true,
                2 => self.dim = true,
                3 => self.italic = true,
                4 => self.underlined = true,
                7 => self.reversed = true,
                22 => (self.bold, self.dim) = (false, false),
                23 => self.italic = false,
                24 => self.underlined = false,
                27 => self.reversed = false,
                30..=37 => self.ink = Some((code - 30) as u8),
                38 => self.ink = colour(&mut codes),
                39 => self.ink = None,
                40..=47 => self.ground = Some((code - 40) as u8),
                48 => self.ground = colour(&mut codes),
                49 => self.ground = None,
                90..=97 => self.ink = Some((code - 90 + 8) as u8),
                100..=107 => self.ground = Some((code - 100 + 8) as u8),
                _ => {}
            }
        }
    }
}

/// `5;n` or `2;r;g;b`, as the nearest of sixteen.
fn colour(codes: &mut dyn Iterator<Item = u32>) -> Option<u8> {
    match codes.next()? {
        5 => match codes.next()? {
            n @ 0..=15 => Some(n as u8),
            n @ 16..=231 => {
                let n = n - 16;
                let level = |v: u32| if v == 0 { 0 } else { 55 + 40 * v };
                Some(nearest(level(n / 36), level(n / 6 % 6), level(n % 6)))
            }
            n @ 232..=255 => {
                let grey = 8 + 10 * (n - 232);
                Some(nearest(grey, grey, grey))
            }
            _ => None,
        },
        2 => {
            let (r, g, b) = (codes.next()?, codes.next()?, codes.next()?);
            Some(nearest(r.min(255), g.min(255), b.min(255)))
        }
        _ => None,
    }
}

fn nearest(r: u32, g: u32, b: u32) -> u8 {
    let most = r.max(g).max(b);
    if most < 48 {
        return 0;
    }
    let bit = |v: u32| u8::from(v * 2 > most);
    let base = bit(r) | bit(g) << 1 | bit(b) << 2;
    let bright = most > 204 || (base == 0 && most > 96);
    base + if bright { 8 } else { 0 }
}

/// One piece of what is printed.
enum Piece<'a> {
    Text(&'a str),
    Style(&'a str),
}

/// The text between escape sequences, and the ones that style; the others are left out.
fn pieces(text: &str) -> Vec<Piece<'_>> {
    let mut found = Vec::new();
    let mut rest = text;
    while let Some(at) = rest.find('\u{1b}') {
        found.push(Piece::Text(&rest[..at]));
        let after = &rest[at + 1..];
        let (length, style) = sequence(after);
        if let Some(style) = style {
            found.push(Piece::Style(style));
        }
        rest = &after[length..];
    }
    found.push(Piece::Text(rest));
    found
}

/// Bytes of the sequence that stands behind an ESC, and its parameters where it styles.
fn sequence(text: &str) -> (usize, Option<&str>) {
    let bytes = text.as_bytes();
    match bytes.first() {
        Some(b'[') => {
            let end = bytes[1..]
                .iter()
                .position(|b| !(0x20..=0x3f).contains(b))
                .map(|n| n + 1);
            match end {
                Some(n) if (0x40..=0x7e).contains(&bytes[n]) => {
                    let plain = bytes[1..n]
                        .iter()
                        .all(|b| b.is_ascii_digit() || b";:".contains(b));
                    let style = (bytes[n] == b'm' && plain).then(|| &text[1..n]);
                    (n + 1, style)
                }
                // Broken off: its beginning goes, what follows is text.
                Some(n) => (n, None),
                None => (text.len(), None),
            }
        }
        // OSC, DCS, SOS, PM, APC: up to BEL or ST, and no further than the line's end.
        Some(b']' | b'P' | b'X' | b'^' | b'_') => {
            let end = bytes.iter().position(|b| matches!(b, 0x07 | 0x1b | b'\n'));
            match end {
                Some(n) if bytes[n] == 0x07 => (n + 1, None),
                Some(n) if bytes[n..].starts_with(b"\x1b\\") => (n + 2, None),
                Some(n) => (n, None),
                None => (text.len(), None),
            }
        }
        Some(b'(' | b')' | b'*' | b'+' | b'#' | b'%') if bytes.len() > 1 && bytes[1].is_ascii() => {
            (2, None)
        }
        Some(b) if (0x30..=0x7e).contains(b) => (1, None),
        _ => (0, None),
    }
}

/// What a terminal would show at the end: of a line that was written over, what was written last.
fn overwritten(text: &str) -> String {
    if !text.contains('\r') {
        return text.to_string();
    }
    let lines = text.split('\n').map(|line| {
        let line = line.strip_suffix('\r').unwrap_or(line);
        line.rsplit('\r')
            .find(|part| !part.is_empty())
            .unwrap_or("")
    });
    lines.collect::<Vec<_>>().join("\n")
}

/// Output as markup.
pub(super) fn coloured(text: &str) -> Markup {
    let text = overwritten(text);
    let mut look = Look::default();
    let mut spans: Vec<(Look, &str)> = Vec::new();
    for piece in pieces(&text) {
        match piece {
            Piece::Text("") => {}
            Piece::Text(text) => spans.push((look, text)),
            Piece::Style(parameters) => look.take(parameters),
        }
    }
    html! {
        @for (look, text) in spans {
            @if look == Look::default() { (visible(text)) }
            @else { span class=(look.classes()) { (visible(text)) } }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn html(text: &str) -> String {
        coloured(text).into_string()
    }

    #[test]
    fn colours_become_classes() {
        assert_eq!(
            html("\x1b[31mred\x1b[0m x"),
            "<span class=\"f1\">red</span> x"
        );
        assert_eq!(html("\x1b[1;92mok"), "<span class=\"f10 bo\">ok</span>");
        assert_eq!(
            html("\x1b[38;5;196mr\x1b[39mn"),
            "<span class=\"f9\">r</span>n"
        );
        assert_eq!(html("\x1b[48;2;0;0;250mb"), "<span class=\"g12\">b</span>");
        assert_eq!(html("\x1b[mplain"), "plain");
    }

    #[test]
    fn every_other_sequence_goes() {
        for (text, left) in [
            ("a\x1b]8;;javascript:1\x07link\x1b]8;;\x07b", "alinkb"),
            ("\x1b]0;title\x1b\\x", "x"),
            ("\x1b[2J\x1b[H\x1b[?25lx", "x"),
            ("\x1bPq#0\x1b\\x", "x"),
            ("\x1b]52;c;aGk=\nnext", "\nnext"),
            ("\x1b[31", ""),
            ("\x1b[31\u{e9}x", "\u{e9}x"),
            ("\x1b(Bx\x1bcy\x1b", "xy"),
            ("\x1b[3\x1b[31mx", "<span class=\"f1\">x</span>"),
            ("10%\r20%\r30%\ndone\r\nx", "30%\ndone\nx"),
        ] {
            assert_eq!(html(text), left, "{text:?}");
        }
    }

    #[test]
    fn text_is_escaped_and_seen() {
        let evil = html("\x1b[31m<script>alert(1)</script>\u{202e}\u{7}\x1b[\"onload=1m");
        assert!(
            !evil.contains("<script") && evil.contains("&lt;script&gt;"),
            "{evil}"
        );
        assert!(evil.contains("\\u{202e}\\u{7}"), "{evil}");
        assert!(!evil.contains("class=\"\""), "{evil}");
    }
}
