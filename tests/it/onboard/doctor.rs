//! `mend doctor` on installations that work, and on such that do not.

use super::{Place, Seen, ready};
use crate::model::stub::{Answer, Stub};
use crate::world::REPO;
use mend::simulator::{AppOptions, SimulatorOptions};
use serde_json::json;

/// What of the report differs from run to run.
fn plain(place: &Place, text: &str) -> String {
    let mut text = text.to_string();
    for (from, to) in [
        (place.folder.path().to_str().unwrap().to_string(), "FOLDER"),
        (place.sim.base_url().to_string(), "GITHUB"),
        (format!("127.0.0.1:{}", place.port), "LISTEN"),
    ] {
        text = text.replace(&from, to);
    }
    let shapes = [
        (r" at [0-9a-f]{7} ", " at COMMIT "),
        (r"[0-9]+\.[0-9] s", "N s"),
        (r"with [0-9]+ warnings?", "with N warnings"),
        (r"bubblewrap [0-9.]+", "bubblewrap N"),
        (r"(no Landlock|Landlock [0-9]+)", "LANDLOCK"),
        (
            r"(?m)^\S+ +(limits|toolchains|disk) .*$(\n +→.*$)?",
            "(this host's $1)",
        ),
    ];
    for (pattern, to) in shapes {
        text = regex::Regex::new(pattern)
            .unwrap()
            .replace_all(&text, to)
            .into_owned();
    }
    text
}

#[tokio::test]
async fn a_whole_installation_is_well_before_its_first_start() {
    let place = Place::new().await;
    place.sim.ping();
    let out = place.mend(&["doctor"]).await;
    let text = String::from_utf8_lossy(&out.stdout);
    let errors = String::from_utf8_lossy(&out.stderr);
    assert_eq!(out.status.code(), Some(0), "{text}{errors}");
    // The label is what an operator makes; everything else is right.
    insta::assert_snapshot!(plain(&place, &text));
    let tokens = place.sim.tokens();
    assert!(tokens.len() > 2 && tokens.iter().all(|t| !t.lives));
    // Nothing was made, and nothing is left.
    assert!(!place.state().exists() && place.sim.refs(REPO).len() == 1);
    let left = std::fs::read_dir(place.folder.path()).unwrap();
    let left: Vec<_> = left.map(|e| e.unwrap().file_name()).collect();
    assert_eq!(left.len(), 2, "{left:?}");
}

#[tokio::test]
async fn settings_that_are_wrong_are_told_and_the_rest_is_looked_at() {
    let mut place = Place::new().await;
    place.change("webhook_secret = ", "webhok_secret = ");
    place.change("listen = \"127", "listen = \"localhost 127");
    let seen = place.doctor().await;
    assert_eq!(seen.code, 2, "{:#}", seen.json);
    assert_eq!(seen.json["state"], "failed");
    let told = seen.about("settings").join("\n");
    for part in [
        "`github.webhook_secret` is missing",
        "did you mean `github.webhook_secret`?",
        "`server.listen` is `localhost 127",
    ] {
        assert!(told.contains(part), "{told}");
    }
    for name in ["app", "clone", "push", "model", "sandbox", "database"] {
        assert!(seen.one(name).starts_with("ok: "), "{}", seen.one(name));
    }

    // A file that is no TOML: the variables still say enough for the App.
    let broken = place.file("broken.toml", "[github\napp_id = 1", 0o600);
    place.environment = vec![
        ("MEND_GITHUB_APP_ID".into(), place.sim.app_id().to_string()),
        (
            "MEND_GITHUB_PRIVATE_KEY".into(),
            place.sim.private_key_pem().into(),
        ),
        ("MEND_GITHUB_BASE_URL".into(), place.sim.base_url().into()),
    ];
    let seen = Seen::of(place.mend_with(&["doctor", "--json"], &broken).await);
    assert_eq!(seen.code, 2);
    let told = seen.one("settings");
    assert!(told.contains("is not TOML: line 1"), "{told}");
    assert!(seen.one("app").starts_with("ok: "), "{}", seen.one("app"));

    let gone = place.folder.path().join("gone.toml");
    let seen = Seen::of(place.mend_with(&["doctor", "--json"], &gone).await);
    let told = seen.one("settings");
    assert!(told.contains("`mend setup` writes one"), "{told}");
}

#[tokio::test]
async fn a_ping_is_followed_to_the_running_server() {
    let place = Place::new().await;
    place.sim.ping();
    let mut server = tokio::process::Command::new(env!("CARGO_BIN_EXE_mend"))
        .args(["serve", "--config"])
        .arg(place.config())
        .env("TMPDIR", place.folder.path())
        .stderr(std::process::Stdio::null())
        .kill_on_drop(true)
        .spawn()
        .unwrap();
    for _ in 0..200 {
        if tokio::net::TcpStream::connect(("127.0.0.1", place.port))
            .await
            .is_ok()
        {
            break;
        }
        tokio::time::sleep(std::time::Duration::from_millis(50)).await;
    }
    let seen = place.doctor().await;
    assert_eq!(seen.troubles(), ["label"], "{:#}", seen.json);
    assert!(seen.one("listen").contains("mend serves on"));
    let told = seen.one("webhook");
    assert!(told.contains("to a mend that took its signature"), "{told}");
    assert!(seen.one("database").contains("is writable, at schema"));
    server.kill().await.unwrap();
}

