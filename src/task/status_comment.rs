//! The status comment of a task: written once, edited in place, found again after a lost answer.

use super::attempt::present;
use super::status::Board;
use super::{Bench, marker};
use crate::domain::{TaskId, Trigger};
use crate::github::{GithubError, Session, Thread};
use std::sync::atomic::Ordering;
use std::time::Duration;

/// How often something that was just written is looked for.
const LOOKS: u32 = 3;
/// The longest time between two edits.
const RAREST: Duration = Duration::from_secs(60);

/// How long to wait between two edits of a comment, after so long a run: GitHub allows an
/// installation some hundreds of writes an hour, and nobody watches a long run by the second.
fn pace(least: Duration, elapsed: Duration) -> Duration {
    (elapsed / 20).min(RAREST).max(least)
}

/// The comment of one task.
pub(super) struct StatusComment<'a> {
    pub(super) bench: &'a Bench,
    pub(super) session: &'a Session,
    pub(super) task: TaskId,
    pub(super) trigger: &'a Trigger,
    pub(super) board: &'a Board,
    pub(super) id: tokio::sync::Mutex<Option<u64>>,
}

impl StatusComment<'_> {
    /// Where it was asked.
    pub(super) fn thread(&self) -> Thread {
        match self.trigger.asked_on {
            Some(number) => Thread::Pull(number),
            None => Thread::Issue(self.trigger.issue.number),
        }
    }

    /// Writes the comment if it is not there yet, and answers its id.
    pub(super) async fn open(&self) -> Result<u64, GithubError> {
        let page = self.bench.links.run(self.task);
        let text = self.board.text(self.task, self.trigger, page.as_deref());
        self.write(&text).await
    }

    /// Puts `text` into the comment: edits the known one, else the one that an earlier attempt
    /// wrote, else writes it.
    pub(super) async fn write(&self, text: &str) -> Result<u64, GithubError> {
        if self.bench.rehearsal {
            return Ok(0);
        }
        let text = marker::with_app(text, self.bench.github.app_id());
        let text = &self.bench.redactor.redact(&text);
        let mut id = self.id.lock().await;
        if id.is_none() {
            *id = self.find().await?;
        }
        if let Some(known) = *id {
            match self.update(known, text).await {
                Ok(()) => return Ok(known),
                // Somebody deleted it: people still need the answer.
                Err(GithubError::NotFound(_)) => *id = self.find().await?.filter(|f| *f != known),
                Err(e) => return Err(e),
            }
        }
        if let Some(other) = *id {
            self.update(other, text).await?;
            return Ok(other);
        }
        let made = match self.session.create_comment(self.thread(), text).await {
            Ok(made) => {
                crate::domain::failure_point("status-comment-made");
                made.id
            }
            Err(error) if error.maybe_done() => self.adopted(error).await?,
            Err(error) => return Err(error),
        };
        *id = Some(made);
        Ok(made)
    }

    /// As [`StatusComment::write`], also where the repository has another name meanwhile.
    pub(super) async fn write_wherever(&self, text: &str) -> Result<u64, GithubError> {
        let error = match self.write(text).await {
            Err(error) if !error.is_transient() => error,
            other => return other,
        };
        let session = present(self.session).await;
        if session.repo().name == self.session.repo().name {
            return Err(error);
        }
        let there = StatusComment {
            session: &session,
            id: tokio::sync::Mutex::new(*self.id.lock().await),
            ..*self
        };
        there.write(text).await
    }

    /// The comment that an earlier attempt wrote.
    async fn find(&self) -> Result<Option<u64>, GithubError> {
        let marker = format!("<!-- mend:task:{} -->", self.task);
        for marker in marker::both(&marker, self.bench.github.app_id()) {
            let number = self.thread().number();
            if let Some(found) = self.session.find_comment(number, &marker).await? {
                return Ok(Some(found.id));
            }
        }
        Ok(None)
    }

    /// Edits it. GitHub may not show yet what was just written, so a 404 is believed only when
    /// reading says the same for a while.
    async fn update(&self, id: u64, text: &str) -> Result<(), GithubError> {
        let edited = self.session.update_comment(self.thread(), id, text).await;
        let Err(missing @ GithubError::NotFound(_)) = edited else {
            return edited.map(drop);
        };
        for look in 0..LOOKS {
            tokio::time::sleep(self.bench.times.settle * 2u32.pow(look)).await;
            if self.session.has_comment(id).await? {
                let again = self.session.update_comment(self.thread(), id, text).await;
                return again.map(drop);
            }
        }
        Err(missing)
    }

    /// The comment whose answer was lost, once GitHub shows it; else the failure.
    async fn adopted(&self, error: GithubError) -> Result<u64, GithubError> {
        for look in 0..LOOKS {
            tokio::time::sleep(self.bench.times.settle * 2u32.pow(look)).await;
            if let Some(found) = self.find().await? {
                return Ok(found);
            }
        }
        Err(error)
    }

    /// Keeps the comment up to date until this is dropped. What GitHub refuses is left for the
    /// next change; the ending is written by itself.
    pub(super) async fn follow(&self) {
        loop {
            // Nothing new is news too: people see that it still works.
            tokio::select! {
                () = self.board.changed.notified() => {}
                () = tokio::time::sleep(RAREST) => {}
            }
            if self.board.silent.load(Ordering::Acquire) {
                continue;
            }
            if let Err(error) = self.open().await {
                tracing::warn!(task = %self.task, %error, "the status comment could not be brought up to date");
            }
            tokio::time::sleep(pace(self.bench.times.status, self.board.begun.elapsed())).await;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn edits_become_rarer_and_never_cease() {
        let second = Duration::from_secs(1);
        let (mut at, mut edits) = (Duration::ZERO, Vec::new());
        while at < second * 7200 {
            edits.push(at);
            at += pace(second * 5, at);
        }
        let within = |from: u32, to: u32| {
            let inside = |t: &&Duration| **t >= second * from && **t < second * to;
            edits.iter().filter(inside).count()
        };
        assert_eq!(within(0, 60), 12, "the first minute is told as it goes");
        for minute in 0..119 {
            let edits = within(minute * 60, minute * 60 + 60);
            assert!((1..=12).contains(&edits), "minute {minute}: {edits}");
        }
        assert!(within(0, 3600) <= 120, "{}", within(0, 3600));
        assert!(within(3600, 7200) <= 61, "{}", within(3600, 7200));
    }
}
