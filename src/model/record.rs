//! Recordings: each turn as `NNNN.request.json` and `NNNN.reply.json`, in the form of
//! `model_bridge.py`, so that either can play what the other wrote.

use super::Model;
use super::error::ModelError;
use super::turn::{Arguments, Request, Turn, TurnEnd};
use crate::domain::{Cancel, Usage};
use async_trait::async_trait;
use regex::{Captures, Regex};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::sync::{Arc, LazyLock, Mutex};

/// What is made the same in every recording. Replacements (paths, host names) apply to requests
/// and replies; times (ISO stamps, and durations that a runner prints) to requests only, where
/// nothing depends on them.
#[derive(Debug, Clone, Default)]
pub struct Normalise {
    replace: Vec<(String, String)>,
}

static TIMES: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(concat!(
        r"\b(?<iso>\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:?\d\d)?)",
        r"|\b(?<word>[Ii]n |took |duration_ms |real |finished in )(?<figure>\d+(?:\.\d+)?)",
        r"|(?<address>\b0x[0-9a-f]{6,16}\b)|(?<seconds>\b\d+\.\d+ ?s\b)",
    ))
    .ok()
});

impl Normalise {
    /// Each `from` becomes its `to`; longer ones go first, empty ones are ignored.
    pub fn new(mut replace: Vec<(String, String)>) -> Self {
        replace.retain(|(from, _)| !from.is_empty());
        replace.sort_by_key(|(from, _)| std::cmp::Reverse(from.len()));
        Normalise { replace }
    }

    /// A text of a reply.
    fn paths(&self, text: &str) -> String {
        self.replace.iter().fold(text.to_string(), |t, (from, to)| {
            t.replace(from.as_str(), to)
        })
    }

    /// A text of a request.
    fn whole(&self, text: &str) -> String {
        let text = self.paths(text);
        match TIMES.as_ref() {
            Some(re) => re
                .replace_all(&text, |c: &Captures<'_>| match c.name("word") {
                    Some(word) => format!("{}0", word.as_str()),
                    None if c.name("address").is_some() => "0x0".to_string(),
                    None if c.name("seconds").is_some() => "0 s".to_string(),
                    None => "1970-01-01T00:00:00Z".to_string(),
                })
                .into_owned(),
            None => text,
        }
    }
}

fn map_texts(value: &Value, f: &dyn Fn(&str) -> String) -> Value {
    match value {
        Value::String(s) => Value::String(f(s)),
        Value::Array(a) => a.iter().map(|v| map_texts(v, f)).collect(),
        Value::Object(o) => o
            .iter()
            .map(|(k, v)| (k.clone(), map_texts(v, f)))
            .collect(),
        other => other.clone(),
    }
}

/// A reply as it stands in a recording. Unknown members are ignored.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct Reply {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    pub tool_calls: Vec<ReplyCall>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stop_reason: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub usage: Option<Usage>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub carry: Option<Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub http_status: Option<u16>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub headers: Option<Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cut_after_chars: Option<u64>,
}

/// A call of a recorded reply; the arguments are an object, or a string with the raw JSON.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct ReplyCall {
    pub name: String,
    #[serde(default)]
    pub arguments: Value,
}

impl Reply {
    /// Whether it stands for a failure rather than a turn.
    pub(super) fn fails(&self) -> bool {
        self.http_status.is_some_and(|s| s != 200) || self.cut_after_chars.is_some_and(|c| c > 0)
    }

    fn of(turn: &Turn, shape: &str) -> Reply {
        let stop = match (turn.end, shape) {
            (TurnEnd::Truncated, "anthropic") => Some("max_tokens"),
            (TurnEnd::Truncated, _) => Some("length"),
            (TurnEnd::Refused, "anthropic") => Some("refusal"),
            (TurnEnd::Refused, _) => Some("content_filter"),
            _ => None,
        };
        Reply {
            text: Some(turn.text.clone()),
            tool_calls: turn
                .calls
                .iter()
                .map(|c| ReplyCall {
                    name: c.name.clone(),
                    arguments: match &c.arguments {
                        Arguments::Json(value) => value.clone(),
                        Arguments::Broken { raw, .. } => json!(raw),
                    },
                })
                .collect(),
            stop_reason: stop.map(str::to_string),
            usage: Some(turn.usage),
            carry: turn.carry.clone(),
            ..Reply::default()
        }
    }
}

