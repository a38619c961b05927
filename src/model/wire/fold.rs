//! A conversation as providers insist on it: each call answered once and at once, neighbours of
//! one role together, nothing empty.

use crate::model::error::ModelError;
use crate::model::turn::{Message, Request, Turn};

/// What a call without a result is answered with.
const NOT_RUN: &str = "error: this call was not run";

/// A piece of the folded conversation.
#[derive(Debug, PartialEq)]
pub(super) enum Piece<'a> {
    /// What the user's side says.
    User {
        /// One per call of the turn before, in the order of the calls.
        results: Vec<Answer<'a>>,
        /// Texts after the results; none is empty.
        texts: Vec<&'a str>,
    },
    Assistant(&'a Turn),
}

#[derive(Debug, PartialEq)]
pub(super) struct Answer<'a> {
    pub call_id: &'a str,
    pub content: &'a str,
    pub is_error: bool,
}

/// Folds a conversation.
///
/// # Errors
/// [`ModelError::Permanent`] when there is nothing to send, or a result answers no call.
pub(super) fn fold(request: &Request) -> Result<Vec<Piece<'_>>, ModelError> {
    let mut pieces: Vec<Piece<'_>> = Vec::new();
    for message in &request.messages {
        match message {
            Message::Assistant(turn) => {
                answer_open_calls(&mut pieces);
                if !turn.text.trim().is_empty() || !turn.calls.is_empty() {
                    pieces.push(Piece::Assistant(turn));
                }
            }
            Message::User(text) => {
                answer_open_calls(&mut pieces);
                say(&mut pieces, text);
            }
            Message::ToolResults { results, note } => {
                let turn = match pieces.last() {
                    Some(Piece::Assistant(turn)) => *turn,
                    _ => {
                        return Err(ModelError::permanent(
                            "the conversation has tool results without a turn that asked for them",
                        ));
                    }
                };
                if let Some(r) = results
                    .iter()
                    .find(|r| !turn.calls.iter().any(|c| c.id == r.call_id))
                {
                    let id = r.call_id.escape_debug();
                    return Err(ModelError::permanent(format!(
                        "the tool result `{id:.80}` answers no call of the turn before"
                    )));
                }
                let found = |id: &str| results.iter().find(|r| r.call_id == id);
                let answers = turn.calls.iter().map(|c| match found(&c.id) {
                    Some(r) => Answer {
                        call_id: &c.id,
                        content: if r.content.trim().is_empty() {
                            "(empty)"
                        } else {
                            &r.content
                        },
                        is_error: r.is_error,
                    },
                    None => not_run(&c.id),
                });
                pieces.push(Piece::User {
                    results: answers.collect(),
                    texts: vec![],
                });
                if let Some(note) = note {
                    say(&mut pieces, note);
                }
            }
        }
    }
    answer_open_calls(&mut pieces);
    pieces.retain(
        |p| !matches!(p, Piece::User { results, texts } if results.is_empty() && texts.is_empty()),
    );
    match pieces.is_empty() {
        true => Err(ModelError::permanent("the conversation is empty")),
        false => Ok(pieces),
    }
}

fn not_run(call_id: &str) -> Answer<'_> {
    Answer {
        call_id,
        content: NOT_RUN,
        is_error: true,
    }
}

fn answer_open_calls(pieces: &mut Vec<Piece<'_>>) {
    if let Some(Piece::Assistant(turn)) = pieces.last()
        && !turn.calls.is_empty()
    {
        let turn = *turn;
        pieces.push(Piece::User {
            results: turn.calls.iter().map(|c| not_run(&c.id)).collect(),
            texts: vec![],
        });
    }
}

fn say<'a>(pieces: &mut Vec<Piece<'a>>, text: &'a str) {
    if text.trim().is_empty() {
        return;
    }
    match pieces.last_mut() {
        Some(Piece::User { texts, .. }) => texts.push(text),
        _ => pieces.push(Piece::User {
            results: vec![],
            texts: vec![text],
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::Usage;
    use crate::model::turn::{Arguments, ToolCall, ToolResult, TurnEnd};

    fn turn(ids: &[&str]) -> Message {
        Message::Assistant(Turn {
            text: String::new(),
            calls: ids
                .iter()
                .map(|id| ToolCall {
                    id: id.to_string(),
                    name: "t".into(),
                    arguments: Arguments::parse("{}"),
                })
                .collect(),
            end: TurnEnd::ToolUse,
            usage: Usage::default(),
            carry: None,
        })
    }

    fn request(messages: Vec<Message>) -> Request {
        Request {
            system: "s".into(),
            messages,
            tools: vec![],
            max_output_tokens: 1,
        }
    }

    fn result(id: &str) -> ToolResult {
        ToolResult {
            call_id: id.into(),
            content: format!("r{id}"),
            is_error: false,
        }
    }

    #[test]
    fn every_call_is_answered_in_order_and_neighbours_join() {
        let r = request(vec![
            Message::User("one".into()),
            Message::User("two".into()),
            turn(&["a", "b", "c"]),
            Message::ToolResults {
                results: vec![result("c"), result("a")],
                note: Some("note".into()),
            },
            Message::User("more".into()),
            turn(&[]),
            turn(&["d"]),
        ]);
        let pieces = fold(&r).unwrap();
        assert_eq!(pieces.len(), 5);
        let Piece::User { results, texts } = &pieces[2] else {
            panic!()
        };
        let got: Vec<_> = results.iter().map(|r| (r.call_id, r.content)).collect();
        assert_eq!(got, [("a", "ra"), ("b", NOT_RUN), ("c", "rc")]);
        assert_eq!(texts, &["note", "more"]);
        assert!(matches!(&pieces[4], Piece::User { results, .. } if results[0].is_error));
    }

    #[test]
    fn a_result_without_its_call_is_an_error() {
        let r = request(vec![
            Message::User("x".into()),
            turn(&["a"]),
            Message::ToolResults {
                results: vec![result("z")],
                note: None,
            },
        ]);
        assert!(fold(&r).unwrap_err().to_string().contains("`z`"));
        assert!(fold(&request(vec![])).is_err());
    }
}
