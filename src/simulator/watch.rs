//! Whoever watches the REST API: the tests hold every exchange against GitHub's own description.

use serde_json::Value;
use std::sync::Arc;

/// One request to the REST API and its answer.
#[derive(Debug, Clone)]
pub struct Exchange {
    pub method: String,
    /// As it was sent, percent signs and all.
    pub path: String,
    pub query: String,
    /// `null` when there was none.
    pub body: Value,
    pub status: u16,
    /// `None` for an answer without a body and for one that is not JSON.
    pub answer: Option<Value>,
}

/// Called after each request that reached an endpoint, and after each that found none. What a
/// fault answers instead is nobody's contract and not shown.
pub type Watch = Arc<dyn Fn(&Exchange) + Send + Sync>;
