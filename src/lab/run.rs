//! Runs the tasks of a suite against a model (rule L1) and judges each by its hidden tests (L2).

use super::LabError;
use super::judge::{Bench, blocking, config};
use super::results::{Row, RunFolder};
use super::suite::{BenchTask, Made};
use crate::agent::{self, Prompts, same_test};
use crate::domain::{
    Both, Clock, Journal, Limits, NoJournal, Outcome, StopReason, SystemClock, Verdict,
};
use crate::fix::{self, Fixed, Input, Recorded, RecordedTask};
use crate::model::{Model, Normalise, Recorder, Replay};
use crate::text::Redactor;
use crate::trace::{self, Span};
use crate::tree::{Change, RelPath, TempFolder, TreeError};
use futures::{StreamExt, stream};
use std::path::PathBuf;
use std::sync::Arc;
use tokio::sync::mpsc::unbounded_channel;

/// Where the answers come from.
pub enum Answers {
    Model(Arc<dyn Model>),
    /// A folder with a recording per task and repeat, named as in a run's folder.
    Recordings(PathBuf),
}

/// How tasks are run.
pub struct Asked {
    pub answers: Answers,
    pub agent: agent::Settings,
    pub prompts: Prompts,
    pub limits: Limits,
    pub max_output_tokens: u32,
    pub repeats: u32,
    pub parallel: usize,
    /// Whether conversations are kept in the run's folder.
    pub record: bool,
}

/// How many tasks in a row may go without an answer of the model.
const UNANSWERED: usize = 3;

/// A task that says nothing of the model, since it did not answer to the end.
#[derive(Debug, Clone)]
pub struct Unanswered {
    /// The task and its repeat.
    pub label: String,
    pub error: String,
}

/// What came of a run.
#[derive(Debug, Default)]
pub struct Ran {
    /// Those of earlier, too, sorted by task and repeat.
    pub rows: Vec<Row>,
    /// No rows, so that the next run tries them again.
    pub unanswered: Vec<Unanswered>,
}

/// Runs every task as often as asked, but for what the folder holds already; `told` hears of each
/// row, with how many are done and how many there are in all. Ends early when the model answers
/// no more.
///
/// # Errors
/// When nothing can run here. A task that fails is a row.
pub async fn run(
    bench: &Bench,
    tasks: &[BenchTask],
    asked: &Asked,
    folder: &RunFolder,
    told: &(dyn Fn(&Row, usize, usize) + Sync),
) -> Result<Ran, LabError> {
    let mut rows = folder.rows()?;
    let there =
        |task: &BenchTask, n: u32| rows.iter().any(|r| r.task == task.name && r.repeat == n);
    let open: Vec<(&BenchTask, u32)> = (1..=asked.repeats)
        .flat_map(|n| tasks.iter().map(move |t| (t, n)))
        .filter(|(t, n)| !there(t, *n))
        .collect();
    let (all, mut done) = (rows.len() + open.len(), rows.len());
    let mut running = stream::iter(open)
        .map(|(task, n)| Box::pin(one(bench, task, n, asked, folder)))
        .buffer_unordered(asked.parallel.max(1));
    let (mut unanswered, mut in_a_row) = (Vec::new(), 0);
    while let Some(ended) = running.next().await {
        // What was interrupted is neither a result nor a fault of this host.
        if bench.cancel.is_cancelled() {
            break;
        }
        match ended? {
            One::Row(row, trace, diff) => {
                folder.add(&row, &trace, &diff)?;
                done += 1;
                in_a_row = 0;
                told(&row, done, all);
                rows.push(*row);
            }
            One::Unanswered(which) => {
                unanswered.push(which);
                in_a_row += 1;
                if in_a_row == UNANSWERED {
                    break;
                }
            }
        }
    }
    drop(running);
    rows.sort_by(|a, b| (&a.task, a.repeat).cmp(&(&b.task, b.repeat)));
    Ok(Ran { rows, unanswered })
}

/// What came of a task, once.
enum One {
    Row(Box<Row>, Vec<Span>, String),
    Unanswered(Unanswered),
}

async fn one(
    bench: &Bench,
    task: &BenchTask,
    repeat: u32,
    asked: &Asked,
    folder: &RunFolder,
) -> Result<One, LabError> {
    let begun = std::time::Instant::now();
    let (to, mut from) = unbounded_channel();
    let clock: Arc<dyn Clock> = Arc::new(SystemClock);
    let recorder = trace::Recorder::new(Redactor::new(), clock, 0, to);
    let tried = solve(bench, task, repeat, asked, folder, &recorder).await;
    drop(recorder);
    let mut spans = std::collections::BTreeMap::new();
    while let Ok(span) = from.try_recv() {
        spans.insert(span.id, span);
    }
    let mut row = Row {
        task: task.name.clone(),
        repeat,
        language: task.written.language.clone(),
        tags: task.written.tags.clone(),
        solved: false,
        why: String::new(),
        hidden: Outcome::DidntStart,
        verdict: None,
        stop: None,
        turns: 0,
        input_tokens: 0,
        output_tokens: 0,
        cached_tokens: 0,
        dollars: None,
        seconds: 0.0,
        model_seconds: 0.0,
        check_seconds: 0.0,
        named: Vec::new(),
        error: None,
    };
    let unanswered = |error: String| {
        let label = super::results::label(&task.name, repeat);
        Ok(One::Unanswered(Unanswered { label, error }))
    };
    let fixed = match tried {
        Ok(fixed) if fixed.stop == StopReason::ModelError => {
            let unknown = || "the model did not answer".to_string();
            return unanswered(fixed.error.unwrap_or_else(unknown));
        }
        Ok(fixed) => fixed,
        Err(error @ (LabError::Model(_) | LabError::Recording(_))) => {
            return unanswered(error.to_string());
        }
        Err(error) => return Err(error),
    };
    row.seconds = begun.elapsed().as_secs_f64();
    judged(bench, task, &fixed, &mut row).await?;
    Ok(One::Row(
        Box::new(row),
        spans.into_values().collect(),
        fixed.diff,
    ))
}

