//! A branch that somebody moved while mend worked: mend's change goes on top of what stands there
//! now and is checked again, or mend says why not. Nobody's commits are ever replaced.

use super::attempt::Attempt;
use super::outgoing::{EFFECT, Outgoing, Push};
use super::prepare::prepare;
use super::{TaskError, ending, publish};
use crate::fix::Made;
use crate::git::OnTop;
use crate::github::Session;

/// How often one change is put on top of a branch that moves again and again.
const MOST: u32 = 3;

impl Attempt<'_> {
    /// Publishes; where the branch moved meanwhile, the change goes on top of what stands there now.
    pub(super) async fn publish(
        &self,
        session: &Session,
        mut outgoing: Outgoing,
    ) -> (Outgoing, Result<Option<publish::Published>, TaskError>) {
        if self.bench.rehearsal {
            return (outgoing, Ok(None));
        }
        loop {
            outgoing = match self.signed(session, outgoing.clone()).await {
                Ok(signed) => signed,
                Err(error) => return (outgoing, Err(error)),
            };
            let done =
                publish::publish(self.bench, session, self.claimed, &outgoing, self.cancel).await;
            if !matches!(done, Err(TaskError::Moved(_))) {
                return (outgoing, done);
            }
            outgoing = match self.integrated(session, &outgoing).await {
                Ok(on_top) => on_top,
                Err(error) => return (outgoing, Err(error)),
            };
        }
    }

    /// What is published instead, saved; without a push where the change cannot go there.
    pub(super) async fn integrated(
        &self,
        session: &Session,
        outgoing: &Outgoing,
    ) -> Result<Outgoing, TaskError> {
        let Some(push) = &outgoing.push else {
            return Ok(outgoing.clone());
        };
        let new = match self.on_top(session, outgoing, push).await {
            Err(TaskError::Person(why)) => {
                ending::moved(outgoing, &push.branch, &format!("{why}."))
            }
            other => other?,
        };
        let new = Outgoing {
            integrated: outgoing.integrated + 1,
            ..new
        };
        let text = serde_json::to_string(&new)?;
        self.bench
            .store
            .put_effect(self.held(), EFFECT, &text)
            .await?;
        Ok(new)
    }

    async fn on_top(
        &self,
        session: &Session,
        outgoing: &Outgoing,
        push: &Push,
    ) -> Result<Outgoing, TaskError> {
        if outgoing.integrated >= MOST {
            let why = "It keeps moving, so I stop here.";
            return Ok(ending::moved(outgoing, &push.branch, why));
        }
        let (Some(commit), Some(said)) = (push.made_here(), push.said.clone()) else {
            return Ok(ending::moved(outgoing, &push.branch, ""));
        };
        tracing::info!(
            branch = push.branch,
            "the branch moved; the change is put on top"
        );
        self.board.moved(&push.branch);
        let task = self.claimed.task.id;
        let prepared = prepare(
            self.bench,
            session.clone(),
            task,
            self.trigger(),
            self.cancel,
        )
        .await?;
        match prepared
            .private
            .on_top(commit, prepared.ground.start)
            .await?
        {
            OnTop::Conflicts(paths) => Ok(ending::conflicts(outgoing, &push.branch, &paths)),
            OnTop::Fits(changes) if changes.is_empty() => {
                let why = "What I changed stands there already.";
                Ok(ending::moved(outgoing, &push.branch, why))
            }
            OnTop::Fits(changes) => {
                let files = changes.into_iter().map(|c| match c.content {
                    Some((bytes, mode)) => (c.path, Some(bytes), mode & 0o777),
                    None => (c.path, None, 0o644),
                });
                let made = Made {
                    files: files.collect(),
                    said,
                };
                Box::pin(self.fix(&prepared, Some(&made))).await
            }
        }
    }
}
