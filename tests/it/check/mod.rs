//! A project's check: found, and run for real.

mod cli;
mod detect;
mod run;
mod setup;
