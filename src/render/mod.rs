//! Every text that a person sees. Pure.
//!
//! What the harness established stands apart from what the model said: the model's words pass
//! `text::neutralise` and appear in one place, and no number in a text comes from it.

mod check_run;
mod checks;
mod comment;
mod commit;
mod details;
mod held;
mod house;
mod live;
mod notice;
mod proof;
mod proposal;
mod pull_request;
mod said;
mod setup;
mod trouble;
mod words;

pub use check_run::{check_run_summary, check_run_title, contradiction_remark, deciding};
pub use checks::{check_table, check_words};
pub use comment::{Ending, ending, held_up, stop_words, waiting};
pub use commit::{HOLDS_CI, commit_message, holds_ci, is_release, release_message};
pub use held::{
    ci_released, held, no_held_pull, nothing_held, release_refused, released, same_files,
    same_files_title,
};
pub use house::{disclosed, framed, reframed};
pub use live::{Begun, Live, live, queued};
pub use notice::{
    Standing, fork, help, hint, left_out, not_allowed, not_ours, not_served, status, stopping,
    thread_answer, too_many,
};
pub use proposal::proposal;
pub use pull_request::{PullRequest, body, title, titled};
pub use setup::set_up;
pub use trouble::{
    Trouble, budget_used, conflicts, going_on_top, kept, moved, own_budget_used, too_large, unpaid,
    unpriced, went_on_top,
};
pub use words::{duration, thousands};
