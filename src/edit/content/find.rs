//! Where a text stands in a file, exactly. Overlapping places count.

use super::{Text, lines};
use memchr::memmem::Finder;
use std::collections::HashMap;
use std::ops::Range;

/// Counting stops here: nobody needs to know more, and repetitive texts stay quick.
const MOST_HITS: usize = 1000;
/// Line numbers that a message lists.
const LINES_SHOWN: usize = 10;

/// Places in the body of a text, as byte ranges, in order; at most [`MOST_HITS`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::edit) struct Hits(pub Vec<Range<usize>>);

impl Hits {
    /// The only place, if there is exactly one.
    pub fn only(&self) -> Option<Range<usize>> {
        match self.0.as_slice() {
            [one] => Some(one.clone()),
            _ => None,
        }
    }

    /// "3 times (lines 3, 7 and 11)".
    pub fn counted(&self, text: &Text) -> String {
        let more = if self.0.len() >= MOST_HITS {
            "at least "
        } else {
            ""
        };
        let mut numbers: Vec<usize> = self
            .0
            .iter()
            .take(LINES_SHOWN + 1)
            .map(|hit| text.line_at(hit.start))
            .collect();
        numbers.dedup();
        format!("{more}{} times ({})", self.0.len(), list_lines(&numbers))
    }
}

/// "line 3", "lines 3, 7 and 11", cut after [`LINES_SHOWN`].
pub(in crate::edit) fn list_lines(numbers: &[usize]) -> String {
    let words: Vec<String> = numbers
        .iter()
        .take(LINES_SHOWN)
        .map(usize::to_string)
        .collect();
    match words.as_slice() {
        [] => String::new(),
        [one] => format!("line {one}"),
        _ if numbers.len() > LINES_SHOWN => format!("lines {}, …", words.join(", ")),
        [rest @ .., last] => format!("lines {} and {last}", rest.join(", ")),
    }
}

/// Every place of `needle` in the body.
pub(in crate::edit) fn substring(text: &Text, needle: &str) -> Hits {
    let body = text.body().as_bytes();
    if needle.is_empty() {
        return Hits(Vec::new());
    }
    let finder = Finder::new(needle.as_bytes());
    let step = needle.chars().next().map_or(1, char::len_utf8);
    let mut hits = Vec::new();
    let mut from = 0;
    while hits.len() < MOST_HITS
        && let Some(at) = body.get(from..).and_then(|rest| finder.find(rest))
    {
        let start = from + at;
        hits.push(start..start + needle.len());
        from = start + step;
    }
    Hits(hits)
}

/// Every place where these lines stand as whole lines; the ranges take the last line end in.
pub(in crate::edit) fn whole_lines(text: &Text, wanted: &[&str]) -> Hits {
    if wanted.is_empty() || text.is_empty() {
        return Hits(Vec::new());
    }
    let body = text.body();
    // With a line end on both sides a hit is a place, never a part of a longer line.
    let framed = format!("\n{}\n", wanted.join("\n"));
    let finder = Finder::new(framed.as_bytes());
    let mut hits = Vec::new();
    let inner = &framed[1..];
    let open_end = !body.ends_with('\n');
    if body.starts_with(inner) || open_end && body == &inner[..inner.len() - 1] {
        hits.push(0..inner.len().min(body.len()));
    }
    let mut from = 0;
    while hits.len() < MOST_HITS
        && let Some(at) = finder.find(&body.as_bytes()[from..])
    {
        let start = from + at + 1;
        hits.push(start..start + inner.len());
        from = start;
    }
    if open_end && hits.len() < MOST_HITS && body.ends_with(&framed[..framed.len() - 1]) {
        let start = body.len() - (framed.len() - 2);
        hits.push(start..body.len());
    }
    Hits(hits)
}

