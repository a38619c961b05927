//! `mend guard list|check`.

use super::exit::{DONE, NO, WrongUse};
use super::machine::Machine;
use super::out;
use crate::lab::RunFolder;
use crate::trace::{Guard, On, Span, read, shipped};
use serde_json::json;
use std::io::BufReader;
use std::path::{Path, PathBuf};

/// List guards, or have them read the traces of a run
///
/// A guard is a regular expression over the input or output of spans of one name, which flags a
/// known weakness.
#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, clap::Subcommand)]
enum Command {
    /// List guards with what they flag, and why
    List(ListArgs),
    /// Have guards read a run of `mend bench run`, or one trace
    ///
    /// Exit code: 0 none fired, 1 some did.
    Check(CheckArgs),
}

#[derive(Debug, clap::Args)]
struct Which {
    /// A file of guards to use beside those that come with mend; may be given more than once
    #[arg(long = "guards", value_name = "FILE")]
    files: Vec<PathBuf>,
    /// Print one JSON document on stdout
    #[arg(long)]
    json: bool,
}

impl Which {
    fn load(&self) -> anyhow::Result<Vec<Guard>> {
        let mut guards = shipped()?;
        for file in &self.files {
            let named =
                |e: &dyn std::fmt::Display| WrongUse::of(format!("{}: {e}", file.display()));
            let text = std::fs::read_to_string(file).map_err(|e| named(&e))?;
            guards.extend(Guard::read(&text).map_err(|e| named(&e))?);
        }
        Ok(guards)
    }
}

#[derive(Debug, clap::Args)]
struct ListArgs {
    #[command(flatten)]
    which: Which,
}

#[derive(Debug, clap::Args)]
struct CheckArgs {
    /// Folder of a run, or a trace as JSON lines
    run: PathBuf,
    #[command(flatten)]
    which: Which,
}

pub(super) fn run(args: Args, machine: &Machine) -> anyhow::Result<u8> {
    machine.log("warn");
    match args.command {
        Command::List(args) => list(&args),
        Command::Check(args) => check(&args),
    }
}

fn list(args: &ListArgs) -> anyhow::Result<u8> {
    let guards = args.which.load()?;
    if args.which.json {
        let guards = guards.iter().map(|g| {
            json!({ "name": g.name(), "span": g.span(), "on": g.on(), "pattern": g.pattern(),
                "flags": g.flags(), "why": g.why() })
        });
        out::json(&guards.collect::<Vec<_>>())?;
        return Ok(DONE);
    }
    for guard in guards {
        let on = match guard.on() {
            On::Input => "input",
            On::Output => "output",
        };
        out::line(&format!(
            "{}\n  {} of `{}`: {}\n  flags {}; {}",
            guard.name(),
            on,
            guard.span(),
            guard.pattern(),
            guard.flags(),
            guard.why()
        ));
    }
    Ok(DONE)
}

/// The traces of a run by the names of its rows, or the one trace of a file.
fn traces(path: &Path) -> anyhow::Result<Vec<(String, Vec<Span>)>> {
    if path.is_file() {
        let file = std::fs::File::open(path)?;
        let trace = read(&mut BufReader::new(file)).map_err(WrongUse::of)?;
        return Ok(vec![(path.display().to_string(), trace)]);
    }
    let (run, _) = RunFolder::open(path).map_err(WrongUse::of)?;
    let rows = run.rows()?;
    let read = rows.iter().map(|row| Ok((row.label(), run.trace(row)?)));
    read.collect()
}

fn check(args: &CheckArgs) -> anyhow::Result<u8> {
    let guards = args.which.load()?;
    let traces = traces(&args.run)?;
    let mut fired = Vec::new();
    for (name, trace) in &traces {
        for guard in &guards {
            fired.extend(
                guard
                    .check(trace)
                    .into_iter()
                    .map(|f| (name, f.guard, f.span)),
            );
        }
    }
    if args.which.json {
        let rows = fired.iter();
        let rows = rows.map(|(t, g, s)| json!({ "trace": t, "guard": g, "span": s }));
        out::json(&rows.collect::<Vec<_>>())?;
    } else {
        for guard in &guards {
            let of = fired.iter().filter(|(_, g, _)| g == guard.name());
            let mut names: Vec<&str> = of.map(|(t, ..)| t.as_str()).collect();
            names.dedup();
            if !names.is_empty() {
                let (n, all) = (names.len(), traces.len());
                out::line(&format!(
                    "{} ({n} of {all}): {}",
                    guard.name(),
                    names.join(", ")
                ));
            }
        }
        if fired.is_empty() {
            out::line(&format!("no guard fired on {} traces", traces.len()));
        }
    }
    Ok(if fired.is_empty() { DONE } else { NO })
}
