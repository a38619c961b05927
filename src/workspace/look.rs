//! Looks at files for the harness itself: what it picks from them is shown through `read_file`.

use super::{Workspace, matching};
use crate::tree::{EntryKind, RelPath};

/// Bytes of a file that is looked at.
const MOST: u64 = 512 * 1024;

impl Workspace {
    /// The files whose content may be shown, sorted.
    pub fn paths(&self) -> Vec<String> {
        let files = matching::unignored(&self.tree).unwrap_or_default();
        files
            .into_iter()
            .filter(|e| e.kind == EntryKind::File && e.len <= MOST)
            .filter(|e| self.check_shown(&e.path, &e.path).is_ok())
            .map(|e| e.path.to_string())
            .collect()
    }

    /// Whether a path counts as a test.
    pub fn is_test(&self, path: &str) -> bool {
        RelPath::parse(path).is_ok_and(|p| self.tests.matches(&p))
    }

    /// The text of one of `paths`. It does not count as seen by the model.
    pub fn text(&self, path: &str) -> Option<String> {
        let path = RelPath::parse(path).ok()?;
        self.check_shown(&path, &path).ok()?;
        String::from_utf8(self.tree.read(&path).ok()?).ok()
    }
}
