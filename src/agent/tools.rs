//! The tools that the model may call: the arguments of a call as types.

use super::Settings;
use crate::domain::Contradiction;
use crate::edit;
use crate::model::{Arguments, ToolCall};
use crate::text::{clip_words, one_line};
use serde::Deserialize;
use serde_json::{Value, json};

/// A call that names a known tool and has the fields that it needs.
#[derive(Debug)]
pub(super) enum Call {
    ListFiles {
        path: Option<String>,
    },
    ReadFile {
        path: String,
        start: Option<u64>,
        lines: Option<u64>,
    },
    Search {
        pattern: String,
        path: Option<String>,
        context: Option<u64>,
    },
    Edit(edit::ToolCall),
    RestoreFile {
        path: String,
    },
    RunTests {
        pattern: Option<String>,
    },
    RunCommand {
        command: String,
    },
    /// A whole text reply, for the edits in it; no tool.
    Reply(String),
    Finish(End),
}

/// How the model closes its work.
#[derive(Debug, Clone, Default)]
pub(super) struct End {
    pub(super) summary: String,
    pub(super) named: Vec<Contradiction>,
    /// One thing that has to be known before anything can be done.
    pub(super) question: Option<String>,
    /// What the report asked, answered without code.
    pub(super) answer: Option<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct PathOnly {
    path: Option<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Read {
    path: String,
    start: Option<u64>,
    lines: Option<u64>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Search {
    pattern: String,
    path: Option<String>,
    context: Option<u64>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Restore {
    path: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Tests {
    pattern: Option<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Command {
    command: String,
}

#[derive(Deserialize)]
struct Finish {
    summary: Option<String>,
    contradicting_tests: Option<Vec<Named>>,
    question: Option<String>,
    answer: Option<String>,
}

/// What `finish` has to be given.
const CLOSING: &str = "`finish`: give `summary`, or where nothing was changed `question` (what you have to know) or `answer`";

#[derive(Deserialize)]
struct Named {
    test: String,
    file: Option<String>,
    line: Option<Value>,
    expected: Option<Value>,
    report_requires: Option<Value>,
    why: Option<Value>,
}

/// Reads a call; the error says what is wrong with it, for the model.
pub(super) fn parse(call: &ToolCall, settings: &Settings) -> Result<Call, String> {
    let value = match &call.arguments {
        Arguments::Json(value) => value.clone(),
        Arguments::Broken { error, .. } => {
            return Err(format!(
                "the arguments of `{}` are not valid JSON ({error}); nothing was done. Send the call again",
                call.name
            ));
        }
    };
    Ok(match call.name.as_str() {
        "list_files" => {
            let a: PathOnly = fields(&call.name, value)?;
            Call::ListFiles { path: a.path }
        }
        "read_file" => {
            let a: Read = fields(&call.name, value)?;
            Call::ReadFile {
                path: a.path,
                start: a.start,
                lines: a.lines,
            }
        }
        "search" => {
            let a: Search = fields(&call.name, value)?;
            Call::Search {
                pattern: a.pattern,
                path: a.path,
                context: a.context,
            }
        }
        "edit_file" | "write_file" => {
            Call::Edit(edit::parse_call(&call.name, &value).map_err(|e| e.message)?)
        }
        "restore_file" => {
            let a: Restore = fields(&call.name, value)?;
            Call::RestoreFile { path: a.path }
        }
        "run_tests" => {
            let a: Tests = fields(&call.name, value)?;
            Call::RunTests {
                pattern: a.pattern.filter(|p| !p.trim().is_empty()),
            }
        }
        "run_command" if settings.run_command => {
            let a: Command = fields(&call.name, value)?;
            match a.command.trim() {
                "" => return Err("`run_command`: the command is empty; nothing was done".into()),
                command => Call::RunCommand {
                    command: command.to_string(),
                },
            }
        }
        "finish" => {
            let a: Finish = fields(&call.name, value)?;
            let named = contradictions(a.contradicting_tests.unwrap_or_default())?;
            let said = |text: Option<String>| text.filter(|t| !t.trim().is_empty());
            if a.summary.is_none() && a.question.is_none() && a.answer.is_none() {
                return Err(format!("{CLOSING}; nothing was done"));
            }
            Call::Finish(End {
                summary: a.summary.unwrap_or_default(),
                named,
                question: said(a.question),
                answer: said(a.answer),
            })
        }
        other => {
            let names: Vec<String> = super::specs::specs(settings)
                .into_iter()
                .map(|s| s.name)
                .collect();
            return Err(format!(
                "there is no tool `{other}`; the tools are {}",
                names.join(", ")
            ));
        }
    })
}

fn fields<T: serde::de::DeserializeOwned>(tool: &str, value: Value) -> Result<T, String> {
    let value = if value.is_null() { json!({}) } else { value };
    serde_json::from_value(value).map_err(|e| format!("`{tool}`: {e}; nothing was done"))
}

/// A test as a text names it: `tests/test_terms.py:44 test_net_30`, in any order.
pub(super) fn named(text: &str) -> Contradiction {
    let mut found = Contradiction {
        test: String::new(),
        file: None,
        line: None,
        expected: None,
        report_requires: None,
        why: None,
        confirmed: false,
    };
    let mut rest = Vec::new();
    for word in text.split_whitespace() {
        let plain = word.trim_matches(['`', ',', '(', ')']);
        let (path, line) = plain.rsplit_once(':').unwrap_or((plain, ""));
        let line = line.parse::<u64>().ok();
        let path = if line.is_some() { path } else { plain };
        let is_file = path.contains('/') || line.is_some();
        if found.file.is_none() && is_file && !path.contains("::") {
            (found.file, found.line) = (Some(path.to_string()), line);
        } else {
            rest.push(plain);
        }
    }
    found.test = match rest.is_empty() {
        true => text.trim().to_string(),
        false => rest.join(" "),
    };
    found
}

fn contradiction(named: Named) -> Contradiction {
    let text = |v: Option<Value>| {
        v.and_then(|v| match v {
            Value::Null => None,
            Value::String(s) => Some(s),
            other => Some(other.to_string()),
        })
    };
    Contradiction {
        test: named.test,
        file: named.file,
        line: named
            .line
            .and_then(|v| v.as_u64().or_else(|| v.as_str()?.parse().ok())),
        expected: text(named.expected),
        report_requires: text(named.report_requires),
        why: text(named.why),
        confirmed: false,
    }
}

fn contradictions(named: Vec<Named>) -> Result<Vec<Contradiction>, String> {
    let named: Vec<Contradiction> = named.into_iter().map(contradiction).collect();
    named.iter().try_for_each(whole)?;
    Ok(named)
}

/// Whether a contradiction says everything that a maintainer compares.
fn whole(named: &Contradiction) -> Result<(), String> {
    let lacks = |text: &Option<String>| text.as_ref().is_none_or(|t| t.trim().is_empty());
    let missing: Vec<&str> = [
        ("`expected`", &named.expected),
        ("`report_requires`", &named.report_requires),
        ("`why`", &named.why),
    ]
    .into_iter()
    .filter(|(_, text)| lacks(text))
    .map(|(key, _)| key)
    .collect();
    match missing.is_empty() {
        true => Ok(()),
        false => Err(format!(
            "`finish`: the contradicting test `{}` lacks {}; nothing was done. Call it again with them, so that a person can compare",
            clip_words(&one_line(&named.test), 80),
            missing.join(", ")
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn call(name: &str, arguments: Value) -> ToolCall {
        ToolCall {
            id: "1".into(),
            name: name.into(),
            arguments: Arguments::Json(arguments),
        }
    }

    #[test]
    fn a_wrong_call_is_told_what_is_wrong() {
        let cases = [
            (call("reed_file", json!({})), "there is no tool `reed_file`"),
            (call("read_file", json!({})), "missing field `path`"),
            (call("read_file", json!({"path": 3})), "expected a string"),
            (
                call("read_file", json!({"path": "a", "limit": 3})),
                "unknown field `limit`",
            ),
            (
                call("finish", json!({"text": "x"})),
                "give `summary`, or where nothing was changed `question`",
            ),
        ];
        for (call, says) in cases {
            let error = parse(&call, &Settings::default()).unwrap_err();
            assert!(error.contains(says), "{error}");
        }
        let broken = Arguments::Broken {
            raw: "{\"pa".into(),
            error: "EOF".into(),
        };
        let broken = ToolCall {
            id: "1".into(),
            name: "write_file".into(),
            arguments: broken,
        };
        assert!(
            parse(&broken, &Settings::default())
                .unwrap_err()
                .contains("not valid JSON")
        );
    }

    #[test]
    fn contradictions_are_read_whatever_their_types() {
        let args = json!({"summary": "s", "contradicting_tests": [{"test": "t", "line": "44", "expected": 50, "report_requires": 100, "why": "50 is not 100"}]});
        let Ok(Call::Finish(End { named, .. })) =
            parse(&call("finish", args), &Settings::default())
        else {
            panic!("not read")
        };
        assert_eq!(named[0].line, Some(44));
        assert_eq!(named[0].expected.as_deref(), Some("50"));
    }

    #[test]
    fn a_contradiction_without_its_reasons_is_asked_for_again() {
        let args = json!({"summary": "s", "contradicting_tests": [{"test": "t", "expected": " "}]});
        let error = parse(&call("finish", args), &Settings::default()).unwrap_err();
        assert!(
            error.contains("`t` lacks `expected`, `report_requires`, `why`"),
            "{error}"
        );
    }

    #[test]
    fn a_question_or_an_answer_alone_closes_the_work() {
        for args in [json!({"question": "Which?"}), json!({"answer": "Both."})] {
            let parsed = parse(&call("finish", args), &Settings::default());
            assert!(matches!(parsed, Ok(Call::Finish(_))), "{parsed:?}");
        }
    }
}
