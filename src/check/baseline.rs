//! What the check said about an untouched commit, kept from task to task: the second issue on the same
//! commit needs no second base check.

use super::{CheckCommand, RunOptions};
use crate::domain::{CheckRun, Outcome};
use crate::tree::{RelPath, Tree, TreeError, make_folder};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::path::PathBuf;
use std::time::{Duration, SystemTime};

/// Goes up when a run of the same inputs would be judged otherwise.
const VERSION: &str = concat!("mend baseline 1 ", env!("CARGO_PKG_VERSION"));
/// Bytes of all files together.
const MAX_BYTES: u64 = 256 << 20;
/// Bytes of one file.
const MAX_FILE: u64 = 8 << 20;
/// What the machine has may change behind mend's back, so nothing is kept for longer.
const KEPT: Duration = Duration::from_secs(7 * 24 * 3600);

/// The runs on one commit.
#[derive(Debug, Clone)]
pub struct Baseline {
    /// A folder of mend's own, made when it is missing; never shown to a sandbox.
    pub folder: PathBuf,
    /// The repository, in a word that no other has.
    pub repo: String,
    /// The commit, as 40 hexadecimal digits.
    pub commit: String,
}

/// One file.
#[derive(Debug, Serialize, Deserialize)]
struct Kept {
    run: CheckRun,
    output: String,
}

impl Baseline {
    fn path(
        &self,
        command: &CheckCommand,
        set_up: &str,
        options: &RunOptions,
    ) -> Result<RelPath, TreeError> {
        let mut hash = Sha256::new();
        let mut add = |text: &str| {
            hash.update((text.len() as u64).to_le_bytes());
            hash.update(text);
        };
        for text in [VERSION, &self.repo, &self.commit, set_up, &command.shown()] {
            add(text);
        }
        for (name, value) in options.env.iter().chain(&command.env) {
            add(name);
            add(value);
        }
        add(&format!(
            "{:?} {:?} {}",
            options.limit, command.limit_s, command.named
        ));
        if options.git.is_some() {
            add("git");
        }
        RelPath::parse(&format!("{}.json", hex::encode(&hash.finalize()[..20])))
    }

    /// The run of a command on this commit, where one is kept. `set_up` names the state of the
    /// dependencies.
    pub(super) fn get(
        &self,
        command: &CheckCommand,
        set_up: &str,
        options: &RunOptions,
    ) -> Option<CheckRun> {
        let tree = Tree::open(&self.folder).ok()?;
        let path = self.path(command, set_up, options).ok()?;
        let written = tree.modified(&path).ok()??;
        let age = SystemTime::now()
            .duration_since(written)
            .unwrap_or_default();
        if age > KEPT {
            return None;
        }
        let kept: Kept = serde_json::from_slice(&tree.read_up_to(&path, MAX_FILE).ok()?).ok()?;
        let mut run = kept.run;
        run.output = kept.output;
        run.classification.evidence.push(format!(
            "run on this commit {} before, and kept",
            match age.as_secs() / 60 {
                0 => "less than a minute".to_string(),
                1 => "1 minute".to_string(),
                minutes if minutes < 120 => format!("{minutes} minutes"),
                minutes => format!("{} hours", minutes / 60),
            }
        ));
        Some(run)
    }

    /// Keeps a run that says something about the project; the oldest ones go when it gets too much.
    ///
    /// # Errors
    /// When the folder cannot be made or written.
    pub(super) fn put(
        &self,
        command: &CheckCommand,
        set_up: &str,
        options: &RunOptions,
        run: &CheckRun,
    ) -> Result<(), TreeError> {
        let tells = matches!(
            run.classification.outcome,
            Outcome::Passed | Outcome::Failed
        );
        if !tells {
            return Ok(());
        }
        make_folder(&self.folder, 0o700)?;
        let tree = Tree::open(&self.folder)?;
        let kept = Kept {
            run: run.clone(),
            output: run.output.clone(),
        };
        let Ok(bytes) = serde_json::to_vec(&kept) else {
            return Ok(());
        };
        if bytes.len() as u64 <= MAX_FILE {
            tree.write(&self.path(command, set_up, options)?, &bytes, Some(0o600))?;
            trim(&tree, MAX_BYTES)?;
        }
        Ok(())
    }
}

/// Removes the oldest files until the rest is small enough.
fn trim(tree: &Tree, max: u64) -> Result<(), TreeError> {
    let mut files = Vec::new();
    for entry in tree.walk()? {
        if let Some(at) = tree.modified(&entry.path)? {
            files.push((at, entry));
        }
    }
    files.sort_by_key(|(at, _)| *at);
    let mut all: u64 = files.iter().map(|(_, e)| e.len).sum();
    for (_, entry) in files {
        if all <= max {
            break;
        }
        tree.remove(&entry.path)?;
        all = all.saturating_sub(entry.len);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_oldest_go_first() {
        let dir = tempfile::tempdir().unwrap();
        let tree = Tree::open(dir.path()).unwrap();
        for (n, name) in ["b", "c", "a"].iter().enumerate() {
            let path = RelPath::parse(name).unwrap();
            tree.write(&path, &[0; 100], None).unwrap();
            let file = std::fs::File::options()
                .write(true)
                .open(dir.path().join(name));
            let at = SystemTime::UNIX_EPOCH + Duration::from_secs(1_000 + n as u64);
            file.unwrap().set_modified(at).unwrap();
        }
        trim(&tree, 200).unwrap();
        let left: Vec<_> = tree
            .walk()
            .unwrap()
            .iter()
            .map(|e| e.path.to_string())
            .collect();
        assert_eq!(left, ["a", "c"]);
    }
}
