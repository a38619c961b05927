//! Replay of recordings.
#![allow(clippy::disallowed_methods)] // this room may touch files or processes (src/lib.rs)
