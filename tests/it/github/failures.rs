//! What GitHub and the network do wrong, and what mend makes of it.

use super::stub::{Now, Stub, ok, pass, settings, status, token};
use axum::response::{IntoResponse, Response};
use mend::domain::Clock;
use mend::github::{Github, GithubError, Purpose, Thread};
use serde_json::json;
use std::sync::Arc;

const ISSUE: &str = "/repos/acme/app/issues/5";

#[tokio::test]
async fn a_write_is_sent_once_and_a_read_again() {
    let stub = Stub::new(|seen, _| match seen.path.ends_with("/access_tokens") {
        true => pass(),
        false => status(500, json!({ "message": "Server Error" })),
    })
    .await;
    let session = stub.session();
    let failed = session
        .create_comment(Thread::Issue(5), "x")
        .await
        .unwrap_err();
    assert!(failed.is_transient() && failed.maybe_done(), "{failed}");
    assert_eq!(stub.seen().len(), 1);
    session
        .update_comment(Thread::Issue(5), 1, "x")
        .await
        .unwrap_err();
    assert_eq!(stub.seen().len(), 2);
    let failed = session.issue(5).await.unwrap_err();
    assert!(failed.is_transient() && !failed.maybe_done());
    assert_eq!(stub.seen().len(), 2 + 4);
}

#[tokio::test]
async fn a_lost_mint_is_made_again() {
    let stub = Stub::new(
        |seen, before| match (seen.path.ends_with("/access_tokens"), before) {
            (true, 0) => status(502, json!({})),
            (true, _) => pass(),
            _ => ok(json!({ "id": 1, "number": 5 })),
        },
    )
    .await;
    stub.session().issue(5).await.unwrap();
    assert_eq!(stub.mints().len(), 2);
}

#[tokio::test]
async fn a_read_that_recovers_is_a_read() {
    let stub = Stub::new(|seen, before| match (seen.path.as_str(), before) {
        (ISSUE, 0) => status(502, json!({})),
        (ISSUE, 1) => limited(429, &[("retry-after", "1")], "slow down"),
        (ISSUE, _) => ok(json!({ "id": 1, "number": 5 })),
        _ => pass(),
    })
    .await;
    let began = std::time::Instant::now();
    assert_eq!(stub.session().issue(5).await.unwrap().number, 5);
    assert!(began.elapsed().as_millis() >= 1000, "the wait was kept");
    assert_eq!(stub.seen().len(), 3);
}

