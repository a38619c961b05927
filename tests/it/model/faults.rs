//! Servers that say no, and how often and when they are asked again.

use super::stub::{Answer, End, Stub};
use super::{WIRES, hello, settings};
use mend::domain::Cancel;
use mend::model::{ModelError, ModelSettings, Turn, WireKind, connect};
use serde_json::json;
use std::time::{Duration, Instant, SystemTime};

const GOOD: &str = r#"{"choices":[{"message":{"content":"fine"},"finish_reason":"stop"}],"usage":{"prompt_tokens":3,"completion_tokens":1}}"#;
const LIMIT: &str = r#"{"error":{"type":"rate_limit_error","message":"slow down"}}"#;

async fn ask(stub: &Stub, retries: u32) -> Result<Turn, ModelError> {
    let mut s = settings(WireKind::Chat, &stub.base, false);
    s.retries = retries;
    connect(&s).unwrap().turn(&hello(), &Cancel::new()).await
}

#[tokio::test]
async fn retry_after_is_kept_and_the_bytes_are_the_same() {
    let stub = Stub::start(vec![
        Answer::json(429, LIMIT).header("retry-after", 1),
        Answer::json(200, GOOD),
    ])
    .await;
    assert_eq!(ask(&stub, 2).await.unwrap().text, "fine");
    let seen = stub.seen();
    assert_eq!(seen.len(), 2);
    assert!(seen[1].at - seen[0].at >= Duration::from_secs(1));
    assert_eq!(seen[0].body, seen[1].body);
}

#[tokio::test]
async fn what_may_pass_is_asked_again() {
    let stub = Stub::start(vec![
        Answer::json(200, "").end(End::Broken),
        Answer::json(200, &GOOD[..40]),
        Answer::json(500, "{}").header("retry-after", "0"),
        Answer::json(529, LIMIT).header("retry-after", "0"),
        Answer::json(200, GOOD),
    ])
    .await;
    assert_eq!(ask(&stub, 5).await.unwrap().text, "fine");
    assert_eq!(stub.seen().len(), 5);
}

#[tokio::test]
async fn a_long_pause_is_handed_to_the_task() {
    let in_an_hour = SystemTime::now() + Duration::from_secs(3600);
    for value in ["3600".to_string(), httpdate::fmt_http_date(in_an_hour)] {
        let stub = Stub::start(vec![Answer::json(429, LIMIT).header("retry-after", value)]).await;
        let error = ask(&stub, 5).await.unwrap_err();
        assert!(error.is_transient());
        let ModelError::Busy { until, message } = error else {
            panic!("{error:?}")
        };
        let off = until
            .unwrap()
            .duration_since(in_an_hour)
            .unwrap_or_else(|e| e.duration());
        assert!(off < Duration::from_secs(5), "{off:?}");
        assert!(
            message.contains("429") && message.contains("slow down"),
            "{message}"
        );
        assert_eq!(stub.seen().len(), 1, "not asked again before the time");
    }
}

#[tokio::test]
async fn retries_end() {
    let limited = || Answer::json(429, LIMIT).header("retry-after", "0");
    let stub = Stub::start(vec![limited(), limited(), limited(), limited()]).await;
    let e = ask(&stub, 2).await.unwrap_err();
    assert!(matches!(e, ModelError::Busy { .. }), "{e:?}");
    assert_eq!(stub.seen().len(), 3);

    let stub = Stub::start(vec![Answer::json(503, "{}"), Answer::json(502, "<html>")]).await;
    let e = ask(&stub, 1).await.unwrap_err();
    assert!(matches!(e, ModelError::Unavailable { .. }), "{e:?}");
}

#[tokio::test]
async fn nobody_listens() {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let base = format!("http://{}", listener.local_addr().unwrap());
    drop(listener);
    let model = connect(&settings(WireKind::Anthropic, &base, true)).unwrap();
    let e = model.turn(&hello(), &Cancel::new()).await.unwrap_err();
    assert!(
        matches!(&e, ModelError::Unavailable { message } if message.contains("no connection to 127.0.0.1")),
        "{e:?}"
    );
}

#[tokio::test]
async fn a_no_is_final_and_tells_why_without_the_key() {
    let body = json!({"error": {"message": "invalid key key-that-nobody-sees\u{1b}[31m", "type": "authentication_error"}});
    for wire in WIRES {
        for status in [400, 401, 403, 404, 422] {
            let stub = Stub::start(vec![Answer::json(status, body.to_string())]).await;
            let mut s = settings(wire, &stub.base, true);
            s.retries = 3;
            let e = connect(&s)
                .unwrap()
                .turn(&hello(), &Cancel::new())
                .await
                .unwrap_err();
            assert!(
                matches!(&e, ModelError::Permanent { status: Some(s), .. } if *s == status),
                "{e:?}"
            );
            let text = e.to_string();
            assert!(text.contains("invalid key [redacted]"), "{text}");
            assert!(
                !text.contains('\u{1b}') && !text.contains("Fix it"),
                "{text}"
            );
            assert_eq!(stub.seen().len(), 1);
        }
    }
}

