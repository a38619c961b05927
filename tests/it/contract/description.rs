//! GitHub's own OpenAPI description, and an exchange held against it.

use mend::simulator::Exchange;
use regex::Regex;
use serde_json::{Map, Value, json};
use std::collections::{BTreeSet, HashMap};
use std::process::Command;
use std::sync::{Arc, LazyLock, Mutex};

pub static GITHUB: LazyLock<Description> = LazyLock::new(Description::read);

/// Parameters that hold slashes.
const LONG: [&str; 4] = ["ref", "path", "basehead", "branch"];

pub struct Description {
    components: Value,
    operations: Vec<Operation>,
    validators: Mutex<HashMap<String, Arc<jsonschema::Validator>>>,
}

struct Operation {
    method: String,
    template: String,
    path: Regex,
    parameters: Vec<Value>,
    body: Option<Value>,
    /// The body may not be left out.
    needs_body: bool,
    /// By status: the schema of a JSON answer, or `None` for an answer without one.
    answers: HashMap<u16, Option<Value>>,
}

impl Description {
    fn read() -> Description {
        let file = "tests/cases/github/openapi.json.gz";
        let out = Command::new("gzip").args(["-dc", file]).output().unwrap();
        assert!(out.status.success(), "{file}");
        let whole: Value = serde_json::from_slice(&out.stdout).unwrap();
        let mut schemas = Map::new();
        for (name, schema) in whole["components"]["schemas"].as_object().unwrap() {
            schemas.insert(name.clone(), strict(schema, false));
            schemas.insert(format!("{name}~part"), strict(schema, true));
        }
        let mut operations = Vec::new();
        for (template, methods) in whole["paths"].as_object().unwrap() {
            for (method, operation) in methods.as_object().unwrap() {
                operations.push(Operation::read(&whole, template, method, operation));
            }
        }
        Description {
            components: Value::Object(schemas),
            operations,
            validators: Mutex::default(),
        }
    }

    fn operation(&self, method: &str, path: &str) -> Option<&Operation> {
        self.operations
            .iter()
            .filter(|o| o.method == method && o.path.is_match(path))
            .max_by_key(|o| {
                o.template
                    .split('/')
                    .filter(|s| !s.starts_with('{'))
                    .count()
            })
    }

    /// Whether the description names such a request.
    pub fn knows(&self, method: &str, path: &str) -> bool {
        self.operation(method, path).is_some()
    }

    /// What is wrong with the request.
    pub fn request(&self, exchange: &Exchange) -> Vec<String> {
        let path = canonical(&exchange.path);
        if path == "/graphql" {
            return Vec::new(); // tests/it/contract/graphql.rs
        }
        let Some(operation) = self.operation(&exchange.method, &path) else {
            return vec!["GitHub describes no such operation".to_string()];
        };
        let mut wrong = self.parameters(operation, &path, &exchange.query);
        match (&operation.body, &exchange.body) {
            (Some(schema), Value::Object(_) | Value::Array(_)) => {
                wrong.extend(self.errors(schema, &exchange.body, "body"));
            }
            (_, Value::Null) if operation.needs_body => wrong.push("no body".to_string()),
            (_, Value::Null) => {}
            (_, body) => wrong.push(format!("a body where none is taken: {body}")),
        }
        wrong
    }

    fn parameters(&self, operation: &Operation, path: &str, query: &str) -> Vec<String> {
        let mut wrong = Vec::new();
        let named = operation.path.captures(path).unwrap();
        let in_path = operation.path.capture_names().flatten();
        let in_path = in_path.map(|n| ("path", n.to_string(), named[n].to_string()));
        let pairs = query.split('&').filter(|pair| !pair.is_empty());
        let in_query = pairs.map(|pair| {
            let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
            ("query", name.to_string(), value.replace('+', " "))
        });
        for (place, name, value) in in_path.chain(in_query) {
            let is = |p: &&Value| p["in"] == place && p["name"] == name.as_str();
            let Some(parameter) = operation.parameters.iter().find(is) else {
                wrong.push(format!("{place} parameter `{name}` is unknown"));
                continue;
            };
            let value = decoded(&value);
            let value = match parameter["schema"]["type"].as_str() {
                Some("integer") => value.parse::<i64>().map_or(json!(value), |n| json!(n)),
                Some("boolean") => value.parse::<bool>().map_or(json!(value), |b| json!(b)),
                _ => json!(value),
            };
            let schema = strict(&parameter["schema"], false);
            wrong.extend(self.errors(&schema, &value, &format!("{place} parameter `{name}`")));
        }
        wrong
    }

