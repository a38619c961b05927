//! Secrets out of text: by exact value first, by shape second.

use regex::Regex;
use std::sync::{Arc, LazyLock, RwLock};

/// What stands in the place of a secret.
pub const REDACTED: &str = "[redacted]";
/// Shorter values would tear holes into ordinary words.
const LEAST: usize = 8;

static SHAPES: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(concat!(
        r"\bgh[pousr]_[A-Za-z0-9_.\-]{20,}",
        r"|\bgithub_pat_[A-Za-z0-9_]{20,}",
        r"|\bsk-[A-Za-z0-9_\-]{20,}",
        r"|\bxox[abprs]-[A-Za-z0-9\-]{10,}",
        r"|\bAKIA[0-9A-Z]{16}\b",
        r"|\beyJ[A-Za-z0-9_\-]{10,}\.eyJ[A-Za-z0-9_\-]{10,}\.[A-Za-z0-9_\-]{10,}",
        r"|-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]*PRIVATE KEY-----|\z)",
    ))
    .ok()
});

/// Knows the secrets of this server; clones share what they know.
#[derive(Clone, Default)]
pub struct Redactor {
    values: Arc<RwLock<Vec<String>>>,
}

impl std::fmt::Debug for Redactor {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Redactor(…)")
    }
}

impl Redactor {
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a secret; its lines count one by one as well, so that a key that is printed with other
    /// line ends is still found.
    pub fn know(&self, secret: &str) {
        let mut values = self.values.write().unwrap_or_else(|e| e.into_inner());
        for value in std::iter::once(secret).chain(secret.lines()) {
            let value = value.trim();
            if value.len() >= LEAST
                && !value.starts_with("-----")
                && !values.iter().any(|v| v == value)
            {
                values.push(value.to_string());
            }
        }
        values.sort_by_key(|v| std::cmp::Reverse(v.len()));
    }

    /// Replaces every known secret and everything shaped like one.
    pub fn redact(&self, text: &str) -> String {
        let mut out = text.to_string();
        for value in self.values.read().unwrap_or_else(|e| e.into_inner()).iter() {
            if out.contains(value.as_str()) {
                out = out.replace(value.as_str(), REDACTED);
            }
        }
        match SHAPES.as_ref() {
            Some(re) => re.replace_all(&out, REDACTED).into_owned(),
            None => out,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_and_shapes_go() {
        let r = Redactor::new();
        r.know("correct horse battery");
        let text = "a correct horse battery b ghs_1_eyJabcdefghijklmnop.eyJabcdefghijk.abc-_def c";
        assert_eq!(r.redact(text), "a [redacted] b [redacted] c");
        assert_eq!(r.redact("nothing here"), "nothing here");
    }
}
