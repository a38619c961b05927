//! Secrets of browsers: made here, sent as cookies, kept as hashes.

use aws_lc_rs::constant_time::verify_slices_are_equal;
use aws_lc_rs::rand;
use axum::http::{HeaderMap, HeaderValue, header};
use sha2::{Digest, Sha256};

/// 256 random bits as text; `None` where the system has none to give.
pub(super) fn secret() -> Option<String> {
    let mut bytes = [0; 32];
    rand::fill(&mut bytes).ok()?;
    Some(hex::encode(bytes))
}

/// What stands for a secret where it is kept; `purpose` keeps one use apart from another.
pub(super) fn hashed(purpose: &str, secret: &str) -> String {
    let mut hash = Sha256::new();
    hash.update(purpose.as_bytes());
    hash.update([0]);
    hash.update(secret.as_bytes());
    hex::encode(hash.finalize())
}

/// Whether two secrets are the same, in a time that does not tell where they differ.
pub(super) fn same(a: &str, b: &str) -> bool {
    verify_slices_are_equal(a.as_bytes(), b.as_bytes()).is_ok()
}

/// The cookie of this name, where it is sent once.
pub(super) fn read(headers: &HeaderMap, name: &str) -> Option<String> {
    let mut found = headers
        .get_all(header::COOKIE)
        .iter()
        .filter_map(|line| line.to_str().ok())
        .flat_map(|line| line.split(';'))
        .filter_map(|pair| pair.trim().split_once('='))
        .filter(|(n, _)| *n == name)
        .map(|(_, value)| value);
    let value = found.next()?;
    let plain = value.len() <= 128 && value.bytes().all(|b| b.is_ascii_alphanumeric());
    (plain && found.next().is_none()).then(|| value.to_string())
}

/// The header that sets it, for as long as the browser is open, or that takes it away.
pub(super) fn set(name: &str, value: Option<&str>) -> Option<HeaderValue> {
    let secure = match name.starts_with("__Host-") {
        true => "; Secure",
        // Loopback has no TLS, and not every browser takes a secure cookie there.
        false => "",
    };
    let (value, gone) = match value {
        Some(value) => (value, ""),
        None => ("", "; Max-Age=0"),
    };
    let text = format!("{name}={value}; Path=/; HttpOnly; SameSite=Lax{secure}{gone}");
    HeaderValue::from_str(&text).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cookie_is_read_once_or_not_at_all() {
        let of = |text: &'static str| {
            let mut headers = HeaderMap::new();
            headers.insert(header::COOKIE, HeaderValue::from_static(text));
            read(&headers, "mend")
        };
        assert_eq!(of("a=1; mend=abc; b=2").as_deref(), Some("abc"));
        assert_eq!(of("mend=abc; mend=def"), None);
        assert_eq!(of("mend=a\"b"), None);
        assert_eq!(of("xmend=abc"), None);
    }

    #[test]
    fn secrets_differ_and_hash_by_purpose() {
        assert_ne!(secret(), secret());
        assert_ne!(hashed("a", "x"), hashed("b", "x"));
        assert!(same("ab", "ab") && !same("ab", "ac") && !same("ab", "abc"));
    }

    #[test]
    fn host_cookies_are_secure() {
        let set = set("__Host-mend", Some("a")).unwrap();
        assert_eq!(
            set.to_str().unwrap(),
            "__Host-mend=a; Path=/; HttpOnly; SameSite=Lax; Secure"
        );
    }
}
