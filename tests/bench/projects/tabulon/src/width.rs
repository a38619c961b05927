//! How wide text is in a terminal.

/// Columns that a character takes: none, one or two.
pub fn of_char(c: char) -> usize {
    match c as u32 {
        0x0300..=0x036f | 0x200b..=0x200d | 0xfe00..=0xfe0f => 0,
        0x1100..=0x115f
        | 0x2e80..=0xa4cf
        | 0xac00..=0xd7a3
        | 0xf900..=0xfaff
        | 0xfe30..=0xfe6f
        | 0xff00..=0xff60
        | 0x1f300..=0x1f64f
        | 0x1f900..=0x1f9ff
        | 0x20000..=0x3fffd => 2,
        _ => 1,
    }
}

/// Columns that a text takes.
pub fn of(text: &str) -> usize {
    text.chars().map(of_char).sum()
}

/// The longest beginning of a text that takes at most so many columns.
pub fn head(text: &str, columns: usize) -> &str {
    let mut taken = 0;
    for (place, c) in text.char_indices() {
        taken += of_char(c);
        if taken > columns {
            return &text[..place];
        }
    }
    text
}

/// A text filled up with spaces to so many columns.
pub fn pad(text: &str, columns: usize, right: bool) -> String {
    let fill = " ".repeat(columns.saturating_sub(of(text)));
    if right {
        fill + text
    } else {
        text.to_string() + &fill
    }
}
