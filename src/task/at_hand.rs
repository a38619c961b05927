//! What an earlier attempt saved for publishing, where this machine can publish it.

use super::TaskError;
use super::attempt::Attempt;
use super::outgoing::{EFFECT, Outgoing};
use super::prepare::private_path;
use crate::github::Session;

impl Attempt<'_> {
    /// What an earlier attempt was about to publish.
    pub(super) async fn saved(&self, session: &Session) -> Result<Option<Outgoing>, TaskError> {
        let text = self
            .bench
            .store
            .effect(self.claimed.task.id, EFFECT)
            .await?;
        let Some(text) = text else { return Ok(None) };
        let outgoing: Outgoing = serde_json::from_str(&text)?;
        match self.at_hand(session, &outgoing).await? {
            true => Ok(Some(outgoing)),
            false => {
                tracing::info!("the saved change lies on another machine; it is made again");
                Ok(None)
            }
        }
    }

    /// Whether what was saved can be published from here: its commit lies in the private git
    /// directory of the worker that made it, unless that one came to pushing it.
    async fn at_hand(&self, session: &Session, outgoing: &Outgoing) -> Result<bool, TaskError> {
        let Some(push) = &outgoing.push else {
            return Ok(true);
        };
        // Made on GitHub already, so that it needs no push.
        if push.local.is_some() {
            return Ok(true);
        }
        let path = private_path(self.bench, session.repo(), self.claimed.task.id);
        if let (Ok(private), Some((commit, _))) = (self.bench.git.reopen(path).await, push.ids())
            && private.has(commit).await?
        {
            return Ok(true);
        }
        Ok(session.branch(&push.branch).await?.as_deref() == Some(&*push.commit))
    }
}
