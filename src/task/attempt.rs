//! One attempt at one task: prepare, work, save the change, publish, end.

use super::branch::Ground;
use super::ending::{self, Saved};
use super::entitled::{Moment, entitled};
use super::outgoing::{EFFECT, Outgoing};
use super::prepare::{Prepared, prepare};
use super::purse::Purse;
use super::resume::Keeper;
use super::status::{Board, asked_in_a_line};
use super::status_comment::StatusComment;
use super::steer::Inbox;
use super::terms::{asked_of_fix, capped, remark};
use super::traced::Trace;
use super::{Bench, TaskError, publish, replies, threads};
use crate::check::Baseline;
use crate::check::SetUp;
use crate::config::RepoConfig;
use crate::domain::{
    Both, Cancel, OpenSpan, Progress, Report, SpanEnd, SpanKind, Step, Trigger, TriggerKind,
    Verdict, failure_point,
};
use crate::fix::{self, Input, Made, Recorded, RecordedTask};
use crate::github::{Reaction, Session};
use crate::render;
use crate::render::Trouble;
use crate::store::{Claimed, Held, Reached, StoreError};
use crate::text::code_span;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// The session under the repository's present name. A repository that does not answer keeps the
/// name of the trigger; the work will say what is wrong.
pub(super) async fn present(session: &Session) -> Session {
    match session
        .repo_by_id()
        .await
        .map(|repo| repo.full_name.parse())
    {
        Ok(Ok(name)) => session.renamed(name),
        _ => session.clone(),
    }
}

/// One claim of one task, while it lasts.
pub(super) struct Attempt<'a> {
    pub(super) bench: &'a Bench,
    pub(super) claimed: &'a Claimed,
    /// A person's stop, the server's, or a lost lease.
    pub(super) cancel: &'a Cancel,
    /// Whether a person asked to stop.
    pub(super) by_person: &'a AtomicBool,
    pub(super) board: Board,
    pub(super) trace: Trace,
    /// Its tokens are revoked when the attempt is over, however it ends.
    pub(super) session: Session,
}

