//! Reading reports after a run.

use super::ask::{Asked, CTEST, Form};
use super::convert;
use crate::check::CheckError;
use crate::tree::{EntryKind, Tree};
use globset::{GlobBuilder, GlobSet, GlobSetBuilder};
use std::path::Path;
use std::time::SystemTime;

/// Bytes of one report, and of all of one run.
const MAX_FILE: u64 = 8 << 20;
const MAX_ALL: usize = 16 << 20;
const MAX_FILES: usize = 2_000;

/// What was read.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(in crate::check) struct Collected {
    /// JUnit XML, one report after the other; empty where there was none.
    pub xml: Vec<u8>,
    /// What was left out, for the evidence.
    pub left_out: Vec<String>,
}

/// Reads the private file and the files of the tree that this run wrote. `folder` is the command's
/// own, relative to the tree.
pub(in crate::check) fn collect(
    asked: &Asked,
    private: Option<&Path>,
    tree: &Path,
    folder: Option<&str>,
    since: SystemTime,
) -> Result<Collected, CheckError> {
    let mut found = Collected::default();
    if let Some(place) = private.filter(|_| asked.wants_file()) {
        let place = Tree::open(place)?;
        for entry in place.walk()? {
            if entry.kind != EntryKind::File || entry.len == 0 {
                continue;
            }
            match place.read_up_to(&entry.path, MAX_FILE) {
                Ok(bytes) => found.take(asked.form, &bytes),
                Err(_) => found.leave_out("the report", entry.len),
            }
        }
    }
    if !asked.patterns.is_empty()
        && let Some(set) = globs(&asked.patterns, folder)
    {
        found.in_tree(&Tree::open(tree)?, &set, since)?;
    }
    Ok(found)
}

impl Collected {
    fn take(&mut self, form: Form, bytes: &[u8]) {
        let converted = match form {
            Form::Rspec => convert::from_rspec(bytes),
            Form::Jest => convert::from_jest(bytes),
            _ => Some(bytes.to_vec()),
        };
        match converted {
            Some(xml) if self.xml.len() + xml.len() <= MAX_ALL => {
                self.xml.extend_from_slice(&xml);
                self.xml.push(b'\n');
            }
            Some(_) => self.leave_out("a report", bytes.len() as u64),
            None => self.left_out.push("the report could not be read".into()),
        }
    }

    fn leave_out(&mut self, what: &str, len: u64) {
        let words = format!("{what} was left out: {} MB are too many", len >> 20);
        if !self.left_out.contains(&words) {
            self.left_out.push(words);
        }
    }

    fn in_tree(&mut self, tree: &Tree, set: &GlobSet, since: SystemTime) -> Result<(), CheckError> {
        let mut files = 0;
        for entry in tree.walk()? {
            if entry.kind != EntryKind::File || !set.is_match(entry.path.as_str()) {
                continue;
            }
            // What lay there before says nothing about this run.
            let written = tree.modified(&entry.path)?.is_some_and(|at| at >= since);
            if !written {
                continue;
            }
            // What the tests themselves reported says more than one line for each program.
            if !self.xml.is_empty() && entry.path.name() == CTEST {
                continue;
            }
            files += 1;
            if files > MAX_FILES {
                self.left_out
                    .push(format!("reports beyond {MAX_FILES} files were left out"));
                return Ok(());
            }
            match tree.read_up_to(&entry.path, MAX_FILE) {
                Ok(bytes) => self.take(Form::Xml, &bytes),
                Err(_) => self.leave_out("a report", entry.len),
            }
        }
        Ok(())
    }
}

fn globs(patterns: &[String], folder: Option<&str>) -> Option<GlobSet> {
    let mut set = GlobSetBuilder::new();
    for pattern in patterns {
        let whole = match folder {
            // The folder is a name, whatever characters it has.
            Some(folder) => format!("{}/{pattern}", globset::escape(folder)),
            None => pattern.clone(),
        };
        // Checked where it was read; a built-in one is right.
        set.add(
            GlobBuilder::new(&whole)
                .literal_separator(true)
                .build()
                .ok()?,
        );
    }
    set.build().ok()
}
