//! Mistakes with the App, its secrets and the way to GitHub.

use super::{refused, said, tells};
use crate::onboard::{Place, free_port, ready};
use crate::world::{REPO, WRITER};
use mend::domain::Clock;
use mend::simulator::{AppOptions, Simulator, SimulatorOptions};
use std::sync::Arc;
use std::time::{Duration, SystemTime};

#[tokio::test]
async fn m_01_a_wrong_key_file() {
    let mut place = Place::new().await;
    // No key at all.
    place.file("app.pem", "ssh-rsa AAAA nobody@example\n", 0o600);
    let (code, text) = refused(&place).await;
    assert_eq!(code, 2, "{text}");
    tells(
        &text,
        &[
            "`github.private_key_path` is no PEM private key",
            "-----BEGIN RSA PRIVATE KEY-----",
        ],
    );
    // A key that everybody may read.
    place.file("app.pem", place.sim.private_key_pem(), 0o644);
    let (code, text) = refused(&place).await;
    assert_eq!(code, 2, "{text}");
    tells(&text, &["has mode 0644", "run `chmod 0640 "]);
    // Not there.
    place.change("app.pem", "gone.pem");
    let (code, text) = refused(&place).await;
    assert_eq!(code, 2, "{text}");
    tells(&text, &["gone.pem, which cannot be read: No such file"]);
    // Another App's.
    place.changes.clear();
    let other = Simulator::start(SimulatorOptions::default()).await.unwrap();
    place.file("app.pem", other.private_key_pem(), 0o600);
    let seen = place.doctor().await;
    assert_eq!(seen.code, 1);
    tells(
        &seen.one("app"),
        &[
            "failed: not authorised",
            "the key is not one of App 424242",
            "make a new one on the App's page (Private keys)",
        ],
    );
}

#[tokio::test]
async fn m_02_a_wrong_webhook_secret() {
    let mut place = Place::new().await;
    place.sim.ping();
    let secret = place.sim.webhook_secret();
    place.change(&secret, "another secret of sixteen");
    let seen = place.doctor().await;
    assert_eq!(seen.code, 1);
    tells(
        &seen.one("webhook"),
        &[
            "signed with another secret",
            "set the webhook secret on the App's page and `github.webhook_secret` to the same value",
        ],
    );
}

#[tokio::test]
async fn m_03_the_app_is_not_installed() {
    let place = Place::new().await;
    place.sim.set_installed(false);
    let seen = place.doctor().await;
    assert_eq!(seen.code, 1);
    let page = format!(
        "install it: {}/apps/mend/installations/new",
        place.sim.base_url()
    );
    tells(
        &seen.one("installed"),
        &["failed: the App is installed nowhere", &page],
    );
    let issue = place.sim.open_issue(REPO, WRITER, "t", "b").unwrap();
    let (code, text) = said(&place.mend(&["fix", &format!("{REPO}#{issue}")]).await);
    assert_eq!(code, 2, "{text}");
    tells(
        &text,
        &["the App is not installed on acme/adder; install it there, or check the name"],
    );
    place.sim.set_installed(true);
    place.sim.suspend(true);
    tells(
        &place.doctor().await.one("installed"),
        &[
            "the installation of acme is suspended",
            "lift the suspension",
        ],
    );
}

#[tokio::test]
async fn m_04_a_missing_permission() {
    let app = AppOptions {
        manifest: AppOptions::default()
            .manifest
            .replace("  pull_requests: write", "  pull_requests: read"),
        ..AppOptions::default()
    };
    let options = SimulatorOptions {
        app,
        ..SimulatorOptions::default()
    };
    let place = Place::with(options, ready().await).await;
    let seen = place.doctor().await;
    assert_eq!(seen.code, 1);
    tells(
        &seen.one("permissions"),
        &[
            "failed: the App lacks pull_requests: write",
            "under Permissions, then accept them where it is installed",
        ],
    );
    tells(
        &seen.one("push"),
        &["give the App `contents: write` and `pull_requests: write`"],
    );
}

