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
        // GitHub holds CI back for a last trailer that stands behind two empty lines.
        let apart = match trailers.last().is_some_and(|t| t == HOLDS_CI) {
            true => "\n",
            false => "",
        };
        parts.push(format!("{apart}{}", trailers.join("\n")));
    }
    format!("{}\n", parts.join("\n\n"))
}

/// The last trailer of a commit whose push starts no workflow and no check suite
/// (<https://docs.github.com/actions/managing-workflow-runs/skipping-workflow-runs>). Only at a
/// message's very end does it count, so a squashed merge does not take it along.
pub const HOLDS_CI: &str = "skip-checks: true";

/// Whether the push of a commit with this message started no CI.
pub fn holds_ci(message: &str) -> bool {
    message.trim_end().lines().last() == Some(HOLDS_CI)
}

const RELEASE: &str = "Let CI run";

/// The message of the empty commit that starts CI.
pub fn release_message(login: &str, held: &str) -> String {
    let login = inert_line(login);
    let held = held.get(..7).unwrap_or(held);
    format!("{RELEASE}\n\nThe same files as {held}. Asked for by {login}.\n")
}

/// Whether a message is one of those.
pub fn is_release(message: &str) -> bool {
    message.starts_with(&format!("{RELEASE}\n"))
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