    /// What is wrong with the answer. GitHub's own examples leave out fields that the description
    /// requires: what is missing is told apart.
    pub fn answer(&self, exchange: &Exchange) -> Answered {
        let mut answered = Answered::default();
        let path = canonical(&exchange.path);
        if path == "/graphql" {
            return answered;
        }
        let Some(operation) = self.operation(&exchange.method, &path) else {
            return answered; // of the request
        };
        let status = exchange.status;
        if !(200..300).contains(&status) {
            let told = exchange.answer.as_ref().map(|a| &a["message"]);
            if !told.is_some_and(Value::is_string) && status >= 400 {
                answered.wrong.push(format!("{status} without a message"));
            }
            return answered;
        }
        match (operation.answers.get(&status), &exchange.answer) {
            (None, _) => answered.wrong.push(format!("{status} is not described")),
            (Some(None), Some(body)) => answered.wrong.push(format!("a body: {body}")),
            (Some(Some(schema)), Some(body)) => {
                for error in self.errors(schema, body, "answer") {
                    match error.contains(" is a required property") {
                        true => answered.missing.push(error),
                        false => answered.wrong.push(error),
                    }
                }
            }
            (Some(_), None) => {} // another media type
        }
        answered
    }

    fn errors(&self, schema: &Value, value: &Value, place: &str) -> Vec<String> {
        let errors: Vec<String> = self
            .validator(schema)
            .iter_errors(value)
            .map(|e| {
                let mut text = e.to_string();
                if let Some((cut, _)) = text.char_indices().nth(300) {
                    let end = text.len()
                        - text
                            .chars()
                            .rev()
                            .take(160)
                            .map(char::len_utf8)
                            .sum::<usize>();
                    text = format!("{} … {}", &text[..cut], &text[end.max(cut)..]);
                }
                format!("{place}{}: {text}", e.instance_path())
            })
            .collect();
        errors
    }

    fn validator(&self, schema: &Value) -> Arc<jsonschema::Validator> {
        let key = schema.to_string();
        if let Some(known) = self.validators.lock().unwrap().get(&key) {
            return known.clone();
        }
        // With the components that it names, and no others: compiling all of them takes a second.
        let (mut used, mut waiting) = (Map::new(), names(schema));
        while let Some(name) = waiting.pop_first() {
            let component = &self.components[&name];
            assert!(!component.is_null(), "{name}");
            waiting.extend(
                names(component)
                    .into_iter()
                    .filter(|n| !used.contains_key(n)),
            );
            used.insert(name, component.clone());
        }
        let root = json!({
            "$schema": "https://json-schema.org/draft/2020-12/schema",
            "allOf": [schema],
            "components": { "schemas": used },
        });
        let made = jsonschema::options()
            .build(&root)
            .unwrap_or_else(|e| panic!("{e}: {schema}"));
        let made = Arc::new(made);
        self.validators.lock().unwrap().insert(key, made.clone());
        made
    }
}

#[derive(Debug, Default)]
pub struct Answered {
    pub wrong: Vec<String>,
    pub missing: Vec<String>,
}

impl Operation {
    fn read(whole: &Value, template: &str, method: &str, operation: &Value) -> Operation {
        let resolved = |value: &Value| match value["$ref"].as_str() {
            Some(at) => whole.pointer(at.trim_start_matches('#')).unwrap().clone(),
            None => value.clone(),
        };
        let parameters = operation["parameters"].as_array();
        let pattern = template.split('/').map(|s| match s.strip_prefix('{') {
            Some(name) => {
                let name = name.trim_end_matches('}');
                let width = if LONG.contains(&name) { ".*" } else { "[^/]+" };
                format!("(?<{name}>{width})")
            }
            None => regex::escape(s),
        });
        let pattern: Vec<String> = pattern.collect();
        let body = &operation["requestBody"]["content"]["application/json"]["schema"];
        let answers = operation["responses"].as_object().unwrap();
        let answers = answers.iter().filter_map(|(status, answer)| {
            let content = resolved(answer)["content"].clone();
            let schema = content["application/json"].get("schema");
            let schema = schema.map(|s| strict(s, false));
            Some((status.parse().ok()?, schema))
        });
        Operation {
            method: method.to_uppercase(),
            template: template.to_string(),
            path: Regex::new(&format!("^{}$", pattern.join("/"))).unwrap(),
            parameters: parameters.into_iter().flatten().map(resolved).collect(),
            body: (!body.is_null()).then(|| strict(body, false)),
            needs_body: operation["requestBody"]["required"] == true,
            answers: answers.collect(),
        }
    }
}

