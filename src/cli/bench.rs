//! `mend bench list|verify|run|compare`.

use super::exit::{DONE, NO, WrongUse};
use super::fix::ModelArgs;
use super::machine::Machine;
use super::out;
use crate::agent::Prompts;
use crate::app::{agent_settings, connect};
use crate::domain::{Clock, SystemClock};
use crate::lab::{self, About, Answers, Asked, Bench, Chosen, Measure, Ran, Row, RunFolder};
use crate::text::Redactor;
use crate::tree::TempFolder;
use sha2::{Digest, Sha256};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Measure how well tasks of a suite are solved, and compare two runs
#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, clap::Subcommand)]
enum Command {
    /// List the tasks of a suite
    List(ListArgs),
    /// Prove of each task that its bug shows and that its reference fix fixes it
    ///
    /// Exit code: 0 all hold, 1 some do not, 3 it could not run.
    Verify(VerifyArgs),
    /// Run the tasks of a suite against a model
    ///
    /// A run that was stopped goes on where it was when it is started again with the same folder.
    /// Exit code: 0 when the run is complete, whatever was solved; 3 it could not run.
    Run(Box<RunArgs>),
    /// Compare two runs in pairs: keep, revert, or not enough evidence
    ///
    /// Exit code: 0 keep, 1 revert or not enough evidence.
    Compare(CompareArgs),
}

/// Which tasks.
#[derive(Debug, clap::Args)]
struct Which {
    /// Folder of the suite, with a folder for each task
    suite: PathBuf,
    /// These tasks only
    #[arg(long = "task", value_name = "NAME")]
    tasks: Vec<String>,
    /// Tasks with this tag or in this language only; may be given more than once
    #[arg(long = "tag", value_name = "TAG")]
    tags: Vec<String>,
}

impl Which {
    fn load(&self) -> anyhow::Result<Vec<lab::BenchTask>> {
        let chosen = Chosen {
            names: self.tasks.clone(),
            tags: self.tags.clone(),
        };
        lab::load(&self.suite, &chosen).map_err(WrongUse::of)
    }
}

#[derive(Debug, clap::Args)]
struct ListArgs {
    #[command(flatten)]
    which: Which,
    /// Print one JSON document on stdout
    #[arg(long)]
    json: bool,
}

#[derive(Debug, clap::Args)]
struct VerifyArgs {
    #[command(flatten)]
    which: Which,
    /// Tasks at the same time
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=64))]
    parallel: u16,
    /// Settings file; else MEND_CONFIG, else /etc/mend/config.toml
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    /// Print one JSON document on stdout
    #[arg(long)]
    json: bool,
}

#[derive(Debug, clap::Args)]
struct RunArgs {
    #[command(flatten)]
    which: Which,
    /// Folder of the run; a new one, or that of a run to go on with
    #[arg(long, value_name = "FOLDER")]
    out: PathBuf,
    #[command(flatten)]
    model: ModelArgs,
    /// How often each task is run
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=100))]
    repeat: u32,
    /// Tasks at the same time
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=64))]
    parallel: u16,
    /// Keep the conversations in the run's folder
    #[arg(long)]
    record: bool,
    /// Play the recordings of another run's folder instead of asking an endpoint
    #[arg(long, value_name = "FOLDER", conflicts_with = "replay")]
    recordings: Option<PathBuf>,
    /// What is special about this run, for whoever compares it
    #[arg(long, value_name = "TEXT", default_value = "")]
    note: String,
    /// Print one JSON document on stdout
    #[arg(long)]
    json: bool,
}

#[derive(Debug, clap::Args)]
struct CompareArgs {
    /// Folder of the run before the change
    before: PathBuf,
    /// Folder of the run after it
    after: PathBuf,
    /// What decides where the shares of solved tasks do not: turns, tokens or seconds
    #[arg(long, value_name = "AMOUNT", default_value = "turns")]
    by: Measure,
    /// Write one HTML page with plots
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,
    /// Print one JSON document on stdout
    #[arg(long)]
    json: bool,
}

