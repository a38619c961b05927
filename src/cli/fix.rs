//! `mend fix PATH --report FILE`: one fix without the bot.

use super::exit::{DONE, NO, WrongUse};
use super::git_of::git_of;
use super::machine::Machine;
use super::out;
use super::terminal::Terminal;
use crate::agent::Prompts;
use crate::app::{agent_settings, connect, connect_role};
use crate::check::repo_config;
use crate::config::ModelSettings;
use crate::domain::{Limits, Report, Verdict};
use crate::edit::FileChange;
use crate::fix::{
    self, About, Document, Fixed, Input, REVIEW_FOLDER, Recorded, RecordedTask, line_counts,
};
use crate::model::{Model, Normalise, Recorder, Replay};
use crate::render;
use crate::text::Redactor;
use crate::tree::{Change, RelPath, Tree, TreeError, copy_tree, write_all};
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Fix a local project from a report, or an issue on GitHub
///
/// PATH with --report works without GitHub; the folder stays as it is unless --apply is given.
/// owner/repo#12 does what the label does, with the App of the settings; --dry-run prints what would
/// be published, and nothing is written to GitHub. The model comes from the settings ([model] in
/// the file, MEND_MODEL_… variables) or from the options below. Exit code: 0 the fix is ready, 1 any
/// other verdict, 2 wrong use, 3 it could not run.
#[derive(Debug, clap::Args)]
pub struct FixArgs {
    /// The project's folder, or an issue as owner/repo#12
    #[arg(value_name = "TARGET")]
    path: PathBuf,
    /// The report of the bug, its title on the first line; - reads standard input
    #[arg(long, value_name = "FILE")]
    report: Option<PathBuf>,
    /// With an issue: print what would be published, and write nothing to GitHub
    #[arg(long)]
    pub(super) dry_run: bool,
    /// What should be done differently this time; may be given more than once
    #[arg(long, value_name = "TEXT")]
    guidance: Vec<String>,
    /// A command that checks the project, instead of the configured or detected ones; may be given more than once
    #[arg(long, value_name = "COMMAND")]
    check: Vec<String>,
    /// Do not run the check on the untouched code first
    #[arg(long)]
    no_base: bool,
    /// Do not set the project up before its checks
    #[arg(long)]
    no_setup: bool,
    /// Let existing tests be changed too
    #[arg(long)]
    allow_tests: bool,
    /// Write the change into the folder when it is ready or a draft
    #[arg(long)]
    apply: bool,
    /// Print one JSON document on stdout
    #[arg(long)]
    pub(super) json: bool,
    #[command(flatten)]
    pub(super) model: ModelArgs,
    /// Record the conversation, the task and its result in this folder
    #[arg(long, value_name = "FOLDER")]
    record: Option<PathBuf>,
    /// Turns of the model at most
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    turns: Option<u32>,
    /// Seconds of one check command at most
    #[arg(long, value_name = "SECONDS", value_parser = clap::value_parser!(u64).range(1..))]
    check_seconds: Option<u64>,
}

/// Which model to ask.
#[derive(Debug, clap::Args)]
pub struct ModelArgs {
    /// Settings file; else MEND_CONFIG, else /etc/mend/config.toml
    #[arg(long, value_name = "FILE")]
    pub(super) config: Option<PathBuf>,
    /// Wire format of the endpoint: anthropic, chat or responses
    #[arg(long, value_name = "FORMAT")]
    pub(super) wire: Option<String>,
    /// Base URL of the endpoint
    #[arg(long, value_name = "URL")]
    pub(super) model_url: Option<String>,
    /// The model's name as the endpoint knows it
    #[arg(long, value_name = "NAME")]
    pub(super) model: Option<String>,
    /// How the model says what it wants done: tools, text or auto
    #[arg(long, value_name = "DIALECT")]
    pub(super) dialect: Option<String>,
    /// Ask for whole answers instead of streams
    #[arg(long)]
    pub(super) no_stream: bool,
    /// Play the answers of a recording instead of asking an endpoint
    #[arg(long, value_name = "FOLDER")]
    pub(super) replay: Option<PathBuf>,
}

impl ModelArgs {
    /// What the options say, as the variables that stand for the same keys.
    pub(super) fn over(
        &self,
        machine: &Machine,
        record: Option<&Path>,
    ) -> anyhow::Result<crate::config::Environment> {
        let path = |path: &Path| -> anyhow::Result<String> {
            let absolute = std::path::absolute(path)?;
            let text = absolute
                .to_str()
                .ok_or_else(|| WrongUse::of("a path is not UTF-8"))?;
            Ok(text.to_string())
        };
        Ok(machine.environment.with([
            ("MEND_MODEL_WIRE", self.wire.clone()),
            ("MEND_MODEL_BASE_URL", self.model_url.clone()),
            ("MEND_MODEL_MODEL", self.model.clone()),
            ("MEND_MODEL_DIALECT", self.dialect.clone()),
            (
                "MEND_MODEL_STREAM",
                self.no_stream.then(|| "false".to_string()),
            ),
            (
                "MEND_MODEL_REPLAY",
                self.replay.as_deref().map(path).transpose()?,
            ),
            ("MEND_MODEL_RECORD", record.map(path).transpose()?),
        ]))
    }
}

