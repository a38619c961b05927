//! `mend setup`: the manifest flow over real HTTP against the simulated GitHub, in a browser's way, on
//! the terminal, and by flags.

use super::{Place, Seen, free_port};
use crate::world::REPO;
use reqwest::header;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
use std::process::Stdio;
use std::time::Duration;
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::process::{Child, Command};

/// A browser: cookies of one host, no script, redirects by hand.
struct Browser {
    http: reqwest::Client,
    cookie: String,
}

/// A page as the browser has it.
struct Page {
    status: u16,
    location: Option<String>,
    policy: String,
    text: String,
}

impl Page {
    /// The value of a hidden field.
    fn field(&self, name: &str) -> String {
        let at = format!("name=\"{name}\" value=\"");
        let from = self
            .text
            .find(&at)
            .unwrap_or_else(|| panic!("{name}: {}", self.text));
        let rest = &self.text[from + at.len()..];
        let value = rest.split('"').next().unwrap();
        value.replace("&quot;", "\"").replace("&amp;", "&")
    }

    fn action(&self) -> String {
        let rest = self.text.split("<form").nth(1).unwrap();
        let rest = rest.split("action=\"").nth(1).unwrap();
        rest.split('"').next().unwrap().replace("&amp;", "&")
    }
}

impl Browser {
    fn new() -> Browser {
        let http = reqwest::Client::builder()
            .redirect(reqwest::redirect::Policy::none())
            .no_proxy()
            .build()
            .unwrap();
        Browser {
            http,
            cookie: String::new(),
        }
    }

    async fn send(&mut self, request: reqwest::RequestBuilder) -> Page {
        let request = request.header(header::COOKIE, &self.cookie);
        let response = request.send().await.unwrap();
        let headers = response.headers();
        let text = |name: header::HeaderName| {
            let value = headers.get(name)?;
            Some(value.to_str().unwrap().to_string())
        };
        if let Some(cookie) = text(header::SET_COOKIE) {
            assert!(cookie.contains("HttpOnly; SameSite=Lax"), "{cookie}");
            self.cookie = cookie.split(';').next().unwrap().to_string();
        }
        let (location, policy) = (
            text(header::LOCATION),
            text(header::CONTENT_SECURITY_POLICY).unwrap_or_default(),
        );
        Page {
            status: response.status().as_u16(),
            location,
            policy,
            text: response.text().await.unwrap(),
        }
    }

    async fn get(&mut self, url: &str) -> Page {
        let request = self.http.get(url);
        self.send(request).await
    }

    async fn post(&mut self, url: &str, fields: &[(&str, &str)]) -> Page {
        let body: Vec<String> = fields
            .iter()
            .map(|(k, v)| format!("{k}={}", escaped(v)))
            .collect();
        let request = self
            .http
            .post(url)
            .header(header::CONTENT_TYPE, "application/x-www-form-urlencoded")
            .body(body.join("&"));
        self.send(request).await
    }
}

fn escaped(text: &str) -> String {
    text.bytes().fold(String::new(), |mut out, b| {
        match b {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' => out.push(b as char),
            _ => out.push_str(&format!("%{b:02X}")),
        }
        out
    })
}

/// A `mend setup` that serves its page.
struct Wizard {
    child: Child,
    base: String,
    entry: String,
    browser: Browser,
}

impl Wizard {
    async fn start(place: &Place, more: &[&str]) -> Wizard {
        let mut child = setup(place)
            .args(more)
            .stdout(Stdio::piped())
            .stderr(Stdio::inherit())
            .kill_on_drop(true)
            .spawn()
            .unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let entry = loop {
            let line = lines.next_line().await.unwrap().expect("an address");
            if let Some(url) = line.trim().strip_prefix("http://") {
                break format!("http://{url}");
            }
        };
        // Whatever else it says is read, so that it never waits for a reader.
        tokio::spawn(async move { while let Ok(Some(_)) = lines.next_line().await {} });
        let base = entry.split("/?").next().unwrap().to_string();
        Wizard {
            child,
            base,
            entry,
            browser: Browser::new(),
        }
    }

