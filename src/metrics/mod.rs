//! What a process counts, as Prometheus reads it, and whether it is fit to work. Served on an address
//! of its own, which is not for the public.
//!
//! Labels are few and from fixed lists: no repository, no person, no model's name.
//! Counters begin at 0 with the process; what stands in the database (waiting, running) is looked up
//! when it is asked for, and is the same from every process.

mod meter;
mod serve;
mod text;

pub use meter::Meter;
pub use serve::{Vitals, router};
