//! Deliveries, tasks and leases in a database.
#![allow(clippy::disallowed_methods)] // this room may touch files or processes (src/lib.rs)
