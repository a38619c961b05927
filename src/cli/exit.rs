//! Exit codes of every command.

/// Done.
pub(super) const DONE: u8 = 0;
/// The answer is no.
pub(super) const NO: u8 = 1;
/// Wrong use or configuration.
pub(super) const WRONG_USE: u8 = 2;
/// It could not run.
pub(super) const COULD_NOT_RUN: u8 = 3;

/// Wrong use or configuration, with what to do about it.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub(super) struct WrongUse(pub(super) String);

impl WrongUse {
    pub(super) fn of(error: impl std::fmt::Display) -> anyhow::Error {
        WrongUse(error.to_string()).into()
    }
}
