//! `mend replay DIR`: a recorded conversation again, without a model.

use super::exit::{DONE, NO, WrongUse};
use super::machine::Machine;
use super::out;
use super::terminal::Terminal;
use crate::lab;
use std::path::PathBuf;

/// Play a recorded conversation again, without a model
///
/// The recorded answers are carried out on the recorded source, in order, whatever is asked; what is
/// compared is what each turn did (calls, edits, outcome of the check) and the verdict. Exit code: 0
/// equal, 1 different, 3 it could not run.
#[derive(Debug, clap::Args)]
pub struct ReplayArgs {
    /// Folder of the recording
    folder: PathBuf,
    /// Settings file; else MEND_CONFIG, else /etc/mend/config.toml
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    /// Print one JSON document on stdout
    #[arg(long)]
    json: bool,
}

pub(super) async fn run(args: ReplayArgs, machine: &Machine) -> anyhow::Result<u8> {
    machine.log("warn");
    if !args.folder.is_dir() {
        return Err(WrongUse::of(format!(
            "there is no folder {}",
            args.folder.display()
        )));
    }
    // A replay asks no model: only the sandbox's settings count.
    let no_model = machine
        .environment
        .with([("MEND_MODEL_REPLAY", Some("/".to_string()))]);
    let engine = machine.engine(args.config.as_deref(), &no_model)?;
    let sandbox = machine.sandbox(&engine.sandbox).await?;
    let scratch = machine.scratch()?;
    let cancel = machine.stop_signal()?;
    let journal = Terminal::new(machine.colour());
    let playing = lab::replay(&args.folder, sandbox, scratch.path(), &cancel, &journal);
    let replayed = Box::pin(playing).await?;
    scratch.close()?;
    if args.json {
        out::json(&replayed)?;
    } else {
        match &replayed.difference {
            None => out::line(&format!(
                "equal: {} turns, {}, {}",
                replayed.turns,
                replayed.stop.word(),
                replayed.verdict.word()
            )),
            Some(d) => out::line(&format!(
                "differs {}: {}\n  recorded: {}\n  now:      {}",
                d.turn
                    .map_or("at the end".to_string(), |t| format!("at turn {t}")),
                d.what,
                d.recorded,
                d.now
            )),
        }
    }
    Ok(if replayed.equal { DONE } else { NO })
}
