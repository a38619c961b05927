//! `mend check detect` and `mend check run`.

use super::check_classify::{self, ClassifyArgs};
use super::check_detect;
use super::git_of::git_of;
use super::machine::Machine;
use crate::check::{self, CheckCommand, CheckError, Checks, RunOptions};
use crate::config::{Ground, RepoConfig};
use crate::domain::{Cancel, CheckRun, Journal, Limits, Outcome, Progress};
use crate::sandbox::Sandbox;
use crate::text::{Redactor, bound, strip_ansi, visible};
use crate::tree::{TempFolder, Tree, sweep};
use serde_json::json;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

/// Bytes of output that are shown of a command that did not pass.
const SHOWN: usize = 16 * 1024;

/// A project's own check.
#[derive(Debug, clap::Args)]
pub struct CheckArgs {
    #[command(subcommand)]
    action: Action,
}

#[derive(Debug, clap::Subcommand)]
enum Action {
    /// Says which commands would check the project, and why; runs nothing
    Detect {
        /// The project's folder
        path: PathBuf,
        #[arg(long)]
        json: bool,
    },
    /// Prints the JSON schema of `.github/mend.toml`
    Schema,
    /// Runs the check in the sandbox, on a copy that is thrown away
    ///
    /// Exits 0 when it passed, 1 when it failed, 3 when it didn't start or timed out.
    Run {
        /// The project's folder
        path: PathBuf,
        #[arg(long)]
        json: bool,
        /// A command to run instead of the detected ones; may be given several times
        #[arg(long = "command", value_name = "CMD")]
        commands: Vec<String>,
        /// Seconds for one command
        #[arg(long, value_name = "SECONDS", value_parser = clap::value_parser!(u64).range(1..))]
        timeout: Option<u64>,
        /// Do not set the project up first
        #[arg(long)]
        no_setup: bool,
        /// Settings file with [network], [setup] and [sandbox]; else MEND_CONFIG, else /etc/mend/config.toml
        #[arg(long, value_name = "FILE")]
        config: Option<PathBuf>,
    },
    Classify(ClassifyArgs),
}

/// Judges a recorded output: exit code 0, whatever the outcome.
fn classify(args: &ClassifyArgs) -> ExitCode {
    match check_classify::run(args, std::io::stdin().lock(), &mut std::io::stdout().lock()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(e) => {
            eprintln!("mend: {}", visible(&format!("{e:#}")));
            ExitCode::from(2)
        }
    }
}

/// Runs the subcommand to its end and gives the exit code.
pub(super) async fn run(args: CheckArgs, machine: &Machine) -> ExitCode {
    let result = match args.action {
        Action::Detect { path, json } => check_detect::detect(&path, json),
        Action::Schema => Ok(check_detect::schema()),
        Action::Run {
            path,
            json,
            commands,
            timeout,
            no_setup,
            config,
        } => match Ground::load(config.as_deref(), &machine.environment) {
            Ok(ground) => {
                let asked = Asked {
                    path: &path,
                    as_json: json,
                    given: commands,
                    timeout,
                    setup: !no_setup,
                };
                run_check(asked, &ground, machine).await
            }
            Err(e) => {
                eprintln!("mend: {}", visible(&e.to_string()));
                return ExitCode::from(2);
            }
        },
        Action::Classify(args) => return classify(&args),
    };
    result.unwrap_or_else(|e| {
        eprintln!("mend: {}", visible(&e.to_string()));
        ExitCode::from(match e {
            CheckError::NoCheck { .. } => 3,
            CheckError::Stopped => 130,
            _ => 2,
        })
    })
}

/// What `mend check run` was asked for.
struct Asked<'a> {
    path: &'a Path,
    as_json: bool,
    given: Vec<String>,
    timeout: Option<u64>,
    setup: bool,
}

/// The commands that were given, or those of the project.
fn commands_of(
    tree: &Tree,
    config: &RepoConfig,
    given: Vec<String>,
) -> Result<Vec<CheckCommand>, CheckError> {
    if given.is_empty() {
        return check::detect(tree, config);
    }
    let named = |command: &String| CheckCommand {
        folder: config.working_directory.clone(),
        ..CheckCommand::new(command, "given by --command").named()
    };
    Ok(given.iter().map(named).collect())
}

