//! The App's key and tokens.

use super::stub::{KEY, Now, Stub, ok, pass, repo, settings, status, token};
use jsonwebtoken::{Algorithm, DecodingKey, Validation, decode};
use mend::domain::Clock;
use mend::github::{Github, GithubError, GithubSettings, Purpose};
use serde_json::{Value, json};
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::{Duration, SystemTime};

fn claims(jwt: &str) -> Value {
    let mut validation = Validation::new(Algorithm::RS256);
    validation.validate_exp = false;
    validation.required_spec_claims.clear();
    decode::<Value>(jwt, &DecodingKey::from_rsa_der(&KEY.2), &validation)
        .unwrap()
        .claims
}

fn app_stub() -> impl Future<Output = Arc<Stub>> {
    Stub::new(|seen, _| match seen.path.as_str() {
        "/app" => ok(json!({ "id": 42, "slug": "mend-test", "name": "Mend", "owner": null })),
        "/users/mend-test%5Bbot%5D" => {
            ok(json!({ "id": 1234, "login": "mend-test[bot]", "type": "Bot" }))
        }
        "/repos/acme/app/installation" => {
            ok(json!({ "id": 99, "app_id": 42, "suspended_at": null }))
        }
        "/repos/acme/none/installation" => status(404, json!({ "message": "Not Found" })),
        _ => pass(),
    })
}

#[tokio::test]
async fn both_forms_of_the_key_sign_a_short_statement() {
    let stub = app_stub().await;
    for pem in [&KEY.0, &KEY.1] {
        let settings = GithubSettings::new(&stub.base, 42, pem.clone().into());
        let github = Github::new(&settings, Arc::new(Now)).unwrap();
        let installed = github
            .installation_of(&"acme/app".parse().unwrap())
            .await
            .unwrap();
        assert_eq!(installed.id, 99);
        let none = github.installation_of(&"acme/none".parse().unwrap()).await;
        assert!(matches!(none, Err(GithubError::NotFound(_))), "{none:?}");
    }
    let now = Now.unix();
    for seen in stub.seen() {
        let claims = claims(&seen.bearer());
        let (iat, exp) = (
            claims["iat"].as_i64().unwrap(),
            claims["exp"].as_i64().unwrap(),
        );
        assert_eq!(claims["iss"], 42);
        assert!((now - iat - 60).abs() < 5, "{claims}");
        assert!(exp - iat <= 9 * 60 && exp > now + 60, "{claims}");
        assert!(
            seen.headers["user-agent"]
                .to_str()
                .unwrap()
                .starts_with("mend/")
        );
        assert_eq!(seen.headers["accept"], "application/vnd.github+json");
        assert!(seen.headers.contains_key("x-github-api-version"));
    }
}

#[tokio::test]
async fn a_bad_key_or_address_is_told_at_start() {
    for key in [
        "",
        "-----BEGIN RSA PRIVATE KEY-----\nAAAA\n-----END RSA PRIVATE KEY-----",
        "ssh-rsa AAAA",
    ] {
        let settings = GithubSettings::new("https://api.github.com", 42, key.to_string().into());
        let refused = Github::new(&settings, Arc::new(Now)).unwrap_err();
        assert!(refused.to_string().contains(".pem"), "{refused}");
    }
    assert!(Github::new(&settings("github.com"), Arc::new(Now)).is_err());
    let mut wrong = settings("https://ghes.example/api/v3");
    wrong.ca = Some(b"no certificate".to_vec());
    let refused = Github::new(&wrong, Arc::new(Now)).unwrap_err();
    assert!(refused.to_string().contains("ca_file"), "{refused}");
}

#[tokio::test]
async fn a_proxy_carries_the_calls_to_an_enterprise_server() {
    let stub = Stub::new(|seen, _| match seen.path.contains("/api/v3/app") {
        true => ok(json!({ "id": 42, "slug": "mend-test", "name": "mend" })),
        false => pass(),
    })
    .await;
    let mut settings = settings("http://ghes.invalid/api/v3");
    settings.proxy = Some(stub.base.clone().into());
    let github = Github::new(&settings, Arc::new(Now)).unwrap();
    assert_eq!(github.app().await.unwrap().slug, "mend-test");
    let asked = stub.seen()[0].path.clone();
    assert_eq!(asked, "http://ghes.invalid/api/v3/app");
}

