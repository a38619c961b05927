//! DB-02 and DB-04: people log in at GitHub and see what they may read there.

use super::rig::{Browser, plain_client, site_settings};
use super::seed::{ready, running, trigger};
use crate::contract::{Checked, Whose};
use crate::store::Hand;
use mend::domain::Cancel;
use mend::github::{Github, GithubSettings, OAuth};
use mend::intake::{Bounds, serve};
use mend::simulator::{Permission, SimulatorOptions};
use mend::store::{Filter, Store};
use mend::web::{Entrance, Login, Site, router};
use reqwest::Response;
use std::sync::Arc;
use std::time::Duration;
use tempfile::TempDir;
use tokio::net::TcpListener;

struct World {
    sim: Checked,
    store: Store,
    clock: Arc<Hand>,
    base: String,
    client: reqwest::Client,
    _folder: TempDir,
}

const SECRET: &str = "acme/secret";

impl World {
    async fn new() -> World {
        let clock = Hand::new();
        let options = SimulatorOptions {
            clock: clock.clone(),
            ..SimulatorOptions::default()
        };
        let sim = Checked::start(options, Whose::Mend).await;
        sim.add_person("ada", Permission::None);
        sim.add_person("rae", Permission::None);
        sim.add_person("una", Permission::None);
        sim.create_repo(SECRET, [("a.py", "a = 1\n")]).unwrap();
        sim.set_permission(SECRET, "ada", Permission::Write)
            .unwrap();
        sim.set_permission(SECRET, "rae", Permission::Read).unwrap();
        let folder = tempfile::tempdir().unwrap();
        let url = format!("sqlite:{}", folder.path().join("mend.db").display());
        let store = Store::open(&url, clock.clone()).await.unwrap();
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let base = format!("http://{}", listener.local_addr().unwrap());
        sim.set_callback_url(&format!("{base}/login/callback"));
        let key = sim.private_key_pem().to_string().into();
        let settings = GithubSettings::new(sim.base_url(), sim.app_id(), key);
        let github = Github::new(&settings, clock.clone()).unwrap();
        let (id, secret) = sim.client();
        let oauth = OAuth::new(&settings, github, sim.base_url(), (&id, &secret.into())).unwrap();
        let login = Login {
            oauth,
            public_url: base.clone(),
        };
        let stop = Cancel::new();
        let settings = site_settings(&store, &stop, sim.base_url());
        let site = Site::new(settings, Entrance::People(Arc::new(login)));
        tokio::spawn(serve(listener, router(site), stop, Bounds::default()));
        World {
            sim,
            store,
            clock,
            base,
            client: plain_client(),
            _folder: folder,
        }
    }

    fn browser(&self) -> Browser {
        Browser {
            client: self.client.clone(),
            base: self.base.clone(),
            cookie: None,
        }
    }

    /// Begins a login: the browser's cookie, and where it is sent.
    async fn begin(&self, next: &str) -> (String, String) {
        let answer = self.browser().get(&format!("/login?next={next}")).await;
        assert_eq!(answer.status(), 303);
        let cookie = answer.headers()["set-cookie"].to_str().unwrap();
        for part in [
            "__Host-mend-login=",
            "; Path=/",
            "; HttpOnly",
            "; SameSite=Lax",
            "; Secure",
        ] {
            assert!(cookie.contains(part), "{cookie}");
        }
        let cookie = cookie.split(';').next().unwrap().to_string();
        (
            cookie,
            answer.headers()["location"].to_str().unwrap().to_string(),
        )
    }

    /// Somebody says at GitHub who they are: the address they come back to.
    async fn approve(&self, there: &str, login: &str) -> Response {
        let approve = there.replace("/authorize?", "/approve?");
        self.client
            .get(format!("{approve}&login={login}"))
            .send()
            .await
            .unwrap()
    }

    async fn back(&self, path: &str, cookie: Option<&str>) -> Response {
        let browser = Browser {
            cookie: cookie.map(String::from),
            ..self.browser()
        };
        browser.get(path).await
    }

    async fn login(&self, login: &str) -> Browser {
        let (cookie, there) = self.begin("/").await;
        assert!(there.contains("code_challenge_method=S256"), "{there}");
        let page = self.client.get(&there).send().await.unwrap();
        assert!(
            page.text()
                .await
                .unwrap()
                .contains(&format!("I am {login}"))
        );
        let path = self.come_back(&there, login).await;
        let answer = self.back(&path, Some(&cookie)).await;
        assert_eq!(answer.status(), 303, "{path}");
        let set = answer.headers()["set-cookie"].to_str().unwrap().to_string();
        for part in [
            "__Host-mend=",
            "; Path=/",
            "; HttpOnly",
            "; SameSite=Lax",
            "; Secure",
        ] {
            assert!(set.contains(part), "{set}");
        }
        let mut browser = self.browser();
        browser.keep(&answer, "__Host-mend=");
        browser
    }

