//! The line of a file that is most like what was looked for. One pass over the file, whatever the
//! length of the block.

use crate::edit::content::{Folded, same_folded};
use std::collections::HashMap;

/// Bytes of a line that are compared.
const COMPARED: usize = 4096;
/// Bytes of the text that is looked for.
const TARGET: usize = 256;
/// Names offered for a missing file.
const NAMES: usize = 4;

/// Where the file is most like the text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Place {
    /// The file's line, from 0; `None` when the text runs past the file's end.
    pub file: Option<usize>,
    /// The line of the text that stands against it, from 0.
    pub old: usize,
    /// Where the whole text would begin, if other lines of it are in the file.
    pub start: Option<usize>,
    /// Every line is there but for white space.
    pub only_white_space: bool,
}

/// The best place: where most lines of the text stand in their order, else the line most like its
/// first.
pub(super) fn place(folded: &Folded<'_>, old: &[&str]) -> Option<Place> {
    if let Some(start) = aligned(folded, old) {
        return Some(first_difference(folded, old, start));
    }
    let (n, first) = old.iter().enumerate().find(|(_, l)| !l.trim().is_empty())?;
    let line = similar_line(folded, first)?;
    if same_folded(folded.line(line), first) {
        return Some(first_difference(folded, old, line as isize - n as isize));
    }
    Some(Place {
        file: Some(line),
        old: n,
        start: None,
        only_white_space: false,
    })
}

/// Counts for each possible beginning how many lines of the text agree, lines of substance more.
fn aligned(folded: &Folded<'_>, old: &[&str]) -> Option<isize> {
    const SUBSTANCE: u32 = 3;
    const SAME_LINE: usize = 8;
    let wanted = Folded::hashes_of(old);
    let mut places: HashMap<u64, Vec<usize>> = HashMap::new();
    for (n, hash) in wanted.iter().enumerate() {
        let entry = places.entry(*hash).or_default();
        if entry.len() < SAME_LINE && !old[n].trim().is_empty() {
            entry.push(n);
        }
    }
    let mut votes = vec![0u32; folded.len() + old.len()];
    for (i, hash) in folded.hashes().iter().enumerate() {
        for n in places.get(hash).into_iter().flatten() {
            let weight = if old[*n].trim().len() >= 6 {
                SUBSTANCE
            } else {
                1
            };
            votes[i + old.len() - n] += weight;
        }
    }
    let (at, most) = votes
        .iter()
        .enumerate()
        .max_by_key(|(at, votes)| (**votes, std::cmp::Reverse(*at)))?;
    (*most >= SUBSTANCE).then(|| at as isize - old.len() as isize)
}

fn first_difference(folded: &Folded<'_>, old: &[&str], start: isize) -> Place {
    let line = |n: usize| -> Option<&str> {
        let at = usize::try_from(start + n as isize).ok()?;
        (at < folded.len()).then(|| folded.line(at))
    };
    let differs = |same: fn(&str, &str) -> bool| {
        (0..old.len()).find(|n| !line(*n).is_some_and(|l| same(l, old[*n])))
    };
    let by_text = differs(same_folded);
    let n = by_text.or_else(|| differs(|a, b| a == b)).unwrap_or(0);
    let at = usize::try_from(start + n as isize).unwrap_or(0);
    Place {
        file: (at < folded.len()).then_some(at),
        old: n,
        start: usize::try_from(start).ok().or(Some(0)),
        only_white_space: by_text.is_none(),
    }
}

/// The line that shares most pairs of neighbouring characters with `target`; white space and the
/// case of ASCII letters do not count. With none in common, the first line that is not blank.
fn similar_line(folded: &Folded<'_>, target: &str) -> Option<usize> {
    let mut grams = Grams::new(target);
    let mut best = (0, None);
    for n in 0..folded.len() {
        let line = folded.line(n);
        let score = grams.score(line);
        if score > best.0 || best.1.is_none() && !line.trim().is_empty() {
            best = (score, Some(n));
        }
    }
    best.1.or((folded.len() > 0).then_some(0))
}

/// Pairs of neighbouring bytes of a text, counted.
struct Grams {
    counts: Vec<u16>,
    singles: [bool; 256],
    total: usize,
    used: Vec<usize>,
}

impl Grams {
    fn new(target: &str) -> Self {
        let mut grams = Grams {
            counts: vec![0; 1 << 16],
            singles: [false; 256],
            total: 0,
            used: Vec::new(),
        };
        let mut before = None;
        for byte in plain(target).take(TARGET) {
            grams.singles[usize::from(byte)] = true;
            if let Some(before) = before.replace(byte) {
                grams.counts[pair(before, byte)] += 1;
                grams.total += 1;
            }
        }
        grams
    }

