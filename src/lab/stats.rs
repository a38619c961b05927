//! Paired statistics: exact tests, since suites are small.

/// Pairs beyond which Wilcoxon's distribution is taken as normal.
const EXACT: usize = 200;
const RESAMPLES: usize = 10_000;

/// Exact McNemar test (two-sided): of `b` pairs the first alone is solved, of `c` the second alone.
/// Returns the p-value.
pub fn mcnemar(b: u32, c: u32) -> f64 {
    let n = b + c;
    if n == 0 {
        return 1.0;
    }
    let log_half = f64::from(n) * 0.5f64.ln();
    let tail: f64 = (0..=b.min(c))
        .map(|k| (log_choose(n, k) + log_half).exp())
        .sum();
    (2.0 * tail).min(1.0)
}

fn log_choose(n: u32, k: u32) -> f64 {
    (1..=k)
        .map(|i| (f64::from(n - k + i) / f64::from(i)).ln())
        .sum()
}

/// Wilcoxon's signed-rank test (two-sided) of paired differences, zeros left out, equal ones sharing
/// their mean rank. Exact, with the ties that there are, up to 200 differences; beyond by the normal
/// approximation with its correction for ties. Returns the p-value.
pub fn wilcoxon(differences: &[f64]) -> f64 {
    let mut d: Vec<f64> = differences.iter().copied().filter(|d| *d != 0.0).collect();
    let n = d.len();
    if n == 0 {
        return 1.0;
    }
    d.sort_by(|a, b| a.abs().total_cmp(&b.abs()));
    // Twice the rank is whole also where ranks are shared.
    let mut doubled = vec![0usize; n];
    let mut ties = 0.0;
    let mut from = 0;
    while from < n {
        let same = |i: &usize| (d[*i].abs() - d[from].abs()).abs() <= 1e-12 * d[from].abs();
        let to = (from..n).take_while(same).last().unwrap_or(from) + 1;
        for rank in &mut doubled[from..to] {
            *rank = from + 1 + to;
        }
        let t = (to - from) as f64;
        ties += t * t * t - t;
        from = to;
    }
    let plus: usize = d
        .iter()
        .zip(&doubled)
        .filter(|(d, _)| **d > 0.0)
        .map(|(_, r)| r)
        .sum();
    match n <= EXACT {
        true => exact(&doubled, plus),
        false => {
            let n = n as f64;
            let mean = n * (n + 1.0) / 4.0;
            let variance = n * (n + 1.0) * (2.0 * n + 1.0) / 24.0 - ties / 48.0;
            let z = (plus as f64 / 2.0 - mean) / variance.sqrt();
            (2.0 * normal_tail(z.abs())).min(1.0)
        }
    }
}

/// The distribution of the sum of (doubled) positive ranks when each sign is a coin's.
fn exact(doubled: &[usize], plus: usize) -> f64 {
    let most: usize = doubled.iter().sum();
    let mut share = vec![0.0f64; most + 1];
    share[0] = 1.0;
    let mut reach = 0;
    for rank in doubled {
        for sum in (0..=reach).rev() {
            let half = share[sum] / 2.0;
            share[sum] = half;
            share[sum + rank] += half;
        }
        reach += rank;
    }
    let below: f64 = share[..=plus].iter().sum();
    let above: f64 = share[plus..].iter().sum();
    (2.0 * below.min(above)).min(1.0)
}

/// P(Z > z) of the standard normal distribution, for z ≥ 0; Abramowitz and Stegun 7.1.26, error
/// below 1.5e-7.
fn normal_tail(z: f64) -> f64 {
    let x = z / std::f64::consts::SQRT_2;
    let t = 1.0 / (1.0 + 0.327_591_1 * x);
    let poly = [
        1.061_405_429,
        -1.453_152_027,
        1.421_413_741,
        -0.284_496_736,
        0.254_829_592,
    ];
    let sum = poly.iter().fold(0.0, |sum, a| (sum + a) * t);
    0.5 * sum * (-x * x).exp()
}

/// A mean with the interval in which 95 of 100 resamples lie.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize)]
pub struct Interval {
    pub mean: f64,
    pub low: f64,
    pub high: f64,
}

/// The mean of paired differences, resampled with replacement (percentile bootstrap, 95 %). The
/// same numbers give the same interval.
pub fn bootstrap(differences: &[f64]) -> Interval {
    let n = differences.len();
    if n == 0 {
        return Interval {
            mean: 0.0,
            low: 0.0,
            high: 0.0,
        };
    }
    let mean = |sum: f64| sum / n as f64;
    let mut state = 0x9E37_79B9_7F4A_7C15u64;
    let mut next = || {
        // xorshift64*
        state ^= state >> 12;
        state ^= state << 25;
        state ^= state >> 27;
        (state.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 33) as usize % n
    };
    let mut means: Vec<f64> = (0..RESAMPLES)
        .map(|_| mean((0..n).map(|_| differences[next()]).sum()))
        .collect();
    means.sort_by(f64::total_cmp);
    let at = |share: f64| means[((RESAMPLES - 1) as f64 * share).round() as usize];
    Interval {
        mean: mean(differences.iter().sum()),
        low: at(0.025),
        high: at(0.975),
    }
}
