//! What a running task told so far, as its status comment shows it.

use super::Bench;
use super::purse::{self, WARN};
use crate::domain::{Command, Journal, Limits, Progress, TaskId, Trigger, TriggerKind, Usage};
use crate::render::{self, Begun, Live, check_words};
use serde_json::Value;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Instant;
use tokio::sync::Notify;

const PREPARE: usize = 0;
const BASE: usize = 1;
const FIX: usize = 2;
const PUBLISH: usize = 3;
const NAMES: [&str; 4] = ["Prepare", "Base check", "Fix", "Publish"];

/// What a running task told so far. Telling never blocks; the comment follows at its own pace.
pub(super) struct Board {
    pub(super) begun: Instant,
    /// Seconds since the Unix epoch.
    started: i64,
    also: Arc<dyn Journal>,
    state: Mutex<State>,
    spans: Mutex<Vec<(&'static str, u64)>>,
    pub(super) changed: Notify,
    /// Whether the task may be another worker's by now.
    pub(super) silent: AtomicBool,
}

#[derive(Default)]
struct State {
    rows: [String; 4],
    current: usize,
    turn: String,
    tokens: u64,
    /// The preparation without the set-up.
    prepared: String,
    /// That most of a day's budget is used.
    warning: Option<String>,
    /// What the task itself may use.
    limits: Option<Limits>,
    turns: u32,
    used: Usage,
}

impl State {
    /// Of which budgets most is used.
    fn warnings(&self) -> String {
        let own = self.limits.as_ref().and_then(|limits| {
            let used = purse::used_of_own(limits, self.turns, &self.used);
            (used >= WARN).then(|| render::own_budget_used(used))
        });
        let all: Vec<&str> = [self.warning.as_deref(), own.as_deref()]
            .into_iter()
            .flatten()
            .collect();
        all.join("; ")
    }

    /// The set-up shows with the preparation, until the fix has begun.
    fn set_up(&mut self, row: String) {
        match self.current {
            FIX => self.rows[FIX] = format!("{}{row}", self.turn),
            _ => self.rows[PREPARE] = format!("{}, {row}", self.prepared),
        }
    }
}

impl Board {
    pub(super) fn new(bench: &Bench) -> Self {
        Board {
            begun: Instant::now(),
            started: bench.clock.unix(),
            also: bench.journal.clone(),
            state: Mutex::default(),
            spans: Mutex::default(),
            changed: Notify::new(),
            silent: AtomicBool::new(false),
        }
    }

    /// From now on the comment stays as it is.
    pub(super) fn silence(&self) {
        self.silent.store(true, Ordering::Release);
    }

    pub(super) fn elapsed_ms(&self) -> u64 {
        self.begun.elapsed().as_millis() as u64
    }

    /// Notes that a span of the work has ended.
    pub(super) fn mark(&self, span: &'static str) {
        let mut spans = self.spans.lock().unwrap_or_else(|e| e.into_inner());
        let before: u64 = spans.iter().map(|(_, ms)| ms).sum();
        spans.push((span, self.elapsed_ms().saturating_sub(before)));
    }

    /// The spans so far, in milliseconds.
    pub(super) fn spans(&self) -> Value {
        let spans = self.spans.lock().unwrap_or_else(|e| e.into_inner());
        spans
            .iter()
            .map(|(span, ms)| ((*span).to_string(), Value::from(*ms)))
            .collect()
    }

    /// A line about the preparation, plain and as the comment shows it.
    pub(super) fn prepared(&self, plain: String, shown: String) {
        self.also.tell(Progress::Note(plain));
        self.set(|s| {
            s.prepared.clone_from(&shown);
            s.rows[PREPARE] = shown;
        });
    }

    /// GitHub's limits held the task up; stands until there is something newer.
    pub(super) fn held_up(&self, text: String) {
        self.set(|s| s.rows[PREPARE] = text);
    }

    /// What the task may use.
    pub(super) fn limit(&self, limits: &Limits) {
        self.set(|s| s.limits = Some(limits.clone()));
    }

    /// Most of a day's budget is used; `None` where it no longer is.
    pub(super) fn warn(&self, text: Option<String>) {
        let known = |s: &State| s.warning == text;
        if !known(&self.state.lock().unwrap_or_else(|e| e.into_inner())) {
            self.set(|s| s.warning = text);
        }
    }

    /// The branch moved, so the change is put on top of it and checked again.
    pub(super) fn moved(&self, branch: &str) {
        self.set(|s| s.rows[PUBLISH] = render::going_on_top(branch));
    }

    pub(super) fn publishing(&self) {
        self.set(|s| s.current = PUBLISH);
    }

