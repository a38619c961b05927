//! A GitHub of four answers, whose facts the test sets; and events as it would send them.

use super::settings;
use crate::store::{Fresh, Hand};
use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::routing::{get, post};
use axum::{Json, Router};
use mend::config::ReposSettings;
use mend::github::{Github, GithubSettings};
use mend::intake::{Admit, Notice, Said, Untold, Voice};
use mend::store::{Delivery, Filter, Incoming, Store, Task};
use serde_json::{Value, json};
use std::collections::HashMap;
use std::sync::{Arc, LazyLock, Mutex};
use std::time::Duration;

/// An RSA key for the App, made once.
static KEY: LazyLock<String> = LazyLock::new(|| {
    use aws_lc_rs::encoding::AsDer;
    use base64::Engine;
    let pair = aws_lc_rs::rsa::KeyPair::generate(aws_lc_rs::rsa::KeySize::Rsa2048).unwrap();
    let der: aws_lc_rs::encoding::Pkcs8V1Der<'_> = pair.as_der().unwrap();
    let text = base64::engine::general_purpose::STANDARD.encode(der.as_ref());
    format!("-----BEGIN PRIVATE KEY-----\n{text}\n-----END PRIVATE KEY-----\n")
});

#[derive(Default)]
pub struct Facts {
    /// By login.
    pub roles: HashMap<String, &'static str>,
    /// `(id, label, actor)` of labelings, oldest first.
    pub labeled: Vec<(u64, &'static str, u64)>,
    /// As `labeled`, of the label's goings.
    pub unlabeled: Vec<(u64, &'static str, u64)>,
    /// Whether the issue has the label now.
    pub on_now: bool,
    /// What every question about a role is answered with instead.
    pub trouble: Option<u16>,
    pub asked: Vec<String>,
    /// The repository of a pull request's head.
    pub head_repo: u64,
    /// The comments on lines of every review.
    pub lines: Value,
}

type Shared = Arc<Mutex<Facts>>;

fn answer(
    facts: &Shared,
    asked: String,
    body: impl Fn(&Facts) -> Value,
) -> (StatusCode, Json<Value>) {
    let mut facts = facts.lock().unwrap();
    facts.asked.push(asked);
    match facts.trouble {
        Some(code) => (
            StatusCode::from_u16(code).unwrap(),
            Json(json!({"message": "no"})),
        ),
        None => (StatusCode::OK, Json(body(&facts))),
    }
}

/// When event `id` happened.
pub fn at(id: u64) -> String {
    format!("2023-11-14T22:13:{:02}Z", 10 + id % 100 % 45)
}

fn routes(facts: Shared) -> Router {
    let role = |State(facts): State<Shared>, Path((_, _, who)): Path<(String, String, String)>| async move {
        answer(&facts, format!("role of {who}"), |f| {
            let role = f.roles.get(&who).copied().unwrap_or("none");
            json!({"permission": "write", "role_name": role})
        })
    };
    let events = |State(facts): State<Shared>| async move {
        answer(&facts, "events".into(), |f| {
            // Event 500 is of 22:13:10, ten seconds before the clock begins, 501 of a second later.
            let event = |kind: &str, (id, label, actor): &(u64, &str, u64)| {
                json!({"id": id, "event": kind, "label": {"name": label},
                    "created_at": at(*id), "actor": {"id": actor, "login": "x", "type": "User"}})
            };
            let on = f.labeled.iter().map(|e| event("labeled", e));
            on.chain(f.unlabeled.iter().map(|e| event("unlabeled", e)))
                .collect()
        })
    };
    let issue = |State(facts): State<Shared>| async move {
        answer(&facts, "issue".into(), |f| {
            let labels = match f.on_now {
                true => json!([{"name": "mend"}]),
                false => json!([]),
            };
            json!({"id": 1001, "number": 1, "state": "open", "labels": labels})
        })
    };
    let pull = |State(facts): State<Shared>| async move {
        answer(&facts, "pull".into(), |f| {
            json!({"id": 1, "number": 66, "base": {"ref": "main"},
                "head": {"ref": "x", "repo": {"id": f.head_repo}}})
        })
    };
    let lines = |State(facts): State<Shared>| async move {
        answer(&facts, "lines".into(), |f| f.lines.clone())
    };
    let token = || async {
        let body = json!({"token": "ghs_token", "expires_at": "2099-01-01T00:00:00Z"});
        (StatusCode::CREATED, Json(body))
    };
    let app = || async { Json(json!({"id": 12, "slug": "mend-acme", "name": "mend"})) };
    Router::new()
        .route("/app", get(app))
        .route("/app/installations/70/access_tokens", post(token))
        .route(
            "/repos/{owner}/{name}/collaborators/{who}/permission",
            get(role),
        )
        .route("/repos/acme/invoicer/issues/{n}/events", get(events))
        .route("/repos/acme/invoicer/issues/{n}", get(issue))
        .route("/repos/acme/invoicer/pulls/{n}", get(pull))
        .route(
            "/repos/acme/invoicer/pulls/{n}/reviews/{r}/comments",
            get(lines),
        )
        .with_state(facts)
}

/// Remembers what people were told; fails as often as it is told to.
#[derive(Default)]
pub struct Ear {
    pub told: Mutex<Vec<Notice>>,
    pub failures: Mutex<u32>,
}

#[async_trait::async_trait]
impl Voice for Ear {
    async fn tell(&self, notice: &Notice) -> Result<(), Untold> {
        let mut failures = self.failures.lock().unwrap();
        if *failures > 0 {
            *failures -= 1;
            return Err(Untold {
                why: "GitHub answers 502".into(),
                transient: true,
                not_before: None,
            });
        }
        self.told.lock().unwrap().push(notice.clone());
        Ok(())
    }
}

pub struct Hub {
    pub admit: Admit,
    pub store: Store,
    pub clock: Arc<Hand>,
    pub facts: Shared,
    pub ear: Ear,
    _folder: tempfile::TempDir,
    count: Mutex<u32>,
}

impl Hub {
    /// alice may write, mia maintain, tim triage, rita read; alice's labelling is event 500.
    pub async fn new() -> Hub {
        Hub::with(&[], &[]).await
    }

    pub async fn with(variables: &[(&'static str, &str)], allow: &[&str]) -> Hub {
        let repos = ReposSettings {
            allow: allow.iter().map(|a| a.to_string()).collect(),
            ..ReposSettings::default()
        };
        Hub::serving(variables, repos).await
    }

    pub async fn serving(variables: &[(&'static str, &str)], repos: ReposSettings) -> Hub {
        let fresh = Fresh::new().await;
        let facts = Shared::default();
        {
            let mut facts = facts.lock().unwrap();
            for (who, role) in [
                ("alice", "write"),
                ("mia", "maintain"),
                ("tim", "triage"),
                ("rita", "read"),
            ] {
                facts.roles.insert(who.into(), role);
            }
            facts.labeled.push((500, "mend", 1));
            facts.head_repo = 7;
            facts.on_now = true;
            facts.lines = json!([]);
        }
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let api = format!("http://{}", listener.local_addr().unwrap());
        let service = routes(facts.clone());
        tokio::spawn(async move { axum::serve(listener, service).await });
        let github = GithubSettings {
            attempts: 1,
            ..GithubSettings::new(api, 12, KEY.clone().into())
        };
        let github = Github::new(&github, fresh.clock.clone()).unwrap();
        let settings = Arc::new(settings(variables));
        Hub {
            admit: Admit::new(fresh.store.clone(), github, settings, Arc::new(repos)),
            store: fresh.store,
            clock: fresh.clock,
            facts,
            ear: Ear::default(),
            _folder: fresh.folder,
            count: Mutex::new(0),
        }
    }

    pub async fn deliver(&self, event: &str, payload: &Value) {
        let guid = {
            let mut count = self.count.lock().unwrap();
            *count += 1;
            format!("guid-{count}")
        };
        let delivery = Incoming {
            guid,
            event: event.into(),
            lane: Some("7:1".into()),
            payload: payload.to_string().into(),
        };
        self.store.add_delivery(delivery).await.unwrap();
    }

    /// Delivers and admits; what people were told because of it.
    pub async fn event(&self, event: &str, payload: &Value) -> Vec<Said> {
        self.deliver(event, payload).await;
        self.settle().await
    }

    /// Admits everything that waits; what people were told.
    pub async fn settle(&self) -> Vec<Said> {
        while self.admit.drain(&self.ear).await.unwrap() > 0 {}
        let told = std::mem::take(&mut *self.ear.told.lock().unwrap());
        told.into_iter().map(|n| n.said).collect()
    }

    pub async fn tasks(&self) -> Vec<Task> {
        let mut tasks = self.store.tasks(&Filter::default(), 99).await.unwrap();
        tasks.reverse();
        tasks
    }

    /// How the deliveries ended: `(state, how many)`.
    pub async fn ends(&self) -> Vec<(String, u64)> {
        self.store.count_deliveries().await.unwrap()
    }

    /// The one delivery that waits, after this long.
    pub async fn after(&self, wait: Duration) -> Option<Delivery> {
        self.clock.on(wait);
        let some = self.store.next_deliveries(1, Duration::ZERO).await.unwrap();
        some.into_iter().next()
    }
}

fn user(login: &str) -> Value {
    let id = match login {
        "alice" => 1,
        "mia" => 2,
        _ => 9,
    };
    let kind = if login.ends_with("[bot]") {
        "Bot"
    } else {
        "User"
    };
    json!({"id": id, "login": login, "type": kind})
}

fn place(sender: &str) -> Value {
    json!({
        "installation": {"id": 70},
        "repository": {"id": 7, "full_name": "acme/invoicer", "private": true, "default_branch": "main"},
        "sender": user(sender),
        "issue": {"id": 1001, "number": 1, "title": "Totals drift", "body": "by a cent",
            "state": "open", "user": user("stranger"), "labels": []},
    })
}

pub fn labeled(sender: &str, label: &str) -> Value {
    let mut payload = place(sender);
    payload["action"] = json!("labeled");
    payload["label"] = json!({"name": label});
    payload
}

pub fn unlabeled(sender: &str, label: &str) -> Value {
    let mut payload = labeled(sender, label);
    payload["action"] = json!("unlabeled");
    payload
}

pub fn commented(sender: &str, text: &str) -> Value {
    let mut payload = place(sender);
    payload["action"] = json!("created");
    payload["comment"] =
        json!({"id": 88, "body": text, "user": user(sender), "updated_at": "2026-11-30T10:00:00Z"});
    payload
}

/// An event of mend's pull request 66.
fn on_pull(sender: &str) -> Value {
    let mut payload = place(sender);
    payload.as_object_mut().unwrap().remove("issue");
    payload["pull_request"] =
        json!({"number": 66, "head": {"ref": "mend/issue-1", "repo": {"id": 7}}});
    payload
}

pub fn reviewed(sender: &str, state: &str, text: &str) -> Value {
    let mut payload = on_pull(sender);
    payload["action"] = json!("submitted");
    payload["review"] = json!({"id": 300, "state": state, "body": text, "user": user(sender)});
    payload
}

pub fn line_commented(sender: &str, text: &str) -> Value {
    let mut payload = on_pull(sender);
    payload["action"] = json!("created");
    payload["comment"] = json!({"id": 901, "pull_request_review_id": 300, "body": text,
        "user": user(sender), "updated_at": "t1", "path": "a.py"});
    payload
}

pub fn rerequested(sender: &str, app: u64) -> Value {
    let mut payload = on_pull(sender);
    payload["action"] = json!("rerequested");
    payload["check_run"] =
        json!({"id": 400, "app": {"id": app}, "pull_requests": [{"number": 5}, {"number": 66}]});
    payload
}

/// The button for all of the App's checks of the commit.
pub fn all_rerequested(sender: &str, app: u64) -> Value {
    let mut payload = rerequested(sender, app);
    payload["check_suite"] = payload["check_run"].take();
    payload.as_object_mut().unwrap().remove("check_run");
    payload
}

/// A comment on a line, as GitHub lists it.
pub fn line(id: u64, author: &str, text: &str) -> Value {
    json!({"id": id, "user": user(author), "body": text, "path": "src/totals.py", "line": null,
        "original_line": 12, "diff_hunk": "@@ -10,3 +10,3 @@\n-a\n+b"})
}
