//! A commit through the API: blobs, tree, commit, and the branch moved onto it. GitHub signs what
//! an App commits so, as long as it names neither author nor committer.
//!
//! REST's trees, because they know modes, symlinks and removals (GraphQL's
//! `createCommitOnBranch` knows neither); GraphQL's `updateRefs` for the branch, because it alone
//! moves a ref only from where it is expected to stand. Objects that no ref reaches disturb nobody,
//! so a crash in between leaves nothing to clean up.

use super::client::Ask;
use super::error::GithubError;
use super::session::{Purpose, Session};
use super::wire::RepoInfo;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde::Deserialize;
use serde_json::{Value, json};

/// Text of up to this size goes with the tree; the rest is a blob of its own.
const INLINE_BYTES: usize = 256 * 1024;
/// GitHub counts requests that make something: more blobs than this would run into its limits.
const MOST_BLOBS: usize = 50;
/// All texts of one request for a tree.
const TREE_BYTES: usize = 4 << 20;
const NOWHERE: &str = "0000000000000000000000000000000000000000";

/// One path of a change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    pub path: String,
    /// Bytes and git's mode (`0o100644`, `0o100755`, `0o120000`); `None` removes the path.
    pub content: Option<(Vec<u8>, u32)>,
}

/// Where a branch stands after [`Session::move_branch`] was refused or done.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Stands {
    /// On the wanted commit, by this call or one before it.
    There,
    /// Somebody moved it: elsewhere, or it is gone.
    Elsewhere(Option<String>),
}

/// A commit, as git's objects show it.
#[derive(Debug, Clone, Deserialize)]
pub struct GitCommitInfo {
    #[serde(default, deserialize_with = "super::wire::text")]
    pub message: String,
    pub tree: TreeRef,
}

#[derive(Debug, Clone, Deserialize)]
pub struct TreeRef {
    pub sha: String,
}

#[derive(Deserialize)]
struct Made {
    sha: String,
}

impl Session {
    /// Writes the tree that `base` (a commit) has with these changes; its id.
    ///
    /// # Errors
    /// Every class of [`GithubError`]; [`GithubError::Setting`] for a change with more binary or
    /// large files than the API takes.
    pub async fn make_tree(&self, base: &str, changes: &[Entry]) -> Result<String, GithubError> {
        let mut tree = Vec::new();
        let (mut blobs, mut inline) = (0, 0);
        for change in changes {
            let Some((bytes, mode)) = &change.content else {
                tree.push(json!({
                    "path": change.path, "mode": "100644", "type": "blob", "sha": Value::Null
                }));
                continue;
            };
            let mut entry = json!({
                "path": change.path, "mode": format!("{mode:06o}"), "type": "blob"
            });
            let text = std::str::from_utf8(bytes).ok().filter(|t| {
                !t.contains('\0') && t.len() <= INLINE_BYTES && inline + t.len() <= TREE_BYTES
            });
            match text {
                Some(text) => {
                    inline += text.len();
                    entry["content"] = json!(text);
                }
                None if blobs == MOST_BLOBS => {
                    return Err(GithubError::Setting(format!(
                        "the change has more than {MOST_BLOBS} binary or large files, which are too many for a commit \
                         through the API; set `publish.commits` to \"push\""
                    )));
                }
                None => {
                    blobs += 1;
                    entry["sha"] = json!(self.make_blob(bytes).await?);
                }
            }
            tree.push(entry);
        }
        let body = json!({ "base_tree": base, "tree": tree });
        let ask = Ask::post(self.path("/git/trees"), body).repeatable();
        Ok(self.call(Purpose::Publish, &ask).await?.json::<Made>()?.sha)
    }

    /// Doing it twice makes the same blob.
    async fn make_blob(&self, bytes: &[u8]) -> Result<String, GithubError> {
        let body = json!({ "content": STANDARD.encode(bytes), "encoding": "base64" });
        let ask = Ask::post(self.path("/git/blobs"), body).repeatable();
        Ok(self.call(Purpose::Publish, &ask).await?.json::<Made>()?.sha)
    }

    /// A commit's message and tree.
    ///
    /// # Errors
    /// Every class of [`GithubError`].
    pub async fn git_commit(&self, id: &str) -> Result<GitCommitInfo, GithubError> {
        let ask = Ask::get(self.path(&format!("/git/commits/{id}")));
        self.call(Purpose::Read, &ask).await?.json()
    }

    /// Makes a commit that no branch reaches yet, in the App's own name; its id.
    ///
    /// # Errors
    /// Every class of [`GithubError`].
    pub async fn make_commit(
        &self,
        message: &str,
        tree: &str,
        parent: &str,
    ) -> Result<String, GithubError> {
        let body = json!({ "message": message, "tree": tree, "parents": [parent] });
        let ask = Ask::post(self.path("/git/commits"), body);
        Ok(self.call(Purpose::Publish, &ask).await?.json::<Made>()?.sha)
    }

    /// Moves a branch from `from` (`None`: it does not exist) onto a commit; GitHub compares once
    /// more under its own lock. `rewrite`: the commit may replace what stands there.
    ///
    /// # Errors
    /// Every class of [`GithubError`]; safe to call again after any.
    pub async fn move_branch(
        &self,
        repo: &RepoInfo,
        branch: &str,
        from: Option<&str>,
        to: &str,
        rewrite: bool,
    ) -> Result<Stands, GithubError> {
        let now = self.branch(branch).await?;
        if now.as_deref() == Some(to) {
            return Ok(Stands::There);
        }
        if now.as_deref() != from {
            return Ok(Stands::Elsewhere(now));
        }
        let query =
            "mutation($input: UpdateRefsInput!) { updateRefs(input: $input) { clientMutationId } }";
        let update = json!({
            "name": format!("refs/heads/{branch}"),
            "beforeOid": from.unwrap_or(NOWHERE),
            "afterOid": to,
            "force": rewrite,
        });
        let input = json!({ "repositoryId": repo.node_id, "refUpdates": [update] });
        let ask = Ask::graphql(query, json!({ "input": input }));
        match self.call(Purpose::Publish, &ask).await {
            Ok(_) => Ok(Stands::There),
            Err(refused @ GithubError::Validation(_)) => match self.branch(branch).await? {
                now if now.as_deref() == Some(to) => Ok(Stands::There),
                // It stands where it should, so GitHub refuses something else: a rule, say.
                now if now.as_deref() == from => Err(refused),
                now => Ok(Stands::Elsewhere(now)),
            },
            Err(other) => Err(other),
        }
    }
}
