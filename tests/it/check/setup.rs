//! Set-ups: which commands, from real registries through the proxy, kept, and honest when they fail.

use super::detect::lay;
use mend::check::{Checks, RunOptions, SetUp, SetUpFile, SetUpSettings, detect, repo_config};
use mend::domain::{AllowedHost, Cancel, CheckRun, Journal, Kind, Outcome, Progress, SetUpReport};
use mend::sandbox::{Sandbox, Settings};
use mend::tree::{Change, RelPath, Tree};
use std::net::ToSocketAddrs;
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// The public registries, allowed to be private where this host resolves them so, as an operator
/// behind a mirror would; and the variables of this host that say how they are reached.
fn here(cache: &Path) -> SetUpSettings {
    let hosts = [
        "pypi.org",
        "files.pythonhosted.org",
        "index.crates.io",
        "static.crates.io",
        "registry.npmjs.org",
    ];
    let allow = hosts.iter().map(|h| {
        let host = AllowedHost::parse(h).unwrap();
        let public = |ip: std::net::IpAddr| match ip {
            std::net::IpAddr::V4(ip) => !ip.is_private() && !ip.is_documentation(),
            std::net::IpAddr::V6(_) => true,
        };
        let mut found = (*h, 443).to_socket_addrs().into_iter().flatten();
        host.with_private(!found.all(|a| public(a.ip())))
    });
    let mut settings = SetUpSettings {
        allow: Some(allow.collect()),
        ..SetUpSettings::new(cache)
    };
    let prefixes = [
        "PIP_INDEX",
        "PIP_EXTRA",
        "PIP_CERT",
        "SSL_CERT_FILE",
        "NODE_EXTRA",
        "npm_config_registry",
        "CARGO_REGISTRIES",
        "CARGO_SOURCE",
    ];
    for (name, value) in std::env::vars() {
        if prefixes.iter().any(|p| name.starts_with(p)) {
            settings.env.push((name, value));
        }
    }
    settings
}

/// Whether the registry's host answers from here at all.
fn online(host: &str) -> bool {
    let mut at = (host, 443).to_socket_addrs().into_iter().flatten();
    let answers =
        at.any(|a| std::net::TcpStream::connect_timeout(&a, Duration::from_secs(10)).is_ok());
    crate::host::has("registries", answers)
}

async fn sandbox() -> Arc<Sandbox> {
    let settings = Settings {
        path: std::env::var("PATH").unwrap(),
        program: Some(env!("CARGO_BIN_EXE_mend").into()),
        ..Settings::default()
    };
    Arc::new(Sandbox::find(&settings).await.unwrap())
}

/// A project, its set-up and what they told.
struct Case {
    project: tempfile::TempDir,
    cache: tempfile::TempDir,
    told: Told,
}

#[derive(Default)]
struct Told(Mutex<Vec<String>>);

impl Journal for Told {
    fn tell(&self, event: Progress) {
        if let Progress::SetUpStarted { command } = event {
            self.0.lock().unwrap().push(command);
        }
    }
}

impl Case {
    fn new(files: &[(&str, &str)]) -> Case {
        let project = tempfile::tempdir().unwrap();
        lay(project.path(), files);
        Case {
            project,
            cache: tempfile::tempdir().unwrap(),
            told: Told::default(),
        }
    }

    fn settings(&self) -> SetUpSettings {
        here(&self.cache.path().join("setups"))
    }

    async fn check(&self, settings: SetUpSettings) -> (Vec<CheckRun>, Option<SetUpReport>) {
        self.check_with(settings, &[]).await
    }

    async fn check_with(
        &self,
        settings: SetUpSettings,
        changes: &[Change],
    ) -> (Vec<CheckRun>, Option<SetUpReport>) {
        let tree = Tree::open(self.project.path()).unwrap();
        let config = repo_config(&tree).unwrap();
        let before = tree.walk().unwrap();
        let commands = detect(&tree, &config).unwrap();
        let setup = Arc::new(SetUp::new(settings, &config));
        let scratch = tempfile::tempdir().unwrap();
        std::fs::set_permissions(
            scratch.path(),
            std::os::unix::fs::PermissionsExt::from_mode(0o711),
        )
        .unwrap();
        let checks = Checks {
            sandbox: sandbox().await,
            source: tree.clone(),
            scratch: scratch.path().into(),
            commands,
            options: RunOptions {
                limit: Duration::from_secs(240),
                ..RunOptions::default()
            },
            setup: Some(setup.clone()),
            baseline: None,
        };
        let runs = checks
            .full(changes, None, &Cancel::new(), &self.told)
            .await
            .unwrap();
        assert_eq!(tree.walk().unwrap(), before, "the project was touched");
        let left = std::fs::read_dir(scratch.path()).unwrap().count();
        assert_eq!(left, 0, "a copy was left");
        (runs, setup.last().await.map(|p| p.report))
    }

