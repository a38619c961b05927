//! What is shaped like a secret, by the rules of gitleaks (`rules/gitleaks.toml`, unchanged) and a
//! few of our own.
//!
//! A rule is only tried on a text that holds one of its keywords, which one pass over the text
//! finds; rules are compiled when they are first tried. Matching takes linear time.

use aho_corasick::AhoCorasick;
use regex::bytes::{Regex, RegexBuilder};
use serde::Deserialize;
use std::collections::BTreeSet;
use std::sync::{LazyLock, OnceLock};

/// A place in a text that looks like a secret.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SecretFound {
    /// The rule's name, such as `github-pat`.
    pub rule: String,
    pub start: usize,
    pub end: usize,
}

/// Rules that are not taken: what they find is too often no secret, and a wrong find refuses an
/// honest change and tears holes into what the model reads.
const NOT_TAKEN: &[&str] = &[
    "generic-api-key",
    "curl-auth-user",
    "sourcegraph-access-token",
];

/// Our own: what the rule set misses, or finds only with a whole key.
const OWN: &[(&str, &str, &[&str])] = &[
    // Since 2026 a token of an installation is a JWT behind its prefix.
    (
        "github-token",
        r"gh[pousr]_[A-Za-z0-9_.\-]{20,}",
        &["ghp_", "gho_", "ghu_", "ghs_", "ghr_"],
    ),
    (
        "model-api-key",
        r"(?:\b|\[[0-9;]*m)(sk-[A-Za-z0-9_\-]{20,})",
        &["sk-"],
    ),
    (
        "jwt",
        r"(?:\b|\[[0-9;]*m)(eyJ[A-Za-z0-9_\-]{10,}\.eyJ[A-Za-z0-9_\-]{10,}\.[A-Za-z0-9_\-]{10,})",
        &["eyj"],
    ),
    (
        "private-key",
        r"-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]*PRIVATE KEY-----|\z)",
        &["private key-----"],
    ),
];

/// Bytes of one compiled rule.
const RULE_BYTES: usize = 4 * 1024 * 1024;

#[derive(Deserialize)]
struct File {
    #[serde(rename = "allowlist")]
    allowed: Allowed,
    rules: Vec<Described>,
}

#[derive(Deserialize, Default)]
struct Allowed {
    #[serde(default)]
    regexes: Vec<String>,
    #[serde(default)]
    stopwords: Vec<String>,
    #[serde(default, rename = "regexTarget")]
    target: String,
}

#[derive(Deserialize)]
struct Described {
    id: String,
    regex: Option<String>,
    path: Option<String>,
    #[serde(rename = "secretGroup")]
    group: Option<usize>,
    entropy: Option<f64>,
    #[serde(default)]
    keywords: Vec<String>,
    #[serde(default)]
    allowlists: Vec<Allowed>,
}

struct Rule {
    id: String,
    source: String,
    group: Option<usize>,
    entropy: f64,
    allowed: Vec<Allowed>,
    compiled: OnceLock<Option<Regex>>,
}

struct Rules {
    rules: Vec<Rule>,
    /// What no rule counts as a secret.
    never: Vec<Regex>,
    stopwords: Vec<String>,
    keywords: AhoCorasick,
    /// Which rules the keyword of that number calls for.
    called: Vec<usize>,
}

static RULES: LazyLock<Option<Rules>> = LazyLock::new(read);

/// As Go's expressions are meant: byte-wise classes, and a brace that is no repetition is a brace.
fn compile(source: &str) -> Option<Regex> {
    let build = |source: &str| {
        let mut builder = RegexBuilder::new(source);
        builder.unicode(false).size_limit(RULE_BYTES);
        builder.build().ok()
    };
    build(source).or_else(|| build(&braces_escaped(source)))
}

