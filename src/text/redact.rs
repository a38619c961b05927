//! Secrets out of text: by exact value first, by shape second.

use super::known::needles;
use super::secrets::secrets;
use aho_corasick::{AhoCorasick, MatchKind};
use serde_json::Value;
use std::collections::BTreeSet;
use std::sync::{Arc, RwLock};

/// What stands in the place of a secret.
pub const REDACTED: &str = "[redacted]";

/// How far back a stream is held, so that no secret is cut in two: the longest tokens have about
/// 600 bytes.
const HELD: usize = 4096;

/// Knows the secrets of this server; clones share what they know.
#[derive(Clone, Default)]
pub struct Redactor {
    known: Arc<RwLock<Known>>,
}

#[derive(Default)]
struct Known {
    needles: BTreeSet<String>,
    /// Those of secrets that are worth nothing from a time on, with that time.
    passing: Vec<(i64, BTreeSet<String>)>,
    /// Finds them all in one pass.
    finder: Option<AhoCorasick>,
}

impl Known {
    fn has(&self, needle: &String) -> bool {
        let mut passing = self.passing.iter().map(|(_, needles)| needles);
        self.needles.contains(needle) || passing.any(|needles| needles.contains(needle))
    }

    fn prepare(&mut self) {
        let passing = self.passing.iter().flat_map(|(_, needles)| needles);
        let finder = AhoCorasick::builder()
            .match_kind(MatchKind::LeftmostLongest)
            .build(self.needles.iter().chain(passing));
        self.finder = finder.ok();
    }
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

    /// Adds a secret; its lines count one by one as well.
    pub fn know(&self, secret: &str) {
        let new = needles(secret);
        let mut known = self.known.write().unwrap_or_else(|e| e.into_inner());
        if new.iter().all(|needle| known.has(needle)) {
            return;
        }
        known.needles.extend(new);
        known.prepare();
    }

    /// Adds a secret that is worth nothing after `until`, and forgets those of which `now` says
    /// so; both in seconds since the Unix epoch. A server makes tokens for as long as it runs.
    pub fn know_until(&self, secret: &str, until: i64, now: i64) {
        let new = needles(secret);
        let mut known = self.known.write().unwrap_or_else(|e| e.into_inner());
        known.passing.retain(|(until, _)| *until >= now);
        if !new.iter().all(|needle| known.has(needle)) {
            known.passing.push((until, new));
        }
        known.prepare();
    }

    /// Replaces every known secret and everything shaped like one.
    pub fn redact(&self, text: &str) -> String {
        let out = self.without_known(text);
        let found = secrets(&out);
        if found.is_empty() {
            return out;
        }
        let (mut clean, mut at) = (String::with_capacity(out.len()), 0);
        for secret in found {
            clean.push_str(&out[at..secret.start]);
            clean.push_str(REDACTED);
            at = secret.end;
        }
        clean.push_str(&out[at..]);
        clean
    }

    /// Whether a known secret stands in the text, in any form.
    pub fn knows(&self, text: &str) -> bool {
        let known = self.known.read().unwrap_or_else(|e| e.into_inner());
        known.finder.as_ref().is_some_and(|f| f.is_match(text))
    }

    /// Replaces the known secrets alone.
    fn without_known(&self, text: &str) -> String {
        let known = self.known.read().unwrap_or_else(|e| e.into_inner());
        match &known.finder {
            Some(finder) if finder.is_match(text) => {
                finder.replace_all(text, &vec![REDACTED; finder.patterns_len()])
            }
            _ => text.to_string(),
        }
    }

    /// Where secrets stand in the text.
    fn places(&self, text: &str) -> Vec<(usize, usize)> {
        let known = self.known.read().unwrap_or_else(|e| e.into_inner());
        let exact = known.finder.iter().flat_map(|f| f.find_iter(text));
        let shaped = secrets(text).into_iter().map(|f| (f.start, f.end));
        exact.map(|m| (m.start(), m.end())).chain(shaped).collect()
    }

    /// Every text in a JSON value.
    pub fn redact_json(&self, value: &mut Value) {
        self.redact_json_but(value, &[]);
    }

    /// Every text in a JSON value but those below fields of these names.
    pub fn redact_json_but(&self, value: &mut Value, kept: &[&str]) {
        match value {
            Value::String(text) => *text = self.redact(text),
            Value::Array(list) => list.iter_mut().for_each(|v| self.redact_json_but(v, kept)),
            Value::Object(fields) => fields
                .iter_mut()
                .filter(|(name, _)| !kept.contains(&name.as_str()))
                .for_each(|(_, v)| self.redact_json_but(v, kept)),
            _ => {}
        }
    }

    /// For a text that comes in pieces.
    pub fn stream(&self) -> RedactedStream {
        RedactedStream {
            redactor: self.clone(),
            held: String::new(),
        }
    }
}

