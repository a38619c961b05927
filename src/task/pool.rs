//! The workers of a server: claim what is due, keep the lease, end every attempt in the store.

use super::attempt::{Attempt, present};
use super::status::Board;
use super::traced::Trace;
use super::{Bench, TaskError};
use crate::domain::{Cancel, TaskId, Verdict, failure_point};
use crate::github::Session;
use crate::render;
use crate::store::{Claimed, Failed, Room, StoreError, Task};
use futures::FutureExt;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};
use tokio::sync::Semaphore;
use tokio::task::JoinSet;
use tracing::Instrument;

/// How long GitHub is asked to revoke the tokens of an attempt.
const REVOKE: Duration = Duration::from_secs(15);

/// Runs tasks, up to so many at the same time.
pub struct Pool {
    bench: Arc<Bench>,
    workers: usize,
    name: String,
    room: Room,
}

impl Pool {
    /// `name` is this worker's among all; a successor that has it too takes over at once what this
    /// one held.
    pub fn new(bench: Arc<Bench>, workers: usize, name: String, room: Room) -> Self {
        Pool {
            bench,
            workers,
            name,
            room,
        }
    }

    /// Works on this task and no other.
    pub fn of(bench: Arc<Bench>, task: TaskId) -> Self {
        let room = Room {
            only: Some(task),
            ..Room::default()
        };
        Pool::new(bench, 1, uuid::Uuid::new_v4().to_string(), room)
    }

    /// Works until `stop`; then what runs is given back to the queue.
    pub async fn run(&self, stop: &Cancel) {
        self.take_over().await;
        tokio::select! {
            () = self.work(stop) => {}
            () = self.tidy() => {}
        }
    }

    async fn work(&self, stop: &Cancel) {
        let places = Arc::new(Semaphore::new(self.workers.max(1)));
        let mut running = JoinSet::new();
        while !stop.is_cancelled() {
            while running.try_join_next().is_some() {}
            // Before the query, so that what comes between the two is not slept through.
            let changed = self.bench.store.tasks_changed();
            self.sweep().await;
            let place = tokio::select! {
                () = stop.cancelled() => break,
                place = places.clone().acquire_owned() => place,
            };
            let Ok(place) = place else { break };
            match self
                .bench
                .store
                .claim_within(&self.name, self.bench.times.lease, self.room)
                .await
            {
                Ok(Some(claimed)) => {
                    let (bench, stop) = (self.bench.clone(), stop.child());
                    let span = tracing::info_span!("task", id = %claimed.task.id, repo = %claimed.task.trigger.issue.repo.name, issue = claimed.task.trigger.issue.number);
                    running.spawn(
                        async move {
                            let _place = place;
                            Box::pin(one(&bench, claimed, &stop)).await;
                        }
                        .instrument(span),
                    );
                    continue;
                }
                Ok(None) => {}
                Err(error) => tracing::error!(%error, "no task can be claimed"),
            }
            drop(place);
            tokio::select! {
                () = stop.cancelled() => {}
                () = changed => {}
                () = tokio::time::sleep(self.bench.times.idle) => {}
            }
        }
        while running.join_next().await.is_some() {}
    }

    /// What the predecessor held when it died goes on here.
    async fn take_over(&self) {
        match self.bench.store.release(&self.name).await {
            Ok(0) => {}
            Ok(tasks) => tracing::info!(tasks, "taken over from the mend before this one"),
            Err(error) => {
                tracing::error!(%error, "what the mend before this one held waits for its lease")
            }
        }
    }

    /// Removes what ended tasks left, now and then.
    async fn tidy(&self) {
        loop {
            if let Err(error) = super::leftover::sweep(&self.bench).await {
                tracing::warn!(%error, "what ended tasks left stays until the next look");
            }
            tokio::time::sleep(super::leftover::EVERY).await;
        }
    }

    /// Takes expired leases away and tells the people of dead tasks.
    async fn sweep(&self) {
        match self.bench.store.reap(self.bench.times.again).await {
            Ok(dead) => {
                for task in dead {
                    bury(&self.bench, &task).await;
                }
            }
            Err(error) => tracing::error!(%error, "expired leases cannot be looked for"),
        }
    }
}

/// One claim, from heartbeat to the end in the store.
async fn one(bench: &Bench, claimed: Claimed, stop: &Cancel) {
    let by_person = AtomicBool::new(false);
    let (trace, writer) = Trace::begin(bench, claimed.held).await;
    let result = {
        let attempt = Attempt {
            bench,
            claimed: &claimed,
            cancel: stop,
            by_person: &by_person,
            board: Board::new(bench),
            trace,
            session: bench.github.session(&claimed.task.trigger.issue.repo),
        };
        failure_point("task-claimed");
        tracing::info!(attempt = claimed.task.attempt, "begun");
        let work = AssertUnwindSafe(attempt.run()).catch_unwind();
        tokio::pin!(work);
        let result = tokio::select! {
            result = &mut work => result,
            () = beat(bench, &claimed, stop, &by_person) => work.await,
        };
        revoke(&attempt.session).await;
        result
    };
    writer.end(bench, claimed.held).await;
    let error = match result {
        Ok(Ok(verdict)) => {
            failure_point("task-finished");
            tracing::info!(verdict = verdict.word(), "ended");
            return;
        }
        Ok(Err(error)) => error,
        Err(_) => TaskError::Person("it broke down inside mend".into()),
    };
    give_back(bench, &claimed, stop, &error).await;
}

