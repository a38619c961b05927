//! The white-space tier of the tool dialect (rule W2): whole lines, compared folded.

use super::indent::reindent;
use crate::edit::content::{Folded, Text, lines};
use std::ops::Range;

/// What the tier finds.
pub(super) enum Folds {
    None,
    /// First lines, from 1, of several windows.
    Several(Vec<usize>),
    One {
        /// First line, from 1.
        first: usize,
        bytes: Range<usize>,
        /// Number of lines matched.
        old: usize,
        new: Vec<String>,
    },
}

pub(super) fn fallback(text: &Text, old: &str, new: &str) -> Folds {
    if old.trim().is_empty() {
        return Folds::None;
    }
    let folded = Folded::new(text.body());
    let old: Vec<&str> = lines(old).collect();
    let new: Vec<&str> = lines(new).collect();
    match folded.windows(&old).as_slice() {
        [start] => return one(&folded, *start, &old, &new),
        [] => {}
        starts => return several(starts),
    }
    // Blank lines at the edges of `old` that the file does not have go from both sides.
    let blank = |line: &&&str| line.trim().is_empty();
    let lead = old.iter().take_while(blank).count();
    let trail = old.iter().rev().take_while(blank).count();
    if lead + trail == 0 {
        return Folds::None;
    }
    let core = &old[lead..old.len() - trail];
    let start = match folded.windows(core).as_slice() {
        [start] => *start,
        [] => return Folds::None,
        starts => return several(starts),
    };
    let end = start + core.len();
    let is_blank = |n: &usize| folded.line(*n).trim().is_empty();
    let above = (0..start).rev().take_while(is_blank).count().min(lead);
    let below = (end..folded.len()).take_while(is_blank).count().min(trail);
    let skip = new.iter().take_while(blank).count().min(lead - above);
    let new = &new[skip..];
    let drop = new
        .iter()
        .rev()
        .take_while(blank)
        .count()
        .min(trail - below);
    one(
        &folded,
        start - above,
        &old[lead - above..old.len() - (trail - below)],
        &new[..new.len() - drop],
    )
}

fn several(starts: &[usize]) -> Folds {
    Folds::Several(starts.iter().map(|start| start + 1).collect())
}

fn one(folded: &Folded<'_>, start: usize, old: &[&str], new: &[&str]) -> Folds {
    let range = start..start + old.len();
    let file: Vec<&str> = range.clone().map(|n| folded.line(n)).collect();
    let whole = (0..folded.len()).map(|n| folded.line(n));
    let Some(new) = reindent(&file, old, new, whole) else {
        return Folds::None;
    };
    Folds::One {
        first: start + 1,
        bytes: folded.bytes(&range),
        old: old.len(),
        new,
    }
}
