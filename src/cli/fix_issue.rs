//! `mend fix owner/repo#12`: what the label does, from the command line.

use super::exit::{DONE, NO, WrongUse};
use super::fix::FixArgs;
use super::machine::Machine;
use super::out;
use super::terminal::Terminal;
use crate::app::{Extra, IssueError, IssueFix, fix_issue};
use crate::config::Settings;
use crate::domain::{RepoName, Verdict};
use crate::store::Task;
use crate::task::Times;
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

/// Repository and number, where this is an issue and no folder.
pub(super) fn target(path: &Path) -> Option<(RepoName, u64)> {
    let (repo, number) = path.to_str()?.rsplit_once('#')?;
    let number = number.parse().ok().filter(|n| *n > 0)?;
    match path.exists() {
        true => None,
        false => Some((repo.parse().ok()?, number)),
    }
}

pub(super) async fn run(
    args: FixArgs,
    (repo, number): (RepoName, u64),
    machine: &Machine,
) -> anyhow::Result<u8> {
    if let Some(option) = args.only_for_folders() {
        return Err(WrongUse::of(format!(
            "{option} is for a folder; what an issue's fix does, its settings and .github/mend.toml say"
        )));
    }
    let said = args.model.over(machine, None)?;
    let settings = Settings::load(args.model.config.as_deref(), &said).map_err(WrongUse::of)?;
    let stop = machine.stop_signal()?;
    let temporary = machine.environment.get("TMPDIR").unwrap_or("/tmp");
    let wanted = IssueFix {
        repo: &repo,
        number,
        dry_run: args.dry_run,
        temporary: &PathBuf::from(temporary),
    };
    let extra = Extra {
        times: Times::with_lease(Duration::from_secs(settings.server.lease_s)),
        journal: Arc::new(Terminal::new(machine.colour())),
        redactor: machine.secrets.clone(),
        ..Extra::default()
    };
    let work = fix_issue(&settings, &machine.environment, extra, &wanted, &stop);
    let done = Box::pin(work).await;
    let task = done.map_err(|e| match &e {
        IssueError::Start(start) if start.is_setting() => WrongUse::of(e),
        IssueError::Not(_) => WrongUse::of(e),
        _ => e.into(),
    })?;
    show(&args, &task)?;
    Ok(match task.verdict {
        Some(Verdict::Ready) => DONE,
        _ => NO,
    })
}

fn show(args: &FixArgs, task: &Task) -> anyhow::Result<()> {
    let none = Value::Null;
    let result = task.result.as_ref().unwrap_or(&none);
    if args.json {
        return out::json(result);
    }
    let text = |of: &Value, key: &str| of[key].as_str().unwrap_or_default().to_string();
    let unpublished = &result["unpublished"];
    if unpublished.is_object() {
        let draft = if unpublished["draft"] == true {
            ", a draft"
        } else {
            ""
        };
        out::line(&format!(
            "Would publish `{}` from `{}` into `{}`{draft}:\n\n{}",
            text(unpublished, "title"),
            text(unpublished, "head"),
            text(unpublished, "base"),
            text(unpublished, "body"),
        ));
    }
    let diff = text(result, "diff");
    if args.dry_run && !diff.is_empty() {
        out::line(&format!("\n{}", diff.trim_end()));
    }
    if result["pull_request"].is_object() {
        out::line(&text(&result["pull_request"], "url"));
    }
    let summary = text(result, "summary");
    if !unpublished.is_object() && !summary.is_empty() {
        out::line(&summary);
    }
    if let Some(error) = result["error"].as_str().or(task.error.as_deref()) {
        out::line(&format!("What went wrong: {error}"));
    }
    let word = task.verdict.map_or("none", Verdict::words);
    let end = if args.dry_run {
        " Nothing was written to GitHub."
    } else {
        ""
    };
    out::line(&format!("\nVerdict: {word}.{end}"));
    Ok(())
}
