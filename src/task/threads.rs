//! The comments on lines of a review are answered one by one when the task that they started ends.

use super::outgoing::Outgoing;
use super::publish::Published;
use super::{Bench, marker};
use crate::domain::ReviewThread;
use crate::github::{GithubError, Session, Thread};
use crate::render;
use crate::store::Task;

/// Answers each thread once, however often it is called. What cannot be answered is logged: the
/// task's own comment says how it ended.
pub(super) async fn answer(
    bench: &Bench,
    session: &Session,
    task: &Task,
    outgoing: &Outgoing,
    published: Option<&Published>,
) {
    let Some(pull) = published.map(|p| p.number).or(outgoing.stays) else {
        return;
    };
    for (n, thread) in task.trigger.what.threads().iter().enumerate() {
        let changed = outgoing.touched.contains(&thread.path);
        let pushed = outgoing.push.as_ref().filter(|_| published.is_some());
        let commit = pushed.filter(|_| changed).map(|p| p.commit.as_str());
        let own = outgoing.replies.get(n).and_then(Option::as_deref);
        // Words that only answer the other comments say nothing to this one.
        let whole = match outgoing.summary.starts_with("Comment ") {
            true => "",
            false => &outgoing.summary,
        };
        let words = own.unwrap_or(whole);
        let text = render::thread_answer(commit, outgoing.verdict, words);
        if let Err(error) = write(bench, session, task, pull, thread, &text).await {
            tracing::warn!(%error, comment = thread.comment_id, "a review's comment was not answered");
        }
    }
}

async fn write(
    bench: &Bench,
    session: &Session,
    task: &Task,
    pull: u64,
    thread: &ReviewThread,
    text: &str,
) -> Result<(), GithubError> {
    let comment = thread.comment_id;
    let marker = format!("<!-- mend:thread:{}:{comment} -->", task.id);
    let place = Thread::Line { pull, comment };
    let app = bench.github.app_id();
    for marker in marker::both(&marker, app) {
        if session.find_comment_in(place, &marker).await?.is_some() {
            return Ok(());
        }
    }
    let text = marker::with_app(&format!("{marker}\n{text}"), app);
    let text = bench.redactor.redact(&text);
    session.create_comment(place, &text).await.map(drop)
}
