//! Replay of recordings: a recorded conversation runs again without a model, and says at which
//! turn it would now differ (rule L6).

use crate::agent::{AgentError, Prompts};
use crate::check::{CheckError, repo_config};
use crate::domain::{Cancel, Journal};
use crate::fix::{
    self, FixError, Fixed, Input, REVIEW_FOLDER, Recorded, RecordedTask, RecordingError,
};
use crate::model::{Model, ModelError, Replay};
use crate::sandbox::Sandbox;
use crate::text::Redactor;
use crate::tree::{Tree, TreeError};
use serde::Serialize;
use std::path::Path;
use std::sync::Arc;

/// What a replay came to.
#[derive(Debug, Serialize)]
pub struct Replayed {
    pub equal: bool,
    /// The first place where the replay differs; `None` when it does not.
    pub difference: Option<Difference>,
    pub verdict: crate::domain::Verdict,
    pub stop: crate::domain::StopReason,
    pub turns: u32,
}

/// A place where a replay differs from its recording.
#[derive(Debug, Serialize)]
pub struct Difference {
    /// The first differing turn, from 1; `None` where only the ending differs.
    pub turn: Option<u32>,
    /// What differs: `calls`, `edits`, `check`, `turns`, `verdict`, `stop`, `diff` or `checks`.
    pub what: &'static str,
    pub recorded: String,
    pub now: String,
}

/// A replay that could not be made.
#[derive(Debug, thiserror::Error)]
pub enum ReplayError {
    #[error(transparent)]
    Recording(#[from] RecordingError),
    #[error(transparent)]
    Model(#[from] ModelError),
    #[error(transparent)]
    Fix(#[from] FixError),
    #[error(transparent)]
    Tree(#[from] TreeError),
    #[error(transparent)]
    Check(#[from] CheckError),
}

/// Plays the recording in `folder` again, with its own task and source.
///
/// # Errors
/// When the recording is incomplete or nothing can run here.
pub async fn replay(
    folder: &Path,
    sandbox: Arc<Sandbox>,
    scratch: &Path,
    cancel: &Cancel,
    journal: &dyn Journal,
) -> Result<Replayed, ReplayError> {
    let task = RecordedTask::read(folder)?;
    let recorded = Recorded::read(folder)?;
    let model = Replay::open(folder)?;
    // The reviewer's own stream, where there was one.
    let review = folder.join(REVIEW_FOLDER);
    let reviewer = match Tree::open(&review) {
        Ok(_) => Some(Replay::from_any(&review)),
        Err(_) => None,
    };
    let base = folder.join("base");
    let start = task.start.then(|| folder.join("start"));
    let config = repo_config(&Tree::open(&base)?)?;
    let input = Input {
        base: &base,
        start: start.as_deref(),
        earlier: task.earlier.as_ref(),
        report: &task.report,
        guidance: &task.guidance,
        config: &config,
        setup: None,
        git: None,
        commands: &task.check,
        base_check: task.base_check,
        baseline: None,
        allow_tests: task.allow_tests,
        limits: &task.limits,
        model: &model,
        reviewer: reviewer.as_ref().map(|r| r as &dyn Model),
        max_output_tokens: 16_384,
        agent: task.agent.clone(),
        resume: None,
        made: None,
        keep: None,
        sandbox,
        scratch,
        prompts: &Prompts::embedded().map_err(|e| FixError::from(AgentError::from(e)))?,
        redactor: &Redactor::new(),
        cancel,
        steer: None,
        journal,
    };
    let fixed = fix::run(&input).await?;
    Ok(compare(&recorded, &fixed))
}

fn compare(recorded: &Recorded, fixed: &Fixed) -> Replayed {
    let now = Recorded::of(fixed);
    let difference = by_turn(recorded, &now).or_else(|| by_ending(recorded, &now));
    Replayed {
        equal: difference.is_none(),
        difference,
        verdict: fixed.verdict,
        stop: fixed.stop,
        turns: fixed.turns,
    }
}

fn by_turn(recorded: &Recorded, now: &Recorded) -> Option<Difference> {
    for (old, new) in recorded.turns.iter().zip(&now.turns) {
        let (what, recorded, now) = if old.calls != new.calls {
            (
                "calls",
                format!("{:?}", old.calls),
                format!("{:?}", new.calls),
            )
        } else if old.change != new.change {
            ("edits", old.change.clone(), new.change.clone())
        } else if old.check != new.check {
            (
                "check",
                format!("{:?}", old.check),
                format!("{:?}", new.check),
            )
        } else {
            continue;
        };
        return Some(Difference {
            turn: Some(old.turn),
            what,
            recorded,
            now,
        });
    }
    let (old, new) = (recorded.turns.len(), now.turns.len());
    (old != new).then(|| Difference {
        turn: Some(old.min(new) as u32 + 1),
        what: "turns",
        recorded: old.to_string(),
        now: new.to_string(),
    })
}

fn by_ending(recorded: &Recorded, now: &Recorded) -> Option<Difference> {
    let differs = |what, old: String, new: String| {
        (old != new).then_some(Difference {
            turn: None,
            what,
            recorded: old,
            now: new,
        })
    };
    differs("stop", recorded.stop.word().into(), now.stop.word().into())
        .or_else(|| {
            differs(
                "checks",
                format!("{:?}", recorded.checks),
                format!("{:?}", now.checks),
            )
        })
        .or_else(|| {
            differs(
                "verdict",
                recorded.verdict.word().into(),
                now.verdict.word().into(),
            )
        })
        .or_else(|| differs("diff", recorded.diff.clone(), now.diff.clone()))
}
