//! Proves of each task of a suite that it is one: the bug shows, the reference fix fixes it, a wrong
//! fix is seen as one.

use super::LabError;
use super::judge::Bench;
use super::suite::{BenchTask, Made};
use crate::check::overall;
use crate::domain::{CheckRun, Outcome};
use futures::{StreamExt, stream};
use serde::Serialize;

/// How often the check of a task with flaky tests runs.
const FLAKY_RUNS: usize = 5;

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

async fn faults(bench: &Bench, task: &BenchTask) -> Result<Vec<String>, LabError> {
    let mut faults = Vec::new();
    let mut want = |holds: bool, what: &str, runs: &[CheckRun]| {
        if !holds {
            let said: Vec<String> = runs.iter().map(said).collect();
            faults.push(format!("{what}: {}", said.join("; ")));
        }
    };
    let passed = |runs: &[CheckRun]| overall(runs) == Outcome::Passed;
    let runs = bench.tried(task, Made::Clean, true).await?;
    want(
        passed(&runs),
        "without the bug the hidden check does not pass",
        &runs,
    );
    let runs = bench.tried(task, Made::Bug, true).await?;
    want(
        !passed(&runs),
        "with the bug the hidden check passes",
        &runs,
    );
    let runs = bench.tried(task, Made::Fixed, true).await?;
    want(
        passed(&runs),
        "with the reference fix the hidden check does not pass",
        &runs,
    );
    if task.written.wrong.is_some() {
        let runs = bench.tried(task, Made::Wrong, true).await?;
        want(
            !passed(&runs),
            "with the wrong fix the hidden check passes",
            &runs,
        );
    }
    let green = task.written.tags.iter().any(|t| t == "green");
    let runs = often(bench, task, Made::Bug, |r| passed(r) == green).await?;
    match green {
        true => want(
            passed(&runs),
            "with the bug the check does not pass, though it is tagged green",
            &runs,
        ),
        false => want(!passed(&runs), "with the bug the check passes", &runs),
    }
    let runs = often(bench, task, Made::Fixed, |r| after(task, r)).await?;
    want(
        after(task, &runs),
        "with the reference fix the check is not as the task says",
        &runs,
    );
    Ok(faults)
}

/// Runs the check, and again where flaky tests may be in the way.
async fn often(
    bench: &Bench,
    task: &BenchTask,
    made: Made,
    good: impl Fn(&[CheckRun]) -> bool,
) -> Result<Vec<CheckRun>, LabError> {
    let times = if task.written.flaky.is_empty() {
        1
    } else {
        FLAKY_RUNS
    };
    let mut last = Vec::new();
    for _ in 0..times {
        last = bench.tried(task, made, false).await?;
        if good(&last) {
            break;
        }
    }
    Ok(last)
}

/// Whether the check on the reference fix says what the task says: it passes, or exactly the tests
/// fail that have to.
fn after(task: &BenchTask, runs: &[CheckRun]) -> bool {
    let written = &task.written;
    let must: Vec<&String> = written
        .failing
        .iter()
        .chain(&written.contradicting_test)
        .collect();
    match overall(runs) {
        Outcome::Passed => must.is_empty(),
        Outcome::Failed => {
            let failed: Vec<&String> = runs
                .iter()
                .flat_map(|r| &r.classification.failed_names)
                .collect();
            let may = |name: &String| {
                must.iter().any(|m| same(m, name)) || written.flaky.iter().any(|m| same(m, name))
            };
            !must.is_empty()
                && must.iter().all(|m| failed.iter().any(|f| same(m, f)))
                && failed.iter().all(|f| may(f))
        }
        Outcome::DidntStart | Outcome::TimedOut => false,
    }
}

/// Whether a runner's name of a test is the one that the task names: runners spell modules, classes
/// and files in their own ways.
pub(super) fn same(named: &str, runner: &str) -> bool {
    let last = |text: &str| {
        let text = text
            .rsplit(['.', ':', '/', '>', '#'])
            .next()
            .unwrap_or(text);
        text.trim().to_lowercase()
    };
    let (a, b) = (named.to_lowercase(), runner.to_lowercase());
    a == b || a.contains(&b) || b.contains(&a) || last(named) == last(runner)
}

fn said(run: &CheckRun) -> String {
    let c = &run.classification;
    format!("`{}` {} ({})", run.command, c.outcome.words(), c.reason)
}
