//! What a command changed in a copy of the tree, taken over (rules B7, C3, W5).

use super::{Workspace, matching};
use crate::edit::Guard;
use crate::tree::{Change, Entry, EntryKind, FileKind, RelPath, Tree, TreeError, write_all};
use std::collections::{BTreeMap, BTreeSet};

/// Files that one command may change.
const MAX_FILES: usize = 200;
/// Bytes that the changed files may have together.
const MAX_BYTES: usize = 16 * 1024 * 1024;

/// What came of a command's changes.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Taken {
    /// The paths that are different now.
    pub written: Vec<String>,
    /// The paths that were left as they were, each with the reason.
    pub put_back: Vec<(String, String)>,
    /// Symbolic links that the command made; none is taken over.
    pub links: Vec<String>,
}

impl Workspace {
    /// Takes over what differs in `other`, a copy of this tree in which a command ran: files that
    /// the repository does not ignore, none of them protected. All or nothing on error.
    ///
    /// # Errors
    /// When a tree cannot be read or written, or the command changed more than is taken over.
    pub fn take_from(&self, other: &Tree) -> Result<Taken, TreeError> {
        let ours = files(self.files()?);
        let theirs = files(matching::unignored(other)?);
        let mut taken = Taken::default();
        let mut batch = Vec::new();
        let mut bytes = 0;
        for path in ours
            .keys()
            .chain(theirs.keys().filter(|p| !ours.contains_key(*p)))
        {
            let Some(after) = differs(&self.tree, other, path)? else {
                continue;
            };
            let existed = ours.contains_key(path);
            if let Some(why) = self.refuse(path.as_str(), existed) {
                taken.put_back.push((path.to_string(), why));
                continue;
            }
            bytes += after.as_ref().map_or(0, |(content, _)| content.len());
            let mode = after.as_ref().map(|(_, mode)| *mode);
            batch.push(Change {
                path: path.clone(),
                after: after.map(|(content, _)| content),
                mode,
            });
            if batch.len() > MAX_FILES || bytes > MAX_BYTES {
                return Err(TreeError::Limit {
                    what: "changed files or bytes",
                    max: MAX_FILES as u64,
                    at: path.to_string(),
                });
            }
        }
        taken.links = self.links(other)?;
        let mut befores = Vec::new();
        for change in &batch {
            befores.push((change.path.clone(), content(&self.tree, &change.path)?));
        }
        let mut state = self.state();
        write_all(&self.tree, &batch)?;
        for (path, before) in befores {
            taken.written.push(path.to_string());
            state.base.entry(path).or_insert(before);
        }
        let put_back = taken.put_back.iter().map(|(path, _)| path.clone());
        state.put_back.extend(put_back);
        Ok(taken)
    }

    /// The links that stand in `other` and not here.
    fn links(&self, other: &Tree) -> Result<Vec<String>, TreeError> {
        let links = |entries: Vec<Entry>| -> BTreeSet<RelPath> {
            let links = entries
                .into_iter()
                .filter(|e| matches!(e.kind, EntryKind::Symlink(_)));
            links.map(|e| e.path).collect()
        };
        let ours = links(self.files()?);
        let mut theirs = links(matching::unignored(other)?);
        theirs.retain(|path| !ours.contains(path));
        Ok(theirs.iter().map(ToString::to_string).collect())
    }

    /// Protected files that commands changed in this task, and that were put back.
    pub fn put_back(&self) -> Vec<String> {
        self.state().put_back.iter().cloned().collect()
    }

    /// A command's output on its way to the model, not yet bounded.
    pub fn shown_output(&self, output: &[u8]) -> String {
        self.shown(&String::from_utf8_lossy(output))
    }
}

type Content = Option<(Vec<u8>, u32)>;

fn files(entries: Vec<Entry>) -> BTreeMap<RelPath, Entry> {
    let files = entries.into_iter().filter(|e| e.kind == EntryKind::File);
    files.map(|e| (e.path.clone(), e)).collect()
}

/// A file's bytes and mode; `None` where no file stands.
fn content(tree: &Tree, path: &RelPath) -> Result<Content, TreeError> {
    match tree.stat(path) {
        Ok(Some(meta)) if meta.kind == FileKind::File => Ok(Some((tree.read(path)?, meta.mode))),
        Ok(_) => Ok(None),
        // A command may have put a link there that leads nowhere good: no file stands there.
        Err(
            TreeError::Outside { .. }
            | TreeError::Loop { .. }
            | TreeError::Dangling { .. }
            | TreeError::Git { .. }
            | TreeError::NotAFolder { .. },
        ) => Ok(None),
        Err(e) => Err(e),
    }
}

/// What stands at a path in `other`, where that differs.
fn differs(ours: &Tree, other: &Tree, path: &RelPath) -> Result<Option<Content>, TreeError> {
    let (before, after) = (content(ours, path)?, content(other, path)?);
    Ok((before != after).then_some(after))
}