pub(super) async fn run(args: FixArgs, machine: &Machine) -> anyhow::Result<u8> {
    machine.log("warn");
    if let Some(issue) = super::fix_issue::target(&args.path) {
        return Box::pin(super::fix_issue::run(args, issue, machine)).await;
    }
    Box::pin(folder(args, machine)).await
}

async fn folder(args: FixArgs, machine: &Machine) -> anyhow::Result<u8> {
    let Some(report) = args.report.as_deref().filter(|_| !args.dry_run) else {
        return Err(WrongUse::of(
            "a folder needs --report FILE (and takes no --dry-run: it stays as it is without --apply); an issue is written owner/repo#12",
        ));
    };
    let report = read_report(report)?;
    let said = args.model.over(machine, args.record.as_deref())?;
    let engine = machine.engine(args.model.config.as_deref(), &said)?;
    let tree = Tree::open(&args.path).map_err(WrongUse::of)?;
    let config = repo_config(&tree).map_err(WrongUse::of)?;
    let model = connect(&engine.model).map_err(WrongUse::of)?;
    let reviewer = reviewer(&args, engine.roles.reviewer.clone())?;
    let limits = limits(&args, config.limits.narrow(&engine.limits));
    let sandbox = machine.sandbox(&engine.sandbox).await?;
    outside(&args)?;
    let scratch = machine.scratch()?;
    // One picture of the folder: whoever works in it meanwhile changes nothing about this run.
    let base = scratch.path().join("base");
    copy_tree(&tree, &base, &|_| false)?;
    let cancel = machine.stop_signal()?;
    let journal = Terminal::new(machine.colour());
    let redactor = Redactor::new();
    let rules = (&engine.network, &engine.setup);
    let setup = match args.no_setup {
        true => None,
        false => Some(machine.set_up(&args.path, &config, rules, &redactor, scratch.path())),
    };
    let at = scratch.path().join("git");
    let git = git_of(&args.path, &tree, engine.git.in_sandbox, at, &cancel).await?;
    let input = Input {
        base: &base,
        start: None,
        earlier: None,
        report: &report,
        guidance: &args.guidance,
        config: &config,
        setup,
        git: git.as_deref(),
        commands: &args.check,
        base_check: !args.no_base,
        baseline: None,
        allow_tests: args.allow_tests,
        limits: &limits,
        model: &*model,
        reviewer: reviewer.as_deref(),
        max_output_tokens: engine.model.max_output_tokens.unwrap_or(16_384),
        agent: agent_settings(&engine.model, &engine.agent),
        resume: None,
        made: None,
        keep: None,
        sandbox,
        scratch: scratch.path(),
        prompts: &Prompts::replaced(&engine.agent.prompts).map_err(WrongUse::of)?,
        redactor: &redactor,
        cancel: &cancel,
        steer: None,
        journal: &journal,
    };
    if let Some(folder) = &args.record {
        RecordedTask::write(&input, folder)?;
    }
    let fixed = fix::run(&input).await?;
    if let Some(folder) = &args.record {
        Recorded::of(&fixed).write(folder)?;
    }
    if args.json
        && let Some(error) = &fixed.error
    {
        journal.say(&format!("what went wrong: {error}"));
    }
    tell(&args, &tree, &fixed, model.name(), &journal)?;
    scratch.close()?;
    Ok(match fixed.verdict {
        Verdict::Ready => DONE,
        _ => NO,
    })
}

/// Prints the result, and writes the change where that was asked for.
fn tell(
    args: &FixArgs,
    tree: &Tree,
    fixed: &Fixed,
    model: &str,
    journal: &Terminal,
) -> anyhow::Result<()> {
    // The result first: it is not lost when it cannot be written into the folder.
    show(args, fixed, model)?;
    if args.apply && matches!(fixed.verdict, Verdict::Ready | Verdict::Draft) {
        apply(tree, fixed)?;
        journal.say(&format!("the change is in {}", args.path.display()));
    }
    Ok(())
}

impl FixArgs {
    /// The options that only a folder has, where one of them was given.
    pub(super) fn only_for_folders(&self) -> Option<&'static str> {
        let given = [
            (self.report.is_some(), "--report"),
            (!self.guidance.is_empty(), "--guidance"),
            (!self.check.is_empty(), "--check"),
            (self.no_base, "--no-base"),
            (self.no_setup, "--no-setup"),
            (self.allow_tests, "--allow-tests"),
            (self.apply, "--apply"),
            (self.record.is_some(), "--record"),
            (self.turns.is_some(), "--turns"),
            (self.check_seconds.is_some(), "--check-seconds"),
        ];
        given.into_iter().find(|(on, _)| *on).map(|(_, name)| name)
    }
}