fn braces_escaped(source: &str) -> String {
    let mut out = String::with_capacity(source.len() + 8);
    for (at, c) in source.char_indices() {
        let after = source[at + c.len_utf8()..].chars().next();
        if c == '{' && !source[..at].ends_with('\\') && after.is_none_or(|n| !n.is_ascii_digit()) {
            out.push('\\');
        }
        out.push(c);
    }
    out
}

fn read() -> Option<Rules> {
    let file: File = toml::from_str(include_str!("rules/gitleaks.toml")).ok()?;
    let own = OWN.iter().map(|(id, source, keywords)| Described {
        id: (*id).to_string(),
        regex: Some((*source).to_string()),
        path: None,
        group: None,
        entropy: None,
        keywords: keywords.iter().map(ToString::to_string).collect(),
        allowlists: Vec::new(),
    });
    let (mut rules, mut words, mut called) = (Vec::new(), Vec::new(), Vec::new());
    for rule in own.chain(file.rules) {
        let Some(source) = rule.regex else { continue };
        if NOT_TAKEN.contains(&rule.id.as_str()) || rule.path.is_some() {
            continue;
        }
        for word in rule.keywords {
            words.push(word);
            called.push(rules.len());
        }
        rules.push(Rule {
            id: rule.id,
            source,
            group: rule.group,
            entropy: rule.entropy.unwrap_or(0.0),
            allowed: rule.allowlists,
            compiled: OnceLock::new(),
        });
    }
    let keywords = AhoCorasick::builder()
        .ascii_case_insensitive(true)
        .build(&words)
        .ok()?;
    Some(Rules {
        rules,
        never: file
            .allowed
            .regexes
            .iter()
            .filter_map(|r| compile(r))
            .collect(),
        stopwords: file.allowed.stopwords,
        keywords,
        called,
    })
}

impl Rule {
    fn find(&self, rules: &Rules, text: &str, found: &mut Vec<SecretFound>) {
        let compiled = self.compiled.get_or_init(|| compile(&self.source));
        let Some(regex) = compiled else { return };
        let bytes = text.as_bytes();
        for captures in regex.captures_iter(bytes) {
            let Some(whole) = captures.get(0) else {
                continue;
            };
            let group = match self.group {
                Some(n) => captures.get(n),
                None => captures.iter().skip(1).flatten().find(|m| !m.is_empty()),
            };
            let secret = group.unwrap_or(whole);
            if entropy(secret.as_bytes()) < self.entropy
                || rules.is_harmless(secret.as_bytes())
                || self.allows(secret.as_bytes(), whole.as_bytes())
            {
                continue;
            }
            found.push(SecretFound {
                rule: self.id.clone(),
                start: floor(text, secret.start()),
                end: ceil(text, secret.end()),
            });
        }
    }

    fn allows(&self, secret: &[u8], whole: &[u8]) -> bool {
        self.allowed.iter().any(|allowed| {
            let at = if allowed.target.is_empty() {
                secret
            } else {
                whole
            };
            let matches = |source: &String| compile(source).is_some_and(|r| r.is_match(at));
            allowed.regexes.iter().any(matches) || holds_any(secret, &allowed.stopwords)
        })
    }
}

impl Rules {
    fn is_harmless(&self, secret: &[u8]) -> bool {
        self.never.iter().any(|r| r.is_match(secret)) || holds_any(secret, &self.stopwords)
    }
}

fn holds_any(secret: &[u8], words: &[String]) -> bool {
    let secret = secret.to_ascii_lowercase();
    words
        .iter()
        .any(|w| memchr::memmem::find(&secret, w.as_bytes()).is_some())
}

/// Shannon's, in bits a byte.
fn entropy(bytes: &[u8]) -> f64 {
    let mut counts = [0u32; 256];
    for byte in bytes {
        counts[usize::from(*byte)] += 1;
    }
    let all = bytes.len() as f64;
    let part = |n: &u32| f64::from(*n) / all;
    let used = counts.iter().filter(|n| **n > 0);
    -used.map(|n| part(n) * part(n).log2()).sum::<f64>()
}

