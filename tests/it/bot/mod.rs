//! The bot from outside: webhooks in, pull requests and comments out.

mod edge;
mod endings;
mod faults;
mod label;
mod parks;
mod retry;
mod wire;
