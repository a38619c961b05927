//! One bare repository.

use super::super::api::RepoFile;
use git2::build::TreeUpdateBuilder;
use git2::{
    Commit, Error, ErrorCode, FileMode, ObjectType, Oid, Repository, RepositoryInitOptions,
};
use std::collections::BTreeMap;
use std::path::Path;

/// Who made a commit, and when.
#[derive(Debug, Clone, PartialEq)]
pub(in super::super) struct Signature {
    pub name: String,
    pub email: String,
    /// Seconds since the Unix epoch.
    pub at: i64,
}

#[derive(Debug, Clone, PartialEq)]
pub(in super::super) struct CommitInfo {
    pub sha: String,
    pub tree: String,
    pub parents: Vec<String>,
    pub author: Signature,
    pub committer: Signature,
    pub message: String,
    /// Whether it holds a signature.
    pub signed: bool,
}

/// What a path names in a commit.
#[derive(Debug, PartialEq)]
pub(in super::super) enum Node {
    File {
        sha: String,
        bytes: Vec<u8>,
    },
    /// Name, kind, sha and size of each entry.
    Folder(Vec<(String, ObjectType, String, usize)>),
}

pub(in super::super) struct Store(pub(super) Repository);

impl Store {
    pub fn create(path: &Path, branch: &str) -> Result<Store, Error> {
        let mut options = RepositoryInitOptions::new();
        options
            .bare(true)
            .no_reinit(true)
            .external_template(false)
            .initial_head(branch);
        let repository = Repository::init_opts(path, &options)?;
        let mut config = repository.config()?;
        config.set_bool("http.receivepack", true)?;
        config.set_bool("uploadpack.allowAnySHA1InWant", true)?;
        // refs/pull/… are this server's, as on GitHub.
        config.set_str("receive.hideRefs", "refs/pull")?;
        // No process may outlive the push that started it.
        config.set_bool("receive.autogc", false)?;
        config.set_i32("gc.auto", 0)?;
        config.set_bool("maintenance.auto", false)?;
        Ok(Store(repository))
    }

    pub fn open(path: &Path) -> Result<Store, Error> {
        Repository::open_bare(path).map(Store)
    }

    /// Branches and tags with what they point at.
    pub fn refs(&self) -> Result<BTreeMap<String, String>, Error> {
        let mut found = BTreeMap::new();
        for reference in self.0.references()? {
            let reference = reference?;
            if let (Ok(name), Some(oid)) = (reference.name(), reference.target())
                && (name.starts_with("refs/heads/") || name.starts_with("refs/tags/"))
            {
                found.insert(name.to_string(), oid.to_string());
            }
        }
        Ok(found)
    }

    /// The sha of a ref by its whole name.
    pub fn target(&self, name: &str) -> Option<String> {
        let reference = self.0.find_reference(name).ok()?;
        reference.target().map(|oid| oid.to_string())
    }

    pub fn branch(&self, name: &str) -> Option<String> {
        self.target(&format!("refs/heads/{name}"))
    }

    /// The commit that a sha (whole or short), branch, tag or ref names.
    pub fn commit(&self, rev: &str) -> Result<CommitInfo, Error> {
        self.find(rev).map(|c| info(&c))
    }

