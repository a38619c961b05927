//! The status comment when a task is parked or has ended.

use super::said::{quoted_block, said};
use super::words::{capital, clock, duration, limit};
use crate::domain::{Reason, StopCause, StopReason, TaskId, Verdict};
use crate::text::{clip_words, code_span, neutralise, one_line};

/// The hidden line by which mend finds its own comment again.
pub(super) fn marker(task: TaskId) -> String {
    format!("<!-- mend:task:{task} -->")
}

/// A login that does not notify anybody.
pub(super) fn login(name: &str) -> String {
    code_span(&format!("@{name}"))
}

/// What was asked, quoted; empty where nothing was said.
pub(super) fn asked(words: Option<&str>) -> String {
    let words = words.map(|w| neutralise(&clip_words(&one_line(w), 300)));
    words.map_or(String::new(), |w| format!("> {w}\n\n"))
}

/// The comment of a task that is parked because the model is busy. `until` and `now` are seconds
/// since the Unix epoch; `why` is the provider's word for it.
pub fn waiting(task: TaskId, until: i64, now: i64, why: &str) -> String {
    format!(
        "{}\n**Waiting for the model until {}**: {}.\n\nNothing is lost; I go on from here then. `/mend stop` ends it.",
        marker(task),
        until_words(until, now),
        neutralise(&clip_words(&one_line(why), 300)).trim_end_matches('.')
    )
}

/// What one of GitHub's limits did; a sentence.
pub fn held_up(limit: &str, until: i64) -> String {
    let time = clock(until);
    format!(
        "GitHub's {limit} held it up until {} UTC.",
        time.get(..5).unwrap_or(&time)
    )
}

/// `15:14 UTC`, with the day where it is not today's; a started minute counts as a whole one.
pub(super) fn until_words(until: i64, now: i64) -> String {
    let minute = (until + 59).div_euclid(60) * 60;
    let time = clock(minute);
    let time = time.get(..5).unwrap_or(&time);
    match (minute.div_euclid(86_400), now.div_euclid(86_400)) {
        (then, today) if then == today => format!("{time} UTC"),
        (then, today) if then == today + 1 => format!("{time} UTC tomorrow"),
        (then, today) => format!("{time} UTC in {} days", then - today),
    }
}

/// How a task ended.
pub struct Ending<'a> {
    pub task: TaskId,
    /// What a comment asked for, in a person's words.
    pub asked: Option<&'a str>,
    pub verdict: Verdict,
    pub reason: Reason,
    pub stop: StopReason,
    /// Why it was stopped from outside, where it was.
    pub stopped: Option<StopCause>,
    pub turns: u32,
    /// The pull request's number, and whether this task opened it.
    pub pull_request: Option<(u64, bool)>,
    /// Somebody's open pull request for the issue, about which people are asked.
    pub rival: Option<u64>,
    /// The whole change, where the comment is all that is published of it.
    pub proposal: Option<&'a str>,
    /// The model's words.
    pub summary: &'a str,
    /// Files that were changed on the way to an answer, and are not kept.
    pub discarded: &'a [String],
    /// The check in words, for example ``failed: 3 passed, 1 failed``.
    pub check: Option<String>,
    /// Branch and abbreviated commit that it looked at.
    pub base: Option<(&'a str, &'a str)>,
    /// What went wrong, in one line, where something did.
    pub error: Option<&'a str>,
    pub elapsed_ms: u64,
}

/// The comment when the task has ended: one verdict, stated.
pub fn ending(e: &Ending<'_>) -> String {
    let mut text = statement(e);
    // A proposal has its own table.
    if let Some(check) = e.check.as_ref().filter(|_| e.proposal.is_none()) {
        text.push_str(&format!("\n\nThe check, run by mend: {check}."));
    }
    format!(
        "{}\n{}{text}\n\nTask {}, {}.",
        marker(e.task),
        asked(e.asked),
        e.task,
        duration(e.elapsed_ms)
    )
}

