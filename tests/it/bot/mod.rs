//! The bot from outside: webhooks in, pull requests and comments out.

mod checks;
mod command_line;
mod edge;
mod endings;
mod faults;
mod grammar;
mod house;
mod killed;
mod label;
mod limits;
mod missed;
mod moved;
mod parks;
mod proof;
mod questions;
mod reconciled;
mod retry;
mod reviews;
mod roles;
mod steer;
mod storm;
mod surface;
mod trace;
mod wire;