/// Redacts across the borders of pieces: what may still become a secret is held back.
pub struct RedactedStream {
    redactor: Redactor,
    held: String,
}

impl RedactedStream {
    /// Takes a piece and gives out what is safe by now.
    pub fn push(&mut self, piece: &str) -> String {
        self.held.push_str(piece);
        if self.held.len() <= 2 * HELD {
            return String::new();
        }
        let mut cut = self.held.len() - HELD;
        while !self.held.is_char_boundary(cut) {
            cut -= 1;
        }
        // At a line's end, else between words: no rule looks further back than a line.
        let before = &self.held[..cut];
        cut = before
            .rfind('\n')
            .or_else(|| before.rfind(char::is_whitespace))
            .map_or(cut, |at| at + 1);
        // Nor through a secret; a private key goes on over many lines.
        let parted = self.redactor.places(&self.held).into_iter();
        let parted = parted.filter(|(start, end)| *start < cut && cut < *end);
        cut = parted.map(|(start, _)| start).min().unwrap_or(cut);
        if self.held.len() > 64 * HELD {
            cut = cut.max(self.held.len() - HELD);
            while !self.held.is_char_boundary(cut) {
                cut -= 1;
            }
        }
        let rest = self.held.split_off(cut);
        let safe = std::mem::replace(&mut self.held, rest);
        self.redactor.redact(&safe)
    }

    /// Gives out the rest.
    pub fn finish(self) -> String {
        self.redactor.redact(&self.held)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use base64::Engine;
    use base64::engine::general_purpose::STANDARD;

    #[test]
    fn values_and_shapes_go() {
        let r = Redactor::new();
        r.know("correct horse battery");
        let text = "a correct horse battery b ghs_1_eyJabcdefghijklmnop.eyJabcdefghijk.abc-_def c";
        assert_eq!(r.redact(text), "a [redacted] b [redacted] c");
        assert_eq!(r.redact("nothing here"), "nothing here");
    }

    #[test]
    fn a_known_value_goes_in_every_form() {
        let r = Redactor::new();
        let secret = "Zq9/wT4+kP1_mB7=xR3&vL8.hN2?cJ6~dF5";
        r.know(secret);
        let backwards: String = secret.chars().rev().collect();
        for form in [
            secret.to_string(),
            STANDARD.encode(secret),
            STANDARD.encode(format!("a{secret}b")),
            STANDARD.encode(format!("ab{secret}")),
            STANDARD.encode(format!("token={secret}\n")),
            hex::encode(secret),
            hex::encode(secret).to_uppercase(),
            "Zq9%2FwT4%2BkP1_mB7%3DxR3%26vL8.hN2%3FcJ6~dF5".into(),
            "Zq9%2fwT4%2bkP1_mB7%3dxR3%26vL8.hN2%3fcJ6~dF5".into(),
            backwards,
            secret[7..].to_string(),
            secret[..secret.len() - 7].to_string(),
        ] {
            let out = r.redact(&format!("<{form}>"));
            assert!(out.contains(REDACTED), "{form}: {out}");
            let core = &form[form.len() / 2 - 6..form.len() / 2 + 6];
            assert!(!out.contains(core), "{form}: {out}");
        }
    }

    #[test]
    fn a_key_goes_line_by_line() {
        let r = Redactor::new();
        r.know(
            "-----BEGIN X-----\nMIIEowIBAAKCAQEAabcdef\nqrstuvwxyz0123456789AB\n-----END X-----\n",
        );
        let out = r.redact("x MIIEowIBAAKCAQEAabcdef y qrstuvwxyz0123456789AB");
        assert_eq!(out, "x [redacted] y [redacted]");
    }

    #[test]
    fn a_token_is_known_while_it_lives() {
        let r = Redactor::new();
        r.know("correct horse battery");
        r.know_until("a first short token", 100, 0);
        r.know_until("the next short token", 200, 101);
        let text = "correct horse battery, a first short token, the next short token";
        assert_eq!(
            r.redact(text),
            "[redacted], a first short token, [redacted]"
        );
    }

    #[test]
    fn json_goes_through_whole() {
        let r = Redactor::new();
        r.know("correct horse battery");
        let mut value = serde_json::json!({"a": ["correct horse battery", 1], "b": {"c": "x"}});
        r.redact_json(&mut value);
        assert_eq!(
            value,
            serde_json::json!({"a": ["[redacted]", 1], "b": {"c": "x"}})
        );
        let mut value =
            serde_json::json!({"id": "correct horse battery", "b": ["correct horse battery"]});
        r.redact_json_but(&mut value, &["id"]);
        assert_eq!(
            value,
            serde_json::json!({"id": "correct horse battery", "b": ["[redacted]"]})
        );
    }
}
