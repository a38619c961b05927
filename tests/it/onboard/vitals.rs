//! `/metrics`, `/healthz` and `/readyz` of the real program, around a task that it does.

use super::free_port;
use crate::program::{Base, Site, fixing};
use crate::world::REPO;
use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;

async fn page(port: u16, path: &str) -> Option<(u16, String)> {
    let http = reqwest::Client::builder().no_proxy().build().unwrap();
    let answer = http
        .get(format!("http://127.0.0.1:{port}{path}"))
        .send()
        .await
        .ok()?;
    Some((answer.status().as_u16(), answer.text().await.ok()?))
}

fn samples(text: &str) -> BTreeMap<String, f64> {
    let lines = text.lines().filter(|l| !l.starts_with('#'));
    lines
        .map(|l| {
            let (name, value) = l.rsplit_once(' ').unwrap();
            (name.to_string(), value.parse().unwrap())
        })
        .collect()
}

/// By the parser that Prometheus itself ships, where it is installed; by its grammar everywhere.
fn holds(text: &str) {
    let name = r"[a-z_]+";
    let sample = format!(r#"^{name}(\{{{name}="[^"\\]*"(,{name}="[^"\\]*")*\}})? -?[0-9.e+-]+$"#);
    let comment = format!("^# (HELP {name} .+|TYPE {name} (counter|gauge|histogram))$");
    let (sample, comment) = (
        regex::Regex::new(&sample).unwrap(),
        regex::Regex::new(&comment).unwrap(),
    );
    for line in text.lines() {
        assert!(sample.is_match(line) || comment.is_match(line), "{line}");
    }
    if !crate::host::has("promtool", Path::new("/usr/bin/promtool").exists()) {
        return;
    }
    let mut promtool = std::process::Command::new("promtool")
        .args(["check", "metrics"])
        .stdin(std::process::Stdio::piped())
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    use std::io::Write;
    promtool
        .stdin
        .take()
        .unwrap()
        .write_all(text.as_bytes())
        .unwrap();
    let out = promtool.wait_with_output().unwrap();
    let said =
        String::from_utf8_lossy(&out.stderr).into_owned() + &String::from_utf8_lossy(&out.stdout);
    assert!(out.status.success(), "{said}");
}

#[tokio::test]
async fn a_task_is_counted_and_the_end_is_told() {
    let mut site = Site::new(Base::Sqlite, fixing(Duration::ZERO).await).await;
    let port = free_port();
    site.more = format!(
        "[model.price]\ninput_per_million = 3.0\noutput_per_million = 15.0\n[metrics]\nlisten = \"127.0.0.1:{port}\"\n"
    );
    let mut serve = site.start("one", "all", &[]);
    site.listens().await;
    assert_eq!(page(port, "/healthz").await, Some((200, "ok\n".into())));
    assert_eq!(page(port, "/readyz").await, Some((200, "ready\n".into())));
    let before = samples(&page(port, "/metrics").await.unwrap().1);
    assert_eq!(before["mend_tasks_ended_total{verdict=\"ready\"}"], 0.0);
    assert_eq!(before["mend_database_up"], 1.0);

    let issue = site.label();
    let store = site.store("one").await;
    site.ended(&store, 1).await;
    let text = page(port, "/metrics").await.unwrap().1;
    holds(&text);
    // Nothing that names a repository or a person.
    for word in [REPO, "adder", "acme", "ada", "scripted"] {
        assert!(!text.contains(word), "{word}");
    }
    let now = samples(&text);
    assert_eq!(now["mend_tasks_ended_total{verdict=\"ready\"}"], 1.0);
    assert_eq!(now["mend_tasks{state=\"running\"}"], 0.0);
    assert!(
        now["mend_checks_total{outcome=\"failed\"}"] >= 1.0,
        "{text}"
    );
    assert!(
        now["mend_checks_total{outcome=\"passed\"}"] >= 1.0,
        "{text}"
    );
    assert!(now["mend_model_calls_total{end=\"ok\"}"] >= 2.0);
    let (input, output) = (
        now["mend_model_tokens_total{kind=\"input\"}"],
        now["mend_model_tokens_total{kind=\"output\"}"],
    );
    let dollars = (input * 3.0 + output * 15.0) / 1e6;
    assert!((now["mend_model_dollars_total"] - dollars).abs() < 1e-9);
    assert_eq!(now["mend_task_work_duration_seconds_count"], 1.0);
    assert!(now["mend_deliveries_total{result=\"stored\"}"] >= 1.0);
    assert!(now["mend_github_requests_total{status=\"2xx\"}"] > 5.0);
    assert!(now["mend_github_rate_limit_remaining"] < now["mend_github_rate_limit"]);

    // A newer mend has changed the schema: this one is not ready any more, and still alive.
    site.fixed_once(REPO, issue);
    store.close().await;
    let file = site.state("one").join("mend.db");
    let pool = sqlx::SqlitePool::connect(&format!("sqlite:{}", file.display()))
        .await
        .unwrap();
    let sql = "INSERT INTO schema_version (version) VALUES (999)";
    sqlx::query(sql).execute(&pool).await.unwrap();
    pool.close().await;
    let (code, words) = page(port, "/readyz").await.unwrap();
    assert_eq!(
        (code, words.as_str()),
        (503, "the database's schema is another version's\n")
    );
    assert_eq!(page(port, "/healthz").await.unwrap().0, 200);
    serve.signal(rustix::process::Signal::TERM);
    assert!(serve.ends().await.success());
}
