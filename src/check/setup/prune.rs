//! Which set-ups of a repository are kept: those used last.

use crate::tree::{RelPath, Tree, TreeError, move_folder, remove_tree, sweep};
use std::path::Path;
use std::time::{Duration, SystemTime};

/// Set-ups that are kept beside those that may be in use.
const MOST: usize = 8;
/// No task lasts as long, so what was used longer ago is not in use.
const IN_USE: Duration = Duration::from_secs(24 * 3600);
/// Registries and toolchains go on; what nobody used for as long is made anew.
const KEPT: Duration = Duration::from_secs(30 * 24 * 3600);
/// Written whenever the set-up is taken.
const USED: &str = "used";
const DONE: &str = "done.json";
/// Under this ending a folder is on its way out.
const GONE: &str = ".gone";

/// Notes that a set-up is used now.
pub(super) fn note_use(place: &Path) -> Result<(), TreeError> {
    Tree::open(place)?.write(&RelPath::parse(USED)?, b"", Some(0o600))
}

/// Removes what killed processes left and the set-ups that are too many, too old, or with those
/// used after them larger than `most_bytes` together.
pub(super) fn prune(cache: &Path, most_bytes: u64, now: SystemTime) -> Result<(), TreeError> {
    sweep(cache)?;
    let tree = Tree::open(cache)?;
    let mut folders = Vec::new();
    tree.walk_where(&mut |folder| {
        folders.push(folder.clone());
        false
    })?;
    let mut known = Vec::new();
    for folder in folders {
        if folder.as_str().ends_with(GONE) {
            remove_tree(&cache.join(folder.as_str()))?;
        } else if let Some(at) = last_use(&tree, &folder)? {
            known.push((now.duration_since(at).unwrap_or_default(), folder));
        }
    }
    known.sort();
    let mut bytes = 0_u64;
    for (n, (age, folder)) in known.into_iter().enumerate() {
        bytes = bytes.saturating_add(size(&cache.join(folder.as_str())));
        let too_much = n >= MOST || bytes > most_bytes;
        if age > KEPT || (too_much && age > IN_USE) {
            let gone = cache.join(format!("{folder}{GONE}"));
            // Under another name first: half a set-up must not be found.
            move_folder(&cache.join(folder.as_str()), &gone)?;
            remove_tree(&gone)?;
        }
    }
    Ok(())
}

/// Bytes of all files in a folder; one that cannot be walked counts as too many.
fn size(folder: &Path) -> u64 {
    let entries = Tree::open(folder).and_then(|tree| tree.walk());
    let entries = entries.map(|all| all.into_iter().map(|entry| entry.len));
    entries.map_or(u64::MAX, |all| all.fold(0, u64::saturating_add))
}

/// When a finished set-up was made or taken; `None` for any other folder.
fn last_use(tree: &Tree, folder: &RelPath) -> Result<Option<SystemTime>, TreeError> {
    let of = |name: &str| tree.modified(&RelPath::parse(&format!("{folder}/{name}"))?);
    Ok(match of(DONE)? {
        Some(made) => of(USED)?.max(Some(made)),
        None => None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The names that are left when as much time has passed.
    fn left(cache: &Path, later: Duration) -> Vec<String> {
        left_of(cache, u64::MAX, later)
    }

    fn left_of(cache: &Path, most_bytes: u64, later: Duration) -> Vec<String> {
        prune(cache, most_bytes, SystemTime::now() + later).unwrap();
        let tree = Tree::open(cache).unwrap();
        let mut names = Vec::new();
        tree.walk_where(&mut |folder| {
            names.push(folder.to_string());
            false
        })
        .unwrap();
        names.sort();
        names
    }

    #[test]
    fn the_last_used_are_kept() {
        let cache = tempfile::tempdir().unwrap();
        let tree = Tree::open(cache.path()).unwrap();
        let write = |path: &str| tree.write(&RelPath::parse(path).unwrap(), b"{}", None);
        let hour = Duration::from_secs(3600);
        for n in 0..10 {
            write(&format!("key{n}/done.json")).unwrap();
            write(&format!("key{n}/deps/a/b")).unwrap();
            let path = cache.path().join(format!("key{n}/done.json"));
            let file = std::fs::File::options().write(true).open(path).unwrap();
            file.set_modified(SystemTime::now() - hour * (20 - n))
                .unwrap();
        }
        write("key11.gone/deps/x").unwrap();
        write("other/file").unwrap();
        // More than are kept, but each may be in use.
        assert_eq!(left(cache.path(), Duration::ZERO).len(), 11);
        note_use(&cache.path().join("key0")).unwrap();
        let now = left(cache.path(), hour * 30);
        assert_eq!(
            now,
            [
                "key0", "key3", "key4", "key5", "key6", "key7", "key8", "key9", "other"
            ]
        );
        assert_eq!(left(cache.path(), KEPT + hour * 30), ["other"]);
    }
    #[test]
    fn together_they_stay_within_the_bytes() {
        let cache = tempfile::tempdir().unwrap();
        let tree = Tree::open(cache.path()).unwrap();
        let hour = Duration::from_secs(3600);
        for n in 0..4 {
            let write = |path: &str, bytes: &[u8]| {
                let path = RelPath::parse(&format!("key{n}/{path}")).unwrap();
                tree.write(&path, bytes, None).unwrap();
            };
            write("done.json", b"{}");
            write("deps/deep/file", &[7; 1 << 20]);
            let path = cache.path().join(format!("key{n}/done.json"));
            let file = std::fs::File::options().write(true).open(path).unwrap();
            file.set_modified(SystemTime::now() - hour * (9 - n))
                .unwrap();
        }
        let room_for_two = 5 << 19;
        // Each may be in use.
        assert_eq!(left_of(cache.path(), room_for_two, Duration::ZERO).len(), 4);
        assert_eq!(
            left_of(cache.path(), room_for_two, hour * 30),
            ["key2", "key3"]
        );
        assert_eq!(left_of(cache.path(), 0, hour * 30), [""; 0]);
    }
}
