//! The untouched code: which commands check it, and what they say (rule W6).

use super::{FixError, Input};
use crate::agent::{self, Base};
use crate::check::{CheckCommand, CheckError, Checks, detect};
use crate::domain::{CheckPair, Comparison};
use crate::tree::Tree;

/// The commands, in order of who knows best: the caller, the repository's file, detection. The
/// second part says why there are none, where there are none: a fix goes on without a check and
/// says so.
pub(super) fn commands(
    input: &Input<'_>,
    tree: &Tree,
) -> Result<(Vec<CheckCommand>, Option<String>), FixError> {
    if !input.commands.is_empty() {
        let given = input
            .commands
            .iter()
            .map(|command| CheckCommand::new(command, "given").named());
        return Ok((given.collect(), None));
    }
    match detect(tree, input.config) {
        Ok(found) => Ok((found, None)),
        Err(error @ CheckError::NoCheck { .. }) => Ok((Vec::new(), Some(error.to_string()))),
        Err(error) => Err(error.into()),
    }
}

/// Runs the check on the untouched code. Nothing that happens here ends the task: without a result
/// there is no base, and the reason is kept.
pub(super) async fn check(input: &Input<'_>, checks: &Checks, no_check: Option<String>) -> Base {
    if let Some(why) = no_check {
        return Base::None(why);
    }
    if !input.base_check {
        return Base::None("switched off".to_string());
    }
    let span = agent::check_span(input.journal, "base_check", checks);
    let ran = checks.full(&[], None, input.cancel, input.journal).await;
    agent::checked(span, ran.as_deref());
    match ran {
        Ok(runs) => Base::Ran(runs),
        Err(error) => {
            if !error.is_cancelled() {
                tracing::warn!(%error, "the base check could not be made");
            }
            Base::None(error.to_string())
        }
    }
}

/// The base alone, where nothing changed or nothing was checked after it.
pub(super) fn pairs_without_after(base: &Base) -> Vec<CheckPair> {
    let runs = base.runs().unwrap_or_default();
    runs.iter()
        .map(|run| CheckPair {
            command: run.command.clone(),
            base: Some(run.clone()),
            after: None,
            comparison: Comparison::default(),
        })
        .collect()
}
