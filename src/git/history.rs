//! What lies between two commits, and what a commit holds.

use super::{GitError, Oid, Private, names};
use git2::{Delta, Diff, DiffFormat, DiffOptions, ObjectType, Repository, Sort};

/// How a path differs between two commits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PathStatus {
    Added,
    Removed,
    Changed,
}

/// A path that differs between two commits.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChangedPath {
    pub path: String,
    pub status: PathStatus,
}

/// Who made a commit, and what its first line says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CommitInfo {
    pub id: Oid,
    pub parents: Vec<Oid>,
    pub author_name: String,
    pub author_email: String,
    pub committer_email: String,
    /// The committer's clock, in seconds since the Unix epoch.
    pub time: i64,
    pub summary: String,
}

/// A change larger than this is nothing that a person or a model reads.
const DIFF_BYTES: usize = 16 << 20;

impl Private {
    /// The unified diff from one commit to another, as `git apply` takes it; binary files are
    /// named, not shown.
    ///
    /// # Errors
    /// [`GitError::TooLarge`] over 16 MiB, [`GitError::Gone`] for an unknown commit.
    pub async fn diff(&self, base: Oid, head: Oid) -> Result<String, GitError> {
        self.with(move |repo| {
            let mut out = Vec::new();
            let printed = between(repo, base, head)?.print(DiffFormat::Patch, |_, _, line| {
                if matches!(line.origin(), '+' | '-' | ' ') {
                    out.push(line.origin() as u8);
                }
                out.extend_from_slice(line.content());
                out.len() <= DIFF_BYTES
            });
            if out.len() > DIFF_BYTES {
                return Err(GitError::TooLarge {
                    what: format!("the diff holds more than {} MiB", DIFF_BYTES >> 20),
                });
            }
            printed?;
            Ok(String::from_utf8_lossy(&out).into_owned())
        })
        .await
    }

    /// The paths that differ between two commits, sorted; a renamed file is two of them.
    ///
    /// # Errors
    /// [`GitError::Gone`] for an unknown commit.
    pub async fn changed_paths(&self, base: Oid, head: Oid) -> Result<Vec<ChangedPath>, GitError> {
        self.with(move |repo| {
            let diff = between(repo, base, head)?;
            Ok(diff
                .deltas()
                .map(|delta| {
                    let (file, status) = match delta.status() {
                        Delta::Added => (delta.new_file(), PathStatus::Added),
                        Delta::Deleted => (delta.old_file(), PathStatus::Removed),
                        _ => (delta.new_file(), PathStatus::Changed),
                    };
                    let path = String::from_utf8_lossy(file.path_bytes().unwrap_or_default());
                    ChangedPath {
                        path: path.into_owned(),
                        status,
                    }
                })
                .collect())
        })
        .await
    }

    /// The bytes of a regular file in a commit; `None` when the path is absent or anything else.
    ///
    /// # Errors
    /// [`GitError::TooLarge`] when the file holds more than `most` bytes.
    pub async fn read_file_at(
        &self,
        commit: Oid,
        path: &str,
        most: usize,
    ) -> Result<Option<Vec<u8>>, GitError> {
        let path = path.to_string();
        self.with(move |repo| {
            let tree = repo.find_commit(commit)?.tree()?;
            let entry = match tree.get_path(std::path::Path::new(&path)) {
                Ok(entry) => entry,
                Err(e) if e.code() == git2::ErrorCode::NotFound => return Ok(None),
                Err(e) => return Err(e.into()),
            };
            if entry.filemode() & 0o170000 != 0o100000 || entry.kind() != Some(ObjectType::Blob) {
                return Ok(None);
            }
            let odb = repo.odb()?;
            if odb.read_header(entry.id())?.0 > most {
                return Err(GitError::TooLarge {
                    what: format!(
                        "`{}` holds more than {most} bytes",
                        names::shown(path.as_bytes())
                    ),
                });
            }
            Ok(Some(odb.read(entry.id())?.data().to_vec()))
        })
        .await
    }