/// Everything in `text` that looks like a secret, in order, overlaps joined.
pub fn secrets(text: &str) -> Vec<SecretFound> {
    let Some(rules) = RULES.as_ref() else {
        return Vec::new();
    };
    let hits = rules.keywords.find_overlapping_iter(text);
    let called: BTreeSet<usize> = hits.map(|m| rules.called[m.pattern().as_usize()]).collect();
    let mut found = Vec::new();
    for rule in called {
        rules.rules[rule].find(rules, text, &mut found);
    }
    found.sort_by_key(|f| (f.start, std::cmp::Reverse(f.end)));
    let mut joined: Vec<SecretFound> = Vec::new();
    for one in found {
        match joined.last_mut() {
            Some(last) if one.start < last.end => last.end = last.end.max(one.end),
            _ => joined.push(one),
        }
    }
    joined
}

fn floor(text: &str, mut at: usize) -> usize {
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}

fn ceil(text: &str, mut at: usize) -> usize {
    while !text.is_char_boundary(at) {
        at += 1;
    }
    at
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str) -> Vec<String> {
        let of = |f: SecretFound| format!("{}:{}", f.rule, &text[f.start..f.end]);
        secrets(text).into_iter().map(of).collect()
    }

    #[test]
    fn every_rule_is_understood() {
        let rules = RULES.as_ref().expect("the rules are read");
        assert!(rules.rules.len() > 200, "{}", rules.rules.len());
        for rule in &rules.rules {
            assert!(
                compile(&rule.source).is_some(),
                "{}: {}",
                rule.id,
                rule.source
            );
            for allowed in rule.allowed.iter().flat_map(|a| &a.regexes) {
                assert!(compile(allowed).is_some(), "{}: {allowed}", rule.id);
            }
        }
        let file: File = toml::from_str(include_str!("rules/gitleaks.toml")).unwrap();
        assert_eq!(rules.never.len(), file.allowed.regexes.len());
        assert!(
            file.rules
                .iter()
                .all(|r| !r.keywords.is_empty() || r.path.is_some())
        );
    }

    #[test]
    fn tokens_of_many_makers_are_found_where_they_stand() {
        // Put together here, so that no scanner takes this file for a leak.
        for (before, token, after, rule) in [
            (
                "a ",
                "ghp_",
                "x7Kq2mVn9Lw4Rt6Yb1Hs3Jd5Fg8Zc0PaQeUi",
                "github-token",
            ),
            ("k=", "AKIA", "Z7QK4MXN2LWR5TYB", "aws-access-token"),
            (
                "",
                "xoxb",
                "-123456789012-1234567890123-AbCdEfGhIjKlMnOpQrStUvWx",
                "slack-bot-token",
            ),
            ("x: ", "glpat", "-x7Kq2mVn9Lw4Rt6Yb1Hs", "gitlab-pat"),
            (
                "",
                "npm_",
                "x7Kq2mVn9Lw4Rt6Yb1Hs3Jd5Fg8Zc0PaQeUi",
                "npm-access-token",
            ),
        ] {
            let text = format!("{before}{token}{after} end");
            let secret = format!("{token}{after}");
            let all = found(&text);
            assert!(
                all.iter().any(|f| f.contains(&secret)),
                "{rule}: {all:?} in {text}"
            );
        }
    }

    #[test]
    fn ordinary_code_holds_no_secret() {
        for text in [
            "let token = parse_token(&input)?; // the next token",
            "password = os.environ[\"PASSWORD\"]",
            "sha256: 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
            "assert key == \"some-key-of-a-test\"",
            "https://example.com/a/b?token={token}",
            "AKIAIOSFODNN7EXAMPLE",
        ] {
            assert_eq!(found(text), Vec::<String>::new(), "{text}");
        }
    }
}
