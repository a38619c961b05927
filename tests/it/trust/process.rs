//! `mend serve` as an operator runs it, with a canary for every secret, a GitHub behind a proxy with a
//! password, a scripted model, and somebody who looks at the processes all the time.

use super::sweep::Sweep;
use crate::model::stub::Stub;
use crate::program::{Serve, free_port, until};
use crate::sandbox::{MEND, USER, open_to_all};
use crate::world::{PROJECT, REPO, WRITER};
use mend::simulator::{Permission, Simulator, SimulatorOptions};
use std::collections::HashSet;
use std::os::unix::fs::{PermissionsExt, chown};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

pub const MODEL_KEY: &str = "sk-canary-model-0aZ9yX8wV7uT6sR5qP4oN3mL2kJ1iH";
pub const HEADER: &str = "canary-header-Q1w2E3r4T5y6U7i8O9p0A1s2D3f4G5h6";
pub const HOOK: &str = "canary-hook-1122334455667788-aabbccddeeffAABB";
pub const OLD_HOOK: &str = "canary-oldhook-99887766554433221100-zyxwvutsrq";
pub const PROXY: &str = "canary-proxy-mnbvcxzlkjhgfdsapoiuytrewq-5566";
pub const SETUP: &str = "canary-setup-7f6e5d4c3b2a1908-ZXCVBNMASDFGHJKL";

/// What the proxy's clients showed.
type Shown = Arc<Mutex<HashSet<String>>>;

/// An HTTP proxy on loopback that hands everything on.
async fn proxy(shown: Shown) -> u16 {
    use axum::extract::{Request, State};
    let client = reqwest::Client::builder()
        .no_proxy()
        .redirect(reqwest::redirect::Policy::none())
        .build()
        .unwrap();
    let pass = move |State(shown): State<Shown>, request: Request| {
        let client = client.clone();
        async move {
            let (mut parts, body) = request.into_parts();
            let word = parts.headers.remove("proxy-authorization");
            let word = word.map(|w| w.to_str().unwrap().to_string());
            shown.lock().unwrap().insert(word.unwrap_or_default());
            let body = axum::body::to_bytes(body, usize::MAX).await.unwrap();
            let request = http::Request::from_parts(parts, body);
            let request = reqwest::Request::try_from(request).unwrap();
            match client.execute(request).await {
                Ok(answer) => http::Response::from(answer).map(axum::body::Body::new),
                Err(_) => http::Response::builder()
                    .status(502)
                    .body(axum::body::Body::empty())
                    .unwrap(),
            }
        }
    };
    let router = axum::Router::new().fallback(pass).with_state(shown);
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    tokio::spawn(async move { axum::serve(listener, router).await });
    port
}

pub struct Rig {
    pub sim: Simulator,
    pub stub: Stub,
    pub folder: tempfile::TempDir,
    pub port: u16,
    shown: Shown,
    as_user: bool,
}

impl Rig {
    /// With `as_user`, the program runs under an unprivileged uid.
    pub async fn new(stub: Stub, as_user: bool) -> Rig {
        let folder = tempfile::Builder::new()
            .prefix("mend-trust-")
            .tempdir_in("/tmp")
            .unwrap();
        let options = SimulatorOptions {
            webhook_secret: HOOK.into(),
            ..SimulatorOptions::default()
        };
        let sim = Simulator::start(options).await.unwrap();
        sim.add_person(WRITER, Permission::Write);
        let mut project = PROJECT.to_vec();
        project.push((
            ".github/mend.toml",
            "setup = \"echo with $REGISTRY_TOKEN\"\ncheck = \"python3 -m unittest\"\n",
        ));
        sim.create_repo(REPO, project.iter().copied()).unwrap();
        let shown = Shown::default();
        let proxy = proxy(shown.clone()).await;
        let port = free_port();
        let rig = Rig {
            sim,
            stub,
            folder,
            port,
            shown,
            as_user: as_user && crate::host::is_root(),
        };
        open_to_all(rig.folder.path());
        for name in ["tmp", "home", "state"] {
            std::fs::create_dir(rig.path(name)).unwrap();
            rig.own(&rig.path(name));
        }
        let text = rig.config(proxy);
        rig.secret_file("config.toml", &text);
        rig.secret_file("app.pem", rig.sim.private_key_pem());
        rig.sim
            .set_webhook_url(Some(&format!("http://127.0.0.1:{port}/webhook")));
        rig
    }

