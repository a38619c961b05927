//! What a command allows a run, and what the run says of that.

use crate::domain::{Command, Limits, Trigger};
use crate::fix::Fixed;
use crate::render;

/// What `/mend fix` said: whether tests may be changed, and the dollars that it may cost.
pub(super) fn asked_of_fix(trigger: &Trigger) -> (bool, Option<f64>) {
    match trigger.what.command() {
        Some(Command::Fix {
            allow_tests,
            up_to_dollars,
        }) => (*allow_tests, *up_to_dollars),
        _ => (false, None),
    }
}

/// The limits, with no more dollars than the person named.
pub(super) fn capped(mut limits: Limits, cap: Option<f64>) -> Limits {
    limits.dollars = match (limits.dollars, cap) {
        (Some(ours), Some(theirs)) => Some(ours.min(theirs)),
        (ours, theirs) => ours.or(theirs),
    };
    limits
}

/// What the pull request says of how the run went.
pub(super) fn remark(fixed: &mut Fixed, capped: bool, moved: bool) {
    if capped && fixed.usage.dollars.is_none() {
        fixed.warnings.push(render::unpriced());
    }
    if moved {
        fixed.warnings.push(render::went_on_top());
    }
}