#[tokio::test]
async fn a_webhook_that_does_not_arrive_is_told_with_its_reason() {
    let place = Place::new().await;
    let here = format!("http://127.0.0.1:{}", place.port);
    let nobody = format!("http://127.0.0.1:{}/webhook", super::free_port());
    // Something else that answers everything.
    let other = Stub::answering(|_| Answer::json(200, "{}")).await;
    for (url, expected) in [
        (format!("{here}/hook"), "answers GitHub with 404 → have"),
        (nobody, "GitHub gets no answer from"),
        (
            format!("{}/webhook", other.base),
            "something that is not mend answers GitHub's ping",
        ),
    ] {
        place.sim.set_webhook_url(Some(&url));
        place.sim.ping();
        let seen = place.doctor().await;
        let told = seen.one("webhook");
        assert!(
            told.starts_with("failed: ") && told.contains(expected),
            "{told}"
        );
        assert_eq!(seen.code, 1);
    }
    place.sim.set_webhook_url(None);
    let told = place.doctor().await.one("webhook");
    assert!(told.contains("has no webhook address"), "{told}");
}

#[tokio::test]
async fn a_poller_needs_no_webhook() {
    let mut place = Place::new().await;
    place.change("[model]", "poll_s = 30\n[model]");
    place
        .sim
        .set_webhook_url(Some("https://mend.invalid/webhook"));
    let seen = place.doctor().await;
    let told = seen.one("webhook");
    assert!(told.starts_with("ok: polling"), "{told}");
    assert!(seen.about("listen").is_empty());
}

#[tokio::test]
async fn permissions_that_lack_and_such_that_are_too_many_are_named() {
    let shipped = AppOptions::default().manifest;
    let manifest = shipped
        .replace(
            "  contents: write",
            "  contents: read\n  administration: write",
        )
        .replace("  - issue_comment\n", "");
    assert_ne!(manifest, shipped);
    let app = AppOptions {
        manifest,
        ..AppOptions::default()
    };
    let options = SimulatorOptions {
        app,
        ..SimulatorOptions::default()
    };
    let place = Place::with(options, ready().await).await;
    let seen = place.doctor().await;
    let told = seen.about("permissions").join("\n");
    assert!(
        told.contains("failed: the App lacks contents: write → add them on the App's page"),
        "{told}"
    );
    assert!(
        told.contains("warning: the App has more than it needs: administration: write"),
        "{told}"
    );
    let told = seen.one("events");
    assert!(
        told.contains("not subscribed to issue_comment → tick them"),
        "{told}"
    );
    let told = seen.one("push");
    assert!(
        told.starts_with("failed: ") && told.contains("give the App `contents: write`"),
        "{told}"
    );
    assert!(seen.one("clone").starts_with("ok: "));
}

#[tokio::test]
async fn a_named_repository_is_the_one_that_is_tried() {
    let place = Place::new().await;
    place.sim.create_repo("acme/other", [("a", "b")]).unwrap();
    let out = place
        .mend(&["doctor", "--json", "--repo", "acme/other"])
        .await;
    assert!(Seen::of(out).one("clone").contains("acme/other at"));
    let out = place
        .mend(&["doctor", "--json", "--repo", "acme/none"])
        .await;
    let told = Seen::of(out).one("repository");
    assert!(
        told.contains("the App is not installed on acme/none"),
        "{told}"
    );
    let out = place.mend(&["doctor", "--json", "--repo", REPO]).await;
    assert!(Seen::of(out).one("label").contains("has no label `mend`"));
}

#[tokio::test]
async fn sorts_of_models_are_told_apart() {
    // Without tools, refusing tools, without a key, of another name, not there.
    let talks =
        Stub::answering(|_| Answer::json(200, crate::world::chat(&crate::world::text("ready"))))
            .await;
    let refuses = Stub::answering(|body| {
        let asked: serde_json::Value = serde_json::from_slice(body).unwrap();
        match asked["tools"].is_array() {
            true => Answer::json(
                400,
                json!({"error": {"message": "tools are not supported"}}).to_string(),
            ),
            false => Answer::json(200, crate::world::chat(&crate::world::text("ready"))),
        }
    })
    .await;
    let locked = Stub::answering(|_| {
        Answer::json(
            401,
            json!({"error": {"message": "no such key"}}).to_string(),
        )
    })
    .await;
    let unknown = Stub::answering(|_| {
        Answer::json(
            404,
            json!({"error": {"message": "no such model"}}).to_string(),
        )
    })
    .await;
    let nobody = format!("http://127.0.0.1:{}", super::free_port());
    for (base, expected) in [
        (
            &talks.base,
            "warning: scripted answers, and called no tool although it was asked to → set `model.dialect",
        ),
        (
            &refuses.base,
            "warning: scripted answers, and its endpoint refuses tools → nothing needs to be done",
        ),
        (
            &locked.base,
            "→ check the key (`model.api_key` or MEND_MODEL_API_KEY) for",
        ),
        (&unknown.base, "→ check `model.model` and `model.base_url`"),
        (&nobody, "the model cannot be reached"),
    ] {
        let mut place = Place::new().await;
        let from = place.stub.base.clone();
        place.change(&from, base);
        let told = place.doctor().await.one("model");
        assert!(told.contains(expected), "{told}");
    }
}
