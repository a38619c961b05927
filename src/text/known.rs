//! The forms in which a known secret may stand in a text.

use base64::Engine;
use base64::engine::general_purpose::{STANDARD_NO_PAD, URL_SAFE_NO_PAD};
use std::collections::BTreeSet;

/// Shorter values would tear holes into ordinary words.
const LEAST: usize = 8;
/// A long value is also found with so many characters cut off at either end.
const CUT: usize = 8;
/// What has to be left of it then.
const CORE: usize = 16;

/// Every needle by which a secret is found: itself and each of its lines, so that a key that is
/// printed with other line ends is still found; as it is, cut, backwards, in base64, hex and with
/// percent signs.
pub(super) fn needles(secret: &str) -> BTreeSet<String> {
    let mut all = BTreeSet::new();
    for value in std::iter::once(secret).chain(secret.lines()) {
        let value = value.trim();
        if value.len() < LEAST || value.starts_with("-----") && !value.contains('\n') {
            continue;
        }
        forms(value, &mut all);
        let chars: Vec<char> = value.chars().collect();
        if chars.len() >= 2 * CUT + CORE {
            forms(
                &chars[CUT..chars.len() - CUT].iter().collect::<String>(),
                &mut all,
            );
        }
    }
    all.retain(|needle| needle.len() >= LEAST);
    all
}

fn forms(value: &str, all: &mut BTreeSet<String>) {
    all.insert(value.to_string());
    all.insert(value.chars().rev().collect());
    if value.contains('\n') {
        all.insert(value.replace('\n', "\\n"));
        all.insert(value.replace('\n', "\r\n"));
    }
    let digits = hex::encode(value);
    all.insert(digits.to_uppercase());
    all.insert(digits);
    for upper in [true, false] {
        all.insert(percent(value, upper, |b| {
            b.is_ascii_alphanumeric() || b"-_.~".contains(&b)
        }));
        all.insert(percent(value, upper, |b| b.is_ascii_alphanumeric()));
    }
    for shift in 0..3 {
        for text in [
            STANDARD_NO_PAD.encode(shifted(value, shift)),
            URL_SAFE_NO_PAD.encode(shifted(value, shift)),
        ] {
            // The first and the last characters also hold bits of what stands around it.
            let first = if shift == 0 { 0 } else { shift + 1 };
            let whole = (value.len() + shift) * 8 / 6;
            if let Some(core) = text.get(first..whole.min(text.len())) {
                all.insert(core.to_string());
            }
        }
    }
}

/// The value behind as many bytes of something else.
fn shifted(value: &str, by: usize) -> Vec<u8> {
    let mut bytes = vec![0; by];
    bytes.extend(value.as_bytes());
    bytes
}

fn percent(value: &str, upper: bool, kept: impl Fn(u8) -> bool) -> String {
    let mut out = String::new();
    for byte in value.bytes() {
        match (kept(byte), upper) {
            (true, _) => out.push(char::from(byte)),
            (false, true) => out.push_str(&format!("%{byte:02X}")),
            (false, false) => out.push_str(&format!("%{byte:02x}")),
        }
    }
    out
}
