//! Commits through GitHub's API, which signs them as the App's. What was checked is a tree, and
//! GitHub has to come to the very same one; only the commit's id is another.

use super::TaskError;
use super::attempt::Attempt;
use super::outgoing::{EFFECT, Outgoing};
use super::prepare::private_path;
use crate::config::CommitsBy;
use crate::github::{Entry, Session};
use crate::render::Trouble;

impl Attempt<'_> {
    /// Makes the commit at GitHub, where the settings want that and it is not made yet, and puts its
    /// id into everything that names it. No branch reaches it before it is published.
    pub(super) async fn signed(
        &self,
        session: &Session,
        outgoing: Outgoing,
    ) -> Result<Outgoing, TaskError> {
        let wanted = self.bench.publish.commits == CommitsBy::Api;
        let Some(push) = outgoing
            .push
            .as_ref()
            .filter(|p| wanted && p.local.is_none())
        else {
            return Ok(outgoing);
        };
        let unreadable = || TaskError::Person(Trouble::UnreadableCommit);
        let (local, _) = push.ids().ok_or_else(unreadable)?;
        let task = self.claimed.task.id;
        let path = private_path(self.bench, session.repo(), task);
        let private = self.bench.git.reopen(path).await?;
        let changes = private.change_of(local).await?;
        let entries: Vec<Entry> = changes
            .into_iter()
            .map(|c| Entry {
                path: c.path,
                content: c.content,
            })
            .collect();
        let parent = private.parent_of(local).await?.to_string();
        let tree = session.make_tree(&parent, &entries).await?;
        if tree != private.tree_of(local).await?.to_string() {
            return Err(TaskError::Person(Trouble::OtherFiles));
        }
        let message = private.message_of(local).await?;
        let commit = session.make_commit(&message, &tree, &parent).await?;
        let signed = outgoing.renamed(&commit);
        let text = serde_json::to_string(&signed)?;
        self.bench
            .store
            .put_effect(self.held(), EFFECT, &text)
            .await?;
        Ok(signed)
    }
}