#[tokio::test]
async fn m_05_the_label_is_missing() {
    let place = Place::new().await;
    let seen = place.doctor().await;
    assert_eq!(seen.code, 0);
    let page = format!(
        "make it: {}/acme/adder/labels (New label)",
        place.sim.base_url()
    );
    tells(
        &seen.one("label"),
        &[
            "warning: acme/adder has no label `mend`, so nobody can put it on an issue",
            &page,
        ],
    );
}

/// A clock that is ahead.
struct Ahead(i64);

impl Clock for Ahead {
    fn now(&self) -> SystemTime {
        let now = SystemTime::now();
        let by = Duration::from_secs(self.0.unsigned_abs());
        if self.0 < 0 { now - by } else { now + by }
    }
}

#[tokio::test]
async fn m_11_the_clock_is_off() {
    for (seconds, words) in [
        (1800, "behind GitHub's"),
        (-1800, "ahead of GitHub's"),
        (90, "behind"),
    ] {
        let options = SimulatorOptions {
            clock: Arc::new(Ahead(seconds)),
            ..SimulatorOptions::default()
        };
        let place = Place::with(options, ready().await).await;
        let seen = place.doctor().await;
        let state = if seconds.abs() > 300 {
            "failed: "
        } else {
            "warning: "
        };
        tells(
            &seen.one("clock"),
            &[state, words, "set the time: `timedatectl set-ntp true`"],
        );
        // mend itself goes by GitHub's clock.
        assert!(seen.one("app").starts_with("ok: "), "{}", seen.one("app"));
    }
}

#[tokio::test]
async fn m_12_the_proxy_is_not_there() {
    let mut place = Place::new().await;
    let nobody = free_port();
    let line = format!("proxy = \"http://mend:pass-of-the-test@127.0.0.1:{nobody}\"\n[model]");
    place.change("[model]", &line);
    let seen = place.doctor().await;
    assert_eq!(seen.code, 1);
    let told = seen.one("app");
    tells(
        &told,
        &[
            "GitHub cannot be reached",
            "check that `github.proxy` runs and lets",
        ],
    );
    assert!(!seen.json.to_string().contains("pass-of-the-test"));
    // A proxy that is no address.
    place.changes.clear();
    place.change("[model]", "proxy = \"proxy.example:3128\"\n[model]");
    let (code, text) = refused(&place).await;
    assert_eq!(code, 2, "{text}");
    tells(
        &text,
        &["`github.proxy` must be an http or https address, such as http://proxy.example:3128"],
    );
}

#[tokio::test]
async fn m_13_the_certificate_is_of_an_own_authority() {
    let mut place = Place::new().await;
    // Whatever answers here does not speak TLS with a certificate that is trusted.
    let base = place.sim.base_url().to_string();
    let over_tls = base.replace("http://", "https://");
    place.change(
        &format!("base_url = \"{base}\"\nweb"),
        &format!("base_url = \"{over_tls}\"\nweb"),
    );
    let told = place.doctor().await.one("app");
    tells(
        &told,
        &[
            "GitHub cannot be reached",
            "`github.ca_file` where the certificate is of your own authority",
        ],
    );
    // A file that holds none, and one that is not there.
    place.changes.clear();
    let file = place.file("ca.pem", "no certificate\n", 0o644);
    place.change(
        "[model]",
        &format!("ca_file = \"{}\"\n[model]", file.display()),
    );
    tells(
        &place.doctor().await.one("app"),
        &["`github.ca_file` holds no certificate in PEM form"],
    );
    std::fs::remove_file(&file).unwrap();
    tells(
        &place.doctor().await.one("app"),
        &[
            "ca.pem, which cannot be read",
            "name a file of certificates in PEM form",
        ],
    );
    let (code, text) = refused(&place).await;
    assert_ne!(code, 0);
    tells(&text, &["`github.ca_file` cannot be read"]);
}