    fn steps_run(&self) -> usize {
        self.told.0.lock().unwrap().len()
    }
}

fn passed(runs: &[CheckRun]) -> Option<u64> {
    let class = &runs[0].classification;
    assert_eq!(class.outcome, Outcome::Passed, "{}", runs[0].output);
    class.tests.unwrap().passed
}

#[tokio::test]
async fn pip_installs_the_project_and_its_requirements_once() {
    if !online("pypi.org") {
        return;
    }
    let case = Case::new(&[
        (
            "pyproject.toml",
            "[project]\nname = 'small'\nversion = '1.0'\ndescription = 'Small.'\ndependencies = ['itsdangerous']\n[build-system]\nrequires = ['flit_core']\nbuild-backend = 'flit_core.buildapi'\n[project.optional-dependencies]\ntest = ['pytest']\n",
        ),
        (
            "small.py",
            "'''Small.'''\nimport itsdangerous\nANSWER = 42\n",
        ),
        (
            "test_small.py",
            "import importlib.metadata, pathlib, pytest, small\ndef test_small():\n    assert small.ANSWER == 42\ndef test_installed():\n    assert importlib.metadata.version('small') == '1.0'\n    assert str(pathlib.Path(pytest.__file__)).startswith('/deps/venv/')\ndef test_deps_are_read_only():\n    with pytest.raises(OSError):\n        pathlib.Path('/deps/venv/x').write_text('x')\ndef test_no_network():\n    import socket\n    with pytest.raises(OSError):\n        socket.create_connection(('127.0.0.1', 3128), 2)\n",
        ),
    ]);
    let (runs, report) = case.check(case.settings()).await;
    assert_eq!(passed(&runs), Some(4));
    let report = report.unwrap();
    assert_eq!(report.steps, ["python3 -m pip install -e '.[test]' pytest"]);
    assert!(!report.from_cache);
    let words = report.traffic.words();
    assert_eq!(words, "2 hosts reached, none refused");

    // The same manifests: nothing runs, and a changed source is what the tests see.
    let before = case.steps_run();
    let change = Change {
        path: RelPath::parse("small.py").unwrap(),
        after: Some(b"'''Small.'''\nANSWER = 41\n".to_vec()),
        mode: None,
    };
    let (runs, report) = case.check_with(case.settings(), &[change]).await;
    assert!(report.unwrap().from_cache);
    assert_eq!(case.steps_run(), before);
    let class = &runs[0].classification;
    assert_eq!(class.outcome, Outcome::Failed);
    assert_eq!(class.failed_names.len(), 1, "{}", runs[0].output);

    // A changed manifest: it runs again, for this state of the tree.
    let change = Change {
        path: RelPath::parse("pyproject.toml").unwrap(),
        after: Some(b"[project]\nname = 'small'\nversion = '1.0'\ndescription = 'Small.'\n[build-system]\nrequires = ['flit_core']\nbuild-backend = 'flit_core.buildapi'\n".to_vec()),
        mode: None,
    };
    let (runs, report) = case.check_with(case.settings(), &[change]).await;
    assert!(!report.unwrap().from_cache);
    assert!(case.steps_run() > before);
    assert!(
        runs[0].output.contains("itsdangerous"),
        "{}",
        runs[0].output
    );
}

#[tokio::test]
async fn cargo_fetches_and_builds_offline() {
    if !online("index.crates.io") {
        return;
    }
    let case = Case::new(&[
        (
            "Cargo.toml",
            "[package]\nname = 'small'\nversion = '0.1.0'\nedition = '2021'\n[dependencies]\nitoa = '1'\n",
        ),
        (
            "src/lib.rs",
            "#[test]\nfn it() { assert_eq!(itoa::Buffer::new().format(7), \"7\"); }\n",
        ),
    ]);
    let (runs, report) = case.check(case.settings()).await;
    assert_eq!(passed(&runs), Some(1));
    let report = report.unwrap();
    assert_eq!(report.steps, ["cargo fetch"]);
    assert!(report.traffic.refused.is_empty(), "{:?}", report.traffic);
    assert!(!report.traffic.reached.is_empty());
}