    async fn come_back(&self, there: &str, login: &str) -> String {
        let answer = self.approve(there, login).await;
        let back = answer.headers()["location"].to_str().unwrap();
        back.strip_prefix(&self.base).unwrap().to_string()
    }

    fn repo(&self) -> (u64, &'static str) {
        (self.sim.repo_id(SECRET).unwrap(), SECRET)
    }
}

/// What somebody gets there: status and text.
async fn got(browser: &Browser, path: &str) -> (u16, String) {
    let answer = browser.get(path).await;
    (answer.status().as_u16(), answer.text().await.unwrap())
}

#[tokio::test(flavor = "multi_thread")]
async fn db_02_a_private_run_is_there_for_who_may_read_it_alone() {
    let world = World::new().await;
    let done = ready(
        &world.store,
        &trigger(world.repo(), 41, "Totals drift", "ada"),
    )
    .await;
    running(&world.store, &trigger(world.repo(), 42, "Terms", "ada")).await;
    let (una, rae) = (world.login("una").await, world.login("rae").await);
    for part in [
        "",
        "/events",
        "/log",
        "/diff",
        "/spans/4",
        "/spans/4/output",
    ] {
        let (status, text) = got(&una, &format!("/runs/{done}{part}")).await;
        assert_eq!(status, 404, "{part}");
        let missing = got(&una, &format!("/runs/9999{part}")).await;
        assert_eq!((status, text), missing, "{part}: as of a run that is not");
        if part != "/events" {
            assert_eq!(
                rae.status(&format!("/runs/{done}{part}")).await,
                200,
                "{part}"
            );
        }
    }
    for path in [
        format!("/api/tasks/{done}"),
        format!("/api/tasks/{done}/spans"),
        format!("/repos/{SECRET}"),
    ] {
        assert_eq!(una.status(&path).await, 404, "{path}");
        assert_eq!(rae.status(&path).await, 200, "{path}");
    }
    for path in ["/", "/search", "/search?q=totals", "/repos", "/api/tasks"] {
        let (_, text) = got(&una, path).await;
        assert!(
            !text.contains("Totals") && !text.contains("secret"),
            "{path}: {text}"
        );
        assert!(
            !text.contains("Running") || path != "/",
            "no counts either: {text}"
        );
        assert!(got(&rae, path).await.1.contains("secret"), "{path}");
    }
    world.sim.shutdown().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn who_may_write_stops_and_retries_and_who_may_only_read_does_not() {
    let world = World::new().await;
    let asked = |n: u64| trigger(world.repo(), n, "Totals drift", "ada");
    let done = ready(&world.store, &asked(41)).await;
    let held = running(&world.store, &asked(42)).await;
    let rae = world.login("rae").await;
    // Who may read only stops nothing; who may write does, and a retry is theirs.
    let csrf = rae.csrf().await;
    let stop = format!("/runs/{}/stop", held.id);
    assert_eq!(
        rae.form(&stop, &[("csrf", &csrf)])
            .send()
            .await
            .unwrap()
            .status(),
        403
    );
    assert!(!world.store.is_cancel_requested(held.id).await.unwrap());
    let ada = world.login("ada").await;
    let csrf = ada.csrf().await;
    assert_eq!(
        ada.form(&stop, &[("csrf", &csrf)])
            .send()
            .await
            .unwrap()
            .status(),
        303
    );
    assert!(world.store.is_cancel_requested(held.id).await.unwrap());
    let retry = format!("/runs/{done}/retry");
    assert_eq!(
        ada.form(&retry, &[("csrf", &csrf)])
            .send()
            .await
            .unwrap()
            .status(),
        303
    );
    let newest = world
        .store
        .tasks(&Filter::default(), 1)
        .await
        .unwrap()
        .remove(0);
    assert_eq!(newest.trigger.by.login, "ada");
    assert_ne!(
        newest.trigger.by.id, 7,
        "the person who pressed, by GitHub's id"
    );
    world.sim.shutdown().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn db_02_who_may_no_longer_read_is_cut_off_within_five_minutes() {
    let world = World::new().await;
    let held = running(&world.store, &trigger(world.repo(), 42, "Terms", "ada")).await;
    let rae = world.login("rae").await;
    let path = format!("/runs/{}", held.id);
    assert_eq!(rae.status(&path).await, 200);
    let mut stream = rae.get(&format!("{path}/events")).await;
    assert_eq!(stream.status(), 200);
    world
        .sim
        .set_permission(SECRET, "rae", Permission::None)
        .unwrap();
    world.clock.on(Duration::from_secs(299));
    assert_eq!(rae.status(&path).await, 404);
    let mut text = String::new();
    let ended = async {
        while let Ok(Some(bytes)) = stream.chunk().await {
            text.push_str(&String::from_utf8_lossy(&bytes));
        }
    };
    tokio::time::timeout(Duration::from_secs(10), ended)
        .await
        .expect("the stream ends");
    assert!(text.ends_with("event: gone\ndata: gone\n\n"), "{text}");
    world.sim.shutdown().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn db_04_a_login_is_used_once_by_the_browser_that_began_it() {
    let world = World::new().await;
    let (cookie, there) = world.begin("/runs/1").await;
    let path = world.come_back(&there, "ada").await;
    let state = path.split("state=").nth(1).unwrap().to_string();
    // Another browser, and none.
    let (other, _) = world.begin("/").await;
    for (what, cookie) in [("foreign", Some(other.as_str())), ("none", None)] {
        let (cookie2, there) = world.begin("/").await;
        let stolen = world.come_back(&there, "ada").await;
        let answer = world.back(&stolen, cookie).await;
        assert_eq!(answer.status(), 400, "{what}");
        assert!(answer.headers().get("set-cookie").is_none(), "{what}");
        assert_eq!(
            world.back(&stolen, Some(&cookie2)).await.status(),
            400,
            "{what}: used up"
        );
    }
    for odd in [
        "/login/callback".to_string(),
        "/login/callback?code=x&state=y".into(),
        format!("/login/callback?code=wrong&state={}", "0".repeat(64)),
    ] {
        assert_eq!(world.back(&odd, Some(&cookie)).await.status(), 400, "{odd}");
    }
    let answer = world.back(&path, Some(&cookie)).await;
    assert_eq!(
        (answer.status().as_u16(), &answer.headers()["location"]),
        (303, &"/runs/1".parse().unwrap())
    );
    assert_eq!(
        world.back(&path, Some(&cookie)).await.status(),
        400,
        "the state again"
    );
    // The code again, behind a state that is fresh.
    let (cookie, there) = world.begin("/").await;
    let fresh = world.come_back(&there, "ada").await;
    let old = path
        .split("code=")
        .nth(1)
        .unwrap()
        .split('&')
        .next()
        .unwrap();
    let now = fresh
        .split("code=")
        .nth(1)
        .unwrap()
        .split('&')
        .next()
        .unwrap();
    assert_eq!(
        world
            .back(&fresh.replace(now, old), Some(&cookie))
            .await
            .status(),
        400,
        "the code again"
    );
    assert!(!state.is_empty());
    // GitHub sends nobody elsewhere, and mend asks for no other place.
    let (_, there) = world.begin("//evil.test").await;
    assert!(
        there.contains("redirect_uri=http%3A%2F%2F127.0.0.1"),
        "{there}"
    );
    let wrong = there.replace(
        "redirect_uri=http%3A%2F%2F127.0.0.1",
        "redirect_uri=http%3A%2F%2Fevil.test",
    );
    assert_eq!(world.approve(&wrong, "ada").await.status(), 400);
    world.sim.shutdown().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn db_04_a_session_has_a_new_id_and_keeps_no_token_in_the_clear() {
    let world = World::new().await;
    let (cookie, there) = world.begin("//evil.test").await;
    let path = world.come_back(&there, "ada").await;
    // A session that somebody planted before the login.
    let planted = "f".repeat(64);
    let answer = world
        .back(&path, Some(&format!("{cookie}; __Host-mend={planted}")))
        .await;
    assert_eq!(answer.headers()["location"], "/", "no open redirect");
    let mut browser = world.browser();
    browser.keep(&answer, "__Host-mend=");
    assert!(!browser.cookie.as_ref().unwrap().contains(&planted));
    assert_eq!(browser.status("/").await, 200);
    browser.cookie = Some(format!("__Host-mend={planted}"));
    assert_eq!(browser.status("/").await, 401);
    let folder = world._folder.path();
    for entry in std::fs::read_dir(folder).unwrap() {
        let bytes = std::fs::read(entry.unwrap().path()).unwrap();
        assert!(
            !bytes.windows(4).any(|w| w == b"ghu_"),
            "a token in the database"
        );
    }
    // Sessions end by themselves.
    let ada = world.login("ada").await;
    world.clock.on(Duration::from_secs(8 * 3600 + 1));
    assert_eq!(ada.status("/").await, 401);
    world.sim.shutdown().await;
}
