//! The usual reasons why a text is not found, each recognised from the texts themselves.

use super::Wanted;
use super::closest::Place;
use super::show::name_char;
use crate::edit::content::{Folded, Text, lines, substring, whole_lines};

/// What can be said about a miss, most telling first.
pub(super) fn hints(
    text: &Text,
    before: Option<&Text>,
    folded: &Folded<'_>,
    old: &[&str],
    wanted: &Wanted<'_>,
    place: Option<&Place>,
) -> Vec<String> {
    let mut hints = Vec::new();
    if let Some(hint) = already_there(text, wanted) {
        hints.push(hint);
    }
    if before.is_some_and(|before| is_in(before, wanted.old)) {
        hints.push(
            "it was there before the earlier edits of this reply changed it: later edits see \
             what earlier ones made"
                .to_string(),
        );
    }
    if numbered(old).is_some_and(|bare| is_sequence(old) || has_lines(folded, &bare)) {
        hints.push(
            "line numbers were copied: the number and tab in front of each line are not part of \
             the file, leave them out"
                .to_string(),
        );
    }
    if place.is_some_and(|p| p.only_white_space) {
        hints.push("the lines are there with other white space".to_string());
    }
    if let Some(mark) = elided(old, folded) {
        hints.push(format!(
            "`{mark}` does not stand for lines left out: write them all"
        ));
    }
    if is_in(text, wanted.old) {
        hints.push("it is there only as part of a longer line: give whole lines".to_string());
    } else {
        hints.extend(spelt_otherwise(text, wanted.old));
    }
    if place.is_some_and(|p| other_case(folded, old, p)) {
        hints.push("it differs in upper and lower case".to_string());
    }
    if let Some(hint) = place.and_then(|p| odd_character(folded, old, p)) {
        hints.push(hint);
    }
    hints
}

fn is_in(text: &Text, wanted: &str) -> bool {
    let wanted = wanted.trim_end_matches('\n');
    !wanted.trim().is_empty()
        && memchr::memmem::find(text.body().as_bytes(), wanted.as_bytes()).is_some()
}

fn already_there(text: &Text, wanted: &Wanted<'_>) -> Option<String> {
    let new = wanted.new.trim_end_matches('\n');
    if new.trim().len() < 3 || wanted.old.contains(new) {
        return None;
    }
    let new_lines: Vec<&str> = lines(new).collect();
    let mut hits = whole_lines(text, &new_lines);
    if hits.0.is_empty() && !wanted.whole {
        hits = substring(text, new);
    }
    let first = hits.0.first()?;
    Some(format!(
        "the new text is already there (line {}): was this edit made before?",
        text.line_at(first.start)
    ))
}

/// The lines without the numbers that a listing puts in front, if every line has one.
fn numbered<'t>(old: &[&'t str]) -> Option<Vec<&'t str>> {
    let bare: Option<Vec<&str>> = old
        .iter()
        .filter(|line| !line.trim().is_empty())
        .map(|line| number_and_rest(line).map(|(_, rest)| rest))
        .collect();
    bare.filter(|bare| !bare.is_empty())
}

fn number_and_rest(line: &str) -> Option<(u64, &str)> {
    let line = line.trim_start();
    let digits = line.len() - line.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    let number = line.get(..digits)?.parse().ok()?;
    let rest = &line[digits..];
    let rest = ["\t", ": ", "| ", " | ", ":", "→"]
        .iter()
        .find_map(|mark| rest.strip_prefix(mark))?;
    Some((number, rest))
}

/// Two or more lines whose numbers follow each other.
fn is_sequence(old: &[&str]) -> bool {
    let numbers: Vec<u64> = old
        .iter()
        .filter_map(|line| number_and_rest(line))
        .map(|(n, _)| n)
        .collect();
    numbers.len() > 1
        && numbers
            .windows(2)
            .all(|w| w[0].checked_add(1) == Some(w[1]))
}

fn has_lines(folded: &Folded<'_>, bare: &[&str]) -> bool {
    !folded.windows(bare).is_empty()
}