    /// The commits that `head` has and `base` has not, newest first.
    ///
    /// # Errors
    /// [`GitError::TooLarge`] when there are more than `most`.
    pub async fn commits_between(
        &self,
        base: Oid,
        head: Oid,
        most: usize,
    ) -> Result<Vec<CommitInfo>, GitError> {
        self.with(move |repo| {
            let mut walk = repo.revwalk()?;
            walk.set_sorting(Sort::TOPOLOGICAL | Sort::TIME)?;
            walk.push(head)?;
            walk.hide(base)?;
            let mut found = Vec::new();
            for id in walk {
                if found.len() == most {
                    return Err(GitError::TooLarge {
                        what: format!("more than {most} commits lie between the two"),
                    });
                }
                found.push(info(repo, id?)?);
            }
            Ok(found)
        })
        .await
    }

    /// Whether `ancestor` is `head` or lies in its history. In a shallow history an older commit
    /// counts as none.
    ///
    /// # Errors
    /// [`GitError::Gone`] for an unknown `head`.
    pub async fn is_ancestor(&self, ancestor: Oid, head: Oid) -> Result<bool, GitError> {
        self.with(move |repo| is_ancestor(repo, ancestor, head))
            .await
    }

    /// The newest commit that both have in their histories.
    ///
    /// # Errors
    /// [`GitError::Gone`] for an unknown commit.
    pub async fn merge_base(&self, one: Oid, two: Oid) -> Result<Option<Oid>, GitError> {
        self.with(move |repo| {
            repo.find_commit(one)?;
            repo.find_commit(two)?;
            match repo.merge_base(one, two) {
                Ok(id) => Ok(Some(id)),
                Err(e) if e.code() == git2::ErrorCode::NotFound => Ok(None),
                Err(e) => Err(e.into()),
            }
        })
        .await
    }

    /// Whether the commit is there, here or in the mirror.
    ///
    /// # Errors
    /// [`GitError::Local`] when the directory cannot be read.
    pub async fn has(&self, commit: Oid) -> Result<bool, GitError> {
        self.with(move |repo| Ok(repo.find_commit(commit).is_ok()))
            .await
    }

    /// The id of a commit's tree, by which two commits can be told to hold the same files.
    ///
    /// # Errors
    /// [`GitError::Gone`] for an unknown commit.
    pub async fn tree_of(&self, commit: Oid) -> Result<Oid, GitError> {
        self.with(move |repo| Ok(repo.find_commit(commit)?.tree_id()))
            .await
    }
}

pub(super) fn is_ancestor(repo: &Repository, ancestor: Oid, head: Oid) -> Result<bool, GitError> {
    repo.find_commit(head)?;
    if ancestor == head {
        return Ok(true);
    }
    if repo.find_commit(ancestor).is_err() {
        return Ok(false);
    }
    Ok(repo.graph_descendant_of(head, ancestor)?)
}

fn between(repo: &Repository, base: Oid, head: Oid) -> Result<Diff<'_>, GitError> {
    let (old, new) = (
        repo.find_commit(base)?.tree()?,
        repo.find_commit(head)?.tree()?,
    );
    let mut options = DiffOptions::new();
    options.context_lines(3).id_abbrev(40);
    Ok(repo.diff_tree_to_tree(Some(&old), Some(&new), Some(&mut options))?)
}

fn info(repo: &Repository, id: Oid) -> Result<CommitInfo, GitError> {
    let commit = repo.find_commit(id)?;
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let (author, committer) = (commit.author(), commit.committer());
    Ok(CommitInfo {
        id,
        parents: commit.parent_ids().collect(),
        author_name: text(author.name_bytes()),
        author_email: text(author.email_bytes()),
        committer_email: text(committer.email_bytes()),
        time: commit.time().seconds(),
        summary: text(commit.message_bytes())
            .lines()
            .next()
            .unwrap_or_default()
            .to_string(),
    })
}
