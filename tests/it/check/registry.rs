//! What the pull request says of set-ups: one that failed, and one from a private registry that the
//! operator named. Everything is real but the registry, which is small.

use super::bodies::{adds, body};
use super::detect::lay;
use crate::fix::{SUMS, case, edit, turn};
use mend::check::SetUpSettings;
use mend::domain::{AllowedHost, Verdict};
use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::process::Command;
use std::sync::Arc;

#[tokio::test(flavor = "multi_thread")]
async fn a_failing_set_up() {
    let lock = r#"{"name": "sums", "lockfileVersion": 3, "requires": true, "packages": {
        "": {"name": "sums", "dependencies": {"greet": "1.0.0"}},
        "node_modules/greet": {"version": "1.0.0", "resolved": "https://packages.corp.test/greet-1.0.0.tgz", "integrity": "sha512-z4PhNX7vuL3xVChQ1m2AB9Yg5AULVxXcg/SpIdNs6c5H0NE8XYXysP+DGNKHfuwvY7kxvUdBeoGlODJ6+SfaPg=="}}}"#;
    let mut case = case(&[
        (
            "package.json",
            r#"{"name": "sums", "scripts": {"test": "node --test"}, "dependencies": {"greet": "1.0.0"}}"#,
        ),
        ("package-lock.json", lock),
        (
            "sums.js",
            "require('greet');\nexports.add = (a, b) => a - b;\n",
        ),
        (
            "sums.test.js",
            "require('node:test')('adds', () => { if (require('./sums').add(2, 3) !== 5) throw new Error(); });\n",
        ),
    ]);
    let cache = tempfile::tempdir().unwrap();
    case.setup = Some(SetUpSettings {
        env: vec![("npm_config_fetch_retries".into(), "0".into())],
        ..SetUpSettings::new(cache.path().join("setups"))
    });
    let mut turns = adds();
    turns[0] = turn("", &[edit("sums.js", "a - b", "a + b")]);
    let (verdict, text) = body(case, turns).await;
    assert_eq!(verdict, Verdict::Draft, "{text}");
    for part in [
        "didn't start",
        "the set-up failed, `npm ci` exit 1: 403 403 Forbidden - GET https",
        "`packages.corp.test` (not on the list of allowed hosts)",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
    insta::assert_snapshot!("body_failing_set_up", text);
}

