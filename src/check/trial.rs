//! Runs beside the check, such as that of an added test alone: told apart from the check's own, so
//! that nobody takes their result for its.

use crate::domain::{Journal, Progress};

/// A test that always fails, put beside the others.
pub(super) const CANARY: &str = "with a test that must fail";
/// The same on the untouched code.
pub(super) const CANARY_ON_BASE: &str = "with a test that must fail, on the untouched code";
pub(super) const RED: &str = "the added test on the untouched code";
pub(super) const GREEN: &str = "the added test with the change";
pub(super) const WITHOUT: &str = "the change without its added test files";

/// Tells the runs of another journal as what they are for.
pub(super) struct Trial<'a> {
    pub(super) journal: &'a dyn Journal,
    pub(super) what: &'static str,
}

impl Journal for Trial<'_> {
    fn tell(&self, event: Progress) {
        let what = self.what;
        match event {
            Progress::CheckStarted { command } => self.journal.tell(Progress::Trial {
                what,
                command,
                ended: None,
            }),
            Progress::CheckEnded { command, run, .. } => self.journal.tell(Progress::Trial {
                what,
                command,
                ended: Some(run),
            }),
            other => self.journal.tell(other),
        }
    }
}
