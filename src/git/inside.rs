//! A git directory for the sandbox to read (rule B8): one commit with its files, the history above
//! it without theirs, and the tags on it. It is made anew from objects, so it holds no remote, no
//! configuration, no hook and no other branch, and is nobody's but its folder's.

use super::{GitError, Oid, private};
use crate::domain::Cancel;
use git2::{Index, ObjectType, Repository, RepositoryOpenFlags, Sort};
use std::collections::{BTreeSet, HashSet};
use std::fmt::Write;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

/// Commits of the history; older ones are cut off as in a shallow clone.
const MOST_COMMITS: usize = 5_000;

/// A tag: its name after `refs/tags/`, and what it points to.
pub type Tag = (String, Oid);

/// Writes the git directory into `folder`, which must not exist.
pub(super) fn write(
    repo: &Repository,
    commit: Oid,
    tags: &[Tag],
    folder: &Path,
    cancel: &Cancel,
) -> Result<(), GitError> {
    let tip = repo.find_commit(commit)?;
    for inside in [
        "",
        "objects",
        "objects/pack",
        "refs",
        "refs/heads",
        "refs/tags",
    ] {
        std::fs::create_dir(folder.join(inside))
            .map_err(|e| GitError::io("the sandbox's git folder cannot be made", &e))?;
    }
    let (commits, ends) = history(repo, commit)?;
    let mut pack = repo.packbuilder()?;
    pack.set_threads(0);
    let stop = cancel.clone();
    pack.set_progress_callback(move |_, _, _| !stop.is_cancelled())?;
    pack.insert_tree(tip.tree_id())?;
    for id in &commits {
        pack.insert_object(*id, None)?;
    }
    let mut packed = "# pack-refs with: peeled fully-peeled \n".to_string();
    for (name, id, peeled) in usable(repo, tags, &commits) {
        if id != peeled {
            pack.insert_object(id, None)?;
        }
        let _ = writeln!(packed, "{id} refs/tags/{name}");
        if id != peeled {
            let _ = writeln!(packed, "^{peeled}");
        }
    }
    let written = pack.write(&folder.join("objects/pack"), 0o444);
    if cancel.is_cancelled() {
        return Err(GitError::Cancelled);
    }
    written?;
    let mut index = Index::open(&folder.join("index"))?;
    index.read_tree(&tip.tree()?)?;
    index.write()?;
    put(folder, "packed-refs", &packed)?;
    if !ends.is_empty() {
        let lines: String = ends.iter().map(|id| format!("{id}\n")).collect();
        put(folder, "shallow", &lines)?;
    }
    // Last, because without it git takes the folder for none.
    put(folder, "HEAD", &format!("{commit}\n"))?;
    open_to_all(folder)
}

/// The same from the repository that a folder is the root of; `false` where it is none or has no
/// commit.
///
/// # Errors
/// [`GitError`] when it cannot be read, or the new one not be written.
pub async fn inside_of_folder(
    project: &Path,
    folder: &Path,
    cancel: &Cancel,
) -> Result<bool, GitError> {
    super::init()?;
    let (project, folder) = (project.to_path_buf(), folder.to_path_buf());
    let cancel = cancel.clone();
    super::blocking(move || {
        let no_ceiling: &[&Path] = &[];
        let opened = Repository::open_ext(&project, RepositoryOpenFlags::NO_SEARCH, no_ceiling);
        let Ok(repo) = opened else { return Ok(false) };
        let Some(commit) = repo.head().ok().and_then(|h| h.peel_to_commit().ok()) else {
            return Ok(false);
        };
        let mut tags = Vec::new();
        repo.tag_foreach(|id, name| {
            if let Some(name) = std::str::from_utf8(name).ok().and_then(after_tags) {
                tags.push((name.to_string(), id));
            }
            true
        })?;
        write(&repo, commit.id(), &tags, &folder, &cancel)?;
        Ok(true)
    })
    .await
}

/// The commits from `commit` up, newest first, and those among them whose parents are not.
fn history(repo: &Repository, commit: Oid) -> Result<(HashSet<Oid>, BTreeSet<Oid>), GitError> {
    let mut walk = repo.revwalk()?;
    walk.set_sorting(Sort::TIME)?;
    walk.push(commit)?;
    let commits: HashSet<Oid> = walk.take(MOST_COMMITS).collect::<Result<_, _>>()?;
    let mut ends = BTreeSet::new();
    for id in &commits {
        let parents = repo.find_commit(*id)?.parent_ids().collect::<Vec<_>>();
        if parents.iter().any(|parent| !commits.contains(parent)) {
            ends.insert(*id);
        }
    }
    // A commit where a shallow history ends seems to have no parents.
    let shallow = std::fs::read_to_string(repo.commondir().join("shallow")).unwrap_or_default();
    let known = shallow.lines().filter_map(|line| line.parse().ok());
    ends.extend(known.filter(|id| commits.contains(id)));
    Ok((commits, ends))
}

/// The tags that point into the history, in the order of their names, with their commits.
fn usable(repo: &Repository, tags: &[Tag], commits: &HashSet<Oid>) -> Vec<(String, Oid, Oid)> {
    let mut all: Vec<_> = tags
        .iter()
        .filter(|(name, _)| git2::Reference::is_valid_name(&format!("refs/tags/{name}")))
        .filter_map(|(name, id)| {
            let object = repo.find_object(*id, None).ok()?;
            let peeled = match object.kind()? {
                ObjectType::Commit => *id,
                // A tag of a tag is left out.
                ObjectType::Tag => object.as_tag()?.target_id(),
                _ => return None,
            };
            commits
                .contains(&peeled)
                .then(|| (name.clone(), *id, peeled))
        })
        .collect();
    all.sort();
    all.dedup_by(|a, b| a.0 == b.0);
    all
}

/// The name of a tag's reference without its beginning.
pub(super) fn after_tags(reference: &str) -> Option<&str> {
    reference.strip_prefix("refs/tags/")
}

fn put(folder: &Path, name: &str, text: &str) -> Result<(), GitError> {
    std::fs::write(folder.join(name), text)
        .map_err(|e| GitError::io("the sandbox's git folder cannot be written", &e))
}

/// The sandbox's user, whoever that is on the host, reads it all.
fn open_to_all(folder: &Path) -> Result<(), GitError> {
    let failed = |e: std::io::Error| GitError::io("the sandbox's git folder cannot be opened", &e);
    let mut open = vec![folder.to_path_buf()];
    while let Some(path) = open.pop() {
        let is_folder = path.is_dir();
        let mode = if is_folder { 0o755 } else { 0o444 };
        std::fs::set_permissions(&path, PermissionsExt::from_mode(mode)).map_err(failed)?;
        if is_folder {
            for entry in std::fs::read_dir(&path).map_err(failed)? {
                open.push(entry.map_err(failed)?.path());
            }
        }
    }
    Ok(())
}

impl super::Private {
    /// Writes a git directory for the sandbox into `folder`, which must not exist: `commit`, the
    /// history above it, and those of the tags that point into that.
    ///
    /// # Errors
    /// [`GitError::Cancelled`]; [`GitError::Local`] when it cannot be written.
    pub async fn inside(
        &self,
        commit: Oid,
        tags: &[Tag],
        folder: &Path,
        cancel: &Cancel,
    ) -> Result<(), GitError> {
        let (path, folder) = (self.path().to_path_buf(), folder.to_path_buf());
        let (tags, cancel) = (tags.to_vec(), cancel.clone());
        super::blocking(move || write(&private::open_dir(&path)?, commit, &tags, &folder, &cancel))
            .await
    }
}
