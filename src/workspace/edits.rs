//! Changes: through the edit engine, written all or none, remembered against base.

use super::{Answer, Workspace};
use crate::edit::{self, Applied, EditError, ErrorKind, FileChange, NEW_FILE_MODE, ToolCall, View};
use crate::text::REDACTED;
use crate::tree::{Change, FileKind, RelPath, TreeError, write_all};
use std::collections::BTreeMap;

/// The content and mode of a file on base; `None` where there was none.
pub(super) type Base = BTreeMap<RelPath, Option<(Vec<u8>, u32)>>;

/// What a call that changes files came to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Edited {
    pub answer: Answer,
    /// The paths that were written; empty when the call was refused or changed nothing.
    pub written: Vec<String>,
    /// What was written, as a unified diff.
    pub diff: String,
    /// How many edits were read and applied; 0 for a reply without any.
    pub edits: usize,
    /// Why the engine refused it.
    pub refused: Option<ErrorKind>,
}

impl Edited {
    fn of(answer: Answer) -> Edited {
        Edited {
            answer,
            written: Vec::new(),
            diff: String::new(),
            edits: 0,
            refused: None,
        }
    }
}

fn as_change(change: &FileChange) -> Result<Change, TreeError> {
    Ok(Change {
        path: RelPath::parse(&change.path)?,
        after: change.after.clone(),
        mode: Some(change.mode),
    })
}

impl Workspace {
    /// Runs `edit_file` or `write_file` (rules W1 to W3).
    pub fn edit(&self, call: &ToolCall) -> Edited {
        let result = self
            .check_redacted(call)
            .and_then(|()| edit::apply_tool(&self.view(), call));
        let whole = matches!(call, ToolCall::WriteFile { .. });
        self.land(result, whole)
    }

    /// Applies a reply of SEARCH/REPLACE blocks (rules E1 to E4).
    pub fn apply_blocks(&self, reply: &str) -> Edited {
        self.land(edit::apply_blocks(&self.view(), reply), false)
    }

    /// Whether a reply holds edits, or what was meant as some. Writes nothing.
    pub fn holds_edits(&self, reply: &str) -> bool {
        edit::apply_blocks(&self.view(), reply).map_or(true, |applied| applied.edits > 0)
    }

    /// Applies a unified diff (rule E7).
    pub fn apply_udiff(&self, reply: &str) -> Edited {
        self.land(edit::apply_udiff(&self.view(), reply), false)
    }

    /// Puts base's text back (rule W16); a file that base did not have is removed.
    pub fn restore_file(&self, path: &str) -> Edited {
        match self.restore(path) {
            Ok((text, written)) => Edited {
                written,
                edits: 1,
                ..Edited::of(self.answer(Ok(text)))
            },
            Err(why) => Edited::of(self.answer(Err(why))),
        }
    }

    /// What differs from base, by path.
    ///
    /// # Errors
    /// When a changed file can no longer be read.
    pub fn changed(&self) -> Result<Vec<FileChange>, TreeError> {
        let state = self.state();
        let mut changes = Vec::new();
        for (path, base) in &state.base {
            let now = match self.tree.stat(path)? {
                Some(meta) if meta.kind == FileKind::File => {
                    Some((self.tree.read(path)?, meta.mode))
                }
                _ => None,
            };
            if now == *base {
                continue;
            }
            let old_mode = base.as_ref().map(|(_, mode)| *mode);
            let mode = now.as_ref().map(|(_, mode)| *mode);
            changes.push(FileChange {
                path: path.as_str().into(),
                old_mode: old_mode.or(mode).unwrap_or(NEW_FILE_MODE),
                mode: mode.or(old_mode).unwrap_or(NEW_FILE_MODE),
                before: base.as_ref().map(|(bytes, _)| bytes.clone()),
                after: now.map(|(bytes, _)| bytes),
            });
        }
        Ok(changes)
    }

    /// The same, as changes of another copy of the tree.
    ///
    /// # Errors
    /// As [`Workspace::changed`].
    pub fn changes(&self) -> Result<Vec<Change>, TreeError> {
        self.changed()?.iter().map(as_change).collect()
    }

    /// The difference from base as one unified diff.
    ///
    /// # Errors
    /// As [`Workspace::changed`].
    pub fn diff(&self) -> Result<String, TreeError> {
        Ok(edit::unified_diff(&self.changed()?))
    }

