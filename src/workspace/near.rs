//! Which file somebody may have meant.

use crate::tree::{Entry, RelPath};

/// Up to three paths that are close to one that does not exist: the same name elsewhere first,
/// then names with few letters of difference.
pub(super) fn near<'a>(missing: &RelPath, files: &'a [Entry]) -> Vec<&'a str> {
    const MOST: usize = 3;
    let name = missing.name().to_lowercase();
    let allowed = 1 + name.chars().count() / 6;
    let mut found: Vec<(usize, &str)> = files
        .iter()
        .filter_map(|e| {
            let distance = distance(&name, &e.path.name().to_lowercase(), allowed)?;
            Some((distance, e.path.as_str()))
        })
        .collect();
    found.sort();
    found.into_iter().take(MOST).map(|(_, p)| p).collect()
}

/// The answer about a path that does not exist.
pub(super) fn missing(path: &RelPath, files: &[Entry]) -> String {
    let near = near(path, files);
    if near.is_empty() {
        format!("`{path}` does not exist; list_files shows what does")
    } else {
        let near: Vec<String> = near
            .iter()
            .map(|p| format!("`{}`", crate::text::visible(p)))
            .collect();
        format!("`{path}` does not exist; near it: {}", near.join(", "))
    }
}

/// The edit distance of two words, when it is at most `most`.
fn distance(a: &str, b: &str, most: usize) -> Option<usize> {
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
    if a.len().abs_diff(b.len()) > most {
        return None;
    }
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.iter().enumerate() {
        let mut corner = row[0];
        row[0] = i + 1;
        for (j, y) in b.iter().enumerate() {
            let next = (corner + usize::from(x != y))
                .min(row[j] + 1)
                .min(row[j + 1] + 1);
            corner = row[j + 1];
            row[j + 1] = next;
        }
    }
    row.last().copied().filter(|d| *d <= most)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distances() {
        assert_eq!(distance("kitten", "sitting", 3), Some(3));
        assert_eq!(distance("kitten", "sitting", 2), None);
        assert_eq!(distance("", "ab", 2), Some(2));
    }
}
