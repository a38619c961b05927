//! Tasks whose worker is gone, and tasks that failed as often as they may.

use super::attempt::present;
use super::pool::revoke;
use super::status::Board;
use super::status_comment::StatusComment;
use super::{Bench, in_time};
use crate::domain::Verdict;
use crate::render;
use crate::store::{StoreError, Task};
use std::time::Duration;

/// How long one worker takes at most to tell the people of one task.
const TELLING: Duration = Duration::from_secs(60);
/// How long the others leave the task to it.
const HOLD: Duration = Duration::from_secs(150);

/// Takes expired leases away and tells the people of dead tasks. Of several workers one tells.
pub(super) async fn sweep(bench: &Bench, worker: &str) {
    let (store, times) = (&bench.store, &bench.times);
    let dead = match in_time(times.lease, store.reap(times.again)).await {
        Ok(dead) => dead,
        Err(error) => return tracing::error!(%error, "expired leases cannot be looked for"),
    };
    for task in dead {
        let key = format!("bury:{}", task.id);
        let told = async {
            match in_time(times.lease, store.may_tell(&key, worker, HOLD)).await? {
                true => bury(bench, &task).await,
                false => Ok(()),
            }
        };
        if let Err(error) = told.await {
            tracing::error!(%error, task = %task.id, "a dead task's end could not be recorded");
        }
    }
}

/// Tells the people of a task that failed as often as it may.
async fn bury(bench: &Bench, task: &Task) -> Result<(), StoreError> {
    let session = bench.github.session(&task.trigger.issue.repo);
    let session = present(&session).await;
    let board = Board::new(bench);
    let status = StatusComment {
        bench,
        session: &session,
        task: task.id,
        trigger: &task.trigger,
        board: &board,
        id: tokio::sync::Mutex::new(task.reached.status_comment_id),
    };
    let text = render::ending(&render::Ending {
        task: task.id,
        asked: None,
        verdict: Verdict::Crashed,
        reason: crate::domain::Reason::NotChecked,
        stop: crate::domain::StopReason::Stopped,
        stopped: None,
        turns: 0,
        pull_request: None,
        rival: None,
        proposal: None,
        summary: "",
        discarded: &[],
        check: None,
        base: None,
        error: task.error.as_deref(),
        elapsed_ms: (bench.clock.unix() * 1000 - task.created_at).max(0) as u64,
    });
    let written = tokio::time::timeout(TELLING, status.write(&text)).await;
    let told = match written {
        Ok(Ok(_)) => true,
        Ok(Err(error)) if error.is_transient() => {
            tracing::warn!(%error, task = %task.id, "a dead task's people could not be told yet");
            false
        }
        // A locked or archived place takes no word, however often it is offered.
        Ok(Err(error)) => {
            tracing::error!(%error, task = %task.id, "a dead task's people cannot be told");
            true
        }
        Err(_) => {
            tracing::warn!(task = %task.id, "GitHub was silent when a dead task's people were told");
            false
        }
    };
    if told {
        in_time(TELLING, bench.store.bury(task.id, Verdict::Crashed)).await?;
    }
    revoke(&session).await;
    Ok(())
}
