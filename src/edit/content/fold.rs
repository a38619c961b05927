//! Lines compared without their outer white space and with inner runs folded to one blank.

use super::lines;
use std::collections::HashMap;
use std::ops::Range;

/// Windows that are looked for at most.
const MOST_WINDOWS: usize = 1000;

/// A body's lines by what is left of them after folding.
pub(in crate::edit) struct Folded<'t> {
    body: &'t str,
    /// Where each line begins, and the body's length at the end.
    starts: Vec<usize>,
    hashes: Vec<u64>,
}

impl<'t> Folded<'t> {
    pub fn new(body: &'t str) -> Self {
        let (mut starts, mut hashes) = (Vec::new(), Vec::new());
        let mut at = 0;
        for line in lines(body) {
            starts.push(at);
            hashes.push(fold_hash(line));
            at += line.len() + 1;
        }
        starts.push(body.len());
        Folded {
            body,
            starts,
            hashes,
        }
    }

    /// Number of lines.
    pub fn len(&self) -> usize {
        self.hashes.len()
    }

    /// A line, from 0, without its line end.
    pub fn line(&self, n: usize) -> &'t str {
        let line = &self.body[self.starts[n]..self.starts[n + 1]];
        line.strip_suffix('\n').unwrap_or(line)
    }

    pub fn hashes(&self) -> &[u64] {
        &self.hashes
    }

    /// The same hashes for other lines.
    pub fn hashes_of(lines: &[&str]) -> Vec<u64> {
        lines.iter().map(|line| fold_hash(line)).collect()
    }

    /// The bytes of whole lines, the last line end included.
    pub fn bytes(&self, range: &Range<usize>) -> Range<usize> {
        self.starts[range.start]..self.starts[range.end]
    }

    /// First lines of all windows that equal `wanted` after folding; overlapping ones count.
    pub fn windows(&self, wanted: &[&str]) -> Vec<usize> {
        if wanted.is_empty() || wanted.len() > self.len() {
            return Vec::new();
        }
        let (pattern, row) = self.numbered(wanted);
        let borders = borders(&pattern);
        let mut found = Vec::new();
        let mut k = 0;
        for (i, id) in row.iter().enumerate() {
            while k > 0 && (k == pattern.len() || pattern[k] != *id) {
                k = borders[k - 1];
            }
            if pattern[k] == *id {
                k += 1;
            }
            if k == pattern.len() {
                found.push(i + 1 - k);
                if found.len() == MOST_WINDOWS {
                    break;
                }
            }
        }
        found
    }

    /// One number for all lines that fold to the same text, for `wanted` and for the body; lines of
    /// the body that are not wanted share a number of their own. Here hashes are checked.
    fn numbered(&self, wanted: &[&str]) -> (Vec<u32>, Vec<u32>) {
        let mut known: HashMap<u64, Vec<u32>> = HashMap::new();
        let mut texts: Vec<&str> = Vec::new();
        let mut pattern = Vec::with_capacity(wanted.len());
        for (line, hash) in wanted.iter().zip(Self::hashes_of(wanted)) {
            let ids = known.entry(hash).or_default();
            let same = ids
                .iter()
                .find(|id| same_folded(texts[**id as usize], line));
            pattern.push(same.copied().unwrap_or_else(|| {
                texts.push(line);
                ids.push(texts.len() as u32 - 1);
                texts.len() as u32 - 1
            }));
        }
        let row = (0..self.len()).map(|n| {
            let ids = known.get(&self.hashes[n])?;
            let mut same = ids.iter();
            same.find(|id| same_folded(texts[**id as usize], self.line(n)))
                .copied()
        });
        let row = row.map(|id| id.unwrap_or(u32::MAX)).collect();
        (pattern, row)
    }
}

/// For each prefix the length of its longest proper border (Knuth, Morris, Pratt).
fn borders(pattern: &[u32]) -> Vec<usize> {
    let mut borders = vec![0; pattern.len()];
    let mut k = 0;
    for i in 1..pattern.len() {
        while k > 0 && pattern[k] != pattern[i] {
            k = borders[k - 1];
        }
        if pattern[k] == pattern[i] {
            k += 1;
        }
        borders[i] = k;
    }
    borders
}

/// Whether two lines are equal but for white space at the ends and the length of inner runs.
pub(in crate::edit) fn same_folded(a: &str, b: &str) -> bool {
    a == b || a.split_whitespace().eq(b.split_whitespace())
}

/// A hash of the folded line; collisions are possible and to be checked.
fn fold_hash(line: &str) -> u64 {
    const SEED: u64 = 0xcbf2_9ce4_8422_2325;
    let step = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    let mut hash = SEED;
    if line.is_ascii() {
        let mut gap = false;
        for &byte in line.as_bytes() {
            if matches!(byte, b'\t'..=b'\r' | b' ') {
                gap = true;
                continue;
            }
            if gap && hash != SEED {
                hash = step(hash, b' ');
            }
            gap = false;
            hash = step(hash, byte);
        }
        return hash;
    }
    for (n, word) in line.split_whitespace().enumerate() {
        if n > 0 {
            hash = step(hash, b' ');
        }
        hash = word.bytes().fold(hash, step);
    }
    hash
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn white_space_folds_and_nothing_else() {
        for (a, b) in [
            ("  a  b\t", "a b"),
            ("", " \t"),
            ("a\u{a0}b", "a b"),
            ("é  x", " é x"),
        ] {
            assert!(same_folded(a, b), "{a:?} {b:?}");
            assert_eq!(fold_hash(a), fold_hash(b), "{a:?} {b:?}");
        }
        for (a, b) in [("ab", "a b"), ("A", "a"), ("", "a")] {
            assert!(!same_folded(a, b) && fold_hash(a) != fold_hash(b));
        }
    }

    #[test]
    fn windows_overlap() {
        let folded = Folded::new(" a\na \n a\nb");
        assert_eq!(folded.windows(&["a", "a"]), [0, 1]);
        assert_eq!(folded.windows(&["a", "b"]), [2]);
        assert!(folded.windows(&["b", "x"]).is_empty());
        assert_eq!(folded.line(3), "b");
        assert_eq!(folded.bytes(&(1..3)), 3..9);
    }

    proptest::proptest! {
        #[test]
        fn windows_as_a_slow_search_finds_them(
            body in proptest::collection::vec("[ab ]{0,2}", 0..14),
            wanted in proptest::collection::vec("[ab ]{0,2}", 1..4),
        ) {
            let body = body.iter().map(|l| format!("{l}\n")).collect::<String>();
            let all: Vec<&str> = lines(&body).collect();
            let wanted: Vec<&str> = wanted.iter().map(String::as_str).collect();
            let slow: Vec<usize> = all
                .windows(wanted.len())
                .enumerate()
                .filter(|(_, w)| w.iter().zip(&wanted).all(|(a, b)| same_folded(a, b)))
                .map(|(i, _)| i)
                .collect();
            proptest::prop_assert_eq!(Folded::new(&body).windows(&wanted), slow);
        }
    }
}
