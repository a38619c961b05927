//! Everything that is tested from outside the rooms, in one binary.
// Helpers of tests may fail loudly, and tests lay out what the rooms then read.
#![allow(
    clippy::disallowed_methods,
    clippy::expect_used,
    clippy::panic,
    clippy::unwrap_used
)]

mod bot;
mod boundary;
mod check;

mod cli;
mod config;
mod config_schema;
mod container;
mod contract;
mod demo;
mod edit;
mod fix;

mod git;
mod github;
mod host;
mod intake;
mod lab;
mod mistakes;
mod model;
mod onboard;
mod postgres;
mod program;
mod sandbox;
mod simulator;
mod store;
mod texts;
mod trace;
mod tree;
mod tree_cases;
mod trust;
mod web;
mod workspace;
mod world;

mod outcome;
