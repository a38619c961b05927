//! The `udiff` dialect (rule E7): context decides where a hunk goes, exactly and once; numbers and
//! counts are hints, and a stated line breaks a tie.

mod header;
mod hunk;
mod parse;
mod place;

use super::Applied;
use super::became;
use super::blocks;
use super::content::{Text, lines};
use super::error::{EditError, ErrorKind};
use super::files::View;
use super::miss::missing_file;
use super::path::show;
use super::pending::{Pending, Target};
use header::Plan;
use hunk::Hunk;
use parse::{FileDiff, parse};
use place::place;

/// Applies a reply's unified diffs; without any, its blocks. A reply with neither is no change.
///
/// # Errors
/// The first hunk that cannot be applied; then no change counts.
pub fn apply_udiff(view: &View<'_>, reply: &str) -> Result<Applied, EditError> {
    if let Some(applied) = apply_if_any(view, reply)? {
        return Ok(applied);
    }
    match blocks::apply_if_any(view, reply)? {
        Some(applied) => Ok(applied),
        None => blocks::nothing(view, reply),
    }
}

/// The diffs, if there are any.
pub(super) fn apply_if_any(view: &View<'_>, reply: &str) -> Result<Option<Applied>, EditError> {
    let files = parse(reply)?;
    if files.is_empty() {
        if reply.lines().any(|l| l.trim_end() == "*** Begin Patch") {
            return Err(EditError::malformed(
                "a patch between `*** Begin Patch` and `*** End Patch` is not applied; send \
                 SEARCH/REPLACE blocks or a unified diff",
            ));
        }
        return Ok(None);
    }
    let mut pending = Pending::new(view);
    let mut planned = Vec::new();
    for file in &files {
        let plan = settle(&mut pending, file.header.plan()?)?;
        planned.push((file, plan));
    }
    let mut session = Session {
        pending,
        notes: Vec::new(),
        number: 0,
    };
    for (file, plan) in planned {
        session.file(file, plan)?;
    }
    Ok(Some(session.pending.finish(session.notes)))
}

/// A plan with its paths checked.
enum Settled {
    Edit(Target),
    Create(Target),
    Delete(Target),
    Rename(Target, Target),
}

/// Checks every path; where a header leaves two readings, the file that is there decides.
fn settle(pending: &mut Pending<'_>, plan: Plan) -> Result<Settled, EditError> {
    Ok(match plan {
        Plan::Edit(path) => Settled::Edit(pending.open(&path)?),
        Plan::EditOne(old, new) => {
            let (from, to) = (pending.open(&old)?, pending.open(&new)?);
            match (pending.is_there(&from.real), pending.is_there(&to.real)) {
                (false, _) => Settled::Edit(to),
                // Git's prefix on one side only, and no such folder.
                (true, false) if new.strip_prefix("b/") == Some(&old) => Settled::Edit(from),
                (true, _) => {
                    return Err(EditError::malformed(format!(
                        "the diff names two files, {} and {}; to rename one, say `rename from` and \
                         `rename to` under `diff --git`",
                        show(&old),
                        show(&new)
                    ))
                    .at(&new));
                }
            }
        }
        Plan::Create(path) => Settled::Create(pending.open(&path)?),
        Plan::Delete(path) => {
            let target = pending.open(&path)?;
            let whole = format!("a/{path}");
            if !pending.is_there(&target.real) && pending.names_file(&whole) {
                return Ok(Settled::Delete(pending.open(&whole)?));
            }
            Settled::Delete(target)
        }
        Plan::Rename(from, to) => Settled::Rename(pending.open(&from)?, pending.open(&to)?),
    })
}

struct Session<'a> {
    pending: Pending<'a>,
    notes: Vec<String>,
    /// Hunks so far.
    number: usize,
}

