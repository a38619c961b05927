//! What a set-up leaves: the project's part of it, and the end of a step that failed.

use super::super::project::name_of;
use super::place;
use crate::check::CheckError;
use crate::domain::Exit;
use crate::sandbox::Ran;
use crate::tree::{EntryKind, RelPath, Tree, make_folder, move_folder, remove_tree};
use std::collections::BTreeSet;
use std::path::Path;
use std::time::Duration;

/// Files that a set-up may leave in the project beside its folders of dependencies.
const MOST_LEFT: usize = 50_000;
/// Bytes of a failed step's output that are kept.
const TAIL: usize = 4096;

/// Takes what the steps left in the project apart: folders of dependencies go to `deps`, the
/// source goes away, the rest stays. Nobody works in the draft any more.
pub(super) fn take_out(source: &Path, draft: &Path) -> Result<Vec<(String, String)>, CheckError> {
    let (root, deps) = (draft.join("tree"), draft.join("deps"));
    let tree = Tree::open(&root)?;
    let known: BTreeSet<String> = Tree::open(source)?
        .walk()?
        .into_iter()
        .map(|e| e.path.to_string())
        .collect();
    let of_source = |folder: &str| {
        let beneath = format!("{folder}/");
        known
            .range(beneath.clone()..)
            .next()
            .is_some_and(|p| p.starts_with(&beneath))
    };
    forget_servers(&deps.join(place::MAVEN))?;
    let mut folders = Vec::new();
    let mut stale = Vec::new();
    tree.walk_where(&mut |folder| {
        let path = folder.as_str();
        if !of_source(path) && is_built(&tree, folder) {
            stale.push(root.join(path));
            return false;
        }
        let wanted = place::INSIDE_PROJECT.contains(&name_of(path)) && !of_source(path);
        if wanted {
            folders.push(path.to_string());
        }
        !wanted
    })?;
    for folder in stale {
        remove_tree(&folder)?;
    }
    let mut placed = Vec::new();
    for (n, path) in folders.into_iter().enumerate() {
        let name = format!("in-{n}");
        move_folder(&root.join(&path), &deps.join(&name))?;
        if name_of(&path) == "node_modules" {
            for written in place::WRITTEN {
                let _ = make_folder(&deps.join(&name).join(written), 0o755);
            }
        }
        placed.push((path, name));
    }
    let left = tree.walk()?;
    let mut kept = 0;
    for entry in left {
        if known.contains(entry.path.as_str()) || entry.kind == EntryKind::Other {
            tree.remove(&entry.path)?;
        } else {
            kept += 1;
        }
    }
    match kept > MOST_LEFT {
        false => Ok(placed),
        true => Err(CheckError::SetUpTooLarge { files: kept }),
    }
}

/// Whether this is a folder with what a build made, beside the manifest that says so.
fn is_built(tree: &Tree, folder: &RelPath) -> bool {
    let path = folder.as_str();
    let above = path.rsplit_once('/').map_or("", |(above, _)| above);
    let stands = |manifest: &str| {
        let beside = match above {
            "" => manifest.to_string(),
            above => format!("{above}/{manifest}"),
        };
        let found = RelPath::parse(&beside).ok().map(|p| tree.stat(&p));
        matches!(found, Some(Ok(Some(_))))
    };
    let mut all = place::BUILT.iter();
    all.any(|(manifest, names)| names.contains(&name_of(path)) && stands(manifest))
}

/// Whether a folder stands there; a link to one is none.
pub(super) fn is_folder(path: &Path) -> bool {
    std::fs::symlink_metadata(path).is_ok_and(|m| m.is_dir())
}

/// Takes Maven's notes out of its repository.
fn forget_servers(repository: &Path) -> Result<(), CheckError> {
    if !is_folder(repository) {
        return Ok(());
    }
    let tree = Tree::open(repository)?;
    for entry in tree.walk()? {
        if name_of(entry.path.as_str()) == place::MAVEN_NOTES {
            tree.remove(&entry.path)?;
        }
    }
    Ok(())
}

/// How a step ended, in words.
pub(super) fn how(ran: &Ran, limit: Duration) -> String {
    match (ran.hit, ran.exit) {
        (Some(hit), _) => format!("ended at the {} limit", hit.word()),
        (None, Exit::Code(code)) => format!("exit {code}"),
        (None, Exit::Signal(signal)) => format!("ended by signal {signal}"),
        (None, Exit::TimedOut) => format!("ended after {} s", limit.as_secs()),
    }
}

/// The end of a step's output.
pub(super) fn tail(output: &[u8]) -> String {
    let from = output.len().saturating_sub(TAIL);
    let text = String::from_utf8_lossy(&output[from..]).into_owned();
    crate::text::visible(&crate::text::strip_ansi(&text))
}
