//! Files beneath a directory handle: nothing outside is ever opened.
#![allow(clippy::disallowed_methods)] // this room may touch files or processes (src/lib.rs)