#[tokio::test]
async fn npm_installs_outside_the_project() {
    if !online("registry.npmjs.org") {
        return;
    }
    let case = Case::new(&[
        (
            "package.json",
            r#"{"name": "small", "version": "1.0.0", "scripts": {"test": "node --test"}, "dependencies": {"minimist": "1.2.8"}}"#,
        ),
        (
            "test/a.test.js",
            "const test = require('node:test'); const assert = require('node:assert'); const fs = require('node:fs');\ntest('a', () => { assert.equal(require('minimist')(['--b', '1']).b, 1); });\ntest('read-only', () => { assert.throws(() => fs.writeFileSync('node_modules/minimist/index.js', 'x')); fs.writeFileSync('node_modules/.cache/x', 'x'); });\n",
        ),
    ]);
    let (runs, report) = case.check(case.settings()).await;
    assert_eq!(passed(&runs), Some(2));
    let report = report.unwrap();
    assert_eq!(report.steps, ["npm install --no-save --no-package-lock"]);
    assert_eq!(report.traffic.words(), "1 host reached, none refused");
}

#[tokio::test]
async fn a_failing_step_is_told_with_its_tail_and_the_refused_hosts() {
    let case = Case::new(&[
        (
            ".github/mend.toml",
            "setup = \"\"\"python3 -c 'import urllib.request as u\ntry: u.urlopen(\"https://evil.test/x\")\nexcept Exception as e: print(\"cannot fetch:\", e)'; exit 7\"\"\"\n",
        ),
        (
            "test_a.py",
            "import unittest\nclass T(unittest.TestCase):\n    def test_a(self): pass\n",
        ),
    ]);
    let (runs, report) = case.check(case.settings()).await;
    let class = &runs[0].classification;
    assert_eq!(class.outcome, Outcome::DidntStart);
    assert_eq!(class.kind, Some(Kind::Setup));
    assert!(
        class.reason.starts_with("the set-up failed, `python3"),
        "{}",
        class.reason
    );
    let report = report.unwrap();
    let failed = report.failed.clone().unwrap();
    assert_eq!(failed.how, "exit 7");
    assert!(failed.tail.contains("cannot fetch:"), "{}", failed.tail);
    assert_eq!(report.traffic.refused[0].host, "evil.test");
    assert!(
        runs[0]
            .output
            .contains("refused `evil.test` (not on the list of allowed hosts)")
    );
    // Nothing is kept of it.
    let (_, again) = case.check(case.settings()).await;
    assert!(!again.unwrap().from_cache);
    assert_eq!(
        std::fs::read_dir(case.cache.path().join("setups"))
            .unwrap()
            .count(),
        0
    );
}

#[tokio::test]
async fn named_steps_get_variables_and_files_that_checks_do_not_see() {
    let case = Case::new(&[
        (
            ".github/mend.toml",
            "setup = ['cp ~/.npmrc generated.txt; cp /etc/hostname $MEND_DEPS/x; echo $CANARY >> generated.txt; echo changed > tracked.txt; ls / > $MEND_DEPS/root']\ncheck = \"python3 -m unittest\"\n",
        ),
        ("tracked.txt", "tracked"),
        (
            "test_a.py",
            "import os, unittest\nclass T(unittest.TestCase):\n    def test_a(self):\n        self.assertEqual(open('generated.txt').read(), 'file-canary\\nvariable-canary\\n')\n        self.assertEqual(open('tracked.txt').read(), 'tracked')\n        self.assertTrue(os.path.exists('/deps/x'))\n        self.assertNotIn('CANARY', os.environ)\n        self.assertFalse(os.path.exists(os.path.expanduser('~/.npmrc')))\n        self.assertEqual(open('/opt/ca.pem').read(), 'ca')\n",
        ),
    ]);
    let secret = case.cache.path().join("npmrc");
    std::fs::write(&secret, "file-canary\n").unwrap();
    let certificate = case.cache.path().join("ca");
    std::fs::write(&certificate, "ca").unwrap();
    let mut settings = case.settings();
    settings
        .env
        .push(("CANARY".into(), "variable-canary".into()));
    settings.files = vec![
        SetUpFile::new("~/.npmrc", &secret, false),
        SetUpFile::new("/opt/ca.pem", &certificate, true),
    ];
    let (runs, _) = case.check(settings.clone()).await;
    assert_eq!(passed(&runs), Some(1));
    // Such a step depends on the source, so another source has another set-up.
    let ran = case.steps_run();
    let (_, report) = case.check(settings.clone()).await;
    assert!(report.unwrap().from_cache);
    let change = Change {
        path: RelPath::parse("tracked.txt").unwrap(),
        after: Some(b"other".to_vec()),
        mode: None,
    };
    let (_, report) = case.check_with(settings, &[change]).await;
    assert!(!report.unwrap().from_cache);
    assert!(case.steps_run() > ran);
}

