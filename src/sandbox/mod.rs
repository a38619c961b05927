//! Runs one confined process. No sandbox, no run.
#![allow(clippy::disallowed_methods)] // this room may touch files or processes (src/lib.rs)
