//! Times as JSON and headers write them.

/// Seconds since the Unix epoch of `2026-11-30T14:20:05Z` (RFC 3339, UTC only).
pub fn from_rfc3339(text: &str) -> Option<i64> {
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

/// The inverse of [`from_rfc3339`]; before 1970 is 1970.
pub fn to_rfc3339(unix: i64) -> String {
    let unix = unix.max(0);
    let (day, second) = (unix.div_euclid(86_400), unix.rem_euclid(86_400));
    // Howard Hinnant's `civil_from_days`.
    let shifted = day + 719_468;
    let era = shifted.div_euclid(146_097);
    let of_era = shifted - era * 146_097;
    let year = (of_era - of_era / 1460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year + year / 4 - year / 100);
    let march = (5 * of_year + 2) / 153;
    let date = of_year - (153 * march + 2) / 5 + 1;
    let month = if march < 10 { march + 3 } else { march - 9 };
    let year = year + era * 400 + i64::from(month <= 2);
    let (h, m, s) = (second / 3600, second / 60 % 60, second % 60);
    format!("{year:04}-{month:02}-{date:02}T{h:02}:{m:02}:{s:02}Z")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_form_is_read_and_nothing_else() {
        assert_eq!(from_rfc3339("1970-01-01T00:00:00Z"), Some(0));
        for unix in [0, 951_825_600, 1_468_275_250, 1_796_051_648, 4_102_444_799] {
            assert_eq!(from_rfc3339(&to_rfc3339(unix)), Some(unix));
        }
        assert_eq!(from_rfc3339("2016-07-11T22:14:10Z"), Some(1_468_275_250));
        assert_eq!(from_rfc3339("2000-02-29T12:00:00.123Z"), Some(951_825_600));
        for bad in [
            "",
            "2016-07-11",
            "2016-13-11T22:14:10Z",
            "2016-07-11T22:14Z",
            "x",
        ] {
            assert_eq!(from_rfc3339(bad), None, "{bad}");
        }
    }
}
