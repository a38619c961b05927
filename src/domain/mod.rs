//! The vocabulary that every room shares. No I/O and no policy lives here.

mod allowance;
mod backend;
mod check;
mod egress;
mod failure;
mod progress;
mod proof;
mod setup;
mod span;
mod stop;
mod task;
mod work;

pub use allowance::{Allowance, Spent};
pub use backend::BackendKind;
pub use check::{
    Basis, CheckRun, Classification, Comparison, Contradiction, Counts, Exit, FailingTest, Kind,
    Outcome,
};
pub use egress::{AllowedHost, HostCount, Refusal, Traffic, is_host, port_number};
#[cfg(feature = "failure-points")]
pub use failure::arm_failure_point;
pub use failure::{POINTS, failure_point};
pub use progress::{
    Both, Cancel, Clock, EditEvent, Journal, Keep, NoJournal, Progress, Steer, SystemClock,
};
pub use proof::{Reproduction, Review, ReviewPoint, Severity, Weakness, WeaknessKind};
pub use setup::{SET_UP_FAILED, SetUpFailure, SetUpReport};
pub use span::{Attributes, OpenSpan, SpanClosed, SpanEnd, SpanKind, SpanOpened};
pub use stop::StopCause;
pub use task::{
    Command, IssueRef, Person, Reason, RepoName, RepoRef, ReviewThread, Step, StopReason, TaskId,
    Trigger, TriggerKind, Verdict,
};
pub use work::{CheckPair, Limits, REFUSED_PATHS, Report, Usage};
