//! What the model was shown of which content (rule W3).

use crate::edit::Sight;
use crate::tree::RelPath;
use std::collections::HashMap;
use std::sync::Arc;

/// Contents that the model knows, by real path.
#[derive(Debug, Default)]
pub(super) struct Seen(HashMap<RelPath, Known>);

#[derive(Debug)]
struct Known {
    content: Arc<[u8]>,
    /// Half-open ranges of line indexes that were shown, sorted and apart.
    shown: Vec<(usize, usize)>,
    lines: usize,
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
        let known = self.0.entry(path.clone()).or_insert_with(|| Known {
            content: content.into(),
            shown: Vec::new(),
            lines,
        });
        if *known.content != *content {
            *known = Known {
                content: content.into(),
                shown: Vec::new(),
                lines,
            };
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
            content: content.into(),
            shown: vec![(0, usize::MAX)],
            lines: usize::MAX,
        };
        self.0.insert(path.clone(), known);
    }

    /// Whether the model knows all of `content`.
    pub(super) fn knows(&self, path: &RelPath, content: &[u8]) -> bool {
        self.sight(path, content) == Sight::Whole
    }

    pub(super) fn forget(&mut self, path: &RelPath) {
        self.0.remove(path);
    }

    pub(super) fn sight(&self, path: &RelPath, now: &[u8]) -> Sight {
        let Some(known) = self.0.get(path) else {
            return Sight::Never;
        };
        let all = known.lines == 0 || known.shown.first() == Some(&(0, known.lines));
        match (all, *known.content == *now) {
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