    async fn enter(&mut self) -> Page {
        let page = self.browser.get(&self.entry.clone()).await;
        assert_eq!((page.status, page.location.as_deref()), (303, Some("/")));
        let base = self.base.clone();
        self.browser.get(&base).await
    }

    async fn at(&mut self, path: &str) -> Page {
        let url = format!("{}{path}", self.base);
        self.browser.get(&url).await
    }

    /// Fills the first form; the page with the form for GitHub.
    async fn ask(
        &mut self,
        place: &Place,
        deliveries: (&str, &str),
        more: &[(&str, &str)],
    ) -> Page {
        let first = self.at("/").await;
        let csrf = first.field("csrf");
        let mut fields = vec![
            ("csrf", csrf.as_str()),
            ("name", "mend of acme"),
            ("org", "acme"),
            ("github_url", place.sim.base_url()),
            ("deliveries", deliveries.0),
            ("public_url", deliveries.1),
        ];
        fields.extend(more);
        let url = format!("{}/app", self.base);
        self.browser.post(&url, &fields).await
    }

    async fn choose_model(&mut self, place: &Place) {
        // A model that is not there first: the form comes again, with what to do.
        let csrf = self.at("/model").await.field("csrf");
        let nobody = format!("http://127.0.0.1:{}", free_port());
        let model = format!("{}/model", self.base);
        let fields = |base: &str| {
            vec![
                ("csrf", csrf.clone()),
                ("provider", "compatible".to_string()),
                ("model", "scripted".into()),
                ("base_url", base.to_string()),
                ("key", "sk-of-the-test-0123".into()),
            ]
        };
        let sent = fields(&nobody);
        let sent: Vec<_> = sent.iter().map(|(k, v)| (*k, v.as_str())).collect();
        let page = self.browser.post(&model, &sent).await;
        assert!(page.text.contains("cannot be reached"), "{}", page.text);
        assert!(
            !page.text.contains("sk-of-the-test"),
            "a key is not shown again"
        );
        let sent = fields(&place.stub.base);
        let sent: Vec<_> = sent.iter().map(|(k, v)| (*k, v.as_str())).collect();
        let page = self.browser.post(&model, &sent).await;
        assert_eq!(page.location.as_deref(), Some("/report"), "{}", page.text);
    }

    /// Does on GitHub what a person does there; where GitHub leads back to.
    async fn on_github(&mut self, place: &Place, handed: &Page) -> String {
        let mut there = Browser::new();
        let form = there
            .post(&handed.action(), &[("manifest", &handed.field("manifest"))])
            .await;
        assert_eq!(form.status, 200, "{}", form.text);
        assert!(form.text.contains("Create GitHub App for acme"));
        let (manifest, state) = (form.field("manifest"), form.field("state"));
        let fields = [
            ("manifest", manifest.as_str()),
            ("state", &state),
            ("account", "acme"),
            ("name", "mend of acme"),
        ];
        let url = format!("{}/settings/apps", place.sim.base_url());
        there.post(&url, &fields).await.location.unwrap()
    }
}

fn setup(place: &Place) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_mend"));
    command
        .arg("setup")
        .arg("--config")
        .arg(written(place))
        .arg("--state-dir")
        .arg(place.state())
        .args(["--listen", &format!("127.0.0.1:{}", place.port)])
        .env_remove("MEND_CONFIG")
        .env("TMPDIR", place.folder.path())
        // What the doctor at the end would try outside.
        .env("MEND_NETWORK_ALLOW", "[]");
    command
}

fn written(place: &Place) -> PathBuf {
    place.folder.path().join("etc/mend.toml")
}

fn mode(path: &std::path::Path) -> u32 {
    std::fs::metadata(path).unwrap().permissions().mode() & 0o777
}

