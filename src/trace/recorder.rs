//! Puts spans together from what a task tells its journal.

use super::Span;
use crate::domain::{
    Attributes, CheckRun, Clock, Exit, Journal, Outcome, Progress, SpanClosed, SpanEnd, SpanKind,
    SpanOpened,
};
use crate::text::{Redactor, bound};
use serde_json::{Value, json};
use std::sync::{Arc, Mutex};
use std::time::{Instant, UNIX_EPOCH};
use tokio::sync::mpsc::UnboundedSender;

/// Bytes of an input or output that are kept.
const MOST: usize = 256 * 1024;

/// A journal that makes spans of what it hears and sends each one twice: opened and closed.
/// Commands of checks and of the set-up become spans of their own.
pub struct Recorder {
    redactor: Redactor,
    clock: Arc<dyn Clock>,
    to: UnboundedSender<Span>,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    last: u32,
    open: Vec<Open>,
}

struct Open {
    key: Key,
    span: Span,
    begun: Instant,
}

/// What a closing event is matched by.
#[derive(PartialEq, Eq)]
enum Key {
    Id(u64),
    SetUp,
    Command(String),
    Trial(String),
}

impl Recorder {
    /// Spans go to `to`; `after` is the id of the last span that is there already.
    pub fn new(
        redactor: Redactor,
        clock: Arc<dyn Clock>,
        after: u32,
        to: UnboundedSender<Span>,
    ) -> Self {
        let state = State {
            last: after,
            open: Vec::new(),
        };
        Recorder {
            redactor,
            clock,
            to,
            state: Mutex::new(state),
        }
    }

    fn kept(&self, text: &str) -> String {
        // Bounded first where it is much too long, so that redaction costs what is kept.
        match text.len() > 2 * MOST {
            true => bound(&self.redactor.redact(&bound(text, 2 * MOST)), MOST),
            false => bound(&self.redactor.redact(text), MOST),
        }
    }

    fn open(&self, key: Key, kind: SpanKind, name: &str, input: &str, attributes: Attributes) {
        let now = self.clock.now().duration_since(UNIX_EPOCH);
        let mut state = self.state.lock().unwrap_or_else(|e| e.into_inner());
        state.last += 1;
        let mut span = Span {
            id: state.last,
            parent: state.open.last().map(|o| o.span.id),
            kind,
            name: self.kept(name),
            started_ms: now.map_or(0, |d| d.as_millis() as i64),
            duration_ms: None,
            end: None,
            input: self.kept(input),
            output: String::new(),
            attributes: Default::default(),
        };
        self.put(&mut span, attributes);
        // Nobody listens any more: the task goes on all the same.
        let _ = self.to.send(span.clone());
        state.open.push(Open {
            key,
            span,
            begun: Instant::now(),
        });
    }

    fn close(&self, key: &Key, end: SpanEnd, output: &str, attributes: Attributes) {
        let mut state = self.state.lock().unwrap_or_else(|e| e.into_inner());
        let Some(at) = state.open.iter().rposition(|o| o.key == *key) else {
            return;
        };
        // What was opened inside and never closed ends with it.
        for inner in state.open.split_off(at + 1).into_iter().rev() {
            self.finish(inner, SpanEnd::Interrupted, "", Vec::new());
        }
        if let Some(open) = state.open.pop() {
            self.finish(open, end, output, attributes);
        }
    }

    fn finish(&self, open: Open, end: SpanEnd, output: &str, attributes: Attributes) {
        let mut span = open.span;
        span.duration_ms = Some(open.begun.elapsed().as_millis() as u64);
        span.end = Some(end);
        span.output = self.kept(output);
        self.put(&mut span, attributes);
        let _ = self.to.send(span);
    }

    fn put(&self, span: &mut Span, attributes: Attributes) {
        for (name, value) in attributes {
            let value = match value {
                Value::String(text) => Value::String(self.kept(&text)),
                mut other => {
                    self.redactor.redact_json(&mut other);
                    other
                }
            };
            span.attributes.insert(name.to_string(), value);
        }
    }

    /// Notes something about the innermost open span.
    fn note(&self, name: &'static str, value: Value) {
        let mut state = self.state.lock().unwrap_or_else(|e| e.into_inner());
        if let Some(open) = state.open.last_mut() {
            self.put(&mut open.span, vec![(name, value)]);
        }
    }

    fn command(&self, key: &Key, run: &CheckRun) {
        let end = match run.classification.outcome {
            Outcome::Passed => SpanEnd::Ok,
            _ => SpanEnd::Failed,
        };
        let exit = match run.exit {
            Exit::Code(code) => json!(code),
            Exit::Signal(signal) => json!(format!("signal {signal}")),
            Exit::TimedOut => json!("timed out"),
        };
        let mut attributes = vec![
            ("command", json!(run.command)),
            ("outcome", json!(run.classification.outcome)),
            ("exit", exit),
            ("reason", json!(run.classification.reason)),
        ];
        if let Some(tests) = &run.classification.tests {
            attributes.push(("tests", json!(tests)));
        }
        self.close(key, end, &run.output, attributes);
    }
}

impl Journal for Recorder {
    fn tell(&self, event: Progress) {
        match event {
            Progress::SpanOpened(opened) => {
                let SpanOpened {
                    id,
                    kind,
                    name,
                    input,
                    attributes,
                } = *opened;
                self.open(Key::Id(id), kind, &name, &input, attributes);
            }
            Progress::SpanClosed(closed) => {
                let SpanClosed {
                    id,
                    end,
                    output,
                    attributes,
                } = *closed;
                self.close(&Key::Id(id), end, &output, attributes);
            }
            Progress::SetUpStarted { command } => {
                let state = self.state.lock().unwrap_or_else(|e| e.into_inner());
                let going = state.open.last().is_some_and(|o| o.key == Key::SetUp);
                drop(state);
                match going {
                    true => self.note("command", json!(command)),
                    false => self.open(Key::SetUp, SpanKind::Step, "set_up", &command, Vec::new()),
                }
            }
            Progress::SetUpEnded(report) => {
                let end = match report.failed {
                    Some(_) => SpanEnd::Failed,
                    None => SpanEnd::Ok,
                };
                let text = serde_json::to_string_pretty(&*report).unwrap_or_default();
                self.close(&Key::SetUp, end, &text, Vec::new());
            }
            Progress::CheckStarted { command } => {
                let key = Key::Command(command.clone());
                self.open(key, SpanKind::Check, "command", &command, Vec::new());
            }
            Progress::CheckEnded { command, run, .. } => {
                self.command(&Key::Command(command), &run);
            }
            Progress::Trial {
                what,
                command,
                ended,
            } => {
                let key = Key::Trial(format!("{what}\n{command}"));
                match ended {
                    None => {
                        let about = vec![("what", json!(what))];
                        self.open(key, SpanKind::Check, "trial", &command, about);
                    }
                    Some(run) => self.command(&key, &run),
                }
            }
            Progress::Edits { edits, .. } => self.note("edits", json!(edits.word())),
            Progress::Step(_)
            | Progress::Note(_)
            | Progress::Turn { .. }
            | Progress::Tool { .. }
            | Progress::Usage(_)
            | Progress::Loop { .. } => {}
        }
    }
}