impl Attempt<'_> {
    pub(super) fn held(&self) -> Held {
        self.claimed.held
    }

    pub(super) fn trigger(&self) -> &Trigger {
        &self.claimed.task.trigger
    }

    /// Runs to a verdict. An error is the attempt's, not yet the task's.
    pub(super) async fn run(&self) -> Result<Verdict, TaskError> {
        let session = present(&self.session).await;
        let status = StatusComment {
            bench: self.bench,
            session: &session,
            task: self.claimed.task.id,
            trigger: self.trigger(),
            board: &self.board,
            id: tokio::sync::Mutex::new(self.claimed.task.reached.status_comment_id),
        };
        let by = Progress::Note(format!(
            "task {}: {}",
            self.claimed.task.id,
            asked_in_a_line(self.trigger())
        ));
        self.bench.journal.tell(by);
        if let Some((limit, until)) = self.held_up() {
            self.board.held_up(render::held_up(limit, until));
        }
        if self.claimed.task.cancel_requested {
            self.by_person.store(true, Ordering::Release);
            self.cancel.cancel();
        }
        let outgoing = match self.saved(&session).await? {
            Some(outgoing) => outgoing,
            // Stopped while it waited: nothing is begun for that.
            None if self.by_person.load(Ordering::Acquire) => {
                ending::stopped(self.bench, &self.board)
            }
            None => {
                self.greet(&session, &status).await?;
                self.board.mark("greet");
                let done = tokio::select! {
                    done = self.work(&session) => done,
                    () = status.follow() => return Err(TaskError::Person(Trouble::Broke)),
                };
                if let Err(error) = &done {
                    self.tell_waiting(&status, error).await;
                }
                done?
            }
        };
        let outgoing = match self.by_person.load(Ordering::Acquire) {
            true => ending::nothing_more(outgoing),
            false => outgoing,
        };
        self.board.publishing();
        let span = self.step("publish");
        let (outgoing, done) = self.publish(&session, outgoing).await;
        let verdict = self.conclude(&outgoing, &status, done).await;
        match &verdict {
            Ok(verdict) => span.close(SpanEnd::Ok, verdict.word(), Vec::new()),
            Err(error) => span.close(SpanEnd::Failed, error.to_string(), Vec::new()),
        }
        verdict
    }

    /// A step of the task, in its trace.
    fn step(&self, name: &'static str) -> OpenSpan<'_> {
        OpenSpan::open(&self.trace, SpanKind::Step, name, "", Vec::new())
    }

    /// The set-up of this repository's checks; finished ones are kept for its next tasks.
    fn set_up(&self, config: &RepoConfig) -> Arc<SetUp> {
        let mut settings = self.bench.setup.clone();
        let repo = self.trigger().issue.repo.id;
        settings.cache = settings.cache.join(repo.to_string());
        Arc::new(SetUp::new(settings, config))
    }

    /// The status comment, and eyes where nobody gave them yet; neither is worth an attempt.
    async fn greet(&self, session: &Session, status: &StatusComment<'_>) -> Result<(), TaskError> {
        if self.bench.rehearsal {
            return Ok(());
        }
        // What came by a webhook was seen when it was admitted.
        if self.trigger().what == TriggerKind::CommandLine
            && let Err(error) = session.react(status.thread(), Reaction::Eyes).await
        {
            tracing::warn!(%error, "no reaction on the issue");
        }
        match status.open().await {
            Ok(id) => {
                let reached = Reached {
                    status_comment_id: Some(id),
                    ..Reached::default()
                };
                self.bench
                    .store
                    .step(self.held(), Step::Prepare, &reached)
                    .await?;
            }
            Err(error) => tracing::warn!(%error, "no status comment yet"),
        }
        Ok(())
    }

    /// Prepares, fixes and saves what came of it. What only a person can settle is an ending too.
    async fn work(&self, session: &Session) -> Result<Outgoing, TaskError> {
        let task = self.claimed.task.id;
        let outgoing = match Box::pin(self.try_it(session)).await {
            Ok(outgoing) => outgoing,
            Err(error) if self.by_person.load(Ordering::Acquire) => {
                tracing::info!(%task, %error, "stopped by a person");
                ending::stopped(self.bench, &self.board)
            }
            Err(error) if self.cancel.is_cancelled() || error.is_transient() || error.is_lost() => {
                return Err(error);
            }
            Err(error) => {
                tracing::warn!(%task, %error, "the task could not start");
                ending::could_not_start(self.bench, &self.board, &error)
            }
        };
        // A stop of the server is no verdict: the next server works again.
        if self.cancel.is_cancelled() && !self.by_person.load(Ordering::Acquire) {
            return Err(TaskError::Person(Trouble::ServerStops));
        }
        let outgoing = outgoing.redacted(&self.bench.redactor)?;
        let text = serde_json::to_string(&outgoing)?;
        self.bench
            .store
            .put_effect(self.held(), EFFECT, &text)
            .await?;
        failure_point("outgoing-saved");
        Ok(outgoing)
    }

    async fn try_it(&self, session: &Session) -> Result<Outgoing, TaskError> {
        entitled(self.bench, session, self.trigger(), Moment::Start).await?;
        if let Some(question) = self.rival(session).await? {
            return Ok(question);
        }
        if let Some(unpaid) = self.unpaid().await? {
            return Ok(unpaid);
        }
        let (task, trigger) = (self.claimed.task.id, self.trigger());
        let span = self.step("prepare");
        let prepared = prepare(self.bench, session.clone(), task, trigger, self.cancel).await?;
        span.close(SpanEnd::Ok, "", Vec::new());
        self.board.mark("prepare");
        Box::pin(self.fix(&prepared, None)).await
    }

    /// Where the checks of this commit are kept.
    fn baseline(&self, prepared: &Prepared) -> Baseline {
        Baseline {
            folder: self.bench.baselines.clone(),
            repo: self.trigger().issue.repo.id.to_string(),
            commit: prepared.ground.base.to_string(),
        }
    }

    /// Tells, and keeps, what the work begins from.
    async fn begun_work(&self, ground: &Ground) -> Result<(), TaskError> {
        let base = ground.base.to_string();
        let branch = code_span(&ground.base_branch);
        let linked = self
            .bench
            .links
            .commit(&self.trigger().issue.repo.name, &base);
        let upon = match &ground.pull {
            Some(pull) => format!(", on top of #{}", pull.number),
            None => String::new(),
        };
        self.board.prepared(
            format!("cloned {branch} at `{}`{upon}", &base[..7]),
            format!("cloned {branch} at {linked}{upon}"),
        );
        let reached = Reached {
            base_sha: Some(base),
            ..Reached::default()
        };
        Ok(self
            .bench
            .store
            .step(self.held(), Step::Work, &reached)
            .await?)
    }

    /// Runs the engine; with a change that is made already, everything but the loop.
    pub(super) async fn fix(
        &self,
        prepared: &Prepared,
        made: Option<&Made>,
    ) -> Result<Outgoing, TaskError> {
        let (bench, trigger) = (self.bench, self.trigger());
        self.begun_work(&prepared.ground).await?;
        let report = Report {
            title: trigger.title.clone(),
            body: trigger.body.clone(),
        };
        let before = self.before().await?;
        let earlier = self.earlier(prepared).await?;
        let task = &self.claimed.task;
        let cast = bench.models.of(task.id, task.attempt, before.answered)?;
        let purse = Purse::new(self, before.spent);
        let keeper = Keeper::new(&purse, self.cancel);
        let (allow_tests, cap) = asked_of_fix(trigger);
        let limits = capped(prepared.config.limits.narrow(&bench.limits), cap);
        self.board.limit(&limits);
        let inbox = Inbox::new(&purse);
        let input = Input {
            base: &prepared.base,
            start: prepared.start.as_deref(),
            earlier: earlier.as_ref(),
            report: &report,
            guidance: &before.guidance,
            config: &prepared.config,
            setup: Some(self.set_up(&prepared.config)),
            git: prepared.git.as_deref(),
            commands: &[],
            base_check: true,
            baseline: Some(self.baseline(prepared)),
            allow_tests,
            limits: &limits,
            model: &*cast.worker,
            reviewer: cast.reviewer.as_deref(),
            max_output_tokens: bench.max_output_tokens,
            agent: bench.agent.clone(),
            resume: before.resume,
            made,
            keep: Some(&keeper),
            sandbox: bench.sandbox.clone(),
            scratch: &bench.scratch,
            prompts: &bench.prompts,
            redactor: &bench.redactor,
            cancel: self.cancel,
            steer: Some(&inbox),
            journal: &Both(&self.board, &self.trace),
        };
        let record = cast.record.as_ref().filter(|_| made.is_none());
        if let Some(folder) = record {
            RecordedTask::write(&input, folder)?;
        }
        let mut fixed = tokio::select! {
            fixed = fix::run(&input) => fixed?,
            () = inbox.listen(&bench.store, self.held(), bench.times.beat) => {
                return Err(StoreError::LostLease(task.id).into());
            }
        };
        fixed.warnings.extend(purse.warning());
        self.board.mark("fix");
        if let Some(wait) = self.wait_for_model(&fixed) {
            let why = fixed.error.unwrap_or_else(|| "the model is busy".into());
            return Err(TaskError::ModelBusy { wait, why });
        }
        remark(&mut fixed, cap.is_some(), made.is_some());
        if let Some(folder) = record {
            Recorded::of(&fixed).write(folder)?;
        }
        let replies = replies::take(&mut fixed.summary, trigger);
        let commit = self.commit(prepared, &fixed).await?;
        let outgoing = self.outgoing(prepared, fixed, earlier, commit, cast.worker.name());
        let mut outgoing = outgoing.await?;
        outgoing.document["model"] = cast.worker.name().into();
        Ok(Outgoing {
            replies,
            ..outgoing
        })
    }

    /// Writes the ending where people read it, and into the store.
    async fn conclude(
        &self,
        outgoing: &Outgoing,
        status: &StatusComment<'_>,
        done: Result<Option<publish::Published>, TaskError>,
    ) -> Result<Verdict, TaskError> {
        let (outgoing, published) = match done {
            Ok(published) => (outgoing.clone(), published),
            Err(error) if error.is_lost() => return Err(error),
            Err(_) if self.by_person.load(Ordering::Acquire) => {
                (ending::nothing_more(outgoing.clone()), None)
            }
            Err(error) if self.cancel.is_cancelled() => return Err(error),
            Err(error) if error.is_transient() && !ending::too_late(self.bench, outgoing) => {
                return Err(error);
            }
            Err(error) => (ending::not_published(self.bench, outgoing, &error), None),
        };
        self.board.mark("publish");
        let cause = self.bench.store.stop_cause(self.claimed.task.id).await?;
        let mut text = ending::text(&self.claimed.task, &outgoing, published.as_ref(), cause);
        if let Some((limit, until)) = self.held_up() {
            text.push_str(&format!(" {}", render::held_up(limit, until)));
        }
        let (store, lease) = (&self.bench.store, self.bench.times.lease);
        store.heartbeat(self.held(), lease).await?;
        let untold = match status.write_wherever(&text).await {
            Ok(_) => None,
            Err(error) if error.is_transient() && !ending::too_late(self.bench, &outgoing) => {
                return Err(error.into());
            }
            // A locked conversation, an archived repository, an App that was removed: no later try
            // is heard there. What came of the task stands in the store.
            Err(error) => {
                tracing::error!(%error, "the ending could not be told");
                Some(self.bench.redactor.redact(&error.to_string()))
            }
        };
        let task = &self.claimed.task;
        threads::answer(
            self.bench,
            status.session,
            task,
            &outgoing,
            published.as_ref(),
        )
        .await;
        self.board.mark("tell");
        failure_point("ending-told");
        let result = Saved::of(&outgoing, published, self.board.spans(), untold).into_json();
        self.bench
            .store
            .finish(self.held(), outgoing.verdict, &result)
            .await?;
        Ok(outgoing.verdict)
    }
}
