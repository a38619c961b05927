//! "Did you mean …?"

/// The known word that was probably meant: at most a third of it is written otherwise.
pub fn nearest<'a>(word: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    known
        .into_iter()
        .map(|k| (distance(word, k), k))
        .filter(|(d, k)| *d <= k.len().div_ceil(3) && *d < k.len())
        .min()
        .map(|(_, k)| k)
}

/// Edit distance with swapped neighbours counted once (optimal string alignment).
pub fn distance(a: &str, b: &str) -> usize {
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().take(64).collect(), b.chars().collect());
    let mut rows = vec![(0..=b.len()).collect::<Vec<usize>>()];
    for i in 1..=a.len() {
        let mut row = vec![i];
        for j in 1..=b.len() {
            let cost = rows[i - 1][j - 1] + usize::from(a[i - 1] != b[j - 1]);
            let mut best = cost.min(rows[i - 1][j] + 1).min(row[j - 1] + 1);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                best = best.min(rows[i - 2][j - 2] + 1);
            }
            row.push(best);
        }
        rows.push(row);
    }
    rows[a.len()][b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn near_words_are_found_and_far_ones_not() {
        let known = ["retry", "stop", "status", "help", "fix", "ci"];
        assert_eq!(nearest("retyr", known), Some("retry"));
        assert_eq!(nearest("stpo", known), Some("stop"));
        assert_eq!(nearest("fx", known), Some("fix"));
        assert_eq!(nearest("dance", known), None);
        assert_eq!(nearest("", known), None);
    }
}
