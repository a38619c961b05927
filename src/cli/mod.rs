//! The command line.
#![allow(clippy::disallowed_methods)] // this room may touch files or processes (src/lib.rs)

mod bench;
mod check;
mod check_classify;
mod check_detect;
mod config;
mod demo;
mod diagnose;
mod doctor;
mod edit;
mod examples;
mod exit;
mod fix;
mod fix_issue;
mod git_of;
mod guard;
mod log;
mod machine;
mod open;
mod out;
mod replay;
mod sandbox;
mod serve;
mod setup;
mod setup_ask;
mod tasks;
mod tasks_trace;
mod terminal;

use crate::config::Environment;
use clap::{CommandFactory, Parser, Subcommand};
use exit::{COULD_NOT_RUN, WRONG_USE};
use machine::Machine;
use std::process::ExitCode;

/// mend turns an issue labelled `mend` into a pull request, proven by checks that it ran itself.
#[derive(Debug, Parser)]
#[command(name = "mend", version)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Show the whole job on this machine: a simulated GitHub, a labelled issue, a pull request
    #[command(after_help = examples::DEMO)]
    Demo(demo::DemoArgs),
    /// Receive webhooks and work on tasks
    #[command(after_help = examples::SERVE)]
    Serve(serve::ServeArgs),
    /// Make the GitHub App, choose the model, write the settings, and prove that they work
    #[command(after_help = examples::SETUP)]
    Setup(Box<setup::SetupArgs>),
    /// Prove that an installation works, and say what to do where it does not
    #[command(after_help = examples::DOCTOR)]
    Doctor(doctor::DoctorArgs),
    /// Check the settings, or tell what there is to set
    #[command(after_help = examples::CONFIG)]
    Config(config::ConfigArgs),
    /// Print completions for a shell, to be kept where it looks for them
    #[command(after_help = examples::COMPLETIONS)]
    Completions {
        /// bash, elvish, fish, powershell or zsh
        shell: clap_complete::Shell,
    },
    /// See and steer the tasks of a server
    #[command(after_help = examples::TASKS)]
    Tasks(tasks::TasksArgs),
    /// Print a link that opens the pages of a running server, once
    #[command(after_help = examples::OPEN)]
    Open(open::OpenArgs),
    /// Fix a local project from a report, without GitHub
    #[command(after_help = examples::FIX)]
    Fix(fix::FixArgs),
    /// Find, run or judge a project's check
    #[command(after_help = examples::CHECK)]
    Check(check::CheckArgs),
    /// Apply a model's edits to files, exactly or not at all
    #[command(after_help = examples::EDIT)]
    Edit(edit::EditArgs),
    /// Run a command as a check would be confined, or say what this host can do
    #[command(after_help = examples::SANDBOX)]
    Sandbox(sandbox::Args),
    /// Measure how well tasks of a suite are solved, and compare two runs
    #[command(after_help = examples::BENCH)]
    Bench(bench::Args),
    /// Have a model read the slowest and failed traces of a run and propose one change
    #[command(after_help = examples::DIAGNOSE)]
    Diagnose(Box<diagnose::Args>),
    /// List guards, or have them read the traces of a run
    #[command(after_help = examples::GUARD)]
    Guard(guard::Args),
    /// Play a recorded conversation again, without a model
    #[command(after_help = examples::REPLAY)]
    Replay(replay::ReplayArgs),
}

/// Reads the command line and does what it asks.
pub async fn run() -> ExitCode {
    let cli = Cli::parse();
    let machine = Machine::new(Environment::capture());
    #[cfg(feature = "failure-points")]
    if let Some(point) = machine.environment.get("MEND_FAIL_AT") {
        crate::domain::arm_failure_point(point);
    }
    let result = match cli.command {
        Command::Sandbox(args) => return sandbox::run(args).await,
        Command::Check(args) => return check::run(args, &machine).await,
        Command::Edit(args) => edit::run(args),
        Command::Demo(args) => demo::run(args, &machine).await,
        Command::Serve(args) => serve::run(args, &machine).await,
        Command::Setup(args) => Box::pin(setup::run(*args, &machine)).await,
        Command::Config(args) => config::run(args, &machine),
        Command::Completions { shell } => {
            clap_complete::generate(shell, &mut Cli::command(), "mend", &mut std::io::stdout());
            Ok(exit::DONE)
        }
        Command::Doctor(args) => Box::pin(doctor::run(args, &machine)).await,
        Command::Tasks(args) => tasks::run(args, &machine).await,
        Command::Open(args) => open::run(args, &machine).await,
        Command::Fix(args) => Box::pin(fix::run(args, &machine)).await,
        Command::Bench(args) => Box::pin(bench::run(args, &machine)).await,
        Command::Diagnose(args) => Box::pin(diagnose::run(&args, &machine)).await,
        Command::Guard(args) => guard::run(args, &machine),
        Command::Replay(args) => Box::pin(replay::run(args, &machine)).await,
    };
    match result {
        Ok(_) if out::lost() => {
            out::error("the output could not be written");
            ExitCode::from(COULD_NOT_RUN)
        }
        Ok(code) => ExitCode::from(code),
        Err(error) => {
            out::error(&out::chain(&error));
            ExitCode::from(match error.downcast_ref::<exit::WrongUse>() {
                Some(_) => WRONG_USE,
                None => COULD_NOT_RUN,
            })
        }
    }
}