/// The longest of these prefixes of `wanted` that stands in the text as whole lines; `cuts` are
/// rising lengths. Linear, however many cuts there are.
pub(in crate::edit) fn longest_prefix(
    text: &Text,
    wanted: &[&str],
    cuts: &[usize],
) -> Option<usize> {
    let mut ids: HashMap<&str, u32> = HashMap::new();
    let mut row: Vec<u32> = Vec::with_capacity(wanted.len());
    for line in wanted {
        let next = ids.len() as u32;
        row.push(*ids.entry(line).or_insert(next));
    }
    let split = row.len();
    row.push(u32::MAX);
    row.extend(lines(text.body()).map(|line| ids.get(line).copied().unwrap_or(u32::MAX - 1)));
    let longest = common_prefixes(&row)
        .into_iter()
        .skip(split + 1)
        .max()
        .unwrap_or(0);
    cuts.iter()
        .copied()
        .filter(|cut| (1..=longest).contains(cut))
        .max()
}

/// For each place the length of the longest common prefix with the whole (the Z function).
fn common_prefixes(row: &[u32]) -> Vec<usize> {
    let mut z = vec![0; row.len()];
    let (mut left, mut right) = (0, 0);
    for i in 1..row.len() {
        let mut k = if i < right {
            z[i - left].min(right - i)
        } else {
            0
        };
        while i + k < row.len() && row[k] == row[i + k] {
            k += 1;
        }
        z[i] = k;
        if i + k > right {
            (left, right) = (i, i + k);
        }
    }
    z
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(body: &str, wanted: &[&str]) -> Vec<(usize, usize)> {
        let hits = whole_lines(&Text::new(body), wanted);
        hits.0.iter().map(|hit| (hit.start, hit.end)).collect()
    }

    #[test]
    fn whole_lines_begin_and_end_at_line_ends() {
        assert_eq!(at("foobar\nfoo\n", &["foo"]), [(7, 11)]);
        assert_eq!(at("foo", &["foo"]), [(0, 3)]);
        assert_eq!(at("a\nfoo", &["foo"]), [(2, 5)]);
        assert!(at("foo\n", &["foo", ""]).is_empty());
        assert_eq!(at("foo\n\n", &["foo", ""]), [(0, 5)]);
        assert_eq!(at("ha\nha\nha\n", &["ha", "ha"]), [(0, 6), (3, 9)]);
        assert_eq!(at("ha\nha\nha", &["ha", "ha"]), [(0, 6), (3, 8)]);
        assert_eq!(at("\n\na\n", &[""]), [(0, 1), (1, 2)]);
        assert!(at("", &["x"]).is_empty());
    }

    #[test]
    fn substrings_overlap() {
        let text = Text::new("aaa\nb\n");
        assert_eq!(substring(&text, "aa").0, [0..2, 1..3]);
        assert_eq!(substring(&text, "aa").counted(&text), "2 times (line 1)");
        assert!(substring(&text, "").0.is_empty());
        assert_eq!(substring(&Text::new("éé"), "é").0.len(), 2);
    }

    #[test]
    fn repetitive_texts_end_soon() {
        let body = "aa\n".repeat(200_000);
        let text = Text::new(&body);
        let wanted = vec!["aa"; 90_000];
        assert_eq!(whole_lines(&text, &wanted).0.len(), MOST_HITS);
        let mut odd = wanted.clone();
        odd.push("a");
        assert_eq!(whole_lines(&text, &odd).0.len(), 0);
        let cuts: Vec<usize> = (1..=odd.len()).collect();
        assert_eq!(longest_prefix(&text, &odd, &cuts), Some(90_000));
    }

    proptest::proptest! {
        #[test]
        fn found_as_a_slow_search_would(
            body in proptest::collection::vec("[ab]{0,2}", 0..12),
            wanted in proptest::collection::vec("[ab]{0,2}", 1..4),
            end in proptest::bool::ANY,
        ) {
            let mut joined = body.join("\n");
            if end && !body.is_empty() { joined.push('\n'); }
            let all: Vec<&str> = lines(&joined).collect();
            let wanted: Vec<&str> = wanted.iter().map(String::as_str).collect();
            let slow = all.windows(wanted.len()).filter(|w| *w == wanted).count();
            // An empty last line without a line end is no line.
            proptest::prop_assert_eq!(whole_lines(&Text::new(&joined), &wanted).0.len(), slow);
        }
    }
}
