//! A trace as OpenTelemetry takes it: OTLP in JSON, with the conventions for generative AI.
//! <https://opentelemetry.io/docs/specs/otlp/#json-protobuf-encoding>,
//! <https://opentelemetry.io/docs/specs/semconv/gen-ai/gen-ai-agent-spans/>

use super::Span;
use crate::domain::{SpanEnd, SpanKind};
use serde_json::{Map, Value, json};
use sha2::{Digest, Sha256};

/// OTLP's numbers.
const INTERNAL: u8 = 1;
const CLIENT: u8 = 3;
const STATUS_OK: u8 = 1;
const STATUS_ERROR: u8 = 2;

/// What a trace is told with.
#[derive(Debug, Clone, Copy)]
pub struct Told<'a> {
    /// Names the task for good: the same one gives the same trace id.
    pub key: &'a str,
    /// Whether inputs and outputs come along, redacted and bounded as they were kept. They hold
    /// code and reports; a collector may be another's.
    pub content: bool,
}

/// The spans as one `ExportTraceServiceRequest`. One that is still open ends where it began.
pub fn otlp(spans: &[Span], told: Told<'_>) -> Value {
    let trace = id(told.key, 16);
    let all: Vec<Value> = spans
        .iter()
        .map(|s| span(s, &trace, told.content))
        .collect();
    json!({
        "resourceSpans": [{
            "resource": {
                "attributes": [
                    attribute("service.name", &json!("mend")),
                    attribute("service.version", &json!(env!("CARGO_PKG_VERSION"))),
                ]
            },
            "scopeSpans": [{
                "scope": { "name": "mend", "version": env!("CARGO_PKG_VERSION") },
                "spans": all
            }]
        }]
    })
}

fn span(span: &Span, trace: &str, content: bool) -> Value {
    let nanos = |ms: i64| (i128::from(ms.max(0)) * 1_000_000).to_string();
    let lasted = span
        .duration_ms
        .map_or(0, |d| i64::try_from(d).unwrap_or(0));
    let mut attributes = span.attributes.clone();
    let (name, kind) = named(span, &mut attributes);
    if content {
        attributes.insert("mend.input".into(), json!(span.input));
        attributes.insert("mend.output".into(), json!(span.output));
    }
    let attributes: Vec<Value> = attributes.iter().map(|(k, v)| attribute(k, v)).collect();
    let mut json = json!({
        "traceId": trace,
        "spanId": id(&format!("{trace}:{}", span.id), 8),
        "name": name,
        "kind": kind,
        "startTimeUnixNano": nanos(span.started_ms),
        "endTimeUnixNano": nanos(span.started_ms + lasted),
        "attributes": attributes,
        "status": status(span.end),
    });
    if let Some(parent) = span.parent {
        json["parentSpanId"] = json!(id(&format!("{trace}:{parent}"), 8));
    }
    json
}

/// The name and kind that the conventions give.
fn named(span: &Span, attributes: &mut Map<String, Value>) -> (String, u8) {
    let text =
        |of: &Map<String, Value>, key: &str| of.get(key).and_then(Value::as_str).map(String::from);
    match span.kind {
        SpanKind::Model => {
            let model = text(attributes, "gen_ai.request.model").unwrap_or_default();
            (format!("chat {model}").trim_end().into(), CLIENT)
        }
        SpanKind::Tool => {
            let tool = text(attributes, "gen_ai.tool.name").unwrap_or(span.name.clone());
            attributes.insert("gen_ai.tool.type".into(), json!("function"));
            (format!("execute_tool {tool}"), INTERNAL)
        }
        SpanKind::Task => {
            attributes.insert("gen_ai.operation.name".into(), json!("invoke_agent"));
            attributes.insert("gen_ai.agent.name".into(), json!("mend"));
            ("invoke_agent mend".into(), INTERNAL)
        }
        SpanKind::Step | SpanKind::Check => (span.name.clone(), INTERNAL),
    }
}

fn status(end: Option<SpanEnd>) -> Value {
    match end {
        Some(SpanEnd::Ok) => json!({ "code": STATUS_OK }),
        Some(SpanEnd::Failed) => json!({ "code": STATUS_ERROR }),
        Some(SpanEnd::Interrupted) => json!({ "code": STATUS_ERROR, "message": "interrupted" }),
        None => json!({}),
    }
}

fn attribute(key: &str, value: &Value) -> Value {
    json!({ "key": key, "value": any(value) })
}

/// OTLP's `AnyValue`; 64-bit numbers are texts there.
fn any(value: &Value) -> Value {
    match value {
        Value::String(text) => json!({ "stringValue": text }),
        Value::Bool(b) => json!({ "boolValue": b }),
        Value::Number(n) if n.is_i64() || n.is_u64() => json!({ "intValue": n.to_string() }),
        Value::Number(n) => json!({ "doubleValue": n }),
        Value::Array(all) => {
            json!({ "arrayValue": { "values": all.iter().map(any).collect::<Vec<_>>() } })
        }
        Value::Object(_) => json!({ "stringValue": value.to_string() }),
        Value::Null => json!({}),
    }
}

/// So many bytes of a digest, in hexadecimal.
fn id(text: &str, bytes: usize) -> String {
    let digest = Sha256::digest(format!("mend trace {text}"));
    hex::encode(&digest[..bytes])
}
