//! A git server: `git http-backend` behind axum, with the token as password, and a record of what
//! was asked. Beside it, git's own commands to make repositories that nobody sane would make.

use axum::Router;
use axum::body::{Body, Bytes};
use axum::extract::{Request, State};
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use base64::Engine;
use mend::git::{Credential, Git, GitSettings};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::{Arc, Mutex};

/// 520 characters with dots, like the tokens of 2026.
pub fn token() -> String {
    format!("ghs_12_eyJhbGciOi.{}.sig-_x", "Qz9".repeat(165))
}

/// What the server does in place of git's own answer.
#[derive(Clone, Copy, PartialEq)]
pub enum Mischief {
    None,
    /// Every answer is this status.
    Status(u16),
    /// Redirects to another host, which counts what it gets.
    Redirect,
    /// Does a push and then answers 502.
    LostAnswer,
    /// Answers with an HTML page.
    Html,
    /// Begins an answer and falls silent.
    Stall,
}

pub struct Inner {
    root: PathBuf,
    pub seen: Mutex<Vec<(String, bool)>>,
    pub mischief: Mutex<Mischief>,
    elsewhere: Mutex<String>,
    /// What Git LFS has: name, where, and the bytes that are served as `/files/<name>`.
    pub lfs: Mutex<Vec<(String, String, Vec<u8>)>>,
}

pub struct World {
    pub home: tempfile::TempDir,
    pub server: Arc<Inner>,
    pub base: String,
    pub git: Git,
}

impl World {
    /// A server with one repository, `acme/app`, that holds `README` on `main`.
    pub async fn new() -> World {
        Self::with(|_| {}).await
    }

    pub async fn with(change: impl FnOnce(&mut GitSettings)) -> World {
        let home = tempfile::tempdir().unwrap();
        let root = home.path().join("server");
        std::fs::create_dir_all(root.join("acme")).unwrap();
        let bare = root.join("acme/app.git");
        git(
            &root,
            &["init", "-q", "--bare", "-b", "main", bare.to_str().unwrap()],
        );
        git(&bare, &["config", "http.receivepack", "true"]);
        let server = Arc::new(Inner {
            root,
            seen: Mutex::default(),
            mischief: Mutex::new(Mischief::None),
            elsewhere: Mutex::default(),
            lfs: Mutex::default(),
        });
        let base = serve(server.clone()).await;
        let mut settings = GitSettings::new(home.path().join("mirrors"), base.clone());
        change(&mut settings);
        let git = Git::new(settings).unwrap();
        let world = World {
            home,
            server,
            base,
            git,
        };
        world.add("main", &[("README", "hello\n")]);
        world
    }

    pub fn bare(&self) -> PathBuf {
        self.server.root.join("acme/app.git")
    }

    pub fn url(&self) -> String {
        self.git.url(&"acme/app".parse().unwrap())
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.home.path().join(name)
    }

    pub fn credential(&self) -> Credential {
        Credential::token(token().into())
    }

    /// Commits files onto a branch on the server, behind mend's back.
    pub fn add(&self, branch: &str, files: &[(&str, &str)]) -> mend::git::Oid {
        let entries: Vec<_> = files
            .iter()
            .map(|(path, text)| (path.to_string(), "100644", self.blob(text.as_bytes())))
            .collect();
        let index = self.path("index");
        let _ = std::fs::remove_file(&index);
        let name = format!("refs/heads/{branch}");
        let parent = try_git(
            &self.bare(),
            &["rev-parse", "-q", "--verify", &name],
            b"",
            &[],
        );
        let env = [("GIT_INDEX_FILE", index.to_str().unwrap())];
        if let Some(parent) = &parent {
            try_git(&self.bare(), &["read-tree", parent.trim()], b"", &env).unwrap();
        }
        for (path, mode, id) in entries {
            let info = format!("{mode},{id},{path}");
            let args = ["update-index", "--add", "--cacheinfo", &info];
            try_git(&self.bare(), &args, b"", &env).unwrap();
        }
        let tree = try_git(&self.bare(), &["write-tree"], b"", &env).unwrap();
        self.commit_tree(tree.trim(), branch, parent.as_deref())
    }

