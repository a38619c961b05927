//! Edits of files: parsed, resolved, applied to pending content, rendered as a diff. Pure.
//!
//! Three dialects end in one core: `tool` calls ([`apply_tool`]), SEARCH/REPLACE `blocks`
//! ([`apply_blocks`]) and unified diffs ([`apply_udiff`]). Each finds its place by exact text that
//! occurs once; only the tool dialect has a second tier, which leaves white space out of account.
//! A reply or call is applied whole or not at all, and nothing is written here: the answer is a
//! list of changes and one unified diff. What cannot be placed without doubt is refused with a
//! message for the model ([`EditError`]).
//!
//! The engine reads through [`Files`], asks [`Seen`] what the model knows and [`Guard`] what is
//! protected; [`View`] holds the three.

mod blocks;
mod content;
mod diff;
mod error;
mod files;
mod guard;
mod miss;
mod path;
mod pending;
mod tool;
mod udiff;

pub use blocks::{apply_blocks, edit_lines, plain_lines};
pub use diff::unified_diff;
pub use error::{EditError, ErrorKind, MAX_MESSAGE};
pub use files::{AllSeen, FileContent, Files, Guard, NEW_FILE_MODE, Seen, Sight, View};
pub use guard::Protected;
pub use path::clean_path;
pub use tool::{
    EDIT_FILE, Replace, ToolCall, ToolText, WRITE_FILE, apply_tool, object_of, parse_call,
    parse_call_text, tool_texts,
};
pub use udiff::apply_udiff;

/// Edits that one reply or call may hold.
pub const MOST_EDITS: usize = 1000;

/// One file that is different. `before` is `None` for a new file, `after` for a deleted one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileChange {
    /// Resolved path: where the bytes go.
    pub path: String,
    pub before: Option<Vec<u8>>,
    pub after: Option<Vec<u8>>,
    /// Permission bits before; of a new file, those that it gets.
    pub old_mode: u32,
    /// Permission bits after.
    pub mode: u32,
}

/// What an accepted reply or call comes to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Applied {
    /// Every file that is different, deletions first. Empty: no change (rule E8).
    pub changes: Vec<FileChange>,
    /// How many edits were read; 0 for a reply without any.
    pub edits: usize,
    /// One line per edit for the model: how many lines became how many, and what was unusual.
    pub notes: Vec<String>,
    /// The changes as `git apply` takes them.
    pub diff: String,
}

/// "3 lines became 4 lines".
fn became(old: usize, new: usize) -> String {
    let lines = |n: usize| match n {
        1 => "1 line".to_string(),
        n => format!("{n} lines"),
    };
    format!("{} became {}", lines(old), lines(new))
}
