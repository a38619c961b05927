//! `mend setup`: from nothing to settings that work.
//!
//! | file | what |
//! |---|---|
//! | `choice` | what the operator chooses: deliveries, the App's name and owner, the model |
//! | `keep` | the key and the settings on disk, never over what is there |
//! | `register` | the App: the form for GitHub, the code that comes back |
//! | `serve`, `guard`, `page` | the same in a browser, on loopback |
//!
//! The settings are written when the App is made, since GitHub tells its key only once; the model is
//! added to them when it has answered. Whoever stops in between goes on from there.

mod choice;
mod guard;
mod keep;
mod page;
mod register;
mod serve;

pub use choice::{Deliveries, ModelChoice, Provider};
pub use keep::{KnownApp, Settled, Stands};
pub use register::Registration;
pub use serve::{Examine, Installed, Wizard, Wizarded};

use crate::github::GithubError;
use crate::onboard::report::{Finding, State};
use crate::tree::TreeError;

/// Why a step of the set-up did not work; each text says what to do.
#[derive(Debug, thiserror::Error)]
pub enum SetupError {
    #[error("{0}")]
    Choice(String),
    #[error("{0}")]
    Github(#[from] GithubError),
    #[error("cannot write {}", .0)]
    Write(#[from] TreeError),
    #[error("the page cannot be served: {0}; choose another --port, or use --no-browser")]
    Listen(std::io::Error),
}

/// Exchanges the code that GitHub gave, in the words of who holds one.
///
/// # Errors
/// [`SetupError`]; a code that GitHub does not take is a wrong choice.
pub async fn exchange(
    settled: &Settled,
    code: &str,
) -> Result<crate::github::RegisteredApp, SetupError> {
    let ca = match &settled.ca_file {
        Some(file) => Some(crate::tree::read_own(file, 4 << 20).map_err(|e| {
            SetupError::Choice(format!("the file of certificates cannot be read: {e}"))
        })?),
        None => None,
    };
    crate::github::register_app(&settled.api(), code, settled.proxy.as_ref(), ca.as_deref())
        .await
        .map_err(|error| match error {
            GithubError::NotFound(_) => SetupError::Choice(
                "GitHub does not take the code: it was used already, or is older than an hour; make the App again, and delete on GitHub the one without a key".into(),
            ),
            other => other.into(),
        })
}

/// Whether the model of a choice works: the finding of the doctor.
///
/// # Errors
/// The finding, where it does not.
pub async fn prove(choice: &ModelChoice) -> Result<Finding, Finding> {
    let finding = super::doctor::prove("worker", &choice.settings()).await;
    match finding.state {
        State::Failed => Err(finding),
        _ => Ok(finding),
    }
}
