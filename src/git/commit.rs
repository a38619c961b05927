//! Commits from a list of changes: trees are built from the parent's tree and the given bytes, so
//! no folder, index, attribute or filter has a say in what is committed.

use super::{GitError, Oid, Private};
use super::{lfs, names};
use git2::{ObjectType, Repository, Signature, Time, Tree};
use std::collections::BTreeMap;

/// One changed path. `content` is `None` for a removal; else bytes and a Unix mode, of which the
/// kind and the executable bit count: `0o644`, `0o755`, or `0o120000` with the symlink's target
/// as bytes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TreeChange {
    /// Relative to the repository's root, `/` between its components.
    pub path: String,
    pub content: Option<(Vec<u8>, u32)>,
}

/// A name and an address in a commit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Signer {
    pub name: String,
    pub email: String,
}

/// What a new commit says.
#[derive(Debug, Clone)]
pub struct NewCommit {
    /// The one parent.
    pub parent: Oid,
    pub changes: Vec<TreeChange>,
    pub message: String,
    pub author: Signer,
    pub committer: Signer,
    /// Seconds since the Unix epoch.
    pub time: i64,
    /// Whether a commit may leave the tree as it is.
    pub allow_empty: bool,
}

impl Private {
    /// Commits onto `parent`. `None` when the changes leave the tree as it is and that was not
    /// allowed.
    ///
    /// # Errors
    /// [`GitError::BadName`] for a path that a check-out would refuse, that leads through a
    /// submodule, is a file of Git LFS, or clashes with a folder or another change.
    pub async fn commit(&self, new: NewCommit) -> Result<Option<Oid>, GitError> {
        self.with(move |repo| commit(repo, &new)).await
    }
}

fn commit(repo: &Repository, new: &NewCommit) -> Result<Option<Oid>, GitError> {
    let parent = repo.find_commit(new.parent)?;
    let base = parent.tree()?;
    let mut root = Node::default();
    for change in &new.changes {
        if let Some(reason) = names::path_refusal(change.path.as_bytes()) {
            return Err(bad(&change.path, reason));
        }
        root.add(&change.path, change)?;
    }
    let tree = match build(repo, Some(&base), &root, "")? {
        Some(id) => id,
        None => repo.treebuilder(None)?.write()?,
    };
    if tree == base.id() && !new.allow_empty {
        return Ok(None);
    }
    let when = Time::new(new.time, 0);
    let author = Signature::new(&new.author.name, &new.author.email, &when)?;
    let committer = Signature::new(&new.committer.name, &new.committer.email, &when)?;
    let tree = repo.find_tree(tree)?;
    let id = repo.commit(None, &author, &committer, &new.message, &tree, &[&parent])?;
    // A name for people who look into the directory, and for tools that collect garbage.
    repo.reference("refs/mend/result", id, true, "commit")?;
    Ok(Some(id))
}

/// A path's component: what shall be there itself, and what beneath it.
#[derive(Default)]
struct Node<'a> {
    here: Option<&'a TreeChange>,
    beneath: BTreeMap<&'a str, Node<'a>>,
}

impl<'a> Node<'a> {
    fn add(&mut self, rest: &'a str, change: &'a TreeChange) -> Result<(), GitError> {
        let mut node = self;
        for part in rest.split('/') {
            node = node.beneath.entry(part).or_default();
        }
        match node.here.replace(change) {
            None => Ok(()),
            Some(_) => Err(bad(&change.path, "it is changed twice")),
        }
    }
}

/// The tree that `node` makes out of `base`; `None` when nothing is left in it.
fn build(
    repo: &Repository,
    base: Option<&Tree<'_>>,
    node: &Node<'_>,
    folder: &str,
) -> Result<Option<Oid>, GitError> {
    let mut builder = repo.treebuilder(base)?;
    for (name, child) in &node.beneath {
        let path = match folder {
            "" => (*name).to_string(),
            _ => format!("{folder}/{name}"),
        };
        let before = builder.get(*name)?.map(|e| (e.id(), e.kind()));
        if matches!(before, Some((_, Some(ObjectType::Commit)))) {
            return Err(bad(&path, "it is a submodule"));
        }
        let subtree = match before {
            Some((id, Some(ObjectType::Tree))) => Some(repo.find_tree(id)?),
            _ => None,
        };
        // Removals beneath a folder may make room for a file of its name.
        let inner = match (&subtree, child.beneath.is_empty()) {
            (Some(tree), true) => Some(tree.id()),
            (None, true) => None,
            (tree, false) => build(repo, tree.as_ref(), child, &path)?,
        };
        match (child.here.map(|c| c.content.as_ref()), inner) {
            (Some(Some(_)), Some(_)) => {
                return Err(bad(&path, "it is a folder that still holds files"));
            }
            (Some(Some((bytes, mode))), None) => {
                let was_pointer = |(id, _): (Oid, _)| is_pointer(repo, id);
                if before.is_some_and(was_pointer) && lfs::pointer(b"", bytes).is_none() {
                    return Err(bad(&path, "it is a file of Git LFS"));
                }
                let id = repo.blob(bytes)?;
                builder.insert(*name, id, file_mode(*mode))?;
            }
            (Some(None), Some(_)) if subtree.is_some() && child.beneath.is_empty() => {
                return Err(bad(&path, "it is a folder; remove its files by name"));
            }
            (_, Some(id)) => {
                builder.insert(*name, id, 0o040000)?;
            }
            (None, None) if before.is_some() && subtree.is_none() => {
                // Only removals beneath something that was a file: nothing to do.
            }
            (_, None) => {
                if before.is_some() {
                    builder.remove(*name)?;
                }
            }
        }
    }
    match builder.is_empty() {
        true => Ok(None),
        false => Ok(Some(builder.write()?)),
    }
}

/// Whether an object is a pointer of Git LFS, whose place no plain file may take.
fn is_pointer(repo: &Repository, id: Oid) -> bool {
    let blob = repo.find_blob(id);
    blob.is_ok_and(|blob| lfs::pointer(b"", blob.content()).is_some())
}

fn file_mode(mode: u32) -> i32 {
    match mode {
        m if m & 0o170000 == 0o120000 => 0o120000,
        m if m & 0o111 != 0 => 0o100755,
        _ => 0o100644,
    }
}

fn bad(path: &str, reason: &'static str) -> GitError {
    GitError::BadName {
        path: names::shown(path.as_bytes()),
        reason,
    }
}
