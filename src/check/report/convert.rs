//! Reports in other forms, as JUnit XML or as text.

use serde::Deserialize;
use serde_json::Value;
use std::fmt::Write;

/// RSpec's `--format json`.
pub(super) fn from_rspec(bytes: &[u8]) -> Option<Vec<u8>> {
    let report: Value = serde_json::from_slice(bytes).ok()?;
    let mut xml = String::from("<testsuites>");
    for example in report.get("examples")?.as_array()? {
        let text = |key: &str| example.get(key).and_then(Value::as_str).unwrap_or_default();
        let case = Case {
            name: text("full_description"),
            file: text("file_path").trim_start_matches("./"),
            line: example.get("line_number").and_then(Value::as_u64),
            state: match text("status") {
                "passed" => State::Passed,
                "pending" => State::Skipped,
                _ => State::Failed,
            },
            message: example
                .pointer("/exception/message")
                .and_then(Value::as_str)
                .unwrap_or_default(),
        };
        case.write(&mut xml);
    }
    xml.push_str("</testsuites>");
    Some(xml.into_bytes())
}

/// jest's `--json`.
pub(super) fn from_jest(bytes: &[u8]) -> Option<Vec<u8>> {
    let report: Value = serde_json::from_slice(bytes).ok()?;
    let mut xml = String::from("<testsuites>");
    for file in report.get("testResults")?.as_array()? {
        let path = file.get("name").and_then(Value::as_str).unwrap_or_default();
        let path = path.strip_prefix("/repo/").unwrap_or(path);
        let tests = file.get("assertionResults").and_then(Value::as_array);
        for test in tests.into_iter().flatten() {
            let text = |key: &str| test.get(key).and_then(Value::as_str).unwrap_or_default();
            let case = Case {
                name: text("fullName"),
                file: path,
                line: test.pointer("/location/line").and_then(Value::as_u64),
                state: match text("status") {
                    "passed" => State::Passed,
                    "failed" => State::Failed,
                    _ => State::Skipped,
                },
                message: test
                    .pointer("/failureMessages/0")
                    .and_then(Value::as_str)
                    .unwrap_or_default(),
            };
            case.write(&mut xml);
        }
    }
    xml.push_str("</testsuites>");
    Some(xml.into_bytes())
}

#[derive(PartialEq, Eq)]
enum State {
    Passed,
    Failed,
    Skipped,
}

struct Case<'a> {
    name: &'a str,
    file: &'a str,
    line: Option<u64>,
    state: State,
    message: &'a str,
}

impl Case<'_> {
    fn write(&self, xml: &mut String) {
        let line = self
            .line
            .map_or(String::new(), |n| format!(" line=\"{n}\""));
        let _ = write!(
            xml,
            "<testcase name=\"{}\" file=\"{}\"{line}>",
            escaped(self.name),
            escaped(self.file)
        );
        match self.state {
            State::Passed => {}
            State::Skipped => xml.push_str("<skipped/>"),
            State::Failed => {
                let message: String = self.message.chars().take(2000).collect();
                let _ = write!(xml, "<failure message=\"{}\"/>", escaped(&message));
            }
        }
        xml.push_str("</testcase>");
    }
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
        .replace('"', "&quot;")
        .replace('\n', "&#10;")
}

/// One event of `go test -json` (go doc test2json).
#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct GoEvent {
    action: String,
    #[serde(default)]
    output: Option<String>,
}

/// The text that `go test -v` would have printed; whatever is no event stays as it is.
pub(in crate::check) fn from_go(output: &[u8]) -> Vec<u8> {
    let mut text = Vec::with_capacity(output.len());
    for line in output.split_inclusive(|b| *b == b'\n') {
        let event = line
            .starts_with(b"{")
            .then(|| serde_json::from_slice::<GoEvent>(line).ok())
            .flatten();
        match event {
            Some(GoEvent {
                action,
                output: Some(said),
            }) if action == "output" || action == "build-output" => {
                text.extend_from_slice(said.as_bytes());
            }
            Some(_) => {}
            None => text.extend_from_slice(line),
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn go_events_become_text_and_the_rest_stays() {
        let output = b"go: downloading x\n{\"Action\":\"start\",\"Package\":\"p\"}\n{\"Action\":\"output\",\"Package\":\"p\",\"Output\":\"=== RUN   TestA\\n\"}\n{\"Action\":\"pass\"}\n{\"other\":1}\n{half";
        let text = String::from_utf8(from_go(output)).unwrap();
        assert_eq!(
            text,
            "go: downloading x\n=== RUN   TestA\n{\"other\":1}\n{half"
        );
    }

    #[test]
    fn json_becomes_test_cases() {
        let rspec = br#"{"examples":[{"full_description":"A \"b\" <c>","status":"failed","file_path":"./spec/a_spec.rb","line_number":3,"exception":{"message":"x & y"}},{"full_description":"ok","status":"passed","file_path":"./spec/a_spec.rb"}]}"#;
        let xml = String::from_utf8(from_rspec(rspec).unwrap()).unwrap();
        assert!(xml.contains("name=\"A &quot;b&quot; &lt;c&gt;\" file=\"spec/a_spec.rb\" line=\"3\"><failure message=\"x &amp; y\"/>"), "{xml}");
        let jest = br#"{"testResults":[{"name":"/repo/a.test.js","assertionResults":[{"fullName":"adds","status":"pending"}]}]}"#;
        let xml = String::from_utf8(from_jest(jest).unwrap()).unwrap();
        assert!(xml.contains("file=\"a.test.js\"><skipped/>"), "{xml}");
        assert!(from_jest(b"[]").is_none() && from_rspec(b"x").is_none());
    }
}
