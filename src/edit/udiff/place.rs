//! Where a hunk goes.

use super::hunk::{Hunk, Line};
use super::no_nul;
use crate::edit::became;
use crate::edit::content::{FileEnd, Hits, Text, whole_lines};
use crate::edit::error::{EditError, ErrorKind};
use crate::edit::miss::{Wanted, ambiguous, missing_file};
use crate::edit::path::show;
use crate::edit::pending::{Pending, Target};
use std::ops::Range;

/// Puts one hunk where its old lines stand. `shift` is by how many lines earlier hunks made the
/// file longer.
pub(super) fn place(
    pending: &mut Pending<'_>,
    target: &Target,
    hunk: &Hunk<'_>,
    shift: &mut isize,
) -> Result<String, EditError> {
    let end = file_end(hunk);
    let found = match pending.text(target) {
        Some(text) => find(text, target, hunk, end.is_some(), *shift)?,
        None => return Err(missing_file(&target.named, &[], "")),
    };
    let Some(Found { range, old, new }) = found else {
        return Err(miss(pending, target, hunk));
    };
    no_nul(&new.join("\n"), target)?;
    let unchanged = old == new && end.is_none();
    if let Some(text) = pending.text_mut(target) {
        text.replace_lines(range, &new, end.unwrap_or(FileEnd::Keep));
    }
    *shift += new.len() as isize - old.len() as isize;
    let same = if unchanged { ", nothing changes" } else { "" };
    Ok(format!("{}{same}", became(old.len(), new.len())))
}

/// The place of a hunk and its two sides.
struct Found<'r> {
    range: Range<usize>,
    old: Vec<&'r str>,
    new: Vec<&'r str>,
}

/// `None` when the old lines are nowhere.
fn find<'r>(
    text: &Text,
    target: &Target,
    hunk: &Hunk<'r>,
    at_end: bool,
    shift: isize,
) -> Result<Option<Found<'r>>, EditError> {
    let named = &target.named;
    let mut rows: &[Line<'r>] = &hunk.lines;
    loop {
        let side = |not: char| -> Vec<&'r str> {
            let lines = rows.iter().filter(|l| l.sign != not);
            lines.map(|l| l.text).collect()
        };
        let (old, new) = (side('+'), side('-'));
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
        match (choose(text, &hits, hunk, at_end, shift), hits.0.len()) {
            (Some(range), _) => return Ok(Some(Found { range, old, new })),
            // Empty lines at the end may be layout.
            (None, 0) if rows.last().is_some_and(|l| l.bare) => {
                let last = rows.iter().rposition(|l| !l.bare).map_or(0, |n| n + 1);
                rows = &rows[..last];
            }
            (None, 0) => return Ok(None),
            (None, 1) => {
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
            (None, _) => {
                let counted = hits.counted(text);
                return Err(ambiguous(named, &what(hunk), &counted, ""));
            }
        }
    }
}

fn what(hunk: &Hunk<'_>) -> String {
    format!(
        "the old text of the hunk at line {} of the reply",
        hunk.line
    )
}

fn miss(pending: &Pending<'_>, target: &Target, hunk: &Hunk<'_>) -> EditError {
    let side = |not: char| -> String {
        let rows = hunk.lines.iter().filter(|l| l.sign != not);
        rows.map(|l| l.text).collect::<Vec<_>>().join("\n")
    };
    pending.miss(
        target,
        &Wanted {
            what: &what(hunk),
            old: &side('+'),
            new: &side('-'),
            whole: true,
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