fn limited(code: u16, headers: &[(&'static str, &str)], message: &str) -> Response {
    let mut response = status(code, json!({ "message": message }));
    for (name, value) in headers {
        response.headers_mut().insert(*name, value.parse().unwrap());
    }
    response
}

#[tokio::test]
async fn limits_are_named_and_never_hammered() {
    let reset = Now.unix() + 1800;
    for (code, headers, message, secondary, wait) in [
        (
            403,
            vec![
                ("x-ratelimit-remaining", "0".to_string()),
                ("x-ratelimit-reset", reset.to_string()),
            ],
            "API rate limit exceeded",
            false,
            1800,
        ),
        (429, vec![("retry-after", "90".to_string())], "", true, 90),
        (
            403,
            vec![("retry-after", "120".to_string())],
            "You have exceeded a secondary rate limit",
            true,
            120,
        ),
        (
            403,
            vec![],
            "You have exceeded a secondary rate limit. Please wait",
            true,
            60,
        ),
        (429, vec![], "", true, 60),
    ] {
        let stub = Stub::new(move |seen, _| match seen.path.as_str() {
            ISSUE => {
                let headers: Vec<_> = headers.iter().map(|(n, v)| (*n, v.as_str())).collect();
                limited(code, &headers, message)
            }
            _ => pass(),
        })
        .await;
        let failed = stub.session().issue(5).await.unwrap_err();
        let GithubError::RateLimited {
            until,
            secondary: named,
            ..
        } = &failed
        else {
            panic!("{failed:?}");
        };
        assert_eq!(*named, secondary, "{failed}");
        assert!((until - Now.unix() - wait).abs() <= 2, "{failed}");
        assert_eq!(failed.not_before(), Some(*until));
        assert_eq!(
            failed.to_string().contains("secondary rate limit"),
            secondary,
            "{failed}"
        );
        assert_eq!(stub.seen().len(), 1);
    }
    // A 403 without any of this is a missing permission.
    let stub = Stub::new(|seen, _| match seen.path.as_str() {
        ISSUE => limited(
            403,
            &[
                ("x-ratelimit-remaining", "4999"),
                ("x-ratelimit-reset", "1"),
            ],
            "Resource not accessible by integration",
        ),
        _ => pass(),
    })
    .await;
    let failed = stub.session().issue(5).await.unwrap_err();
    assert!(matches!(failed, GithubError::Forbidden(_)), "{failed}");
}

#[tokio::test]
async fn a_dead_token_is_replaced_once() {
    let stub = Stub::new(|seen, _| match seen.path.as_str() {
        "/repos/acme/app/issues/5/comments" => match seen.bearer() == token(1) {
            true => status(401, json!({ "message": "Bad credentials" })),
            false => status(201, json!({ "id": 1, "body": "x" })),
        },
        ISSUE => status(401, json!({ "message": "Bad credentials" })),
        _ => pass(),
    })
    .await;
    let session = stub.session();
    session.create_comment(Thread::Issue(5), "x").await.unwrap();
    assert_eq!((stub.seen().len(), stub.mints().len()), (2, 2));
    let refused = session.issue(5).await.unwrap_err();
    assert!(matches!(refused, GithubError::Unauthorized(_)), "{refused}");
    assert_eq!((stub.seen().len(), stub.mints().len()), (4, 4), "no loop");
}

#[tokio::test]
async fn a_moved_repository_is_not_followed() {
    let sink = Stub::new(|_, _| ok(json!({ "id": 1, "number": 5 }))).await;
    let to = format!("{}/repositories/7/issues/5", sink.base);
    let stub = Stub::new(move |seen, _| match seen.path.as_str() {
        ISSUE => limited(301, &[("location", &to)], "Moved Permanently"),
        _ => pass(),
    })
    .await;
    let moved = stub.session().issue(5).await.unwrap_err();
    assert!(matches!(moved, GithubError::Moved(_)), "{moved}");
    assert!(sink.seen().is_empty());
}

#[tokio::test]
async fn nothing_shows_a_token_a_key_or_a_body() {
    let stub = Stub::new(|seen, _| match seen.path.as_str() {
        ISSUE => ok(json!({ "number": format!("secret-body {}", token(1)) })),
        "/repos/acme/app/issues/6" => {
            (http::StatusCode::IM_A_TEAPOT, format!("<html>secret-body {}", token(1))).into_response()
        }
        "/repos/acme/app/issues/7" => status(404, json!({ "message": format!("{}\u{1b}[31m", "long ".repeat(500)), "secret": "secret-body" })),
        _ => pass(),
    })
    .await;
    let session = stub.session();
    let held = session.token(Purpose::Read).await.unwrap();
    let mut texts = vec![
        format!("{held:?}"),
        format!("{session:?}"),
        format!("{:?}", settings(&stub.base)),
    ];
    for n in [5, 6, 7] {
        let failed = session.issue(n).await.unwrap_err();
        assert!(failed.to_string().len() < 700 && !failed.to_string().contains('\u{1b}'));
        texts.extend([failed.to_string(), format!("{failed:?}")]);
    }
    let key = super::stub::KEY.1.lines().nth(3).unwrap();
    for text in texts {
        for secret in [token(1).as_str(), &token(1)[20..60], "secret-body", key] {
            assert!(!text.contains(secret), "{secret} in {text}");
        }
    }
}

#[tokio::test]
async fn the_networks_failures_are_transient() {
    // Nobody listens: certainly not done.
    let github = Github::new(&settings("http://127.0.0.1:1"), Arc::new(Now)).unwrap();
    let down = github.redeliver(1).await.unwrap_err();
    assert!(down.is_transient() && !down.maybe_done(), "{down}");
    // Accepted, then the line is cut or silent: perhaps done.
    for silent in [false, true] {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let base = format!("http://{}", listener.local_addr().unwrap());
        tokio::spawn(async move {
            let mut held = Vec::new();
            while let Ok((socket, _)) = listener.accept().await {
                tokio::time::sleep(std::time::Duration::from_millis(50)).await;
                if silent {
                    held.push(socket);
                }
            }
        });
        let mut settings = settings(&base);
        settings.time = std::time::Duration::from_millis(300);
        let github = Github::new(&settings, Arc::new(Now)).unwrap();
        let lost = github.redeliver(1).await.unwrap_err();
        assert!(lost.is_transient() && lost.maybe_done(), "{lost}");
    }
}
