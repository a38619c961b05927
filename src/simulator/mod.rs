//! A stateful GitHub on loopback, for `mend demo` and for the outermost tests.
//!
//! One state ([`Simulator`]'s, in memory, with bare git repositories in a temporary folder) drives
//! the REST answers, the pages, git over HTTP and the signed webhooks. It builds its JSON and signs
//! by itself, never with the room that talks to GitHub, or one mistake would be on both sides.
//!
//! | file | what |
//! |---|---|
//! | `state` | what this GitHub knows |
//! | `acts` | what can happen: state, event, webhook |
//! | `rest`, `shapes` | the REST API and its JSON |
//! | `caller`, `keys`, `manifest` | who asks, and what `app-manifest.yml` grants them |
//! | `git`, `git_http` | bare repositories, `git http-backend` |
//! | `hooks`, `deliver` | webhooks, their log, redelivery |
//! | `faults`, `wire` | what goes wrong on purpose |
//! | `watch` | who looks on |
//! | `pages` | what people see in a browser |
//! | `api`, `look`, `register`, `shut`, `start` | the Rust side |
//!
//! What it does not have: forks, organisations' members and teams, reviews, merging by button,
//! branch protection, secondary rate limits, ETags.
#![allow(clippy::disallowed_methods)] // this room may touch files or processes (src/lib.rs)

mod acts;
mod answer;
mod api;
mod caller;
mod deliver;
mod error;
mod faults;
mod git;
mod git_http;
mod hooks;
mod keys;
mod look;
mod manifest;
mod oauth;
mod pages;
mod register;
mod rest;
mod server;
mod shapes;
mod shut;
mod start;
mod state;
mod time;
mod tokens;
mod views;
mod watch;
mod wire;

pub use api::RepoFile;
pub use caller::Credential;
pub use error::SimulatorError;
pub use faults::{Effect, Fault, LoggedRequest};
pub use hooks::{Attempt, Delivery};
pub use start::{AppOptions, Simulator, SimulatorOptions};
pub use state::Permission;
pub use tokens::TokenView;
pub use views::{CheckRunView, CommentView, IssueView, LineCommentView, PullView};
pub use watch::{Exchange, Watch};
