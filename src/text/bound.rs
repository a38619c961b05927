//! Cutting text to a size without hiding that it was cut.

/// Keeps the head and the tail of `text` within `max` bytes and says what was left out between.
/// The tail gets three quarters of the room: in test output the verdict stands last.
pub fn bound(text: &str, max: usize) -> String {
    if text.len() <= max {
        return text.to_string();
    }
    let room = max.saturating_sub(64);
    let head = floor(text, room / 4);
    let tail = ceil(text, text.len() - (room - room / 4));
    format!(
        "{}\n... ({} bytes left out) ...\n{}",
        &text[..head],
        tail - head,
        &text[tail..]
    )
}

/// Cuts to at most `max` characters at a word's end, and closes a cut text with `…`.
pub fn clip_words(text: &str, max: usize) -> String {
    if text.chars().count() <= max {
        return text.to_string();
    }
    let cut: String = text.chars().take(max.saturating_sub(1)).collect();
    let end = match cut.rfind(char::is_whitespace) {
        Some(i) if i > cut.len() / 2 => i,
        _ => cut.len(),
    };
    format!("{}…", cut[..end].trim_end())
}

/// Folds all white space into single blanks.
pub fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn floor(text: &str, mut i: usize) -> usize {
    while !text.is_char_boundary(i) {
        i -= 1;
    }
    i
}

fn ceil(text: &str, mut i: usize) -> usize {
    while !text.is_char_boundary(i) {
        i += 1;
    }
    i
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bound_keeps_head_and_tail_and_says_so() {
        let text = "é".repeat(5000);
        let cut = bound(&text, 1000);
        assert!(cut.len() <= 1000, "{}", cut.len());
        assert!(cut.starts_with('é') && cut.ends_with('é'));
        assert!(cut.contains("bytes left out"));
        assert_eq!(bound("short", 1000), "short");
    }

    #[test]
    fn clip_cuts_at_a_word() {
        assert_eq!(clip_words("one two three four", 12), "one two…");
        assert_eq!(clip_words("one", 12), "one");
    }
}
