//! What the harness finds out about a finished change beside its check: whether an added test is a
//! reproduction, and what weakens a green run.

use super::{FixError, Input, apart};
use crate::agent::Base;
use crate::check::{self, CheckCommand, CheckError, Checks, Prover, Runs, overall, test_scripts};
use crate::domain::{CheckPair, CheckRun, Outcome, Reproduction, Weakness, WeaknessKind};
use crate::edit::{FileChange, NEW_FILE_MODE};
use crate::gate::{self, Called, Changed, Surroundings};
use crate::tree::{Change, EntryKind, RelPath, Tree};
use crate::workspace::{Matcher, Options};
use std::collections::BTreeSet;

/// The patterns by which a path is a test.
fn tests(input: &Input<'_>) -> Result<Matcher, FixError> {
    let patterns = input.config.test_paths.clone();
    let patterns = patterns.unwrap_or_else(|| Options::default().tests);
    Ok(Matcher::new(&patterns, false)?)
}

pub(super) fn prover<'a>(
    input: &Input<'_>,
    base: &'a Checks,
    start: &'a Checks,
) -> Result<Prover<'a>, FixError> {
    let matcher = tests(input)?;
    // What pytest loads unasked is no test, and must not speak on the untouched code.
    let is_test = move |path: &RelPath| path.name() != "conftest.py" && matcher.matches(path);
    let report = format!("{}\n{}", input.report.title, input.report.body);
    let follow_up = input.start.is_some();
    let is_test = Box::new(is_test);
    Ok(Prover::new(base, start, follow_up, is_test, report)?)
}

/// What was found.
pub(super) struct Found {
    pub(super) reproductions: Vec<Reproduction>,
    pub(super) weaknesses: Vec<Weakness>,
    /// The check on base and with the change, compared; empty where it was not made.
    pub(super) pairs: Vec<CheckPair>,
}

/// A check over this many milliseconds is not run once more to see whether it can still fail.
const QUICK_MS: u64 = 60_000;

/// Looks at the work as it ended. No run that cannot be made here ends the task.
pub(super) async fn find(
    input: &Input<'_>,
    prover: &Prover<'_>,
    base: &Base,
    after: Option<&[CheckRun]>,
    changes: &[FileChange],
) -> Result<Found, FixError> {
    let mut found = Found {
        reproductions: Vec::new(),
        weaknesses: Vec::new(),
        pairs: Vec::new(),
    };
    if changes.is_empty() {
        return Ok(found);
    }
    let as_changes = changes.iter().map(|c| {
        Ok(Change {
            path: RelPath::parse(&c.path)?,
            after: c.after.clone(),
            mode: Some(c.mode),
        })
    });
    let as_changes: Vec<Change> = as_changes.collect::<Result<_, FixError>>()?;
    let after = after.unwrap_or_default();
    if !after.is_empty() {
        found.reproductions = prove(input, prover, base, after, &as_changes).await;
    }
    found.pairs = check::pairs(base.runs(), after);
    apart::added_failing(&mut found.pairs, &mut found.reproductions);
    found.weaknesses = weaknesses(input, prover, changes)?;
    let runs = Runs {
        changes: &as_changes,
        base: base.runs(),
        after,
    };
    let beside = apart::look(input, prover, runs, &mut found.pairs, &found.reproductions).await;
    found.weaknesses.extend(beside);
    // Worth a further run only where the change would be ready on the word of the check.
    let green = !after.is_empty() && overall(after) == Outcome::Passed;
    let red_before = base
        .runs()
        .map(overall)
        .is_some_and(|o| o != Outcome::Passed);
    let proven = red_before || found.reproductions.iter().any(|r| r.red_to_green);
    let spent: u64 = after.iter().map(|r| r.duration_ms).sum();
    let held = found.weaknesses.iter().any(|w| w.kind.holds_back());
    if green && proven && !held && spent <= QUICK_MS {
        found
            .weaknesses
            .extend(deaf(input, prover, &as_changes).await);
    }
    Ok(found)
}

async fn prove(
    input: &Input<'_>,
    prover: &Prover<'_>,
    base: &Base,
    after: &[CheckRun],
    changes: &[Change],
) -> Vec<Reproduction> {
    let runs = Runs {
        changes,
        base: base.runs(),
        after,
    };
    match prover.prove(runs, input.cancel, input.journal).await {
        Ok(proofs) => proofs,
        Err(error) => {
            if !error.is_cancelled() {
                tracing::warn!(%error, "the added tests could not be run");
            }
            Vec::new()
        }
    }
}

