//! A line with its white space visible.

/// Characters of a long line that are shown.
const WIDTH: usize = 160;

/// The line, cut to the part that differs from `other`. Spaces and tabs at the ends and in runs
/// are drawn as `·` and `→`; other white space and invisible characters as escapes. A single
/// space between words stays, so that the words can be read and searched for.
pub(super) fn visible_line(line: &str, other: &str) -> String {
    let chars: Vec<char> = line.chars().collect();
    let same = line
        .chars()
        .zip(other.chars())
        .take_while(|(a, b)| a == b)
        .count();
    let start = if chars.len() <= WIDTH {
        0
    } else {
        same.saturating_sub(WIDTH / 3).min(chars.len() - WIDTH)
    };
    let end = (start + WIDTH).min(chars.len());
    let first = chars
        .iter()
        .position(|c| !c.is_whitespace())
        .unwrap_or(chars.len());
    let last = chars
        .iter()
        .rposition(|c| !c.is_whitespace())
        .map_or(0, |n| n + 1);
    let mut out = String::new();
    if start > 0 {
        out.push('…');
    }
    for n in start..end {
        let beside = |m: Option<usize>| {
            m.and_then(|m| chars.get(m))
                .is_some_and(|c| c.is_whitespace())
        };
        let inner = n >= first && n < last;
        let run = beside(n.checked_sub(1)) || beside(Some(n + 1));
        match chars[n] {
            ' ' if inner && !run => out.push(' '),
            ' ' => out.push('·'),
            '\t' => out.push('→'),
            c if c.is_whitespace() => out.extend(c.escape_unicode()),
            c => out.push_str(&crate::text::visible(&c.to_string())),
        }
    }
    if end < chars.len() {
        out.push('…');
    }
    if out.is_empty() {
        out.push_str("(an empty line)");
    }
    out
}

/// A character by its code point and, where it can be seen, itself.
pub(super) fn name_char(c: char) -> String {
    if c.is_whitespace()
        || c.is_control()
        || crate::text::visible(&c.to_string()).len() > c.len_utf8()
    {
        format!("U+{:04X}", u32::from(c))
    } else {
        format!("U+{:04X} ({c})", u32::from(c))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn white_space_is_drawn_where_it_matters() {
        assert_eq!(visible_line("\t  return a  + b ", ""), "→··return a··+ b·");
        assert_eq!(visible_line("a\u{a0}b\u{200b}", ""), "a\\u{a0}b\\u{200b}");
        assert_eq!(visible_line("", ""), "(an empty line)");
    }

    #[test]
    fn a_long_line_is_cut_around_the_difference() {
        let line = format!("{}X{}", "a".repeat(5000), "b".repeat(5000));
        let shown = visible_line(&line, &line.replace('X', "Y"));
        assert!(
            shown.contains('X') && shown.chars().count() < 200,
            "{shown}"
        );
    }
}