    pub fn commit_tree(&self, tree: &str, branch: &str, parent: Option<&str>) -> mend::git::Oid {
        let mut args = vec!["commit-tree", tree, "-m", "work"];
        if let Some(parent) = parent {
            args.extend(["-p", parent.trim()]);
        }
        let id = git(&self.bare(), &args);
        let name = format!("refs/heads/{branch}");
        git(&self.bare(), &["update-ref", &name, id.trim()]);
        id.trim().parse().unwrap()
    }

    pub fn blob(&self, bytes: &[u8]) -> String {
        let args = ["hash-object", "-w", "--stdin"];
        try_git(&self.bare(), &args, bytes, &[])
            .unwrap()
            .trim()
            .to_string()
    }

    /// A tree object from raw entries, without any of git's checks.
    pub fn raw_tree(&self, entries: &[(&str, &[u8], &str)]) -> String {
        let mut raw = Vec::new();
        for (mode, name, id) in entries {
            raw.extend_from_slice(mode.as_bytes());
            raw.push(b' ');
            raw.extend_from_slice(name);
            raw.push(0);
            raw.extend_from_slice(&hex::decode(id).unwrap());
        }
        let args = ["hash-object", "-t", "tree", "-w", "--literally", "--stdin"];
        try_git(&self.bare(), &args, &raw, &[])
            .unwrap()
            .trim()
            .to_string()
    }

    pub fn tip(&self, branch: &str) -> Option<mend::git::Oid> {
        let name = format!("refs/heads/{branch}");
        let args = ["rev-parse", "-q", "--verify", &name];
        try_git(&self.bare(), &args, b"", &[]).map(|id| id.trim().parse().unwrap())
    }

    pub fn mischief(&self, what: Mischief) {
        *self.server.mischief.lock().unwrap() = what;
    }

    pub fn redirect_to(&self, base: &str) {
        *self.server.elsewhere.lock().unwrap() = base.to_string();
        self.mischief(Mischief::Redirect);
    }

    pub fn requests(&self) -> Vec<(String, bool)> {
        std::mem::take(&mut self.server.seen.lock().unwrap())
    }
}

pub fn git(folder: &Path, args: &[&str]) -> String {
    try_git(folder, args, b"", &[]).unwrap_or_else(|| panic!("git {args:?} failed"))
}

pub fn try_git(folder: &Path, args: &[&str], input: &[u8], env: &[(&str, &str)]) -> Option<String> {
    let mut child = Command::new("git")
        .args(args)
        .current_dir(folder)
        .env_clear()
        .env("PATH", "/usr/bin:/bin")
        .envs([
            ("GIT_CONFIG_NOSYSTEM", "1"),
            ("HOME", "/nonexistent"),
            ("GIT_AUTHOR_NAME", "Ann"),
            ("GIT_AUTHOR_EMAIL", "ann@example.com"),
            ("GIT_COMMITTER_NAME", "Ann"),
            ("GIT_COMMITTER_EMAIL", "ann@example.com"),
        ])
        .envs(env.iter().copied())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(input).unwrap();
    let out = child.wait_with_output().unwrap();
    out.status
        .success()
        .then(|| String::from_utf8_lossy(&out.stdout).into_owned())
}

pub async fn serve(server: Arc<Inner>) -> String {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let base = format!("http://{}", listener.local_addr().unwrap());
    let app = Router::new().fallback(answer).with_state(server);
    tokio::spawn(async move { axum::serve(listener, app).await });
    base
}