    fn config(&self, proxy: u16) -> String {
        let at = |name: &str| self.path(name).display().to_string();
        let base = self.sim.base_url();
        format!(
            "[server]\nlisten = \"127.0.0.1:{}\"\nstate_dir = \"{}\"\nlease_s = 4\n\
             [github]\napp_id = {}\nbase_url = \"{base}\"\nweb_url = \"{base}\"\n\
             private_key_path = \"{}\"\nwebhook_secret_old = \"{OLD_HOOK}\"\n\
             proxy = \"http://mend:{PROXY}@127.0.0.1:{proxy}\"\n\
             [model]\nwire = \"chat\"\nmodel = \"scripted\"\nbase_url = \"{}\"\nstream = false\n\
             record = \"{}\"\nheaders = {{ x-team = \"{HEADER}\" }}\nretries = 1\n\
             [agent]\nrun_command = true\n\
             [setup]\nenv = {{ REGISTRY_TOKEN = \"{SETUP}\" }}\n",
            self.port,
            at("state"),
            self.sim.app_id(),
            at("app.pem"),
            self.stub.base,
            at("state/recordings"),
        )
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn own(&self, path: &Path) {
        if self.as_user {
            chown(path, Some(USER), Some(USER)).unwrap();
        }
    }

    pub fn secret_file(&self, name: &str, text: &str) {
        let path = self.path(name);
        std::fs::write(&path, text).unwrap();
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o600)).unwrap();
        self.own(&path);
    }

    /// A command as the user that mend runs as.
    pub fn command(&self, program: &Path) -> Command {
        match self.as_user {
            true => crate::sandbox::as_user(program),
            false => Command::new(program),
        }
    }

    /// Starts the program; two of its secrets come from variables.
    pub fn serve(&self) -> Serve {
        let mut serve = self.command(&MEND);
        serve
            .args(["serve", "--config"])
            .arg(self.path("config.toml"))
            .env_clear()
            .env("PATH", std::env::var_os("PATH").unwrap())
            .env("HOME", self.path("home"))
            .env("TMPDIR", self.path("tmp"))
            .env("MEND_LOG", "trace")
            .env("MEND_MODEL_API_KEY", MODEL_KEY)
            .env("MEND_GITHUB_WEBHOOK_SECRET", HOOK);
        Serve::start(serve, self.path("log"))
    }

    pub async fn ready(&self) {
        until("it listens", async || {
            tokio::net::TcpStream::connect(("127.0.0.1", self.port))
                .await
                .ok()
        })
        .await;
    }

    pub fn log(&self) -> String {
        std::fs::read_to_string(self.path("log")).unwrap()
    }

    /// Whether the proxy was shown its password, and nothing else.
    pub fn came_by_the_proxy(&self) -> bool {
        use base64::Engine;
        let plain = format!("mend:{PROXY}");
        let basic = base64::engine::general_purpose::STANDARD.encode(plain);
        let shown = self.shown.lock().unwrap();
        shown.iter().eq([&format!("Basic {basic}")])
    }

    /// A sweep for every secret but the tokens; `setup` too where its own step may show it.
    pub fn secrets(&self, setup: bool) -> Sweep {
        let mut sweep = Sweep::default();
        for (name, secret) in [
            ("model key", MODEL_KEY),
            ("model header", HEADER),
            ("webhook secret", HOOK),
            ("old webhook secret", OLD_HOOK),
            ("proxy password", PROXY),
            ("private key", self.sim.private_key_pem()),
        ] {
            sweep.know(name, secret);
        }
        if setup {
            sweep.know("set-up secret", SETUP);
        }
        sweep
    }

    /// Everything that there was, but what `mend serve` is given: its settings and its key.
    pub fn sweep(&self) -> Sweep {
        let mut sweep = self.secrets(true);
        for token in self.sim.tokens() {
            sweep.know("token", &token.token);
        }
        for name in ["state", "tmp", "home", "log"] {
            match self.path(name).is_dir() {
                true => sweep.folder(&self.path(name)),
                false => sweep.look(name, &std::fs::read(self.path(name)).unwrap()),
            }
        }
        for request in self.sim.requests() {
            sweep.look(
                "GitHub's log",
                format!("{} {}", request.path, request.query).as_bytes(),
            );
        }
        for delivery in self.sim.deliveries() {
            sweep.look("a delivery", delivery.body.as_bytes());
            let answer = delivery
                .result
                .map(|r| format!("{:?} {}", r.headers, r.body));
            sweep.look(
                "an answer to a delivery",
                answer.unwrap_or_default().as_bytes(),
            );
        }
        for number in 1..20 {
            let Some(issue) = self.sim.issue(REPO, number) else {
                break;
            };
            sweep.look("an issue", format!("{issue:#?}").as_bytes());
        }
        sweep.look(
            "pull requests",
            format!("{:#?}", self.sim.pulls(REPO)).as_bytes(),
        );
        sweep.look(
            "check runs",
            format!("{:#?}", self.sim.check_runs(REPO)).as_bytes(),
        );
        sweep.folder(&self.sim.repo_folder(REPO).unwrap());
        sweep.objects(&self.sim.repo_folder(REPO).unwrap());
        for seen in self.stub.seen().iter() {
            sweep.look("a request to the model", &seen.body);
        }
        sweep
    }
}