/// Records the turns of another model. Calls that failed leave no trace; numbering goes on where
/// an earlier recording in the folder ended.
pub struct Recorder {
    inner: Arc<dyn Model>,
    folder: PathBuf,
    normalise: Normalise,
    next: Mutex<u64>,
}

impl Recorder {
    /// Makes the folder when it is missing.
    ///
    /// # Errors
    /// [`ModelError::Recording`] when the folder cannot be made or read.
    pub fn new(
        inner: Arc<dyn Model>,
        folder: &Path,
        normalise: Normalise,
    ) -> Result<Self, ModelError> {
        std::fs::create_dir_all(folder).map_err(|e| failed(folder, &e.to_string()))?;
        let mut last = 0;
        for entry in std::fs::read_dir(folder).map_err(|e| failed(folder, &e.to_string()))? {
            let name = entry
                .map_err(|e| failed(folder, &e.to_string()))?
                .file_name();
            last = last.max(number(&name.to_string_lossy()).unwrap_or(0));
        }
        Ok(Recorder {
            inner,
            folder: folder.to_path_buf(),
            normalise,
            next: Mutex::new(last + 1),
        })
    }

    fn write(&self, request: &Request, turn: &Turn) -> Result<(), ModelError> {
        let (shape, body) = self.inner.wire_body(request)?;
        let body = map_texts(&body, &|t| self.normalise.whole(t));
        let reply = serde_json::to_value(Reply::of(turn, shape))
            .map_err(|e| failed(&self.folder, &e.to_string()))?;
        let reply = map_texts(&reply, &|t| self.normalise.paths(t));
        let mut next = self.next.lock().unwrap_or_else(|e| e.into_inner());
        let n = *next;
        *next += 1;
        let request = json!({"n": n, "shape": shape, "body": body});
        write_json(&file(&self.folder, n, "request"), &request)?;
        write_json(&file(&self.folder, n, "reply"), &reply)
    }
}

#[async_trait]
impl Model for Recorder {
    fn name(&self) -> &str {
        self.inner.name()
    }

    async fn turn(&self, request: &Request, cancel: &Cancel) -> Result<Turn, ModelError> {
        let turn = self.inner.turn(request, cancel).await?;
        self.write(request, &turn)?;
        Ok(turn)
    }

    fn wire_body(&self, request: &Request) -> Result<(&'static str, Value), ModelError> {
        self.inner.wire_body(request)
    }
}

pub(super) fn file(folder: &Path, n: u64, kind: &str) -> PathBuf {
    folder.join(format!("{n:04}.{kind}.json"))
}

/// The number of `NNNN.request.json` or `NNNN.reply.json`.
fn number(name: &str) -> Option<u64> {
    let (digits, kind) = name.split_once('.')?;
    matches!(kind, "request.json" | "reply.json")
        .then(|| digits.parse().ok())
        .flatten()
}

pub(super) fn failed(path: &Path, message: &str) -> ModelError {
    ModelError::Recording {
        path: path.to_path_buf(),
        message: message.to_string(),
    }
}

/// Writes beside the name and renames, so that a reader never sees half a file.
fn write_json(path: &Path, value: &Value) -> Result<(), ModelError> {
    let mut text = serde_json::to_string_pretty(value).map_err(|e| failed(path, &e.to_string()))?;
    text.push('\n');
    let beside = path.with_extension("tmp");
    std::fs::write(&beside, text)
        .and_then(|()| std::fs::rename(&beside, path))
        .map_err(|e| failed(path, &e.to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_and_times_are_the_same_in_every_recording() {
        let n = Normalise::new(vec![
            ("/tmp/a".into(), "/P".into()),
            ("/tmp/a/work".into(), "/W".into()),
            (String::new(), "x".into()),
        ]);
        assert_eq!(
            n.whole("/tmp/a/work/x /tmp/a at 2026-01-02T03:04:05.678Z: 3 passed in 0.12s"),
            "/W/x /P at 1970-01-01T00:00:00Z: 3 passed in 0s"
        );
        assert_eq!(n.paths("/tmp/a/x in 0.12s"), "/P/x in 0.12s");
    }

    #[test]
    fn names_of_a_recording() {
        assert_eq!(number("0012.reply.json"), Some(12));
        assert_eq!(number("task.json"), None);
        assert_eq!(number("0001.reply.tmp"), None);
    }
}