/// A line of dots that the file does not have.
fn elided(old: &[&str], folded: &Folded<'_>) -> Option<String> {
    let mark = old.iter().map(|line| line.trim()).find(|line| {
        let words = line.trim_matches(|c: char| {
            matches!(c, '#' | '/' | '*' | '-' | ';' | '<' | '>' | '!') || c.is_whitespace()
        });
        words.starts_with("...")
            || words.starts_with('…')
            || words.ends_with("...") && words.contains("existing")
    })?;
    folded
        .windows(&[mark])
        .is_empty()
        .then(|| crate::text::clip_words(mark, 60))
}

/// Found once an escape or an entity is read otherwise.
fn spelt_otherwise(text: &Text, old: &str) -> Option<String> {
    let unescaped = old
        .replace("\\n", "\n")
        .replace("\\t", "\t")
        .replace("\\\"", "\"");
    let entities = old
        .replace("&lt;", "<")
        .replace("&gt;", ">")
        .replace("&quot;", "\"")
        .replace("&#39;", "'")
        .replace("&amp;", "&");
    let escaped = old
        .replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;");
    for (form, hint) in [
        (
            unescaped,
            "it is there once `\\n`, `\\t` or `\\\"` are read as escapes: write the characters themselves",
        ),
        (
            entities,
            "it is there once entities such as `&lt;` are read as characters: write the characters themselves",
        ),
        (
            escaped,
            "the file spells `<`, `>` or `&` as entities such as `&lt;`",
        ),
    ] {
        if form != old && is_in(text, &form) {
            return Some(hint.to_string());
        }
    }
    None
}

/// Whether the two lines that stand against each other are alike but for the case of letters.
fn other_case(folded: &Folded<'_>, old: &[&str], place: &Place) -> bool {
    let (Some(n), Some(yours)) = (place.file, old.get(place.old)) else {
        return false;
    };
    let (file, yours) = (folded.line(n).trim(), yours.trim());
    file != yours && file.to_lowercase() == yours.to_lowercase()
}

/// The first difference of the two lines, when it is a character that looks like another.
fn odd_character(folded: &Folded<'_>, old: &[&str], place: &Place) -> Option<String> {
    let (file, yours) = (folded.line(place.file?).trim(), old.get(place.old)?.trim());
    let mut both = file.chars().zip(yours.chars()).skip_while(|(a, b)| a == b);
    let (a, b) = both.next()?;
    (!a.is_ascii() || !b.is_ascii()).then(|| {
        format!(
            "at the first difference the file has {} and yours {}",
            name_char(a),
            name_char(b)
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(body: &str, old: &str, new: &str) -> String {
        let text = Text::new(body);
        let folded = Folded::new(text.body());
        let old_lines: Vec<&str> = lines(old).collect();
        let place = super::super::closest::place(&folded, &old_lines);
        let wanted = Wanted {
            what: "`old`",
            old,
            new,
            whole: false,
        };
        hints(&text, None, &folded, &old_lines, &wanted, place.as_ref()).join("\n")
    }

    #[test]
    fn causes_are_named() {
        assert!(all("MAX = 20\n", "MAX = 10", "MAX = 20").contains("already"));
        assert!(all("x = 1\ny = 2\n", "2\ty = 2", "z").contains("line numbers"));
        assert!(all("x = 1\n", "7\tq\n8\tr", "z").contains("line numbers"));
        assert!(!all("red\n", "2\tblue", "z").contains("line numbers"));
        assert!(all("a()\nb()\n", "a()\n  ...\nb()", "").contains("`...`"));
        assert!(!all("...\nb()\n", "...\nc()", "").contains("`...`"));
        assert!(all("a\nb\n", "a\\nb", "").contains("escapes"));
        assert!(all("if a < b\n", "if a &lt; b", "").contains("entities"));
        assert!(all("Hello\n", "hello", "").contains("case"));
        assert!(all("It\u{2019}s ready.\n", "It's ready.", "").contains("U+2019"));
        assert!(all("cafe\u{301} open\n", "caf\u{e9} open", "").contains("U+00E9"));
    }
}
