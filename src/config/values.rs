//! Values of settings: paths, addresses, names of branches, times.

use super::reader::Reader;
use reqwest::Url;
use secrecy::SecretString;
use std::path::PathBuf;
use toml::value::Datetime;

pub(super) fn absolute(r: &mut Reader<'_>, key: &str) -> Option<PathBuf> {
    r.is(key, "an absolute path");
    let path = PathBuf::from(r.text(key)?);
    if !path.is_absolute() {
        r.wrong(
            key,
            format!("is {}: it must be an absolute path", path.display()),
        );
        return None;
    }
    Some(path)
}

pub(super) fn absolute_list(r: &mut Reader<'_>, key: &str) -> Vec<PathBuf> {
    r.is(key, "a list of absolute paths");
    let paths: Vec<PathBuf> = r.list(key).into_iter().map(PathBuf::from).collect();
    for path in paths.iter().filter(|p| !p.is_absolute()) {
        r.wrong(
            key,
            format!(
                "has {}: each entry must be an absolute path",
                path.display()
            ),
        );
    }
    paths
}

/// An http(s) URL without user, query and fragment; a slash at its end goes.
pub(super) fn url(r: &mut Reader<'_>, key: &str) -> Option<String> {
    r.is(key, "an http or https address");
    let text = r.text(key)?;
    let fine = Url::parse(&text).is_ok_and(|u| {
        matches!(u.scheme(), "http" | "https")
            && u.has_host()
            && u.username().is_empty()
            && u.password().is_none()
            && u.fragment().is_none()
            // Azure names its version in the query.
            && (u.query().is_none() || key == "model.base_url")
    });
    if !fine {
        // A password may stand in it: the value is not repeated.
        r.wrong(
            key,
            "must be an http or https address without user, password and fragment, such as https://api.github.com",
        );
        return None;
    }
    Some(text.trim_end_matches('/').to_string())
}

/// A proxy's address, which may hold a user and a password.
pub(super) fn proxy(r: &mut Reader<'_>, key: &str) -> Option<SecretString> {
    let text = r.text(key)?;
    if !password_of(&text).is_empty() {
        // From here on the file counts as one that holds a secret.
        r.secret(key);
    }
    let fine = Url::parse(&text).is_ok_and(|u| {
        matches!(u.scheme(), "http" | "https")
            && u.has_host()
            && u.query().is_none()
            && u.fragment().is_none()
    });
    if !fine {
        r.wrong(
            key,
            "must be an http or https address, such as http://proxy.example:3128 or http://user:password@proxy.example:3128",
        );
        return None;
    }
    Some(text.into())
}

/// The password in an address, as it is written there and as it is meant.
pub fn password_of(address: &str) -> Vec<String> {
    let Some(written) = Url::parse(address)
        .ok()
        .and_then(|u| u.password().map(String::from))
    else {
        return Vec::new();
    };
    let meant = percent_decoded(&written);
    match meant == written {
        true => vec![written],
        false => vec![written, meant],
    }
}

fn percent_decoded(text: &str) -> String {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let [first, tail @ ..] = rest {
        let pair = tail.get(..2).filter(|_| *first == b'%');
        let byte = pair
            .and_then(|p| std::str::from_utf8(p).ok())
            .and_then(|p| u8::from_str_radix(p, 16).ok());
        bytes.push(byte.unwrap_or(*first));
        rest = if byte.is_some() { &tail[2..] } else { tail };
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

/// Where people look, for an API at `base`: GitHub Enterprise Server has its API under `/api/v3`.
pub(super) fn web_of(base: &str) -> String {
    match base {
        "https://api.github.com" => "https://github.com".into(),
        other => other.trim_end_matches("/api/v3").to_string(),
    }
}

/// Whether a ref may begin with this (`git check-ref-format`), and only mend's own would.
pub(super) fn is_branch_prefix(prefix: &str) -> bool {
    let plain = |part: &str| {
        !part.is_empty()
            && !part.starts_with(['.', '-'])
            && !part.ends_with(['.'])
            && !part.ends_with(".lock")
            && !part.contains("..")
            && part
                .bytes()
                .all(|b| b.is_ascii_alphanumeric() || b"-_.".contains(&b))
    };
    prefix
        .strip_suffix('/')
        .is_some_and(|p| p.len() <= 60 && p.split('/').all(plain))
}

/// Seconds since the Unix epoch; a time without offset is UTC.
pub(super) fn unix(at: &Datetime) -> Option<i64> {
    let (date, time) = (at.date?, at.time?);
    // Days of the civil calendar, counted from March so that the leap day comes last.
    let (y, m) = (i64::from(date.year), i64::from(date.month));
    let (y, m) = if m > 2 { (y, m - 3) } else { (y - 1, m + 9) };
    let era = y.div_euclid(400);
    let year = y.rem_euclid(400);
    let day = (153 * m + 2) / 5 + i64::from(date.day) - 1;
    let days = era * 146_097 + year * 365 + year / 4 - year / 100 + day - 719_468;
    let seconds = i64::from(time.hour) * 3600
        + i64::from(time.minute) * 60
        + i64::from(time.second.unwrap_or(0));
    let offset = match at.offset {
        Some(toml::value::Offset::Custom { minutes }) => i64::from(minutes) * 60,
        _ => 0,
    };
    Some(days * 86_400 + seconds - offset)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_become_seconds() {
        for (text, seconds) in [
            ("1970-01-01T00:00:00Z", 0),
            ("2024-02-29T12:00:00Z", 1_709_208_000),
            ("2027-01-31T12:00:00+01:00", 1_801_393_200),
            ("2000-03-01T00:00:00", 951_868_800),
        ] {
            assert_eq!(unix(&text.parse().unwrap()), Some(seconds), "{text}");
        }
        assert_eq!(unix(&"2027-01-31".parse().unwrap()), None);
    }

    #[test]
    fn prefixes_are_those_of_branches() {
        for good in ["mend/", "bots/mend/", "m-1_x/"] {
            assert!(is_branch_prefix(good), "{good}");
        }
        for bad in [
            "mend", "/", "", "a//", "../", "-x/", "a.lock/", "a b/", "a~/", ".a/",
        ] {
            assert!(!is_branch_prefix(bad), "{bad}");
        }
    }

    #[test]
    fn the_web_address_follows_the_api() {
        assert_eq!(web_of("https://api.github.com"), "https://github.com");
        assert_eq!(
            web_of("https://git.acme.test/api/v3"),
            "https://git.acme.test"
        );
        assert_eq!(web_of("http://127.0.0.1:9000"), "http://127.0.0.1:9000");
    }
}
