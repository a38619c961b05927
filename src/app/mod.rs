//! Wires the rooms into a server, and the server with a simulated GitHub into a demo.

mod bench;
mod convert;
pub mod demo;
mod issue;
mod pages;
mod pauses;
mod process;
mod server;
mod state;

pub use convert::{
    agent_settings, connect, connect_role, model_settings, sandbox_settings, set_up_settings,
};
pub use issue::{IssueError, IssueFix, fix_issue};
pub use pages::invitation;
pub use process::keep_to_itself;
pub use server::{Extra, Role, Server, StartError};
