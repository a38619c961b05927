//! A look at a whole tree before a byte of it is written: names, number, size, depth.

use super::names;
use super::{GitError, Oid};
use git2::{ObjectType, Repository};
use std::collections::HashSet;

/// The bounds of a check-out (decision 16 of the security design).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Caps {
    /// Files, symlinks, folders and submodules together.
    pub entries: usize,
    /// Bytes of all files together.
    pub bytes: u64,
    /// Bytes of one file; GitHub itself takes no larger one than the default.
    pub file_bytes: u64,
    /// Folders above a file.
    pub depth: usize,
}

impl Default for Caps {
    fn default() -> Self {
        Caps {
            entries: 50_000,
            bytes: 1 << 30,
            file_bytes: 100 << 20,
            depth: 64,
        }
    }
}

/// What a check-out will write, parents before children.
#[derive(Debug, Default)]
pub(super) struct Plan {
    pub folders: Vec<Vec<u8>>,
    pub files: Vec<PlannedFile>,
    pub links: Vec<(Vec<u8>, Oid)>,
    pub submodules: Vec<(Vec<u8>, Oid)>,
    pub bytes: u64,
}

#[derive(Debug)]
pub(super) struct PlannedFile {
    pub path: Vec<u8>,
    pub id: Oid,
    pub executable: bool,
}

const TREE: i32 = 0o040000;
const LINK: i32 = 0o120000;
const SUBMODULE: i32 = 0o160000;

/// Walks a commit's tree.
pub(super) fn of(repo: &Repository, commit: Oid, caps: Caps) -> Result<Plan, GitError> {
    let root = repo.find_commit(commit)?.tree_id();
    let odb = repo.odb()?;
    let mut plan = Plan::default();
    let mut entries = 0;
    let mut open = vec![(Vec::new(), root, 0)];
    while let Some((folder, id, depth)) = open.pop() {
        if depth > caps.depth {
            return Err(GitError::TooLarge {
                what: format!(
                    "`{}` lies more than {} folders deep",
                    names::shown(&folder),
                    caps.depth
                ),
            });
        }
        let tree = repo.find_tree(id)?;
        entries += tree.len();
        if entries > caps.entries {
            return Err(GitError::TooLarge {
                what: format!("more than {} files and folders", caps.entries),
            });
        }
        let mut seen = HashSet::with_capacity(tree.len());
        for entry in tree.iter() {
            let path = join(&folder, entry.name_bytes());
            let bad = |reason| GitError::BadName {
                path: names::shown(&path),
                reason,
            };
            if let Some(reason) = names::refusal(entry.name_bytes()) {
                return Err(bad(reason));
            }
            if path.len() > 4000 {
                return Err(bad("the path is longer than 4000 bytes"));
            }
            if !seen.insert(entry.name_bytes().to_vec()) {
                return Err(bad("the tree holds the name twice"));
            }
            match entry.filemode_raw() {
                TREE => {
                    plan.folders.push(path.clone());
                    open.push((path, entry.id(), depth + 1));
                }
                SUBMODULE => {
                    plan.submodules.push((path.clone(), entry.id()));
                    plan.folders.push(path);
                }
                mode if mode == LINK || mode & 0o170000 == 0o100000 => {
                    let (size, kind) = odb.read_header(entry.id())?;
                    if kind != ObjectType::Blob {
                        return Err(bad("it is a file by its mode and none by its object"));
                    }
                    weigh(&mut plan, size as u64, caps, &path)?;
                    if mode == LINK {
                        if size == 0 || size > 4000 {
                            return Err(bad("the symlink's target has no fit length"));
                        }
                        plan.links.push((path, entry.id()));
                    } else {
                        plan.files.push(PlannedFile {
                            path,
                            id: entry.id(),
                            executable: mode & 0o100 != 0,
                        });
                    }
                }
                _ => return Err(bad("it is neither file, symlink, folder nor submodule")),
            }
        }
    }
    Ok(plan)
}

fn weigh(plan: &mut Plan, size: u64, caps: Caps, path: &[u8]) -> Result<(), GitError> {
    if size > caps.file_bytes {
        return Err(GitError::TooLarge {
            what: format!(
                "`{}` holds {} MiB, over the limit of {} MiB for a file",
                names::shown(path),
                size >> 20,
                caps.file_bytes >> 20
            ),
        });
    }
    plan.bytes = plan.bytes.saturating_add(size);
    if plan.bytes > caps.bytes {
        return Err(GitError::TooLarge {
            what: format!("its files hold more than {} MiB", caps.bytes >> 20),
        });
    }
    Ok(())
}

fn join(folder: &[u8], name: &[u8]) -> Vec<u8> {
    let mut path = Vec::with_capacity(folder.len() + name.len() + 1);
    if !folder.is_empty() {
        path.extend_from_slice(folder);
        path.push(b'/');
    }
    path.extend_from_slice(name);
    path
}
