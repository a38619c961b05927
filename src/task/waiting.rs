//! Tasks that wait for their turn say so, and which place they have; those that are to stop end
//! without waiting for a free place.

use super::attempt::present;
use super::status::{Board, begun};
use super::status_comment::StatusComment;
use super::{Bench, TaskError};
use crate::domain::TaskId;
use crate::render;
use std::time::Duration;

/// How long the telling of one may take; its hold on the task is longer, so that none outlives it.
const PATIENCE: Duration = Duration::from_secs(20);
const HOLD: Duration = Duration::from_secs(40);
/// The place of one is told again no sooner.
const AGAIN: Duration = Duration::from_secs(120);
/// How many are told at one look.
const AT_ONCE: u32 = 5;

/// Tells the people of waiting tasks, until it is dropped.
pub(super) async fn tell(bench: &Bench) {
    let every = bench.times.queue;
    loop {
        tokio::time::sleep(every).await;
        let waiting = bench.store.untold_waiting(every, AGAIN, AT_ONCE).await;
        let waiting = waiting.unwrap_or_else(|error| {
            tracing::warn!(%error, "waiting tasks cannot be listed");
            Vec::new()
        });
        for id in waiting {
            match tokio::time::timeout(PATIENCE, one(bench, id)).await {
                Ok(Ok(())) => {}
                // Its hold runs out, and then it is told again or begins.
                Ok(Err(error)) => {
                    tracing::warn!(task = %id, %error, "nobody was told that the task waits");
                }
                Err(_) => tracing::warn!(task = %id, "GitHub was silent about a waiting task"),
            }
        }
    }
}

async fn one(bench: &Bench, id: TaskId) -> Result<(), TaskError> {
    let Some((task, before)) = bench.store.tell_waiting(id, HOLD).await? else {
        return Ok(());
    };
    let session = bench.github.session(&task.trigger.issue.repo);
    let session = present(&session).await;
    let status = StatusComment {
        bench,
        session: &session,
        task: id,
        trigger: &task.trigger,
        board: &Board::new(bench),
        id: tokio::sync::Mutex::new(task.reached.status_comment_id),
    };
    let (words, page) = (
        super::status::asked_words(&task.trigger),
        bench.links.run(id),
    );
    let begun = begun(
        id,
        &task.trigger,
        words.as_deref(),
        page.as_deref(),
        task.created_at / 1000,
    );
    let written = status.write(&render::queued(&begun, before)).await;
    if let Err(error) = session.revoke_all().await {
        tracing::debug!(%error, "a token was not revoked and expires by itself");
    }
    Ok(bench.store.told_waiting(id, written?, before).await?)
}
