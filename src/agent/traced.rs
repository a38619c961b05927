//! The spans of the loop: requests to models, tool calls and checks, with what went in and out.

use super::calls::Answer;
use super::dialect::Asked;
use super::{Work, told};
use crate::check::{CheckError, Checks, overall};
use crate::domain::{Cancel, CheckRun, Journal, OpenSpan, Outcome, SpanEnd, SpanKind};
use crate::model::{Model, ModelError, Request, Turn};
use serde_json::json;

/// Bytes of a check's text in a span.
const CHECK_BYTES: usize = 64 * 1024;

/// Asks a model for a turn; the messages from `from` on are the span's input.
pub(super) async fn asked(
    work: &Work<'_>,
    model: &dyn Model,
    (role, request, from): (&'static str, &Request, usize),
    cancel: &Cancel,
) -> Result<Turn, ModelError> {
    let new = request.messages.get(from..).unwrap_or_default();
    let mut input = match from {
        0 => json!({ "system": request.system, "messages": new }),
        _ => json!({ "messages": new }),
    };
    without_carries(&mut input);
    let about = vec![
        ("gen_ai.operation.name", json!("chat")),
        ("gen_ai.request.model", json!(model.name())),
        (
            "gen_ai.request.max_tokens",
            json!(request.max_output_tokens),
        ),
        ("mend.role", json!(role)),
        ("mend.messages", json!(request.messages.len())),
    ];
    let span = OpenSpan::open(
        work.journal,
        SpanKind::Model,
        "model_call",
        text(&input),
        about,
    );
    let answer = model.turn(request, cancel).await;
    match &answer {
        Ok(turn) => {
            let calls = turn.calls.iter().map(|call| {
                json!({ "id": call.id, "name": call.name, "arguments": call.arguments.raw() })
            });
            let calls: Vec<_> = calls.collect();
            let output = json!({ "text": turn.text, "calls": calls });
            let used = vec![
                ("gen_ai.usage.input_tokens", json!(turn.usage.input_tokens)),
                (
                    "gen_ai.usage.output_tokens",
                    json!(turn.usage.output_tokens),
                ),
                ("gen_ai.response.finish_reasons", json!([turn.end])),
                ("mend.usage", json!(turn.usage)),
            ];
            span.close(SpanEnd::Ok, text(&output), used);
        }
        Err(ModelError::Cancelled) => span.close(SpanEnd::Interrupted, "", Vec::new()),
        Err(error) => {
            let about = vec![("error.type", json!(error.word()))];
            span.close(SpanEnd::Failed, error.to_string(), about);
        }
    }
    answer
}

/// The provider's own content is of no use to a reader, and large.
fn without_carries(input: &mut serde_json::Value) {
    for message in input["messages"].as_array_mut().into_iter().flatten() {
        if let Some(turn) = message.get_mut("assistant").and_then(|t| t.as_object_mut()) {
            turn.remove("carry");
        }
    }
}

fn text(value: &serde_json::Value) -> String {
    serde_json::to_string_pretty(value).unwrap_or_default()
}

/// Opens the span of a tool call.
pub(super) fn tool<'a>(work: &Work<'a>, asked: &Asked, turn: u32) -> OpenSpan<'a> {
    let about = vec![
        ("gen_ai.operation.name", json!("execute_tool")),
        ("gen_ai.tool.name", json!(asked.call.name)),
        ("gen_ai.tool.call.id", json!(asked.call.id)),
        ("mend.turn", json!(turn)),
    ];
    let (name, input) = (asked.call.name.clone(), asked.call.arguments.raw());
    OpenSpan::open(work.journal, SpanKind::Tool, name, input, about)
}

/// Closes the span of a tool call.
pub(super) fn answered(span: OpenSpan<'_>, answer: &Answer) {
    let end = match answer.ok {
        true => SpanEnd::Ok,
        false => SpanEnd::Failed,
    };
    span.close(
        end,
        answer.text.as_str(),
        vec![("mend.valid", json!(answer.valid))],
    );
}

/// Opens the span of a check, which the harness makes by itself.
pub fn check_span<'a>(
    journal: &'a dyn Journal,
    name: &'static str,
    checks: &Checks,
) -> OpenSpan<'a> {
    let commands = checks.commands.iter().map(|c| c.command.as_str());
    let commands = commands.collect::<Vec<_>>().join("\n");
    OpenSpan::open(journal, SpanKind::Check, name, commands, Vec::new())
}

/// Closes the span of a check with its result as the model reads it.
pub fn checked(span: OpenSpan<'_>, ran: Result<&[CheckRun], &CheckError>) {
    match ran {
        Ok(runs) => {
            let outcome = overall(runs);
            let end = match outcome {
                Outcome::Passed => SpanEnd::Ok,
                _ => SpanEnd::Failed,
            };
            let text = told::result(runs, CHECK_BYTES);
            span.close(end, text, vec![("outcome", json!(outcome))]);
        }
        Err(error) if error.is_cancelled() => span.close(SpanEnd::Interrupted, "", Vec::new()),
        Err(error) => span.close(SpanEnd::Failed, error.to_string(), Vec::new()),
    }
}
