//! The engine without GitHub: a tree and a report in; base check, loop, final check, comparison and
//! gate; a verdict out. `mend fix`, the lab and the bot all call it.

mod apart;
mod base;
mod document;
mod made;
mod proof;
mod recording;
mod screened;
mod told;
mod verdict;

pub use document::{About, Document, line_counts};
pub use made::{Made, Said};
pub use recording::{REVIEW_FOLDER, Recorded, RecordedCheck, RecordedTask, RecordingError};
pub use verdict::{Facts, verdict};

use crate::agent::{self, AgentError, Base, Earlier, Ended, Prompts, TurnEffect, Work};
use crate::check::{Baseline, CheckCommand, CheckError, Checks, RunOptions, SetUp, pairs};
use crate::config::RepoConfig;
use crate::domain::{
    Cancel, CheckPair, CheckRun, Contradiction, Journal, Keep, Limits, OpenSpan, Progress, Reason,
    Report, Reproduction, Review, SetUpReport, SpanEnd, SpanKind, Steer, StopReason, Usage,
    Verdict, Weakness,
};
use crate::edit::{FileChange, unified_diff};
use crate::model::Model;
use crate::sandbox::Sandbox;
use crate::text::Redactor;
use crate::tree::{Change, TempFolder, Tree, TreeError, copy_tree};
use crate::workspace::{Options, Workspace, WorkspaceError};
use screened::Screened;
use serde_json::json;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime};

/// What a fix needs.
pub struct Input<'a> {
    /// The untouched code; never written.
    pub base: &'a Path,
    /// The code that the loop starts from, where that is not the base: mend's own earlier change on
    /// it; never written.
    pub start: Option<&'a Path>,
    /// What that change is, and what was said about it.
    pub earlier: Option<&'a Earlier>,
    pub report: &'a Report,
    pub guidance: &'a [String],
    pub config: &'a RepoConfig,
    /// The project's set-up, before its checks; `None` where it gets none.
    pub setup: Option<Arc<SetUp>>,
    /// What commands see as `.git`, read-only; `None`: they see none.
    pub git: Option<&'a Path>,
    /// Commands that replace the configured or detected ones; empty for none.
    pub commands: &'a [String],
    /// Whether the check runs on the untouched code first.
    pub base_check: bool,
    /// What is known about the base, where it is a commit's tree.
    pub baseline: Option<Baseline>,
    /// Lifts the protection of existing tests, as an entitled person asked.
    pub allow_tests: bool,
    pub limits: &'a Limits,
    pub model: &'a dyn Model,
    /// A second model that reads the change before the loop ends; it never holds the work up.
    pub reviewer: Option<&'a dyn Model>,
    pub max_output_tokens: u32,
    /// How the loop speaks with the model.
    pub agent: agent::Settings,
    /// What `keep` was given last in an earlier attempt, to go on from.
    pub resume: Option<String>,
    /// A change that is there already: the loop is left out, all the rest is done with it.
    pub made: Option<&'a Made>,
    /// Where the conversation is kept after each turn.
    pub keep: Option<&'a dyn Keep>,
    pub sandbox: Arc<Sandbox>,
    /// Folder for throwaway trees; a sandbox under another uid must be able to pass it.
    pub scratch: &'a Path,
    pub prompts: &'a Prompts,
    pub redactor: &'a Redactor,
    pub cancel: &'a Cancel,
    pub steer: Option<&'a dyn Steer>,
    pub journal: &'a dyn Journal,
}

/// What a fix came to.
#[derive(Debug, Clone)]
pub struct Fixed {
    pub verdict: Verdict,
    pub reason: Reason,
    pub stop: StopReason,
    pub summary: String,
    pub default_summary: bool,
    pub doubted: Option<String>,
    pub contradictions: Vec<Contradiction>,
    /// The one thing that has to be known, with the verdict `question`.
    pub question: Option<String>,
    /// The added test files, run on base and on the change.
    pub reproductions: Vec<Reproduction>,
    /// What makes a green run of this change say less.
    pub weaknesses: Vec<Weakness>,
    pub review: Option<Review>,
    /// Each command on base and after; `after` is `None` where nothing changed.
    pub pairs: Vec<CheckPair>,
    /// Why there is no base, where there is none.
    pub no_base: Option<String>,
    /// What changed against `start`.
    pub changes: Vec<FileChange>,
    /// The same as one unified diff.
    pub diff: String,
    /// Files that were changed on the way to an answer; an answer keeps no change.
    pub discarded: Vec<String>,
    pub turns: u32,
    pub usage: Usage,
    pub elapsed_ms: u64,
    /// Of which the check commands.
    pub checks_ms: u64,
    /// Of which the model.
    pub model_ms: u64,
    pub warnings: Vec<String>,
    /// What came of the last set-up; `None` where none was needed.
    pub setup: Option<SetUpReport>,
    /// What went wrong, in one line, where something did.
    pub error: Option<String>,
    /// When the model may be asked again, where it said so.
    pub retry_at: Option<SystemTime>,
    pub effects: Vec<TurnEffect>,
}

