//! Objects as the API writes them: blobs, trees and commits without a ref.

use super::store::{Signature, Store};
use git2::build::TreeUpdateBuilder;
use git2::{Commit, Error, FileMode, Oid};

/// One path of a tree to be made.
pub(in super::super) struct TreeEntry {
    pub path: String,
    /// GitHub's word: `100644`, `100755`, `120000`, `160000`, `040000`.
    pub mode: String,
    /// `None` removes the path.
    pub blob: Option<String>,
}

impl Store {
    pub fn write_blob(&self, bytes: &[u8]) -> Result<String, Error> {
        Ok(self.0.blob(bytes)?.to_string())
    }

    /// A tree over `base`; `None` where a mode or an object is none that it takes.
    pub fn write_tree(
        &self,
        base: Option<&str>,
        entries: &[TreeEntry],
    ) -> Result<Option<String>, Error> {
        let baseline = match base {
            Some(sha) => self
                .0
                .find_object(Oid::from_str(sha)?, None)?
                .peel_to_tree()?,
            None => self.0.find_tree(self.0.treebuilder(None)?.write()?)?,
        };
        let mut update = TreeUpdateBuilder::new();
        for entry in entries {
            let mode = match entry.mode.as_str() {
                "100644" => FileMode::Blob,
                "100755" => FileMode::BlobExecutable,
                "120000" => FileMode::Link,
                _ => return Ok(None),
            };
            match &entry.blob {
                Some(sha) => {
                    let id = Oid::from_str(sha)?;
                    if self.0.find_blob(id).is_err() {
                        return Ok(None);
                    }
                    update.upsert(entry.path.as_str(), id, mode);
                }
                None if baseline.get_path(entry.path.as_ref()).is_err() => return Ok(None),
                None => {
                    update.remove(entry.path.as_str());
                }
            }
        }
        Ok(Some(update.create_updated(&self.0, &baseline)?.to_string()))
    }

    pub fn mode(&self, rev: &str, path: &str) -> Option<String> {
        let tree = self.find(rev).ok()?.tree().ok()?;
        let entry = tree.get_path(path.as_ref()).ok()?;
        Some(format!("{:06o}", entry.filemode()))
    }

    /// A commit without a ref. `signed`: as GitHub signs what an App commits in its own name.
    pub fn write_commit(
        &self,
        message: &str,
        tree: &str,
        parents: &[String],
        by: &Signature,
        signed: bool,
    ) -> Result<String, Error> {
        let tree = self.0.find_tree(Oid::from_str(tree)?)?;
        let found: Vec<Commit<'_>> = parents
            .iter()
            .map(|sha| self.0.find_commit(Oid::from_str(sha)?))
            .collect::<Result<_, Error>>()?;
        let parents: Vec<&Commit<'_>> = found.iter().collect();
        let at = git2::Time::new(by.at, 0);
        let author = git2::Signature::new(&by.name, &by.email, &at)?;
        let github = git2::Signature::new("GitHub", "noreply@github.com", &at)?;
        let committer = if signed { &github } else { &author };
        let content = self
            .0
            .commit_create_buffer(&author, committer, message, &tree, &parents)?;
        let text = content
            .as_str()
            .map_err(|_| Error::from_str("the message is not UTF-8"))?;
        let id = match signed {
            true => self.0.commit_signed(text, "made by the simulator", None)?,
            false => self
                .0
                .odb()?
                .write(git2::ObjectType::Commit, text.as_bytes())?,
        };
        Ok(id.to_string())
    }
}