#[tokio::test]
async fn az_07_se_04_tokens_are_narrow_cached_and_revoked() {
    let stub = Stub::new(|seen, _| match seen.line().as_str() {
        "DELETE /installation/token" => http::StatusCode::NO_CONTENT.into_response(),
        _ => pass(),
    })
    .await;
    use axum::response::IntoResponse;
    let session = stub.session();
    let mut tasks = Vec::new();
    for _ in 0..20 {
        let session = session.clone();
        tasks.push(tokio::spawn(async move {
            session.token(Purpose::Read).await.unwrap()
        }));
    }
    for task in tasks {
        task.await.unwrap();
    }
    assert_eq!(stub.mints().len(), 1, "one flight");
    session.token(Purpose::Status).await.unwrap();
    session.token(Purpose::Publish).await.unwrap();
    let mints = stub.mints();
    assert_eq!(mints[0].line(), "POST /app/installations/99/access_tokens");
    let bodies: Vec<_> = mints.iter().map(|m| m.body.clone()).collect();
    assert_eq!(
        bodies,
        [
            json!({"repository_ids": [7], "permissions": {"metadata": "read", "contents": "read", "issues": "read", "pull_requests": "read"}}),
            json!({"repository_ids": [7], "permissions": {"metadata": "read", "issues": "write", "checks": "write"}}),
            json!({"repository_ids": [7], "permissions": {"metadata": "read", "contents": "write", "pull_requests": "write"}}),
        ]
    );
    // Another task's tokens are its own.
    let other = session.github().session(&repo());
    other.token(Purpose::Read).await.unwrap();
    session.revoke_all().await.unwrap();
    let revoked: Vec<_> = stub.seen().iter().map(|s| s.bearer()).collect();
    assert_eq!(revoked.len(), 3);
    assert!((1..=3).all(|n| revoked.contains(&token(n))));
    session.revoke_all().await.unwrap();
    assert_eq!(stub.seen().len(), 3, "nothing is left to revoke");
    // Short calls share one.
    let github = session.github();
    let before = stub.mints().len();
    github
        .shared_session(&repo())
        .token(Purpose::Read)
        .await
        .unwrap();
    github
        .shared_session(&repo())
        .token(Purpose::Read)
        .await
        .unwrap();
    assert_eq!(stub.mints().len(), before + 1);
}

#[tokio::test]
async fn a_token_near_its_end_is_not_handed_out() {
    let stub = Stub::new(|_, _| pass()).await;
    let soon = SystemTime::now() + Duration::from_secs(200);
    *stub.expires.lock().unwrap() = json_time(soon);
    let session = stub.session();
    session.token(Purpose::Read).await.unwrap();
    *stub.expires.lock().unwrap() = json_time(soon + Duration::from_secs(400));
    session.token(Purpose::Read).await.unwrap();
    session.token(Purpose::Read).await.unwrap();
    assert_eq!(stub.mints().len(), 2);
}

fn json_time(at: SystemTime) -> String {
    let s = at.duration_since(SystemTime::UNIX_EPOCH).unwrap().as_secs() as i64;
    let (days, rest) = (s / 86_400, s % 86_400);
    let (mut year, mut left) = (1970, days);
    let leap = |y: i64| (y % 4 == 0 && y % 100 != 0) || y % 400 == 0;
    while left >= if leap(year) { 366 } else { 365 } {
        left -= if leap(year) { 366 } else { 365 };
        year += 1;
    }
    let months = [
        31,
        if leap(year) { 29 } else { 28 },
        31,
        30,
        31,
        30,
        31,
        31,
        30,
        31,
        30,
        31,
    ];
    let mut month = 0;
    while left >= months[month] {
        left -= months[month];
        month += 1;
    }
    format!(
        "{year}-{:02}-{:02}T{:02}:{:02}:{:02}Z",
        month + 1,
        left + 1,
        rest / 3600,
        rest / 60 % 60,
        rest % 60
    )
}

