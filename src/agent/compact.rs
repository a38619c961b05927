//! The conversation within what the model takes: old answers of tools give way first, by one line
//! that says what was there and how to get it again. The system prompt, the report, the last check
//! and the last turns never do. Between two such cuts the request only grows at its end, so that a
//! provider's prompt cache holds.

use super::run::Loop;
use super::told::{CHECKED, CHECKED_FIRST};
use super::turns::GUIDANCE;
use crate::domain::Progress;
use crate::model::{Message, Request, ToolCall, Turn};
use crate::text::bound;
use serde::{Deserialize, Serialize};

/// Messages at the end that are always whole: two turns with their answers.
const LAST: usize = 4;
/// An answer shorter than this is not worth a line in its place.
const SHORT: usize = 400;
/// What a check's result begins with (rule W7).
const WORDS: &[&str] = &["PASSED\n", "FAILED\n", "DIDN'T START\n", "TIMED OUT\n"];
/// Overflows of one task that are answered by a shorter conversation.
const OVERFLOWS: u32 = 3;
/// Bytes to which recent answers are cut, step by step, where leaving old ones out is not enough.
const STEPS: &[usize] = &[16 * 1024, 8 * 1024, 4 * 1024, 2 * 1024, 1024];
/// What a cut answer ends with.
const SHORTENED: &str = "[shortened to make room: ask for the part that you need]";

/// What is known of the size of this conversation.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Size {
    /// Tokens of four characters, as the endpoint counted them last.
    ratio: f64,
    overflows: u32,
    /// Tokens that the model takes, where an overflow taught it.
    learnt: Option<u64>,
}

impl Default for Size {
    fn default() -> Self {
        Size {
            ratio: 1.0,
            overflows: 0,
            learnt: None,
        }
    }
}

impl Loop<'_, '_> {
    /// Corrects the estimate by what the endpoint counted for the request that `turn` answers.
    pub(super) fn measure(&mut self, turn: &Turn) {
        let (plain, counted) = (plain_tokens(&self.state.request), turn.usage.input_tokens);
        // A count of a small request says more about fixed parts than about the text.
        if counted > 1000 && plain > 1000 {
            self.state.size.ratio = (counted as f64 / plain as f64).clamp(0.25, 4.0);
        }
    }

    /// Makes room before a request where the settings name what the model takes.
    pub(super) fn fit(&mut self) {
        let size = &self.state.size;
        let said = self.work.settings.context_tokens;
        let Some(most) = said.into_iter().chain(size.learnt).min() else {
            return;
        };
        let answer = u64::from(self.work.max_output_tokens).min(most / 2);
        let room = most - answer;
        if self.tokens() <= room {
            return;
        }
        let before = self.tokens();
        // More than is needed now, so that the next turns need no cut.
        let target = room * 7 / 10;
        while self.tokens() > target && self.elide_oldest() {}
        if self.tokens() < before {
            self.heard = 0;
            self.tell_cut(before);
        }
    }

    /// Makes the conversation shorter after the model said that it is too long; false when there is
    /// nothing left to take or it was done often enough.
    pub(super) fn compact(&mut self) -> bool {
        let before = self.tokens();
        if self.state.size.overflows >= OVERFLOWS {
            return false;
        }
        self.state.size.overflows += 1;
        let mut cut = false;
        while self.tokens() > before / 2 && self.elide_oldest() {
            cut = true;
        }
        cut |= self.shorten_recent(before / 2);
        if cut {
            self.state.size.learnt = Some(before);
            self.heard = 0;
            self.tell_cut(before);
        }
        cut
    }

    /// Cuts what no rule keeps whole to its head and tail, also in the last turns: never the first
    /// message, a check or what a person said.
    fn shorten_recent(&mut self, target: u64) -> bool {
        let mut cut = false;
        for most in STEPS {
            for at in 1..self.state.request.messages.len() {
                if self.tokens() <= target {
                    return cut;
                }
                cut |= shorten(&mut self.state.request.messages[at], *most);
            }
        }
        cut
    }

    fn tell_cut(&self, before: u64) {
        self.work.journal.tell(Progress::Note(format!(
            "the conversation was shortened from about {before} to {} tokens",
            self.tokens()
        )));
    }

    fn tokens(&self) -> u64 {
        (plain_tokens(&self.state.request) as f64 * self.state.size.ratio) as u64
    }

    /// Elides the oldest answer that may go; false when there is none.
    fn elide_oldest(&mut self) -> bool {
        let messages = &mut self.state.request.messages;
        let end = messages.len().saturating_sub(LAST);
        let last_check = messages.iter().rposition(holds_check);
        for at in 1..end {
            if Some(at) == last_check {
                continue;
            }
            let (before, rest) = messages.split_at_mut(at);
            let calls = match before.last() {
                Some(Message::Assistant(turn)) => turn.calls.as_slice(),
                _ => &[],
            };
            if rest.first_mut().is_some_and(|m| elide(m, calls)) {
                return true;
            }
        }
        false
    }
}

