//! From nothing to a working bot: `mend doctor` and `mend setup` through the real program, on real
//! ports, with a GitHub beside them.
#![allow(clippy::disallowed_methods)] // starts the program

mod doctor;
mod exported;
mod setup;
mod vitals;

use crate::model::stub::{Answer, Stub};
use crate::world::{PROJECT, REPO, WRITER, calls, chat, text};
use mend::simulator::{Permission, Simulator, SimulatorOptions};
use serde_json::{Value, json};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Output, Stdio};
use tempfile::TempDir;

/// A model that calls the doctor's tool.
pub async fn ready() -> Stub {
    Stub::answering(|body| {
        let asked: Value = serde_json::from_slice(body).unwrap();
        let turn = match asked["tools"].is_array() {
            true => calls(&[("report_ready", json!({"word": "ready"}))]),
            false => text("ready"),
        };
        Answer::json(200, chat(&turn))
    })
    .await
}

/// A GitHub, a model and a folder with settings that are right until a test changes them.
pub struct Place {
    pub folder: TempDir,
    pub sim: Simulator,
    pub stub: Stub,
    pub port: u16,
    /// Replacements in the settings: what, by what.
    pub changes: Vec<(String, String)>,
    /// Lines at the end of the settings.
    pub more: String,
    pub environment: Vec<(String, String)>,
}

pub fn free_port() -> u16 {
    let free = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    free.local_addr().unwrap().port()
}

impl Place {
    pub async fn new() -> Place {
        Place::with(SimulatorOptions::default(), ready().await).await
    }

    pub async fn with(options: SimulatorOptions, stub: Stub) -> Place {
        let folder = tempfile::Builder::new()
            .prefix("mend-place-")
            .tempdir_in("/tmp")
            .unwrap();
        let sim = Simulator::start(options).await.unwrap();
        sim.add_person(WRITER, Permission::Write);
        sim.create_repo(REPO, PROJECT.iter().copied()).unwrap();
        let port = free_port();
        sim.set_webhook_url(Some(&format!("http://127.0.0.1:{port}/webhook")));
        Place {
            folder,
            sim,
            stub,
            port,
            changes: Vec::new(),
            more: "[network]\nallow = []\n".into(),
            environment: Vec::new(),
        }
    }

    pub fn file(&self, name: &str, text: &str, mode: u32) -> PathBuf {
        let path = self.folder.path().join(name);
        std::fs::write(&path, text).unwrap();
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(mode)).unwrap();
        path
    }

    pub fn state(&self) -> PathBuf {
        self.folder.path().join("state")
    }

    pub fn change(&mut self, from: &str, to: &str) {
        self.changes.push((from.into(), to.into()));
    }

    /// Writes the settings, and the key beside them.
    pub fn config(&self) -> PathBuf {
        let sim = &self.sim;
        let key = self.folder.path().join("app.pem");
        if !key.exists() {
            self.file("app.pem", sim.private_key_pem(), 0o600);
        }
        let mut text = format!(
            "[server]\nlisten = \"127.0.0.1:{}\"\nstate_dir = \"{}\"\n\
             [github]\napp_id = {}\nprivate_key_path = \"{}\"\nwebhook_secret = \"{}\"\n\
             base_url = \"{}\"\nweb_url = \"{}\"\n\
             [model]\nwire = \"chat\"\nmodel = \"scripted\"\nbase_url = \"{}\"\nstream = false\n{}",
            self.port,
            self.state().display(),
            sim.app_id(),
            key.display(),
            sim.webhook_secret(),
            sim.base_url(),
            sim.base_url(),
            self.stub.base,
            self.more,
        );
        for (from, to) in &self.changes {
            assert!(text.contains(from.as_str()), "{from} in {text}");
            text = text.replace(from.as_str(), to);
        }
        self.file("config.toml", &text, 0o600)
    }

    pub async fn mend(&self, arguments: &[&str]) -> Output {
        self.mend_with(arguments, &self.config()).await
    }

    pub async fn mend_with(&self, arguments: &[&str], config: &Path) -> Output {
        let mut command = tokio::process::Command::new(env!("CARGO_BIN_EXE_mend"));
        command
            .args(arguments)
            .arg("--config")
            .arg(config)
            .envs(self.environment.iter().map(|(k, v)| (k, v)))
            .env("TMPDIR", self.folder.path())
            .stdin(Stdio::null());
        command.output().await.unwrap()
    }

    pub async fn doctor(&self) -> Seen {
        Seen::of(self.mend(&["doctor", "--json"]).await)
    }
}

/// What the doctor said.
pub struct Seen {
    pub code: i32,
    pub json: Value,
}

impl Seen {
    pub fn of(out: Output) -> Seen {
        let text = String::from_utf8_lossy(&out.stdout);
        let json = serde_json::from_str(&text);
        let errors = String::from_utf8_lossy(&out.stderr);
        Seen {
            code: out.status.code().unwrap(),
            json: json.unwrap_or_else(|_| panic!("{text}\n{errors}")),
        }
    }

    /// The findings of this name as `state: what → do`.
    pub fn about(&self, name: &str) -> Vec<String> {
        let all = self.json["findings"].as_array().unwrap().iter();
        let ours = all.filter(|f| f["name"] == name);
        let word = |f: &Value, key: &str| f[key].as_str().unwrap().to_string();
        ours.map(|f| {
            format!(
                "{}: {} → {}",
                word(f, "state"),
                word(f, "what"),
                word(f, "do")
            )
        })
        .collect()
    }

    /// The one finding of this name.
    pub fn one(&self, name: &str) -> String {
        let found = self.about(name);
        assert_eq!(found.len(), 1, "{name} in {:#}", self.json);
        found[0].clone()
    }

    /// Every finding that is not `ok`, by name, but for warnings about the host of the tests.
    pub fn troubles(&self) -> Vec<String> {
        let all = self.json["findings"].as_array().unwrap().iter();
        let host = ["limits", "toolchains", "disk"].map(Value::from);
        let of_host = |f: &Value| f["state"] == "warning" && host.contains(&f["name"]);
        let ours = all.filter(|f| f["state"] != "ok" && !of_host(f));
        ours.map(|f| f["name"].as_str().unwrap().to_string())
            .collect()
    }
}
