//! What to tell the model when its text is not in the file, or not once: the place that is most
//! like it, both texts with their white space visible, and the usual causes.

mod causes;
mod closest;
mod show;

use super::content::{Folded, Text, lines};
use super::error::{EditError, ErrorKind};
use super::path;
use closest::Place;
use show::visible_line;

/// Bytes of the file that a message quotes.
const MOST_QUOTED: usize = 1200;
/// Lines that it quotes before the first difference, and from there on.
const QUOTED_BEFORE: usize = 3;
const QUOTED_AFTER: usize = 9;

/// The text that was looked for and what it was to become.
pub(super) struct Wanted<'a> {
    /// What the dialect calls the text: "`old`", "the SEARCH part", "the hunk".
    pub what: &'a str,
    pub old: &'a str,
    pub new: &'a str,
    /// Whether only whole lines count.
    pub whole: bool,
}

/// The text is nowhere. `before` is the file before this reply's earlier edits, if they changed it.
pub(super) fn not_found(
    text: &Text,
    before: Option<&Text>,
    named: &str,
    wanted: &Wanted<'_>,
) -> EditError {
    let path = path::show(named);
    let error = |message: String| EditError::new(ErrorKind::NotFound, message).at(named);
    if text.is_empty() {
        return error(format!(
            "{} is not in {path}: the file is empty",
            wanted.what
        ));
    }
    let old: Vec<&str> = lines(wanted.old).collect();
    let folded = Folded::new(text.body());
    let place = closest::place(&folded, &old);
    let hints = causes::hints(text, before, &folded, &old, wanted, place.as_ref());
    let mut message = format!("{} is not in {path}", wanted.what);
    for (n, hint) in hints.iter().enumerate() {
        message.push_str(if n == 0 { ": " } else { "; " });
        message.push_str(hint);
    }
    if let Some(place) = &place {
        message.push_str(&compare(&folded, &old, place));
        message.push_str(&excerpt(&folded, &old, place));
    }
    message.push_str("\ncopy the file's text exactly as it is now, with its indentation");
    error(message)
}

/// The text is in several places.
pub(super) fn ambiguous(named: &str, what: &str, counted: &str, extra: &str) -> EditError {
    EditError::new(
        ErrorKind::Ambiguous,
        format!(
            "{what} occurs {counted} in {}{extra}; add lines before or after it until it occurs once",
            path::show(named)
        ),
    )
    .at(named)
}

/// The file is not there: names that are like it.
pub(super) fn missing_file(named: &str, listed: &[String], advice: &str) -> EditError {
    let near = closest::names(named, listed);
    let also = if near.is_empty() {
        String::new()
    } else {
        format!("; did you mean {}?", near.join(", "))
    };
    EditError::new(
        ErrorKind::MissingFile,
        format!("there is no file {}{also}{advice}", path::show(named)),
    )
    .at(named)
}

/// Both lines under each other.
fn compare(folded: &Folded<'_>, old: &[&str], place: &Place) -> String {
    let yours = old.get(place.old).copied().unwrap_or_default();
    let Some(n) = place.file else {
        return format!(
            "\nthe file ends at line {}, before line {} of yours: {}",
            folded.len(),
            place.old + 1,
            visible_line(yours, "")
        );
    };
    let line = folded.line(n);
    format!(
        "\nthe closest line is line {}:\n  file:  {}\n  yours: {}\n(· is a space and → a tab, at the ends of a line and in runs)",
        n + 1,
        visible_line(line, yours),
        visible_line(yours, line)
    )
}

/// The file's own lines at the place, for copying.
fn excerpt(folded: &Folded<'_>, old: &[&str], place: &Place) -> String {
    let Some(start) = place.start else {
        return String::new();
    };
    let end = (start + old.len()).min(folded.len());
    let differs = place.file.unwrap_or(end);
    let start = start.max(differs.saturating_sub(QUOTED_BEFORE));
    let end = end.min(differs + QUOTED_AFTER);
    if old.len() < 2 || start >= end {
        return String::new();
    }
    let mut quoted = String::new();
    let mut last = start;
    for n in start..end {
        let line = crate::text::visible(folded.line(n));
        if quoted.len() + line.len() > MOST_QUOTED {
            break;
        }
        quoted.push('\n');
        quoted.push_str(&line);
        last = n + 1;
    }
    if last == start {
        return String::new();
    }
    format!("\nlines {} to {last} of the file:{quoted}", start + 1)
}
