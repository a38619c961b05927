//! `mend tasks`: what waits, runs and has ended, and a hand on it.

use super::exit::{DONE, NO, WrongUse};
use super::machine::Machine;
use super::out;
use crate::domain::{RepoName, SystemClock, TaskId};
use crate::render::duration;
use crate::store::{Filter, Retried, State, Store, Task};
use clap::Subcommand;
use secrecy::ExposeSecret;
use serde_json::json;
use std::path::PathBuf;

/// See and steer the tasks of a server
///
/// Works on the database of the settings, beside a running server or without one.
#[derive(Debug, clap::Args)]
pub struct TasksArgs {
    #[command(subcommand)]
    what: What,
    /// Settings file; else MEND_CONFIG, else /etc/mend/config.toml
    #[arg(long, value_name = "FILE", global = true)]
    config: Option<PathBuf>,
    /// Print JSON on stdout
    #[arg(long, global = true)]
    json: bool,
}

#[derive(Debug, Subcommand)]
enum What {
    /// Tasks, newest first
    List {
        /// Only those that are queued, running, done or dead
        #[arg(long)]
        state: Option<State>,
        /// Only those of this repository
        #[arg(long, value_name = "OWNER/NAME")]
        repo: Option<RepoName>,
        /// Only those of this issue
        #[arg(long, value_name = "NUMBER")]
        issue: Option<u64>,
        /// Only those before this task: the next page
        #[arg(long, value_name = "TASK")]
        before: Option<i64>,
        #[arg(long, default_value_t = 50, value_parser = clap::value_parser!(u32).range(1..=1000))]
        limit: u32,
    },
    /// One task with everything that is known of it
    Show { task: i64 },
    /// Its trace: what it did, span by span
    Trace(super::tasks_trace::TraceArgs),
    /// Make the task of an ended one anew
    Retry { task: i64 },
    /// Stop a task that waits or runs; its status comment says so
    Stop { task: i64 },
}

pub(super) async fn run(args: TasksArgs, machine: &Machine) -> anyhow::Result<u8> {
    machine.log("warn");
    let engine = machine.engine(args.config.as_deref(), &machine.environment)?;
    let url = engine.database.url.expose_secret();
    let store = Store::open_existing(url, SystemClock::shared()).await?;
    let done = act(&store, args.what, args.json).await;
    store.close().await;
    done
}

async fn act(store: &Store, what: What, as_json: bool) -> anyhow::Result<u8> {
    match what {
        What::List {
            state,
            repo,
            issue,
            before,
            limit,
        } => {
            let filter = Filter {
                state,
                repo,
                issue_number: issue,
                before: before.map(TaskId),
            };
            let tasks = store.tasks(&filter, limit).await?;
            match as_json {
                true => out::json(&tasks)?,
                false => tasks.iter().for_each(|t| out::line(&row(store, t))),
            }
            Ok(DONE)
        }
        What::Show { task } => {
            let task = found(store, task).await?;
            match as_json {
                true => out::json(&task)?,
                false => shown(store, &task).iter().for_each(|l| out::line(l)),
            }
            Ok(DONE)
        }
        What::Trace(args) => super::tasks_trace::run(store, &args).await,
        What::Retry { task } => retry(store, &found(store, task).await?, as_json).await,
        What::Stop { task } => {
            let id = found(store, task).await?.id;
            let stopping = store.cancel(id).await?;
            let words = match stopping {
                true => format!("task {id} stops"),
                false => format!("task {id} has ended already"),
            };
            say(
                as_json,
                &words,
                &json!({ "task": id, "stopping": stopping }),
            )?;
            Ok(if stopping { DONE } else { NO })
        }
    }
}

pub(super) async fn found(store: &Store, id: i64) -> anyhow::Result<Task> {
    let task = store.task(TaskId(id)).await?;
    task.ok_or_else(|| WrongUse::of(format!("there is no task {id}")))
}

/// A new task from the same trigger: once for each ended task, however often it is asked for.
async fn retry(store: &Store, task: &Task, as_json: bool) -> anyhow::Result<u8> {
    let (id, new) = match store.retry(task, None).await? {
        Retried::Made(id) => (id, true),
        Retried::Before(id) => (id, false),
        Retried::NotEnded => {
            let id = task.id;
            let words = format!("task {id} is {}; stop it first", task.state.word());
            say(as_json, &words, &json!({ "task": id, "made": false }))?;
            return Ok(NO);
        }
    };
    let words = match new {
        true => format!("task {id} is queued"),
        false => format!("task {id} was made by an earlier retry of task {}", task.id),
    };
    say(as_json, &words, &json!({ "task": id, "made": new }))?;
    Ok(DONE)
}

fn say(as_json: bool, words: &str, document: &serde_json::Value) -> anyhow::Result<()> {
    match as_json {
        true => out::json(document)?,
        false => out::line(words),
    }
    Ok(())
}

fn age(store: &Store, at_ms: i64) -> String {
    let ms = store.clock().unix() * 1000 - at_ms;
    duration(ms.max(0).unsigned_abs())
}

fn standing(task: &Task) -> &'static str {
    match task.verdict {
        Some(verdict) => verdict.word(),
        None if task.state == State::Running && task.cancel_requested => "stopping",
        None => task.state.word(),
    }
}

/// A line of the list.
fn row(store: &Store, task: &Task) -> String {
    let issue = &task.trigger.issue;
    let place = format!("{}#{}", issue.repo.name, issue.number);
    let pull = task.reached.pr_number;
    let pull = pull.map_or(String::new(), |n| format!("  pull request {n}"));
    let untold = match untold(task) {
        Some(_) => "  not told on GitHub",
        None => "",
    };
    format!(
        "{:>6}  {:<12}  {place}  {} ago{pull}{untold}",
        task.id,
        standing(task),
        age(store, task.updated_at)
    )
}

/// Why the ending could not be told on GitHub, where it could not.
fn untold(task: &Task) -> Option<&str> {
    task.result.as_ref()?["untold"].as_str()
}

/// What is known of a task, a line each.
fn shown(store: &Store, task: &Task) -> Vec<String> {
    let issue = &task.trigger.issue;
    let one_line = |text: &str| crate::text::one_line(&crate::text::visible(text));
    let mut lines = vec![
        format!("task {}: {}", task.id, standing(task)),
        format!(
            "issue: {}#{} {}",
            issue.repo.name,
            issue.number,
            one_line(&task.trigger.title)
        ),
        format!("asked by: {}", task.trigger.by.login),
        format!("made: {} ago", age(store, task.created_at)),
        format!("attempt: {} of {}", task.attempt, task.max_attempts),
    ];
    if task.priority != 0 {
        lines.push(format!("priority: {}", task.priority));
    }
    if let Some(cause) = task.stop_cause {
        lines.push(format!("stop: {}", crate::render::stop_words(cause)));
    }
    if let Some(step) = task.step {
        lines.push(format!("step: {}", step.word()));
    }
    if let Some(number) = task.reached.pr_number {
        lines.push(format!("pull request: {number}"));
    }
    if let Some(worker) = &task.lease_owner {
        lines.push(format!("worker: {worker}"));
    }
    if task.state == State::Queued && task.run_at > store.clock().unix() * 1000 {
        let wait = task.run_at - store.clock().unix() * 1000;
        lines.push(format!("waits: {}", duration(wait.max(0).unsigned_abs())));
    }
    if let Some(why) = untold(task) {
        lines.push(format!("not told on GitHub: {}", one_line(why)));
    }
    if let Some(error) = &task.error {
        lines.push(format!("last error: {}", one_line(error)));
    }
    lines
}
