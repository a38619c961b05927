//! The gate: what is refused, what is named, and what the source cannot even ask GitHub for.

use crate::world::{PROJECT, REPO, World, calls, fix};
use mend::domain::Verdict;
use mend::gate::refused;
use serde_json::json;
use std::path::Path;

fn sources(folder: &Path, found: &mut Vec<(String, String)>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            sources(&path, found);
        } else if path.extension().is_some_and(|e| e == "rs") {
            found.push((
                path.display().to_string(),
                std::fs::read_to_string(&path).unwrap(),
            ));
        }
    }
}

#[test]
fn ou_06_the_source_has_no_call_that_merges_approves_tags_or_forces() {
    let mut all = Vec::new();
    sources(Path::new("src"), &mut all);
    all.retain(|(path, _)| !path.starts_with("src/simulator"));
    assert!(all.len() > 200);
    for (path, text) in &all {
        for word in [
            "/merge\"",
            "/merges",
            "mergePullRequest",
            "enablePullRequestAutoMerge",
            "APPROVE\"",
            "/update-branch",
            "refs/tags/{",
            "/git/tags",
            "/git/refs",
            "createRef",
            "deleteRef",
            "updateRef",
            "\"force\"",
            "/releases",
            "/dispatches",
            "\"+refs/heads",
            "--force",
            "/protection",
            "/collaborators\"",
            "/hooks\"",
            "/actions/secrets",
            "/keys\"",
        ] {
            // `--force` is a word of container engines and of mix too; tags are copied for commands
            // that read them. One function moves branches through the API.
            let elsewhere = match word {
                "--force" => path.starts_with("src/sandbox") || path == "src/check/detect/other.rs",
                "refs/tags/{" => ["src/git/tags.rs", "src/git/inside.rs"].contains(&path.as_str()),
                "updateRef" | "\"force\"" => path == "src/github/objects.rs",
                _ => false,
            };
            assert!(elsewhere || !text.contains(word), "{path} holds `{word}`");
        }
    }
    // That one names branches only, compares where they stand, and is asked by two functions, which
    // ask first whether the branch is mend's; that which lets CI run replaces nothing.
    let source = |path: &str| std::fs::read_to_string(path).unwrap();
    let moves = source("src/github/objects.rs");
    assert_eq!(moves.matches("updateRefs(").count(), 1);
    assert_eq!(
        moves
            .matches("\"name\": format!(\"refs/heads/{branch}\")")
            .count(),
        1
    );
    assert_eq!(
        moves
            .matches("\"beforeOid\": from.unwrap_or(NOWHERE)")
            .count(),
        1
    );
    let publish = source("src/task/publish.rs");
    let asked = publish.find("bench.git.may_move(").unwrap();
    assert_eq!(publish.matches(".move_branch(").count(), 1);
    assert!(asked < publish.find(".move_branch(").unwrap());
    let release = source("src/task/release.rs");
    assert_eq!(release.matches(".move_branch(").count(), 1);
    assert!(release.contains(".move_branch(&repo, branch, Some(head), &new, false)"));
    assert!(release.contains("known.head.branch.starts_with(self.prefix)"));
    for (path, text) in &all {
        if path == "src/task/release.rs" {
            continue;
        }
        let calls = path != "src/task/publish.rs" && text.contains(".move_branch(");
        assert!(!calls, "{path} moves a branch");
    }
}

#[test]
fn ou_05_the_refused_paths_are_refused_in_any_spelling() {
    for path in [
        ".github/workflows/ci.yml",
        ".GitHub/WORKFLOWS/x.yaml",
        "action.yml",
        "tools/action.yaml",
        ".github/actions/a/action.yml",
        "CODEOWNERS",
        "docs/CODEOWNERS",
        ".github/codeowners",
        ".gitlab/CODEOWNERS",
        ".gitmodules",
        ".github/mend.toml",
        ".github/Mend.toml",
        ".git/config",
        "a/.git/hooks/pre-push",
    ] {
        assert!(refused(path), "{path}");
    }
    for path in [
        "src/lib.rs",
        ".github/ISSUE_TEMPLATE/a.md",
        "workflows/a.py",
        "docs/actions.md",
    ] {
        assert!(!refused(path), "{path}");
    }
}

/// A change that the sandbox's shell makes beside the fix.
fn by_shell(command: &str) -> serde_json::Value {
    calls(&[("run_command", json!({"command": command}))])
}

#[tokio::test(flavor = "multi_thread")]
async fn ou_05_what_acts_elsewhere_stands_on_top_of_the_pull_request() {
    let mut project = PROJECT.to_vec();
    project.push(("package.json", "{\"name\": \"adder\"}\n"));
    let world = World::with(
        &[&[by_shell("printf '{\"name\":\"adder\",\"scripts\":{\"postinstall\":\"true\"}}' > package.json; mkdir -p .husky; echo true > .husky/pre-commit; echo 'FROM x' > Dockerfile"), fix()]],
        &project,
        |settings| settings.agent.run_command = true,
    )
    .await;
    world.label();
    world.ended(1).await;
    let pull = &world.pulls()[0];
    let (top, checks) = pull.body.split_once("**Checks, run by mend").unwrap();
    for named in [
        "Look at these first",
        "`package.json`",
        "`.husky/pre-commit`",
        "`Dockerfile`",
    ] {
        assert!(top.contains(named), "{named}: {top}");
    }
    assert!(checks.contains("passed"));
    world.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn ou_05_a_secret_is_never_pushed() {
    let token = format!("ghp_{}", "x7Kq2mVn9Lw4Rt6Yb1Hs3Jd5Fg8Zc0PaQeUi");
    let command = format!("echo 'key = \"{token}\"' > settings.py");
    let world = World::with(&[&[by_shell(&command), fix()]], PROJECT, |settings| {
        settings.agent.run_command = true;
    })
    .await;
    let issue = world.label();
    let task = world.ended(1).await;
    assert_ne!(task.verdict, Some(Verdict::Ready));
    assert!(world.pulls().is_empty());
    let refs = world.sim.refs(REPO);
    assert_eq!(refs.keys().collect::<Vec<_>>(), ["refs/heads/main"]);
    let comments = world.own_comments(issue);
    assert!(
        comments[0].body.contains("looks like a secret (github-"),
        "{}",
        comments[0].body
    );
    assert!(!comments[0].body.contains(&token));
    world.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn ou_05_a_workflow_that_a_shell_wrote_is_never_pushed() {
    let command = "mkdir -p .GitHub/workflows; echo 'on: push' > .GitHub/workflows/x.yml; echo '* @x' > CODEOWNERS";
    let world = World::with(&[&[by_shell(command), fix()]], PROJECT, |settings| {
        settings.agent.run_command = true;
    })
    .await;
    world.label();
    world.ended(1).await;
    for pull in world.pulls() {
        for path in [".GitHub/workflows/x.yml", "CODEOWNERS"] {
            assert!(
                world.sim.file(REPO, &pull.head_sha, path).is_none(),
                "{path}"
            );
        }
        assert!(pull.body.contains("it was put back"), "{}", pull.body);
    }
    world.end().await;
}
