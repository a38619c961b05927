use super::*;
use jsonwebtoken::{Algorithm, EncodingKey, Header};
use mend::domain::Clock;
use mend::simulator::{AppOptions, Credential};
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::{Duration, SystemTime};

fn jwt(github: &Simulator, issuer: Value, issued: i64, expires: i64) -> String {
    let key = EncodingKey::from_rsa_pem(github.private_key_pem().as_bytes()).unwrap();
    signed(&key, issuer, issued, expires)
}

fn signed(key: &EncodingKey, issuer: Value, issued: i64, expires: i64) -> String {
    let now = mend::domain::SystemClock.unix();
    let claims = json!({ "iss": issuer, "iat": now + issued, "exp": now + expires });
    jsonwebtoken::encode(&Header::new(Algorithm::RS256), &claims, key).unwrap()
}

#[tokio::test]
async fn octocrab_reads_the_app_and_its_installation() {
    let github = simulator().await;
    let client = as_app(&github);
    let app = client.current().app().await.unwrap();
    assert_eq!(app.slug.as_deref(), Some("mend"));
    let installation = client
        .apps()
        .get_repository_installation("acme", "shop")
        .await
        .unwrap();
    assert_eq!(installation.id.0, github.installation_id());
    assert_eq!(installation.permissions.contents.as_deref(), Some("write"));
    let all = client.apps().installations().send().await.unwrap();
    assert_eq!(all.items.len(), 1);
    let inside = client.installation(installation.id).unwrap();
    let repo = inside.repos("acme", "shop").get().await.unwrap();
    assert_eq!(repo.default_branch.as_deref(), Some("main"));
    assert_eq!(repo.private, Some(true));
    let clone = repo.clone_url.unwrap().to_string();
    assert_eq!(clone, format!("{}/acme/shop.git", github.base_url()));
    let by_id: octocrab::models::Repository = inside
        .get(format!("/repositories/{}", repo.id), None::<&()>)
        .await
        .unwrap();
    assert_eq!(by_id.full_name.as_deref(), Some("acme/shop"));
    github.shutdown().await;
}

#[tokio::test]
async fn a_jwt_that_github_would_refuse_is_refused() {
    let github = simulator().await;
    let id = json!(github.app_id());
    let stranger = Simulator::start(SimulatorOptions::default()).await.unwrap();
    let foreign = EncodingKey::from_rsa_pem(stranger.private_key_pem().as_bytes()).unwrap();
    let symmetric = jsonwebtoken::encode(
        &Header::new(Algorithm::HS256),
        &json!({ "iss": id }),
        &EncodingKey::from_secret(b"guess"),
    )
    .unwrap();
    for (token, status, word) in [
        (jwt(&github, id.clone(), -60, 540), 200, ""),
        (
            jwt(&github, json!(github.app_id().to_string()), -60, 540),
            200,
            "",
        ),
        (
            jwt(&github, id.clone(), -60, 700),
            401,
            "too far in the future",
        ),
        (jwt(&github, id.clone(), -60, -5), 401, "'exp'"),
        (jwt(&github, id.clone(), 120, 540), 401, "'iat'"),
        (
            jwt(&github, json!(1), -60, 540),
            404,
            "Integration not found",
        ),
        (
            signed(&foreign, id.clone(), -60, 540),
            401,
            "could not be decoded",
        ),
        (symmetric, 401, "could not be decoded"),
        ("nonsense".to_string(), 401, "Bad credentials"),
    ] {
        let (got, _, body) = raw(&github, "GET", "/app", &token, Value::Null).await;
        assert_eq!(got, status, "{body}");
        assert!(
            body["message"].as_str().unwrap_or("").contains(word),
            "{body}"
        );
    }
}

#[tokio::test]
async fn a_token_is_narrowed_and_never_has_more_than_the_app() {
    let github = simulator().await;
    let other = github.create_repo("acme/other", [("a", "b")]).unwrap();
    let path = format!(
        "/app/installations/{}/access_tokens",
        github.installation_id()
    );
    let narrowed = json!({ "repository_ids": [other], "permissions": { "issues": "read" } });
    let answer: Value = as_app(&github).post(&path, Some(&narrowed)).await.unwrap();
    assert_eq!(
        answer["permissions"],
        json!({ "issues": "read", "metadata": "read" })
    );
    assert_eq!(answer["repositories"][0]["full_name"], "acme/other");
    let token = answer["token"].as_str().unwrap();
    assert!(
        token.starts_with("ghs_424242_ey") && token.len() > 450,
        "{}",
        token.len()
    );

    for (method, path, body, status) in [
        ("GET", "/repos/acme/other/issues", Value::Null, 200),
        (
            "POST",
            "/repos/acme/other/issues",
            json!({ "title": "x" }),
            403,
        ),
        ("GET", "/repos/acme/other/pulls", Value::Null, 403),
        ("GET", "/repos/acme/shop/issues", Value::Null, 404),
        ("GET", "/repos/acme/shop", Value::Null, 404),
        ("GET", "/app", Value::Null, 401),
    ] {
        let (got, _, answer) = raw(&github, method, path, token, body).await;
        assert_eq!(got, status, "{method} {path}: {answer}");
        if got == 403 {
            assert_eq!(answer["message"], "Resource not accessible by integration");
        }
    }
    let path = path.as_str();
    let app = jwt(&github, json!(github.app_id()), -60, 540);
    for wrong in [
        json!({ "permissions": { "administration": "read" } }),
        json!({ "permissions": { "actions": "write" } }),
        json!({ "repository_ids": [1] }),
        json!({ "repositories": ["nowhere"] }),
    ] {
        let (got, _, answer) = raw(&github, "POST", path, &app, wrong).await;
        assert_eq!(got, 422, "{answer}");
    }
    let (got, _, _) = raw(&github, "DELETE", "/installation/token", token, Value::Null).await;
    assert_eq!(got, 204);
    let (got, _, _) = raw(
        &github,
        "GET",
        "/repos/acme/other/issues",
        token,
        Value::Null,
    )
    .await;
    assert_eq!(got, 401);
}

