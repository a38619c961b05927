//! Base and after, command by command.

use crate::domain::{CheckPair, CheckRun, Comparison};
use crate::outcome::{RunView, compare};

/// Pairs the runs after a change with those of the same commands on base, and compares each pair.
pub fn pairs(base: Option<&[CheckRun]>, after: &[CheckRun]) -> Vec<CheckPair> {
    after
        .iter()
        .map(|after| {
            let base = base.and_then(|runs| runs.iter().find(|b| b.command == after.command));
            CheckPair {
                command: after.command.clone(),
                base: base.cloned(),
                after: Some(after.clone()),
                comparison: match base {
                    Some(base) => compare(&view(base), &view(after)),
                    None => Comparison::default(),
                },
            }
        })
        .collect()
}

fn view(run: &CheckRun) -> RunView<'_> {
    RunView {
        classification: &run.classification,
        output: &run.output,
    }
}
