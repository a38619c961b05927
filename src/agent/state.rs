//! What of the loop outlives the process: handed out after each turn as one JSON text, taken back
//! where the base is the same.

use super::calls::Wrong;
use super::compact::Size;
use super::contradiction::Failures;
use super::review::Reviewing;
use super::{AgentError, Base, PromptError, TurnEffect, Work, dialect, first, specs, told};
use crate::domain::{CheckRun, Contradiction, Progress, StopReason, Usage};
use crate::model::{Dialect, Message, Request};
use crate::workspace::Saved;
use minijinja::context;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use sha2::{Digest, Sha256};

/// Changes with the shape of [`Kept`]; a state of another format is not taken back.
const FORMAT: u32 = 1;

/// The conversation and all counters.
#[derive(Serialize, Deserialize)]
pub(super) struct State {
    /// `tools` or `text`; `auto` until the first answer decides.
    pub(super) dialect: Dialect,
    pub(super) request: Request,
    pub(super) size: Size,
    pub(super) turns: u32,
    pub(super) usage: Usage,
    pub(super) wrong: Wrong,
    pub(super) failures: Failures,
    pub(super) cannot_run: bool,
    /// The full check of the files as they stand; gone with the next edit.
    pub(super) check: Option<Vec<CheckRun>>,
    pub(super) timeouts_after_edits: u32,
    /// Replies in a row, in the text dialect, that held nothing to do.
    pub(super) idle_replies: u32,
    pub(super) summaries: Vec<String>,
    pub(super) said: String,
    pub(super) doubted: Option<String>,
    pub(super) named: Vec<Contradiction>,
    pub(super) reviewing: Reviewing,
    pub(super) question: Option<String>,
    pub(super) answer: Option<String>,
    /// Whether nothing but the answer closed the work.
    #[serde(default)]
    pub(super) only_answers: bool,
    pub(super) model_ms: u64,
    pub(super) checks_ms: u64,
    pub(super) effects: Vec<TurnEffect>,
    /// What people asked for that the conversation holds.
    pub(super) guidance: Vec<String>,
    /// How the loop ended, where it did.
    pub(super) stop: Option<StopReason>,
}

/// The whole text that is kept.
#[derive(Serialize, Deserialize)]
struct Kept<S, W> {
    format: u32,
    /// What it belongs to: report, files, settings.
    base: String,
    /// Wall time of the task so far, in milliseconds.
    used_ms: u64,
    workspace: W,
    state: S,
}

impl State {
    /// The state before the first turn.
    pub(super) fn new(work: &Work<'_>) -> Result<Self, AgentError> {
        let mut failures = Failures::default();
        for runs in work.base.runs().into_iter().chain(work.head.as_deref()) {
            failures.see(runs);
        }
        let dialect = work.settings.dialect;
        let cannot_run = work.base.runs().is_some_and(told::cannot_run);
        Ok(State {
            dialect,
            request: request(work, dialect, cannot_run)?,
            size: Size::default(),
            turns: 0,
            usage: Usage::default(),
            wrong: Wrong::default(),
            failures,
            cannot_run,
            check: None,
            timeouts_after_edits: 0,
            idle_replies: 0,
            summaries: Vec::new(),
            said: String::new(),
            doubted: None,
            named: Vec::new(),
            reviewing: Reviewing::default(),
            question: None,
            answer: None,
            only_answers: false,
            model_ms: 0,
            checks_ms: 0,
            effects: Vec::new(),
            guidance: work.guidance.to_vec(),
            stop: None,
        })
    }

    /// The state as a text, with the change so far.
    pub(super) fn keep(&self, work: &Work<'_>, base: &str, used_ms: u64) -> Result<String, String> {
        let kept = Kept {
            format: FORMAT,
            base: base.to_string(),
            used_ms,
            workspace: work.workspace.save().map_err(|e| e.to_string())?,
            state: self.without_secrets(work).map_err(|e| e.to_string())?,
        };
        serde_json::to_string(&kept).map_err(|e| e.to_string())
    }

    /// What may be stored: the model's own turns as they are, since providers sign parts of them,
    /// and the names of calls; all else without secrets, as the model was sent it.
    fn without_secrets(&self, work: &Work<'_>) -> Result<Value, serde_json::Error> {
        let mut state = serde_json::to_value(self)?;
        let redactor = work.workspace.redactor();
        redactor.redact_json_but(&mut state, &["assistant", "call_id"]);
        Ok(state)
    }

