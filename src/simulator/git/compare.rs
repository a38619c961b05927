//! What lies between two commits: commits, changed files, whether they merge.

use super::store::{CommitInfo, Store, info};
use git2::{Delta, DiffFindOptions, DiffOptions, Error, Oid, Patch};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in super::super) enum Change {
    Added,
    Removed,
    Modified,
    Renamed,
}

#[derive(Debug, Clone, PartialEq)]
pub(in super::super) struct ChangedFile {
    pub path: String,
    /// The earlier name of a renamed file.
    pub before: Option<String>,
    pub change: Change,
    pub blob: String,
    pub additions: usize,
    pub deletions: usize,
    /// From the first `@@` on; `None` for binary files.
    pub patch: Option<String>,
}

#[derive(Debug, Clone)]
pub(in super::super) struct Compared {
    /// In head and not in base, oldest first.
    pub commits: Vec<CommitInfo>,
    /// Commits in base and not in head.
    pub behind: usize,
    pub merge_base: Option<String>,
    /// From the merge base to head.
    pub files: Vec<ChangedFile>,
    pub mergeable: bool,
}

impl Store {
    /// GitHub's three-dot comparison of two revisions.
    pub fn compare(&self, base: &str, head: &str) -> Result<Compared, Error> {
        let (base, head) = (self.find(base)?, self.find(head)?);
        let mut walk = self.0.revwalk()?;
        walk.set_sorting(git2::Sort::TOPOLOGICAL | git2::Sort::REVERSE)?;
        walk.push(head.id())?;
        walk.hide(base.id())?;
        let commits = walk
            .map(|oid| Ok(info(&self.0.find_commit(oid?)?)))
            .collect::<Result<Vec<_>, Error>>()?;
        let (_, behind) = self.0.graph_ahead_behind(head.id(), base.id())?;
        let merge_base = self.0.merge_base(base.id(), head.id()).ok();
        let mergeable = match merge_base {
            Some(_) => !self.0.merge_commits(&base, &head, None)?.has_conflicts(),
            None => false,
        };
        Ok(Compared {
            commits,
            behind,
            files: self.changed(merge_base, head.id())?,
            merge_base: merge_base.map(|oid| oid.to_string()),
            mergeable,
        })
    }

    /// The files that a commit changed against its first parent.
    pub fn files_of(&self, rev: &str) -> Result<Vec<ChangedFile>, Error> {
        let commit = self.find(rev)?;
        self.changed(commit.parent_id(0).ok(), commit.id())
    }

    fn changed(&self, from: Option<Oid>, to: Oid) -> Result<Vec<ChangedFile>, Error> {
        let from = match from {
            Some(oid) => Some(self.0.find_commit(oid)?.tree()?),
            None => None,
        };
        let to = self.0.find_commit(to)?.tree()?;
        let mut diff = self.0.diff_tree_to_tree(
            from.as_ref(),
            Some(&to),
            Some(DiffOptions::new().context_lines(3)),
        )?;
        diff.find_similar(Some(DiffFindOptions::new().renames(true)))?;
        let mut files = Vec::new();
        for at in 0..diff.deltas().len() {
            let Some(delta) = diff.get_delta(at) else {
                continue;
            };
            let name = |file: git2::DiffFile<'_>| {
                String::from_utf8_lossy(file.path_bytes().unwrap_or_default()).into_owned()
            };
            let change = match delta.status() {
                Delta::Added => Change::Added,
                Delta::Deleted => Change::Removed,
                Delta::Renamed => Change::Renamed,
                _ => Change::Modified,
            };
            let patch = Patch::from_diff(&diff, at)?;
            let (additions, deletions) = match &patch {
                Some(patch) => patch.line_stats().map(|(_, a, d)| (a, d))?,
                None => (0, 0),
            };
            let side = match change {
                Change::Removed => delta.old_file(),
                _ => delta.new_file(),
            };
            files.push(ChangedFile {
                blob: side.id().to_string(),
                path: name(side),
                before: (change == Change::Renamed).then(|| name(delta.old_file())),
                change,
                additions,
                deletions,
                patch: match patch {
                    Some(mut patch) => hunks(&mut patch)?,
                    None => None,
                },
            });
        }
        Ok(files)
    }
}

/// The hunks of a patch without its file header.
fn hunks(patch: &mut Patch<'_>) -> Result<Option<String>, Error> {
    let whole = patch.to_buf()?;
    let whole = String::from_utf8_lossy(&whole).into_owned();
    let start = if whole.starts_with("@@ ") {
        Some(0)
    } else {
        whole.find("\n@@ ").map(|at| at + 1)
    };
    Ok(start.map(|at| whole[at..].trim_end_matches('\n').to_string()))
}