pub(super) async fn run(args: Args, machine: &Machine) -> anyhow::Result<u8> {
    machine.log("warn");
    match args.command {
        Command::List(args) => list(&args),
        Command::Verify(args) => Box::pin(verify(&args, machine)).await,
        Command::Run(args) => Box::pin(run_suite(&args, machine)).await,
        Command::Compare(args) => compare(&args),
    }
}

fn list(args: &ListArgs) -> anyhow::Result<u8> {
    let tasks = args.which.load()?;
    if args.json {
        let tasks: Vec<_> = tasks
            .iter()
            .map(|t| serde_json::json!({ "task": t.name, "about": t.written }))
            .collect();
        out::json(&tasks)?;
        return Ok(DONE);
    }
    let wide = tasks.iter().map(|t| t.name.len()).max().unwrap_or(0);
    for task in &tasks {
        let about = &task.written;
        let tags = about.tags.join(", ");
        out::line(&format!(
            "{:wide$}  {:10}  {}  [{tags}]",
            task.name, about.language, about.title
        ));
    }
    Ok(DONE)
}

/// Sandbox, scratch space and the set-ups' folder for checks of the lab.
async fn bench(
    machine: &Machine,
    engine: &crate::config::Engine,
) -> anyhow::Result<(Bench, TempFolder)> {
    let scratch = machine.scratch()?;
    let cache = scratch.path().join("setups");
    let redactor = Redactor::new();
    let bench = Bench {
        sandbox: machine.sandbox(&engine.sandbox).await?,
        scratch: scratch.path().to_path_buf(),
        setup: crate::app::set_up_settings(&engine.network, &engine.setup, cache, &redactor),
        cancel: machine.stop_signal()?,
    };
    Ok((bench, scratch))
}

async fn verify(args: &VerifyArgs, machine: &Machine) -> anyhow::Result<u8> {
    let tasks = args.which.load()?;
    let no_model = machine
        .environment
        .with([("MEND_MODEL_REPLAY", Some("/".to_string()))]);
    let engine = machine.engine(args.config.as_deref(), &no_model)?;
    let (bench, scratch) = bench(machine, &engine).await?;
    let told = |v: &lab::Verified| {
        let word = if v.faults.is_empty() {
            "holds"
        } else {
            "does not hold"
        };
        eprintln!("{:6.1} s  {}: {word}", v.seconds, v.task);
        for fault in &v.faults {
            eprintln!("          {}", crate::text::visible(fault));
        }
    };
    let done = lab::verify(&bench, &tasks, args.parallel.into(), &told).await?;
    scratch.close()?;
    let faulty = done.iter().filter(|v| !v.faults.is_empty()).count();
    match args.json {
        true => out::json(&done)?,
        false => out::line(&format!(
            "{} of {} tasks hold",
            done.len() - faulty,
            done.len()
        )),
    }
    Ok(if faulty == 0 { DONE } else { NO })
}

async fn run_suite(args: &RunArgs, machine: &Machine) -> anyhow::Result<u8> {
    let tasks = args.which.load()?;
    let mut said = args.model.over(machine, None)?;
    if args.recordings.is_some() {
        said = said.with([("MEND_MODEL_REPLAY", Some("/".to_string()))]);
    }
    let engine = machine.engine(args.model.config.as_deref(), &said)?;
    let (answers, model) = match &args.recordings {
        Some(folder) => (
            Answers::Recordings(recordings(folder)?),
            "recordings".to_string(),
        ),
        None => {
            let model = connect(&engine.model).map_err(WrongUse::of)?;
            let name = model.name().to_string();
            (Answers::Model(model), name)
        }
    };
    let about = About {
        suite: args.which.suite.display().to_string(),
        model,
        version: env!("CARGO_PKG_VERSION").to_string(),
        began: SystemClock.unix(),
        repeats: args.repeat,
        settings: settings(&engine)?,
        note: args.note.clone(),
    };
    let folder = RunFolder::begin(&args.out, &about).map_err(WrongUse::of)?;
    let (bench, scratch) = bench(machine, &engine).await?;
    let asked = Asked {
        answers,
        agent: agent_settings(&engine.model, &engine.agent),
        prompts: Prompts::replaced(&engine.agent.prompts).map_err(WrongUse::of)?,
        limits: engine.limits.clone(),
        max_output_tokens: engine.model.max_output_tokens.unwrap_or(16_384),
        repeats: args.repeat,
        parallel: args.parallel.into(),
        record: args.record,
    };
    let Ran { rows, unanswered } = lab::run(&bench, &tasks, &asked, &folder, &progress).await?;
    scratch.close()?;
    if bench.cancel.is_cancelled() {
        anyhow::bail!(
            "stopped after {} runs; the same command goes on from there",
            rows.len()
        );
    }
    if let Some(first) = unanswered.first() {
        anyhow::bail!(
            "{} of the runs say nothing, since the model did not answer to the end; the same command tries them again. \
             {}: {}",
            unanswered.len(),
            first.label,
            crate::text::visible(&first.error)
        );
    }
    match args.json {
        true => out::json(&rows)?,
        false => summary(&rows, &folder),
    }
    Ok(DONE)
}