    /// Takes a kept state back and puts its change into the workspace. A state that does not fit
    /// is told to the journal and left out: the task begins anew.
    pub(super) fn resume(work: &Work<'_>, base: &str) -> Option<(Self, u64)> {
        let text = work.resume.as_deref()?;
        let begun = match serde_json::from_str::<Kept<State, Saved>>(text) {
            Err(_) => Err("it is of another version of mend".to_string()),
            Ok(kept) if kept.format != FORMAT => Err("it is of another version of mend".into()),
            Ok(kept) if kept.base != base => {
                Err("the report, the code or the settings are not the same".into())
            }
            Ok(kept) => match work.workspace.resume(&kept.workspace) {
                Ok(()) => Ok((kept.state, kept.used_ms)),
                Err(e) => Err(format!("its change cannot be put back: {e}")),
            },
        };
        let note = match &begun {
            Ok((state, _)) => format!("going on after turn {} of an earlier attempt", state.turns),
            Err(why) => {
                format!("the conversation of an earlier attempt is not taken up: {why}")
            }
        };
        work.journal.tell(Progress::Note(note));
        begun.ok()
    }

    /// Guidance that came since, for the next request; it opens a conversation that had ended.
    pub(super) fn unheard(&mut self, work: &Work<'_>) -> Vec<String> {
        let new: Vec<String> = work
            .guidance
            .iter()
            .filter(|g| !self.heard(work, g))
            .cloned()
            .collect();
        if !new.is_empty() {
            self.stop = None;
            (self.question, self.answer) = (None, None);
            self.wrong = Wrong::default();
            self.timeouts_after_edits = 0;
        }
        new
    }

    /// Whether the conversation holds it, as it came or as it was kept.
    fn heard(&self, work: &Work<'_>, said: &String) -> bool {
        let kept = work.workspace.redactor().redact(said);
        self.guidance.contains(said) || self.guidance.contains(&kept)
    }

    /// Begins the conversation anew as text, for an endpoint that cannot call tools.
    pub(super) fn begin_in_text(&mut self, work: &Work<'_>) -> Result<(), PromptError> {
        self.dialect = Dialect::Text;
        self.request = request(work, Dialect::Text, self.cannot_run)?;
        Ok(())
    }
}

/// The first request.
fn request(work: &Work<'_>, dialect: Dialect, cannot_run: bool) -> Result<Request, PromptError> {
    let text = dialect == Dialect::Text;
    let facts = context! {
        tests_protected => work.tests_protected,
        new_tests => work.new_tests,
        turns => work.limits.turns,
        run_command => work.settings.run_command,
        page_lines => work.settings.page_lines,
        whole_lines => 2 * work.settings.page_lines,
    };
    Ok(Request {
        system: work
            .prompts
            .render(if text { dialect::PROMPT } else { "worker.md" }, facts)?,
        messages: vec![Message::User(first::message(work, text, cannot_run)?)],
        tools: match text {
            true => Vec::new(),
            false => specs::specs(&work.settings),
        },
        max_output_tokens: work.max_output_tokens,
    })
}

/// What a state belongs to: the report, the code that the loop starts from, the earlier change and
/// the settings that shape the conversation.
pub(super) fn belongs_to(work: &Work<'_>) -> Result<String, AgentError> {
    let mut hash = Sha256::new();
    for part in [
        work.report.title.as_str(),
        work.report.body.as_str(),
        work.earlier.map_or("", |e| e.diff.as_str()),
        work.earlier.map_or("", |e| e.summary.as_str()),
        work.workspace.fingerprint()?.as_str(),
        work.model.name(),
        match &work.base {
            Base::Ran(_) => "base",
            Base::None(_) => "no base",
        },
    ] {
        hash.update((part.len() as u64).to_le_bytes());
        hash.update(part);
    }
    hash.update([u8::from(work.tests_protected)]);
    hash.update([u8::from(work.new_tests)]);
    hash.update([u8::from(work.settings.run_command)]);
    Ok(hex::encode(hash.finalize()))
}
