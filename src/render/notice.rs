//! Short answers to comments and labels that start no task.

use super::comment::until_words;
use crate::domain::Verdict;
use crate::text::{clip_words, code_span, neutralise, one_line};

/// The answer to somebody who may not start a task; `needed` is the permission.
pub fn not_allowed(needed: &str) -> String {
    format!(
        "**Not started: you need {needed} access to this repository to start mend.** A maintainer can label the issue or comment `/mend retry`."
    )
}

/// What mend understands; `label` starts it.
pub fn help(label: &str) -> String {
    format!(
        "The label {} on an issue starts mend. In comments on the issue or on its pull request:\n\n\
         | comment | what happens |\n|---|---|\n\
         | `/mend retry` and, if you like, what should be different | another run, on top of the branch |\n\
         | `/mend retry from scratch` | another run that replaces mend's own commits |\n\
         | `/mend fix`, with `allow-tests`, with `up to $5` | a run as by the label, in which existing tests may be changed, within that spend |\n\
         | `/mend stop` | ends the run and keeps what there is |\n\
         | `/mend status` | how the last run stands |\n\
         | `/mend ci` | lets CI run where it is held on my pull request |\n\
         | `/mend help` | this |",
        code_span(label)
    )
}

/// What was not understood.
pub fn hint(line: &str, hint: &str) -> String {
    let line = code_span(&clip_words(line, 120));
    let told = sentence(&neutralise(&one_line(hint)));
    let more = match told.contains("`/mend help`") {
        true => "",
        false => " `/mend help` lists what I do.",
    };
    format!("I did not understand {line}: {told}{more}")
}

fn sentence(text: &str) -> String {
    match text.ends_with(['.', '?', '!']) {
        true => text.to_string(),
        false => format!("{text}."),
    }
}

/// A quota is used up; `whose` begins the reason: "you asked for".
pub fn too_many(whose: &str, most: u32) -> String {
    format!(
        "**Not started: {whose} {most} runs within the hour, and more are not taken.** Label the issue again or comment \
         `/mend retry` later; what is refused until then is not told again."
    )
}

/// The repository is not one that the operator serves.
pub fn not_served() -> String {
    "**Not started: the operator of this mend does not serve this repository.**".to_string()
}

/// Tasks that end now.
pub fn stopping(count: usize) -> String {
    match count {
        0 => "Nothing is running for this issue.".to_string(),
        1 => "**Stopping.** What there is, is kept.".to_string(),
        n => format!("**Stopping {n} runs.** What there is, is kept."),
    }
}

/// A comment held more commands than are obeyed.
pub fn left_out(most: usize, left: usize) -> String {
    let (others, them) = match left {
        1 => ("the last one".to_string(), "that"),
        n => (format!("the last {n}"), "those"),
    };
    format!(
        "I took the first {most} commands of this comment and left out {others}. Write {them} in a comment of {} own.",
        if left == 1 { "its" } else { "their" }
    )
}

/// A comment on a pull request that is not mend's.
pub fn not_ours() -> String {
    "This pull request is not one of mine. Label the issue, or comment there.".to_string()
}

/// A command on a pull request from a fork.
pub fn fork() -> String {
    "**Not started: this pull request comes from a fork.** I neither push to forks nor run their \
     code with access to this repository. Label an issue of this repository, or comment there."
        .to_string()
}

/// The answer to a reviewer's comment on a line: the commit that changed its file, or that none did,
/// and the model's words about it.
pub fn thread_answer(commit: Option<&str>, verdict: Verdict, summary: &str) -> String {
    let words = neutralise(&clip_words(summary.trim(), 1000));
    let told = match commit {
        Some(commit) => format!("This file was changed in {}.", clip_words(commit, 40)),
        None if matches!(verdict, Verdict::Answer | Verdict::Question) => String::new(),
        None => format!(
            "This file was not changed (the run ended: {}).",
            verdict.words()
        ),
    };
    let texts = [told, words];
    let texts: Vec<&str> = texts
        .iter()
        .map(String::as_str)
        .filter(|t| !t.is_empty())
        .collect();
    texts.join("\n\n")
}

/// How a task stands.
pub struct Standing {
    pub task: i64,
    /// The word of its state in the queue.
    pub state: &'static str,
    pub verdict: Option<Verdict>,
    /// The pull request that it opened, updated or was asked on.
    pub pull_request: Option<u64>,
    /// When it is gone on with, in seconds since the Unix epoch, where it waits for the model.
    pub waits_until: Option<i64>,
    /// How many runs are before it, where it waits for its turn.
    pub before: Option<u64>,
}

/// How the newest task of an issue stands; `now` is in seconds since the Unix epoch.
pub fn status(task: Option<Standing>, now: i64) -> String {
    let Some(task) = task else {
        return "There was no run for this issue yet.".to_string();
    };
    let id = task.task;
    let pull = task
        .pull_request
        .map(|n| format!(" Its pull request: #{n}."))
        .unwrap_or_default();
    match (task.verdict, task.waits_until) {
        (Some(verdict), _) => {
            format!("The last run (task {id}) ended: {}.{pull}", verdict.words())
        }
        (None, Some(until)) => format!(
            "Task {id} waits for the model until {}, then goes on from where it is.{pull} `/mend stop` ends it.",
            until_words(until, now)
        ),
        (None, None) if task.before.is_some() => format!(
            "Task {id} waits for its turn; runs before it: {}.{pull} `/mend stop` takes it out.",
            task.before.unwrap_or_default()
        ),
        (None, None) => format!(
            "Task {id} is {}; its comment above is kept up to date.{pull}",
            task.state
        ),
    }
}
