//! When a provider that says "later" wants to be asked again.

use crate::text::from_rfc3339;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// What a reset header is believed: nobody's window is longer.
const FARTHEST: Duration = Duration::from_secs(35 * 24 * 3600);
/// Numbers above it are times of day in seconds since 1970, numbers above [`MILLISECONDS`] in
/// milliseconds; smaller ones count from now.
const EPOCH: f64 = 1e9;
const MILLISECONDS: f64 = 1e12;

/// What is limited, and the headers that tell what is left and when it fills up again: Anthropic's,
/// OpenAI's (and those who copy it), the IETF draft's, and the one that most gateways send.
const LIMITS: [(&str, &str); 8] = [
    (
        "anthropic-ratelimit-requests-remaining",
        "anthropic-ratelimit-requests-reset",
    ),
    (
        "anthropic-ratelimit-tokens-remaining",
        "anthropic-ratelimit-tokens-reset",
    ),
    (
        "anthropic-ratelimit-input-tokens-remaining",
        "anthropic-ratelimit-input-tokens-reset",
    ),
    (
        "anthropic-ratelimit-output-tokens-remaining",
        "anthropic-ratelimit-output-tokens-reset",
    ),
    (
        "x-ratelimit-remaining-requests",
        "x-ratelimit-reset-requests",
    ),
    ("x-ratelimit-remaining-tokens", "x-ratelimit-reset-tokens"),
    ("ratelimit-remaining", "ratelimit-reset"),
    ("x-ratelimit-remaining", "x-ratelimit-reset"),
];

/// Reads `retry-after-ms`, or `retry-after` in seconds or as an HTTP date (RFC 9110, 10.2.3).
pub(super) fn retry_after(
    header: impl Fn(&str) -> Option<String>,
    now: SystemTime,
) -> Option<Duration> {
    if let Some(ms) = header("retry-after-ms").and_then(|t| number(&t)) {
        return Duration::try_from_secs_f64(ms / 1000.0).ok();
    }
    let text = header("retry-after")?;
    match number(&text) {
        Some(seconds) => Duration::try_from_secs_f64(seconds).ok(),
        None => {
            let date = httpdate::parse_http_date(text.trim()).ok()?;
            Some(date.duration_since(now).unwrap_or(Duration::ZERO))
        }
    }
}

/// When the limit that was hit fills up again, by the providers' own headers; for a 429 that names
/// no `retry-after`. A limit that is not used up says nothing; where no header tells what is left,
/// the latest reset counts.
pub(super) fn reset(header: impl Fn(&str) -> Option<String>, now: SystemTime) -> Option<Duration> {
    let mut told = Vec::new();
    for (remaining, reset) in LIMITS {
        let Some(wait) = header(reset).and_then(|t| until(&t, now)) else {
            continue;
        };
        told.push((header(remaining).and_then(|t| number(&t)), wait));
    }
    let used_up = told.iter().filter(|(left, _)| *left == Some(0.0));
    let silent = told.iter().filter(|(left, _)| left.is_none());
    used_up
        .map(|(_, wait)| *wait)
        .max()
        .or_else(|| silent.map(|(_, wait)| *wait).max())
}

/// `2026-11-30T14:20:05Z`, `6m0.5s`, seconds from now, or a time in seconds or milliseconds since
/// 1970.
fn until(text: &str, now: SystemTime) -> Option<Duration> {
    let text = text.trim();
    let since = |at: Duration| {
        let at = UNIX_EPOCH.checked_add(at)?;
        Some(at.duration_since(now).unwrap_or(Duration::ZERO))
    };
    let wait = if let Some(unix) = from_rfc3339(text) {
        since(Duration::from_secs(u64::try_from(unix).ok()?))?
    } else if let Some(n) = number(text) {
        match n {
            n if n >= MILLISECONDS => since(Duration::try_from_secs_f64(n / 1000.0).ok()?)?,
            n if n >= EPOCH => since(Duration::try_from_secs_f64(n).ok()?)?,
            n => Duration::try_from_secs_f64(n).ok()?,
        }
    } else {
        go_duration(text)?
    };
    (wait <= FARTHEST).then_some(wait)
}

