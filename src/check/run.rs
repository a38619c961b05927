//! Runs the commands of a check, one after the other, confined.

use super::attempt::{attempt, refused};
use super::report::{self, Asked, Collected};
use super::{CheckCommand, CheckError, again, vcs};
use crate::domain::{Cancel, CheckRun, Classification, Exit, Journal, Kind, Outcome, Progress};
use crate::outcome::{Input, NO_SIGN, classify};
use crate::sandbox::{Bounds, Mount, Ran, Sandbox, Spec};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// The evidence of a run whose report was read beside its output.
const REPORT_READ: &str = "the runner's report was read, too";
/// Where a folder that outlives single runs stands inside.
const CACHE: &str = "/cache";

/// What makes runs quiet, repeatable and offline, whatever the ecosystem.
const ENV: &[(&str, &str)] = &[
    ("CI", "true"),
    ("NO_COLOR", "1"),
    ("TERM", "dumb"),
    ("PYTHONDONTWRITEBYTECODE", "1"),
    ("PYTHONUNBUFFERED", "1"),
    ("PYTHONHASHSEED", "0"),
    ("PIP_NO_INPUT", "1"),
    ("CARGO_NET_OFFLINE", "true"),
    ("CARGO_TERM_COLOR", "never"),
    ("npm_config_update_notifier", "false"),
    ("npm_config_fund", "false"),
    ("npm_config_audit", "false"),
];

/// How the commands run and what their output is judged by.
#[derive(Debug, Clone, Default)]
pub struct RunOptions {
    /// Wall time of one command.
    pub limit: Duration,
    /// The project's files, for placing what an output names.
    pub files: Vec<String>,
    /// The files that the task changed.
    pub changed: Vec<String>,
    /// The runs of the same commands on base; `None` when there are none.
    pub base: Option<Vec<CheckRun>>,
    /// How often a test that fails newly is run again alone before it is called broken.
    pub again: u32,
    /// A folder of the host in which runners are given a place for a report; `None`: none is asked
    /// for.
    pub reports: Option<PathBuf>,
    /// Variables beside those that are always set.
    pub env: Vec<(String, String)>,
    /// Further folders and files of the host, after the tree.
    pub mounts: Vec<Mount>,
    /// What commands see as `.git`, read-only; `None`: they see none.
    pub git: Option<PathBuf>,
    /// A folder of the host that is kept from run to run (what cargo built).
    pub cache: Option<PathBuf>,
    /// Memory, processes and the like; `limit` stands for its wall time.
    pub bounds: Option<Bounds>,
}

/// The outcome of a whole check: the first command that did not pass decides. A check without
/// commands did not start.
pub fn overall(runs: &[CheckRun]) -> Outcome {
    runs.iter()
        .map(|r| r.classification.outcome)
        .find(|o| *o != Outcome::Passed)
        .unwrap_or(match runs.is_empty() {
            true => Outcome::DidntStart,
            false => Outcome::Passed,
        })
}

/// Runs every command in `folder`, also after one that failed. What they leave behind stays in it.
///
/// # Errors
/// `Stopped` when `cancel` ended a run, `Sandbox` when a command could not be confined.
pub async fn run(
    sandbox: &Sandbox,
    folder: &Path,
    commands: &[CheckCommand],
    options: &RunOptions,
    cancel: &Cancel,
    journal: &dyn Journal,
) -> Result<Vec<CheckRun>, CheckError> {
    let mut runs = Vec::with_capacity(commands.len());
    for command in commands {
        let shown = command.shown();
        journal.tell(Progress::CheckStarted {
            command: shown.clone(),
        });
        let place = Place {
            sandbox,
            folder,
            options,
            cancel,
        };
        let mut run = one(&place, command).await?;
        let base = options.base.iter().flatten().find(|b| b.command == shown);
        if let Some(base) = base {
            again::confirm(&place, command, base, &mut run).await?;
        }
        journal.tell(Progress::CheckEnded {
            command: shown,
            outcome: run.classification.outcome,
            run: Box::new(run.clone()),
        });
        runs.push(run);
    }
    Ok(runs)
}

/// Where commands run, and how.
#[derive(Clone, Copy)]
pub(super) struct Place<'a> {
    pub sandbox: &'a Sandbox,
    pub folder: &'a Path,
    pub options: &'a RunOptions,
    pub cancel: &'a Cancel,
}

/// File work off the threads that serve everything else.
pub(super) async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, CheckError> + Send + 'static,
) -> Result<T, CheckError> {
    match tokio::task::spawn_blocking(work).await {
        Ok(result) => result,
        // Only a panic of `work` ends here; it is re-raised where the caller waits.
        Err(e) => match e.try_into_panic() {
            Ok(panic) => std::panic::resume_unwind(panic),
            Err(_) => Err(CheckError::Stopped),
        },
    }
}

/// One command, and once more when the first run says nothing about the project.
pub(super) async fn one(place: &Place<'_>, command: &CheckCommand) -> Result<CheckRun, CheckError> {
    let mut asked = report::ask(command, place.options.reports.is_some());
    let (mut first, mut first_run) = attempt(place, command, &asked).await?;
    if asked.differs(command) && refused(&first, &first_run) {
        asked = Asked::plain(command);
        (first, first_run) = attempt(place, command, &asked).await?;
    }
    let Some(why) = why_again(&first, &first_run) else {
        return Ok(first_run);
    };
    let (_, mut run) = attempt(place, command, &asked).await?;
    run.classification.evidence.insert(
        0,
        format!(
            "first run: {} after {:.1} s ({why}); this is the second",
            first_run.classification.outcome.words(),
            first.duration.as_secs_f64()
        ),
    );
    Ok(run)
}

