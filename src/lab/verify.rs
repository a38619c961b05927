//! Proves of each task of a suite that it is one: the bug shows, the reference fix fixes it, a wrong
//! fix is seen as one.

use super::LabError;
use super::judge::{Bench, Which};
use super::suite::{BenchTask, Made};
use crate::agent::same_test;
use crate::check::overall;
use crate::domain::{CheckRun, Outcome};
use futures::{StreamExt, stream};
use serde::Serialize;

/// How often the check of a task with flaky tests runs.
const FLAKY_RUNS: usize = 25;

/// What came of one task.
#[derive(Debug, Clone, Serialize)]
pub struct Verified {
    pub task: String,
    pub language: String,
    pub tags: Vec<String>,
    /// What does not hold; empty for a sound task.
    pub faults: Vec<String>,
    pub seconds: f64,
}

/// Verifies tasks, `parallel` at a time; `told` hears of each as it ends.
///
/// # Errors
/// When nothing can run here. What is wrong with a task is in its result.
pub async fn verify(
    bench: &Bench,
    tasks: &[BenchTask],
    parallel: usize,
    told: &(dyn Fn(&Verified) + Sync),
) -> Result<Vec<Verified>, LabError> {
    let mut all = stream::iter(tasks)
        .map(|task| async move {
            let begun = std::time::Instant::now();
            let faults = match faults(bench, task).await {
                Ok(faults) => faults,
                Err(LabError::Suite(fault)) => vec![fault],
                Err(error) => return Err(error),
            };
            let verified = Verified {
                task: task.name.clone(),
                language: task.written.language.clone(),
                tags: task.written.tags.clone(),
                faults,
                seconds: begun.elapsed().as_secs_f64(),
            };
            told(&verified);
            Ok(verified)
        })
        .buffer_unordered(parallel.max(1));
    let mut done = Vec::new();
    while let Some(verified) = all.next().await {
        done.push(verified?);
    }
    done.sort_by(|a, b| a.task.cmp(&b.task));
    Ok(done)
}

/// What can be seen of a task without running anything.
fn form(task: &BenchTask) -> Vec<String> {
    let written = &task.written;
    let tagged = |tag: &str| written.tags.iter().any(|t| t == tag);
    let all = [
        (
            tagged("red") != tagged("green"),
            "one of the tags `red` and `green` is needed: how the check ends with the bug",
        ),
        (
            written.contradiction == written.contradicting_test.is_some(),
            "`contradiction = true` and `contradicting_test` go together",
        ),
        (
            written.contradiction == tagged("contradiction"),
            "`contradiction = true` and the tag `contradiction` go together",
        ),
        (
            tagged("flaky") != written.flaky.is_empty(),
            "`flaky` and the tag `flaky` go together",
        ),
        (!written.check.is_empty(), "`check` holds no command"),
        (
            !written.hidden_check.is_empty(),
            "`hidden_check` holds no command",
        ),
        (written.timeout > 0, "`timeout` is 0 seconds"),
    ];
    let wrong = all.into_iter().filter(|(holds, _)| !holds);
    wrong.map(|(_, what)| what.to_string()).collect()
}

async fn faults(bench: &Bench, task: &BenchTask) -> Result<Vec<String>, LabError> {
    let tagged = |tag: &str| task.written.tags.iter().any(|t| t == tag);
    let mut faults = form(task);
    if !faults.is_empty() {
        return Ok(faults);
    }
    let mut want = |holds: bool, what: &str, runs: &[CheckRun]| {
        if !holds {
            let said: Vec<String> = runs.iter().map(said).collect();
            faults.push(format!("{what}: {}", said.join("; ")));
        }
    };
    let passed = |runs: &[CheckRun]| overall(runs) == Outcome::Passed;
    let runs = bench.tried(task, (Made::Clean, &[]), Which::Hidden).await?;
    let what = "without the bug the hidden check does not pass";
    want(passed(&runs), what, &runs);
    let runs = bench.tried(task, (Made::Bug, &[]), Which::Hidden).await?;
    want(
        !passed(&runs),
        "with the bug the hidden check passes",
        &runs,
    );
    let runs = bench.tried(task, (Made::Fixed, &[]), Which::Hidden).await?;
    let what = "with the reference fix the hidden check does not pass";
    want(passed(&runs), what, &runs);
    if task.written.wrong.is_some() {
        let runs = bench.tried(task, (Made::Wrong, &[]), Which::Hidden).await?;
        want(
            !passed(&runs),
            "with the wrong fix the hidden check passes",
            &runs,
        );
        // It has to be wrong in what it does: one that does not even run proves nothing.
        want(ran(&runs), "the wrong fix does not run", &runs);
    }
    let (outcome, what) = if tagged("hang") {
        let what = "with the bug the check does not run out of time, though it is tagged hang";
        (Some(Outcome::TimedOut), what)
    } else if tagged("green") {
        let what = "with the bug the check does not pass, though it is tagged green";
        (Some(Outcome::Passed), what)
    } else {
        (None, "with the bug the check passes")
    };
    let holds = |runs: &[CheckRun]| match outcome {
        Some(outcome) => overall(runs) == outcome,
        None => !passed(runs),
    };
    let runs = often(bench, task, Made::Bug, &holds).await?;
    want(holds(&runs), what, &runs);
    if task.written.flaky.is_empty() {
        let runs = bench.tried(task, (Made::Fixed, &[]), Which::Own).await?;
        let what = "with the reference fix the check is not as the task says";
        want(after(task, &runs), what, &runs);
    } else if let Some((what, runs)) = not_flaky(bench, task).await? {
        want(false, what, &runs);
    }
    Ok(faults)
}