    fn set(&self, change: impl FnOnce(&mut State)) {
        change(&mut self.state.lock().unwrap_or_else(|e| e.into_inner()));
        self.changed.notify_one();
    }

    pub(super) fn text(&self, task: TaskId, trigger: &Trigger, page: Option<&str>) -> String {
        let state = self.state.lock().unwrap_or_else(|e| e.into_inner());
        let steps: Vec<(&str, String)> = NAMES
            .iter()
            .copied()
            .zip(state.rows.iter().cloned())
            .collect();
        let asked = asked_words(trigger);
        render::live(&Live {
            begun: begun(task, trigger, asked.as_deref(), page, self.started),
            elapsed_ms: self.elapsed_ms(),
            steps: &steps,
            current: state.current,
            tokens: state.tokens,
            warning: &state.warnings(),
            dollars: state.used.dollars,
        })
    }
}

impl Journal for Board {
    fn tell(&self, event: Progress) {
        self.also.tell(event.clone());
        if matches!(event, Progress::Tool { .. }) {
            crate::domain::failure_point("tool-called");
        }
        self.set(|s| match event {
            Progress::Step("base check") => s.current = BASE,
            Progress::Step("branch check" | "fix") => s.current = FIX,
            Progress::Step(_) | Progress::Note(_) | Progress::Trial { .. } => {}
            Progress::SetUpStarted { command } => {
                let row = format!("set-up: running {}", crate::text::code_span(&command));
                s.set_up(row);
            }
            Progress::SetUpEnded(report) => {
                s.set_up(format!("set-up: {}", render::set_up(&report)))
            }
            Progress::CheckStarted { command } => {
                let running = format!("running {}", crate::text::code_span(&command));
                match s.current {
                    BASE => s.rows[BASE] = running,
                    _ => s.rows[FIX] = format!("{}{running}", s.turn),
                }
            }
            Progress::CheckEnded { run, .. } => {
                let words = check_words(&run);
                match s.current {
                    BASE => s.rows[BASE] = words,
                    _ => s.rows[FIX] = format!("{}check {words}", s.turn),
                }
            }
            Progress::Turn { turn, of } => {
                s.turns = turn;
                s.turn = format!("turn {turn} of at most {of}: ");
                s.rows[FIX] = format!("{}thinking", s.turn);
            }
            Progress::Tool { action, .. } => {
                s.rows[FIX] = format!("{}{}", s.turn, crate::text::neutralise(&action));
            }
            Progress::Usage(used) => {
                s.tokens = used.input_tokens + used.output_tokens;
                s.used = used;
            }
            Progress::Edits { .. } | Progress::SpanOpened(_) | Progress::SpanClosed(_) => {}
            Progress::Loop { turns, .. } => {
                let of = if turns == 1 { "turn" } else { "turns" };
                s.rows[FIX] = format!("done after {turns} {of}");
            }
        });
    }
}

/// Who asked for a task, for its comment.
pub(super) fn begun<'a>(
    task: TaskId,
    trigger: &'a Trigger,
    asked: Option<&'a str>,
    page: Option<&'a str>,
    at: i64,
) -> Begun<'a> {
    Begun {
        task,
        by: &trigger.by.login,
        trigger: match trigger.what {
            TriggerKind::Label => "label",
            TriggerKind::CommandLine => "command line",
            TriggerKind::Comment { .. } => "comment",
            TriggerKind::Review { .. } => "review",
            TriggerKind::CheckRun { .. } => "button",
        },
        asked,
        at,
        page,
    }
}

/// Who asked for a task, and what for, in a line.
pub(super) fn asked_in_a_line(trigger: &Trigger) -> String {
    let issue = trigger.issue.number;
    let by = &trigger.by.login;
    match trigger.what.command() {
        None if trigger.what == TriggerKind::CommandLine => {
            format!("the command line asks for a fix of issue {issue}")
        }
        None => format!("{by} labelled issue {issue}"),
        Some(Command::Retry {
            guidance: Some(text),
            ..
        }) => format!("{by} asks for another run on issue {issue}: {text}"),
        Some(_) => format!("{by} asks for another run on issue {issue}"),
    }
}

/// What a comment asked for beside another run; `None` where it asked for no more than that.
pub(super) fn asked_words(trigger: &Trigger) -> Option<String> {
    let TriggerKind::Comment { command, .. } = &trigger.what else {
        return None;
    };
    match command {
        Command::Retry {
            guidance: Some(text),
            ..
        } => Some(text.clone()),
        Command::Retry {
            from_scratch: true, ..
        } => Some("begin from scratch".to_string()),
        Command::Fix {
            allow_tests: true, ..
        } => Some("existing tests may be changed".to_string()),
        _ => None,
    }
}
