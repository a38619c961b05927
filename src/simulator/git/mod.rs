//! The bare repositories behind this GitHub: read and written with git2, served by
//! `git http-backend`.

mod backend;
mod compare;
mod objects;
mod store;

pub(super) use backend::{GitBackend, GitRequest, GitService, serve};
pub(super) use compare::{Change, ChangedFile, Compared};
pub(super) use objects::TreeEntry;
pub(super) use store::{CommitInfo, Node, Signature, Store};
