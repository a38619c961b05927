//! The API's description for programs (OpenAPI 3.1), made from one table of properties; a test holds
//! real answers against it, with nothing missing and nothing more.

use axum::Json;
use serde_json::{Map, Value, json};

/// Name, type, whether it may be null, what it is.
type Property = (&'static str, &'static str, bool, &'static str);

const TASK: &[Property] = &[
    ("id", "integer", false, "The run's number"),
    ("repository", "string", false, "owner/name"),
    ("issue", "integer", false, "The issue's number"),
    (
        "title",
        "string",
        false,
        "The issue's title when it was asked for",
    ),
    ("asked_by", "string", false, "The login of who asked"),
    ("state", "string", false, "queued, running, done or dead"),
    (
        "step",
        "string",
        true,
        "prepare, work, check, review or publish",
    ),
    (
        "verdict",
        "string",
        true,
        "The one answer, once it has ended",
    ),
    (
        "stopping",
        "boolean",
        false,
        "Whether somebody asked to stop it",
    ),
    ("attempt", "integer", false, "Attempts so far"),
    ("max_attempts", "integer", false, "Attempts at most"),
    ("pull_request", "integer", true, "The pull request's number"),
    ("base_sha", "string", true, "The commit that it began from"),
    ("head_sha", "string", true, "The commit that it made"),
    ("model", "string", true, "The model that answered"),
    (
        "error",
        "string",
        true,
        "Why the last attempt failed, or why it waits",
    ),
    ("created_at", "string", false, "RFC 3339, UTC"),
    ("updated_at", "string", false, "RFC 3339, UTC"),
    (
        "runs_at",
        "string",
        false,
        "Not before this time; RFC 3339, UTC",
    ),
];

const WHOLE: &[Property] = &[
    ("turns", "integer", false, "Turns of the model"),
    ("tokens", "integer", false, "Tokens in and out"),
    ("dollars", "number", true, "Spend; null without a price"),
    ("guards", "array", false, "Guards that fired: guard, span"),
    (
        "result",
        "object",
        true,
        "The document of `mend fix --json`, with the pull request",
    ),
];

const SPAN: &[Property] = &[
    ("id", "integer", false, "Within the run, from 1"),
    ("rev", "integer", false, "The number of its last writing"),
    ("parent", "integer", true, "The span around it"),
    ("kind", "string", false, "task, step, model, tool or check"),
    ("name", "string", false, "What was done"),
    (
        "started_at_ms",
        "integer",
        false,
        "Milliseconds since the Unix epoch",
    ),
    ("duration_ms", "integer", true, "null while it is open"),
    (
        "end",
        "string",
        true,
        "ok, failed or interrupted; null while it is open",
    ),
    (
        "input",
        "string",
        false,
        "What went in, redacted and bounded",
    ),
    (
        "output",
        "string",
        false,
        "What came out, redacted and bounded",
    ),
    (
        "attributes",
        "object",
        false,
        "More, by OpenTelemetry's names where it has one",
    ),
];

fn object(parts: &[&[Property]]) -> Value {
    let all = parts.iter().flat_map(|p| p.iter());
    let properties: Map<String, Value> = all
        .clone()
        .map(|(name, kind, null, what)| {
            let kind = match null {
                true => json!([kind, "null"]),
                false => json!(kind),
            };
            (
                name.to_string(),
                json!({ "type": kind, "description": what }),
            )
        })
        .collect();
    let required: Vec<&str> = all.map(|(name, ..)| *name).collect();
    json!({
        "type": "object", "properties": properties, "required": required,
        "additionalProperties": false,
    })
}

fn query(name: &str, kind: &str, what: &str) -> Value {
    json!({ "name": name, "in": "query", "description": what, "schema": { "type": kind } })
}

fn operation(id: &str, what: &str, parameters: &[Value], answer: &Value) -> Value {
    let reference = |name: &str| json!({ "$ref": format!("#/components/responses/{name}") });
    json!({ "get": {
        "operationId": id, "summary": what, "parameters": parameters,
        "responses": {
            "200": { "description": "The answer", "content": { "application/json": { "schema": answer } } },
            "400": reference("Wrong"), "401": reference("NoSession"), "404": reference("NotFound"),
        },
    } })
}

/// The whole description.
pub(super) fn document() -> Value {
    let schema = |name: &str| json!({ "$ref": format!("#/components/schemas/{name}") });
    let list = |name: &str| json!({ "type": "array", "items": schema(name) });
    let id =
        json!({ "name": "id", "in": "path", "required": true, "schema": { "type": "integer" } });
    let limit = query("limit", "integer", "1 to 200; 50 without it");
    let error = |what: &str| json!({ "description": what, "content": { "application/json": { "schema": schema("Error") } } });
    json!({
        "openapi": "3.1.0",
        "info": {
            "title": "mend", "version": env!("CARGO_PKG_VERSION"),
            "description": "Runs as the pages show them. Requests carry the cookie of a session; who may not read a repository gets 404 for its runs.",
        },
        "paths": {
            "/api/tasks": operation("tasks", "Runs, newest first", &[
                query("q", "string", "owner/name, #12, verdict:ready and words, as in the search field"),
                query("state", "string", "queued, running, done or dead"),
                query("before", "integer", "Only runs before this one: the next page"),
                limit.clone(),
            ], &list("Task")),
            "/api/tasks/{id}": operation("task", "One run with what came of it", std::slice::from_ref(&id), &schema("TaskWhole")),
            "/api/tasks/{id}/spans": operation("spans", "What a run did, in the order of writing", &[
                id.clone(), query("after", "integer", "Only spans that were written after this number"), limit,
            ], &list("Span")),
        },
        "components": {
            "schemas": {
                "Task": object(&[TASK]), "TaskWhole": object(&[TASK, WHOLE]), "Span": object(&[SPAN]),
                "Error": { "type": "object", "properties": { "error": { "type": "string" } }, "required": ["error"], "additionalProperties": false },
            },
            "responses": {
                "Wrong": error("A parameter is not understood"), "NoSession": error("Nobody is logged in"),
                "NotFound": error("There is no such run, or its repository may not be read"),
            },
        },
    })
}

/// `GET /api/openapi.json`
pub(in crate::web) async fn description() -> Json<Value> {
    Json(document())
}
