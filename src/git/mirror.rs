//! The bare mirror of one repository: what was fetched once is not fetched again.

use super::call::Credential;
use super::{Git, GitError, Listing, Oid, Private, blocking, listing, private, watch};
use crate::domain::Cancel;
use git2::{AutotagOption, Direction, FetchOptions, Repository};
use std::collections::BTreeMap;
use std::fs::{File, OpenOptions, TryLockError};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// How much history a fetch brings.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Depth {
    /// All of it.
    Full,
    /// This many commits of each branch; comparisons with older ones are not possible then.
    Commits(u16),
}

/// What a fetch found on the remote.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Fetched {
    /// The full name of the default branch's reference, when the remote tells.
    pub head: Option<String>,
    /// The wanted references that exist, with their commits.
    pub refs: BTreeMap<String, Oid>,
}

/// A bare repository on disk, one per repository id.
#[derive(Debug, Clone)]
pub struct Mirror {
    git: Git,
    id: u64,
    path: PathBuf,
}

impl Mirror {
    pub(super) fn open(git: Git, id: u64) -> Result<Mirror, GitError> {
        let path = git.inner.settings.mirrors.join(format!("{id}.git"));
        if !path.join("HEAD").exists() {
            private::init_bare(&path)?;
        }
        private::open_dir(&path)?;
        Ok(Mirror { git, id, path })
    }

    /// Where it lies.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Brings the wanted references (full names) up to date; one that the remote lacks is absent
    /// from the answer, and an empty repository has none. Fetches of one mirror queue up, also
    /// over processes.
    ///
    /// # Errors
    /// Every network class of [`GitError`]; [`GitError::TooLarge`] by the caps of the settings.
    pub async fn fetch(
        &self,
        url: &str,
        wanted: &[String],
        credential: Option<&Credential>,
        depth: Depth,
        cancel: &Cancel,
    ) -> Result<Fetched, GitError> {
        for name in wanted {
            check_reference(name)?;
        }
        let turn = self.turn(cancel).await?;
        // The clock starts when it is this fetch's turn.
        let call = self.git.call(url, credential, cancel)?;
        let (mirror, url, wanted) = (self.clone(), url.to_string(), wanted.to_vec());
        blocking(move || {
            let _turn = turn;
            let _file = mirror.lock(call.deadline, &call.cancel)?;
            let repo = private::open_dir(&mirror.path)?;
            mirror.sweep();
            call.clone().run(|| {
                let mut remote = repo.remote_anonymous(&url)?;
                let mut connection =
                    remote.connect_auth(Direction::Fetch, Some(watch(&call)), None)?;
                let seen = listing(connection.remote())?;
                let fetched = chosen(&seen, &wanted);
                let missing: Vec<String> = fetched
                    .refs
                    .iter()
                    .filter(|(_, id)| !is_whole(&repo, **id, depth))
                    .map(|(name, _)| format!("+{name}:{name}"))
                    .collect();
                if !missing.is_empty() {
                    let mut options = FetchOptions::new();
                    options
                        .remote_callbacks(watch(&call))
                        .download_tags(AutotagOption::None)
                        .update_fetchhead(false)
                        .depth(match depth {
                            // libgit2's GIT_FETCH_DEPTH_UNSHALLOW, meaningful on a shallow one only
                            Depth::Full if repo.is_shallow() => i32::MAX,
                            Depth::Full => 0,
                            Depth::Commits(n) => i32::from(n.max(1)),
                        });
                    connection.remote().download(&missing, Some(&mut options))?;
                }
                keep(&repo, &wanted, &fetched.refs)?;
                Ok(fetched)
            })
        })
        .await
    }

    /// The commit that a reference (full name) pointed to at the last fetch.
    ///
    /// # Errors
    /// [`GitError::Local`] when the mirror cannot be read.
    pub async fn resolve(&self, reference: &str) -> Result<Option<Oid>, GitError> {
        let (path, reference) = (self.path.clone(), reference.to_string());
        blocking(move || {
            let repo = private::open_dir(&path)?;
            match repo.find_reference(&reference) {
                Ok(found) => Ok(found.target()),
                Err(e) if e.code() == git2::ErrorCode::NotFound => Ok(None),
                Err(e) => Err(e.into()),
            }
        })
        .await
    }

