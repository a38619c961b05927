//! The meaning of outputs, on recorded runs of real runners (`tests/cases/checks`, form in its
//! README) and on cases of our own (`tests/cases/blame`).
#![allow(clippy::disallowed_methods, clippy::unwrap_used, clippy::panic)] // tests read their cases from files

mod blame;
mod cases;
mod compare;
mod doubt;
mod held_out;
mod recorded;
mod score;
mod table;
mod truncation;
mod unseen;
