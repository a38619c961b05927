//! What the engine asks of the outside: the files, what the model has seen of them, and which of
//! them are not to be edited.

use super::error::EditError;
use std::collections::BTreeMap;

/// Mode of a file that an edit creates.
pub const NEW_FILE_MODE: u32 = 0o644;

/// A regular file as it stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileContent {
    pub bytes: Vec<u8>,
    /// Permission bits, as in `0o644`.
    pub mode: u32,
}

/// The tree that edits are applied to. The engine hands over paths that [`super::clean_path`] has
/// let pass, and writes nothing: it returns changes.
pub trait Files {
    /// The path at which the bytes of `path` live: every symlink followed, the last one too, so
    /// that an edit of a link edits its target and two names of one file share their pending
    /// content. The file itself may be absent. Without links this is `path`.
    ///
    /// # Errors
    /// [`EditError::link_leads_out`] when any component leaves the tree; an error of its own for
    /// a link into `.git`, a loop of links and a link that dangles.
    fn resolve(&self, path: &str) -> Result<String, EditError>;

    /// The file at a resolved path; `None` when nothing is there.
    ///
    /// # Errors
    /// [`EditError::directory`], [`EditError::special`], [`EditError::too_large`], or
    /// [`EditError::link_leads_out`] when the path changed since it was resolved.
    fn read(&self, path: &str) -> Result<Option<FileContent>, EditError>;

    /// Every file's path, for "did you mean". May be cut short in a large tree.
    fn list(&self) -> Vec<String>;
}

/// How much of a file the model knows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sight {
    /// It was shown, or itself wrote, exactly this text.
    Whole,
    /// It was shown the whole of an earlier text.
    Changed,
    /// It was shown some lines.
    Part,
    /// It was shown nothing.
    Never,
}

/// What the model has seen; decides whether `write_file` may replace a file (rule W3).
pub trait Seen {
    /// How much the model knows of `path`, whose bytes are `now`. The path is a resolved one.
    fn sight(&self, path: &str, now: &[u8]) -> Sight;
}

/// Every file counts as seen.
#[derive(Debug, Clone, Copy, Default)]
pub struct AllSeen;

impl Seen for AllSeen {
    fn sight(&self, _: &str, _: &[u8]) -> Sight {
        Sight::Whole
    }
}

/// The files as the model last saw them; one that is not listed was never seen.
impl Seen for BTreeMap<String, Vec<u8>> {
    fn sight(&self, path: &str, now: &[u8]) -> Sight {
        match self.get(path) {
            None => Sight::Never,
            Some(bytes) if bytes == now => Sight::Whole,
            Some(_) => Sight::Changed,
        }
    }
}

/// Which paths are not to be edited, beyond those that never are (`.git`).
pub trait Guard {
    /// Why `path` is not to be edited, or `None`. `exists` tells whether the file was there before
    /// this reply. Asked for the path as named and for the one that it resolves to.
    fn refuse(&self, path: &str, exists: bool) -> Option<String>;
}

/// Files in memory, without symlinks.
impl Files for BTreeMap<String, FileContent> {
    fn resolve(&self, path: &str) -> Result<String, EditError> {
        Ok(path.to_string())
    }

    fn read(&self, path: &str) -> Result<Option<FileContent>, EditError> {
        if let Some(file) = self.get(path) {
            return Ok(Some(file.clone()));
        }
        let below = format!("{path}/");
        match self.range(below.clone()..).next() {
            Some((next, _)) if next.starts_with(&below) => Err(EditError::directory(path)),
            _ => Ok(None),
        }
    }

    fn list(&self) -> Vec<String> {
        self.keys().cloned().collect()
    }
}

/// What a reply is applied to and under which rules.
#[derive(Clone, Copy)]
pub struct View<'a> {
    pub files: &'a dyn Files,
    pub seen: &'a dyn Seen,
    pub guard: &'a dyn Guard,
}