/// A clock that is wrong by some seconds.
struct Off(AtomicI64);

impl Clock for Off {
    fn now(&self) -> SystemTime {
        let off = self.0.load(Ordering::Relaxed);
        let now = SystemTime::now();
        match off < 0 {
            true => now - Duration::from_secs(off.unsigned_abs()),
            false => now + Duration::from_secs(off as u64),
        }
    }
}

#[tokio::test]
async fn qd_04_a_wrong_clock_is_corrected_by_githubs() {
    for off in [-900, 900] {
        let stub = Stub::new(|seen, _| {
            let claims = claims(&seen.bearer());
            let now = Now.unix();
            let good = claims["iat"].as_i64().unwrap() <= now
                && (now..=now + 600).contains(&claims["exp"].as_i64().unwrap());
            match good {
                true => ok(json!({ "id": 42, "slug": "mend" })),
                false => status(401, json!({ "message": "'Expiration time' claim ('exp') is too far in the future" })),
            }
        })
        .await;
        let github = Github::new(&settings(&stub.base), Arc::new(Off(off.into()))).unwrap();
        assert_eq!(github.app().await.unwrap().slug, "mend");
        assert_eq!(stub.seen().len(), 2);
        github
            .installation_of(&"a/b".parse().unwrap())
            .await
            .unwrap();
        assert_eq!(stub.seen().len(), 3, "the correction stays");
    }
}

#[tokio::test]
async fn a_refused_key_is_not_tried_without_end() {
    let stub = Stub::new(|_, _| {
        status(
            401,
            json!({ "message": "A JSON web token could not be decoded" }),
        )
    })
    .await;
    let refused = stub.github().app().await.unwrap_err();
    assert!(matches!(refused, GithubError::Unauthorized(_)), "{refused}");
    assert_eq!(stub.seen().len(), 1);
}

#[tokio::test]
async fn commits_are_the_bots() {
    let stub = app_stub().await;
    let session = stub.session();
    let bot = session.github().bot(&session).await.unwrap();
    assert_eq!(bot.login, "mend-test[bot]");
    assert_eq!(bot.email, "1234+mend-test[bot]@users.noreply.127.0.0.1");
    // Without the user's id there is still an address.
    let stub = Stub::new(|seen, _| match seen.path.as_str() {
        "/app" => ok(json!({ "id": 42, "slug": "mend-test" })),
        p if p.starts_with("/users/") => status(404, json!({ "message": "Not Found" })),
        _ => pass(),
    })
    .await;
    let session = stub.session();
    let bot = session.github().bot(&session).await.unwrap();
    assert_eq!(
        (bot.id, bot.email.as_str()),
        (None, "mend-test[bot]@users.noreply.127.0.0.1")
    );
}

#[tokio::test]
async fn deliveries_are_listed_by_cursor_and_sent_again() {
    use axum::response::IntoResponse;
    let stub = Stub::new(|seen, _| match seen.line().as_str() {
        "GET /app/hook/deliveries?per_page=100" => (
            [("link", "<https://elsewhere.example/app/hook/deliveries?per_page=100&cursor=v1_12>; rel=\"next\"")],
            axum::Json(json!([{ "id": 1, "guid": "g", "status_code": 502, "event": "issues", "action": null }])),
        )
            .into_response(),
        "GET /app/hook/deliveries?per_page=100&cursor=v1_12" => ok(json!([])),
        "POST /app/hook/deliveries/1/attempts" => status(202, json!({})),
        _ => pass(),
    })
    .await;
    let github = stub.github();
    let (some, next) = github.deliveries(None).await.unwrap();
    assert_eq!(
        (some[0].id, some[0].status_code, next.as_deref()),
        (1, Some(502), Some("v1_12"))
    );
    assert_eq!(
        github.deliveries(next.as_deref()).await.unwrap(),
        (vec![], None)
    );
    github.redeliver(1).await.unwrap();
}