#[tokio::test]
async fn a_conversation_that_is_too_long_is_its_own_error() {
    for (status, message) in [
        (400, "prompt is too long: 213462 tokens > 200000 maximum"),
        (400, "This model's maximum context length is 128000 tokens."),
        (413, "Request exceeds the maximum size"),
        (500, "the request exceeds the available context size"),
    ] {
        let body = json!({"error": {"type": "invalid_request_error", "message": message}});
        let stub = Stub::start(vec![Answer::json(status, body.to_string())]).await;
        let e = ask(&stub, 3).await.unwrap_err();
        assert!(matches!(e, ModelError::ContextOverflow { .. }), "{e:?}");
    }
}

#[tokio::test]
async fn a_redirect_carries_nothing_away() {
    let thief = Stub::start(vec![]).await;
    for status in [301, 302, 303, 307, 308] {
        let stub = Stub::start(vec![
            Answer::json(status, "")
                .header("location", format!("{}/v1/chat/completions", thief.base)),
        ])
        .await;
        let e = ask(&stub, 2).await.unwrap_err();
        assert!(e.to_string().contains("base_url"), "{e}");
        assert!(!e.is_transient());
    }
    assert!(thief.seen().is_empty());
}

#[tokio::test]
async fn content_types_that_do_not_fit() {
    let page = Stub::start(vec![Answer::new(200, "text/html", "<html>login</html>")]).await;
    let e = ask(&page, 2).await.unwrap_err();
    assert!(e.to_string().contains("web page"), "{e}");
    assert_eq!(page.seen().len(), 1);

    // Asked for a stream, answered plainly; asked plainly, answered by a stream; no type at all.
    let stream = "data: {\"choices\":[{\"delta\":{\"content\":\"fine\"},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n";
    for (asked, answer) in [
        (true, Answer::json(200, GOOD)),
        (false, Answer::sse(stream)),
        (true, Answer::new(200, "", stream)),
        (false, Answer::new(200, "text/plain", GOOD)),
    ] {
        let stub = Stub::start(vec![answer]).await;
        let model = connect(&settings(WireKind::Chat, &stub.base, asked)).unwrap();
        assert_eq!(
            model.turn(&hello(), &Cancel::new()).await.unwrap().text,
            "fine"
        );
    }
}

#[tokio::test]
async fn an_error_in_a_plain_200_is_an_error() {
    let stub = Stub::start(vec![Answer::json(200, LIMIT)]).await;
    let e = ask(&stub, 0).await.unwrap_err();
    assert!(matches!(e, ModelError::Busy { .. }), "{e:?}");
}

#[tokio::test]
async fn cancel_ends_a_pause_at_once() {
    let stub = Stub::start(vec![Answer::json(429, LIMIT).header("retry-after", 30)]).await;
    let mut s = settings(WireKind::Chat, &stub.base, false);
    s.retries = 3;
    let model = connect(&s).unwrap();
    let (cancel, request, begun) = (Cancel::new(), hello(), Instant::now());
    let stop = async {
        while stub.seen().is_empty() {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
        cancel.cancel();
    };
    let (turn, ()) = tokio::join!(model.turn(&request, &cancel), stop);
    assert_eq!(turn.unwrap_err(), ModelError::Cancelled);
    assert!(begun.elapsed() < Duration::from_secs(5));
}

#[tokio::test]
async fn a_wrong_setting_is_named() {
    type Spoil = fn(&mut ModelSettings);
    let cases: [(&str, Spoil); 5] = [
        ("`model`", |s| s.model = " ".into()),
        ("`base_url`", |s| s.base_url = Some("ftp://h".into())),
        ("`api_key`", |s| s.api_key = Some("a\nb".into())),
        ("`headers`", |s| {
            s.headers.insert("a b".into(), "x".into());
        }),
        ("`timeout_s`", |s| s.timeout_s = 0),
    ];
    for (key, spoil) in cases {
        let mut s = settings(WireKind::Chat, "http://h", false);
        spoil(&mut s);
        let Err(e) = connect(&s) else {
            panic!("{key} was accepted")
        };
        assert!(
            e.to_string().starts_with(&format!("model setting {key}")),
            "{e}"
        );
    }
}