    /// Pairs in common, in relation to both lengths; single characters break ties. A long line may
    /// hold the text, so its length counts only in part.
    fn score(&mut self, line: &str) -> u64 {
        let mut before = None;
        let (mut common, mut singles, mut length) = (0u64, 0u64, 0u64);
        for byte in plain(&line[..floor(line, COMPARED)]) {
            length += 1;
            singles += u64::from(self.singles[usize::from(byte)]);
            if let Some(before) = before.replace(byte) {
                let at = pair(before, byte);
                if self.counts[at] > 0 {
                    self.counts[at] -= 1;
                    self.used.push(at);
                    common += 1;
                }
            }
        }
        for at in self.used.drain(..) {
            self.counts[at] += 1;
        }
        let total = self.total as u64;
        let against = total + length.saturating_sub(1).min(3 * total + 1) + 1;
        common * 2_000_000 / against + singles.min(total + 1) * 1000 / (length + total + 1)
    }
}

fn plain(text: &str) -> impl Iterator<Item = u8> {
    text.bytes()
        .filter(|b| !b.is_ascii_whitespace())
        .map(|b| b.to_ascii_lowercase())
}

fn pair(a: u8, b: u8) -> usize {
    usize::from(a) << 8 | usize::from(b)
}

fn floor(text: &str, most: usize) -> usize {
    let mut end = most.min(text.len());
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    end
}

/// Paths like `named`: those with the same file name first, then the most similar.
pub(super) fn names(named: &str, listed: &[String]) -> Vec<String> {
    let wanted = named.replace('\\', "/");
    let name = |path: &str| path.rsplit('/').next().unwrap_or_default().to_lowercase();
    let mut grams = Grams::new(&wanted);
    let mut base = Grams::new(&name(&wanted));
    let mut scored: Vec<(bool, u64, &String)> = listed
        .iter()
        .map(|path| {
            let same = name(path) == name(&wanted);
            (same, grams.score(path) + base.score(&name(path)), path)
        })
        .filter(|(same, score, _)| *same || *score > 1_100_000)
        .collect();
    scored.sort_by(|a, b| (b.0, b.1).cmp(&(a.0, a.1)).then_with(|| a.2.cmp(b.2)));
    scored
        .into_iter()
        .take(NAMES)
        .map(|(_, _, path)| crate::edit::path::show(path))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(body: &str, old: &[&str]) -> (Option<usize>, usize, bool) {
        let place = place(&Folded::new(body), old).unwrap();
        (place.file, place.old, place.only_white_space)
    }

    #[test]
    fn a_block_is_laid_where_most_of_it_is() {
        let body = "def a():\n    go(1)\n\ndef load(path):\n    data = read(path)\n    return parse(data)\n";
        assert_eq!(
            at(
                body,
                &[
                    "def load(path):",
                    "    data = read(path)",
                    "    return decode(data)"
                ]
            ),
            (Some(5), 2, false)
        );
        assert_eq!(
            at(body, &["def load(path):", "  data = read(path)"]),
            (Some(4), 1, true)
        );
        assert_eq!(
            at(body, &["    return parse(data)", "more"]),
            (None, 1, false)
        );
    }

    #[test]
    fn a_line_that_is_like_it_is_found() {
        let body = "alpha beta\nx = call(a, b)\ny=1;\n";
        assert_eq!(at(body, &["x = call(a,"]), (Some(1), 0, false));
        assert_eq!(at(body, &["", "y = 1;"]), (Some(2), 1, false));
        assert_eq!(at("owl\n", &["dog"]), (Some(0), 0, false));
        let long = format!(
            "short\n{} keyboard WASD {}\n",
            "x ".repeat(600),
            "y ".repeat(600)
        );
        assert_eq!(at(&long, &["keyboard WSAD"]).0, Some(1));
    }

    #[test]
    fn near_names_are_offered() {
        let listed: Vec<String> = ["src/config.toml", "pkg/one/mod.py", "README.md"]
            .map(String::from)
            .to_vec();
        assert_eq!(names("src/confg.toml", &listed), ["src/config.toml"]);
        assert_eq!(names("mod.py", &listed), ["pkg/one/mod.py"]);
        assert_eq!(names("zzz", &listed), Vec::<String>::new());
    }
}
