//! From a raw reply to a turn: unique ids, parsed arguments, usage and its price.

use super::{Raw, RawUsage};
use crate::domain::Usage;
use crate::model::settings::{ModelSettings, WireKind};
use crate::model::turn::{Arguments, Message, Request, ToolCall, Turn, TurnEnd};
use serde_json::{Value, json};
use std::collections::HashSet;

/// Bytes of one call's arguments: they go back with every further request, and more is no edit but a
/// model that repeats itself.
const ARGUMENTS: usize = 3 << 19;

/// Makes the turn. `sent` is the size of the request in bytes, for an estimate of the usage where
/// the provider gives none.
pub(in crate::model) fn assemble(
    raw: Raw,
    request: &Request,
    settings: &ModelSettings,
    shape: &str,
    sent: usize,
) -> Turn {
    let usage = match raw.usage {
        Some(usage) => usage,
        None => RawUsage {
            input: estimate(sent),
            output: estimate(
                raw.text.len() + raw.calls.iter().map(|c| c.arguments.len()).sum::<usize>(),
            ),
            ..RawUsage::default()
        },
    };
    let mut taken = known_ids(request);
    let last = raw.calls.len().saturating_sub(1);
    let calls: Vec<ToolCall> = raw
        .calls
        .into_iter()
        .enumerate()
        .map(|(k, call)| ToolCall {
            id: unique(call.id, &mut taken),
            name: call.name,
            // A plain reply does not tell whether the arguments were complete when the limit
            // struck, and a shortened content that happens to parse must not be written.
            arguments: if raw.end == TurnEnd::Truncated && k == last {
                Arguments::Broken {
                    raw: Arguments::parse(&call.arguments).raw(),
                    error: "the call was cut off at the output limit".into(),
                }
            } else if call.arguments.len() > ARGUMENTS {
                Arguments::Broken {
                    raw: crate::text::bound(&call.arguments, 4096),
                    error: "the arguments are larger than 1.5 MiB; say it in smaller calls".into(),
                }
            } else {
                Arguments::parse(&call.arguments)
            },
        })
        .collect();
    let end = match raw.end {
        TurnEnd::Done if !calls.is_empty() => TurnEnd::ToolUse,
        TurnEnd::ToolUse if calls.is_empty() => TurnEnd::Done,
        end => end,
    };
    Turn {
        text: raw.text,
        calls,
        end,
        usage: priced(usage, settings),
        carry: raw
            .carry
            .map(|content| json!({"wire": shape, "model": settings.model, "content": content})),
    }
}

/// Tokens of so many bytes, estimated as `model_bridge.py` does.
fn estimate(bytes: usize) -> u64 {
    (bytes as u64 / 4).max(1)
}

fn priced(raw: RawUsage, settings: &ModelSettings) -> Usage {
    let dollars = settings.price.map(|p| {
        let cached = p.cached_per_million.unwrap_or(p.input_per_million);
        let write = p.cache_write_per_million.unwrap_or(match settings.wire {
            WireKind::Anthropic => 1.25 * p.input_per_million,
            WireKind::Chat | WireKind::Responses => p.input_per_million,
        });
        let plain = raw.input.saturating_sub(raw.cached + raw.written);
        (plain as f64 * p.input_per_million
            + raw.cached as f64 * cached
            + raw.written as f64 * write
            + raw.output as f64 * p.output_per_million)
            / 1e6
    });
    Usage {
        input_tokens: raw.input,
        output_tokens: raw.output,
        cached_tokens: raw.cached,
        dollars,
    }
}

fn known_ids(request: &Request) -> HashSet<String> {
    request
        .messages
        .iter()
        .filter_map(|m| match m {
            Message::Assistant(turn) => Some(turn.calls.iter().map(|c| c.id.clone())),
            _ => None,
        })
        .flatten()
        .collect()
}

