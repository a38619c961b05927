//! Traces for other programs, and the command line's own help.

use crate::program::{Base, Site, fixing};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::process::Command;
use std::time::Duration;

/// A span's attributes by name.
fn attributes(span: &Value) -> BTreeMap<String, Value> {
    let all = span["attributes"].as_array().unwrap();
    all.iter()
        .map(|a| (a["key"].as_str().unwrap().into(), a["value"].clone()))
        .collect()
}

/// Ids, times and parents as OTLP wants them.
fn well_formed(spans: &[Value]) {
    let ids: BTreeSet<&str> = spans
        .iter()
        .map(|s| s["spanId"].as_str().unwrap())
        .collect();
    assert_eq!(ids.len(), spans.len());
    for span in spans {
        assert_eq!(span["traceId"].as_str().unwrap().len(), 32);
        assert_eq!(span["spanId"].as_str().unwrap().len(), 16);
        let time = |key: &str| span[key].as_str().unwrap().parse::<u64>().unwrap();
        assert!(time("endTimeUnixNano") >= time("startTimeUnixNano"));
        if let Some(parent) = span["parentSpanId"].as_str() {
            assert!(ids.contains(parent));
        }
    }
}

#[cfg(feature = "otlp")]
async fn sent(site: &Site, task: &str, document: &Value) {
    use crate::model::stub::{Answer, Stub};
    let collector = Stub::start(vec![Answer::json(200, "{}"), Answer::json(415, "")]).await;
    let send = |to: String| {
        let config = site.config("one");
        let task = task.to_string();
        tokio::process::Command::new(env!("CARGO_BIN_EXE_mend"))
            .args(["tasks", "trace", &task, "--to", &to, "--config"])
            .arg(config)
            .output()
    };
    let out = send(collector.base.clone()).await.unwrap();
    assert!(
        out.status.success(),
        "{}",
        String::from_utf8_lossy(&out.stderr)
    );
    assert_eq!(collector.seen()[0].path, "/v1/traces");
    assert_eq!(&collector.bodies()[0], document);
    let out = send(format!("{}/other", collector.base)).await.unwrap();
    assert_eq!(out.status.code(), Some(3));
    assert_eq!(collector.seen()[1].path, "/other");
    let said = String::from_utf8_lossy(&out.stderr).into_owned();
    assert!(
        said.contains("answers 415; it must take OTLP over HTTP in JSON"),
        "{said}"
    );
}

#[tokio::test]
async fn a_trace_leaves_as_lines_and_as_opentelemetry_takes_it() {
    let site = Site::new(Base::Sqlite, fixing(Duration::ZERO).await).await;
    let mut serve = site.start("one", "all", &[]);
    site.listens().await;
    site.label();
    let store = site.store("one").await;
    let task = site.ended(&store, 1).await[0].id.to_string();
    // The last spans are written after the verdict.
    let lines = site
        .until("the trace is whole", async || {
            let out = site.mend("one", &["tasks", "trace", &task]);
            let text = String::from_utf8(out.stdout).unwrap();
            let spans: Vec<Value> = text
                .lines()
                .map(|l| serde_json::from_str(l).unwrap())
                .collect();
            let whole = !spans.is_empty() && spans.iter().all(|s| !s["end"].is_null());
            whole.then_some(spans)
        })
        .await;
    let kinds: BTreeSet<&str> = lines.iter().filter_map(|s| s["kind"].as_str()).collect();
    assert_eq!(
        kinds,
        BTreeSet::from(["check", "model", "step", "task", "tool"])
    );
    assert!(
        lines
            .windows(2)
            .all(|w| w[0]["id"].as_u64() < w[1]["id"].as_u64())
    );

    let otlp = |more: &[&str]| -> Value {
        let mut arguments = vec!["tasks", "trace", task.as_str(), "--format", "otlp"];
        arguments.extend(more);
        let out = site.mend("one", &arguments);
        assert!(
            out.status.success(),
            "{}",
            String::from_utf8_lossy(&out.stderr)
        );
        serde_json::from_slice(&out.stdout).unwrap()
    };
    let document = otlp(&[]);
    let spans = &document["resourceSpans"][0]["scopeSpans"][0]["spans"];
    let spans = spans.as_array().unwrap();
    assert_eq!(spans.len(), lines.len());
    well_formed(spans);
    let named = |name: &str| {
        let found = spans.iter().find(|s| s["name"] == name);
        found.unwrap_or_else(|| panic!("no `{name}`"))
    };
    let chat = named("chat scripted");
    assert_eq!(chat["kind"], 3);
    let about = attributes(chat);
    assert_eq!(about["gen_ai.operation.name"]["stringValue"], "chat");
    assert_eq!(about["gen_ai.usage.input_tokens"]["intValue"], "1000");
    let about = attributes(named("execute_tool edit_file"));
    assert_eq!(about["gen_ai.tool.name"]["stringValue"], "edit_file");
    let about = attributes(named("invoke_agent mend"));
    assert_eq!(
        about["gen_ai.operation.name"]["stringValue"],
        "invoke_agent"
    );
    // Code and reports stay here, unless they are asked for; the ids stay the same.
    assert!(!document.to_string().contains("return a + b"));
    let more = otlp(&["--content"]);
    assert!(more.to_string().contains("return a + b"));
    assert_eq!(
        more["resourceSpans"][0]["scopeSpans"][0]["spans"][0]["traceId"],
        spans[0]["traceId"]
    );

    #[cfg(feature = "otlp")]
    sent(&site, &task, &document).await;
    store.close().await;
    serve.kill();
}

fn mend(arguments: &[&str]) -> String {
    let out = Command::new(env!("CARGO_BIN_EXE_mend"))
        .args(arguments)
        .output()
        .unwrap();
    assert!(out.status.success(), "{arguments:?}");
    String::from_utf8(out.stdout).unwrap()
}

#[test]
fn every_command_has_an_example_and_shells_complete_it() {
    let help = mend(&["--help"]);
    let list = help.split("Commands:").nth(1).unwrap();
    let list = list.split("\n\n").next().unwrap();
    let commands: Vec<&str> = list
        .lines()
        .filter_map(|l| l.split_whitespace().next())
        .filter(|c| *c != "help")
        .collect();
    assert!(commands.len() >= 15, "{commands:?}");
    for command in &commands {
        let text = mend(&[command, "--help"]);
        let examples = text
            .split("Examples:")
            .nth(1)
            .unwrap_or_else(|| panic!("{command}: {text}"));
        assert!(examples.contains(&format!("mend {command}")), "{examples}");
    }
    for shell in ["bash", "zsh", "fish"] {
        let script = mend(&["completions", shell]);
        for command in &commands {
            assert!(script.contains(command), "{shell} {command}");
        }
    }
    // What a shell itself thinks of it.
    let script = mend(&["completions", "bash"]);
    let ask = format!(
        "{script}\nCOMP_WORDS=(mend doc); COMP_CWORD=1; _mend mend doc mend; echo ${{COMPREPLY[@]}}"
    );
    let out = Command::new("bash").args(["-c", &ask]).output().unwrap();
    assert_eq!(String::from_utf8_lossy(&out.stdout).trim(), "doctor");
}
