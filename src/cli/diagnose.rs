//! `mend diagnose RUN`.

use super::exit::{DONE, WrongUse};
use super::fix::ModelArgs;
use super::machine::Machine;
use super::out;
use crate::app::connect;
use crate::lab::{self, Diagnosing, Entry, Fate, RunFolder};
use std::path::PathBuf;

/// Have a model read the slowest and failed traces of a run and propose one change
///
/// The model is [models.diagnoser] of the settings, else [model], or the one that the options name.
/// Its answer is checked: tasks, spans and files that exist, a guard that fires where it says and
/// hardly elsewhere. The report goes to stdout and into the run's folder (diagnosis.md, .json, and
/// guard.toml where a guard is proposed); the change is added to the history as proposed.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Folder of the run
    run: PathBuf,
    #[command(flatten)]
    model: ModelArgs,
    /// mend's own source, whose files a change names
    #[arg(long, value_name = "FOLDER", default_value = ".")]
    source: PathBuf,
    /// What was proposed, kept and reverted so far, a JSON line each; else history.jsonl beside the suite's tasks
    #[arg(long, value_name = "FILE")]
    history: Option<PathBuf>,
    /// Traces that the model reads at most
    #[arg(long, value_name = "N", default_value_t = 6, value_parser = clap::value_parser!(u16).range(1..=50))]
    traces: u16,
    /// Print one JSON document on stdout
    #[arg(long)]
    json: bool,
}

pub(super) async fn run(args: &Args, machine: &Machine) -> anyhow::Result<u8> {
    machine.log("warn");
    let (run, about) = RunFolder::open(&args.run).map_err(WrongUse::of)?;
    let said = args.model.over(machine, None)?;
    let engine = machine.engine(args.model.config.as_deref(), &said)?;
    let settings = engine.roles.diagnoser.as_ref().unwrap_or(&engine.model);
    let model = connect(settings).map_err(WrongUse::of)?;
    let path = args.history.clone();
    let path = path.unwrap_or_else(|| PathBuf::from(&about.suite).join("history.jsonl"));
    let history = lab::read_history(&path).map_err(WrongUse::of)?;
    let cancel = machine.stop_signal()?;
    let asked = Diagnosing {
        model: &*model,
        max_output_tokens: settings.max_output_tokens.unwrap_or(16_384),
        source: &args.source,
        history: &history,
        most: args.traces.into(),
        cancel: &cancel,
    };
    eprintln!("asking {}", model.name());
    let diagnosis = lab::diagnose(&run, &asked).await?;
    let name = args
        .run
        .file_name()
        .map_or("", |n| n.to_str().unwrap_or(""));
    let report = lab::report(name, &diagnosis);
    std::fs::write(run.path().join("diagnosis.md"), &report)?;
    let json = serde_json::to_string_pretty(&diagnosis)?;
    std::fs::write(run.path().join("diagnosis.json"), json + "\n")?;
    if let Some(guard) = &diagnosis.guard {
        std::fs::write(run.path().join("guard.toml"), guard.toml()?)?;
    }
    let kind = serde_json::to_value(diagnosis.fix.kind)?;
    let entry = Entry {
        title: diagnosis.fix.title.clone(),
        fate: Fate::Proposed,
        kind: kind.as_str().unwrap_or_default().to_string(),
        file: diagnosis.fix.file.clone(),
        evidence: format!("diagnosis of {name}"),
    };
    lab::add_history(&path, &entry)?;
    match args.json {
        true => out::json(&diagnosis)?,
        false => out::line(report.trim_end()),
    }
    Ok(DONE)
}
