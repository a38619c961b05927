//! What a terminal shows while something runs: progress on stderr, so that stdout stays a document.

use crate::domain::{EditEvent, Journal, Outcome, Progress};
use crate::render::check_words;
use crate::text::{clip_words, one_line, visible};
use std::io::Write;
use std::time::Instant;

/// Progress as lines, with the seconds since the start; coloured only on a terminal.
pub(super) struct Terminal {
    begun: Instant,
    colour: bool,
}

impl Terminal {
    pub(super) fn new(colour: bool) -> Self {
        Terminal {
            begun: Instant::now(),
            colour,
        }
    }

    pub(super) fn say(&self, text: &str) {
        let text = clip_words(&one_line(&visible(text)), 200);
        let _ = writeln!(
            std::io::stderr(),
            "{:6.1} s  {text}",
            self.begun.elapsed().as_secs_f64()
        );
    }

    fn paint(&self, outcome: Outcome, text: &str) -> String {
        let code = match outcome {
            Outcome::Passed => "32",
            Outcome::Failed => "31",
            Outcome::DidntStart | Outcome::TimedOut => "33",
        };
        if self.colour {
            format!("\x1b[{code}m{text}\x1b[0m")
        } else {
            text.to_string()
        }
    }

    /// A line that mend composed itself, escapes included.
    fn put(&self, text: &str) {
        let _ = writeln!(
            std::io::stderr(),
            "{:6.1} s  {text}",
            self.begun.elapsed().as_secs_f64()
        );
    }
}

impl Journal for Terminal {
    fn tell(&self, event: Progress) {
        match event {
            Progress::Step(step) => self.say(match step {
                "base check" => "checking the untouched code",
                "branch check" => "checking the branch as it stands",
                "fix" => "fixing",
                "final check" => "checking the change once more",
                other => other,
            }),
            Progress::Note(note) => self.say(&note),
            Progress::SetUpStarted { command } => self.say(&format!("setting up: {command}")),
            Progress::SetUpEnded(report) => {
                self.say(&format!("set-up: {}", crate::render::set_up(&report)));
            }
            Progress::CheckStarted { command } => self.say(&format!("running {command}")),
            Progress::CheckEnded {
                command,
                outcome,
                run,
            } => {
                let command = clip_words(&one_line(&visible(&command)), 120);
                let words = visible(&check_words(&run));
                self.put(&format!("{command}: {}", self.paint(outcome, &words)));
            }
            Progress::Trial {
                what,
                command,
                ended,
            } => {
                let command = clip_words(&one_line(&visible(&command)), 120);
                match ended {
                    None => self.say(&format!("{what}: running {command}")),
                    Some(run) => self.say(&format!("{what}: {}", visible(&check_words(&run)))),
                }
            }
            Progress::Turn { turn, of } => {
                self.say(&format!("turn {turn} of at most {of}: asking the model"))
            }
            Progress::Tool { turn, action } => self.say(&format!("turn {turn}: {action}")),
            Progress::Edits {
                turn,
                edits: EditEvent::Rejected(why),
            } => self.say(&format!(
                "turn {turn}: refused: {}",
                clip_words(&one_line(&why.join("; ")), 200)
            )),
            Progress::Usage(_)
            | Progress::Edits { .. }
            | Progress::SpanOpened(_)
            | Progress::SpanClosed(_) => {}
            Progress::Loop { stop, turns } => {
                let of = if turns == 1 { "turn" } else { "turns" };
                self.say(&format!(
                    "the work ended after {turns} {of} ({})",
                    stop.word().replace('_', " ")
                ));
            }
        }
    }
}
