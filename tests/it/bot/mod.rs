//! The bot from outside: webhooks in, pull requests and comments out.

mod checks;
mod edge;
mod endings;
mod faults;
mod house;
mod killed;
mod label;
mod missed;
mod moved;
mod parks;
mod proof;
mod questions;
mod retry;
mod reviews;
mod roles;
mod steer;
mod storm;
mod surface;
mod trace;
mod wire;