/// Ends the tokens of an attempt; what GitHub does not revoke in time is left to the reaper.
async fn revoke(session: &Session) {
    match tokio::time::timeout(REVOKE, session.revoke_all()).await {
        Ok(Ok(())) => {}
        Ok(Err(error)) => tracing::warn!(%error, "a token was not revoked yet"),
        Err(_) => tracing::warn!("GitHub was silent when tokens were revoked"),
    }
}

/// Keeps the lease. Ends after it has fired `stop`: a person asked for it, or the lease is lost, or
/// it may be by now, since the database has not answered for so long.
async fn beat(bench: &Bench, claimed: &Claimed, stop: &Cancel, by_person: &AtomicBool) {
    let mut kept = Instant::now();
    loop {
        tokio::time::sleep(bench.times.beat).await;
        let asked = Instant::now();
        let beat = bench.store.heartbeat(claimed.held, bench.times.lease).await;
        if beat.is_ok() {
            kept = asked;
        }
        match beat {
            Ok(beat) if beat.cancel_requested && !by_person.swap(true, Ordering::AcqRel) => {
                stop.cancel()
            }
            Ok(_) => {}
            Err(StoreError::LostLease(_)) => {
                stop.cancel();
                return;
            }
            Err(error) => {
                tracing::warn!(%error, "a heartbeat failed");
                if kept.elapsed() >= bench.times.lease {
                    stop.cancel();
                    return;
                }
            }
        }
    }
}

/// An attempt without a verdict: again later, or never.
async fn give_back(bench: &Bench, claimed: &Claimed, stop: &Cancel, error: &TaskError) {
    let why = bench.redactor.redact(&error.to_string());
    if error.is_lost() {
        tracing::warn!("the lease was lost; another worker goes on");
        return;
    }
    let done = if stop.is_cancelled() {
        tracing::info!("given back, since the server stops");
        bench
            .store
            .park(claimed.held, Duration::ZERO, "the server stopped")
            .await
            .map(|()| Failed::Again)
    } else if let TaskError::ModelBusy { wait, .. } = error {
        super::park::park(bench, claimed, *wait, &why)
            .await
            .map(|()| Failed::Again)
    } else if error.is_transient() {
        let wait = wait(bench, claimed, error);
        tracing::warn!(error = %why, wait_s = wait.as_secs(), "waits for another try");
        // Waiting for GitHub or a network costs no attempt as long as the task is young.
        match young(bench, &claimed.task) {
            true => bench
                .store
                .park(claimed.held, wait, &why)
                .await
                .map(|()| Failed::Again),
            false => bench.store.fail(claimed.held, &why, wait).await,
        }
    } else {
        tracing::error!(error = %why, "the attempt failed");
        bench
            .store
            .fail(claimed.held, &why, bench.times.again)
            .await
    };
    match done {
        Ok(Failed::Again) => {}
        // The next sweep tells its people.
        Ok(Failed::Dead) => tracing::error!("that was the last attempt"),
        Err(error) => {
            tracing::error!(%error, "the attempt's end could not be recorded; its lease runs out")
        }
    }
}

fn young(bench: &Bench, task: &Task) -> bool {
    bench.clock.unix() * 1000 - task.created_at < bench.times.publish.as_millis() as i64
}

/// Until the time that GitHub named, else a tenth of the task's age within bounds.
fn wait(bench: &Bench, claimed: &Claimed, error: &TaskError) -> Duration {
    let now = bench.clock.unix();
    if let Some(until) = error.not_before() {
        return Duration::from_secs((until - now).clamp(1, 3600) as u64);
    }
    let age = (now - claimed.task.created_at / 1000).max(0) as u64;
    Duration::from_secs(age / 10).clamp(bench.times.again / 6, bench.times.again * 10)
}

/// Tells the people of a task that failed as often as it may.
async fn bury(bench: &Bench, task: &Task) {
    use super::status::StatusComment;
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
        turns: 0,
        pull_request: None,
        rival: None,
        proposal: None,
        summary: "",
        check: None,
        base: None,
        error: task.error.as_deref(),
        elapsed_ms: (bench.clock.unix() * 1000 - task.created_at).max(0) as u64,
    });
    let told = match status.write(&text).await {
        Ok(_) => true,
        Err(error) if error.is_transient() => {
            tracing::warn!(%error, task = %task.id, "a dead task's people could not be told yet");
            false
        }
        // A locked or archived place takes no word, however often it is offered.
        Err(error) => {
            tracing::error!(%error, task = %task.id, "a dead task's people cannot be told");
            true
        }
    };
    if told && let Err(error) = bench.store.bury(task.id, Verdict::Crashed).await {
        tracing::error!(%error, task = %task.id, "a dead task's end could not be recorded");
    }
    revoke(&session).await;
}
