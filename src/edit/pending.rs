//! Pending content: what the files would hold. Edits see each other's work here; nothing is
//! written.

use super::content::{Flaw, Text};
use super::diff::unified_diff;
use super::error::{EditError, ErrorKind};
use super::files::{FileContent, NEW_FILE_MODE, Sight, View};
use super::miss::{Wanted, missing_file, not_found};
use super::path::{clean_path, show};
use super::{Applied, FileChange};
use std::collections::BTreeMap;

/// One file of the reply.
struct Slot {
    before: Option<FileContent>,
    /// `None`: no such file.
    now: Option<Text>,
    mode: u32,
}

/// The resolved path of a file that was looked at, with the name that the model used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Target {
    /// As the model wrote it.
    pub named: String,
    pub real: String,
}

pub(super) struct Pending<'a> {
    view: View<'a>,
    slots: BTreeMap<String, Slot>,
    listed: Option<Vec<String>>,
}

impl<'a> Pending<'a> {
    pub fn new(view: &View<'a>) -> Self {
        Pending {
            view: *view,
            slots: BTreeMap::new(),
            listed: None,
        }
    }

    /// Checks a path and reads what is there. A name with back-slashes means the file of that
    /// literal name if there is one, else the slashed one.
    pub fn open(&mut self, named: &str) -> Result<Target, EditError> {
        self.look(named).map_err(|e| e.at(named))
    }

    fn look(&mut self, named: &str) -> Result<Target, EditError> {
        let clean = clean_path(named)?;
        if clean.contains('\\') {
            if let Ok(real) = self.load(&clean)
                && self.is_there(&real)
            {
                return self.checked(named, &clean, real);
            }
            let slashed = clean_path(&clean.replace('\\', "/"))?;
            let real = self.load(&slashed)?;
            return self.checked(named, &slashed, real);
        }
        let real = self.load(&clean)?;
        self.checked(named, &clean, real)
    }

    /// Whether a path that the model may have meant names something, now or pending; also when it
    /// may not be edited.
    pub fn names_file(&mut self, path: &str) -> bool {
        let Ok(clean) = clean_path(path) else {
            return false;
        };
        let slashed = clean.replace('\\', "/");
        [clean, slashed].iter().any(|form| match self.load(form) {
            Ok(real) => self.is_there(&real),
            Err(e) => e.kind != ErrorKind::Malformed,
        })
    }

    fn load(&mut self, clean: &str) -> Result<String, EditError> {
        let real = self.view.files.resolve(clean)?;
        let real = clean_path(&real)?;
        if !self.slots.contains_key(&real) {
            let before = self.view.files.read(&real)?;
            let now = match &before {
                Some(file) => Some(
                    Text::decode(&file.bytes).map_err(|flaw| refuse(clean, &file.bytes, flaw))?,
                ),
                None => None,
            };
            let mode = before.as_ref().map_or(NEW_FILE_MODE, |f| f.mode);
            self.slots.insert(real.clone(), Slot { before, now, mode });
        }
        Ok(real)
    }

    fn checked(&self, named: &str, clean: &str, real: String) -> Result<Target, EditError> {
        let exists = self.slots.get(&real).is_some_and(|s| s.before.is_some());
        for path in [clean, real.as_str()] {
            if let Some(reason) = self.view.guard.refuse(path, exists) {
                return Err(EditError::new(
                    ErrorKind::Protected,
                    format!("{} is protected: {reason}", show(named)),
                ));
            }
        }
        Ok(Target {
            named: named.to_string(),
            real,
        })
    }

    pub fn is_there(&self, real: &str) -> bool {
        self.slots.get(real).is_some_and(|s| s.now.is_some())
    }

    /// The text of a file that is there.
    pub fn text(&self, target: &Target) -> Option<&Text> {
        self.slots.get(&target.real)?.now.as_ref()
    }

    pub fn text_mut(&mut self, target: &Target) -> Option<&mut Text> {
        self.slots.get_mut(&target.real)?.now.as_mut()
    }

    /// The error of a text that is not in the file.
    pub fn miss(&self, target: &Target, wanted: &Wanted<'_>) -> EditError {
        let slot = self.slots.get(&target.real);
        let Some(text) = slot.and_then(|slot| slot.now.as_ref()) else {
            return missing_file(&target.named, &[], "");
        };
        let before = slot.and_then(|slot| slot.before.as_ref());
        let before = before.filter(|file| !text.is_same(&file.bytes));
        let before = before.and_then(|file| Text::decode(&file.bytes).ok());
        not_found(text, before.as_ref(), &target.named, wanted)
    }

