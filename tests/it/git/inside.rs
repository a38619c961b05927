//! The git directory that commands of a project see (rule B8), with git's own programs inside a
//! real sandbox.

use super::server::{World, git};
use mend::check::{CheckCommand, Checks, RunOptions, SetUp, SetUpSettings, wants_git};
use mend::config::RepoConfig;
use mend::domain::{Cancel, NoJournal, Outcome};
use mend::git::{Caps, Depth, Oid};
use mend::sandbox::{Sandbox, Settings};
use mend::tree::{Change, RelPath, Tree};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

struct Case {
    world: World,
    /// The commit that is worked on.
    commit: Oid,
    checks: Checks,
}

/// Three commits on `main`, a tag on the first, others elsewhere, and a secret branch.
async fn case(set_up: Option<&str>) -> Case {
    let world = World::new().await;
    world.add("main", &[("run.py", "print(1)\n")]);
    let bare = world.bare();
    let name = ["-c", "user.name=a", "-c", "user.email=a@b.test"];
    let tag = |args: &[&str]| git(&bare, &[&name[..], args].concat());
    tag(&["tag", "-a", "-m", "one", "v1.0", "main"]);
    let commit = world.add("main", &[("README", "more\n")]);
    world.add("secret", &[("secret.txt", "branch-canary\n")]);
    tag(&["tag", "elsewhere", "secret"]);
    let mirror = world.git.mirror(7).await.unwrap();
    let (url, credential, cancel) = (world.url(), world.credential(), Cancel::new());
    let wanted = [
        "refs/heads/main".to_string(),
        "refs/heads/secret".to_string(),
    ];
    mirror
        .fetch(&url, &wanted, Some(&credential), Depth::Full, &cancel)
        .await
        .unwrap();
    let tags = mirror.tags(&url, Some(&credential), &cancel).await.unwrap();
    let names: Vec<_> = tags.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(names, ["elsewhere", "v1.0"]);
    let private = mirror.private(world.path("private")).await.unwrap();
    let folder = world.path("open");
    std::fs::create_dir(&folder).unwrap();
    for open in [world.home.path(), folder.as_path()] {
        std::fs::set_permissions(open, PermissionsExt::from_mode(0o711)).unwrap();
    }
    let (base, inside) = (folder.join("base"), folder.join("git"));
    private
        .checkout(commit, &base, Caps::default(), &cancel)
        .await
        .unwrap();
    private
        .inside(commit, &tags, &inside, &cancel)
        .await
        .unwrap();
    let scratch = folder.join("scratch");
    std::fs::create_dir(&scratch).unwrap();
    std::fs::set_permissions(&scratch, PermissionsExt::from_mode(0o711)).unwrap();
    let settings = Settings {
        path: std::env::var("PATH").unwrap(),
        program: Some(env!("CARGO_BIN_EXE_mend").into()),
        ..Settings::default()
    };
    let config = RepoConfig {
        setup: set_up.map(|s| vec![s.to_string()]),
        ..RepoConfig::default()
    };
    let setup = SetUpSettings {
        allow: Some(Vec::new()),
        ..SetUpSettings::new(folder.join("setups"))
    };
    let checks = Checks {
        sandbox: Arc::new(Sandbox::find(&settings).await.unwrap()),
        source: Tree::open(&base).unwrap(),
        scratch,
        commands: Vec::new(),
        options: RunOptions {
            limit: Duration::from_secs(60),
            git: Some(inside),
            ..RunOptions::default()
        },
        setup: set_up.map(|_| Arc::new(SetUp::new(setup, &config))),
        baseline: None,
    };
    Case {
        world,
        commit,
        checks,
    }
}

impl Case {
    /// The output of a command, and what it left.
    async fn shell(&self, command: &str, changes: &[Change]) -> (String, Vec<String>) {
        let limit = Duration::from_secs(60);
        let done = self
            .checks
            .shell(command, limit, changes, &Cancel::new())
            .await
            .unwrap();
        let output = String::from_utf8_lossy(&done.ran.output).into_owned();
        let left = done.tree.walk().unwrap().into_iter();
        let left = left.map(|e| e.path.to_string()).collect();
        done.close().await.unwrap();
        (output, left)
    }

    fn inside(&self) -> PathBuf {
        self.checks.options.git.clone().unwrap()
    }
}

/// Every file with its bytes and mode.
fn picture(folder: &Path) -> Vec<(PathBuf, u32, Vec<u8>)> {
    let mut all = Vec::new();
    let mut open = vec![folder.to_path_buf()];
    while let Some(path) = open.pop() {
        let meta = std::fs::symlink_metadata(&path).unwrap();
        let bytes = match meta.is_dir() {
            true => {
                open.extend(std::fs::read_dir(&path).unwrap().map(|e| e.unwrap().path()));
                Vec::new()
            }
            false => std::fs::read(&path).unwrap(),
        };
        all.push((path, meta.permissions().mode(), bytes));
    }
    all.sort();
    all
}

