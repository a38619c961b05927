//! What surrounds a turn: which dialect it is in, what people said meanwhile, a reply that asks for
//! nothing, the end of the work.

use super::calls::WRONG_CALLS;
use super::doubt::doubts;
use super::run::Loop;
use super::tools::End;
use super::{AgentError, dialect, said};
use crate::domain::{EditEvent, Progress, StopReason};
use crate::model::{Dialect, Message, ModelError, Turn, TurnEnd};

/// What stands before the words of a person, which no later message leaves out.
pub(super) const GUIDANCE: &str = "A maintainer says, while you work:";

impl Loop<'_, '_> {
    /// What people said goes to the model with the next request.
    pub(super) fn tell_guidance(&mut self, said: &[String]) {
        if said.is_empty() {
            return;
        }
        self.state.guidance.extend_from_slice(said);
        let text = said
            .iter()
            .map(|s| format!("{GUIDANCE}\n{}", crate::text::sanitise_report(s)))
            .collect::<Vec<_>>()
            .join("\n\n");
        self.say(text);
    }

    /// A text of the harness goes to the model with the next request.
    pub(super) fn say(&mut self, text: String) {
        match self.state.request.messages.last_mut() {
            Some(Message::ToolResults { note, .. }) => {
                *note = Some(match note.take() {
                    Some(before) => format!("{before}\n\n{text}"),
                    None => text,
                });
            }
            Some(Message::User(before)) => before.push_str(&format!("\n\n{text}")),
            _ => self.state.request.messages.push(Message::User(text)),
        }
    }

    /// Takes in what the model said beside its calls or requests.
    pub(super) fn hear(&mut self, words: &str) {
        let told = said::without_announcements(words);
        if !told.is_empty() {
            self.state.said = told;
        }
        self.hear_doubt(words);
    }

    /// Keeps the words in which the model calls a test wrong (rule W15).
    pub(super) fn hear_doubt(&mut self, words: &str) {
        if doubts(words) {
            let words = crate::text::one_line(words);
            self.state.doubted = Some(crate::text::clip_words(&words, 600));
        }
    }

    /// Keeps the failing tests that prose says to contradict the report (rule W12).
    pub(super) fn hear_contradictions(&mut self, words: &str) {
        for found in self.state.failures.named_in(words) {
            if self.state.named.iter().all(|c| c.test != found.test) {
                self.state.named.push(found);
            }
        }
    }

    /// Whether an error at the very start may mean that the endpoint takes no tools: some say so,
    /// some refuse the request without a word about it.
    pub(super) fn refuses_tools(&self, error: &ModelError) -> bool {
        let told = match error {
            ModelError::Permanent { status, message } => {
                let unclear = matches!(status, Some(400 | 404 | 405 | 422 | 501));
                speaks_of_tools(message) || unclear && !speaks_of_the_model(message)
            }
            ModelError::Unavailable { message } => speaks_of_tools(message),
            _ => false,
        };
        told && self.state.dialect == Dialect::Auto && self.state.turns == 0
    }

    /// Makes the request once more in the text dialect. Only an answer to it shows that the tools
    /// were the reason, unless the error said so; else the error is told as what it was.
    pub(super) fn try_without_tools(&mut self, error: ModelError) -> Result<(), AgentError> {
        match &error {
            ModelError::Permanent { message, .. } if !speaks_of_tools(message) => {
                self.refused = Some(error);
                self.begin_in_text()
            }
            _ => self.fall_to_text(),
        }
    }

    /// The endpoint answered: what it refused before was the tools.
    pub(super) fn alive(&mut self) {
        if self.refused.take().is_some() {
            self.tell_fall();
        }
    }

    /// Begins anew in the text dialect.
    pub(super) fn fall_to_text(&mut self) -> Result<(), AgentError> {
        self.tell_fall();
        self.begin_in_text()
    }

    fn begin_in_text(&mut self) -> Result<(), AgentError> {
        self.heard = 0;
        Ok(self.state.begin_in_text(self.work)?)
    }

    fn tell_fall(&self) {
        self.work.journal.tell(Progress::Note(
            "no tool calls on this endpoint, as it seems: going on with edits in text".to_string(),
        ));
    }

    /// The first answer decides between the dialects, where the settings leave it open.
    pub(super) fn settle_dialect(&mut self, turn: &Turn) -> Result<(), AgentError> {
        if self.state.dialect != Dialect::Auto {
            return Ok(());
        }
        let reply = said::reply(&turn.text);
        if !turn.calls.is_empty() {
            self.state.dialect = Dialect::Tools;
        } else if turn.end != TurnEnd::Truncated
            && (dialect::asks(&reply, &self.work.settings)
                || self.work.workspace.holds_edits(&reply))
        {
            self.fall_to_text()?;
        }
        Ok(())
    }

    /// A reply that asks for nothing ends the loop, unless it was cut off or, in the text dialect,
    /// is the first of its kind.
    pub(super) fn nothing_asked(&mut self, words: &str, end: TurnEnd) -> Option<StopReason> {
        let text_only = self.state.dialect == Dialect::Text;
        let again = if end == TurnEnd::Truncated {
            self.state.wrong.in_a_row += 1;
            if self.state.wrong.in_a_row >= WRONG_CALLS {
                return Some(StopReason::InvalidCalls);
            }
            match text_only {
                true => {
                    "Your reply was cut off at the output limit, so nothing in it was applied. Send shorter edits."
                }
                false => {
                    "Your reply was cut off at the output limit before it came to a tool call. Go on with a tool call."
                }
            }
        } else if text_only && self.state.idle_replies == 0 {
            self.work.journal.tell(Progress::Edits {
                turn: self.state.turns,
                edits: EditEvent::NoDiff,
            });
            self.state.idle_replies += 1;
            self.hear_contradictions(words);
            "Your reply held no block, no request and no RESULT, so nothing was done. Send blocks for your edits, lines such as `READ path`, or a RESULT block if the work is done."
        } else {
            self.hear_contradictions(words);
            self.state.summaries = vec![said::without_announcements(words)];
            return Some(StopReason::NoToolCalls);
        };
        self.state
            .request
            .messages
            .push(Message::User(again.into()));
        None
    }

    /// Takes what the model closes its work with.
    pub(super) fn close(&mut self, end: End) {
        let state = &mut self.state;
        state.only_answers =
            end.answer.is_some() && end.question.is_none() && end.summary.trim().is_empty();
        if !end.summary.trim().is_empty() {
            state.summaries = vec![end.summary];
        }
        state
            .named
            .retain(|old| end.named.iter().all(|new| new.test != old.test));
        state.named.extend(end.named);
        (state.question, state.answer) = (end.question, end.answer);
    }
}

fn speaks_of_the_model(message: &str) -> bool {
    let message = message.to_ascii_lowercase();
    ["model", "deployment"]
        .iter()
        .any(|word| message.contains(word))
}

fn speaks_of_tools(message: &str) -> bool {
    let message = message.to_ascii_lowercase();
    ["tool", "function call", "functions"]
        .iter()
        .any(|word| message.contains(word))
}
