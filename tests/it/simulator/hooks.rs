use super::*;
use axum::Router;
use axum::body::Bytes;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode};
use axum::routing::post;
use hmac::{Hmac, Mac};
use sha2::Sha256;
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// A webhook receiver that checks the signature and remembers.
#[derive(Clone)]
struct Receiver {
    secret: String,
    status: StatusCode,
    got: Arc<Mutex<Vec<(HeaderMap, Value)>>>,
}

impl Receiver {
    async fn listen(github: &Simulator, status: StatusCode) -> Receiver {
        let receiver = Receiver {
            secret: github.webhook_secret(),
            status,
            got: Arc::default(),
        };
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}/webhook", listener.local_addr().unwrap());
        let routes = Router::new()
            .route("/webhook", post(take))
            .with_state(receiver.clone());
        tokio::spawn(async move { axum::serve(listener, routes).await });
        github.set_webhook_url(Some(&url));
        receiver
    }

    fn words(&self) -> Vec<String> {
        let got = self.got.lock().unwrap();
        got.iter()
            .map(|(headers, body)| {
                let event = headers["x-github-event"].to_str().unwrap();
                let action = body["action"].as_str().unwrap_or("-");
                format!(
                    "{event}.{action} by {}",
                    body["sender"]["login"].as_str().unwrap()
                )
            })
            .collect()
    }
}

async fn take(State(receiver): State<Receiver>, headers: HeaderMap, body: Bytes) -> StatusCode {
    let mut mac = Hmac::<Sha256>::new_from_slice(receiver.secret.as_bytes()).unwrap();
    mac.update(&body);
    let signature = headers["x-hub-signature-256"].to_str().unwrap();
    let signature = hex::decode(signature.strip_prefix("sha256=").unwrap()).unwrap();
    mac.verify_slice(&signature).unwrap();
    let body = serde_json::from_slice(&body).unwrap();
    receiver.got.lock().unwrap().push((headers, body));
    receiver.status
}

const LIMIT: Duration = Duration::from_secs(10);

#[tokio::test]
async fn what_happens_is_told_once_in_order_and_signed() {
    let github = simulator().await;
    let receiver = Receiver::listen(&github, StatusCode::ACCEPTED).await;
    github
        .open_issue(REPO, "eve", "Crash", "It crashes.")
        .unwrap();
    github.label_issue(REPO, 1, "mend", "ada").unwrap();
    let comment = github.comment(REPO, 1, "ada", "/mend retry").unwrap();
    github
        .edit_comment(REPO, comment, "/mend retry please", "ada")
        .unwrap();
    github
        .edit_issue_body(REPO, 1, "It still crashes.", "eve")
        .unwrap();
    github.unlabel_issue(REPO, 1, "mend", "ada").unwrap();
    github.set_issue_open(REPO, 1, false, "ada").unwrap();
    github
        .push(REPO, "fix", "wim", "Fix", [("a", "1")])
        .unwrap();
    let client = as_installation(&github).await;
    client
        .pulls("acme", "shop")
        .create("Fix", "fix", "main")
        .send()
        .await
        .unwrap();
    github
        .push(REPO, "fix", "wim", "Fix more", [("a", "2")])
        .unwrap();
    github.set_issue_open(REPO, 2, false, "ada").unwrap();
    assert!(github.settle(LIMIT).await);
    assert_eq!(
        receiver.words(),
        [
            "issues.opened by eve",
            "issues.labeled by ada",
            "issue_comment.created by ada",
            "issue_comment.edited by ada",
            "issues.edited by eve",
            "issues.unlabeled by ada",
            "issues.closed by ada",
            // No `push`: the manifest does not subscribe to it.
            "pull_request.opened by mend[bot]",
            "pull_request.synchronize by wim",
            "pull_request.closed by ada",
        ]
    );
    let got = receiver.got.lock().unwrap().clone();
    for (headers, body) in &got {
        assert!(
            headers["user-agent"]
                .to_str()
                .unwrap()
                .starts_with("GitHub-Hookshot/")
        );
        assert!(uuid::Uuid::parse_str(headers["x-github-delivery"].to_str().unwrap()).is_ok());
        assert_eq!(body["installation"]["id"], github.installation_id());
        assert_eq!(body["repository"]["full_name"], REPO);
    }
    assert_eq!(got[1].1["label"]["name"], "mend");
    assert_eq!(got[3].1["changes"]["body"]["from"], "/mend retry");
    assert_eq!(got[7].1["sender"]["type"], "Bot");
    assert_eq!(got[8].1["after"], got[8].1["pull_request"]["head"]["sha"]);
    for (headers, body) in got {
        let event = headers["x-github-event"].to_str().unwrap();
        let parsed = octocrab::models::webhook_events::WebhookEvent::try_from_header_and_body(
            event,
            body.to_string().as_bytes(),
        );
        parsed.unwrap_or_else(|error| panic!("{event}: {error}"));
    }
}