    /// How much of the file the model has seen.
    pub fn sight(&self, target: &Target) -> Sight {
        match self.slots.get(&target.real).and_then(|s| s.before.as_ref()) {
            Some(file) => self.view.seen.sight(&target.real, &file.bytes),
            None => Sight::Whole,
        }
    }

    /// Makes a file that is not there.
    pub fn create(
        &mut self,
        target: &Target,
        text: Text,
        mode: Option<u32>,
    ) -> Result<(), EditError> {
        if let Some(file) = self.file_above(&target.real)? {
            return Err(EditError::malformed(format!(
                "{}: {file} is a file, not a directory",
                show(&target.named)
            ))
            .at(&target.named));
        }
        let named = &target.named;
        if named.split(['/', '\\']).any(|part| part.trim() != part) {
            return Err(EditError::malformed(format!(
                "`{}`: a new file's name neither begins nor ends with white space",
                show(named)
            ))
            .at(named));
        }
        if let Some(slot) = self.slots.get_mut(&target.real) {
            slot.now = Some(text);
            if let Some(mode) = mode {
                slot.mode = mode;
            }
        }
        Ok(())
    }

    /// A file where a new path needs a directory.
    fn file_above(&mut self, real: &str) -> Result<Option<String>, EditError> {
        for (at, _) in real.match_indices('/') {
            let above = &real[..at];
            let there = match self.slots.get(above) {
                Some(slot) => slot.now.is_some(),
                None => matches!(self.view.files.read(above), Ok(Some(_))),
            };
            if there {
                return Ok(Some(above.to_string()));
            }
        }
        let below = format!("{real}/");
        let pending_below = self
            .slots
            .range(below.clone()..)
            .take_while(|(path, _)| path.starts_with(&below))
            .any(|(_, slot)| slot.now.is_some());
        if pending_below {
            return Err(EditError::directory(real));
        }
        Ok(None)
    }

    pub fn delete(&mut self, target: &Target) {
        if let Some(slot) = self.slots.get_mut(&target.real) {
            slot.now = None;
        }
    }

    pub fn mode(&self, target: &Target) -> u32 {
        self.slots
            .get(&target.real)
            .map_or(NEW_FILE_MODE, |s| s.mode)
    }

    pub fn set_mode(&mut self, target: &Target, mode: u32) {
        if let Some(slot) = self.slots.get_mut(&target.real) {
            slot.mode = mode;
        }
    }

    /// Every path of the tree and of pending files.
    pub fn listed(&mut self) -> &[String] {
        let files = self.view.files;
        let pending = self
            .slots
            .iter()
            .filter(|(_, s)| s.now.is_some() && s.before.is_none());
        let new: Vec<String> = pending.map(|(path, _)| path.clone()).collect();
        let list = self.listed.get_or_insert_with(|| files.list());
        for path in new {
            if !list.contains(&path) {
                list.push(path);
            }
        }
        list
    }

    /// What is different from before, deletions first.
    pub fn finish(self, notes: Vec<String>) -> Applied {
        let mut changes: Vec<FileChange> = self
            .slots
            .into_iter()
            .filter_map(|(path, slot)| {
                let after = slot.now.map(|text| text.encode());
                let (before, old_mode) = match slot.before {
                    Some(file) => (Some(file.bytes), file.mode),
                    None => (None, slot.mode),
                };
                let same = before == after && (after.is_none() || old_mode == slot.mode);
                (!same).then_some(FileChange {
                    path,
                    before,
                    after,
                    old_mode,
                    mode: slot.mode,
                })
            })
            .collect();
        changes.sort_by_key(|change| change.after.is_some());
        let diff = unified_diff(&changes);
        Applied {
            changes,
            edits: notes.len(),
            notes,
            diff,
        }
    }
}

fn refuse(path: &str, bytes: &[u8], flaw: Flaw) -> EditError {
    let path = show(path);
    let utf16 = bytes.starts_with(&[0xFF, 0xFE]) || bytes.starts_with(&[0xFE, 0xFF]);
    match flaw {
        Flaw::Binary if utf16 => EditError::new(
            ErrorKind::Binary,
            format!("{path} is UTF-16, not UTF-8, so it is left as it is"),
        ),
        Flaw::Binary => EditError::new(
            ErrorKind::Binary,
            format!("{path} is binary (it holds a NUL byte), so it is left as it is"),
        ),
        Flaw::Encoding(at) => {
            let line = memchr::memchr_iter(b'\n', &bytes[..at]).count() + 1;
            EditError::new(
                ErrorKind::Encoding,
                format!(
                    "{path} is not UTF-8 (line {line}, byte {at} of the file), so it is left as it is"
                ),
            )
        }
    }
}