/// The path as the description has it: `/repositories/ID` stands for `/repos/OWNER/NAME`, where
/// GitHub redirects to, and is not described.
fn canonical(path: &str) -> String {
    // An Enterprise Server has its API beneath a path.
    let graphql = path.strip_prefix("/api").filter(|p| *p == "/graphql");
    let path = path.strip_prefix("/api/v3").or(graphql).unwrap_or(path);
    match path.strip_prefix("/repositories/") {
        Some(rest) => {
            let rest = rest
                .split_once('/')
                .map_or(String::new(), |(_, rest)| format!("/{rest}"));
            format!("/repos/owner/name{rest}")
        }
        None => path.to_string(),
    }
}

fn decoded(text: &str) -> String {
    let (mut out, bytes, mut at) = (Vec::new(), text.as_bytes(), 0);
    while at < bytes.len() {
        let code = text
            .get(at + 1..at + 3)
            .and_then(|c| u8::from_str_radix(c, 16).ok());
        match (bytes[at], code) {
            (b'%', Some(code)) => {
                out.push(code);
                at += 3;
            }
            (byte, _) => {
                out.push(byte);
                at += 1;
            }
        }
    }
    String::from_utf8_lossy(&out).into_owned()
}

/// The components that a schema names.
fn names(schema: &Value) -> BTreeSet<String> {
    match schema {
        Value::Object(map) => {
            let own = map.get("$ref").and_then(Value::as_str);
            let own = own.and_then(|r| r.strip_prefix("#/components/schemas/"));
            let inner = map.values().flat_map(names);
            own.map(String::from).into_iter().chain(inner).collect()
        }
        Value::Array(list) => list.iter().flat_map(names).collect(),
        _ => BTreeSet::new(),
    }
}

/// A schema of OpenAPI 3.0 as JSON Schema 2020-12, with objects closed: a field that it does not
/// name is an error. `part`: it is one of several that describe the same value together, and the
/// whole is closed instead.
fn strict(schema: &Value, part: bool) -> Value {
    let Value::Object(schema) = schema else {
        return schema.clone();
    };
    let mut out = Map::new();
    let together = schema.contains_key("properties") || schema.contains_key("allOf");
    for (key, value) in schema {
        let each = |part: bool| -> Value {
            let list = value.as_array().unwrap();
            list.iter().map(|s| strict(s, part)).collect()
        };
        match key.as_str() {
            "nullable" | "discriminator" => {}
            "allOf" => drop(out.insert(key.clone(), each(true))),
            // Without required fields alternatives overlap.
            "anyOf" | "oneOf" => drop(out.insert("anyOf".into(), each(part || together))),
            "properties" => {
                let inner = value.as_object().unwrap().iter();
                let inner = inner.map(|(k, v)| (k.clone(), strict(v, false)));
                out.insert(key.clone(), Value::Object(inner.collect()));
            }
            "items" | "not" => drop(out.insert(key.clone(), strict(value, false))),
            "additionalProperties" if value == true && together => {}
            "additionalProperties" => drop(out.insert(key.clone(), strict(value, false))),
            "$ref" if part => {
                let name = format!("{}~part", value.as_str().unwrap());
                out.insert(key.clone(), json!(name));
            }
            _ => drop(out.insert(key.clone(), value.clone())),
        }
    }
    if together && !part && !out.contains_key("additionalProperties") {
        let composed = out.contains_key("allOf") || out.contains_key("anyOf");
        let closed = if composed {
            "unevaluatedProperties"
        } else {
            "additionalProperties"
        };
        out.insert(closed.into(), json!(false));
    }
    match schema.get("nullable") {
        Some(Value::Bool(true)) => json!({ "anyOf": [out, { "type": "null" }] }),
        _ => Value::Object(out),
    }
}
