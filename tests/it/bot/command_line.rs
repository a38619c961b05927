//! `mend fix owner/repo#12` through the real program.

use crate::world::{REPO, World, fix, record};
use serde_json::Value;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
use std::process::Output;

/// A settings file for the simulator, with a database of its own.
fn settings(world: &World) -> PathBuf {
    let folder = world.folder.path();
    let private = |name: &str, text: &str| {
        let path = folder.join(name);
        std::fs::write(&path, text).unwrap();
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o600)).unwrap();
        path
    };
    let key = private("key.pem", world.sim.private_key_pem());
    let (sim, state) = (&world.sim, folder.join("cli"));
    let text = format!(
        "[server]\nstate_dir = {state:?}\n[github]\napp_id = {}\nprivate_key_path = {key:?}\n\
         webhook_secret = \"{}\"\nbase_url = \"{base}\"\nweb_url = \"{base}\"\n\
         [model]\nwire = \"chat\"\nmodel = \"m\"\n",
        sim.app_id(),
        sim.webhook_secret(),
        base = sim.base_url(),
    );
    private("config.toml", &text)
}

async fn mend(world: &World, arguments: &[&str]) -> Output {
    let answers = world.folder.path().join("answers");
    record(&answers, &[fix()]);
    let mut command = tokio::process::Command::new(env!("CARGO_BIN_EXE_mend"));
    command
        .env_clear()
        .env("PATH", std::env::var("PATH").unwrap())
        .env("MEND_CONFIG", settings(world))
        .arg("fix")
        .args(arguments)
        .arg("--replay")
        .arg(&answers);
    command.output().await.unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

#[tokio::test(flavor = "multi_thread")]
async fn an_issue_is_rehearsed_and_then_fixed_from_the_command_line() {
    let mut world = World::new(&[&[fix()]]).await;
    // The server is not needed.
    world.sim.set_webhook_url(None);
    world.down().await;
    let issue = world
        .sim
        .open_issue(REPO, "ada", "add subtracts", "`add(2, 3)` gives -1.")
        .unwrap();
    let target = format!("{REPO}#{issue}");
    let out = mend(&world, &[&target, "--dry-run"]).await;
    let told = text(&out.stdout);
    assert_eq!(out.status.code(), Some(0), "{told}{}", text(&out.stderr));
    assert!(
        told.starts_with(
            "Would publish `Fix: add subtracts` from `mend/issue-1` into `main`:\n\nCloses #1\n"
        ) && told.contains("\n+    return a + b\n")
            && told
                .trim_end()
                .ends_with("Verdict: ready. Nothing was written to GitHub."),
        "{told}"
    );
    let written = |world: &World| {
        let all = world.sim.requests();
        let of = all.iter().filter(|r| {
            r.method != "GET"
                && !r.path.contains("access_tokens")
                && !r.path.contains("installation/token")
                && !r.path.ends_with("git-upload-pack")
        });
        of.map(|r| format!("{} {}", r.method, r.path))
            .collect::<Vec<_>>()
    };
    assert_eq!(written(&world), Vec::<String>::new());
    // For real: the same as by the label.
    let out = mend(&world, &[&target, "--json"]).await;
    assert_eq!(out.status.code(), Some(0), "{}", text(&out.stderr));
    let document: Value = serde_json::from_slice(&out.stdout).unwrap();
    assert_eq!(document["pull_request"]["number"], 2);
    let pulls = world.pulls();
    assert_eq!((pulls.len(), pulls[0].draft), (1, false));
    let comments = world.own_comments(issue);
    assert_eq!(comments.len(), 1);
    assert!(
        comments[0].body.contains("Opened #2"),
        "{}",
        comments[0].body
    );
    // What cannot be done is said, and nothing is written.
    let before = written(&world).len();
    for (arguments, said) in [
        (&["acme/none#1"][..], "not installed on acme/none"),
        (&["acme/adder#99"], "has no issue 99"),
        (&["acme/adder#2"], "is a pull request"),
        (&[target.as_str(), "--apply"], "--apply is for a folder"),
    ] {
        let out = mend(&world, arguments).await;
        let told = text(&out.stderr);
        assert_eq!(out.status.code(), Some(2), "{told}");
        assert!(told.contains(said), "{told}");
    }
    assert_eq!(written(&world).len(), before);
    world.up().await;
    world.end().await;
}