    pub(super) fn find(&self, rev: &str) -> Result<Commit<'_>, Error> {
        for name in [
            format!("refs/heads/{rev}"),
            format!("refs/tags/{rev}"),
            rev.to_string(),
            format!("refs/{rev}"),
        ] {
            if let Ok(reference) = self.0.find_reference(&name) {
                return reference.peel_to_commit();
            }
        }
        let hex = rev.len() >= 4 && rev.chars().all(|c| c.is_ascii_hexdigit());
        if !hex {
            return Err(Error::new(
                ErrorCode::NotFound,
                git2::ErrorClass::Reference,
                "no such revision",
            ));
        }
        self.0.find_object_by_prefix(rev, None)?.peel_to_commit()
    }

    /// The kind of the object with this sha, if there is one.
    pub fn kind(&self, sha: &str) -> Option<ObjectType> {
        let oid = Oid::from_str(sha).ok()?;
        self.0.find_object(oid, None).ok()?.kind()
    }

    /// Commits reachable from `rev`, newest first, at most `limit`.
    pub fn log(&self, rev: &str, limit: usize) -> Result<Vec<CommitInfo>, Error> {
        let mut walk = self.0.revwalk()?;
        walk.set_sorting(git2::Sort::TOPOLOGICAL | git2::Sort::TIME)?;
        walk.push(self.find(rev)?.id())?;
        walk.take(limit)
            .map(|oid| Ok(info(&self.0.find_commit(oid?)?)))
            .collect()
    }

    pub fn set_ref(&self, name: &str, sha: &str) -> Result<(), Error> {
        self.0
            .reference(name, Oid::from_str(sha)?, true, "set by the simulator")
            .map(|_| ())
    }

    pub fn delete_ref(&self, name: &str) -> Result<(), Error> {
        self.0.find_reference(name)?.delete()
    }

    /// Whether `old` is `new` or reachable from it.
    pub fn contains(&self, new: &str, old: &str) -> Result<bool, Error> {
        let (new, old) = (Oid::from_str(new)?, Oid::from_str(old)?);
        Ok(new == old || self.0.graph_descendant_of(new, old)?)
    }

    pub fn valid_ref(name: &str) -> bool {
        name.starts_with("refs/")
            && name.matches('/').count() >= 2
            && git2::Reference::is_valid_name(name)
    }

    /// Writes files over the tip of `branch` (which need not exist yet); an empty content of
    /// `None` deletes.
    pub fn commit_files(
        &self,
        branch: &str,
        files: &[RepoFile],
        message: &str,
        by: &Signature,
    ) -> Result<String, Error> {
        let name = format!("refs/heads/{branch}");
        let parent = match self.0.find_reference(&name) {
            Ok(reference) => Some(reference.peel_to_commit()?),
            Err(error) if error.code() == ErrorCode::NotFound => None,
            Err(error) => return Err(error),
        };
        let mut update = TreeUpdateBuilder::new();
        for file in files {
            match &file.content {
                Some(bytes) => {
                    let mode = if file.executable {
                        FileMode::BlobExecutable
                    } else {
                        FileMode::Blob
                    };
                    update.upsert(file.path.as_str(), self.0.blob(bytes)?, mode);
                }
                None => {
                    update.remove(file.path.as_str());
                }
            }
        }
        let baseline = match &parent {
            Some(commit) => commit.tree()?,
            None => {
                let empty = self.0.treebuilder(None)?.write()?;
                self.0.find_tree(empty)?
            }
        };
        let tree = self
            .0
            .find_tree(update.create_updated(&self.0, &baseline)?)?;
        let who = git2::Signature::new(&by.name, &by.email, &git2::Time::new(by.at, 0))?;
        let parents: Vec<&Commit<'_>> = parent.iter().collect();
        let commit = self
            .0
            .commit(Some(&name), &who, &who, message, &tree, &parents)?;
        Ok(commit.to_string())
    }

    /// The file or folder at `path` (empty: the root) in the commit `rev`.
    pub fn node(&self, rev: &str, path: &str) -> Result<Node, Error> {
        let tree = self.find(rev)?.tree()?;
        let object = if path.is_empty() {
            tree.into_object()
        } else {
            tree.get_path(Path::new(path))?.to_object(&self.0)?
        };
        if let Some(blob) = object.as_blob() {
            return Ok(Node::File {
                sha: blob.id().to_string(),
                bytes: blob.content().to_vec(),
            });
        }
        let tree = object.peel_to_tree()?;
        let mut entries = Vec::new();
        for entry in &tree {
            let kind = entry.kind().unwrap_or(ObjectType::Any);
            let size = self.0.find_blob(entry.id()).map_or(0, |b| b.size());
            let name = String::from_utf8_lossy(entry.name_bytes()).into_owned();
            entries.push((name, kind, entry.id().to_string(), size));
        }
        Ok(Node::Folder(entries))
    }
}

pub(super) fn info(commit: &Commit<'_>) -> CommitInfo {
    CommitInfo {
        sha: commit.id().to_string(),
        tree: commit.tree_id().to_string(),
        parents: commit.parent_ids().map(|p| p.to_string()).collect(),
        author: signature(&commit.author()),
        committer: signature(&commit.committer()),
        message: String::from_utf8_lossy(commit.message_bytes())
            .trim_end_matches('\n')
            .to_string(),
        signed: commit.header_field_bytes("gpgsig").is_ok(),
    }
}

fn signature(who: &git2::Signature<'_>) -> Signature {
    Signature {
        name: String::from_utf8_lossy(who.name_bytes()).into_owned(),
        email: String::from_utf8_lossy(who.email_bytes()).into_owned(),
        at: who.when().seconds(),
    }
}
