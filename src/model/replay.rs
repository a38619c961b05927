//! A model that plays a recording: replies in order, whatever is asked.

use super::Model;
use super::error::{Fault, ModelError, classify};
use super::record::{Reply, failed, file};
use super::retry::{Attempt, Policy, Retrying};
use super::settings::{ModelSettings, WireKind};
use super::turn::{Request, Turn, TurnEnd};
use super::wait::{reset, retry_after};
use super::wire::{self, Raw, RawCall, RawUsage, Wire, assemble};
use crate::domain::Cancel;
use crate::text::Redactor;
use async_trait::async_trait;
use bytes::Bytes;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, SystemTime};

/// Plays `NNNN.reply.json` from 0001 on. A recorded failure (`http_status`, `cut_after_chars`) ends
/// in the same error as over HTTP, and the retry takes the next reply, without the pause.
pub struct Replay {
    inner: Retrying<Player>,
}

impl Replay {
    /// # Errors
    /// [`ModelError::Recording`] when the folder holds no first reply.
    pub fn open(folder: &Path) -> Result<Replay, ModelError> {
        Replay::after(folder, 0)
    }

    /// As [`Replay::open`], going on after so many answered turns.
    ///
    /// # Errors
    /// As [`Replay::open`]; also where a reply that is passed over cannot be read.
    pub fn after(folder: &Path, turns: u32) -> Result<Replay, ModelError> {
        if !file(folder, 1, "reply").is_file() {
            return Err(failed(folder, "there is no 0001.reply.json to play"));
        }
        let replay = Replay::from_any(folder);
        replay.inner.inner().pass_over(turns)?;
        Ok(replay)
    }

    /// As [`Replay::open`], also where the folder holds no reply: a call that failed leaves none, and
    /// fails again.
    pub fn from_any(folder: &Path) -> Replay {
        let settings = ModelSettings::new(WireKind::Anthropic, "replay");
        let policy = Policy {
            sleep: false,
            ..Policy::of(&settings)
        };
        let player = Player {
            folder: folder.to_path_buf(),
            wire: wire::of(settings.wire),
            settings,
            next: AtomicU64::new(1),
        };
        Replay {
            inner: Retrying::new(player, policy),
        }
    }
}

#[async_trait]
impl Model for Replay {
    fn name(&self) -> &str {
        self.inner.name()
    }

    async fn turn(&self, request: &Request, cancel: &Cancel) -> Result<Turn, ModelError> {
        self.inner.turn(request, cancel).await
    }

    fn wire_body(&self, request: &Request) -> Result<(&'static str, Value), ModelError> {
        self.inner.wire_body(request)
    }
}

struct Player {
    folder: PathBuf,
    wire: Box<dyn Wire>,
    settings: ModelSettings,
    next: AtomicU64,
}

impl Player {
    /// Passes over the replies of turns that were answered before, and over failures among them.
    fn pass_over(&self, turns: u32) -> Result<(), ModelError> {
        let (mut passed, mut n) = (0, 1);
        while passed < turns {
            let reply = self.read(n)?;
            passed += u32::from(!reply.fails());
            n += 1;
        }
        self.next.store(n, Ordering::Relaxed);
        Ok(())
    }

    fn read(&self, n: u64) -> Result<Reply, ModelError> {
        let path = file(&self.folder, n, "reply");
        let bytes = match std::fs::read(&path) {
            Ok(bytes) => bytes,
            Err(e) if e.kind() == std::io::ErrorKind::NotFound => {
                return Err(ModelError::permanent(format!(
                    "the recording has no reply {n}"
                )));
            }
            Err(e) => return Err(failed(&path, &e.to_string())),
        };
        // serde's message names the line and the kind of mistake, not the content's text.
        serde_json::from_slice(&bytes)
            .map_err(|e| failed(&path, &format!("not a reply of a recording: {e}")))
    }
}

#[async_trait]
impl Attempt for Player {
    fn name(&self) -> &str {
        &self.settings.model
    }

    fn wire_body(&self, request: &Request) -> Result<(&'static str, Value), ModelError> {
        let body = self.wire.body(&self.settings, request)?;
        Ok((self.wire.shape(), body))
    }

    async fn attempt(&self, request: &Request, body: Bytes) -> Result<Turn, Fault> {
        let n = self.next.fetch_add(1, Ordering::Relaxed);
        let reply = self.read(n)?;
        if let Some(status) = reply.http_status.filter(|s| *s != 200) {
            return Err(scripted(status, &reply).without_echo(&body, ""));
        }
        if reply.fails() {
            return Err(Fault::cut());
        }
        let (usage, carry) = (reply.usage, reply.carry.clone());
        let raw = raw_of(reply, n);
        let mut turn = assemble(raw, request, &self.settings, "", body.len());
        if let Some(usage) = usage {
            turn.usage = usage;
        }
        turn.carry = carry;
        Ok(turn)
    }
}

/// The error that `model_bridge.py` would have answered with.
fn scripted(status: u16, reply: &Reply) -> Fault {
    let kind = match status {
        529 => "overloaded_error",
        _ => "api_error",
    };
    let message = reply.text.as_deref().unwrap_or("scripted error");
    let header = |name: &str| -> Option<String> {
        let headers = reply.headers.as_ref()?.as_object()?;
        let (_, value) = headers.iter().find(|(k, _)| k.eq_ignore_ascii_case(name))?;
        match value {
            Value::String(s) => Some(s.clone()),
            other => Some(other.to_string()),
        }
    };
    let now = SystemTime::now();
    let after: Option<Duration> = match status {
        429 => retry_after(header, now).or_else(|| reset(header, now)),
        _ => retry_after(header, now),
    };
    classify(
        Some(status),
        after,
        &json!({"type": "error", "error": {"type": kind, "message": message}}),
        &Redactor::new(),
    )
}

fn raw_of(reply: Reply, n: u64) -> Raw {
    let end = match reply.stop_reason.as_deref() {
        Some("max_tokens" | "length" | "model_context_window_exceeded") => TurnEnd::Truncated,
        Some("refusal" | "content_filter") => TurnEnd::Refused,
        _ => TurnEnd::Done,
    };
    let calls = reply.tool_calls.into_iter().enumerate();
    Raw {
        text: reply.text.unwrap_or_default(),
        calls: calls
            .map(|(k, call)| RawCall {
                id: format!("call_{n}_{k}"),
                name: call.name,
                arguments: match call.arguments {
                    Value::String(raw) => raw,
                    Value::Null => String::new(),
                    value => value.to_string(),
                },
            })
            .collect(),
        end,
        usage: None::<RawUsage>,
        carry: None,
    }
}
