//! Which lines of two texts are the same: anchors of lines that are unique on both sides, and
//! between anchors the shortest script, given up for very large stretches. Deterministic.

use similar::{Algorithm, DiffTag, capture_diff_slices};
use std::collections::HashMap;
use std::hash::Hash;
use std::ops::Range;

/// Product of the lengths above which a stretch without anchors counts as wholly changed.
const MAX_CELLS: usize = 4_000_000;

/// A stretch of old lines and the new lines in their place; either may be empty. All between two
/// changes is the same.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::edit) struct Change {
    pub old: Range<usize>,
    pub new: Range<usize>,
}

/// The changes that lead from `old` to `new`, in order.
pub(in crate::edit) fn align<T: Eq + Hash>(old: &[T], new: &[T]) -> Vec<Change> {
    let mut ids: HashMap<&T, u32> = HashMap::new();
    let (a, b) = (intern(old, &mut ids), intern(new, &mut ids));
    let mut changes = Vec::new();
    stretch(&a, &b, 0..a.len(), 0..b.len(), &mut changes);
    join(changes)
}

fn intern<'t, T: Eq + Hash>(items: &'t [T], ids: &mut HashMap<&'t T, u32>) -> Vec<u32> {
    items
        .iter()
        .map(|item| {
            let next = ids.len() as u32;
            *ids.entry(item).or_insert(next)
        })
        .collect()
}

fn stretch(a: &[u32], b: &[u32], mut x: Range<usize>, mut y: Range<usize>, out: &mut Vec<Change>) {
    while !x.is_empty() && !y.is_empty() && a[x.start] == b[y.start] {
        x.start += 1;
        y.start += 1;
    }
    while !x.is_empty() && !y.is_empty() && a[x.end - 1] == b[y.end - 1] {
        x.end -= 1;
        y.end -= 1;
    }
    if x.is_empty() || y.is_empty() {
        if !(x.is_empty() && y.is_empty()) {
            out.push(Change { old: x, new: y });
        }
        return;
    }
    let (mut from_x, mut from_y) = (x.start, y.start);
    for (i, j) in anchors(a, b, &x, &y) {
        small(a, b, from_x..i, from_y..j, out);
        (from_x, from_y) = (i + 1, j + 1);
    }
    small(a, b, from_x..x.end, from_y..y.end, out);
}

/// A stretch without anchors: the shortest script.
fn small(a: &[u32], b: &[u32], x: Range<usize>, y: Range<usize>, out: &mut Vec<Change>) {
    if x.is_empty() && y.is_empty() {
        return;
    }
    if x.is_empty() || y.is_empty() || x.len().saturating_mul(y.len()) > MAX_CELLS {
        out.push(Change { old: x, new: y });
        return;
    }
    for op in capture_diff_slices(Algorithm::Myers, &a[x.clone()], &b[y.clone()]) {
        let (tag, old, new) = op.as_tag_tuple();
        if tag != DiffTag::Equal {
            out.push(Change {
                old: x.start + old.start..x.start + old.end,
                new: y.start + new.start..y.start + new.end,
            });
        }
    }
}

/// Pairs of lines that are unique on both sides, the longest run of them that is in order.
fn anchors(a: &[u32], b: &[u32], x: &Range<usize>, y: &Range<usize>) -> Vec<(usize, usize)> {
    let unique = |row: &[u32], range: &Range<usize>| {
        let mut at: HashMap<u32, Option<usize>> = HashMap::new();
        for i in range.clone() {
            at.entry(row[i])
                .and_modify(|p| *p = None)
                .or_insert(Some(i));
        }
        at
    };
    let (in_old, in_new) = (unique(a, x), unique(b, y));
    let pairs: Vec<(usize, usize)> = y
        .clone()
        .filter(|j| in_new.get(&b[*j]) == Some(&Some(*j)))
        .filter_map(|j| Some(((*in_old.get(&b[j])?)?, j)))
        .collect();
    longest_rising(&pairs)
}

/// The longest subsequence whose first members rise (patience sorting).
fn longest_rising(pairs: &[(usize, usize)]) -> Vec<(usize, usize)> {
    let mut tops: Vec<usize> = Vec::new();
    let mut before: Vec<Option<usize>> = Vec::with_capacity(pairs.len());
    for (n, pair) in pairs.iter().enumerate() {
        let pile = tops.partition_point(|top| pairs[*top].0 < pair.0);
        before.push(pile.checked_sub(1).map(|p| tops[p]));
        if pile == tops.len() {
            tops.push(n);
        } else {
            tops[pile] = n;
        }
    }
    let mut run = Vec::new();
    let mut at = tops.last().copied();
    while let Some(n) = at {
        run.push(pairs[n]);
        at = before[n];
    }
    run.reverse();
    run
}

/// Joins changes that touch.
fn join(changes: Vec<Change>) -> Vec<Change> {
    let mut joined: Vec<Change> = Vec::new();
    for change in changes {
        match joined.last_mut() {
            Some(last) if last.old.end == change.old.start && last.new.end == change.new.start => {
                last.old.end = change.old.end;
                last.new.end = change.new.end;
            }
            _ => joined.push(change),
        }
    }
    joined
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Applies the changes and checks that all between them is the same.
    fn check(old: &[u8], new: &[u8]) -> usize {
        let changes = align(old, new);
        let (mut i, mut j) = (0, 0);
        for c in &changes {
            assert_eq!(old[i..c.old.start], new[j..c.new.start]);
            (i, j) = (c.old.end, c.new.end);
        }
        assert_eq!(old[i..], new[j..]);
        changes.iter().map(|c| c.old.len() + c.new.len()).sum()
    }

    #[test]
    fn small_texts_get_the_shortest_script() {
        assert_eq!(check(b"abc", b"abc"), 0);
        assert_eq!(check(b"abc", b"axc"), 2);
        assert_eq!(check(b"ac", b"abc"), 1);
        assert_eq!(check(b"aaaa", b"aa"), 2);
        assert_eq!(check(b"", b"ab"), 2);
        assert_eq!(check(b"xaybzc", b"abc"), 3);
    }

    #[test]
    fn large_texts_end_soon() {
        let old: Vec<u32> = (0..60_000).map(|i| i % 7).collect();
        let new: Vec<u32> = (0..60_000).map(|i| i % 11).collect();
        assert!(!align(&old, &new).is_empty());
        let far: Vec<u32> = (0..60_000).collect();
        let mut moved = far.clone();
        moved[10] = 70_000;
        moved[50_000] = 70_001;
        assert_eq!(align(&far, &moved).len(), 2);
    }

    proptest::proptest! {
        #[test]
        fn changes_lead_from_old_to_new(
            old in proptest::collection::vec(0u8..6, 0..40),
            new in proptest::collection::vec(0u8..6, 0..40),
        ) {
            check(&old, &new);
        }
    }
}
