//! Whether the person who asked may still ask: looked up when the work begins and before anything
//! is published. An error never means yes.

use super::{Bench, TaskError};
use crate::domain::{Person, Trigger, TriggerKind};
use crate::github::Session;
use crate::intake::least_role;
use crate::render::Trouble;

/// The moment of the question, for the words.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Moment {
    Start,
    Publish,
}

/// Asks GitHub now.
///
/// # Errors
/// `Person` when the person lost the permission; GitHub's error when it cannot be told.
pub(super) async fn entitled(
    bench: &Bench,
    session: &Session,
    trigger: &Trigger,
    moment: Moment,
) -> Result<(), TaskError> {
    // Whoever gave it holds the App's key; there is nobody to ask GitHub about.
    if trigger.what == TriggerKind::CommandLine {
        return Ok(());
    }
    let Person { id, login, .. } = &trigger.by;
    let role = session.role_of(login, Some(*id)).await?;
    if role >= least_role(bench.permission) {
        return Ok(());
    }
    let needed = bench.permission.word();
    Err(TaskError::Person(Trouble::NotEntitled {
        login: login.clone(),
        needed,
        published: moment == Moment::Publish,
    }))
}
