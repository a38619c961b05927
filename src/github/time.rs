//! The two forms in which GitHub writes time, as seconds since the Unix epoch.

use std::time::SystemTime;

/// `2026-11-30T14:20:05Z`, as in JSON (RFC 3339, always in UTC there).
pub(super) fn from_json(text: &str) -> Option<i64> {
    let (date, rest) = text.trim().split_once('T')?;
    let clock = rest
        .strip_suffix('Z')
        .or_else(|| rest.strip_suffix("+00:00"))?;
    let clock = clock.split('.').next()?;
    let mut parts = date.split('-').map(str::parse::<i64>);
    let (y, m, d) = (
        parts.next()?.ok()?,
        parts.next()?.ok()?,
        parts.next()?.ok()?,
    );
    seconds(y, m, d, clock)
}

/// `Mon, 30 Nov 2026 14:20:05 GMT`, as in the header `Date`.
pub(super) fn from_header(text: &str) -> Option<i64> {
    let at = httpdate::parse_http_date(text).ok()?;
    let since = at.duration_since(SystemTime::UNIX_EPOCH).ok()?;
    i64::try_from(since.as_secs()).ok()
}

fn seconds(year: i64, month: i64, day: i64, clock: &str) -> Option<i64> {
    let mut parts = clock.split(':').map(str::parse::<i64>);
    let (h, m, s) = (
        parts.next()?.ok()?,
        parts.next()?.ok()?,
        parts.next()?.ok()?,
    );
    let fits = (1970..=9999).contains(&year)
        && (1..=12).contains(&month)
        && (1..=31).contains(&day)
        && (0..24).contains(&h)
        && (0..60).contains(&m)
        && (0..=60).contains(&s);
    fits.then(|| days(year, month, day) * 86_400 + h * 3600 + m * 60 + s)
}

/// Days since 1970-01-01 in the Gregorian calendar (Howard Hinnant's `days_from_civil`).
fn days(year: i64, month: i64, day: i64) -> i64 {
    let year = if month <= 2 { year - 1 } else { year };
    let era = year.div_euclid(400);
    let of_era = year - era * 400;
    let of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    era * 146_097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719_468
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_forms_are_read() {
        assert_eq!(from_json("1970-01-01T00:00:00Z"), Some(0));
        assert_eq!(from_json("2016-07-11T22:14:10Z"), Some(1_468_275_250));
        assert_eq!(from_json("2000-02-29T12:00:00.123Z"), Some(951_825_600));
        assert_eq!(
            from_header("Sun, 06 Nov 1994 08:49:37 GMT"),
            Some(784_111_777)
        );
        for bad in [
            "",
            "2016-07-11",
            "2016-13-11T22:14:10Z",
            "2016-07-11T22:14Z",
            "x",
        ] {
            assert_eq!(from_json(bad), None, "{bad}");
            assert_eq!(from_header(bad), None, "{bad}");
        }
    }
}