fn statement(e: &Ending<'_>) -> String {
    let error = e
        .error
        .map(|t| capital(&neutralise(&clip_words(&one_line(t), 400))));
    let error = error.unwrap_or_default();
    let summary = said(&clip_words(e.summary.trim(), 2000));
    let pr = e
        .pull_request
        .map(|(n, opened)| format!("{} #{n}", if opened { "Opened" } else { "Updated" }));
    // What a first run did stands in the pull request that it opened.
    let added = match e.pull_request {
        Some((_, false)) if !summary.is_empty() => format!("\n\n{summary}"),
        _ => String::new(),
    };
    match (e.verdict, pr) {
        (Verdict::Ready, Some(pr)) => format!("**{pr}**, ready for review.{added}"),
        (Verdict::Draft, Some(pr)) => format!(
            "**{pr} as a draft**: {}.{added}",
            why_draft(e.reason, e.stop, e.turns)
        ),
        (Verdict::Ready | Verdict::Draft, None) if e.proposal.is_some() => proposed(e),
        (Verdict::NotPublished, _) => unpublished(e, &error, &summary),
        (Verdict::Ready | Verdict::Draft, None) => {
            format!(
                "**The change is made but not published yet.** {error} It is kept and published when GitHub answers."
            )
        }
        (Verdict::NoChange, pr) => no_change(e, pr.is_some(), &summary),
        (Verdict::Question, _) => match e.rival {
            Some(n) => format!(
                "**I need one answer.** #{n} is open and says that it closes this issue. Shall I make a change of my own beside it?\n\n\
                 If so, comment `/mend retry`; else nothing happens."
            ),
            None => {
                format!("**I need one answer.** {summary}\n\nReply here; I go on from your answer.")
            }
        },
        (Verdict::Answer, _) => answered(e, &summary),
        (Verdict::NotAllowed, _) => super::notice::not_allowed("write"),
        (Verdict::Stopped, _) => format!(
            "**Stopped, {}.** What there was is kept. `/mend retry` starts again.",
            stop_words(e.stopped.unwrap_or(StopCause::Asked))
        ),
        (Verdict::LimitReached, _) => {
            format!(
                "**{}; nothing was changed.** {}",
                capital(&limit(e.stop, e.turns)),
                match e.error {
                    Some(_) => error,
                    None => "`/mend retry` with guidance starts again.".into(),
                }
            )
        }
        (Verdict::DidntStart, _) => {
            format!("**Could not start.** {error}\n\nOnce that is settled, comment `/mend retry`.")
        }
        (Verdict::Crashed, _) => format!(
            "**This run broke down.** {error}\n\nWhatever it pushed before stays on its branch. Comment `/mend retry` to start again; the operator finds the cause in the log under task {}.",
            e.task
        ),
    }
}

/// Why a run was stopped; goes on after "stopped, ".
pub fn stop_words(cause: StopCause) -> &'static str {
    match cause {
        StopCause::Asked => "as asked",
        StopCause::LabelRemoved => "since the label was taken off",
        StopCause::IssueClosed => "since the issue was closed",
        StopCause::IssueGone => "since the issue was deleted or transferred",
        StopCause::PullClosed => "since the pull request was closed",
        StopCause::AppUninstalled => "since the App was uninstalled",
        StopCause::AppSuspended => "since the App was suspended",
        StopCause::RepoRemoved => "since the repository was taken from the App",
        StopCause::RepoGone => "since the repository was deleted or transferred",
        StopCause::RepoArchived => "since the repository was archived",
        StopCause::RepoPrivate => "since the repository was made private",
    }
}

