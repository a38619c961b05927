//! The workers of a server: claim what is due, keep the lease, end every attempt in the store.

use super::attempt::Attempt;
use super::status::Board;
use super::traced::Trace;
use super::{Bench, TaskError, dead, in_time};
use crate::domain::{Cancel, TaskId, failure_point};
use crate::github::Session;
use crate::render::Trouble;
use crate::store::{Claimed, Failed, Room, StoreError, Task};
use futures::FutureExt;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::task::JoinSet;
use tracing::Instrument;

/// How long GitHub is asked to revoke the tokens of an attempt.
const REVOKE: Duration = Duration::from_secs(15);
/// How long an attempt that may have lost its lease is given to end itself.
const GRACE: Duration = Duration::from_secs(10);
/// How long the database is given for the last words of an attempt.
const LAST: Duration = Duration::from_secs(20);

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
            () = self.reap() => {}
            () = self.tidy() => {}
            () = super::waiting::tell(&self.bench), if self.room.only.is_none() => {}
        }
    }

    async fn work(&self, stop: &Cancel) {
        let places = Arc::new(Semaphore::new(self.workers.max(1)));
        let mut running = JoinSet::new();
        while !stop.is_cancelled() {
            while running.try_join_next().is_some() {}
            // Before the query, so that what comes between the two is not slept through.
            let changed = self.bench.store.tasks_changed();
            tokio::pin!(changed);
            for claimed in self.stopped().await {
                self.begin(&mut running, claimed, stop, None);
            }
            let place = tokio::select! {
                biased;
                () = stop.cancelled() => break,
                place = places.clone().acquire_owned() => place,
                // Perhaps one that waits is to stop.
                () = &mut changed => continue,
                () = tokio::time::sleep(self.bench.times.idle) => continue,
            };
            let Ok(place) = place else { break };
            match self.claim().await {
                Ok(Some(claimed)) => {
                    self.begin(&mut running, claimed, stop, Some(place));
                    continue;
                }
                Ok(None) => {}
                Err(error) => tracing::error!(%error, "no task can be claimed"),
            }
            drop(place);
            tokio::select! {
                () = stop.cancelled() => {}
                () = &mut changed => {}
                () = tokio::time::sleep(self.bench.times.idle) => {}
            }
        }
        while running.join_next().await.is_some() {}
    }

    fn begin(
        &self,
        running: &mut JoinSet<()>,
        claimed: Claimed,
        stop: &Cancel,
        place: Option<OwnedSemaphorePermit>,
    ) {
        let (bench, stop) = (self.bench.clone(), stop.child());
        let span = tracing::info_span!("task", id = %claimed.task.id, repo = %claimed.task.trigger.issue.repo.name, issue = claimed.task.trigger.issue.number);
        let attempt = async move {
            let _place = place;
            Box::pin(one(&bench, claimed, &stop)).await;
        };
        running.spawn(attempt.instrument(span));
    }

    /// Claims those that wait although they are to stop: they need no place, since all that is left
    /// is to say so.
    async fn stopped(&self) -> Vec<Claimed> {
        const AT_ONCE: u32 = 20;
        let (store, lease) = (&self.bench.store, self.bench.times.lease);
        let waiting = store.stopped_waiting(AT_ONCE).await.unwrap_or_default();
        let mut claimed = Vec::new();
        for id in waiting {
            if self.room.only.is_some_and(|only| only != id) {
                continue;
            }
            let room = Room {
                only: Some(id),
                ..Room::default()
            };
            match in_time(lease, store.claim_within(&self.name, lease, room)).await {
                Ok(found) => claimed.extend(found),
                Err(error) => tracing::error!(%error, "a stopped task cannot be claimed"),
            }
        }
        claimed
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

    /// The next task; a database that is silent for as long as a claim holds gives none.
    async fn claim(&self) -> Result<Option<Claimed>, StoreError> {
        let (store, lease) = (&self.bench.store, self.bench.times.lease);
        in_time(lease, store.claim_within(&self.name, lease, self.room)).await
    }

    /// Takes expired leases away and tells the people of dead tasks, beside the claims, so that
    /// neither waits for the other.
    async fn reap(&self) {
        let times = &self.bench.times;
        loop {
            Box::pin(dead::sweep(&self.bench, &self.name)).await;
            tokio::time::sleep(times.idle.min(times.lease / 4)).await;
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
            // It ends what it began. Where that takes long (a database that is silent, say), it is
            // ended from outside: whoever cannot tell that the task is its own writes nothing.
            () = beat(bench, &claimed, stop, &by_person) => {
                attempt.board.silence();
                let ended = tokio::time::timeout(GRACE, work).await;
                ended.unwrap_or(Ok(Err(StoreError::Silent.into())))
            }
        };
        revoke(&attempt.session).await;
        result
    };
    let _ = tokio::time::timeout(LAST, writer.end(bench, claimed.held)).await;
    let error = match result {
        Ok(Ok(verdict)) => {
            failure_point("task-finished");
            tracing::info!(verdict = verdict.word(), "ended");
            return;
        }
        Ok(Err(error)) => error,
        Err(_) => TaskError::Person(Trouble::Broke),
    };
    let by_person = by_person.load(Ordering::Acquire);
    let back = give_back(bench, &claimed, stop, by_person, &error);
    if tokio::time::timeout(LAST, back).await.is_err() {
        tracing::error!("the attempt's end could not be recorded; its lease runs out");
    }
}

/// Ends the tokens of an attempt; what GitHub does not revoke in time is left to the reaper.
pub(super) async fn revoke(session: &Session) {
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
        let left = bench.times.lease.saturating_sub(kept.elapsed());
        let beat = bench.store.heartbeat(claimed.held, bench.times.lease);
        let beat = in_time(left, beat).await;
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
                    tracing::error!(
                        "the lease may be lost, since it could not be renewed: stopped"
                    );
                    stop.cancel();
                    return;
                }
            }
        }
    }
}

/// An attempt without a verdict: again later, or never. What a person stopped and cannot be told
/// yet waits as all else does.
async fn give_back(
    bench: &Bench,
    claimed: &Claimed,
    stop: &Cancel,
    by_person: bool,
    error: &TaskError,
) {
    let why = bench.redactor.redact(&error.to_string());
    if error.is_lost() {
        tracing::warn!("the lease was lost; another worker goes on");
        return;
    }
    let done = if stop.is_cancelled() && !by_person {
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
        let (store, held) = (&bench.store, claimed.held);
        match (young(bench, &claimed.task), by_person) {
            (true, true) => store.park_stopped(held, wait, &why).await,
            (true, false) => store.park(held, wait, &why).await,
            (false, _) => return ended(store.fail(held, &why, wait).await),
        }
        .map(|()| Failed::Again)
    } else {
        tracing::error!(error = %why, "the attempt failed");
        bench
            .store
            .fail(claimed.held, &why, bench.times.again)
            .await
    };
    ended(done);
}

fn ended(done: Result<Failed, StoreError>) {
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
