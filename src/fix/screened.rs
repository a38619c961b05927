//! A model that is sent no secret, whatever part of the harness wrote the request.

use crate::domain::Cancel;
use crate::model::{Message, Model, ModelError, Request, Turn};
use crate::text::Redactor;
use async_trait::async_trait;
use serde_json::Value;

pub(super) struct Screened<'a> {
    model: &'a dyn Model,
    redactor: &'a Redactor,
}

impl<'a> Screened<'a> {
    pub(super) fn new(model: &'a dyn Model, redactor: &'a Redactor) -> Self {
        Screened { model, redactor }
    }

    /// What the harness and people said, redacted; the model's own turns stay as they are, since
    /// providers sign parts of them.
    fn screen(&self, request: &Request) -> Request {
        let mut request = request.clone();
        for message in &mut request.messages {
            match message {
                Message::User(text) => *text = self.redactor.redact(text),
                Message::ToolResults { results, note } => {
                    for result in results {
                        result.content = self.redactor.redact(&result.content);
                    }
                    *note = note.take().map(|text| self.redactor.redact(&text));
                }
                Message::Assistant(_) => {}
            }
        }
        request
    }
}

#[async_trait]
impl Model for Screened<'_> {
    fn name(&self) -> &str {
        self.model.name()
    }

    async fn turn(&self, request: &Request, cancel: &Cancel) -> Result<Turn, ModelError> {
        self.model.turn(&self.screen(request), cancel).await
    }

    fn wire_body(&self, request: &Request) -> Result<(&'static str, Value), ModelError> {
        self.model.wire_body(&self.screen(request))
    }
}