/// A hash of what decides how the loop goes, besides the model.
fn settings(engine: &crate::config::Engine) -> anyhow::Result<String> {
    let prompts = Prompts::replaced(&engine.agent.prompts).map_err(WrongUse::of)?;
    let agent = serde_json::to_string(&agent_settings(&engine.model, &engine.agent))?;
    let limits = serde_json::to_string(&engine.limits)?;
    let most = engine.model.max_output_tokens;
    let all = format!("{}\n{agent}\n{limits}\n{most:?}", prompts.texts());
    Ok(hex::encode(&Sha256::digest(all)[..8]))
}

/// The recordings in a folder, or in the folder of a run.
fn recordings(folder: &Path) -> anyhow::Result<PathBuf> {
    let inside = folder.join("recordings");
    let found = [inside, folder.to_path_buf()]
        .into_iter()
        .find(|f| f.is_dir());
    found.ok_or_else(|| WrongUse::of(format!("there is no folder {}", folder.display())))
}

fn progress(row: &Row, done: usize, all: usize) {
    let how = match row.solved {
        true => "solved".to_string(),
        false => format!("not solved: {}", row.why),
    };
    eprintln!(
        "{done}/{all}  {} #{}: {how}; {} turns, {} tokens, {:.1} s",
        row.task,
        row.repeat,
        row.turns,
        row.input_tokens + row.output_tokens,
        row.seconds
    );
    if let Some(error) = &row.error {
        eprintln!("        {}", crate::text::visible(error));
    }
}

fn summary(rows: &[Row], folder: &RunFolder) {
    let solved = rows.iter().filter(|r| r.solved).count();
    let median = lab::median(rows.iter().map(|r| f64::from(r.turns)).collect());
    let tokens: u64 = rows.iter().map(|r| r.input_tokens + r.output_tokens).sum();
    let took = Duration::from_secs_f64(rows.iter().map(|r| r.seconds).sum());
    out::line(&format!(
        "{solved} of {} solved; {median} turns at the median; {tokens} tokens; {} s of work; {}",
        rows.len(),
        took.as_secs(),
        folder.path().display()
    ));
}

fn compare(args: &CompareArgs) -> anyhow::Result<u8> {
    let open = |path: &Path| -> anyhow::Result<Vec<Row>> {
        let (run, _) = RunFolder::open(path).map_err(WrongUse::of)?;
        run.rows().map_err(WrongUse::of)
    };
    let compared = lab::compare(&open(&args.before)?, &open(&args.after)?, args.by);
    let (before, after) = (
        args.before.display().to_string(),
        args.after.display().to_string(),
    );
    if let Some(file) = &args.html {
        std::fs::write(file, lab::page(&compared, [&before, &after]))?;
    }
    match args.json {
        true => out::json(&compared)?,
        false => out::line(&lab::table(&compared)),
    }
    Ok(match compared.advice {
        lab::Advice::Keep => DONE,
        _ => NO,
    })
}
