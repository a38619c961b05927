//! Answers that are no success, in the classes of this room.

use super::client::{Reply, text_of};
use super::error::{Detail, GithubError};
use crate::text::{clip_words, one_line, visible};
use http::{HeaderMap, StatusCode};
use serde::Deserialize;
use serde_json::Value;

/// "Wait at least one minute", where a secondary limit gives no time.
const SECONDARY_WAIT_S: i64 = 60;
const MESSAGE_CHARS: usize = 400;

#[derive(Deserialize)]
struct Said {
    message: Option<String>,
    errors: Option<Value>,
}

/// GitHub's short words; nothing of an answer that is not GitHub's JSON.
pub(super) fn message(body: &[u8]) -> String {
    let Ok(said) = serde_json::from_slice::<Said>(body) else {
        return String::new();
    };
    let mut words = vec![said.message.unwrap_or_default()];
    if let Some(Value::Array(errors)) = said.errors {
        for error in errors.iter().take(5) {
            let text = |key: &str| error.get(key).and_then(Value::as_str);
            words.push(match (error.as_str(), text("message")) {
                (Some(text), _) | (None, Some(text)) => text.to_string(),
                _ => [text("resource"), text("field"), text("code")]
                    .into_iter()
                    .flatten()
                    .collect::<Vec<_>>()
                    .join(" "),
            });
        }
    }
    words.retain(|w| !w.is_empty());
    clip_words(&one_line(&visible(&words.join("; "))), MESSAGE_CHARS)
}

pub(super) fn judge(
    status: StatusCode,
    headers: &HeaderMap,
    mut detail: Detail,
    now: i64,
) -> GithubError {
    if let Some(limited) = limited(status, headers, &detail, now) {
        return limited;
    }
    match status {
        StatusCode::UNAUTHORIZED => GithubError::Unauthorized(detail),
        StatusCode::FORBIDDEN | StatusCode::UNAVAILABLE_FOR_LEGAL_REASONS => {
            GithubError::Forbidden(detail)
        }
        StatusCode::NOT_FOUND | StatusCode::GONE => GithubError::NotFound(detail),
        StatusCode::UNPROCESSABLE_ENTITY | StatusCode::CONFLICT | StatusCode::BAD_REQUEST => {
            GithubError::Validation(detail)
        }
        s if s.is_redirection() => GithubError::Moved(detail),
        s if s.is_server_error() => {
            detail.maybe_done = !detail.request.starts_with("GET ");
            GithubError::Transient(detail)
        }
        _ => GithubError::Permanent(detail),
    }
}

/// <https://docs.github.com/rest/using-the-rest-api/rate-limits-for-the-rest-api>
fn limited(
    status: StatusCode,
    headers: &HeaderMap,
    detail: &Detail,
    now: i64,
) -> Option<GithubError> {
    if status != StatusCode::FORBIDDEN && status != StatusCode::TOO_MANY_REQUESTS {
        return None;
    }
    let number = |name| text_of(headers, name).and_then(|v| v.parse::<i64>().ok());
    let says = detail.message.to_ascii_lowercase();
    let spent = number("x-ratelimit-remaining") == Some(0);
    let (until, secondary) = match (number("retry-after"), number("x-ratelimit-reset")) {
        (Some(wait), _) => (now + wait.max(1), !spent),
        (None, Some(reset)) if spent => (reset.max(now + 1), false),
        _ if status == StatusCode::TOO_MANY_REQUESTS || says.contains("rate limit") => {
            (now + SECONDARY_WAIT_S, true)
        }
        _ => return None,
    };
    Some(GithubError::RateLimited {
        until,
        secondary,
        detail: detail.clone(),
    })
}

/// GraphQL answers 200 and tells its failures inside.
pub(super) fn graphql_errors(reply: Reply, now: i64) -> Result<Reply, GithubError> {
    let answer: Value = reply.json()?;
    let Some(Value::Array(errors)) = answer.get("errors") else {
        return Ok(reply);
    };
    let of = |key: &str| {
        errors
            .first()
            .and_then(|e| e.get(key))
            .and_then(Value::as_str)
    };
    let detail = Detail {
        message: clip_words(
            &one_line(&visible(of("message").unwrap_or_default())),
            MESSAGE_CHARS,
        ),
        ..reply.detail
    };
    Err(match of("type").unwrap_or_default() {
        "NOT_FOUND" => GithubError::NotFound(detail),
        "FORBIDDEN" | "INSUFFICIENT_SCOPES" => GithubError::Forbidden(detail),
        "RATE_LIMITED" => GithubError::RateLimited {
            until: text_of(&reply.headers, "x-ratelimit-reset")
                .and_then(|v| v.parse().ok())
                .unwrap_or(now + SECONDARY_WAIT_S),
            secondary: false,
            detail,
        },
        _ => GithubError::Validation(detail),
    })
}