async fn answer(State(server): State<Arc<Inner>>, request: Request) -> Response {
    let (parts, body) = request.into_parts();
    let body = axum::body::to_bytes(body, 64 << 20).await.unwrap();
    let line = format!("{} {}", parts.method, parts.uri);
    let given = parts.headers.get(header::AUTHORIZATION).cloned();
    server.seen.lock().unwrap().push((line, given.is_some()));
    let mischief = *server.mischief.lock().unwrap();
    match mischief {
        Mischief::Status(status) => {
            return (StatusCode::from_u16(status).unwrap(), "no").into_response();
        }
        Mischief::Redirect => {
            let to = format!("{}{}", server.elsewhere.lock().unwrap(), parts.uri);
            return (StatusCode::MOVED_PERMANENTLY, [(header::LOCATION, to)]).into_response();
        }
        Mischief::Html => return axum::response::Html("<p>sign in").into_response(),
        Mischief::Stall => {
            let first =
                futures::stream::once(async { Ok::<_, std::io::Error>(Bytes::from("001e#")) });
            let never = futures::StreamExt::chain(first, futures::stream::pending());
            let kind = "application/x-git-upload-pack-advertisement";
            return ([(header::CONTENT_TYPE, kind)], Body::from_stream(never)).into_response();
        }
        Mischief::None | Mischief::LostAnswer => {}
    }
    let plain = format!("x-access-token:{}", token());
    let basic = format!(
        "Basic {}",
        base64::engine::general_purpose::STANDARD.encode(plain)
    );
    let path = parts.uri.path().to_string();
    if let Some(name) = path.strip_prefix("/files/") {
        let lfs = server.lfs.lock().unwrap();
        let found = lfs.iter().find(|(oid, _, _)| oid == name);
        return found.unwrap().2.clone().into_response();
    }
    let public = path.starts_with("/public/");
    if !public && given != Some(HeaderValue::from_str(&basic).unwrap()) {
        return (
            StatusCode::UNAUTHORIZED,
            [(header::WWW_AUTHENTICATE, "Basic")],
        )
            .into_response();
    }
    if path == "/acme/app.git/info/lfs/objects/batch" {
        let asked: serde_json::Value = serde_json::from_slice(&body).unwrap();
        assert_eq!(asked["operation"], "download");
        let lfs = server.lfs.lock().unwrap();
        let there = |oid: &str| lfs.iter().find(|(o, _, _)| o == oid);
        let objects = asked["objects"].as_array().unwrap().iter().map(|object| {
            let oid = object["oid"].as_str().unwrap();
            match there(oid) {
                Some((_, href, _)) => serde_json::json!({"oid": oid, "size": object["size"],
                    "actions": {"download": {"href": href, "header": {"X-Signed": "yes"}}}}),
                None => serde_json::json!({"oid": oid, "error": {"code": 404, "message": "no"}}),
            }
        });
        let objects: Vec<_> = objects.collect();
        return axum::Json(serde_json::json!({ "objects": objects })).into_response();
    }
    let is_push = parts.method == "POST" && parts.uri.path().ends_with("git-receive-pack");
    let root = server.root.clone();
    let done = tokio::task::spawn_blocking(move || backend(&root, &parts, &body))
        .await
        .unwrap();
    if is_push && mischief == Mischief::LostAnswer {
        return StatusCode::BAD_GATEWAY.into_response();
    }
    done
}

fn backend(root: &Path, parts: &http::request::Parts, body: &[u8]) -> Response {
    let kind = parts.headers.get(header::CONTENT_TYPE);
    let mut child = Command::new("git")
        .arg("http-backend")
        .env_clear()
        .env("PATH", "/usr/bin:/bin")
        .env("GIT_PROJECT_ROOT", root)
        .env("GIT_HTTP_EXPORT_ALL", "1")
        .env("REMOTE_USER", "x-access-token")
        .env("REQUEST_METHOD", parts.method.as_str())
        .env("PATH_INFO", parts.uri.path())
        .env("QUERY_STRING", parts.uri.query().unwrap_or(""))
        .env("CONTENT_LENGTH", body.len().to_string())
        .env("CONTENT_TYPE", kind.map_or("", |k| k.to_str().unwrap()))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut input = child.stdin.take().unwrap();
    let body = body.to_vec();
    let feeder = std::thread::spawn(move || input.write_all(&body));
    let out = child.wait_with_output().unwrap().stdout;
    let _ = feeder.join().unwrap();
    let end = out
        .windows(4)
        .position(|w| w == b"\r\n\r\n")
        .unwrap_or(out.len());
    let mut response = Response::new(Body::from(out[(end + 4).min(out.len())..].to_vec()));
    for line in String::from_utf8_lossy(&out[..end]).lines() {
        let Some((name, value)) = line.split_once(": ") else {
            continue;
        };
        if name.eq_ignore_ascii_case("status") {
            *response.status_mut() = StatusCode::from_bytes(&value.as_bytes()[..3]).unwrap();
        } else {
            response.headers_mut().insert(
                header::HeaderName::from_bytes(name.as_bytes()).unwrap(),
                HeaderValue::from_str(value).unwrap(),
            );
        }
    }
    response
}
