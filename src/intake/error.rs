//! Why a delivery could not be admitted.

use super::notice::Untold;
use crate::github::{EventError, GithubError};
use crate::store::StoreError;

/// An error of the room `intake`.
#[derive(Debug, thiserror::Error)]
pub enum IntakeError {
    /// The payload cannot be read; no later try will read it.
    #[error(transparent)]
    Payload(#[from] EventError),
    #[error(transparent)]
    Github(#[from] GithubError),
    #[error(transparent)]
    Store(#[from] StoreError),
    /// GitHub's list of events does not show the labelling yet that its webhook tells of.
    #[error("issue {number} shows no event of its labelling yet")]
    NotYet { number: u64 },
    #[error("an answer was not written: {0}")]
    Untold(#[from] Untold),
    #[error("the admission of the delivery panicked")]
    Panic,
}

impl IntakeError {
    /// Whether the same delivery may be admitted later. Whatever GitHub answers to a question
    /// about a person's rights is no yes, and may be another answer tomorrow.
    pub fn is_transient(&self) -> bool {
        match self {
            IntakeError::Payload(_) => false,
            IntakeError::Github(e) => !matches!(e, GithubError::Setting(_)),
            IntakeError::Store(e) => e.is_transient(),
            IntakeError::NotYet { .. } | IntakeError::Panic => true,
            IntakeError::Untold(e) => e.transient,
        }
    }

    /// Seconds since the Unix epoch before which GitHub wants no request.
    pub fn not_before(&self) -> Option<i64> {
        match self {
            IntakeError::Github(e) => e.not_before(),
            IntakeError::Untold(e) => e.not_before,
            _ => None,
        }
    }
}