    fn view(&self) -> View<'_> {
        View {
            files: self,
            seen: self,
            guard: self,
        }
    }

    fn land(&self, result: Result<Applied, EditError>, whole: bool) -> Edited {
        let applied = match result {
            Ok(applied) => applied,
            Err(e) => {
                return Edited {
                    refused: Some(e.kind),
                    ..Edited::of(self.answer(Err(e.message)))
                };
            }
        };
        match self.write(&applied.changes, whole) {
            Ok(written) => {
                let mut text = applied.notes.join("\n");
                if written.is_empty() {
                    text.push_str("\nno change: the files already hold this text");
                }
                Edited {
                    written,
                    edits: applied.edits,
                    diff: applied.diff,
                    ..Edited::of(self.answer(Ok(self.shown(text.trim()))))
                }
            }
            Err(e) => Edited::of(self.answer(Err(format!("nothing was written: {e}")))),
        }
    }

    /// Writes a batch, and remembers what base held and what the model knows now.
    fn write(&self, changes: &[FileChange], whole: bool) -> Result<Vec<String>, TreeError> {
        let batch = changes
            .iter()
            .map(as_change)
            .collect::<Result<Vec<_>, TreeError>>()?;
        let mut state = self.state();
        write_all(&self.tree, &batch)?;
        for (change, Change { path, .. }) in changes.iter().zip(&batch) {
            let before = change.before.clone().map(|bytes| (bytes, change.old_mode));
            state.base.entry(path.clone()).or_insert(before);
            let before = change.before.as_deref().unwrap_or_default();
            let known = whole || change.before.is_none() || state.seen.knows(path, before);
            if let (true, Some(after)) = (known, &change.after) {
                state.seen.know(path, after);
            }
        }
        Ok(changes.iter().map(|c| c.path.clone()).collect())
    }

    fn restore(&self, given: &str) -> Result<(String, Vec<String>), String> {
        let path = self
            .path(given)
            .and_then(|p| {
                p.ok_or_else(|| TreeError::BadPath {
                    path: given.into(),
                    why: "names no file",
                })
            })
            .map_err(|e| e.to_string())?;
        let real = self.tree.canonical(&path).map_err(|e| e.to_string())?;
        let mut state = self.state();
        let Some(base) = state.base.get(&real).cloned() else {
            return Ok((
                format!("`{path}` was not changed by an edit, so it holds its first text"),
                Vec::new(),
            ));
        };
        let change = Change {
            path: real.clone(),
            after: base.as_ref().map(|(bytes, _)| bytes.clone()),
            mode: base.as_ref().map(|(_, mode)| *mode),
        };
        write_all(&self.tree, &[change]).map_err(|e| e.to_string())?;
        let written = vec![String::from(real.clone())];
        match base {
            Some((bytes, _)) => {
                let lines = String::from_utf8_lossy(&bytes).lines().count();
                Ok((
                    format!("`{path}` holds its first text again ({lines} lines)"),
                    written,
                ))
            }
            None => {
                state.seen.forget(&real);
                Ok((
                    format!("`{path}` was removed: it did not exist at first"),
                    written,
                ))
            }
        }
    }

    /// A text that was shown with a secret cut out must not come back as if it were the file's.
    fn check_redacted(&self, call: &ToolCall) -> Result<(), EditError> {
        let (path, texts): (&str, Vec<&str>) = match call {
            ToolCall::EditFile { path, edits, .. } => (
                path,
                edits
                    .iter()
                    .flat_map(|e| [e.old.as_str(), e.new.as_str()])
                    .collect(),
            ),
            ToolCall::WriteFile { path, content, .. } => (path, vec![content]),
        };
        if !texts.iter().any(|t| t.contains(REDACTED)) {
            return Ok(());
        }
        let now = self
            .path(path)
            .ok()
            .flatten()
            .and_then(|p| self.tree.read(&p).ok())
            .unwrap_or_default();
        let now = String::from_utf8_lossy(&now);
        if now.contains(REDACTED) || self.options.redactor.redact(&now) == now {
            return Ok(());
        }
        Err(EditError::new(
            ErrorKind::Protected,
            format!(
                "{path}: `{REDACTED}` stands for a secret that is not shown; use edit_file with `old` and `new` that leave such lines out"
            ),
        )
        .at(path))
    }
}
