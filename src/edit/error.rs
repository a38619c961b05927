//! Why an edit was refused, in words for the model.

use serde::{Deserialize, Serialize};

/// Upper bound of a message for the model, in bytes.
pub const MAX_MESSAGE: usize = 4000;

/// What kind of refusal it is. The names are part of `mend edit apply --json`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ErrorKind {
    /// The text is in several places.
    Ambiguous,
    /// The text is nowhere in the file.
    NotFound,
    /// The file is not there.
    MissingFile,
    /// A file that was to be created is there and has content.
    Exists,
    /// The reply or the arguments do not have the form that is asked for.
    Malformed,
    /// The path leads out of the worktree.
    OutsideWorktree,
    /// The path is not to be edited.
    Protected,
    /// A whole-file write over text that the model has not seen.
    Stale,
    /// The file is not UTF-8.
    Encoding,
    /// The file is not text.
    Binary,
    /// A bound was reached.
    Limit,
}

impl ErrorKind {
    /// The name as it stands in JSON.
    pub fn name(self) -> &'static str {
        match self {
            ErrorKind::Ambiguous => "ambiguous",
            ErrorKind::NotFound => "not_found",
            ErrorKind::MissingFile => "missing_file",
            ErrorKind::Exists => "exists",
            ErrorKind::Malformed => "malformed",
            ErrorKind::OutsideWorktree => "outside_worktree",
            ErrorKind::Protected => "protected",
            ErrorKind::Stale => "stale",
            ErrorKind::Encoding => "encoding",
            ErrorKind::Binary => "binary",
            ErrorKind::Limit => "limit",
        }
    }
}

/// A refused reply or call. Nothing of it was applied.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[error("{message}")]
pub struct EditError {
    pub kind: ErrorKind,
    /// Which edit of the reply or call, from 1.
    pub edit: Option<usize>,
    /// The path as the model wrote it.
    pub path: Option<String>,
    /// For the model: what is wrong and what to do; at most [`MAX_MESSAGE`] bytes and the edit's
    /// number in front.
    pub message: String,
}

impl EditError {
    pub fn new(kind: ErrorKind, message: impl Into<String>) -> Self {
        EditError {
            kind,
            edit: None,
            path: None,
            message: crate::text::bound(&message.into(), MAX_MESSAGE),
        }
    }

    pub fn malformed(message: impl Into<String>) -> Self {
        Self::new(ErrorKind::Malformed, message)
    }

    /// For a [`Files`](super::Files) whose path leaves the tree through a symlink.
    pub fn link_leads_out(path: &str) -> Self {
        Self::new(
            ErrorKind::OutsideWorktree,
            format!(
                "{path}: a symlink on this path leads out of the worktree, so it is not edited"
            ),
        )
        .at(path)
    }

    /// For a [`Files`](super::Files) that finds a directory where a file was asked for.
    pub fn directory(path: &str) -> Self {
        Self::malformed(format!(
            "{path} is a directory; give the path of a file in it"
        ))
        .at(path)
    }

    /// For a [`Files`](super::Files) that finds a device, socket or pipe.
    pub fn special(path: &str) -> Self {
        Self::malformed(format!("{path} is not a regular file, so it is not edited")).at(path)
    }

    /// For a [`Files`](super::Files) with a bound on the size of one file. Sizes in bytes.
    pub fn too_large(path: &str, size: u64, max: u64) -> Self {
        Self::new(
            ErrorKind::Limit,
            format!("{path} has {size} bytes; files over {max} bytes are not edited"),
        )
        .at(path)
    }

    /// Names the path, as the model wrote it.
    #[must_use]
    pub fn at(mut self, path: &str) -> Self {
        self.path.get_or_insert_with(|| path.to_string());
        self
    }

    /// Puts the number of the edit in front, unless a number stands there already.
    #[must_use]
    pub fn in_edit(mut self, number: usize) -> Self {
        if self.edit.is_none() {
            self.edit = Some(number);
            self.message = format!("edit {number}: {}", self.message);
        }
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_are_bounded_and_numbered_once() {
        let e = EditError::malformed("x".repeat(100_000))
            .in_edit(3)
            .in_edit(4);
        assert!(e.message.starts_with("edit 3: x") && e.message.len() < 4096);
        assert_eq!(e.edit, Some(3));
        let json = serde_json::to_string(&ErrorKind::OutsideWorktree).unwrap();
        assert_eq!(json, format!("\"{}\"", ErrorKind::OutsideWorktree.name()));
    }
}