/// One command, once, without a judgement.
pub(super) async fn raw(
    sandbox: &Sandbox,
    folder: &Path,
    command: &CheckCommand,
    options: &RunOptions,
    cancel: &Cancel,
) -> Result<Ran, CheckError> {
    Ok(sandbox
        .run(
            &spec(folder, command, &Asked::plain(command), options),
            cancel,
        )
        .await?)
}

pub(super) fn spec(
    folder: &Path,
    command: &CheckCommand,
    asked: &Asked,
    options: &RunOptions,
) -> Spec {
    let mut env: Vec<(String, String)> = ENV
        .iter()
        .map(|(name, value)| (name.to_string(), value.to_string()))
        .collect();
    let mut mounts = Vec::new();
    if let Some(cache) = &options.cache {
        env.push(("CARGO_TARGET_DIR".into(), format!("{CACHE}/target")));
        mounts.push(Mount {
            host: cache.clone(),
            inside: CACHE.into(),
            writable: true,
        });
    }
    mounts.extend(options.mounts.iter().cloned());
    env.extend(options.env.iter().cloned());
    if let Some(git) = &options.git {
        mounts.push(vcs::mount(git));
        env.extend(vcs::variables());
    }
    env.extend(command.env.iter().cloned());
    if let Some((name, value)) = &asked.variable {
        let own = env
            .iter()
            .rev()
            .find(|(n, _)| n == name)
            .map(|(_, v)| v.as_str());
        let value = match own {
            Some(own) => format!("{own} {value}"),
            None => value.clone(),
        };
        env.push((name.to_string(), value));
    }
    let limit = command.limit_s.map(Duration::from_secs);
    let asked = CheckCommand {
        command: asked.command.clone(),
        folder: command.folder.clone(),
        ..CheckCommand::default()
    };
    Spec {
        argv: asked.argv(),
        work: folder.to_path_buf(),
        env,
        limits: Bounds {
            wall: limit.map_or(options.limit, |l| l.min(options.limit)),
            ..options.bounds.clone().unwrap_or_default()
        },
        mounts,
        ..Spec::default()
    }
}

pub(super) fn judge(
    command: &CheckCommand,
    ran: &Ran,
    collected: &Collected,
    options: &RunOptions,
) -> CheckRun {
    let shown = command.shown();
    let base_started = options.base.as_ref().and_then(|runs| {
        runs.iter()
            .find(|r| r.command == shown)
            .map(|r| r.classification.outcome != Outcome::DidntStart)
    });
    let input = Input {
        command: &command.command,
        exit: ran.exit,
        output: &ran.output,
        files: &options.files,
        changed: &options.changed,
        base_started,
        whole: ran.hit.is_none(),
        report: None,
    };
    let mut classification = classify(&input);
    if !collected.xml.is_empty() {
        let with = classify(&Input {
            report: Some(&collected.xml),
            ..input
        });
        classification = add_report(classification, with);
        classification.evidence.push(REPORT_READ.to_string());
    }
    classification
        .evidence
        .extend(collected.left_out.iter().cloned());
    classification.narrowed |= command.narrowed;
    if command.named && ran.exit == Exit::Code(0) {
        take_at_its_word(&mut classification);
    }
    if let Some(hit) = ran.hit {
        classification
            .evidence
            .push(format!("mend ended it: limit on {hit:?} reached").to_lowercase());
    }
    CheckRun {
        command: shown,
        exit: ran.exit,
        duration_ms: u64::try_from(ran.duration.as_millis()).unwrap_or(u64::MAX),
        output: String::from_utf8_lossy(&ran.output).into_owned(),
        classification,
    }
}

/// A report adds what it knows. It is written by the code under test: where it alone would make the
/// run passed, only its counts are taken.
fn add_report(plain: Classification, with: Classification) -> Classification {
    if with.outcome != Outcome::Passed || plain.outcome == Outcome::Passed {
        return with;
    }
    let mut kept = plain;
    kept.tests = kept.tests.or(with.tests);
    kept.evidence
        .push("a report says that the tests passed, which alone is no proof".to_string());
    kept
}

/// A command that a person named as the check, and that says nothing about tests either way: that
/// person's word is the second witness beside exit code 0. A test runner that ran nothing stays what
/// it is.
fn take_at_its_word(c: &mut Classification) {
    let red = |t: crate::domain::Counts| t.failed.unwrap_or(0) + t.errors.unwrap_or(0) > 0;
    let silent = c.runner.is_none() && !c.tests.is_some_and(red) && c.kind == Some(Kind::NoTests);
    if silent && c.outcome == Outcome::DidntStart && c.evidence.iter().any(|e| e == NO_SIGN) {
        c.outcome = Outcome::Passed;
        c.kind = None;
        c.reason.clear();
        c.evidence
            .push("the command was named as the check".to_string());
    }
}

/// Why a run is made again: what ended it lies outside the project, as far as one run can tell.
fn why_again(ran: &Ran, run: &CheckRun) -> Option<&'static str> {
    if run.classification.outcome == Outcome::Passed || ran.hit.is_some() {
        return None;
    }
    match ran.exit {
        Exit::TimedOut => return None,
        Exit::Signal(9) | Exit::Code(137) => return Some("it was killed"),
        _ if run.classification.kind == Some(Kind::Killed) => return Some("it was killed"),
        _ => {}
    }
    let has = |needle: &str| memchr::memmem::find(&ran.output, needle.as_bytes()).is_some();
    if has("Address already in use") || has("EADDRINUSE") {
        return Some("an address was in use");
    }
    let worker = has("worker 'gw") && has("crashed while running");
    (worker || has("node down: Not properly terminated"))
        .then_some("a worker of the runner crashed")
}
