//! Structured reports beside the output of a run, asked for without touching the project's
//! configuration. A report is written by the project's own code: it is read with a bound on its
//! size, it adds facts, and it never makes a run passed.

mod ask;
mod collect;
mod convert;

pub(super) use ask::{Asked, Form, ask};
pub(super) use collect::{Collected, collect};
pub(super) use convert::from_go;

/// Where the file for a report stands inside.
pub(super) const INSIDE: &str = "/mend-report";