    /// A private git directory at `path` that borrows this mirror's objects; one that is already
    /// there is taken up again.
    ///
    /// # Errors
    /// [`GitError::Local`] when it cannot be made.
    pub async fn private(&self, path: impl Into<PathBuf>) -> Result<Private, GitError> {
        let (mirror, path) = (self.clone(), path.into());
        blocking(move || Private::create(mirror.git, &mirror.path, &path)).await
    }

    pub(super) fn git(&self) -> &Git {
        &self.git
    }

    /// This process's turn with the mirror.
    pub(super) async fn turn(
        &self,
        cancel: &Cancel,
    ) -> Result<tokio::sync::OwnedMutexGuard<()>, GitError> {
        let turn = self.git.lock_of(self.id);
        tokio::select! {
            () = cancel.cancelled() => Err(GitError::Cancelled),
            turn = turn.lock_owned() => Ok(turn),
        }
    }

    /// The lock between processes; the one inside this process is held already.
    pub(super) fn lock(&self, deadline: Instant, cancel: &Cancel) -> Result<File, GitError> {
        let file = OpenOptions::new()
            .create(true)
            .truncate(false)
            .write(true)
            .open(self.path.with_extension("lock"))
            .map_err(|e| GitError::io("the mirror's lock cannot be opened", &e))?;
        loop {
            match file.try_lock() {
                Ok(()) => return Ok(file),
                Err(TryLockError::Error(e)) => {
                    return Err(GitError::io("the mirror cannot be locked", &e));
                }
                Err(TryLockError::WouldBlock) if cancel.is_cancelled() => {
                    return Err(GitError::Cancelled);
                }
                Err(TryLockError::WouldBlock) if Instant::now() >= deadline => {
                    return Err(GitError::Transient {
                        what: "another process holds the mirror".into(),
                        retry_after: None,
                    });
                }
                Err(TryLockError::WouldBlock) => {
                    std::thread::sleep(Duration::from_millis(50));
                }
            }
        }
    }

    /// Removes what a fetch left that was killed half-way. The lock is held, so nobody writes them.
    fn sweep(&self) {
        let Ok(entries) = std::fs::read_dir(self.path.join("objects/pack")) else {
            return;
        };
        for entry in entries.flatten() {
            let name = entry.file_name();
            let finished = Path::new(&name).extension().is_some_and(|e| {
                e == "pack" || e == "idx" || e == "rev" || e == "keep" || e == "midx"
            });
            if !finished && entry.file_type().is_ok_and(|t| t.is_file()) {
                let _ = std::fs::remove_file(entry.path());
            }
        }
    }
}

fn check_reference(name: &str) -> Result<(), GitError> {
    if name.starts_with("refs/heads/") && git2::Reference::is_valid_name(name) {
        Ok(())
    } else {
        Err(GitError::BadName {
            path: super::names::shown(name.as_bytes()),
            reason: "it is not the full name of a branch (`refs/heads/…`)",
        })
    }
}

fn chosen(seen: &Listing, wanted: &[String]) -> Fetched {
    Fetched {
        head: seen.head.clone(),
        refs: wanted
            .iter()
            .filter_map(|name| Some((name.clone(), *seen.heads.get(name)?)))
            .collect(),
    }
}

/// Whether the commit is there with as much history as asked for.
fn is_whole(repo: &Repository, id: Oid, depth: Depth) -> bool {
    let there = repo.odb().is_ok_and(|odb| odb.exists(id));
    there && (depth != Depth::Full || !repo.is_shallow())
}

/// Points the mirror's references where the remote's point, and forgets those that it lacks.
fn keep(
    repo: &Repository,
    wanted: &[String],
    found: &BTreeMap<String, Oid>,
) -> Result<(), git2::Error> {
    let mut gone = Vec::new();
    for reference in repo.references()? {
        let reference = reference?;
        let Ok(name) = reference.name() else { continue };
        let clash = |other: &String| {
            other.starts_with(&format!("{name}/")) || name.starts_with(&format!("{other}/"))
        };
        if found.keys().any(clash) || wanted.iter().any(|w| w == name) && !found.contains_key(name)
        {
            gone.push(name.to_string());
        }
    }
    for name in gone {
        repo.find_reference(&name)?.delete()?;
    }
    for (name, id) in found {
        repo.reference(name, *id, true, "fetch")?;
    }
    Ok(())
}
