//! A stateful GitHub on loopback, for the demo and the tests.
#![allow(clippy::disallowed_methods)] // this room may touch files or processes (src/lib.rs)
