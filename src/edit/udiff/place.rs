//! Where a hunk goes.

use super::hunk::{Hunk, Line};
use super::no_nul;
use crate::edit::became;
use crate::edit::content::{FileEnd, Hits, Text, whole_lines};
use crate::edit::error::{EditError, ErrorKind};
use crate::edit::miss::{Wanted, ambiguous, not_found};
use crate::edit::path::show;
use crate::edit::pending::Target;
use std::ops::Range;

/// Puts one hunk where its old lines stand. `shift` is by how many lines earlier hunks made the
/// file longer.
pub(super) fn place(
    text: &mut Text,
    before: Option<Text>,
    target: &Target,
    hunk: &Hunk<'_>,
    shift: &mut isize,
) -> Result<String, EditError> {
    let named = &target.named;
    let end = file_end(hunk);
    let mut rows: &[Line<'_>] = &hunk.lines;
    let (range, old, new) = loop {
        let old: Vec<&str> = rows
            .iter()
            .filter(|l| l.sign != '+')
            .map(|l| l.text)
            .collect();
        let new: Vec<&str> = rows
            .iter()
            .filter(|l| l.sign != '-')
            .map(|l| l.text)
            .collect();
        if old.is_empty() {
            return Err(EditError::malformed(format!(
                "the hunk at line {} of the reply has no line of {} around its additions, so it does \
                 not say where they go; add context lines",
                hunk.line,
                show(named)
            ))
            .at(named));
        }
        let hits = whole_lines(text, &old);
        match choose(text, &hits, hunk, end.is_some(), *shift) {
            Some(range) => break (range, old, new),
            None if hits.0.len() > 1 => {
                let counted = hits.counted(text);
                return Err(ambiguous(named, &what(hunk), &counted, ""));
            }
            None if hits.0.len() == 1 => {
                return Err(EditError::new(
                    ErrorKind::NotFound,
                    format!(
                        "the hunk at line {} of the reply says `No newline at end of file`, but its \
                         lines are not the last ones of {}",
                        hunk.line,
                        show(named)
                    ),
                )
                .at(named));
            }
            // An empty line at the end may be layout.
            None if rows.last().is_some_and(|l| l.bare) => rows = &rows[..rows.len() - 1],
            None => return Err(miss(text, before, named, hunk)),
        }
    };
    no_nul(&new.join("\n"), target)?;
    let unchanged = old == new && end.is_none();
    text.replace_lines(range, &new, end.unwrap_or(FileEnd::Keep));
    *shift += new.len() as isize - old.len() as isize;
    let same = if unchanged { ", nothing changes" } else { "" };
    Ok(format!("{}{same}", became(old.len(), new.len())))
}

fn what(hunk: &Hunk<'_>) -> String {
    format!(
        "the old text of the hunk at line {} of the reply",
        hunk.line
    )
}

fn miss(text: &Text, before: Option<Text>, named: &str, hunk: &Hunk<'_>) -> EditError {
    let side = |not: char| -> String {
        let rows = hunk.lines.iter().filter(|l| l.sign != not);
        rows.map(|l| l.text).collect::<Vec<_>>().join("\n")
    };
    not_found(
        text,
        &Wanted {
            named,
            what: &what(hunk),
            old: &side('+'),
            new: &side('-'),
            whole: true,
            before: before.filter(|before| before != text),
        },
    )
}

/// The one place; of several, the one at the stated line. A hunk that speaks of the file's end
/// fits only there.
fn choose(
    text: &Text,
    hits: &Hits,
    hunk: &Hunk<'_>,
    at_end: bool,
    shift: isize,
) -> Option<Range<usize>> {
    let fits = |hit: &&Range<usize>| !at_end || hit.end == text.body().len();
    let places: Vec<&Range<usize>> = hits.0.iter().filter(fits).collect();
    if let [one] = places.as_slice() {
        return Some((*one).clone());
    }
    let (old, new) = hunk.stated?;
    let stated = |line: isize| {
        let at = |hit: &&&Range<usize>| text.line_at(hit.start) as isize == line;
        places.iter().find(at).map(|hit| (*hit).clone())
    };
    // The new side counts with the earlier hunks applied, the old side without.
    match (stated(new as isize), stated(old as isize + shift)) {
        (Some(a), Some(b)) if a != b => None,
        (a, b) => a.or(b),
    }
}

/// What the markers say of the file's end.
fn file_end(hunk: &Hunk<'_>) -> Option<FileEnd> {
    let open = |not: char| {
        let mut side = hunk.lines.iter().filter(|l| l.sign != not);
        side.next_back().map(|l| l.open)
    };
    let any = hunk.lines.iter().any(|l| l.open);
    any.then(|| match open('-') {
        Some(true) => FileEnd::Without,
        _ => FileEnd::With,
    })
}
