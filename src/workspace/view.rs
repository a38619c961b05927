//! What the edit engine asks of a workspace.

use super::Workspace;
use crate::edit::{EditError, ErrorKind, FileContent, Files, Guard, Seen, Sight};
use crate::tree::{EntryKind, FileKind, MAX_FILE_BYTES, RelPath, TreeError};

const TESTS_REASON: &str =
    "the report is fixed in the code, not in its tests, and this test existed before";
const REFUSED_REASON: &str =
    "files that steer workflows, ownership or mend itself are not changed here";
const HIDDEN_REASON: &str = "it looks like credentials, which are never shown or changed here";

impl Files for Workspace {
    fn resolve(&self, path: &str) -> Result<String, EditError> {
        let rel = RelPath::parse(path).map_err(|e| told(path, e))?;
        let real = self.tree.canonical(&rel).map_err(|e| told(path, e))?;
        Ok(real.into())
    }

    fn read(&self, path: &str) -> Result<Option<FileContent>, EditError> {
        let rel = RelPath::parse(path).map_err(|e| told(path, e))?;
        match self.tree.stat(&rel).map_err(|e| told(path, e))? {
            None => Ok(None),
            Some(meta) => match meta.kind {
                FileKind::Folder => Err(EditError::directory(path)),
                FileKind::Special => Err(EditError::special(path)),
                FileKind::File => Ok(Some(FileContent {
                    bytes: self.tree.read(&rel).map_err(|e| told(path, e))?,
                    mode: meta.mode,
                })),
            },
        }
    }

    fn list(&self) -> Vec<String> {
        // Only for "did you mean": a tree that cannot be walked has no suggestions.
        let files = self.files().unwrap_or_default();
        files
            .into_iter()
            .filter(|e| e.kind == EntryKind::File)
            .map(|e| e.path.into())
            .collect()
    }
}

impl Seen for Workspace {
    fn sight(&self, path: &str, now: &[u8]) -> Sight {
        match RelPath::parse(path) {
            Ok(path) => self.state().seen.sight(&path, now),
            Err(_) => Sight::Never,
        }
    }
}

impl Guard for Workspace {
    fn refuse(&self, path: &str, exists: bool) -> Option<String> {
        let path = RelPath::parse(path).ok()?;
        if self.hidden.matches(&path) {
            return Some(HIDDEN_REASON.into());
        }
        if self.refused.matches(&path) {
            return Some(REFUSED_REASON.into());
        }
        if self.options.allow_tests || !self.tests.matches(&path) {
            return None;
        }
        // What this task itself created may be changed again.
        let existed = match self.state().base.get(&path) {
            Some(base) => base.is_some(),
            None => exists,
        };
        if existed {
            return Some(TESTS_REASON.into());
        }
        (!self.options.allow_new_tests).then(|| "new test files are not allowed here".into())
    }
}

/// An error of the tree in the engine's words.
fn told(path: &str, e: TreeError) -> EditError {
    match e {
        TreeError::Outside { .. } => EditError::link_leads_out(path),
        e => match link_kind(&e) {
            Some(kind) => EditError::new(kind, e.to_string()).at(path),
            None => plain(path, e),
        },
    }
}

/// The kind of refusal for a path that a link or a change underneath spoils.
pub(crate) fn link_kind(e: &TreeError) -> Option<ErrorKind> {
    match e {
        TreeError::Git { .. } => Some(ErrorKind::Protected),
        TreeError::Outside { .. }
        | TreeError::Loop { .. }
        | TreeError::Dangling { .. }
        | TreeError::Changed { .. } => Some(ErrorKind::OutsideWorktree),
        _ => None,
    }
}

fn plain(path: &str, e: TreeError) -> EditError {
    match e {
        TreeError::NotAFile {
            what: "a folder", ..
        } => EditError::directory(path),
        TreeError::NotAFile { .. } => EditError::special(path),
        TreeError::TooLarge { bytes, .. } => EditError::too_large(path, bytes, MAX_FILE_BYTES),
        e => EditError::malformed(e.to_string()).at(path),
    }
}