struct Moved(AtomicI64);

impl Clock for Moved {
    fn now(&self) -> SystemTime {
        let ahead = u64::try_from(self.0.load(Ordering::Relaxed)).unwrap();
        SystemTime::now() + Duration::from_secs(ahead)
    }
}

#[tokio::test]
async fn tokens_expire_by_the_clock_and_by_hand() {
    let clock = Arc::new(Moved(AtomicI64::new(0)));
    let github = start(SimulatorOptions {
        clock: clock.clone(),
        token_life: Duration::from_secs(120),
        ..SimulatorOptions::default()
    })
    .await;
    let first = token(&github, json!({})).await;
    let path = "/repos/acme/shop";
    assert_eq!(raw(&github, "GET", path, &first, Value::Null).await.0, 200);
    clock.0.store(121, Ordering::Relaxed);
    assert_eq!(raw(&github, "GET", path, &first, Value::Null).await.0, 401);
    clock.0.store(0, Ordering::Relaxed);
    github.expire_tokens();
    assert_eq!(raw(&github, "GET", path, &first, Value::Null).await.0, 401);
    let refused = github
        .requests()
        .into_iter()
        .filter(|r| r.status == Some(401))
        .count();
    assert_eq!(refused, 2);
    assert!(
        github
            .requests()
            .iter()
            .any(|r| r.credential == Credential::Refused)
    );
}

#[tokio::test]
async fn the_hourly_limit_is_counted_told_and_kept() {
    let github = start(SimulatorOptions {
        rate_limit: 2,
        ..SimulatorOptions::default()
    })
    .await;
    let token = token(&github, json!({})).await;
    for left in ["1", "0"] {
        let (status, headers, _) =
            raw(&github, "GET", "/repos/acme/shop", &token, Value::Null).await;
        assert_eq!(
            (status, headers["x-ratelimit-remaining"].to_str().unwrap()),
            (200, left)
        );
        assert!(headers.contains_key("x-github-request-id"));
    }
    let (status, headers, body) =
        raw(&github, "GET", "/repos/acme/shop", &token, Value::Null).await;
    assert_eq!(status, 403);
    assert!(
        body["message"]
            .as_str()
            .unwrap()
            .starts_with("API rate limit exceeded")
    );
    assert!(
        headers["x-ratelimit-reset"]
            .to_str()
            .unwrap()
            .parse::<i64>()
            .unwrap()
            > 0
    );
}

#[tokio::test]
async fn people_have_what_they_are_given() {
    let github = simulator().await;
    let client = as_installation(&github).await;
    for (login, permission, role) in [
        ("ada", "write", "maintain"),
        ("wim", "write", "write"),
        ("tia", "read", "triage"),
        ("eve", "none", "none"),
        ("acme", "admin", "admin"),
    ] {
        let path = format!("/repos/acme/shop/collaborators/{login}/permission");
        let answer: Value = client.get(path, None::<&()>).await.unwrap();
        assert_eq!(
            (&answer["permission"], &answer["role_name"]),
            (&json!(permission), &json!(role))
        );
    }
    let nobody = "/repos/acme/shop/collaborators/nobody/permission";
    assert!(client.get::<Value, _, ()>(nobody, None).await.is_err());
    github
        .set_permission(REPO, "eve", Permission::Write)
        .unwrap();
    let eve = github.person_token("eve");
    let (status, _, _) = raw(&github, "GET", "/repos/acme/shop", &eve, Value::Null).await;
    assert_eq!(status, 200);
}

#[tokio::test]
async fn a_start_that_cannot_work_says_why() {
    let app = AppOptions {
        manifest: "name: x\nurl: y\n".to_string(),
        ..AppOptions::default()
    };
    let options = SimulatorOptions {
        app,
        ..SimulatorOptions::default()
    };
    let error = Simulator::start(options).await.err().unwrap().to_string();
    assert!(error.contains("default_permissions"), "{error}");
    let first = simulator().await;
    let port = first
        .base_url()
        .rsplit(':')
        .next()
        .unwrap()
        .parse()
        .unwrap();
    let options = SimulatorOptions {
        port: Some(port),
        ..SimulatorOptions::default()
    };
    let error = Simulator::start(options).await.err().unwrap().to_string();
    assert!(error.contains("choose a free port"), "{error}");
}
