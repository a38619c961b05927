//! How tasks end: what is saved and what people are told.

use super::branch::Ground;
use super::outgoing::Outgoing;
use super::publish::Published;
use super::status::{Board, asked_words};
use super::{Bench, TaskError};
use crate::domain::{Reason, StopCause, StopReason, Verdict};
use crate::fix::Fixed;
use crate::render::{self, Ending, check_words};
use crate::store::Task;
use crate::text::code_span;
use serde_json::{Value, json};

fn blank(
    bench: &Bench,
    board: &Board,
    verdict: Verdict,
    reason: Reason,
    stop: StopReason,
) -> Outgoing {
    Outgoing {
        verdict,
        reason,
        stop,
        turns: 0,
        summary: String::new(),
        replies: Vec::new(),
        check: None,
        error: None,
        base: None,
        push: None,
        touched: Vec::new(),
        discarded: Vec::new(),
        stays: None,
        rival: None,
        proposal: None,
        integrated: 0,
        document: json!({ "verdict": verdict, "reason": reason, "stop": stop }),
        elapsed_ms: board.elapsed_ms(),
        made_at: bench.clock.unix() * 1000,
    }
}

/// A person stopped it before there was anything.
pub(super) fn stopped(bench: &Bench, board: &Board) -> Outgoing {
    blank(
        bench,
        board,
        Verdict::Stopped,
        Reason::Stopped,
        StopReason::Stopped,
    )
}

/// A person stopped it before it was published: the commit stays where it is.
pub(super) fn nothing_more(outgoing: Outgoing) -> Outgoing {
    match outgoing.push {
        None => outgoing,
        Some(_) => Outgoing {
            verdict: Verdict::Stopped,
            reason: Reason::Stopped,
            push: None,
            ..outgoing
        },
    }
}

/// Somebody's pull request closes the issue already.
pub(super) fn asks_about(bench: &Bench, board: &Board, pull: u64) -> Outgoing {
    let (verdict, reason) = (Verdict::Question, Reason::Question);
    let outgoing = blank(bench, board, verdict, reason, StopReason::Question);
    let mut document = outgoing.document;
    document["rival"] = json!(pull);
    Outgoing {
        rival: Some(pull),
        document,
        ..outgoing
    }
}

/// Nothing could be tried, and waiting would not help.
pub(super) fn could_not_start(bench: &Bench, board: &Board, error: &TaskError) -> Outgoing {
    let outgoing = blank(
        bench,
        board,
        Verdict::DidntStart,
        Reason::NotChecked,
        StopReason::ModelError,
    );
    Outgoing {
        error: Some(bench.redactor.redact(&format!("{error}."))),
        ..outgoing
    }
}

/// It ended before the first turn, for a reason that is no fault.
pub(super) fn without_a_turn(
    bench: &Bench,
    board: &Board,
    verdict: Verdict,
    stop: StopReason,
    why: String,
) -> Outgoing {
    Outgoing {
        error: Some(why),
        ..blank(bench, board, verdict, Reason::LimitReached, stop)
    }
}

/// What the engine came to, before a commit is thought of.
pub(super) fn of_fix(bench: &Bench, board: &Board, fixed: &Fixed, ground: &Ground) -> Outgoing {
    let after: Vec<String> = fixed
        .pairs
        .iter()
        .filter_map(|p| p.after.as_ref())
        .map(|run| format!("{} {}", code_span(&run.command), check_words(run)))
        .collect();
    Outgoing {
        turns: fixed.turns,
        summary: fixed.summary.clone(),
        check: (!after.is_empty()).then(|| after.join("; ")),
        error: fixed
            .error
            .as_ref()
            .map(|e| bench.redactor.redact(&format!("{e}."))),
        base: Some((
            ground.base_branch.clone(),
            ground.base.to_string()[..7].to_string(),
        )),
        discarded: fixed.discarded.clone(),
        touched: fixed.changes.iter().map(|c| c.path.clone()).collect(),
        stays: ground.pull.as_ref().map(|p| p.number),
        ..blank(bench, board, fixed.verdict, fixed.reason, fixed.stop)
    }
}

/// The change is there, but the house, its people or GitHub do not take it.
pub(super) fn not_published(bench: &Bench, outgoing: &Outgoing, error: &TaskError) -> Outgoing {
    Outgoing {
        verdict: Verdict::NotPublished,
        error: Some(bench.redactor.redact(&render::kept(&error.to_string()))),
        ..outgoing.clone()
    }
}

/// Somebody's commits stand where the change was to go, and it does not go on top of them.
pub(super) fn moved(outgoing: &Outgoing, branch: &str, why: &str) -> Outgoing {
    Outgoing {
        verdict: Verdict::NotPublished,
        push: None,
        error: Some(render::moved(branch, why)),
        ..outgoing.clone()
    }
}

/// As [`moved`], where both changed the same lines.
pub(super) fn conflicts(outgoing: &Outgoing, branch: &str, paths: &[String]) -> Outgoing {
    moved(outgoing, branch, &render::conflicts(paths))
}

/// Whether the change has waited for GitHub as long as it may.
pub(super) fn too_late(bench: &Bench, outgoing: &Outgoing) -> bool {
    bench.clock.unix() * 1000 - outgoing.made_at > bench.times.publish.as_millis() as i64
}

/// The status comment at the end.
pub(super) fn text(
    task: &Task,
    outgoing: &Outgoing,
    published: Option<&Published>,
    stopped: Option<StopCause>,
) -> String {
    render::ending(&Ending {
        task: task.id,
        asked: asked_words(&task.trigger).as_deref(),
        verdict: outgoing.verdict,
        reason: outgoing.reason,
        stop: outgoing.stop,
        stopped,
        turns: outgoing.turns,
        pull_request: match published {
            Some(p) => Some((p.number, p.opened)),
            None => outgoing.stays.map(|n| (n, false)),
        },
        rival: outgoing.rival,
        proposal: outgoing.proposal.as_deref(),
        summary: &outgoing.summary,
        discarded: &outgoing.discarded,
        check: outgoing.check.clone(),
        base: outgoing
            .base
            .as_ref()
            .map(|(b, c)| (b.as_str(), c.as_str())),
        error: outgoing.error.as_deref(),
        elapsed_ms: outgoing.elapsed_ms,
    })
}

/// What the store keeps of an ended task: the document of `mend fix --json`, and the pull request.
pub(super) struct Saved(Value);

impl Saved {
    /// `untold`: why nobody could be told on GitHub, where that is so.
    pub(super) fn of(
        outgoing: &Outgoing,
        published: Option<Published>,
        spans: Value,
        untold: Option<String>,
    ) -> Self {
        let mut document = outgoing.document.clone();
        document["verdict"] = json!(outgoing.verdict);
        document["error"] = json!(outgoing.error);
        document["spans_ms"] = spans;
        document["untold"] = json!(untold);
        // What a rehearsal stops before.
        document["unpublished"] = match (&published, &outgoing.push) {
            (None, Some(push)) => json!({
                "title": push.title,
                "body": push.body,
                "draft": push.draft,
                "head": push.branch,
                "base": push.base_branch,
            }),
            _ => Value::Null,
        };
        document["pull_request"] = match (published, &outgoing.push) {
            (Some(p), Some(push)) => json!({
                "number": p.number,
                "url": p.url,
                "title": p.title,
                "body": push.body,
                "draft": p.draft,
                "head": push.branch,
                "base": push.base_branch,
            }),
            _ => Value::Null,
        };
        Saved(document)
    }

    pub(super) fn into_json(self) -> Value {
        self.0
    }
}
