//! The form in which GitHub's headers write time, as seconds since the Unix epoch.

use std::time::SystemTime;

/// `Mon, 30 Nov 2026 14:20:05 GMT`, as in the header `Date`.
pub(super) fn from_header(text: &str) -> Option<i64> {
    let at = httpdate::parse_http_date(text).ok()?;
    let since = at.duration_since(SystemTime::UNIX_EPOCH).ok()?;
    i64::try_from(since.as_secs()).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_date_is_read() {
        assert_eq!(
            from_header("Sun, 06 Nov 1994 08:49:37 GMT"),
            Some(784_111_777)
        );
        for bad in ["", "2016-07-11T22:14:10Z", "x"] {
            assert_eq!(from_header(bad), None, "{bad}");
        }
    }
}
