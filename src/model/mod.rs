//! Chat models over HTTP; recordings and their replay.
#![allow(clippy::disallowed_methods)] // this room may touch files or processes (src/lib.rs)
