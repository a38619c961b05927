//! The `tool` dialect: `edit_file` and `write_file` calls (rules W1 to W3).

mod args;
mod fallback;
mod indent;
mod spec;

pub use args::object_of;
pub use args::{parse_call, parse_call_text};
pub use spec::{EDIT_FILE, ToolText, WRITE_FILE, tool_texts};

use super::content::{FileEnd, Text, lines, list_lines, substring, unify_given};
use super::error::{EditError, ErrorKind};
use super::files::{Sight, View};
use super::miss::{Wanted, ambiguous, missing_file};
use super::path::show;
use super::pending::{Pending, Target};
use super::{Applied, became};
use fallback::{Folds, fallback};

/// One replacement: `old` stands in the file exactly once and becomes `new`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Replace {
    pub old: String,
    pub new: String,
}

/// A checked call of one of the two tools.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ToolCall {
    EditFile {
        path: String,
        edits: Vec<Replace>,
        summary: Option<String>,
        /// Things in the arguments that have no meaning here, to be told.
        notes: Vec<String>,
    },
    WriteFile {
        path: String,
        content: String,
        summary: Option<String>,
        notes: Vec<String>,
    },
}

impl ToolCall {
    /// The path as the model wrote it.
    pub fn path(&self) -> &str {
        match self {
            ToolCall::EditFile { path, .. } | ToolCall::WriteFile { path, .. } => path,
        }
    }

    /// What the model says that the change does.
    pub fn summary(&self) -> Option<&str> {
        match self {
            ToolCall::EditFile { summary, .. } | ToolCall::WriteFile { summary, .. } => {
                summary.as_deref()
            }
        }
    }
}

/// Applies one call to what `view` shows. Nothing is written.
///
/// # Errors
/// The first edit that cannot be applied; then no change counts.
pub fn apply_tool(view: &View<'_>, call: &ToolCall) -> Result<Applied, EditError> {
    let mut pending = Pending::new(view);
    let mut notes = Vec::new();
    match call {
        ToolCall::EditFile {
            path,
            edits,
            notes: odd,
            ..
        } => {
            let target = pending.open(path)?;
            if !pending.is_there(&target.real) {
                let advice = "; write_file creates a file";
                return Err(missing_file(path, pending.listed(), advice));
            }
            for (n, edit) in edits.iter().enumerate() {
                let done = replace(&mut pending, &target, edit);
                notes.push(format!(
                    "edit {}: {}",
                    n + 1,
                    done.map_err(|e| e.in_edit(n + 1))?
                ));
            }
            notes.extend(odd.iter().cloned());
        }
        ToolCall::WriteFile {
            path,
            content,
            notes: odd,
            ..
        } => {
            notes.push(write(&mut pending, path, content)?);
            notes.extend(odd.iter().cloned());
        }
    }
    Ok(pending.finish(notes))
}

/// One edit against the text so far; returns what became of it.
fn replace(
    pending: &mut Pending<'_>,
    target: &Target,
    edit: &Replace,
) -> Result<String, EditError> {
    let (mut old, mut new) = (unify_given(&edit.old), unify_given(&edit.new));
    let Some(text) = pending.text_mut(target) else {
        return Err(missing_file(&target.named, &[], ""));
    };
    let mut hits = substring(text, &old);
    let ends =
        |text: &Text, at: usize| matches!(text.body().as_bytes().get(at), None | Some(b'\n'));
    // A CR at the end that the text does not have belongs to a line end.
    if hits.0.is_empty() && old.len() > 1 && old.ends_with('\r') {
        old.to_mut().pop();
        hits = substring(text, &old);
        hits.0.retain(|hit| ends(text, hit.end));
    }
    if new.ends_with('\r') && !old.ends_with('\r') && hits.0.iter().all(|hit| ends(text, hit.end)) {
        new.to_mut().pop();
    }
    let count = |text: &str| lines(text).count();
    if let Some(range) = hits.only() {
        text.replace(range, &new);
        let same = if old == new { ", nothing changes" } else { "" };
        return Ok(format!("{}{same}", became(count(&old), count(&new))));
    }
    if !hits.0.is_empty() {
        let counted = hits.counted(text);
        return Err(ambiguous(&target.named, "`old`", &counted, ""));
    }
    match fallback(text, &old, &new) {
        Folds::One {
            first,
            bytes,
            old,
            new,
        } => {
            let fresh: Vec<&str> = new.iter().map(String::as_str).collect();
            text.replace_lines(bytes, &fresh, FileEnd::Keep);
            Ok(format!(
                "{} (white space in `old` differed from the file: matched whole lines from line {first} on and indented `new` as the file is)",
                became(old, new.len())
            ))
        }
        Folds::Several(starts) => {
            let counted = format!("{} times ({})", starts.len(), list_lines(&starts));
            Err(ambiguous(
                &target.named,
                "`old`",
                &counted,
                " when white space is not counted, and never exactly",
            ))
        }
        Folds::None => Err(pending.miss(
            target,
            &Wanted {
                what: "`old`",
                old: &old,
                new: &new,
                whole: false,
            },
        )),
    }
}

fn write(pending: &mut Pending<'_>, path: &str, content: &str) -> Result<String, EditError> {
    let target = pending.open(path)?;
    let counted = match lines(content).count() {
        1 => "1 line".to_string(),
        n => format!("{n} lines"),
    };
    let Some(text) = pending.text(&target) else {
        pending.create(&target, Text::new(content), None)?;
        return Ok(format!("created {} with {counted}", show(path)));
    };
    let why = match pending.sight(&target) {
        _ if text.is_empty() => None,
        Sight::Whole => None,
        Sight::Changed => Some("its text changed since you saw it; read it again"),
        Sight::Part => Some("you have not seen all of it; read the rest"),
        Sight::Never => Some("you have not seen it; read it"),
    };
    if let Some(why) = why {
        return Err(EditError::new(
            ErrorKind::Stale,
            format!(
                "{}: write_file would replace the whole file and {why} first, or change a part of it with edit_file",
                show(path)
            ),
        )
        .at(path));
    }
    let had = lines(text.body()).count();
    let new = unify_given(content);
    if let Some(text) = pending.text_mut(&target) {
        text.replace_all(&new);
    }
    Ok(format!(
        "replaced the whole of {}: {}",
        show(path),
        became(had, lines(content).count())
    ))
}
