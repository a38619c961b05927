//! DB-03: nothing is done but by our own forms; what they do.

use super::Rig;
use super::seed::{finish, ready, running, trigger};
use mend::domain::{Reason, SystemClock, TaskId, Verdict};
use mend::store::{Filter, PullEnd, State};
use reqwest::Method;

const REPO: (u64, &str) = (1, "acme/invoicer");

#[tokio::test(flavor = "multi_thread")]
async fn db_03_only_our_own_forms_change_anything() {
    let rig = Rig::sqlite(SystemClock::shared()).await;
    let held = running(&rig.store, &trigger(REPO, 41, "Totals drift", "ada")).await;
    let done = ready(&rig.store, &trigger(REPO, 42, "Dates", "ada")).await;
    let csrf = rig.browser.csrf().await;
    let (stop, retry) = (
        format!("/runs/{}/stop", held.id),
        format!("/runs/{done}/retry"),
    );
    let kind = "application/x-www-form-urlencoded";
    let body = format!("csrf={csrf}");
    let post = |path: &str, origin: Option<&str>, kind: &str, body: String| {
        let asked = rig
            .browser
            .ask(Method::POST, path)
            .header("content-type", kind);
        let asked = match origin {
            Some(origin) => asked.header("origin", origin),
            None => asked,
        };
        asked.body(body)
    };
    let ours = Some(rig.base.as_str());
    for path in [&*stop, &*retry, "/leave"] {
        let port_off = format!("{}0", rig.base);
        let tries = [
            (
                "from elsewhere",
                post(path, Some("https://evil.test"), kind, body.clone()),
            ),
            (
                "from another port",
                post(path, Some(&port_off), kind, body.clone()),
            ),
            ("from null", post(path, Some("null"), kind, body.clone())),
            ("from nowhere", post(path, None, kind, body.clone())),
            (
                "across sites",
                post(path, ours, kind, body.clone()).header("sec-fetch-site", "cross-site"),
            ),
            (
                "null from a sister site",
                post(path, Some("null"), kind, body.clone()).header("sec-fetch-site", "same-site"),
            ),
            ("no token", post(path, ours, kind, String::new())),
            (
                "a wrong token",
                post(path, ours, kind, format!("csrf={}", "0".repeat(64))),
            ),
            (
                "JSON as text",
                post(path, ours, "text/plain", format!("{{\"csrf\":\"{csrf}\"}}")),
            ),
            (
                "GET",
                rig.browser
                    .ask(Method::GET, &format!("{path}?csrf={csrf}"))
                    .header("origin", &rig.base),
            ),
        ];
        for (what, asked) in tries {
            let status = asked.send().await.unwrap().status();
            assert_eq!(status, 403, "{path}: {what}");
        }
        let mut nobody = rig.browser.clone();
        nobody.cookie = None;
        let status = nobody
            .form(path, &[("csrf", &csrf)])
            .send()
            .await
            .unwrap()
            .status();
        assert_eq!(status, 403, "{path}: nobody");
    }
    assert!(!rig.store.is_cancel_requested(held.id).await.unwrap());
    assert_eq!(
        rig.store.tasks(&Filter::default(), 10).await.unwrap().len(),
        2
    );
    assert_eq!(rig.browser.status("/").await, 200, "still logged in");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_run_is_stopped_and_retried_from_its_page() {
    let rig = Rig::sqlite(SystemClock::shared()).await;
    let held = running(&rig.store, &trigger(REPO, 41, "Totals drift", "ada")).await;
    let csrf = rig.browser.csrf().await;
    let page = rig.browser.page(&format!("/runs/{}", held.id)).await;
    assert!(page.contains("action=\"/runs/1/stop\""), "{page}");
    let answer = rig
        .browser
        .form("/runs/1/stop", &[("csrf", &csrf)])
        .send()
        .await
        .unwrap();
    assert_eq!(
        (answer.status().as_u16(), &answer.headers()["location"]),
        (303, &"/runs/1".parse().unwrap())
    );
    assert!(rig.store.is_cancel_requested(held.id).await.unwrap());

    let done = ready(&rig.store, &trigger(REPO, 42, "Dates", "ada")).await;
    let path = format!("/runs/{done}/retry");
    let fields = [("csrf", csrf.as_str()), ("guidance", "round half even")];
    let first = rig.browser.form(&path, &fields).send().await.unwrap();
    let new = first.headers()["location"].to_str().unwrap().to_string();
    assert_eq!(new, "/runs/3");
    let again = rig.browser.form(&path, &fields).send().await.unwrap();
    assert_eq!(
        again.headers()["location"],
        "/runs/3",
        "once for each ended run"
    );
    let task = rig.store.task(TaskId(3)).await.unwrap().unwrap();
    assert_eq!((task.state, task.trigger.issue.number), (State::Queued, 42));
    let claimed = rig
        .store
        .claim("w", super::seed::LEASE)
        .await
        .unwrap()
        .unwrap();
    assert_eq!(
        rig.store.steer_take(claimed.held).await.unwrap(),
        ["round half even"]
    );
    // Out again: the session is gone, not only its cookie.
    let left = rig
        .browser
        .form("/leave", &[("csrf", &csrf)])
        .send()
        .await
        .unwrap();
    assert_eq!(left.status(), 303);
    assert_eq!(rig.browser.status("/").await, 401);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_link_of_the_operator_works_once() {
    let rig = Rig::sqlite(SystemClock::shared()).await;
    let link = mend::web::invite(&rig.store, "/runs/1").await.unwrap();
    let mut fresh = rig.browser.clone();
    fresh.cookie = None;
    let first = fresh.get(&link).await;
    assert_eq!(
        (first.status().as_u16(), &first.headers()["location"]),
        (303, &"/runs/1".parse().unwrap())
    );
    let cookie = first.headers()["set-cookie"].to_str().unwrap();
    assert!(
        cookie.contains("HttpOnly") && cookie.contains("SameSite=Lax"),
        "{cookie}"
    );
    assert_eq!(fresh.status(&link).await, 401, "used");
    assert_eq!(fresh.status("/enter?key=").await, 401);
    assert_eq!(fresh.status("/").await, 401);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_repository_shows_what_became_of_its_pull_requests() {
    for rig in Rig::both().await {
        let run = async |number: u64, head: &str| {
            let held = running(&rig.store, &trigger(REPO, number, "Totals", "ada")).await;
            let mut doc = super::seed::result(Verdict::Ready, Reason::Fixed);
            doc["pull_request"]["number"] = number.into();
            finish(&rig.store, held, Verdict::Ready, &doc).await;
            let end = PullEnd {
                repo_id: REPO.0,
                number,
                merged: number != 3,
                opened_at: 1_000_000,
                ended_at: 1_000_000 + number as i64 * 60_000,
                head_sha: head.into(),
            };
            (end, held)
        };
        let ours = "4c1d2e94c1d2e94c1d2e94c1d2e94c1d2e94c1d2";
        for (number, head) in [(1, ours), (2, "a person's"), (3, ours)] {
            let (end, _) = run(number, head).await;
            assert!(rig.store.put_pull_end(&end).await.unwrap());
        }
        run(4, ours).await;
        let theirs = PullEnd {
            number: 99,
            ..run(4, ours).await.0
        };
        assert!(
            !rig.store.put_pull_end(&theirs).await.unwrap(),
            "of somebody else"
        );
        let pulls = rig.store.pulls_of(REPO.0, 10).await.unwrap();
        let seen: Vec<_> = pulls
            .iter()
            .map(|p| {
                (
                    p.number,
                    p.runs,
                    p.end.as_ref().map(|e| e.merged),
                    p.people_committed,
                    p.spent.microdollars,
                )
            })
            .collect();
        assert_eq!(
            seen,
            [
                (4, 2, None, false, 124_600),
                (3, 1, Some(false), false, 62_300),
                (2, 1, Some(true), true, 62_300),
                (1, 1, Some(true), false, 62_300),
            ]
        );
        let page = rig.browser.page("/repos/acme/invoicer").await;
        for part in [
            "<dt>Opened</dt><dd>4</dd>",
            "<dt>Merged</dt><dd>2</dd>",
            "<dt>Closed</dt><dd>1</dd>",
            "<dt>Open</dt><dd>1</dd>",
            ">2</dd></div><div><dt>Time to merge",
            "2 min 0 s",
            "commits of people",
            "claude-example-4",
        ] {
            assert!(page.contains(part), "{part}: {page}");
        }
    }
}
