//! The `git` room against real `git http-backend`, real repositories and hostile trees.
#![allow(clippy::disallowed_methods)] // tests start git and look at files

mod bring;
mod checkout;
mod commit;
mod hostile;
mod inside;
mod remote;
mod server;

pub use remote::change;