async fn solve(
    bench: &Bench,
    task: &BenchTask,
    repeat: u32,
    asked: &Asked,
    folder: &RunFolder,
    recorder: &trace::Recorder,
) -> Result<Fixed, LabError> {
    let place = TempFolder::create(&bench.scratch, 0o711)?;
    let base = place.path().join("base");
    let (its, to, scratch) = (task.clone(), base.clone(), bench.scratch.clone());
    blocking(move || its.make(Made::Bug, &to, &scratch)).await?;
    let record = asked.record.then(|| folder.recording(&task.name, repeat));
    let mut model: Arc<dyn Model> = match &asked.answers {
        Answers::Model(model) => model.clone(),
        Answers::Recordings(all) => Arc::new(Replay::open(
            &all.join(super::results::label(&task.name, repeat)),
        )?),
    };
    if let Some(folder) = &record {
        // Of an attempt that a stop or a kill left without a row.
        match std::fs::remove_dir_all(folder) {
            Err(e) if e.kind() != std::io::ErrorKind::NotFound => return Err(e.into()),
            _ => {}
        }
        model = Arc::new(Recorder::new(model, folder, Normalise::default())?);
    }
    let limits = Limits {
        check_s: task.written.timeout,
        ..asked.limits.clone()
    };
    let config = config(task);
    let journal = Both(recorder, &NoJournal);
    let input = Input {
        base: &base,
        start: None,
        earlier: None,
        report: &task.report,
        guidance: &[],
        config: &config,
        setup: Some(bench.set_up(task)),
        git: None,
        commands: &task.written.check,
        base_check: true,
        baseline: None,
        allow_tests: false,
        limits: &limits,
        model: &*model,
        reviewer: None,
        max_output_tokens: asked.max_output_tokens,
        agent: asked.agent.clone(),
        resume: None,
        made: None,
        keep: None,
        sandbox: bench.sandbox.clone(),
        scratch: place.path(),
        prompts: &asked.prompts,
        redactor: &Redactor::new(),
        cancel: &bench.cancel,
        steer: None,
        journal: &journal as &dyn Journal,
    };
    if let Some(folder) = &record {
        RecordedTask::write(&input, folder)?;
    }
    let fixed = fix::run(&input).await?;
    if let Some(folder) = &record {
        Recorded::of(&fixed).write(folder)?;
    }
    place.close()?;
    Ok(fixed)
}

/// Judges what a fix came to: by the hidden tests, and for a task with a contradicting test by
/// whether that test was named and left alone (rule L2).
async fn judged(
    bench: &Bench,
    task: &BenchTask,
    fixed: &Fixed,
    row: &mut Row,
) -> Result<(), LabError> {
    row.verdict = Some(fixed.verdict);
    row.stop = Some(fixed.stop);
    row.turns = fixed.turns;
    row.input_tokens = fixed.usage.input_tokens;
    row.output_tokens = fixed.usage.output_tokens;
    row.cached_tokens = fixed.usage.cached_tokens;
    row.dollars = fixed.usage.dollars;
    row.model_seconds = fixed.model_ms as f64 / 1000.0;
    row.check_seconds = fixed.checks_ms as f64 / 1000.0;
    row.named = fixed
        .contradictions
        .iter()
        .map(|c| c.test.clone())
        .collect();
    row.error = fixed.error.clone();
    let changes: Result<Vec<Change>, TreeError> = fixed
        .changes
        .iter()
        .map(|c| {
            Ok(Change {
                path: RelPath::parse(&c.path)?,
                after: c.after.clone(),
                mode: Some(c.mode),
            })
        })
        .collect();
    row.hidden = bench.hidden(task, &changes?).await?;
    let confirmed = |test: &String| {
        let all = fixed.contradictions.iter();
        all.filter(|c| c.confirmed)
            .any(|c| same_test(test, &c.test))
    };
    let wants = task.written.expect;
    row.why = if fixed.changes.is_empty() {
        "nothing was changed".into()
    } else if row.hidden != Outcome::Passed {
        format!("the hidden check {}", row.hidden.words())
    } else if !matches!(fixed.verdict, Verdict::Ready | Verdict::Draft) {
        format!("the verdict is {}", fixed.verdict.words())
    } else if task.written.contradiction && !task.written.contradicting_test.iter().all(confirmed) {
        "the contradicting test was not named".into()
    } else if !task.written.contradiction && !row.named.is_empty() {
        "a test was named that contradicts nothing".into()
    } else if wants == Some(Verdict::Draft) && fixed.verdict == Verdict::Ready {
        "it was called ready, where a person has to look".into()
    } else {
        String::new()
    };
    row.solved = row.why.is_empty();
    Ok(())
}
