//! `run_command`: a command of the model's own in the sandbox, where the operator allows it. It runs
//! on a copy; what it changed there counts as the task's change (rules B7, C3), but for protected
//! files, which stay as they are (rule W5).

use super::Work;
use super::budget::Budget;
use super::calls::{Answer, Effect};
use crate::check::CheckError;
use crate::domain::Exit;
use crate::sandbox::Ran;
use crate::text::bound;
use crate::workspace::{Taken, WorkspaceError};
use std::time::Duration;

/// Paths of one kind that are named before the rest is counted.
const NAMED: usize = 20;

pub(super) async fn run_command(work: &Work<'_>, command: &str, budget: &Budget) -> Answer {
    let max = work.limits.tool_result_bytes;
    let answer = |text: String, ok: bool, effect: Effect| Answer {
        text: bound(&text, max),
        ok,
        valid: true,
        effect,
    };
    match run(work, command, budget).await {
        Ok((ran, taken)) => {
            let output = work.workspace.shown_output(&ran.output);
            let after = told(&taken);
            let room = max.saturating_sub(after.len() + 256);
            let text = format!(
                "{}\n{}\n{after}",
                ended(&ran),
                bound(output.trim_end(), room)
            );
            let effect = match taken.written.is_empty() {
                true => Effect::Nothing,
                false => Effect::Edited { summary: None },
            };
            answer(text.trim_end().to_string(), true, effect)
        }
        Err(CommandError::Check(e)) if e.is_cancelled() => {
            answer(e.to_string(), false, Effect::Interrupted)
        }
        Err(e) => answer(e.to_string(), false, Effect::Nothing),
    }
}

#[derive(Debug, thiserror::Error)]
enum CommandError {
    #[error("the command could not run: {0}")]
    Check(#[from] CheckError),
    #[error(
        "the command ran, but what it changed could not be taken over, so nothing of it counts: {0}"
    )]
    Workspace(#[from] WorkspaceError),
}

async fn run(
    work: &Work<'_>,
    command: &str,
    budget: &Budget,
) -> Result<(Ran, Taken), CommandError> {
    let changes = work.workspace.changes().map_err(WorkspaceError::from)?;
    let most = work.settings.command_s.min(work.limits.check_s);
    let limit = Duration::from_secs(most);
    let done = work
        .checks
        .shell(command, limit, &changes, budget.cancel())
        .await?;
    let taken = work
        .workspace
        .take_from(&done.tree)
        .map_err(WorkspaceError::from);
    let ran = done.ran.clone();
    done.close().await?;
    Ok((ran, taken?))
}

fn ended(ran: &Ran) -> String {
    let how = match ran.exit {
        Exit::Code(code) => format!("exit {code}"),
        Exit::Signal(signal) => format!("ended by signal {signal}"),
        Exit::TimedOut => "ended at the time limit".to_string(),
    };
    format!("{how}; {:.1} s", ran.duration.as_secs_f64())
}

fn told(taken: &Taken) -> String {
    let mut lines = Vec::new();
    if !taken.written.is_empty() {
        lines.push(format!("Changed by the command: {}", some(&taken.written)));
    }
    for (path, why) in taken.put_back.iter().take(NAMED) {
        lines.push(format!("Put back, since {path} is protected: {why}"));
    }
    if !taken.links.is_empty() {
        lines.push(format!(
            "Left out, since symbolic links are not taken over: {}",
            some(&taken.links)
        ));
    }
    lines.join("\n")
}

fn some(paths: &[String]) -> String {
    match paths.len() {
        n if n > NAMED => format!("{} and {} more", paths[..NAMED].join(", "), n - NAMED),
        _ => paths.join(", "),
    }
}