/// Whether tests ran.
fn ran(runs: &[CheckRun]) -> bool {
    runs.iter().any(|run| match run.classification.outcome {
        Outcome::TimedOut => true,
        Outcome::Failed => !run.classification.failed_names.is_empty(),
        Outcome::Passed | Outcome::DidntStart => false,
    })
}

/// Runs the check, and again where flaky tests may be in the way.
async fn often(
    bench: &Bench,
    task: &BenchTask,
    made: Made,
    good: &dyn Fn(&[CheckRun]) -> bool,
) -> Result<Vec<CheckRun>, LabError> {
    let times = if task.written.flaky.is_empty() {
        1
    } else {
        FLAKY_RUNS
    };
    let mut last = Vec::new();
    for _ in 0..times {
        last = bench.tried(task, (made, &[]), Which::Own).await?;
        if good(&last) {
            break;
        }
    }
    Ok(last)
}

/// What keeps a task with flaky tests from being one: with the reference fix its check passes and
/// fails now and then, and fails by those tests alone.
async fn not_flaky(
    bench: &Bench,
    task: &BenchTask,
) -> Result<Option<(&'static str, Vec<CheckRun>)>, LabError> {
    let (mut passed, mut failed) = (false, false);
    let mut last = Vec::new();
    for _ in 0..FLAKY_RUNS {
        last = bench.tried(task, (Made::Fixed, &[]), Which::Own).await?;
        match overall(&last) {
            Outcome::Passed => passed = true,
            _ if only_flaky(task, &last) => failed = true,
            _ => return Ok(Some(("with the reference fix another test fails", last))),
        }
        if passed && failed {
            return Ok(None);
        }
    }
    let what = "with the reference fix the check does not both pass and fail now and then";
    Ok(Some((what, last)))
}

fn only_flaky(task: &BenchTask, runs: &[CheckRun]) -> bool {
    let failed: Vec<&String> = failed(runs).collect();
    let known = |name: &String| task.written.flaky.iter().any(|m| same_test(m, name));
    !failed.is_empty() && failed.iter().all(|name| known(name))
}

fn failed(runs: &[CheckRun]) -> impl Iterator<Item = &String> {
    runs.iter().flat_map(|r| &r.classification.failed_names)
}

/// Whether the check on the reference fix says what the task says: it passes, or exactly the tests
/// fail that have to, or it cannot start.
fn after(task: &BenchTask, runs: &[CheckRun]) -> bool {
    let written = &task.written;
    let must: Vec<&String> = written
        .failing
        .iter()
        .chain(&written.contradicting_test)
        .collect();
    let never = written.tags.iter().any(|t| t == "setup-never");
    match overall(runs) {
        Outcome::Passed => must.is_empty() && !never,
        Outcome::Failed => {
            let failed: Vec<&String> = failed(runs).collect();
            !must.is_empty()
                && must.iter().all(|m| failed.iter().any(|f| same_test(m, f)))
                && failed.iter().all(|f| must.iter().any(|m| same_test(m, f)))
        }
        Outcome::DidntStart => never,
        Outcome::TimedOut => false,
    }
}

fn said(run: &CheckRun) -> String {
    let c = &run.classification;
    format!("`{}` {} ({})", run.command, c.outcome.words(), c.reason)
}
