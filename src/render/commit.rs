//! The message of a commit.

use super::pull_request::{SUMMARY_BYTES, title};
use crate::text::{bound, clip_words, inert_line, inert_message};

/// A commit's message. A follow-up's subject is what it adds; the first one's is the title. Nothing
/// in it closes, mentions or commands anything.
pub fn commit_message(
    report_title: &str,
    summary: &str,
    issue: u64,
    follow_up: bool,
    trailers: &[String],
) -> String {
    const WIDTH: usize = 72;
    let summary = inert_message(summary.trim());
    // A dot inside a path or a number ends no sentence.
    let ends = |(i, c): (usize, char)| {
        let after = summary[i + c.len_utf8()..].chars().next();
        match c {
            '\n' => Some(i),
            '.' | ';' if after.is_none_or(char::is_whitespace) => Some(i + 1),
            _ => None,
        }
    };
    let end = summary
        .char_indices()
        .find_map(ends)
        .unwrap_or(summary.len());
    let (first, rest) = summary.split_at(end);
    let first = first.trim().trim_end_matches(['.', ';']);
    // A subject that had to be cut says less than the sentence: then both stand there.
    let short = follow_up && !first.is_empty() && first.chars().count() <= WIDTH;
    let (subject, text) = match (follow_up && !first.is_empty(), short) {
        (_, true) => (first.to_string(), rest),
        (true, false) => (clip_words(first, WIDTH), summary.as_str()),
        (false, false) => (
            clip_words(&inert_line(&title(report_title)), WIDTH),
            summary.as_str(),
        ),
    };
    let mut parts = vec![subject];
    if !text.trim().is_empty() {
        // Once more: what the filling moved to the beginning of a line may command something there.
        let filled = fill(&bound(text.trim(), SUMMARY_BYTES), WIDTH);
        parts.push(inert_message(&filled));
    }
    parts.push(format!("By mend, for issue {issue}."));
    if !trailers.is_empty() {
        parts.push(trailers.join("\n"));
    }
    format!("{}\n", parts.join("\n\n"))
}

/// Paragraphs broken into lines of at most `width` characters where words allow it.
fn fill(text: &str, width: usize) -> String {
    let paragraph = |text: &str| {
        let mut lines = vec![String::new()];
        for word in text.split_whitespace() {
            let line = lines.last_mut();
            match line {
                Some(line) if line.is_empty() => line.push_str(word),
                Some(line) if line.chars().count() + 1 + word.chars().count() <= width => {
                    line.push(' ');
                    line.push_str(word);
                }
                _ => lines.push(word.to_string()),
            }
        }
        lines.join("\n")
    };
    text.split("\n\n")
        .map(paragraph)
        .collect::<Vec<_>>()
        .join("\n\n")
}