async fn run_check(
    asked: Asked<'_>,
    ground: &Ground,
    machine: &Machine,
) -> Result<ExitCode, CheckError> {
    let Asked {
        path,
        as_json,
        given,
        timeout,
        setup,
    } = asked;
    let tree = Tree::open(path)?;
    let config = check::repo_config(&tree)?;
    check_detect::warn(&config);
    let commands = commands_of(&tree, &config, given)?;
    let settings = crate::app::sandbox_settings(&ground.sandbox, &machine.environment);
    let sandbox = Sandbox::find(&settings).await?;
    let limit = timeout.unwrap_or_else(|| config.limits.narrow(&Limits::default()).check_s);
    let cancel = Cancel::new();
    let parent = std::env::temp_dir();
    let seen = TempFolder::create(&parent, 0o711)?;
    let at = seen.path().join("git");
    let git = git_of(path, &tree, ground.git.in_sandbox, at, &cancel).await?;
    let options = RunOptions {
        git,
        limit: Duration::from_secs(limit),
        files: tree.walk()?.into_iter().map(|e| e.path.into()).collect(),
        ..RunOptions::default()
    };
    let stop = cancel.clone();
    let interrupt = tokio::spawn(async move {
        if tokio::signal::ctrl_c().await.is_ok() {
            stop.cancel();
        }
    });
    if let Err(e) = sweep(&parent) {
        tracing::debug!(error = %e, "an old temporary folder stays");
    }
    let scratch = TempFolder::create(&parent, 0o711)?;
    let redactor = Redactor::new();
    let rules = (&ground.network, &ground.setup);
    let setup = setup.then(|| machine.set_up(path, &config, rules, &redactor, scratch.path()));
    let checks = Checks {
        sandbox: Arc::new(sandbox),
        source: tree,
        scratch: scratch.path().into(),
        commands,
        options,
        setup: setup.clone(),
        baseline: None,
    };
    let terminal = Terminal::default();
    let beat = terminal.beat();
    let runs = checks.full(&[], None, &cancel, &terminal).await;
    seen.close()?;
    beat.abort();
    interrupt.abort();
    let runs = runs?;
    let outcome = check::overall(&runs);
    if as_json {
        let set_up = match setup {
            Some(setup) => setup.last().await.map(|p| p.report),
            None => None,
        };
        print_json(&json!({"outcome": outcome, "setup": set_up, "checks": runs}));
    } else {
        show(&runs);
    }
    Ok(ExitCode::from(match outcome {
        Outcome::Passed => 0,
        Outcome::Failed => 1,
        Outcome::DidntStart | Outcome::TimedOut => 3,
    }))
}

fn show(runs: &[CheckRun]) {
    let mut out = std::io::stdout().lock();
    for run in runs {
        let class = &run.classification;
        if class.outcome != Outcome::Passed {
            let output = bound(&visible(&strip_ansi(&run.output)), SHOWN);
            let _ = writeln!(out, "{}\n", output.trim_end());
        }
        let ran = class.tests.filter(|_| class.outcome != Outcome::DidntStart);
        let counts = ran.map_or(String::new(), |t| {
            let part = |n: Option<u64>, word: &str| n.map(|n| format!("{n} {word}"));
            let parts = [
                part(t.passed, "passed"),
                part(t.failed.filter(|n| *n > 0), "failed"),
                part(t.errors.filter(|n| *n > 0), "errors"),
                part(t.skipped.filter(|n| *n > 0), "skipped"),
            ];
            let parts: Vec<String> = parts.into_iter().flatten().collect();
            format!("{}, ", parts.join(", "))
        });
        let seconds = run.duration_ms as f64 / 1000.0;
        let _ = writeln!(
            out,
            "{} {} ({counts}{seconds:.1} s)",
            class.outcome.shout(),
            visible(&run.command)
        );
        if !class.reason.is_empty() {
            let _ = writeln!(out, "    {}", visible(&class.reason));
        }
        for name in &class.failed_names {
            let _ = writeln!(out, "    failing: {}", visible(name));
        }
    }
}

fn print_json(value: &serde_json::Value) {
    let mut out = std::io::stdout().lock();
    let _ = writeln!(out, "{value:#}");
}

/// Progress on standard error.
#[derive(Default)]
struct Terminal {
    running: Arc<Mutex<Option<(String, Instant)>>>,
}

/// How often it is said that a command still runs.
const BEAT: Duration = Duration::from_secs(15);

impl Terminal {
    /// Says from time to time what still runs.
    fn beat(&self) -> tokio::task::JoinHandle<()> {
        let running = self.running.clone();
        tokio::spawn(async move {
            let mut ticks = tokio::time::interval(BEAT);
            loop {
                ticks.tick().await;
                let now = running.lock().ok().and_then(|r| r.clone());
                if let Some((command, since)) = now.filter(|(_, s)| s.elapsed() >= BEAT) {
                    let seconds = since.elapsed().as_secs();
                    eprintln!("still running {} ({seconds} s)", visible(&command));
                }
            }
        })
    }

    fn set(&self, command: Option<String>) {
        if let Ok(mut running) = self.running.lock() {
            *running = command.map(|c| (c, Instant::now()));
        }
    }
}

impl Journal for Terminal {
    fn tell(&self, event: Progress) {
        match event {
            Progress::SetUpStarted { command } => {
                eprintln!("setting up: {}", visible(&command));
                self.set(Some(command));
            }
            Progress::SetUpEnded(report) => {
                self.set(None);
                eprintln!("set-up: {}", visible(&crate::render::set_up(&report)));
            }
            Progress::CheckStarted { command } => {
                eprintln!("running {}", visible(&command));
                self.set(Some(command));
            }
            Progress::CheckEnded { outcome, .. } => {
                self.set(None);
                eprintln!("{}", outcome.words());
            }
            _ => {}
        }
    }
}