/// Nothing was changed, in the model's words.
fn no_change(e: &Ending<'_>, pr: bool, summary: &str) -> String {
    let stays = e
        .pull_request
        .map(|(n, _)| format!(" #{n} stays as it is."))
        .filter(|_| pr)
        .unwrap_or_default();
    let at = e
        .base
        .map(|(branch, sha)| format!(" Looked at {} at {}.", code_span(branch), code_span(sha)))
        .unwrap_or_default();
    let words = match summary.is_empty() {
        true => String::new(),
        false => format!("\n\nThe model's words:\n\n{}", quoted_block(summary)),
    };
    format!(
        "**No change made.**{at}{stays}{words}\n\nComment `/mend retry` with more detail, for example an input that fails."
    )
}

/// The whole change, as a comment.
fn proposed(e: &Ending<'_>) -> String {
    let why = match e.verdict {
        Verdict::Ready => "**A change for this issue.**".to_string(),
        _ => format!(
            "**A change for this issue, as a draft**: {}.",
            why_draft(e.reason, e.stop, e.turns)
        ),
    };
    format!("{why}\n\n{}", e.proposal.unwrap_or_default())
}

/// An answer to a question; it comes without a commit.
fn answered(e: &Ending<'_>, summary: &str) -> String {
    const MOST: usize = 10;
    if e.discarded.is_empty() {
        return summary.to_string();
    }
    let mut named: Vec<String> = e
        .discarded
        .iter()
        .take(MOST)
        .map(|p| code_span(p))
        .collect();
    if e.discarded.len() > MOST {
        named.push(format!("{} more", e.discarded.len() - MOST));
    }
    format!(
        "{summary}\n\nNothing is committed, since this was a question: what the run had changed ({}) is dropped. \
         `/mend retry` with what should be different asks for a change.",
        named.join(", ")
    )
}

/// A change that a rule, or somebody's commits, keep from the branch.
fn unpublished(e: &Ending<'_>, error: &str, summary: &str) -> String {
    let stays = e
        .pull_request
        .map(|(n, _)| format!(" #{n} stays as it is."))
        .unwrap_or_default();
    let words = match summary.is_empty() {
        true => String::new(),
        false => format!(
            "\n\nWhat I changed, in the model's words:\n\n{}",
            quoted_block(summary)
        ),
    };
    format!(
        "**A change was made, but it is not published.** {error}{stays}{words}\n\nComment `/mend retry` to start again."
    )
}

/// Why a change is a draft; a clause.
pub(super) fn why_draft(reason: Reason, stop: StopReason, turns: u32) -> String {
    match reason {
        Reason::Contradiction => "a test contradicts the report; please decide".to_string(),
        Reason::DoubtedTest => {
            "the check passes, but the model doubted a test on the way".to_string()
        }
        Reason::CheckDidntStart => {
            "the check didn't start, so the change is not tested".to_string()
        }
        Reason::CheckTimedOut => "the check timed out".to_string(),
        Reason::NotChecked => "the change was not checked".to_string(),
        Reason::NewlyBroken => "it breaks something that passed before".to_string(),
        Reason::FlakyLeft => "a test failed once and passed alone".to_string(),
        Reason::NotFixedYet => "the check still fails".to_string(),
        Reason::NotReproduced => {
            "the check was green before, so the fix is not reproduced".to_string()
        }
        Reason::CheckIsDeaf => "the check cannot fail any more with this change".to_string(),
        Reason::HarnessChanged => "it reaches what runs the tests".to_string(),
        Reason::TestsLost => "tests that ran before do not run any more".to_string(),
        Reason::TestsInSourceChanged => "it touches tests inside the source".to_string(),
        Reason::OnlyTestsChanged => "only tests were changed".to_string(),
        Reason::FixedByTestFiles => {
            "nothing is fixed without the files added among the tests".to_string()
        }
        Reason::NoBase => "there is no base to compare with".to_string(),
        Reason::LimitReached => format!("unfinished, {}", limit(stop, turns)),
        Reason::ModelUnreachable => "unfinished, the model gave no further answer".to_string(),
        _ => "unfinished".to_string(),
    }
}