/// Characters of a request by four.
fn plain_tokens(request: &Request) -> u64 {
    let chars = |text: &str| text.chars().count();
    let tools: usize = request
        .tools
        .iter()
        .map(|t| chars(&t.description) + chars(&t.schema.to_string()))
        .sum();
    let messages: usize = request
        .messages
        .iter()
        .map(|message| match message {
            Message::User(text) => chars(text),
            Message::Assistant(turn) => match &turn.carry {
                Some(carry) => chars(&carry.to_string()),
                None => {
                    chars(&turn.text)
                        + turn
                            .calls
                            .iter()
                            .map(|c| chars(&c.arguments.raw()))
                            .sum::<usize>()
                }
            },
            Message::ToolResults { results, note } => {
                results.iter().map(|r| chars(&r.content)).sum::<usize>()
                    + note.as_deref().map_or(0, chars)
            }
        })
        .sum();
    ((chars(&request.system) + tools + messages) / 4) as u64
}

fn holds_check(message: &Message) -> bool {
    let noted = |text: &str| text.contains(CHECKED) || text.contains(CHECKED_FIRST);
    match message {
        Message::User(text) => noted(text),
        Message::ToolResults { results, note } => {
            let full = |text: &str| WORDS.iter().any(|word| text.starts_with(word));
            note.as_deref().is_some_and(noted) || results.iter().any(|r| full(&r.content))
        }
        Message::Assistant(_) => false,
    }
}

/// Replaces the long parts of an answer; false when nothing was long.
fn elide(message: &mut Message, calls: &[ToolCall]) -> bool {
    match message {
        Message::User(text) if text.len() > SHORT => {
            let was = format!("[left out to make room: {}]", heads(text));
            replace(text, was)
        }
        Message::User(_) | Message::Assistant(_) => false,
        Message::ToolResults { results, note } => {
            let mut cut = false;
            for result in results.iter_mut().filter(|r| r.content.len() > SHORT) {
                let call = calls.iter().find(|c| c.id == result.call_id);
                let what = call.map_or("an answer".to_string(), |c| {
                    let arguments = crate::text::clip_words(&c.arguments.raw(), 160);
                    format!("the answer to {} {arguments}", c.name)
                });
                let lines = result.content.lines().count();
                let was = format!(
                    "[left out to make room: {what}, {lines} lines; make the call again if you need it]"
                );
                cut |= replace(&mut result.content, was);
            }
            if let Some(note) = note.as_mut().filter(|n| n.len() > SHORT) {
                let was = "[left out to make room: an earlier check; a later one follows]";
                cut |= replace(note, was.to_string());
            }
            cut
        }
    }
}

/// Cuts the long answers of a message to `most` bytes each; false when nothing was long.
fn shorten(message: &mut Message, most: usize) -> bool {
    match message {
        Message::Assistant(_) => false,
        Message::User(text) => {
            let kept = [CHECKED, CHECKED_FIRST, GUIDANCE]
                .iter()
                .filter_map(|mark| text.find(mark))
                .min()
                .unwrap_or(text.len());
            let rest = text.split_off(kept);
            let cut = ends_of(text, most);
            if !rest.is_empty() && cut {
                text.push_str("\n\n");
            }
            text.push_str(&rest);
            cut
        }
        Message::ToolResults { results, .. } => {
            let mut cut = false;
            for result in results.iter_mut() {
                let check = WORDS.iter().any(|word| result.content.starts_with(word));
                cut |= !check && ends_of(&mut result.content, most);
            }
            cut
        }
    }
}

/// Leaves head and tail of a text that is longer than `most`.
fn ends_of(text: &mut String, most: usize) -> bool {
    if text.len() <= most {
        return false;
    }
    let body = text.trim_end().trim_end_matches(SHORTENED);
    let short = format!(
        "{}\n{SHORTENED}",
        bound(body, most - SHORTENED.len() - 1).trim_end()
    );
    if short.len() >= text.len() {
        return false;
    }
    *text = short;
    true
}

/// The first lines of a text answer's sections.
fn heads(text: &str) -> String {
    let asked: Vec<&str> = text
        .lines()
        .filter(|l| {
            ["READ ", "LIST", "SEARCH ", "RUN "]
                .iter()
                .any(|word| l.starts_with(word))
        })
        .take(12)
        .collect();
    match asked.is_empty() {
        true => "an earlier answer; a later one follows".to_string(),
        false => format!(
            "the answers to {}; send such a line again if you need one",
            asked.join(", ")
        ),
    }
}

/// Puts `short` in place of a text, but keeps what a person said in it.
fn replace(text: &mut String, mut short: String) -> bool {
    if let Some(at) = text.find(GUIDANCE) {
        short.push_str("\n\n");
        short.push_str(&text[at..]);
    }
    if short.len() >= text.len() {
        return false;
    }
    *text = short;
    true
}
