//! One attempt at one task: prepare, work, save the change, publish, end.

use super::ending::{self, Saved};
use super::outgoing::{EFFECT, Outgoing, Push};
use super::prepare::{Prepared, guidance, prepare};
use super::status::{Board, StatusComment};
use super::{Bench, TaskError, publish};
use crate::agent::Earlier;
use crate::domain::{Cancel, Command, Progress, Report, Step, Trigger, TriggerKind, Verdict};
use crate::fix::{self, About, Document, Fixed, Input, Recorded, RecordedTask, line_counts};
use crate::gate;
use crate::git::{NewCommit, Oid, Signer, TreeChange};
use crate::github::{Reaction, Session, Thread};
use crate::render;
use crate::store::{Claimed, Filter, Held, Reached, State};
use std::sync::atomic::{AtomicBool, Ordering};

/// Who asked for a task, and what for, in a line.
fn asked(trigger: &Trigger) -> String {
    let issue = trigger.issue.number;
    match &trigger.what {
        TriggerKind::Label => format!("{} labelled issue {issue}", trigger.by.login),
        TriggerKind::Comment { command, .. } => match command {
            Command::Retry {
                guidance: Some(text),
                ..
            } => {
                format!(
                    "{} asks for another run on issue {issue}: {text}",
                    trigger.by.login
                )
            }
            _ => format!("{} asks for another run on issue {issue}", trigger.by.login),
        },
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
}

impl Attempt<'_> {
    fn held(&self) -> Held {
        self.claimed.held
    }

    fn trigger(&self) -> &Trigger {
        &self.claimed.task.trigger
    }

    /// Runs to a verdict. An error is the attempt's, not yet the task's.
    pub(super) async fn run(&self) -> Result<Verdict, TaskError> {
        let session = self.bench.github.session(&self.trigger().issue.repo);
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
            asked(self.trigger())
        ));
        self.bench.journal.tell(by);
        if self.claimed.task.cancel_requested {
            self.by_person.store(true, Ordering::Release);
            self.cancel.cancel();
        }
        let outgoing = match self.saved().await? {
            Some(outgoing) => outgoing,
            None => {
                self.greet(&session, &status).await?;
                self.board.mark("greet");
                tokio::select! {
                    done = self.work(&session) => done?,
                    () = status.follow() => return Err(TaskError::Person("the status comment's loop ended".into())),
                }
            }
        };
        let outgoing = match self.by_person.load(Ordering::Acquire) {
            true => ending::nothing_more(outgoing),
            false => outgoing,
        };
        self.board.publishing();
        let done =
            publish::publish(self.bench, &session, self.claimed, &outgoing, self.cancel).await;
        let verdict = self.conclude(&outgoing, &status, done).await;
        if let Err(error) = session.revoke_all().await {
            tracing::debug!(%error, "a token was not revoked and expires by itself");
        }
        verdict
    }

    async fn saved(&self) -> Result<Option<Outgoing>, TaskError> {
        let text = self
            .bench
            .store
            .effect(self.claimed.task.id, EFFECT)
            .await?;
        Ok(text.map(|t| serde_json::from_str(&t)).transpose()?)
    }

    /// Eyes on the issue and the status comment; neither is worth an attempt.
    async fn greet(&self, session: &Session, status: &StatusComment<'_>) -> Result<(), TaskError> {
        let thread = Thread::Issue(self.trigger().issue.number);
        if let Err(error) = session.react(thread, Reaction::Eyes).await {
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
        let done = match prepare(
            self.bench,
            session.clone(),
            task,
            self.trigger(),
            self.cancel,
        )
        .await
        {
            Ok(prepared) => {
                self.board.mark("prepare");
                self.fix(&prepared).await
            }
            Err(error) => Err(error),
        };
        let outgoing = match done {
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
            return Err(TaskError::Person("the server stops".into()));
        }
        let text = serde_json::to_string(&outgoing)?;
        self.bench
            .store
            .put_effect(self.held(), EFFECT, &text)
            .await?;
        Ok(outgoing)
    }

    async fn fix(&self, prepared: &Prepared) -> Result<Outgoing, TaskError> {
        let (bench, trigger, ground) = (self.bench, self.trigger(), &prepared.ground);
        let short = &ground.base.to_string()[..7];
        self.board
            .prepared(format!("cloned `{}` at `{short}`", ground.base_branch));
        let reached = Reached {
            base_sha: Some(ground.base.to_string()),
            ..Reached::default()
        };
        bench.store.step(self.held(), Step::Work, &reached).await?;
        let report = Report {
            title: trigger.title.clone(),
            body: trigger.body.clone(),
        };
        let guidance = guidance(trigger);
        let earlier = self.earlier(prepared).await?;
        let (model, record) = bench
            .models
            .of(self.claimed.task.id, self.claimed.task.attempt)?;
        let limits = prepared.config.limits.narrow(&bench.limits);
        let input = Input {
            base: &prepared.base,
            start: prepared.start.as_deref(),
            earlier: earlier.as_ref(),
            report: &report,
            guidance: &guidance,
            config: &prepared.config,
            commands: &[],
            base_check: true,
            limits: &limits,
            model: &*model,
            max_output_tokens: bench.max_output_tokens,
            sandbox: bench.sandbox.clone(),
            scratch: &bench.scratch,
            prompts: &bench.prompts,
            redactor: &bench.redactor,
            cancel: self.cancel,
            steer: None,
            journal: &self.board,
        };
        if let Some(folder) = &record {
            RecordedTask::write(&input, folder)?;
        }
        let fixed = fix::run(&input).await?;
        self.board.mark("fix");
        if let Some(folder) = &record {
            Recorded::of(&fixed).write(folder)?;
        }
        let commit = self.commit(prepared, &fixed).await?;
        self.outgoing(prepared, fixed, earlier, commit, model.name())
            .await
    }

    /// The change as a commit in the private git directory; `None` where nothing changed.
    async fn commit(&self, prepared: &Prepared, fixed: &Fixed) -> Result<Option<Oid>, TaskError> {
        let trigger = self.trigger();
        let changes: Vec<TreeChange> = fixed
            .changes
            .iter()
            .map(|c| TreeChange {
                path: c.path.clone(),
                content: c.after.clone().map(|bytes| (bytes, c.mode)),
            })
            .collect();
        let signer = Signer {
            name: prepared.bot.login.clone(),
            email: prepared.bot.email.clone(),
        };
        let follow_up = prepared.ground.start != prepared.ground.base;
        let message = render::commit_message(
            &trigger.title,
            &fixed.summary,
            trigger.issue.number,
            follow_up,
        );
        let new = NewCommit {
            parent: prepared.ground.start,
            changes,
            message,
            author: signer.clone(),
            committer: signer,
            time: self.bench.clock.unix(),
            allow_empty: false,
        };
        let commit = prepared.private.commit(new).await?;
        if let Some(commit) = commit {
            let reached = Reached {
                store_path: Some(prepared.private.path().display().to_string()),
                head_sha: Some(commit.to_string()),
                ..Reached::default()
            };
            self.bench
                .store
                .step(self.held(), Step::Publish, &reached)
                .await?;
        }
        Ok(commit)
    }

    /// Puts together what is published.
    async fn outgoing(
        &self,
        prepared: &Prepared,
        fixed: Fixed,
        earlier: Option<Earlier>,
        commit: Option<Oid>,
        model: &str,
    ) -> Result<Outgoing, TaskError> {
        let (bench, ground, trigger) = (self.bench, &prepared.ground, self.trigger());
        let mut outgoing = ending::of_fix(bench, &self.board, &fixed, ground);
        let Some(commit) = commit.filter(|_| fixed.verdict != Verdict::Stopped) else {
            outgoing.document = serde_json::to_value(Document::of(&fixed, ""))?;
            return Ok(outgoing);
        };
        let diff = prepared.private.diff(ground.base, commit).await?;
        let paths = prepared.private.changed_paths(ground.base, commit).await?;
        let changed = line_counts(&diff, paths.iter().map(|p| p.path.as_str()));
        let summary = match earlier {
            Some(e) if !e.summary.trim().is_empty() => {
                format!("{}\n\n{}", e.summary.trim(), fixed.summary.trim())
            }
            _ => fixed.summary.clone(),
        };
        let whole = Fixed { summary, ..fixed };
        let id = commit.to_string();
        let about = About {
            issue: Some(trigger.issue.number),
            commit: Some(&id[..7]),
            model,
            changed: &changed,
        };
        let body = render::body(&whole.pull_request(&about));
        outgoing.document = serde_json::to_value(Document {
            diff,
            ..Document::of(&whole, &body)
        })?;
        let objections = self.objections(&whole);
        match objections.is_empty() {
            true => {
                let title = render::title(&trigger.title);
                let draft = whole.verdict != Verdict::Ready;
                outgoing.push = Some(Push::new(ground, commit, title, body, draft));
            }
            false => {
                outgoing.verdict = Verdict::Crashed;
                outgoing.error = Some(format!(
                    "The change was not published: {}.",
                    objections.join("; ")
                ));
            }
        }
        Ok(outgoing)
    }

    fn objections(&self, fixed: &Fixed) -> Vec<String> {
        let changed: Vec<gate::Changed<'_>> = fixed
            .changes
            .iter()
            .map(|c| gate::Changed {
                path: &c.path,
                before: c.before.as_deref(),
                after: c.after.as_deref(),
            })
            .collect();
        gate::objections(&changed, &self.bench.redactor)
            .iter()
            .map(ToString::to_string)
            .collect()
    }

    /// What the runs did and said whose commits this one builds on.
    async fn earlier(&self, prepared: &Prepared) -> Result<Option<Earlier>, TaskError> {
        let ground = &prepared.ground;
        if ground.start == ground.base {
            return Ok(None);
        }
        let issue = &self.trigger().issue;
        let filter = Filter {
            state: Some(State::Done),
            repo: Some(issue.repo.name.clone()),
            issue_number: Some(issue.number),
            before: Some(self.claimed.task.id),
        };
        let before = self.bench.store.tasks(&filter, 20).await?;
        // The newest that reached its pull request; its own summary holds those before it.
        let summary = before.into_iter().find_map(|t| {
            let result = t.result.filter(|r| !r["pull_request"].is_null())?;
            result["summary"].as_str().map(str::to_string)
        });
        Ok(Some(Earlier {
            diff: prepared.private.diff(ground.base, ground.start).await?,
            summary: summary.unwrap_or_default(),
        }))
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
            Err(error) => (ending::not_published(outgoing, &error), None),
        };
        self.board.mark("publish");
        let text = ending::text(self.claimed.task.id, &outgoing, published.as_ref());
        match status.write(&text).await {
            Ok(_) => {}
            Err(error) if !ending::too_late(self.bench, &outgoing) => return Err(error.into()),
            Err(error) => tracing::error!(%error, "the ending could not be told"),
        }
        self.board.mark("tell");
        let result = Saved::of(&outgoing, published, self.board.spans()).into_json();
        self.bench
            .store
            .finish(self.held(), outgoing.verdict, &result)
            .await?;
        Ok(outgoing.verdict)
    }
}
