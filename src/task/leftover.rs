//! What outlives the attempts: private git directories of ended tasks, old deliveries and traces go.

use super::{Bench, TaskError};
use crate::domain::TaskId;
use crate::store::State;
use crate::tree::{names_in, remove_tree};
use std::time::Duration;

/// Milliseconds for which the commit of an ended task is kept for people to look at.
const KEPT: i64 = 7 * 24 * 3600 * 1000;

/// The task of a private git directory's name, `REPOSITORY-TASK.git`.
fn task_of(name: &str) -> Option<TaskId> {
    let (_, id) = name.strip_suffix(".git")?.split_once('-')?;
    id.parse().ok().map(TaskId)
}

/// Between two looks.
pub(super) const EVERY: Duration = Duration::from_secs(3600);
/// GitHub redelivers for three days; as long a replay is known for one.
const DELIVERIES: Duration = Duration::from_secs(7 * 24 * 3600);

/// Removes the git directories of tasks that ended a week ago, or that the database does not know,
/// deliveries that were dealt with a week ago, and traces by age and size.
pub(super) async fn sweep(bench: &Bench) -> Result<(), TaskError> {
    bench.store.prune_deliveries(DELIVERIES).await?;
    let (age, most) = (bench.trace_age, bench.trace_bytes);
    match bench.store.prune_spans(age, most).await? {
        0 => {}
        spans => tracing::info!(spans, "removed from the traces of ended tasks"),
    }
    let before = bench.clock.unix() * 1000 - KEPT;
    for name in names_in(&bench.private)? {
        let Some(id) = task_of(&name) else { continue };
        let over = match bench.store.task(id).await? {
            None => true,
            Some(task) => {
                matches!(task.state, State::Done | State::Dead) && task.updated_at < before
            }
        };
        if over {
            remove_tree(&bench.private.join(&name))?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_tell_their_task() {
        assert_eq!(task_of("77-12.git"), Some(TaskId(12)));
        for other in ["77-12", "77.git", "x-y.git", "mirrors"] {
            assert_eq!(task_of(other), None, "{other}");
        }
    }
}