/// A duration as Go prints it, which is what OpenAI sends: `1s`, `6m0s`, `20ms`, `1h2m3.5s`.
fn go_duration(text: &str) -> Option<Duration> {
    let mut rest = text;
    let mut seconds = 0.0;
    if rest.is_empty() {
        return None;
    }
    while !rest.is_empty() {
        let digits = rest.find(|c: char| !c.is_ascii_digit() && c != '.')?;
        let n = number(&rest[..digits])?;
        rest = &rest[digits..];
        let unit = rest
            .find(|c: char| c.is_ascii_digit() || c == '.')
            .unwrap_or(rest.len());
        seconds += n * match &rest[..unit] {
            "h" => 3600.0,
            "m" => 60.0,
            "s" => 1.0,
            "ms" => 1e-3,
            "us" | "µs" => 1e-6,
            "d" => 86_400.0,
            _ => return None,
        };
        rest = &rest[unit..];
    }
    Duration::try_from_secs_f64(seconds).ok()
}

fn number(text: &str) -> Option<f64> {
    text.trim()
        .parse::<f64>()
        .ok()
        .filter(|n| n.is_finite() && *n >= 0.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 2023-11-14T22:13:20Z
    fn now() -> SystemTime {
        UNIX_EPOCH + Duration::from_secs(1_700_000_000)
    }

    fn find(headers: &[(&str, &str)]) -> impl Fn(&str) -> Option<String> {
        let owned: Vec<(String, String)> = headers
            .iter()
            .map(|(k, v)| (k.to_string(), v.to_string()))
            .collect();
        move |name| {
            let found = owned.iter().find(|(k, _)| k == name);
            found.map(|(_, v)| v.clone())
        }
    }

    #[test]
    fn retry_after_in_every_spelling() {
        let read = |name: &str, value: &str| retry_after(find(&[(name, value)]), now());
        assert_eq!(read("retry-after", "7"), Some(Duration::from_secs(7)));
        assert_eq!(read("retry-after", "0.5"), Some(Duration::from_millis(500)));
        assert_eq!(
            read("retry-after-ms", "250"),
            Some(Duration::from_millis(250))
        );
        assert_eq!(
            read("retry-after", "Tue, 14 Nov 2023 22:13:50 GMT"),
            Some(Duration::from_secs(30))
        );
        assert_eq!(
            read("retry-after", "Tue, 14 Nov 2000 22:13:50 GMT"),
            Some(Duration::ZERO)
        );
        assert_eq!(read("retry-after", "-4"), None);
        assert_eq!(read("retry-after", "soon"), None);
        assert_eq!(read("retry-after", "1e300"), None);
    }

    #[test]
    fn resets_in_every_providers_spelling() {
        let read = |value: &str| reset(find(&[("x-ratelimit-reset", value)]), now());
        for (value, seconds) in [
            ("40", 40.0),
            ("1700000040", 40.0),
            ("1700000040000", 40.0),
            ("2023-11-14T22:14:00Z", 40.0),
            ("1700000000", 0.0),
            ("1600000000", 0.0),
            ("6m0s", 360.0),
            ("1h2m3.5s", 3723.5),
            ("20ms", 0.02),
        ] {
            assert_eq!(
                read(value),
                Some(Duration::from_secs_f64(seconds)),
                "{value}"
            );
        }
        for bad in [
            "",
            "soon",
            "-3",
            "5 parsecs",
            "m",
            "1x",
            "9999999999",
            "nan",
            "1.2.3s",
        ] {
            assert_eq!(read(bad), None, "{bad}");
        }
    }

    #[test]
    fn the_limit_that_is_used_up_decides() {
        let openai = [
            ("x-ratelimit-remaining-requests", "59"),
            ("x-ratelimit-reset-requests", "3h"),
            ("x-ratelimit-remaining-tokens", "0"),
            ("x-ratelimit-reset-tokens", "6m0s"),
        ];
        assert_eq!(reset(find(&openai), now()), Some(Duration::from_secs(360)));
        let anthropic = [
            ("anthropic-ratelimit-requests-remaining", "0"),
            ("anthropic-ratelimit-requests-reset", "2023-11-14T22:13:50Z"),
            ("anthropic-ratelimit-tokens-remaining", "0"),
            ("anthropic-ratelimit-tokens-reset", "2023-11-14T22:14:20Z"),
        ];
        assert_eq!(
            reset(find(&anthropic), now()),
            Some(Duration::from_secs(60))
        );
        assert_eq!(reset(find(&openai[..2]), now()), None, "nothing is used up");
        assert_eq!(reset(find(&[]), now()), None);
    }
}