/// A set-up that compiles, as Gradle's does; the compiler is a script, so that no JDK is needed.
#[tokio::test(flavor = "multi_thread")]
async fn a_set_up_that_stops_at_the_projects_own_code() {
    let mut files = SUMS.to_vec();
    files.extend([
        (
            ".github/mend.toml",
            "setup = 'sh compile.sh'\ncheck = 'python3 -m unittest discover -s tests -t .'\n",
        ),
        (
            "compile.sh",
            "echo '> Task :compileTestJava FAILED'\necho \"$PWD/src/A.java:3: error: ';' expected\"\necho '1 error'\nexit 1\n",
        ),
    ]);
    let mut case = case(&files);
    let cache = tempfile::tempdir().unwrap();
    case.setup = Some(SetUpSettings::new(cache.path().join("setups")));
    let (verdict, text) = body(case, adds()).await;
    assert_eq!(verdict, Verdict::Draft, "{text}");
    for part in [
        "stopped before its first test: src/A.java:3: error: ';' expected.",
        "mend what does not compile",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
    assert!(!text.contains("name a set-up that works"), "{text}");
    insta::assert_snapshot!("body_own_code_does_not_compile", text);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_private_registry_by_the_operators_setting() {
    let packages = tempfile::tempdir().unwrap();
    wheel(packages.path());
    let port = registry(packages.path());
    let mut files = SUMS.to_vec();
    files.push(("requirements.txt", "greet==1.0\n"));
    files.push((
        "tests/test_greet.py",
        "import unittest\n\nimport greet\n\n\nclass Greet(unittest.TestCase):\n    def test_hello(self):\n        self.assertEqual(greet.hello(), 'hello')\n",
    ));
    let mut case = case(&files);
    let cache = tempfile::tempdir().unwrap();
    let host = AllowedHost::parse(&format!("localhost:{port}")).unwrap();
    let index = format!("http://{USER}:{PASSWORD}@localhost:{port}/simple");
    case.setup = Some(SetUpSettings {
        allow: Some(vec![host.with_private(true)]),
        env: vec![
            ("PIP_INDEX_URL".into(), index),
            // A registry on this very host is reached through the proxy as any other.
            ("NO_PROXY".into(), String::new()),
            ("no_proxy".into(), String::new()),
        ],
        ..SetUpSettings::new(cache.path().join("setups"))
    });
    let (verdict, text) = body(case, adds()).await;
    assert_eq!(verdict, Verdict::Ready, "{text}");
    assert!(text.contains("1 host reached, none refused"), "{text}");
    assert!(!text.contains(PASSWORD), "{text}");
    insta::assert_snapshot!("body_private_registry", text);
}

const USER: &str = "mend";
const PASSWORD: &str = "s3cret-token";
/// Both, as HTTP's basic authentication writes them.
const BASIC: &str = "Basic bWVuZDpzM2NyZXQtdG9rZW4=";
const WHEEL: &str = "greet-1.0-py3-none-any.whl";

/// A package, as pip takes it.
fn wheel(folder: &Path) {
    lay(
        folder,
        &[
            ("greet.py", "def hello():\n    return 'hello'\n"),
            (
                "greet-1.0.dist-info/METADATA",
                "Metadata-Version: 2.1\nName: greet\nVersion: 1.0\n",
            ),
            (
                "greet-1.0.dist-info/WHEEL",
                "Wheel-Version: 1.0\nGenerator: hand\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
            ),
            (
                "greet-1.0.dist-info/RECORD",
                "greet.py,,\ngreet-1.0.dist-info/METADATA,,\ngreet-1.0.dist-info/WHEEL,,\ngreet-1.0.dist-info/RECORD,,\n",
            ),
        ],
    );
    let made = Command::new("python3")
        .args([
            "-m",
            "zipfile",
            "-c",
            WHEEL,
            "greet.py",
            "greet-1.0.dist-info",
        ])
        .current_dir(folder)
        .status()
        .unwrap();
    assert!(made.success());
}

/// Serves the wheel to who knows the password, for as long as the tests run; the port.
fn registry(folder: &Path) -> u16 {
    let wheel = Arc::new(std::fs::read(folder.join(WHEEL)).unwrap());
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    std::thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let wheel = wheel.clone();
            std::thread::spawn(move || answer(stream, &wheel));
        }
    });
    port
}

fn answer(mut stream: TcpStream, wheel: &[u8]) {
    let lines: Vec<String> = BufReader::new(&stream)
        .lines()
        .map_while(Result::ok)
        .take_while(|l| !l.is_empty())
        .collect();
    let known = lines.iter().any(|l| {
        l.split_once(": ").is_some_and(|(name, value)| {
            name.eq_ignore_ascii_case("authorization") && value == BASIC
        })
    });
    let path = lines
        .first()
        .and_then(|l| l.split(' ').nth(1))
        .unwrap_or("");
    let page = format!("<!DOCTYPE html><html><body><a href=\"/{WHEEL}\">{WHEEL}</a></body></html>");
    let (status, kind, content) = match path {
        _ if !known => ("401 Unauthorized", "text/plain", &b"who?"[..]),
        _ if path.ends_with("/simple/greet/") => ("200 OK", "text/html", page.as_bytes()),
        _ if path.ends_with(WHEEL) => ("200 OK", "application/octet-stream", wheel),
        _ => ("404 Not Found", "text/plain", &b"what?"[..]),
    };
    let head = format!(
        "HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nContent-Length: {}\r\nWWW-Authenticate: Basic realm=\"packages\"\r\nConnection: close\r\n\r\n",
        content.len()
    );
    let _ = stream.write_all(&[head.as_bytes(), content].concat());
}
