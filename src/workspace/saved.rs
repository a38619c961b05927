//! The change so far and what the model was shown, as data, so that work can go on elsewhere.

use super::seen::Seen;
use super::{Workspace, WorkspaceError};
use crate::tree::{Change, EntryKind, RelPath, TreeError, write_all};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::collections::BTreeSet;

/// What a workspace holds beside its base.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Saved {
    files: Vec<SavedFile>,
    seen: Seen,
    #[serde(default)]
    put_back: BTreeSet<String>,
}

/// One file that differs from base.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct SavedFile {
    path: String,
    mode: u32,
    /// The whole text, where it is text; neither of the two for a deleted file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    text: Option<String>,
    /// The whole content in base64, where it is not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    base64: Option<String>,
}

impl Workspace {
    /// SHA-256 over every path, mode and content of the tree as it stands, in hex.
    ///
    /// # Errors
    /// When a file cannot be read.
    pub fn fingerprint(&self) -> Result<String, WorkspaceError> {
        let mut hash = Sha256::new();
        for entry in self.tree.walk()? {
            hash.update(entry.path.as_str());
            hash.update([0]);
            match entry.kind {
                EntryKind::File => match self.tree.read(&entry.path) {
                    Ok(content) => hash.update(Sha256::digest(content)),
                    Err(TreeError::TooLarge { bytes, .. }) => hash.update(bytes.to_le_bytes()),
                    Err(e) => return Err(e.into()),
                },
                _ => hash.update([1]),
            }
        }
        Ok(hex::encode(hash.finalize()))
    }

    /// The change so far, and what the model knows.
    ///
    /// # Errors
    /// When a changed file can no longer be read.
    pub fn save(&self) -> Result<Saved, WorkspaceError> {
        let files = self.changed()?.into_iter().map(|change| {
            let (mut text, mut base64) = (None, None);
            match change.after.map(String::from_utf8) {
                Some(Ok(whole)) => text = Some(whole),
                Some(Err(e)) => base64 = Some(STANDARD.encode(e.as_bytes())),
                None => {}
            }
            SavedFile {
                path: change.path,
                mode: change.mode,
                text,
                base64,
            }
        });
        let files = files.collect();
        let state = self.state();
        Ok(Saved {
            files,
            seen: state.seen.clone(),
            put_back: state.put_back.clone(),
        })
    }

    /// Puts a saved change onto an untouched base: all of it or nothing.
    ///
    /// # Errors
    /// When a path or content is not valid, or a file cannot be written.
    pub fn resume(&self, saved: &Saved) -> Result<(), WorkspaceError> {
        let mut batch = Vec::new();
        for file in &saved.files {
            let after = match (&file.text, &file.base64) {
                (Some(text), _) => Some(text.clone().into_bytes()),
                (None, Some(coded)) => {
                    let bad = |_| TreeError::BadPath {
                        path: file.path.clone(),
                        why: "its saved content is not base64",
                    };
                    Some(STANDARD.decode(coded).map_err(bad)?)
                }
                (None, None) => None,
            };
            batch.push(Change {
                path: RelPath::parse(&file.path)?,
                after,
                mode: Some(file.mode),
            });
        }
        self.put(&batch)?;
        let mut state = self.state();
        state.seen = saved.seen.clone();
        state.put_back = saved.put_back.clone();
        Ok(())
    }

    /// Puts a change that was made elsewhere onto an untouched base: all of it or nothing.
    ///
    /// # Errors
    /// When a file cannot be read or written.
    pub fn put(&self, batch: &[Change]) -> Result<(), WorkspaceError> {
        let mut base = Vec::new();
        for change in batch {
            let before = match self.tree.stat(&change.path)? {
                Some(meta) => Some((self.tree.read(&change.path)?, meta.mode)),
                None => None,
            };
            base.push((change.path.clone(), before));
        }
        let mut state = self.state();
        write_all(&self.tree, batch)?;
        state.base.extend(base);
        Ok(())
    }
}
