//! A commit's change as a list of files, and the same change on top of another commit.

use super::commit::TreeChange;
use super::{GitError, Oid, Private, names};
use git2::{Delta, DiffOptions, ObjectType, Repository, Tree};

/// A change put on top of another commit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum OnTop {
    /// It fits; what it changes there (nothing, where it is there already).
    Fits(Vec<TreeChange>),
    /// It does not fit at these paths.
    Conflicts(Vec<String>),
}

/// The names in a folder of a commit.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FolderList {
    pub files: Vec<String>,
    pub folders: Vec<String>,
}

impl Private {
    /// What a commit changes against its first parent.
    ///
    /// # Errors
    /// [`GitError::Gone`] for an unknown commit or one without a parent.
    pub async fn change_of(&self, commit: Oid) -> Result<Vec<TreeChange>, GitError> {
        self.with(move |repo| {
            let commit = repo.find_commit(commit)?;
            let parent = commit.parent(0)?.tree()?;
            between(repo, &parent, &commit.tree()?)
        })
        .await
    }

    /// The change of `commit` on top of `onto`, merged with what stands there.
    ///
    /// # Errors
    /// [`GitError::Gone`] for an unknown commit.
    pub async fn on_top(&self, commit: Oid, onto: Oid) -> Result<OnTop, GitError> {
        self.with(move |repo| {
            let (commit, onto) = (repo.find_commit(commit)?, repo.find_commit(onto)?);
            let mut index = repo.cherrypick_commit(&commit, &onto, 0, None)?;
            if index.has_conflicts() {
                let mut paths = Vec::new();
                for conflict in index.conflicts()? {
                    let conflict = conflict?;
                    let one = conflict.our.or(conflict.their).or(conflict.ancestor);
                    paths.extend(one.map(|e| String::from_utf8_lossy(&e.path).into_owned()));
                }
                paths.sort();
                paths.dedup();
                return Ok(OnTop::Conflicts(paths));
            }
            let tree = repo.find_tree(index.write_tree_to(repo)?)?;
            Ok(OnTop::Fits(between(repo, &onto.tree()?, &tree)?))
        })
        .await
    }

    /// The first parent of a commit.
    ///
    /// # Errors
    /// [`GitError::Gone`] for an unknown commit or one without a parent.
    pub async fn parent_of(&self, commit: Oid) -> Result<Oid, GitError> {
        self.with(move |repo| Ok(repo.find_commit(commit)?.parent_id(0)?))
            .await
    }

    /// The whole message of a commit.
    ///
    /// # Errors
    /// [`GitError::Gone`] for an unknown commit.
    pub async fn message_of(&self, commit: Oid) -> Result<String, GitError> {
        self.with(move |repo| {
            let commit = repo.find_commit(commit)?;
            Ok(String::from_utf8_lossy(commit.message_bytes()).into_owned())
        })
        .await
    }

    /// What lies in a folder of a commit (the empty path is the root); nothing where there is no
    /// such folder. Names that are not UTF-8 are left out.
    ///
    /// # Errors
    /// [`GitError::Gone`] for an unknown commit.
    pub async fn list_at(&self, commit: Oid, folder: &str) -> Result<FolderList, GitError> {
        let folder = folder.to_string();
        self.with(move |repo| {
            let root = repo.find_commit(commit)?.tree()?;
            let tree = match folder.is_empty() {
                true => root,
                false => match root.get_path(folder.as_ref()) {
                    Ok(entry) if entry.kind() == Some(ObjectType::Tree) => {
                        repo.find_tree(entry.id())?
                    }
                    Ok(_) => return Ok(FolderList::default()),
                    Err(e) if e.code() == git2::ErrorCode::NotFound => {
                        return Ok(FolderList::default());
                    }
                    Err(e) => return Err(e.into()),
                },
            };
            let mut listing = FolderList::default();
            for entry in &tree {
                let Ok(name) = std::str::from_utf8(entry.name_bytes()) else {
                    continue;
                };
                match entry.kind() {
                    Some(ObjectType::Tree) => listing.folders.push(name.to_string()),
                    Some(ObjectType::Blob) => listing.files.push(name.to_string()),
                    _ => {}
                }
            }
            Ok(listing)
        })
        .await
    }
}

fn between(repo: &Repository, old: &Tree<'_>, new: &Tree<'_>) -> Result<Vec<TreeChange>, GitError> {
    let mut options = DiffOptions::new();
    options.include_typechange(true);
    let diff = repo.diff_tree_to_tree(Some(old), Some(new), Some(&mut options))?;
    let mut changes = Vec::new();
    for delta in diff.deltas() {
        let gone = delta.status() == Delta::Deleted;
        let file = if gone {
            delta.old_file()
        } else {
            delta.new_file()
        };
        let bytes = file.path_bytes().unwrap_or_default();
        let path = std::str::from_utf8(bytes).map_err(|_| GitError::BadName {
            path: names::shown(bytes),
            reason: "the name is not UTF-8",
        })?;
        let content = match gone {
            true => None,
            false => {
                let blob = repo.find_blob(file.id())?;
                Some((blob.content().to_vec(), u32::from(file.mode())))
            }
        };
        changes.push(TreeChange {
            path: path.to_string(),
            content,
        });
    }
    Ok(changes)
}