/// What must hold of every set-up that is done.
async fn is_whole(place: &Place) -> String {
    let file = written(place);
    let text = std::fs::read_to_string(&file).unwrap();
    let key = file
        .parent()
        .unwrap()
        .join(format!("app-{}.pem", place.sim.app_id()));
    assert_eq!((mode(&file), mode(&key)), (0o600, 0o600));
    assert!(
        text.contains(&format!("app_id = {}", place.sim.app_id())),
        "{text}"
    );
    assert!(text.contains(&place.sim.webhook_secret()), "{text}");
    let out = Command::new(env!("CARGO_BIN_EXE_mend"))
        .args(["doctor", "--json", "--config"])
        .arg(&file)
        .env("MEND_NETWORK_ALLOW", "[]")
        .output()
        .await
        .unwrap();
    let seen = Seen::of(out);
    assert_eq!(seen.code, 0, "{:#}", seen.json);
    text
}

#[tokio::test]
async fn a_browser_without_script_walks_from_nothing_to_a_report() {
    let place = Place::new().await;
    let mut wizard = Wizard::start(&place, &[]).await;
    // Without the token nothing is shown, nor under another host's name.
    let page = wizard.at("/").await;
    assert_eq!(page.status, 403);
    let other = wizard
        .browser
        .http
        .get(&wizard.entry)
        .header("host", "evil.example");
    let page = wizard.browser.send(other).await;
    assert_eq!(page.status, 421);

    let page = wizard.enter().await;
    assert!(page.text.contains("Make the GitHub App") && !page.text.contains("<script"));
    assert!(
        page.policy.contains("default-src 'none'"),
        "{}",
        page.policy
    );
    for outside in ["https://cdn", "src=\"http", "@import", "url("] {
        assert!(!page.text.contains(outside), "{outside}");
    }
    // The token is good once.
    let page = Browser::new().get(&wizard.entry.clone()).await;
    assert_eq!(page.status, 403);

    let public = format!("http://127.0.0.1:{}", place.port);
    let handed = wizard.ask(&place, ("public", &public), &[]).await;
    let policy = format!("form-action 'self' {}", place.sim.base_url());
    assert!(handed.policy.contains(&policy), "{}", handed.policy);
    let back = wizard.on_github(&place, &handed).await;
    let page = wizard.browser.get(&back).await;
    assert_eq!(page.location.as_deref(), Some("/install"), "{}", page.text);
    let page = wizard.at("/install").await;
    assert!(
        page.text.contains("The App is made, and its key is kept"),
        "{}",
        page.text
    );

    let mut there = Browser::new();
    let slug = place.sim.app_slug();
    let url = format!("{}/apps/{slug}/installations", place.sim.base_url());
    assert_eq!(there.post(&url, &[]).await.status, 303);
    let page = wizard.at("/install").await;
    assert!(
        page.text.contains("It is installed on acme"),
        "{}",
        page.text
    );

    wizard.choose_model(&place).await;
    let page = wizard.at("/report").await;
    for part in [
        "It works, with",
        "came through",
        "calls tools",
        "mend serve --config",
    ] {
        assert!(page.text.contains(part), "{part}: {}", page.text);
    }
    let csrf = page.field("csrf");
    let url = format!("{}/finish", wizard.base);
    let page = wizard.browser.post(&url, &[("csrf", &csrf)]).await;
    assert!(page.text.contains("The settings are written"));
    assert!(wizard.child.wait().await.unwrap().success());
    let text = is_whole(&place).await;
    assert!(text.contains("api_key = \"sk-of-the-test-0123\"") && !text.contains("poll_s"));
}

