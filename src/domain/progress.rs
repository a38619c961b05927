//! The seams between a running task and what watches it: progress and state out, stop and guidance
//! in, time.

use super::{CheckRun, Outcome, SetUpReport, SpanClosed, SpanOpened, StopReason, Usage};
use async_trait::async_trait;
use std::sync::Arc;
use std::time::{Duration, SystemTime};
use tokio_util::sync::CancellationToken;

/// What a running task tells, in order.
#[derive(Debug, Clone, PartialEq)]
pub enum Progress {
    /// A step began, for example `prepare` or `base check`.
    Step(&'static str),
    /// A step's result in one line.
    Note(String),
    /// A command of the set-up began to run.
    SetUpStarted { command: String },
    /// The set-up ended, well or not.
    SetUpEnded(Box<SetUpReport>),
    /// A command began to run in the sandbox.
    CheckStarted { command: String },
    /// A check ended.
    CheckEnded {
        command: String,
        outcome: Outcome,
        run: Box<CheckRun>,
    },
    /// A run beside the check began, or ended where its result is there: what it is for, in words.
    Trial {
        what: &'static str,
        command: String,
        ended: Option<Box<CheckRun>>,
    },
    /// The model is asked for its next turn.
    Turn { turn: u32, of: u32 },
    /// A tool call of that turn, in words that a person reads.
    Tool { turn: u32, action: String },
    /// What the model has used so far in this task.
    Usage(Usage),
    /// Edits of a turn were read (rule E10).
    Edits { turn: u32, edits: EditEvent },
    /// A span began.
    SpanOpened(Box<SpanOpened>),
    /// A span ended.
    SpanClosed(Box<SpanClosed>),
    /// The loop ended.
    Loop { stop: StopReason, turns: u32 },
}

/// What became of the edits in one reply or call (rule E10).
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum EditEvent {
    /// This many were read and applied.
    Parsed(usize),
    /// None was applied; why not.
    Rejected(Vec<String>),
    /// There was no edit, or the files already held its text.
    NoDiff,
}

impl EditEvent {
    /// The word in traces.
    pub fn word(&self) -> &'static str {
        match self {
            EditEvent::Parsed(_) => "edits_parsed",
            EditEvent::Rejected(_) => "edits_rejected",
            EditEvent::NoDiff => "no_diff",
        }
    }
}

/// Where progress goes. Implementations must not block.
pub trait Journal: Send + Sync {
    fn tell(&self, event: Progress);
}

/// A journal that nobody reads.
pub struct NoJournal;

impl Journal for NoJournal {
    fn tell(&self, _: Progress) {}
}

/// Two journals that hear the same.
pub struct Both<'a>(pub &'a dyn Journal, pub &'a dyn Journal);

impl Journal for Both<'_> {
    fn tell(&self, event: Progress) {
        self.0.tell(event.clone());
        self.1.tell(event);
    }
}

/// Guidance that people gave while the task runs.
pub trait Steer: Send + Sync {
    /// Takes what came in since the last call.
    fn take(&self) -> Vec<String>;

    /// Whether nobody pays for another turn.
    fn is_spent(&self) -> bool {
        false
    }
}

/// Where a task's conversation is kept, so that a later attempt can go on with it.
#[async_trait]
pub trait Keep: Send + Sync {
    /// Takes the whole resumable state after a turn, as one JSON text; it replaces the one before.
    /// What cannot be kept is the implementation's to log: the task goes on.
    async fn keep(&self, state: &str);
}

/// The stop signal of a task: asked between steps, awaited inside them. A clone shares the signal;
/// a child is cancelled with its parent.
#[derive(Debug, Clone, Default)]
pub struct Cancel(CancellationToken);

impl Cancel {
    pub fn new() -> Self {
        Self::default()
    }

    pub fn child(&self) -> Self {
        Cancel(self.0.child_token())
    }

    pub fn cancel(&self) {
        self.0.cancel();
    }

    pub fn is_cancelled(&self) -> bool {
        self.0.is_cancelled()
    }

    /// Resolves when the stop was asked for; safe to drop and ask again.
    pub async fn cancelled(&self) {
        self.0.cancelled().await;
    }
}

/// Time, so that tests can move it.
pub trait Clock: Send + Sync {
    /// The wall clock.
    fn now(&self) -> SystemTime;

    /// Whole seconds since the Unix epoch.
    fn unix(&self) -> i64 {
        self.now()
            .duration_since(SystemTime::UNIX_EPOCH)
            .unwrap_or(Duration::ZERO)
            .as_secs() as i64
    }

    /// Whether this is the machine's own clock, for which a database that many machines share may
    /// put its own.
    fn is_machines(&self) -> bool {
        false
    }
}

/// The machine's clock.
#[derive(Debug, Clone, Copy, Default)]
pub struct SystemClock;

impl SystemClock {
    pub fn shared() -> Arc<dyn Clock> {
        Arc::new(SystemClock)
    }
}

impl Clock for SystemClock {
    fn now(&self) -> SystemTime {
        SystemTime::now()
    }

    fn is_machines(&self) -> bool {
        true
    }
}
