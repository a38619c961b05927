//! Redaction: by exact value in every form, by shape, across the borders of pieces.

use base64::Engine;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use mend::text::{REDACTED, Redactor};
use proptest::prelude::*;
use std::time::{Duration, Instant};

const ALPHABET: &str = "[A-Za-z0-9+/=_.:&?~-]{12,80}";

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn se_03_properties_a_known_value_goes_in_every_form(secret in ALPHABET, before in "[a-z \n]{0,40}", after in "[a-z \n]{0,40}", form in 0usize..6) {
        let redactor = Redactor::new();
        redactor.know(&secret);
        let shown = match form {
            0 => secret.clone(),
            1 => STANDARD.encode(&secret),
            2 => URL_SAFE_NO_PAD.encode(format!("x{secret}y")),
            3 => hex::encode(&secret),
            4 => secret.chars().rev().collect(),
            _ => secret.bytes().map(|b| if b.is_ascii_alphanumeric() { char::from(b).to_string() } else { format!("%{b:02X}") }).collect(),
        };
        let out = redactor.redact(&format!("{before}{shown}{after}"));
        let middle = &shown[shown.len() / 2 - 4..shown.len() / 2 + 4];
        prop_assert!(out.contains(REDACTED), "{}", out);
        prop_assert!(!out.contains(middle) || before.contains(middle) || after.contains(middle), "{}", out);
    }

    #[test]
    fn se_03_properties_pieces_hide_no_secret(cuts in proptest::collection::vec(1usize..3000, 1..12), at in 0usize..20_000) {
        let secret = format!("ghs_1_{}", "aB3".repeat(170));
        let known = "a-value-that-only-mend-knows";
        let redactor = Redactor::new();
        redactor.know(known);
        let filler = "some words of a log\n".repeat(1000);
        let (head, tail) = filler.split_at(at.min(filler.len()));
        let whole = format!("{head} {secret} {tail} {known} {filler}");
        let mut stream = redactor.stream();
        let (mut out, mut rest) = (String::new(), whole.as_str());
        for cut in cuts.iter().cycle() {
            let (piece, more) = rest.split_at((*cut).min(rest.len()));
            out.push_str(&stream.push(piece));
            rest = more;
            if rest.is_empty() {
                break;
            }
        }
        out.push_str(&stream.finish());
        prop_assert_eq!(out, whole.replace(&secret, REDACTED).replace(known, REDACTED));
    }
}

#[test]
fn se_03_tokens_of_both_forms_go_beside_escapes_too() {
    let old = format!("ghs_{}", "x7Kq2mVn9Lw4Rt6Yb1Hs3Jd5Fg8Zc0PaQeUi");
    let new = format!(
        "ghs_1_eyJ{}.eyJ{}.{}-_",
        "a1B".repeat(30),
        "c2D".repeat(100),
        "e3F".repeat(40)
    );
    let redactor = Redactor::new();
    for token in [old, new] {
        let out = redactor.redact(&format!("\u{1b}[31m{token}\u{1b}[0m"));
        assert_eq!(out, format!("\u{1b}[31m{REDACTED}\u{1b}[0m"));
    }
}

#[test]
fn se_03_the_cost_is_bounded() {
    let redactor = Redactor::new();
    for n in 0..50 {
        redactor.know(&format!("secret-number-{n}-with-some-length-to-it"));
    }
    // Every keyword of every rule, over and over.
    let hostile =
        "token key secret password api ghp_ sk- eyJ AKIA xoxb npm_ -----BEGIN PRIVATE KEY----- "
            .repeat(20_000);
    let begun = Instant::now();
    redactor.redact(&hostile);
    assert!(
        begun.elapsed() < Duration::from_secs(60),
        "{:?}",
        begun.elapsed()
    );
}
