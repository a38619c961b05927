//! Mirror, worktree, commit and push with git2.
#![allow(clippy::disallowed_methods)] // this room may touch files or processes (src/lib.rs)