/// The model that reads the change: the configured one, or with a recording the one that it holds.
fn reviewer(
    args: &FixArgs,
    configured: Option<ModelSettings>,
) -> anyhow::Result<Option<Arc<dyn Model>>> {
    let mut settings = configured;
    if let Some(folder) = &args.model.replay {
        let review = std::path::absolute(folder)?.join(REVIEW_FOLDER);
        let played = Tree::open(&review).ok().map(|_| Replay::from_any(&review));
        let Some(played) = played else {
            return Ok(None);
        };
        let played: Arc<dyn Model> = Arc::new(played);
        return Ok(Some(match &args.record {
            Some(record) => Arc::new(
                Recorder::new(played, &record.join(REVIEW_FOLDER), Normalise::default())
                    .map_err(WrongUse::of)?,
            ),
            None => played,
        }));
    }
    if let Some(settings) = &mut settings {
        settings.record = args.record.as_ref().map(|f| f.join(REVIEW_FOLDER));
    }
    connect_role(settings.as_ref()).map_err(WrongUse::of)
}

/// Refuses a recording inside the project, which would then hold itself.
fn outside(args: &FixArgs) -> anyhow::Result<()> {
    let project = std::fs::canonicalize(&args.path)?;
    match &args.record {
        Some(folder) if std::path::absolute(folder)?.starts_with(&project) => {
            Err(WrongUse::of(format!(
                "--record {} lies inside the project; name a folder outside",
                folder.display()
            )))
        }
        _ => Ok(()),
    }
}

/// Writes the change where the files still are as they were when the work began; else nothing.
fn apply(tree: &Tree, fixed: &Fixed) -> anyhow::Result<()> {
    let changes = as_changes(fixed)?;
    for (change, known) in changes.iter().zip(&fixed.changes) {
        let now = match tree.stat(&change.path)? {
            Some(_) => Some(tree.read(&change.path)?),
            None => None,
        };
        if now != known.before {
            anyhow::bail!(
                "`{}` was changed while mend worked, so nothing was written; the change is printed above",
                change.path
            );
        }
    }
    Ok(write_all(tree, &changes)?)
}

fn limits(args: &FixArgs, limits: Limits) -> Limits {
    Limits {
        turns: args.turns.unwrap_or(limits.turns),
        check_s: args.check_seconds.unwrap_or(limits.check_s),
        ..limits
    }
}

/// The first line is the title, as in a commit's message; the rest is the body.
fn read_report(path: &Path) -> anyhow::Result<Report> {
    const MOST: u64 = 1024 * 1024;
    let mut text = String::new();
    let read = if path == Path::new("-") {
        std::io::stdin().take(MOST).read_to_string(&mut text)
    } else {
        std::fs::File::open(path).and_then(|file| file.take(MOST).read_to_string(&mut text))
    };
    read.map_err(|e| WrongUse::of(format!("cannot read the report {}: {e}", path.display())))?;
    if text.trim().is_empty() {
        return Err(WrongUse::of(format!(
            "the report {} is empty",
            path.display()
        )));
    }
    Ok(Report::titled(&text))
}

fn as_changes(fixed: &Fixed) -> Result<Vec<Change>, TreeError> {
    let change = |c: &FileChange| {
        Ok(Change {
            path: RelPath::parse(&c.path)?,
            after: c.after.clone(),
            mode: Some(c.mode),
        })
    };
    fixed.changes.iter().map(change).collect()
}

fn show(args: &FixArgs, fixed: &Fixed, model: &str) -> anyhow::Result<()> {
    let changed = line_counts(&fixed.diff, fixed.changes.iter().map(|c| c.path.as_str()));
    let about = About {
        relates_only: false,
        follow_up: false,
        issue: None,
        commit: None,
        model,
        changed: &changed,
    };
    let body = render::body(&fixed.pull_request(&about));
    if args.json {
        return out::json(&Document::of(fixed, &body));
    }
    out::line(&body);
    if let Some(error) = &fixed.error {
        out::line(&format!("\nWhat went wrong: {error}"));
    }
    if !fixed.diff.is_empty() {
        out::line(&format!("\n{}", fixed.diff.trim_end()));
    }
    let word = fixed.verdict.words();
    match (args.apply, fixed.diff.is_empty()) {
        (_, true) => out::line(&format!("\nVerdict: {word}. Nothing was changed.")),
        (true, false) => out::line(&format!("\nVerdict: {word}.")),
        (false, false) => out::line(&format!(
            "\nVerdict: {word}. The folder is as it was; --apply writes the change."
        )),
    }
    Ok(())
}
