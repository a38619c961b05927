//! What the model was shown of which content (rule W3).

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

    /// The content as the model last saw it whole.
    pub(super) fn whole(&self, path: &RelPath) -> Option<&[u8]> {
        let known = self.0.get(path)?;
        let all = known.lines == 0 || known.shown.first() == Some(&(0, known.lines));
        all.then_some(&*known.content)
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
        assert_eq!(seen.whole(&path), None);
        seen.show(&path, b"1\n2\n3\n", 3, (0, 2));
        assert_eq!(seen.whole(&path), Some(&b"1\n2\n3\n"[..]));
        seen.show(&path, b"1\n2\n4\n", 3, (0, 1));
        assert_eq!(seen.whole(&path), None);
    }
}