#[tokio::test]
async fn a_code_is_good_once_for_an_hour_and_with_its_state_only() {
    let place = Place::new().await;
    let before = place.sim.app_id();
    let mut wizard = Wizard::start(&place, &[]).await;
    wizard.enter().await;
    let refused = async |wizard: &mut Wizard, back: &str, words: &str| {
        let page = wizard.browser.get(back).await;
        assert_eq!(page.location.as_deref(), Some("/"));
        let page = wizard.at("/").await;
        assert!(page.text.contains(words), "{}", page.text);
    };
    // A wrong state: the code is not even tried.
    let handed = wizard.ask(&place, ("poll", ""), &[]).await;
    let back = wizard.on_github(&place, &handed).await;
    let forged = format!("{}0", back);
    refused(&mut wizard, &forged, "belongs to no form of this page").await;
    // And the right one no longer counts after it.
    refused(&mut wizard, &back, "belongs to no form of this page").await;
    assert_eq!(place.sim.app_id(), before);

    // A code that somebody used already.
    let handed = wizard.ask(&place, ("poll", ""), &[]).await;
    let back = wizard.on_github(&place, &handed).await;
    let code = back
        .split("code=")
        .nth(1)
        .unwrap()
        .split('&')
        .next()
        .unwrap();
    let url = format!("{}/app-manifests/{code}/conversions", place.sim.base_url());
    let first = reqwest::Client::builder().no_proxy().build().unwrap();
    assert_eq!(first.post(url).send().await.unwrap().status(), 201);
    refused(&mut wizard, &back, "used already, or is older than an hour").await;

    // One that is too old.
    let handed = wizard.ask(&place, ("poll", ""), &[]).await;
    let back = wizard.on_github(&place, &handed).await;
    place.sim.age_registrations(3600);
    refused(&mut wizard, &back, "used already, or is older than an hour").await;
    assert!(!written(&place).exists());

    // A right one, at last; a second use of the same address changes nothing.
    let handed = wizard.ask(&place, ("poll", ""), &[]).await;
    let back = wizard.on_github(&place, &handed).await;
    let page = wizard.browser.get(&back).await;
    assert_eq!(page.location.as_deref(), Some("/install"));
    let kept = std::fs::read_to_string(written(&place)).unwrap();
    wizard.browser.get(&back).await;
    assert_eq!(std::fs::read_to_string(written(&place)).unwrap(), kept);
    assert!(kept.contains("poll_s = 30"), "{kept}");

    // Whoever stops here goes on from here.
    wizard.child.kill().await.unwrap();
    let mut wizard = Wizard::start(&place, &[]).await;
    let page = wizard.enter().await;
    assert_eq!(page.location.as_deref(), Some("/install"), "{}", page.text);
}

#[tokio::test]
async fn settings_that_are_there_stay_unless_they_may_go() {
    let place = Place::new().await;
    std::fs::create_dir(place.folder.path().join("etc")).unwrap();
    std::fs::write(written(&place), "[server]\nworkers = 7\n").unwrap();
    let mut wizard = Wizard::start(&place, &[]).await;
    wizard.enter().await;
    let page = wizard.ask(&place, ("poll", ""), &[]).await;
    assert_eq!(page.location.as_deref(), Some("/"));
    let page = wizard.at("/").await;
    assert!(
        page.text.contains("tick the box to replace it"),
        "{}",
        page.text
    );
    let handed = wizard
        .ask(&place, ("poll", ""), &[("replace", "yes")])
        .await;
    let back = wizard.on_github(&place, &handed).await;
    wizard.browser.get(&back).await;
    let old = std::fs::read_to_string(format!("{}.before-1", written(&place).display())).unwrap();
    assert_eq!(old, "[server]\nworkers = 7\n");
    let new = std::fs::read_to_string(written(&place)).unwrap();
    assert!(new.contains("app_id"), "{new}");
}

/// Answers questions as they come; everything that was printed.
async fn answered(mut child: Child, answers: &[&str]) -> (bool, String) {
    let mut to = child.stdin.take().unwrap();
    to.write_all((answers.join("\n") + "\n").as_bytes())
        .await
        .unwrap();
    drop(to);
    let out = tokio::time::timeout(Duration::from_secs(60), child.wait_with_output());
    let out = out.await.unwrap().unwrap();
    let text = format!(
        "{}{}",
        String::from_utf8_lossy(&out.stdout),
        String::from_utf8_lossy(&out.stderr)
    );
    (out.status.success(), text)
}