impl Session<'_> {
    fn file(&mut self, file: &FileDiff<'_>, plan: Settled) -> Result<(), EditError> {
        match plan {
            Settled::Create(target) => self.create(file, &target),
            Settled::Delete(target) => self.delete(file, &target),
            Settled::Edit(target) => {
                let adds_only = |h: &Hunk<'_>| h.lines.iter().all(|l| l.sign == '+');
                let bare = self.pending.text(&target).is_none_or(Text::is_empty);
                if bare && !file.hunks.is_empty() && file.hunks.iter().all(adds_only) {
                    return self.create(file, &target);
                }
                self.edit(file, &target)
            }
            Settled::Rename(from, to) => {
                self.rename(&from, &to)?;
                self.edit(file, &to)
            }
        }
    }

    fn edit(&mut self, file: &FileDiff<'_>, target: &Target) -> Result<(), EditError> {
        if !self.pending.is_there(&target.real) {
            let advice = "; a diff creates a file with `--- /dev/null`";
            return Err(missing_file(&target.named, self.pending.listed(), advice));
        }
        let header = &file.header;
        if let Some(mode) = header.new_mode {
            self.pending.set_mode(target, mode);
        }
        if file.hunks.is_empty() && header.new_mode.is_none() && header.rename.0.is_none() {
            return Err(EditError::malformed(format!(
                "the diff of {} at line {} of the reply has no hunks",
                show(&target.named),
                header.line
            ))
            .at(&target.named));
        }
        let mut shift = 0;
        for hunk in &file.hunks {
            self.number += 1;
            let number = self.number;
            let done = place(&mut self.pending, target, hunk, &mut shift)
                .map_err(|e| e.in_edit(number))?;
            self.notes
                .push(format!("edit {number}: {}: {done}", show(&target.named)));
        }
        Ok(())
    }

    fn create(&mut self, file: &FileDiff<'_>, target: &Target) -> Result<(), EditError> {
        let named = &target.named;
        let shown = show(named);
        if self
            .pending
            .text(target)
            .is_some_and(|text| !text.is_empty())
        {
            return Err(EditError::new(
                ErrorKind::Exists,
                format!(
                    "{shown} exists and has content; a diff from /dev/null does not replace it"
                ),
            )
            .at(named));
        }
        self.number += 1;
        // A blank line without its `+` is one of the file's.
        let all: Vec<_> = file.hunks.iter().flat_map(|h| &h.lines).collect();
        if let Some(odd) = all.iter().find(|l| l.sign != '+' && !l.bare) {
            return Err(EditError::malformed(format!(
                "{shown} is to be created, but its diff has a line that is not added: {}",
                show(odd.text)
            ))
            .at(named)
            .in_edit(self.number));
        }
        let mut text = String::new();
        for line in &all {
            text.push_str(line.text);
            text.push('\n');
        }
        if all.last().is_some_and(|l| l.open) {
            text.pop();
        }
        no_nul(&text, target)?;
        match self.pending.text_mut(target) {
            Some(empty) => empty.replace_all(&text),
            None => {
                let mode = file.header.new_file_mode;
                self.pending.create(target, Text::new(&text), mode)?;
            }
        }
        let count = became(0, lines(&text).count());
        self.notes
            .push(format!("edit {}: created {shown}: {count}", self.number));
        Ok(())
    }

    fn delete(&mut self, file: &FileDiff<'_>, target: &Target) -> Result<(), EditError> {
        let Some(text) = self.pending.text(target) else {
            return Err(missing_file(&target.named, self.pending.listed(), ""));
        };
        self.number += 1;
        let all = || file.hunks.iter().flat_map(|h| &h.lines);
        if let Some(odd) = all().find(|l| l.sign != '-') {
            return Err(EditError::malformed(format!(
                "{} is to be deleted, but its diff has a line that is not removed: {}",
                show(&target.named),
                show(odd.text)
            ))
            .at(&target.named)
            .in_edit(self.number));
        }
        if !all().map(|l| l.text).eq(lines(text.body())) {
            return Err(EditError::new(
                ErrorKind::NotFound,
                format!(
                    "{} is to be deleted, but the lines that its diff removes are not the file's lines",
                    show(&target.named)
                ),
            )
            .at(&target.named)
            .in_edit(self.number));
        }
        let count = lines(text.body()).count();
        self.pending.delete(target);
        self.notes.push(format!(
            "edit {}: deleted {}: {}",
            self.number,
            show(&target.named),
            became(count, 0)
        ));
        Ok(())
    }

    fn rename(&mut self, from: &Target, to: &Target) -> Result<(), EditError> {
        let Some(text) = self.pending.text(from).cloned() else {
            return Err(missing_file(&from.named, self.pending.listed(), ""));
        };
        if self.pending.is_there(&to.real) {
            return Err(EditError::new(
                ErrorKind::Exists,
                format!(
                    "{} exists, so {} is not renamed to it",
                    show(&to.named),
                    show(&from.named)
                ),
            )
            .at(&to.named));
        }
        let mode = self.pending.mode(from);
        self.pending.delete(from);
        self.pending.create(to, text, Some(mode))?;
        self.notes.push(format!(
            "renamed {} to {}",
            show(&from.named),
            show(&to.named)
        ));
        Ok(())
    }
}

fn no_nul(text: &str, target: &Target) -> Result<(), EditError> {
    if text.contains('\0') {
        return Err(EditError::malformed(format!(
            "{}: the new text holds a NUL character; only text files are written",
            show(&target.named)
        ))
        .at(&target.named));
    }
    Ok(())
}
