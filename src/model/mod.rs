//! Chat models over HTTP; recordings and their replay.
//!
//! The loop speaks the neutral vocabulary of this room ([`Request`], [`Turn`]); a wire adapter
//! turns it into one provider's JSON and back. What the adapters share stands apart from them:
//! the repair of a conversation (`wire::fold`), the assembly of a turn (`wire::assemble`), one
//! HTTP attempt (`http`) and the retries around it (`retry`). A further wire format is one more
//! implementation of `wire::Wire`.
//!
//! Three promises hold for every wire: an answer that was cut off is an error and never a turn;
//! arguments of a tool call that do not parse are [`Arguments::Broken`] and never guessed; no
//! error holds a payload or a key.
#![allow(clippy::disallowed_methods)] // this room may touch files or processes (src/lib.rs)

mod error;
mod http;
mod record;
mod replay;
mod retry;
mod settings;
mod sse;
mod turn;
mod wait;
mod wire;

pub use error::ModelError;
pub use record::{Normalise, Recorder};
pub use replay::Replay;
pub use settings::{Dialect, ModelSettings, Price, WireKind};
pub use turn::{Arguments, Message, Request, ToolCall, ToolResult, ToolSpec, Turn, TurnEnd};

use crate::domain::Cancel;
use async_trait::async_trait;
use serde_json::Value;
use std::sync::Arc;

/// A chat model that can call tools.
#[async_trait]
pub trait Model: Send + Sync {
    /// The model's name as configured, for people and traces.
    fn name(&self) -> &str;

    /// Asks for the next turn. Retries what may pass by itself; ends at once when cancelled.
    ///
    /// # Errors
    /// See [`ModelError`]; [`ModelError::is_transient`] tells whether the task may wait and ask again.
    async fn turn(&self, request: &Request, cancel: &Cancel) -> Result<Turn, ModelError>;

    /// The request as it goes over the wire: the name of the wire format as `model_bridge.py`
    /// spells it, and the JSON body. For recordings and for a look at what the model sees.
    ///
    /// # Errors
    /// [`ModelError::Permanent`] when the conversation is not one (no message, a result without
    /// its call).
    fn wire_body(&self, request: &Request) -> Result<(&'static str, Value), ModelError>;
}

/// Builds the model that the settings describe; with `record` set, every turn is written there.
///
/// # Errors
/// [`ModelError::Settings`] names the key that is wrong; [`ModelError::Recording`] when the
/// folder of the recording cannot be made.
pub fn connect(settings: &ModelSettings) -> Result<Arc<dyn Model>, ModelError> {
    let model: Arc<dyn Model> = Arc::new(retry::Retrying::new(
        http::Http::new(settings)?,
        retry::Policy::of(settings),
    ));
    match &settings.record {
        Some(folder) => Ok(Arc::new(Recorder::new(
            model,
            folder,
            Normalise::default(),
        )?)),
        None => Ok(model),
    }
}
