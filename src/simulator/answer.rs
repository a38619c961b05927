//! What an endpoint is asked and what it answers, and GitHub's words for a refusal.

use super::caller::Caller;
use axum::body::Body;
use axum::http::{HeaderMap, HeaderName, HeaderValue, Response, StatusCode, header};
use serde_json::{Value, json};
use std::collections::HashMap;

const DOCUMENTATION: &str = "https://docs.github.com/rest";

/// One request to the REST API, with everything that an endpoint looks at.
pub(super) struct Call {
    pub caller: Caller,
    /// The credential as it was sent.
    pub secret: Option<String>,
    /// The path as it was asked, for Link headers.
    pub uri: String,
    pub path: HashMap<String, String>,
    pub query: HashMap<String, String>,
    pub body: Value,
}

impl Call {
    pub fn part(&self, name: &str) -> &str {
        self.path.get(name).map_or("", String::as_str)
    }

    /// A number in the path; what is none names nothing.
    pub fn number(&self, name: &str) -> Result<u64, Refusal> {
        self.part(name).parse().map_err(|_| Refusal::not_found())
    }

    pub fn query(&self, name: &str) -> Option<&str> {
        self.query.get(name).map(String::as_str)
    }

    /// A string in the body that may be left out or null.
    pub fn text(&self, name: &str) -> Result<Option<&str>, Refusal> {
        match self.body.get(name) {
            None | Some(Value::Null) => Ok(None),
            Some(Value::String(text)) => Ok(Some(text)),
            Some(_) => Err(Refusal::invalid_request(&format!(
                "For '/{name}', the value is not a string."
            ))),
        }
    }

    /// A string that the body must have.
    pub fn needed(&self, name: &str) -> Result<&str, Refusal> {
        self.text(name)?
            .ok_or_else(|| Refusal::invalid_request(&format!("\"{name}\" wasn't supplied.")))
    }

    pub fn flag(&self, name: &str) -> Option<bool> {
        self.body.get(name).and_then(Value::as_bool)
    }

    /// Strings, or objects with a `name`, of a list in the body.
    pub fn names(&self, name: &str) -> Option<Vec<String>> {
        let list = match &self.body {
            Value::Array(list) => list,
            body => body.get(name)?.as_array()?,
        };
        let word = |v: &Value| {
            v.as_str()
                .or_else(|| v.get("name")?.as_str())
                .map(str::to_string)
        };
        Some(list.iter().filter_map(word).collect())
    }

    /// The page of `all` that was asked for, with the links to the others.
    pub fn page(&self, all: Vec<Value>) -> Answer {
        let (items, link) = self.cut(all);
        Answer {
            link,
            ..Answer::ok(Value::Array(items))
        }
    }

    /// As [`Call::page`], in an object `{"total_count", key: […]}`.
    pub fn counted_page(&self, key: &str, all: Vec<Value>) -> Answer {
        let total = all.len();
        let (items, link) = self.cut(all);
        Answer {
            link,
            ..Answer::ok(json!({ "total_count": total, key: items }))
        }
    }

    fn cut(&self, all: Vec<Value>) -> (Vec<Value>, Option<String>) {
        let number = |name: &str| self.query(name).and_then(|t| t.parse::<usize>().ok());
        let size = number("per_page").unwrap_or(30).clamp(1, 100);
        let page = number("page").unwrap_or(1).max(1);
        let last = all.len().div_ceil(size).max(1);
        let url = |page: usize| {
            let mut pairs: Vec<_> = self.query.iter().filter(|(k, _)| *k != "page").collect();
            pairs.sort();
            let rest: String = pairs
                .iter()
                .map(|(k, v)| format!("{}={}&", escaped(k), escaped(v)))
                .collect();
            format!("<{}?{rest}page={page}>", self.uri)
        };
        let mut links = Vec::new();
        if page > 1 {
            links.push(format!("{}; rel=\"prev\"", url(page - 1)));
        }
        if page < last {
            links.push(format!("{}; rel=\"next\"", url(page + 1)));
            links.push(format!("{}; rel=\"last\"", url(last)));
        }
        if page > 1 {
            links.push(format!("{}; rel=\"first\"", url(1)));
        }
        let items = all.into_iter().skip((page - 1) * size).take(size).collect();
        (items, (!links.is_empty()).then(|| links.join(", ")))
    }
}