/// Looks at the command lines and environments of a process's descendants, again and again.
pub struct Watcher {
    stop: Arc<AtomicBool>,
    thread: std::thread::JoinHandle<(Sweep, HashSet<String>)>,
}

impl Watcher {
    pub fn start(rig: &Rig, pid: u32) -> Watcher {
        let stop = Arc::new(AtomicBool::new(false));
        let (stopped, mut sweep) = (stop.clone(), rig.secrets(false));
        let thread = std::thread::spawn(move || {
            let mut seen = HashSet::new();
            while !stopped.load(Ordering::Relaxed) {
                look(pid, &mut sweep, &mut seen);
                std::thread::sleep(Duration::from_millis(1));
            }
            (sweep, seen)
        });
        Watcher { stop, thread }
    }

    /// What it found, and the programs that it saw.
    pub fn end(self) -> (Sweep, HashSet<String>) {
        self.stop.store(true, Ordering::Relaxed);
        self.thread.join().unwrap()
    }
}

fn look(serve: u32, sweep: &mut Sweep, seen: &mut HashSet<String>) {
    let read =
        |pid: u32, file: &str| std::fs::read(format!("/proc/{pid}/{file}")).unwrap_or_default();
    let own = read(serve, "cmdline");
    sweep.look("mend's arguments", &own);
    let mut waiting = children(serve);
    while let Some(pid) = waiting.pop() {
        let arguments = read(pid, "cmdline");
        // A fork that is no program of its own yet still shows mend's.
        if arguments != own && !arguments.is_empty() {
            let name = String::from_utf8_lossy(&read(pid, "comm"))
                .trim()
                .to_string();
            sweep.look(&format!("arguments of {name}"), &arguments);
            sweep.look(&format!("environment of {name}"), &read(pid, "environ"));
            seen.insert(name);
        }
        waiting.extend(children(pid));
    }
}

fn children(pid: u32) -> Vec<u32> {
    let mut all = Vec::new();
    let Ok(threads) = std::fs::read_dir(format!("/proc/{pid}/task")) else {
        return all;
    };
    for thread in threads.filter_map(Result::ok) {
        let list = std::fs::read_to_string(thread.path().join("children")).unwrap_or_default();
        all.extend(
            list.split_whitespace()
                .filter_map(|p| p.parse::<u32>().ok()),
        );
    }
    all
}

impl Rig {
    /// A client of the App, beside the program's own.
    pub fn github(&self) -> mend::github::Github {
        let key = self.sim.private_key_pem().to_string();
        let settings =
            mend::github::GithubSettings::new(self.sim.base_url(), self.sim.app_id(), key.into());
        mend::github::Github::new(&settings, mend::domain::SystemClock::shared()).unwrap()
    }

    pub fn repo(&self) -> mend::domain::RepoRef {
        mend::domain::RepoRef {
            id: self.sim.repo_id(REPO).unwrap(),
            name: REPO.parse().unwrap(),
            installation_id: self.sim.installation_id(),
        }
    }
}
