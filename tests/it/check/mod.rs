//! A project's check: found, and run for real.

mod bodies;
mod cli;
mod detect;
mod ecosystems;
mod projects;
mod registry;
mod reports;
mod run;
mod setup;
mod setup_everywhere;