#[tokio::test(flavor = "multi_thread")]
async fn b8_git_answers_inside_and_nothing_of_it_enters_the_change() {
    let case = case(None).await;
    let id = case.commit.to_string();
    let (said, left) = case
        .shell(
            "set -e; git describe --dirty; git status --porcelain; git log --oneline | wc -l; \
             git rev-parse HEAD; git show HEAD:README; env -u GIT_CONFIG_COUNT -u GIT_CONFIG_KEY_0 -u GIT_CONFIG_VALUE_0 git describe; \
             git fsck --connectivity-only 2>&1 | grep -c missing || true",
            &[],
        )
        .await;
    let version = format!("v1.0-1-g{}", &id[..7]);
    let lines: Vec<&str> = said.lines().collect();
    assert_eq!(lines[..5], [&version, "3", &id, "more", &version], "{said}");
    assert_eq!(left, ["README", "run.py"]);

    let change = Change {
        path: RelPath::parse("README").unwrap(),
        after: Some(b"mine\n".to_vec()),
        mode: None,
    };
    let command = "git describe --dirty; git status --porcelain; git diff | grep '^[-+][^-+]'";
    let (said, _) = case.shell(command, &[change]).await;
    assert_eq!(said, format!("{version}-dirty\n M README\n-more\n+mine\n"));
}

#[tokio::test(flavor = "multi_thread")]
async fn b8_nothing_else_of_the_repository_is_in_it() {
    let case = case(None).await;
    let inside = case.inside();
    for absent in ["config", "hooks", "objects/info", "logs", "shallow"] {
        assert!(!inside.join(absent).exists(), "{absent}");
    }
    let secret = case.world.tip("secret").unwrap();
    let command = format!(
        "git cat-file -t {secret}; git tag; git branch -a; git remote; git config --list --local"
    );
    let (said, _) = case.shell(&command, &[]).await;
    assert!(said.contains("could not get object info"), "{said}");
    assert!(
        said.contains("v1.0") && !said.contains("elsewhere"),
        "{said}"
    );
    assert!(!said.contains("http") && !said.contains("secret"), "{said}");
}

#[tokio::test(flavor = "multi_thread")]
async fn b8_gc_03_gc_04_no_write_into_it_succeeds() {
    let case = case(None).await;
    let before = picture(&case.inside());
    let (said, left) = case
        .shell(
            "try() { if \"$@\" 2>/dev/null; then echo \"DID $*\"; fi; }; \
             try git config core.fsmonitor 'touch /tmp/mark'; try git commit -qam x; \
             try git tag evil; try git update-ref refs/heads/x HEAD; try git gc -q; \
             try mkdir .git/hooks; try sh -c 'echo x > .git/config'; try rm -f .git/HEAD; \
             try mv .git .gone; try rmdir .git; try chmod -R 777 .git; try ln -sfn /tmp .git; \
             try umount .git; try mount --bind /tmp .git; \
             try git stash; echo y > README; try git add README; try git reset -q --hard; echo end",
            &[],
        )
        .await;
    assert_eq!(said.trim(), "end");
    assert_eq!(left, ["README", "run.py"]);
    assert_eq!(picture(&case.inside()), before);
}

#[tokio::test(flavor = "multi_thread")]
async fn b8_set_ups_and_checks_see_it_too() {
    let mut case = case(Some("git describe > $MEND_DEPS/version")).await;
    let check = CheckCommand::new(
        "test \"$(git describe)\" = \"$(cat /deps/version)\" && git describe",
        "",
    );
    case.checks.commands = vec![check.named()];
    let runs = case
        .checks
        .full(&[], None, &Cancel::new(), &NoJournal)
        .await
        .unwrap();
    assert_eq!(runs[0].classification.outcome, Outcome::Passed, "{runs:?}");
    assert!(runs[0].output.starts_with("v1.0-1-g"), "{}", runs[0].output);
}

#[test]
fn b8_projects_that_ask_git_are_found_by_their_files() {
    for (path, text, wanted) in [
        (
            "pyproject.toml",
            "[build-system]\nrequires = ['setuptools_scm[toml]>=6']",
            true,
        ),
        (
            "pyproject.toml",
            "[build-system]\nrequires = ['hatchling', 'hatch-vcs']",
            true,
        ),
        (
            "pyproject.toml",
            "[build-system]\nrequires = ['flit_core']",
            false,
        ),
        (
            "build.rs",
            "let out = Command::new(\"git\").arg(\"describe\")",
            true,
        ),
        ("Makefile", "VERSION := $(shell git describe --tags)", true),
        ("README.md", "Run git describe", false),
        ("node_modules/x/Makefile", "git describe", false),
    ] {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join(path);
        std::fs::create_dir_all(file.parent().unwrap()).unwrap();
        std::fs::write(file, text).unwrap();
        let found = wants_git(&Tree::open(folder.path()).unwrap()).unwrap();
        assert_eq!(found.as_deref(), wanted.then_some(path), "{path}: {text}");
    }
}
