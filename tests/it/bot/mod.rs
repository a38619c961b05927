//! The bot from outside: webhooks in, pull requests and comments out.

mod budgets;
mod checks;
mod command_line;
#[cfg(feature = "failure-points")]
mod crash;
mod edge;
mod endings;
mod enterprise;
mod faults;
mod figures;
mod grammar;
mod held_ci;
mod house;
mod killed;
mod label;
mod limits;
mod missed;
mod moved;
mod parks;
mod proof;
mod questions;
mod queue;
mod reconciled;
mod retry;
mod reviews;
mod roles;
mod several;
mod shut;
mod silent;
mod steer;
mod storm;
mod surface;
mod trace;
mod wire;