/// Everything that makes a green run of this change say less, against the untouched code.
fn weaknesses(
    input: &Input<'_>,
    prover: &Prover<'_>,
    changes: &[FileChange],
) -> Result<Vec<Weakness>, FixError> {
    let untouched = prover.untouched();
    let base = &untouched.source;
    let whole = match input.start {
        Some(start) => against_base(base, &Tree::open(start)?, changes)?,
        None => changes.to_vec(),
    };
    let changed: Vec<Changed<'_>> = whole
        .iter()
        .map(|c| Changed {
            path: &c.path,
            before: c.before.as_deref(),
            after: c.after.as_deref(),
        })
        .collect();
    let matcher = tests(input)?;
    let is_test = |path: &str| RelPath::parse(path).is_ok_and(|p| matcher.matches(&p));
    let exists = |path: &str| match whole.iter().find(|c| c.path == path) {
        Some(change) => change.after.is_some(),
        None => RelPath::parse(path).is_ok_and(|p| matches!(base.stat(&p), Ok(Some(_)))),
    };
    let mut commands = Vec::new();
    for CheckCommand {
        command, folder, ..
    } in &untouched.commands
    {
        let mut texts = test_scripts(base, folder.as_deref());
        texts.push(command.clone());
        let called = |text| Called {
            folder: folder.clone(),
            text,
        };
        commands.extend(texts.into_iter().map(called));
    }
    let mut found = gate::weaknesses(
        &changed,
        &Surroundings {
            commands: &commands,
            is_test: &is_test,
            exists: &exists,
        },
    );
    let mut inside = gate::touched_tests(&changed);
    inside.retain(|w| !is_test(&w.path));
    found.append(&mut inside);
    found.extend(gate::tests_changed(&changed, &is_test));
    let mut beyond = gate::sensitive(&changed);
    // Named once, by what is graver.
    beyond.retain(|w| found.iter().all(|f| f.path != w.path));
    found.append(&mut beyond);
    Ok(found)
}

/// The change of the whole branch, from what an earlier run left and what this one did to it.
fn against_base(
    base: &Tree,
    start: &Tree,
    changes: &[FileChange],
) -> Result<Vec<FileChange>, FixError> {
    let files = |tree: &Tree| -> Result<BTreeSet<RelPath>, FixError> {
        let walk = tree.walk()?.into_iter();
        Ok(walk
            .filter(|e| e.kind == EntryKind::File)
            .map(|e| e.path)
            .collect())
    };
    let read = |tree: &Tree, path: &RelPath, there: bool| -> Result<Option<Vec<u8>>, FixError> {
        Ok(match there {
            true => Some(tree.read(path)?),
            false => None,
        })
    };
    let (old, new) = (files(base)?, files(start)?);
    let mut paths: BTreeSet<RelPath> = old.union(&new).cloned().collect();
    for change in changes {
        paths.insert(RelPath::parse(&change.path)?);
    }
    let mut whole = Vec::new();
    for path in paths {
        let before = read(base, &path, old.contains(&path))?;
        let (after, mode) = match changes.iter().find(|c| c.path == path.as_str()) {
            Some(change) => (change.after.clone(), change.mode),
            None => (read(start, &path, new.contains(&path))?, NEW_FILE_MODE),
        };
        if before != after {
            whole.push(FileChange {
                path: path.to_string(),
                old_mode: mode,
                mode,
                before,
                after,
            });
        }
    }
    Ok(whole)
}

/// Asks whether the check is still red where it has to be.
async fn deaf(input: &Input<'_>, prover: &Prover<'_>, changes: &[Change]) -> Option<Weakness> {
    let found = prover.is_deaf(changes, input.cancel, input.journal).await;
    match found {
        Ok(command) => command.map(|command| Weakness {
            kind: WeaknessKind::Deaf,
            path: String::new(),
            lines: None,
            what: command,
        }),
        Err(CheckError::Stopped) => None,
        Err(error) => {
            tracing::warn!(%error, "the check could not be tried with a failing test");
            None
        }
    }
}
