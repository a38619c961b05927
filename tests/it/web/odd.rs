//! DB-05: odd requests get plain answers, on both databases.

use super::Rig;
use super::seed::{ready, trigger};

#[tokio::test(flavor = "multi_thread")]
async fn db_05_odd_parameters_are_values_and_nothing_else() {
    for rig in Rig::both().await {
        ready(
            &rig.store,
            &trigger((1, "acme/invoicer"), 41, "100% of totals drift", "ada"),
        )
        .await;
        let rows = async |q: &str| {
            let page = rig.browser.page(&format!("/search?q={q}")).await;
            page.matches("<td class=\"id\">").count()
        };
        assert_eq!(rows("").await, 1);
        assert_eq!(rows("DRIFT").await, 1);
        assert_eq!(rows("100%25").await, 1);
        for nothing in [
            "%27+OR+1%3D1--",
            "%25%25%25x",
            "_%27",
            "%00",
            "a%00b",
            "verdict:x%27%20OR%201=1",
            "nobody/nothing",
        ] {
            let found = rows(nothing).await;
            let all = nothing == "%00"; // an empty search
            assert_eq!(found, usize::from(all), "{nothing}");
        }
        for (path, status) in [
            ("/runs/1e400", 404),
            ("/runs/-1", 404),
            ("/runs/0", 404),
            ("/runs/99", 404),
            ("/runs/1%00", 404),
            ("/runs/99999999999999999999", 404),
            ("/runs/1?turns=1e9", 404),
            ("/runs/1?turns=-1", 404),
            ("/runs/1?turns=999999999", 200),
            ("/runs/1/spans/9999", 404),
            ("/runs/1/spans/1/other", 404),
            ("/runs/1%2fdiff", 404),
            ("/search?before=id;drop", 404),
            ("/api/tasks?limit=0", 400),
            ("/api/tasks?state=x", 400),
            ("/api/tasks?sort=id;drop", 200),
            ("/repos/acme/%27%20OR%201=1", 404),
            ("/repos/acme/other", 404),
            ("/repos/%00/x", 404),
            ("/static/..%2f..%2fetc/passwd", 404),
            ("/static/..%2f..%2fetc%2fpasswd", 404),
            ("/static/mend.css", 404),
            ("/nothing", 404),
        ] {
            assert_eq!(rig.browser.status(path).await, status, "{path}");
        }
        let long = "x".repeat(30_000);
        assert_eq!(rig.browser.status(&format!("/search?q={long}")).await, 400);
        let csrf = rig.browser.csrf().await;
        let big = "x".repeat(1 << 20);
        let answer = rig
            .browser
            .form("/runs/1/retry", &[("csrf", &csrf), ("guidance", &big)])
            .send()
            .await;
        assert!(
            answer.is_err() || answer.is_ok_and(|a| a.status() == 403),
            "a megabyte"
        );
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn db_05_other_names_are_not_answered() {
    let rig = Rig::sqlite(mend::domain::SystemClock::shared()).await;
    let ask = async |host: &str| {
        let asked = rig
            .browser
            .ask(reqwest::Method::GET, "/")
            .header("host", host);
        asked.send().await.unwrap()
    };
    let port = rig.base.rsplit(':').next().unwrap().to_string();
    for host in [
        "evil.test",
        "127.0.0.1",
        "localhost:1",
        &format!("evil.test:{port}"),
        &format!("127.0.0.1.evil.test:{port}"),
    ] {
        let answer = ask(host).await;
        assert_eq!(answer.status(), 421, "{host}");
        assert!(!answer.text().await.unwrap().contains(host));
    }
    assert_eq!(ask(&format!("localhost:{port}")).await.status(), 200);
}