/// What Maven and Gradle need of a place for their dependencies, without either: a script stands for
/// both, and fails as they do where they cannot write, or find what they may not.
#[tokio::test]
async fn the_homes_of_maven_and_gradle() {
    let step = "mkdir -p $GRADLE_USER_HOME/caches /deps/m2/junit target/classes app/build \
        && echo jar > /deps/m2/junit/junit.jar && echo central > /deps/m2/junit/_remote.repositories \
        && echo of base > target/classes/A.class && echo of base > app/build/B.class && echo made > kept.txt \
        && case \"$MAVEN_OPTS\" in *-Dhttps.proxyHost=*useSystemProperties=true*-Dmaven.repo.local=/deps/m2*) ;; *) exit 9;; esac";
    let check = "set -e; echo lock > $GRADLE_USER_HOME/caches/journal; \
        test \"$MAVEN_OPTS\" = -Dmaven.repo.local=/deps/m2; test -f /deps/m2/junit/junit.jar; \
        test ! -e /deps/m2/junit/_remote.repositories; test ! -e target; test ! -e app/build; test -f kept.txt; \
        ! touch /deps/m2/x 2>/dev/null; test ! -e $GRADLE_USER_HOME/caches/seen; touch $GRADLE_USER_HOME/caches/seen";
    let config = format!("setup = '''{step}'''\ncheck = ['''{check}''']\n");
    let case = Case::new(&[
        (".github/mend.toml", &config),
        ("pom.xml", "<project/>"),
        ("app/build.gradle", ""),
    ]);
    // The second time from the cache: no check writes into another one's home.
    for from_cache in [false, true] {
        let (runs, report) = case.check(case.settings()).await;
        let outcome = runs[0].classification.outcome;
        assert_eq!(outcome, Outcome::Passed, "{}", runs[0].output);
        assert_eq!(report.unwrap().from_cache, from_cache);
    }
}

#[tokio::test]
async fn npm_brings_a_package_manager_that_is_missing() {
    let there = std::process::Command::new("sh")
        .args(["-c", "command -v pnpm"])
        .output();
    if !online("registry.npmjs.org") || there.unwrap().status.success() {
        return;
    }
    let case = Case::new(&[
        (
            "package.json",
            r#"{"name": "a", "packageManager": "pnpm@9.15.0", "scripts": {"test": "node --test"}}"#,
        ),
        (
            "pnpm-lock.yaml",
            "lockfileVersion: '9.0'\n\nimporters:\n\n  .: {}\n",
        ),
        ("a.test.js", "require('node:test')('runs', () => {});\n"),
    ]);
    let (runs, report) = case.check(case.settings()).await;
    assert_eq!(passed(&runs), Some(1));
    assert_eq!(runs[0].command, "pnpm test");
    let steps = report.unwrap().steps;
    assert_eq!(
        steps,
        [
            "npm install --global --prefix \"$MEND_DEPS/node\" pnpm@9.15.0 && pnpm install --frozen-lockfile"
        ]
    );
}

#[tokio::test]
async fn nw_05_a_set_up_keeps_the_list_that_it_was_started_with() {
    let case = Case::new(&[
        (
            "package.json",
            r#"{"name": "small", "scripts": {"test": "node --test"}, "dependencies": {"minimist": "1.2.8"}}"#,
        ),
        ("a.test.js", "require('node:test')('a', () => {})\n"),
    ]);
    let settings = SetUpSettings {
        allow: Some(Vec::new()),
        env: vec![("npm_config_fetch_retries".into(), "0".into())],
        ..case.settings()
    };
    let (runs, report) = case.check(settings).await;
    assert_eq!(runs[0].classification.outcome, Outcome::DidntStart);
    let report = report.unwrap();
    assert!(report.traffic.reached.is_empty());
    assert_eq!(report.traffic.refused[0].host, "registry.npmjs.org");
}
