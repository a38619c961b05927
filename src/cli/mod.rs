//! The command line.
#![allow(clippy::disallowed_methods)] // this room may touch files or processes (src/lib.rs)

mod sandbox;

use clap::{Parser, Subcommand};
use std::process::ExitCode;

/// mend turns an issue into a pull request, proven by checks that it ran itself.
#[derive(Debug, Parser)]
#[command(name = "mend", version)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Run a command as a check would be confined, or say what this host can do.
    Sandbox(sandbox::Args),
}

/// Reads the command line and does what it asks.
pub async fn run() -> ExitCode {
    match Cli::parse().command {
        Command::Sandbox(args) => sandbox::run(args).await,
    }
}
