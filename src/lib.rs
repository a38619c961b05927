//! mend turns an issue labelled `mend` into a pull request, and states what the project's own
//! checks said about it, because it ran them itself.
//!
//! # The rooms
//!
//! A room is a folder under `src/` with one duty. Arrows go only downward; `tests/tidy.rs` reads
//! the paths that begin with `crate::` and fails on any other arrow.
//!
//! | level | room | duty | may use |
//! |---|---|---|---|
//! | 0 | [`domain`] | the vocabulary; the seams `Journal`, `Steer`, `Cancel`, `Clock` | – |
//! | 0 | [`text`] | bound, redact, make visible, neutralise | – |
//! | 1 | [`edit`] | three dialects → edits → pending content → diff; pure | 0 |
//! | 1 | [`outcome`] | output and exit of a check → outcome; comparison of two runs; pure | 0 |
//! | 1 | [`directive`] | comment text → what is asked; pure | 0 |
//! | 1 | [`gate`] | may this diff be published; pure | 0 |
//! | 1 | [`render`] | every text a person sees; pure | 0 |
//! | 1 | [`tree`] | files beneath a directory handle | 0 |
//! | 1 | [`config`] | server settings, the repository's `.github/mend.toml` | 0 |
//! | 1 | [`trace`] | spans of a task, guards over them, JSON lines | 0 |
//! | 1 | [`store`] | deliveries, tasks, leases | 0 |
//! | 1 | [`model`] | chat models over HTTP, recordings, replay | 0 |
//! | 1 | [`github`] | client, App auth, wire structs, signature | 0 |
//! | 1 | [`sandbox`] | run one confined process; probe the host | 0 |
//! | 2 | [`git`] | mirror, worktree, commit, push | 0, tree |
//! | 2 | [`workspace`] | the agent's view of a tree | 0, tree, edit |
//! | 2 | [`check`] | detect and run a project's check | 0, tree, config, outcome, sandbox |
//! | 2 | [`simulator`] | a stateful GitHub on loopback | 0 |
//! | 3 | [`agent`] | the loop | 0, model, workspace, check, sandbox, outcome, edit |
//! | 3 | [`intake`] | webhook receiver; event → trigger → task | 0, config, directive, store, github, render |
//! | 4 | [`fix`] | the engine without GitHub | 0–3 but intake, github, store, simulator |
//! | 5 | [`task`] | the worker: claim, prepare, fix, publish | 0–4 but simulator |
//! | 5 | [`lab`] | replay of recordings | 0, trace, fix, agent, check, outcome, model, git, sandbox, tree, config, workspace |
//! | 6 | [`metrics`] | what a process counts, for Prometheus; health and readiness | 0, store, github |
//! | 6 | [`onboard`] | `mend setup` and `mend doctor` | 0, config, github, git, sandbox, model, store, tree |
//! | 6 | [`web`] | pages about runs, live events, login, JSON API; stop and retry are rows in `store` | 0, config, store, trace, render, github |
//! | 7 | [`app`], [`cli`] | wire the rooms; the command line | everything |
//!
//! Who attacks, and what stops them: [`threats`].
//!
//! # Departures from the design, with reasons
//!
//! * `Cancel` is a handle, not a trait: there is one way to stop a task, and a second
//!   implementation would only be a mock.
//! * `lab` may use `agent` and `sandbox` too: whoever calls `fix` hands it prompts and a sandbox.
//! * Metrics and health are a room of their own, not part of `web`: workers serve them, too, and
//!   they stand on an address that is not for people.
//! * `onboard` may use `tree` too: it writes settings and keys, and tries a clone in a throwaway
//!   folder, as every room does that through `tree`.

pub mod agent;
pub mod app;
pub mod check;
pub mod cli;
pub mod config;
pub mod directive;
pub mod domain;
pub mod edit;
pub mod fix;
pub mod gate;
pub mod git;
pub mod github;
pub mod intake;
pub mod lab;
pub mod metrics;
pub mod model;
pub mod onboard;
pub mod outcome;
pub mod render;
pub mod sandbox;
pub mod simulator;
pub mod store;
pub mod task;
pub mod text;
#[doc = include_str!("threats.md")]
pub mod threats {}
pub mod trace;
pub mod tree;
pub mod web;
pub mod workspace;
