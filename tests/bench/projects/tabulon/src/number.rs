//! Numbers in cells.

/// The number that a cell holds, with thin spaces, apostrophes or commas between thousands.
pub fn parse(cell: &str) -> Option<f64> {
    let cleaned: String = cell.trim().replace(['\u{2009}', '\u{202f}', '\'', ','], "");
    let mut digits = cleaned.chars();
    let starts = digits.next().is_some_and(|c| c.is_ascii_digit() || "+-.".contains(c));
    if !starts || cleaned.contains(['e', 'E', 'n']) {
        return None;
    }
    cleaned.parse().ok()
}

/// What each number has of the sum, in whole percent that add up to 100.
///
/// Percents that rounding down leaves over go to the numbers that lost the most by it; of two that
/// lost the same, to the first.
pub fn shares(numbers: &[f64]) -> Vec<u32> {
    let total: f64 = numbers.iter().sum();
    if total <= 0.0 {
        return vec![0; numbers.len()];
    }
    let exact: Vec<f64> = numbers.iter().map(|n| n / total * 100.0).collect();
    // What lies a hair below a whole percent is that percent: 0.29 / 1.0 * 100 is 28.999999999999996.
    let mut shares: Vec<u32> = exact.iter().map(|e| (e + 1e-9).floor() as u32).collect();
    let left = 100_usize.saturating_sub(shares.iter().sum::<u32>() as usize);
    let mut order: Vec<usize> = (0..numbers.len()).collect();
    let lost = |n: usize| ((exact[n] - f64::from(shares[n])) * 1e6).round() as i64;
    order.sort_by_key(|n| -lost(*n));
    for n in order.into_iter().take(left) {
        shares[n] += 1;
    }
    shares
}

/// The middle number; of an even count the mean of the two in the middle.
pub fn median(numbers: &[f64]) -> Option<f64> {
    let mut sorted = numbers.to_vec();
    sorted.sort_by(f64::total_cmp);
    let middle = sorted.len() / 2;
    match sorted.len() {
        0 => None,
        count if count % 2 == 1 => Some(sorted[middle]),
        _ => Some((sorted[middle - 1] + sorted[middle]) / 2.0),
    }
}
