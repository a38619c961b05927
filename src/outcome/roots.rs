//! Where the project lay when an output was written.

use super::paths::{base, is_foreign};
use super::places::{Extensions, tokens};
use super::text::Text;
use memchr::memchr;
use std::collections::{BTreeMap, HashMap};

/// Lines at each end in which the root is looked for.
const SEEN: usize = 4_000;

/// The folder that most absolute paths of project files have in common, and the sandbox's own;
/// longest first.
pub(super) fn find(
    text: &Text,
    by_base: &HashMap<&str, Vec<&str>>,
    extensions: &Extensions,
) -> Vec<String> {
    let mut votes: BTreeMap<&str, usize> = BTreeMap::new();
    let head = text.between(0, SEEN);
    let tail = text.between(text.len().saturating_sub(SEEN), text.len());
    for (_, line) in head.chain(tail) {
        if memchr(b'/', line.as_bytes()).is_none() || !extensions.occur(line) {
            continue;
        }
        for token in tokens(line) {
            let path = token.text;
            if !path.contains('/') || is_foreign(path) {
                continue;
            }
            let slash = path.find('/').unwrap_or(0);
            let absolute = &path[slash..];
            let Some(bases) = by_base.get(base(path)) else {
                continue;
            };
            let best = bases
                .iter()
                .filter_map(|file| absolute.strip_suffix(file)?.strip_suffix('/'))
                .filter(|root| root.starts_with('/') && root.len() > 1)
                .min_by_key(|root| root.len());
            if let Some(root) = best {
                *votes.entry(root.trim_start_matches("//")).or_default() += 1;
            }
        }
        if votes.values().sum::<usize>() > 500 {
            break;
        }
    }
    let mut roots: Vec<(usize, &str)> = votes.into_iter().map(|(r, n)| (n, r)).collect();
    roots.sort_by(|a, b| b.cmp(a));
    // Where mend's sandbox puts every project.
    let mut found = vec!["/repo".to_string()];
    if let Some((_, root)) = roots.first() {
        let root = format!("/{}", root.trim_start_matches('/'));
        if root != found[0] {
            found.push(root);
        }
    }
    found.sort_by_key(|r| std::cmp::Reverse(r.len()));
    found
}
