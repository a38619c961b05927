//! The engine's view of a tree on disk.

use mend::edit::{EditError, ErrorKind, FileChange, FileContent, Files};
use mend::tree::{Change, FileKind, RelPath, Tree, TreeError, write_all};

pub struct Disk(pub Tree);

impl Files for Disk {
    fn resolve(&self, path: &str) -> Result<String, EditError> {
        let given = RelPath::parse(path).map_err(|e| refuse(path, &e))?;
        let real = self.0.canonical(&given).map_err(|e| refuse(path, &e))?;
        Ok(real.as_str().to_string())
    }

    fn read(&self, path: &str) -> Result<Option<FileContent>, EditError> {
        let real = RelPath::parse(path).map_err(|e| refuse(path, &e))?;
        let Some(meta) = self.0.stat(&real).map_err(|e| refuse(path, &e))? else {
            return Ok(None);
        };
        if meta.kind == FileKind::Folder {
            return Err(EditError::directory(path));
        }
        let bytes = self.0.read(&real).map_err(|e| refuse(path, &e))?;
        Ok(Some(FileContent {
            bytes,
            mode: meta.mode,
        }))
    }

    fn list(&self) -> Vec<String> {
        let all = self.0.walk().unwrap_or_default();
        all.into_iter()
            .map(|entry| entry.path.as_str().to_string())
            .collect()
    }
}

fn refuse(path: &str, error: &TreeError) -> EditError {
    match error {
        TreeError::Outside { .. } | TreeError::Dangling { .. } => EditError::link_leads_out(path),
        TreeError::NotAFile {
            what: "a folder", ..
        } => EditError::directory(path),
        TreeError::NotAFile { .. } => EditError::special(path),
        TreeError::TooLarge { bytes, max, .. } => EditError::too_large(path, *bytes, *max),
        other => EditError::new(ErrorKind::Malformed, other.to_string()),
    }
}

/// Writes changes, all or none.
pub fn write(tree: &Tree, changes: &[FileChange]) {
    let changes: Vec<Change> = changes
        .iter()
        .map(|change| Change {
            path: RelPath::parse(&change.path).unwrap(),
            after: change.after.clone(),
            mode: Some(change.mode),
        })
        .collect();
    write_all(tree, &changes).unwrap();
}
