//! From nothing to a working bot: `mend setup` makes the App and the settings, `mend doctor` proves
//! that an installation works and says what to do where it does not.
//!
//! Neither keeps a server from working: the doctor reads, and what it must try it tries on throwaway
//! folders, with tokens that it revokes.

mod doctor;
mod manifest;
mod report;
mod setup;

pub use doctor::{Doctor, examine, installed_on};
pub use manifest::{AppManifest, Asked, SHIPPED};
pub use report::{Finding, Report, State};
pub use setup::{
    Deliveries, Examine, Installed, KnownApp, ModelChoice, Provider, Registration, Settled,
    SetupError, Stands, Wizard, Wizarded, exchange, prove,
};
