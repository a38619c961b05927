//! Several files, all or none.

use std::ffi::CString;

use super::{FileKind, RelPath, Tree, TreeError};

/// One file to write (`after`) or to remove (`None`).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Change {
    pub path: RelPath,
    pub after: Option<Vec<u8>>,
    /// Permission bits; `None` keeps those of the existing file.
    pub mode: Option<u32>,
}

/// What undoes one change.
struct Undo {
    path: RelPath,
    before: Before,
    made: Vec<RelPath>,
}

/// What stood at a path.
enum Before {
    Nothing,
    File(Vec<u8>, u32),
    /// Only where the link itself is to be removed.
    Link(CString),
}

/// Makes every change or none: on an error, what was already written is put back and the folders
/// that were made are removed again.
///
/// # Errors
/// The first change's error; `PutBack` when putting back failed as well.
pub fn write_all(tree: &Tree, changes: &[Change]) -> Result<(), TreeError> {
    // Everything that can be refused is refused before the first byte is written.
    let before = changes
        .iter()
        .map(|c| look(tree, c))
        .collect::<Result<Vec<_>, _>>()?;
    let mut done: Vec<Undo> = Vec::new();
    for (change, before) in changes.iter().zip(before) {
        let result = match &change.after {
            Some(bytes) => tree.write_noting(&change.path, bytes, change.mode),
            None if matches!(before, Before::Nothing) => Ok(Vec::new()),
            None => tree.remove(&change.path).map(|()| Vec::new()),
        };
        match result {
            Ok(made) => done.push(Undo {
                path: change.path.clone(),
                before,
                made,
            }),
            Err(first) => return Err(put_back(tree, done, first)),
        }
    }
    Ok(())
}

fn look(tree: &Tree, change: &Change) -> Result<Before, TreeError> {
    let path = &change.path;
    if change.after.is_none()
        && let Some(target) = tree.link_target(path)?
    {
        return Ok(Before::Link(target));
    }
    match tree.stat(path)? {
        None => Ok(Before::Nothing),
        Some(meta) if meta.kind == FileKind::File => Ok(Before::File(tree.read(path)?, meta.mode)),
        Some(meta) => Err(TreeError::NotAFile {
            path: path.clone(),
            what: match meta.kind {
                FileKind::Folder => "a folder",
                _ => "a special file",
            },
        }),
    }
}

fn put_back(tree: &Tree, done: Vec<Undo>, first: TreeError) -> TreeError {
    for undo in done.into_iter().rev() {
        let result = match &undo.before {
            Before::File(bytes, mode) => tree.write(&undo.path, bytes, Some(*mode)),
            Before::Link(target) => tree.make_link(&undo.path, target),
            Before::Nothing => match tree.remove(&undo.path) {
                Err(TreeError::Missing { .. }) => Ok(()),
                other => other,
            },
        };
        if let Err(second) = result {
            return TreeError::PutBack {
                path: undo.path,
                first: Box::new(first),
                second: Box::new(second),
            };
        }
        for folder in undo.made.iter().rev() {
            // Not empty means that something else lives there now.
            let _ = tree.remove_empty(folder);
        }
    }
    first
}
