//! The contract with GitHub: every exchange of the tests with the simulator is held against
//! GitHub's own OpenAPI description, mend's requests and the simulator's answers alike.

mod checked;
pub mod description;
mod recorded;
mod wrong;

pub use checked::{Checked, Whose};
