//! What the model was shown of which content (rule W3).

use crate::edit::Sight;
use crate::tree::RelPath;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;

/// Contents that the model knows, by real path.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Seen(BTreeMap<String, Known>);

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Known {
    /// SHA-256 of the content, in hex.
    content: String,
    /// Half-open ranges of line indexes that were shown, sorted and apart.
    shown: Vec<(usize, usize)>,
    lines: usize,
}

fn digest(content: &[u8]) -> String {
    hex::encode(Sha256::digest(content))
}

impl Seen {
    /// Lines `from..to` (counted from 0) of `content`, which has `lines`, were shown.
    pub(super) fn show(
        &mut self,
        path: &RelPath,
        content: &[u8],
        lines: usize,
        (from, to): (usize, usize),
    ) {
        let content = digest(content);
        let fresh = Known {
            content: content.clone(),
            shown: Vec::new(),
            lines,
        };
        let known = self
            .0
            .entry(path.to_string())
            .or_insert_with(|| fresh.clone());
        if known.content != content {
            *known = fresh;
        }
        known.shown.push((from, to));
        known.shown.sort_unstable();
        let mut joined: Vec<(usize, usize)> = Vec::new();
        for (from, to) in known.shown.drain(..) {
            match joined.last_mut() {
                Some((_, end)) if from <= *end => *end = (*end).max(to),
                _ => joined.push((from, to)),
            }
        }
        known.shown = joined;
    }

    /// The model wrote `content` itself, or knows it from what it was shown and changed.
    pub(super) fn know(&mut self, path: &RelPath, content: &[u8]) {
        let known = Known {
            content: digest(content),
            shown: vec![(0, usize::MAX)],
            lines: usize::MAX,
        };
        self.0.insert(path.to_string(), known);
    }

    /// Whether the model knows all of `content`.
    pub(super) fn knows(&self, path: &RelPath, content: &[u8]) -> bool {
        self.sight(path, content) == Sight::Whole
    }

    pub(super) fn forget(&mut self, path: &RelPath) {
        self.0.remove(path.as_str());
    }

    pub(super) fn sight(&self, path: &RelPath, now: &[u8]) -> Sight {
        let Some(known) = self.0.get(path.as_str()) else {
            return Sight::Never;
        };
        let all = known.lines == 0 || known.shown.first() == Some(&(0, known.lines));
        match (all, known.content == digest(now)) {
            (true, true) => Sight::Whole,
            (true, false) => Sight::Changed,
            (false, _) => Sight::Part,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_add_up_until_the_content_changes() {
        let path = RelPath::parse("a").unwrap();
        let mut seen = Seen::default();
        seen.show(&path, b"1\n2\n3\n", 3, (2, 3));
        assert_eq!(seen.sight(&path, b"1\n2\n3\n"), Sight::Part);
        seen.show(&path, b"1\n2\n3\n", 3, (0, 2));
        assert!(seen.knows(&path, b"1\n2\n3\n"));
        assert_eq!(seen.sight(&path, b"x"), Sight::Changed);
        seen.show(&path, b"1\n2\n4\n", 3, (0, 1));
        assert_eq!(seen.sight(&path, b"1\n2\n4\n"), Sight::Part);
    }
}
