//! The JSON API and its description say the same.

use super::Rig;
use super::seed::{contradiction, ready, running, trigger};
use mend::domain::SystemClock;
use serde_json::{Value, json};

#[tokio::test(flavor = "multi_thread")]
async fn answers_are_as_the_description_says() {
    let rig = Rig::sqlite(SystemClock::shared()).await;
    let repo = (1, "acme/invoicer");
    let done = ready(&rig.store, &trigger(repo, 41, "Totals drift", "ada")).await;
    contradiction(&rig.store, &trigger(repo, 42, "Terms", "ada")).await;
    running(&rig.store, &trigger(repo, 43, "Dates", "ada")).await;
    let ask = async |path: &str| -> Value {
        serde_json::from_str(&rig.browser.page(path).await).unwrap()
    };
    let description = ask("/api/openapi.json").await;
    assert_eq!(description["openapi"], "3.1.0");
    for (path, template) in [
        ("/api/tasks".to_string(), "/api/tasks"),
        (
            "/api/tasks?q=acme/invoicer%2342&limit=1".to_string(),
            "/api/tasks",
        ),
        (format!("/api/tasks/{done}"), "/api/tasks/{id}"),
        ("/api/tasks/3".to_string(), "/api/tasks/{id}"),
        (
            format!("/api/tasks/{done}/spans?after=3"),
            "/api/tasks/{id}/spans",
        ),
    ] {
        let answer = ask(&path).await;
        let mut schema = description["paths"][template]["get"]["responses"]["200"]["content"]["application/json"]["schema"].clone();
        assert!(schema.is_object(), "{template} is described");
        schema["components"] = description["components"].clone();
        let validator = jsonschema::validator_for(&schema).unwrap();
        let wrong: Vec<String> = validator
            .iter_errors(&answer)
            .map(|e| e.to_string())
            .collect();
        assert!(wrong.is_empty(), "{path}: {wrong:?}");
    }
    let described: Vec<&String> = description["paths"].as_object().unwrap().keys().collect();
    assert_eq!(
        described.len(),
        3,
        "every path is asked above: {described:?}"
    );
    let tasks = ask("/api/tasks?q=acme/invoicer%2342").await;
    assert_eq!(tasks[0]["verdict"], "draft");
    assert_eq!(
        ask(&format!("/api/tasks/{done}/spans?after=3")).await[0]["rev"],
        4
    );
    // Errors are JSON too, and described.
    let missing = rig.browser.get("/api/tasks/99").await;
    assert_eq!(missing.status(), 404);
    assert_eq!(
        missing.json::<Value>().await.unwrap(),
        json!({"error": "there is no such page"})
    );
    let mut nobody = rig.browser.clone();
    nobody.cookie = None;
    assert_eq!(nobody.status("/api/tasks").await, 401);
}
