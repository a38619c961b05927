//! A project's check: found, and run for real.

mod detect;
