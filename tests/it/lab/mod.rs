//! The lab: suites, runs, comparisons, diagnoses.

mod compare;
mod diagnose;
mod stats;
mod suite;
