//! Which word somebody may have meant.

/// The number of letters to insert, drop or replace, when it is at most `most`.
pub fn distance(a: &str, b: &str, most: usize) -> Option<usize> {
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

/// The candidate that is closest to `word`, when one is close enough to have been meant.
pub fn closest<'a>(word: &str, candidates: &[&'a str]) -> Option<&'a str> {
    let word = word.to_lowercase();
    let most = 1 + word.chars().count() / 4;
    candidates
        .iter()
        .filter_map(|c| distance(&word, &c.to_lowercase(), most).map(|d| (d, *c)))
        .min()
        .map(|(_, c)| c)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distances() {
        assert_eq!(distance("kitten", "sitting", 3), Some(3));
        assert_eq!(distance("kitten", "sitting", 2), None);
        assert_eq!(distance("", "ab", 2), Some(2));
        assert_eq!(closest("chek", &["check", "limits"]), Some("check"));
        assert_eq!(closest("banana", &["check", "limits"]), None);
    }
}