#[tokio::test]
async fn without_a_browser_here_a_pasted_address_does() {
    let place = Place::new().await;
    let mut child = setup(&place)
        .args([
            "--no-browser",
            "--org",
            "acme",
            "--github-url",
            place.sim.base_url(),
        ])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .kill_on_drop(true)
        .spawn()
        .unwrap();
    let mut to = child.stdin.take().unwrap();
    let mut out = BufReader::new(child.stdout.take().unwrap());
    // Nothing public; the usual name.
    to.write_all(b"\nmend of acme\n").await.unwrap();
    let address = loop {
        let mut line = String::new();
        assert!(out.read_line(&mut line).await.unwrap() > 0);
        if line.starts_with("data:text/html;base64,") {
            break line;
        }
    };
    let page = address
        .trim()
        .strip_prefix("data:text/html;base64,")
        .unwrap();
    use base64::Engine;
    let page = base64::engine::general_purpose::STANDARD
        .decode(page)
        .unwrap();
    let handed = Page {
        status: 200,
        location: None,
        policy: String::new(),
        text: String::from_utf8(page).unwrap(),
    };
    let mut wizard = Wizard {
        child,
        base: String::new(),
        entry: String::new(),
        browser: Browser::new(),
    };
    let back = wizard.on_github(&place, &handed).await;
    assert!(
        back.starts_with("http://127.0.0.1:1/created?code="),
        "{back}"
    );
    to.write_all(format!("{back}\n").as_bytes()).await.unwrap();
    loop {
        let mut line = String::new();
        assert!(out.read_line(&mut line).await.unwrap() > 0);
        if line.starts_with("Install it on repositories: ") {
            break;
        }
    }
    place.sim.set_installed(true);
    let rest = format!(
        "\ncompatible\nscripted\n{}\nsk-of-the-test-0123\n",
        place.stub.base
    );
    to.write_all(rest.as_bytes()).await.unwrap();
    drop(to);
    let mut said = String::new();
    out.read_to_string(&mut said).await.unwrap();
    let status = wizard.child.wait().await.unwrap();
    assert!(status.success(), "{said}");
    for part in [
        "answers and calls tools",
        "acme/adder at",
        "Start it: mend serve --config",
    ] {
        assert!(said.contains(part), "{part}: {said}");
    }
    assert!(is_whole(&place).await.contains("poll_s = 30"));
}

#[tokio::test]
async fn flags_alone_do_for_an_app_that_is_there() {
    let place = Place::new().await;
    let key = place.file("given.pem", place.sim.private_key_pem(), 0o600);
    let secret = place.file("secret", &place.sim.webhook_secret(), 0o600);
    let pem = std::fs::read_to_string("/etc/ssl/certs/ca-certificates.crt").unwrap();
    let end = pem.find("-----END CERTIFICATE-----").unwrap();
    let pem = format!("{}-----END CERTIFICATE-----\n", &pem[..end]);
    let ca = place.file("ca.pem", &pem, 0o644);
    let run = async |more: &[&str]| {
        let child = setup(&place)
            .args(["--github-url", place.sim.base_url(), "--poll"])
            .arg("--ca-file")
            .arg(&ca)
            .args(["--app-id", &place.sim.app_id().to_string()])
            .arg("--private-key")
            .arg(&key)
            .arg("--webhook-secret-file")
            .arg(&secret)
            .args(["--provider", "compatible", "--model", "scripted"])
            .args(["--model-url", &place.stub.base])
            .args(more)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        answered(child, &[]).await
    };
    let (fine, said) = run(&[]).await;
    assert!(fine && said.contains(&format!("{REPO} at")), "{said}");
    assert!(is_whole(&place).await.contains("ca_file = "));
    // A second time: nothing is overwritten.
    let before = std::fs::read_to_string(written(&place)).unwrap();
    let (fine, said) = run(&[]).await;
    assert!(
        !fine && said.contains("is there already and stays as it is"),
        "{said}"
    );
    assert_eq!(std::fs::read_to_string(written(&place)).unwrap(), before);
    let (fine, said) = run(&["--replace"]).await;
    assert!(fine, "{said}");
    assert!(std::path::Path::new(&format!("{}.before-1", written(&place).display())).exists());

    // Questions without anybody to answer end in words, not in waiting.
    let child = Command::new(env!("CARGO_BIN_EXE_mend"))
        .args(["setup", "--no-browser", "--config"])
        .arg(place.folder.path().join("other.toml"))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let (fine, said) = answered(child, &[]).await;
    assert!(!fine, "{said}");
}