/// What keeps a fix from being tried; none of it is the model's doing.
#[derive(Debug, thiserror::Error)]
pub enum FixError {
    #[error(transparent)]
    Tree(#[from] TreeError),
    #[error(transparent)]
    Check(#[from] CheckError),
    #[error(transparent)]
    Agent(#[from] AgentError),
    #[error(transparent)]
    Workspace(#[from] WorkspaceError),
}

/// Fixes. Every ending of the loop is a verdict; an error means that nothing could be tried.
///
/// # Errors
/// See [`FixError`].
pub async fn run(input: &Input<'_>) -> Result<Fixed, FixError> {
    let report = format!("{}\n\n{}", input.report.title, input.report.body);
    let span = OpenSpan::open(
        input.journal,
        SpanKind::Task,
        "solve_task",
        report,
        Vec::new(),
    );
    // On the heap, since its state is large and callers hold it.
    let ended = Box::pin(fix(input)).await;
    match &ended {
        Ok(fixed) => {
            let output = json!({
                "stop": fixed.stop, "turns": fixed.turns, "summary": fixed.summary,
            });
            let end = match fixed.verdict {
                Verdict::Stopped => SpanEnd::Interrupted,
                Verdict::DidntStart | Verdict::LimitReached | Verdict::Crashed => SpanEnd::Failed,
                _ => SpanEnd::Ok,
            };
            let about = vec![
                ("mend.verdict", json!(fixed.verdict)),
                ("mend.usage", json!(fixed.usage)),
            ];
            span.close(end, output.to_string(), about);
        }
        Err(error) => span.close(SpanEnd::Failed, error.to_string(), Vec::new()),
    }
    ended
}

async fn fix(input: &Input<'_>) -> Result<Fixed, FixError> {
    let begun = Instant::now();
    let start = input.start.unwrap_or(input.base);
    let base_tree = Tree::open(input.base)?;
    if let Some(setup) = &input.setup {
        setup.possible(&input.sandbox, &base_tree)?;
    }
    let (commands, no_check) = base::commands(input, &base_tree)?;
    input.journal.tell(Progress::Step("base check"));
    let untouched = checks(input, input.base, &commands)?;
    let base = base::check(input, &untouched, no_check).await;
    let after = checks(input, start, &commands)?;
    let prover = proof::prover(input, &untouched, &after)?;
    let mut checks_ms = spent(base.runs().unwrap_or_default());
    let head = head_check(input, &after, &base).await;
    checks_ms += spent(head.as_deref().unwrap_or_default());
    let folder = TempFolder::create(input.scratch, 0o700)?;
    let copy = folder.path().join("repo");
    copy_tree(&after.source, &copy, &|_| false)?;
    let workspace = workspace(input, &copy)?;
    input.journal.tell(Progress::Step("fix"));
    let screened = |model| Screened::new(model, input.redactor);
    let (model, reviewer) = (screened(input.model), input.reviewer.map(screened));
    let work = Work {
        report: input.report,
        guidance: input.guidance,
        base: base.clone(),
        head,
        earlier: input.earlier,
        model: &model,
        reviewer: reviewer.as_ref().map(|r| r as &dyn Model),
        workspace: &workspace,
        checks: &after,
        prover: &prover,
        limits: input.limits,
        used: begun.elapsed(),
        prompts: input.prompts,
        tests_protected: !input.allow_tests,
        new_tests: input.config.new_tests(),
        max_output_tokens: input.max_output_tokens,
        settings: input.agent.clone(),
        resume: input.resume.clone(),
        keep: input.keep,
        cancel: input.cancel,
        steer: input.steer,
        journal: input.journal,
    };
    let ended = match input.made {
        Some(made) => made.put(&workspace)?,
        None => agent::run(&work).await?,
    };
    let mut again = workspace.changes()?;
    let mut changed = workspace.changed()?;
    let mut discarded = Vec::new();
    if ended.stop == StopReason::Answer {
        again.clear();
        discarded.extend(changed.drain(..).map(|c| c.path));
    }
    let last = last_check(input, &after, &base, &ended, &again, &mut checks_ms).await;
    let found = proof::find(input, &prover, &base, last.as_deref(), &changed).await?;
    let mut fixed = conclude(input, &base, ended, last, changed, found);
    fixed.discarded = discarded;
    fixed.warnings.extend(told::hidden(input.report));
    fixed.warnings.extend(told::put_back(&workspace));
    fixed.checks_ms += checks_ms + prover.spent_ms();
    if let Some(setup) = &input.setup {
        fixed.setup = setup.last().await.map(|p| p.report);
    }
    fixed.elapsed_ms = begun.elapsed().as_millis() as u64;
    folder.close()?;
    Ok(fixed)
}

/// The check on the code that an earlier run left, where there is any.
async fn head_check(input: &Input<'_>, after: &Checks, base: &Base) -> Option<Vec<CheckRun>> {
    input.start?;
    input.journal.tell(Progress::Step("branch check"));
    let span = agent::check_span(input.journal, "branch_check", after);
    let ran = after
        .full(&[], base.runs(), input.cancel, input.journal)
        .await;
    agent::checked(span, ran.as_deref());
    ran.ok()
}

/// The check on the code in `folder`.
fn checks(input: &Input<'_>, folder: &Path, commands: &[CheckCommand]) -> Result<Checks, FixError> {
    let source = Tree::open(folder)?;
    let files = source.walk()?.into_iter();
    Ok(Checks {
        sandbox: input.sandbox.clone(),
        scratch: input.scratch.to_path_buf(),
        commands: commands.to_vec(),
        options: RunOptions {
            limit: Duration::from_secs(input.limits.check_s),
            files: files.map(|e| e.path.to_string()).collect(),
            again: input.limits.reruns,
            git: input.git.map(Path::to_path_buf),
            ..RunOptions::default()
        },
        source,
        setup: input.setup.clone(),
        baseline: input.baseline.clone().filter(|_| folder == input.base),
    })
}

fn workspace(input: &Input<'_>, copy: &Path) -> Result<Workspace, FixError> {
    let defaults = Options::default();
    let options = Options {
        tests: input.config.test_paths.clone().unwrap_or(defaults.tests),
        allow_tests: input.allow_tests,
        allow_new_tests: input.config.new_tests(),
        refused: [defaults.refused, input.config.protected_paths.clone()].concat(),
        result_bytes: input.limits.tool_result_bytes,
        page_lines: input.agent.page_lines,
        redactor: input.redactor.clone(),
        ..Options::default()
    };
    Ok(Workspace::new(Tree::open(copy)?, options)?)
}

/// The check of the work as it ended: the last one counts when its tree was the same, since every
/// check runs on a fresh tree with exactly the changes; else it is made once, now.
async fn last_check(
    input: &Input<'_>,
    checks: &Checks,
    base: &Base,
    ended: &Ended,
    changes: &[Change],
    checks_ms: &mut u64,
) -> Option<Vec<CheckRun>> {
    if changes.is_empty() || checks.commands.is_empty() {
        return None;
    }
    if let Some(runs) = &ended.check {
        return Some(runs.clone());
    }
    if input.cancel.is_cancelled() {
        return None;
    }
    input.journal.tell(Progress::Step("final check"));
    let span = agent::check_span(input.journal, "final_check", checks);
    let ran = checks
        .full(changes, base.runs(), input.cancel, input.journal)
        .await;
    agent::checked(span, ran.as_deref());
    let runs = ran.ok()?;
    *checks_ms += spent(&runs);
    Some(runs)
}

fn conclude(
    input: &Input<'_>,
    base: &Base,
    ended: Ended,
    last: Option<Vec<CheckRun>>,
    changes: Vec<FileChange>,
    found: proof::Found,
) -> Fixed {
    let diff = unified_diff(&changes);
    let pairs = match &last {
        Some(_) if !found.pairs.is_empty() => found.pairs,
        Some(runs) => pairs(base.runs(), runs),
        None => base::pairs_without_after(base),
    };
    let (verdict, reason) = verdict(&Facts {
        changed: !changes.is_empty(),
        stop: ended.stop,
        turns: ended.turns,
        contradictions: &ended.contradictions,
        doubted: ended.doubted.is_some(),
        pairs: &pairs,
        reproduced: found.reproductions.iter().any(|r| r.red_to_green),
        weaknesses: &found.weaknesses,
    });
    Fixed {
        verdict,
        reason,
        stop: ended.stop,
        summary: input.redactor.redact(&ended.summary),
        default_summary: ended.default_summary,
        doubted: ended.doubted.map(|d| input.redactor.redact(&d)),
        contradictions: ended.contradictions,
        question: ended.question.map(|q| input.redactor.redact(&q)),
        reproductions: found.reproductions,
        weaknesses: found.weaknesses,
        review: ended.review,
        no_base: match base {
            Base::None(why) => Some(why.clone()),
            Base::Ran(_) => None,
        },
        pairs,
        changes,
        diff,
        discarded: Vec::new(),
        turns: ended.turns,
        usage: ended.usage,
        elapsed_ms: 0,
        checks_ms: ended.checks_ms,
        model_ms: ended.model_ms,
        warnings: input.config.warnings.clone(),
        setup: None,
        error: ended.error.map(|e| input.redactor.redact(&e)),
        retry_at: ended.retry_at,
        effects: ended.effects,
    }
}

fn spent(runs: &[CheckRun]) -> u64 {
    runs.iter().map(|r| r.duration_ms).sum()
}