/// The id itself when it is new, else the first free one made of it.
fn unique(id: String, taken: &mut HashSet<String>) -> String {
    let id = match id.is_empty() {
        true => format!("call_{}", taken.len() + 1),
        false => id,
    };
    let free = if taken.contains(&id) {
        (2..)
            .map(|n| format!("{id}_{n}"))
            .find(|i| !taken.contains(i))
            .unwrap_or(id)
    } else {
        id
    };
    taken.insert(free.clone());
    free
}

/// The arguments as an object for a provider that insists on one when the turn is sent back.
pub(super) fn object(arguments: &Arguments) -> Value {
    match arguments {
        Arguments::Json(value @ Value::Object(_)) => value.clone(),
        other => json!({"unparsed_arguments": crate::text::bound(&other.raw(), 4096)}),
    }
}

#[cfg(test)]
mod tests {
    use super::super::RawCall;
    use super::*;
    use crate::model::settings::Price;

    fn call(id: &str, arguments: &str) -> RawCall {
        RawCall {
            id: id.into(),
            name: "t".into(),
            arguments: arguments.into(),
        }
    }

    fn raw(calls: Vec<RawCall>, end: TurnEnd) -> Raw {
        Raw {
            text: String::new(),
            calls,
            end,
            usage: Some(RawUsage {
                input: 1000,
                output: 100,
                cached: 600,
                written: 200,
            }),
            carry: None,
        }
    }

    fn empty() -> Request {
        Request {
            system: String::new(),
            messages: vec![],
            tools: vec![],
            max_output_tokens: 0,
        }
    }

    #[test]
    fn ids_are_unique_over_the_conversation() {
        let settings = ModelSettings::new(WireKind::Chat, "m");
        let mut request = empty();
        let calls = vec![
            call("a", "{}"),
            call("a", "{}"),
            call("", "{}"),
            call("", "{}"),
        ];
        let first = assemble(
            raw(calls.clone(), TurnEnd::ToolUse),
            &request,
            &settings,
            "chat",
            0,
        );
        request.messages.push(Message::Assistant(first.clone()));
        let second = assemble(raw(calls, TurnEnd::ToolUse), &request, &settings, "chat", 0);
        let ids: Vec<_> = first
            .calls
            .iter()
            .chain(&second.calls)
            .map(|c| &c.id)
            .collect();
        assert_eq!(ids.iter().collect::<HashSet<_>>().len(), 8, "{ids:?}");
        assert_eq!(ids[0], "a");
    }

    #[test]
    fn a_call_at_the_output_limit_is_broken_even_if_it_parses() {
        let settings = ModelSettings::new(WireKind::Chat, "m");
        let calls = vec![call("a", "{}"), call("b", r#"{"content": "x"}"#)];
        let turn = assemble(
            raw(calls, TurnEnd::Truncated),
            &empty(),
            &settings,
            "chat",
            0,
        );
        assert_eq!(turn.end, TurnEnd::Truncated);
        assert!(matches!(turn.calls[0].arguments, Arguments::Json(_)));
        assert!(
            matches!(&turn.calls[1].arguments, Arguments::Broken { raw, .. } if raw.contains("content"))
        );
    }

    #[test]
    fn the_price_counts_cache_reads_and_writes() {
        let mut settings = ModelSettings::new(WireKind::Anthropic, "m");
        settings.price = Some(Price {
            input_per_million: 4.0,
            cached_per_million: Some(0.4),
            cache_write_per_million: None,
            output_per_million: 20.0,
        });
        let turn = assemble(
            raw(vec![], TurnEnd::Done),
            &empty(),
            &settings,
            "anthropic",
            0,
        );
        let want = (200.0 * 4.0 + 600.0 * 0.4 + 200.0 * 5.0 + 100.0 * 20.0) / 1e6;
        assert!((turn.usage.dollars.unwrap() - want).abs() < 1e-12);
        assert_eq!(turn.usage.input_tokens, 1000);
    }
}
