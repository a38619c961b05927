//! The signature on a webhook:
//! <https://docs.github.com/webhooks/using-webhooks/validating-webhook-deliveries>.

use hmac::{Hmac, Mac};
use secrecy::{ExposeSecret, SecretString};
use sha2::Sha256;

/// Whether the header `X-Hub-Signature-256` signs exactly these bytes with one of the secrets
/// (two while one replaces the other). Compared in constant time; an empty secret never matches.
pub fn verify(secrets: &[SecretString], header: Option<&str>, body: &[u8]) -> bool {
    let Some(given) = header.and_then(|h| h.strip_prefix("sha256=")) else {
        return false;
    };
    let Ok(given) = hex::decode(given) else {
        return false;
    };
    let mut matches = false;
    // Every secret is tried, so that the time does not tell which one it was.
    for secret in secrets {
        let secret = secret.expose_secret();
        if secret.is_empty() {
            continue;
        }
        if let Ok(mut mac) = Hmac::<Sha256>::new_from_slice(secret.as_bytes()) {
            mac.update(body);
            matches |= mac.verify_slice(&given).is_ok();
        }
    }
    matches
}

#[cfg(test)]
mod tests {
    use super::*;

    const SIGNED: &str = "sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17";

    fn secrets(of: &[&str]) -> Vec<SecretString> {
        of.iter().map(|s| SecretString::from(*s)).collect()
    }

    #[test]
    fn githubs_own_vector() {
        let right = secrets(&["It's a Secret to Everybody"]);
        assert!(verify(&right, Some(SIGNED), b"Hello, World!"));
        assert!(!verify(&right, Some(SIGNED), b"Hello, World"));
        assert!(!verify(
            &secrets(&["other"]),
            Some(SIGNED),
            b"Hello, World!"
        ));
        let rotating = secrets(&["new", "It's a Secret to Everybody"]);
        assert!(verify(&rotating, Some(SIGNED), b"Hello, World!"));
    }

    #[test]
    fn malformed_headers_and_empty_secrets_never_match() {
        let right = secrets(&["It's a Secret to Everybody"]);
        let cut = &SIGNED[..SIGNED.len() - 2];
        let sha1 = SIGNED.replace("sha256", "sha1");
        let bare = &SIGNED["sha256=".len()..];
        let long = format!("{SIGNED}00");
        for bad in [
            "",
            "sha256=",
            "sha256=zz",
            cut,
            sha1.as_str(),
            bare,
            long.as_str(),
        ] {
            assert!(!verify(&right, Some(bad), b"Hello, World!"), "{bad}");
        }
        assert!(!verify(&right, None, b"Hello, World!"));
        assert!(!verify(&[], Some(SIGNED), b"Hello, World!"));
        // HMAC-SHA-256 of nothing under the empty key.
        let empty = "sha256=b613679a0814d9ec772f95d778c35fc5ff1697c493715653c6c712144292c5ad";
        assert!(!verify(&secrets(&[""]), Some(empty), b""));
    }
}
