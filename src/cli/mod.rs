//! The command line.
#![allow(clippy::disallowed_methods)] // this room may touch files or processes (src/lib.rs)