#[tokio::test]
async fn a_push_is_told_when_the_manifest_asks_for_it() {
    let mut options = SimulatorOptions::default();
    options.app.manifest = options
        .app
        .manifest
        .replace("  - issues\n", "  - issues\n  - push\n");
    let github = start(options).await;
    let receiver = Receiver::listen(&github, StatusCode::OK).await;
    let sha = github
        .push(REPO, "fix", "wim", "Fix", [("a", "1")])
        .unwrap();
    assert!(github.settle(LIMIT).await);
    let got = receiver.got.lock().unwrap().clone();
    let body = &got[0].1;
    assert_eq!(
        (&body["ref"], &body["created"]),
        (&json!("refs/heads/fix"), &json!(true))
    );
    assert_eq!(
        (&body["after"], &body["commits"][0]["added"]),
        (&json!(sha), &json!(["a"]))
    );
    let event = octocrab::models::webhook_events::WebhookEvent::try_from_header_and_body(
        "push",
        body.to_string().as_bytes(),
    );
    event.unwrap();
}

#[tokio::test]
async fn a_failed_delivery_is_not_retried_but_can_be_sent_again() {
    let github = simulator().await;
    let receiver = Receiver::listen(&github, StatusCode::INTERNAL_SERVER_ERROR).await;
    github.open_issue(REPO, "eve", "Crash", "").unwrap();
    assert!(github.settle(LIMIT).await);
    github.set_webhook_url(Some("http://127.0.0.1:1/webhook"));
    github.label_issue(REPO, 1, "mend", "ada").unwrap();
    assert!(github.settle(LIMIT).await);
    assert_eq!(receiver.got.lock().unwrap().len(), 1);

    let client = as_app(&github);
    let list: Value = client
        .get("/app/hook/deliveries?status=failure", None::<&()>)
        .await
        .unwrap();
    let codes: Vec<_> = list
        .as_array()
        .unwrap()
        .iter()
        .map(|d| d["status_code"].as_u64())
        .collect();
    assert_eq!(codes, [Some(502), Some(500)]);
    let typed: Vec<octocrab::models::hooks::Delivery> =
        serde_json::from_value(list.clone()).unwrap();
    let again = Receiver::listen(&github, StatusCode::OK).await;
    let path = format!("/app/hook/deliveries/{}/attempts", typed[0].id);
    let _: Value = client.post(path, None::<&()>).await.unwrap();
    assert!(github.settle(LIMIT).await);
    assert_eq!(again.words(), ["issues.labeled by ada"]);
    let log = github.deliveries();
    let last = log.last().unwrap();
    assert!(last.redelivery && last.succeeded() && last.guid == typed[0].guid);
    let path = format!("/app/hook/deliveries/{}", last.id);
    let shown: Value = client.get(path, None::<&()>).await.unwrap();
    assert_eq!(shown["request"]["payload"]["label"]["name"], "mend");
    github.redeliver(log[0].id).unwrap();
    assert!(github.settle(LIMIT).await);
    assert_eq!(again.words().len(), 2);
}
