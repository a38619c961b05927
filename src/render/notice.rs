//! Short answers to comments and labels that start no task.

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
         | `/mend help` | this |",
        code_span(label)
    )
}

/// What was not understood.
pub fn hint(line: &str, hint: &str) -> String {
    format!(
        "I did not understand {}: {} `/mend help` lists what I do.",
        code_span(&clip_words(line, 120)),
        sentence(&neutralise(&one_line(hint)))
    )
}

fn sentence(text: &str) -> String {
    match text.ends_with(['.', '?', '!']) {
        true => text.to_string(),
        false => format!("{text}."),
    }
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

/// A comment on a pull request that is not mend's.
pub fn not_ours() -> String {
    "This pull request is not one of mine. Label the issue, or comment there.".to_string()
}

/// Held CI: nothing is held.
pub fn no_ci_hold() -> String {
    "CI is not held on this branch: my pushes start it as anybody's do.".to_string()
}

/// How the newest task of an issue stands.
pub fn status(task: Option<(i64, &str, Option<Verdict>)>) -> String {
    match task {
        None => "There was no run for this issue yet.".to_string(),
        Some((id, _, Some(verdict))) => {
            format!("The last run (task {id}) ended: {}.", verdict.words())
        }
        Some((id, state, None)) => {
            format!("Task {id} is {state}; its comment above is kept up to date.")
        }
    }
}
