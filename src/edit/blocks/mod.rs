//! The `blocks` dialect: SEARCH/REPLACE blocks in a text reply (rules E1 to E4). SEARCH is whole
//! lines, exact; an empty SEARCH makes a file.

mod looks;
mod name;
mod parse;
mod whole;

pub(super) use parse::reply_lines;
pub use parse::{edit_lines, plain_lines};

use super::Applied;
use super::became;
use super::content::{FileEnd, Text, longest_prefix, whole_lines};
use super::error::{EditError, ErrorKind};
use super::files::View;
use super::miss::{Wanted, ambiguous, missing_file};
use super::path::show;
use super::pending::{Pending, Target};
use super::udiff;
use name::Names;
use parse::{Block, parse};

/// Applies a reply's blocks; without any, its unified diff (rule E7). A reply with neither is no
/// change.
///
/// # Errors
/// The first block or hunk that cannot be applied, then no change counts; and a reply that prints
/// a file instead of editing it (rule E12).
pub fn apply_blocks(view: &View<'_>, reply: &str) -> Result<Applied, EditError> {
    let blocks = parse(reply)?;
    if !blocks.is_empty() {
        return apply(view, &blocks);
    }
    match udiff::apply_if_any(view, reply)? {
        Some(applied) => Ok(applied),
        None => nothing(view, reply),
    }
}

/// The blocks, if there are any.
pub(super) fn apply_if_any(view: &View<'_>, reply: &str) -> Result<Option<Applied>, EditError> {
    let blocks = parse(reply)?;
    if blocks.is_empty() {
        return Ok(None);
    }
    apply(view, &blocks).map(Some)
}

/// A reply without edits: refused when it was meant to have some.
pub(super) fn nothing(view: &View<'_>, reply: &str) -> Result<Applied, EditError> {
    let mut pending = Pending::new(view);
    whole::refuse_whole_files(&mut pending, reply)?;
    let none = vec!["the reply holds no edit".to_string()];
    Ok(Applied {
        edits: 0,
        ..Pending::new(view).finish(none)
    })
}

fn apply(view: &View<'_>, blocks: &[Block<'_>]) -> Result<Applied, EditError> {
    let mut pending = Pending::new(view);
    let targets = targets(&mut pending, blocks)?;
    let mut notes = Vec::new();
    for (n, (block, target)) in blocks.iter().zip(&targets).enumerate() {
        let note = one(&mut pending, block, target).map_err(|e| e.in_edit(n + 1))?;
        notes.push(format!("edit {}: {note}", n + 1));
    }
    Ok(pending.finish(notes))
}

/// Every block's file, checked before any is edited.
fn targets(pending: &mut Pending<'_>, blocks: &[Block<'_>]) -> Result<Vec<Target>, EditError> {
    let mut names = Names::new(pending);
    let mut targets: Vec<Target> = Vec::new();
    for (n, block) in blocks.iter().enumerate() {
        let creates = block.dividers.first() == Some(&0);
        let carried = targets.last().map(|t| t.named.as_str());
        let target = path_of(&mut names, block, creates, carried)
            .and_then(|path| names.open(&path, creates))
            .map_err(|e| e.in_edit(n + 1))?;
        targets.push(target);
    }
    Ok(targets)
}

fn path_of(
    names: &mut Names<'_, '_>,
    block: &Block<'_>,
    creates: bool,
    carried: Option<&str>,
) -> Result<String, EditError> {
    if let Some(above) = block.above
        && let Some(path) = names.named(above, creates, carried)?
    {
        return Ok(path);
    }
    if let Some(path) = block.info.and_then(|info| names.mentioned(info).pop()) {
        return Ok(path);
    }
    carried.map(String::from).ok_or_else(|| {
        EditError::malformed(format!(
            "the block at line {} of the reply names no file: put the path alone on the line above it",
            block.line
        ))
    })
}

fn one(pending: &mut Pending<'_>, block: &Block<'_>, target: &Target) -> Result<String, EditError> {
    let first = block.dividers.first().copied().unwrap_or(0);
    let shown = show(&target.named);
    let parts = |cut: usize| (&block.lines[..cut], &block.lines[cut + 1..]);
    let there = pending.is_there(&target.real);
    if !there || pending.text(target).is_some_and(Text::is_empty) {
        let (search, replace) = parts(first);
        if search.is_empty() {
            return create(pending, target, replace, there);
        }
        if !there {
            let advice = if search.iter().all(|l| l.trim().is_empty()) {
                "; to create it, leave nothing at all between `SEARCH` and the divider"
            } else {
                "; a file is created by a block with an empty SEARCH part"
            };
            return Err(missing_file(&target.named, pending.listed(), advice));
        }
    }
    let Some(text) = pending.text_mut(target) else {
        return Err(missing_file(&target.named, &[], ""));
    };
    let cut = match block.dividers.as_slice() {
        [only] => *only,
        several => {
            let last = several.last().copied().unwrap_or(0);
            longest_prefix(text, &block.lines[..last], several).unwrap_or(first)
        }
    };
    let (search, replace) = parts(cut);
    if search.is_empty() {
        return Err(EditError::new(
            ErrorKind::Exists,
            format!(
                "{shown} exists and has content, so an empty SEARCH part does not say where to edit; \
                 put the lines to replace into it"
            ),
        )
        .at(&target.named));
    }
    no_nul(replace, target)?;
    let hits = whole_lines(text, search);
    if let Some(range) = hits.only() {
        text.replace_lines(range, replace, FileEnd::Keep);
        let same = if search == replace {
            ", nothing changes"
        } else {
            ""
        };
        return Ok(format!(
            "{shown}: {}{same}",
            became(search.len(), replace.len())
        ));
    }
    if !hits.0.is_empty() {
        let counted = hits.counted(text);
        return Err(ambiguous(&target.named, "the SEARCH part", &counted, ""));
    }
    Err(pending.miss(
        target,
        &Wanted {
            what: "the SEARCH part",
            old: &search.join("\n"),
            new: &replace.join("\n"),
            whole: true,
        },
    ))
}

fn create(
    pending: &mut Pending<'_>,
    target: &Target,
    content: &[&str],
    there: bool,
) -> Result<String, EditError> {
    no_nul(content, target)?;
    let mut text = content.join("\n");
    if !content.is_empty() {
        text.push('\n');
    }
    match pending.text_mut(target) {
        Some(empty) if there => empty.replace_all(&text),
        _ => pending.create(target, Text::new(&text), None)?,
    }
    let made = if there { "filled" } else { "created" };
    let count = match content.len() {
        1 => "1 line".to_string(),
        n => format!("{n} lines"),
    };
    Ok(format!("{made} {} with {count}", show(&target.named)))
}

fn no_nul(lines: &[&str], target: &Target) -> Result<(), EditError> {
    if lines.iter().any(|line| line.contains('\0')) {
        return Err(EditError::malformed(format!(
            "{}: the new text holds a NUL character; only text files are written",
            show(&target.named)
        ))
        .at(&target.named));
    }
    Ok(())
}