/// Everything but the unreserved characters of RFC 3986 as `%XX`.
pub(super) fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for byte in text.bytes() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' => {
                out.push(char::from(byte));
            }
            other => out.push_str(&format!("%{other:02X}")),
        }
    }
    out
}

/// What an endpoint answers.
#[derive(Debug)]
pub(super) struct Answer {
    pub status: u16,
    /// `None` is an answer without a body.
    pub body: Option<Value>,
    pub link: Option<String>,
    /// Instead of JSON: a media type and its text.
    pub plain: Option<(&'static str, String)>,
}

impl Answer {
    pub fn ok(body: Value) -> Answer {
        Answer::with(200, body)
    }

    pub fn created(body: Value) -> Answer {
        Answer::with(201, body)
    }

    pub fn with(status: u16, body: Value) -> Answer {
        Answer {
            status,
            body: Some(body),
            link: None,
            plain: None,
        }
    }

    pub fn empty(status: u16) -> Answer {
        Answer {
            status,
            body: None,
            link: None,
            plain: None,
        }
    }

    pub fn plain(media_type: &'static str, text: String) -> Answer {
        Answer {
            plain: Some((media_type, text)),
            ..Answer::empty(200)
        }
    }
}

/// Why something is not done.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Refusal {
    pub status: u16,
    pub message: String,
    pub errors: Vec<Value>,
}

impl Refusal {
    pub fn new(status: u16, message: &str) -> Refusal {
        Refusal {
            status,
            message: message.to_string(),
            errors: Vec::new(),
        }
    }

    pub fn unauthorized(message: &str) -> Refusal {
        Refusal::new(401, message)
    }

    pub fn bad_credentials() -> Refusal {
        Refusal::unauthorized("Bad credentials")
    }

    /// What GitHub says when a token's permissions do not cover the request.
    pub fn not_granted() -> Refusal {
        Refusal::new(403, "Resource not accessible by integration")
    }

    pub fn not_found() -> Refusal {
        Refusal::new(404, "Not Found")
    }

    /// A body that does not fit the endpoint's schema.
    pub fn invalid_request(what: &str) -> Refusal {
        Refusal::new(422, &format!("Invalid request.\n\n{what}"))
    }

    /// A body that fits the schema and is still wrong.
    pub fn invalid(resource: &str, field: &str, code: &str, message: Option<&str>) -> Refusal {
        let mut error = json!({ "resource": resource, "field": field, "code": code });
        if let Some(text) = message {
            error = json!({ "resource": resource, "code": "custom", "message": text });
        }
        Refusal {
            errors: vec![error],
            ..Refusal::new(422, "Validation Failed")
        }
    }

    pub fn body(&self) -> Value {
        let mut body = json!({ "message": self.message });
        if !self.errors.is_empty() {
            body["errors"] = Value::Array(self.errors.clone());
        }
        body["documentation_url"] = json!(DOCUMENTATION);
        body["status"] = json!(self.status.to_string());
        body
    }
}

impl From<git2::Error> for Refusal {
    fn from(error: git2::Error) -> Refusal {
        match error.code() {
            git2::ErrorCode::NotFound => Refusal::not_found(),
            _ => Refusal::new(500, &format!("git: {}", error.message())),
        }
    }
}

/// The answer as HTTP.
pub(super) fn respond(answer: Result<Answer, Refusal>) -> Response<Body> {
    let answer = match answer {
        Ok(answer) => answer,
        Err(refusal) => Answer::with(refusal.status, refusal.body()),
    };
    let (media_type, body) = match (answer.plain, answer.body) {
        (Some((media_type, text)), _) => (media_type, text),
        (None, Some(json)) => ("application/json; charset=utf-8", json.to_string()),
        (None, None) => ("", String::new()),
    };
    let mut response = Response::new(Body::from(body));
    *response.status_mut() =
        StatusCode::from_u16(answer.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    let headers = response.headers_mut();
    if !media_type.is_empty() {
        headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(media_type));
    }
    set(headers, "x-github-media-type", "github.v3; format=json");
    if let Some(link) = answer.link {
        set(headers, "link", &link);
    }
    response
}

/// Sets a header; a value that is none is left out.
pub(super) fn set(headers: &mut HeaderMap, name: &'static str, value: &str) {
    if let Ok(value) = HeaderValue::from_str(value) {
        headers.insert(HeaderName::from_static(name), value);
    }
}
