//! Mistakes with a project, as its people see them.

use super::{said, tells};
use crate::onboard::Place;
use crate::program::{Base, Site, fixing};
use crate::world::{REPO, WRITER};
use std::path::Path;
use std::process::{Command, Output};
use std::time::Duration;

fn check(folder: &Path, what: &str) -> Output {
    Command::new(env!("CARGO_BIN_EXE_mend"))
        .args(["check", what])
        .arg(folder)
        .output()
        .unwrap()
}

#[test]
fn m_16_the_runner_is_unknown() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(
        folder.path().join("main.cob"),
        "       IDENTIFICATION DIVISION.\n",
    )
    .unwrap();
    let (code, text) = said(&check(folder.path(), "detect"));
    assert_eq!(code, 3, "{text}");
    tells(
        &text,
        &[
            "no check found",
            "write the command that tests the project into `.github/mend.toml`, for example: check = \"make test\"",
        ],
    );
}

/// A task on the project as it is now; the pull request's body.
async fn published(site: &Site) -> String {
    let mut serve = site.start("one", "all", &[]);
    site.listens().await;
    site.label();
    let store = site.store("one").await;
    site.ended(&store, 1).await;
    store.close().await;
    serve.kill();
    let pulls = site.sim.pulls(REPO);
    assert_eq!(pulls.len(), 1, "{}", site.logs());
    pulls[0].body.clone()
}

// git talks to the GitHub of this process.
#[tokio::test(flavor = "multi_thread")]
async fn m_17_a_private_submodule() {
    let site = Site::new(Base::Sqlite, fixing(Duration::ZERO).await).await;
    let clone = site.folder.path().join("clone");
    let url = site.sim.base_url().replace("http://", "");
    let token = site.sim.person_token(WRITER);
    let git = |arguments: &[&str]| {
        let done = Command::new("git")
            .args(["-c", "user.name=ada", "-c", "user.email=ada@example.com"])
            .args(arguments)
            .current_dir(site.folder.path())
            .output()
            .unwrap();
        assert!(
            done.status.success(),
            "{}",
            String::from_utf8_lossy(&done.stderr)
        );
    };
    let to = clone.to_str().unwrap();
    git(&[
        "clone",
        "-q",
        &format!("http://ada:{token}@{url}/{REPO}.git"),
        to,
    ]);
    let modules =
        "[submodule \"vendored\"]\n\tpath = vendored\n\turl = https://git.example/private.git\n";
    std::fs::write(clone.join(".gitmodules"), modules).unwrap();
    git(&["-C", to, "add", ".gitmodules"]);
    let entry = "160000,1111111111111111111111111111111111111111,vendored";
    git(&["-C", to, "update-index", "--add", "--cacheinfo", entry]);
    git(&["-C", to, "commit", "-qm", "A submodule"]);
    git(&["-C", to, "push", "-q"]);
    let body = published(&site).await;
    tells(&body, &["vendored", "git.submodules"]);
}

#[tokio::test]
async fn m_18_files_of_git_lfs() {
    let site = Site::new(Base::Sqlite, fixing(Duration::ZERO).await).await;
    let pointer = format!(
        "version https://git-lfs.github.com/spec/v1\noid sha256:{}\nsize 12345\n",
        "4d7a".repeat(16)
    );
    let files = [("data/model.bin", pointer.as_str())];
    site.sim.push(REPO, "main", WRITER, "Data", files).unwrap();
    let body = published(&site).await;
    tells(
        &body,
        &[
            "files of Git LFS stay pointers",
            "data/model.bin",
            "git.lfs",
        ],
    );
}

#[tokio::test]
async fn m_19_a_huge_repository() {
    let place = Place::new().await;
    place.sim.set_size(REPO, 5 << 20);
    let seen = place.doctor().await;
    tells(
        &seen.one("size"),
        &[
            "warning: acme/adder has 5 GiB",
            "give `server.state_dir` room for it",
        ],
    );
}

#[tokio::test]
async fn m_20_a_bad_mend_toml() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::create_dir(folder.path().join(".github")).unwrap();
    std::fs::write(
        folder.path().join(".github/mend.toml"),
        "chek = \"make test\"\n",
    )
    .unwrap();
    let (code, text) = said(&check(folder.path(), "detect"));
    assert_eq!(code, 2, "{text}");
    tells(
        &text,
        &[".github/mend.toml: unknown key `chek`, did you mean `check`?"],
    );

    // On GitHub the issue says so, and no pull request is made.
    let site = Site::new(Base::Sqlite, fixing(Duration::ZERO).await).await;
    let files = [(".github/mend.toml", "chek = \"make test\"\n")];
    site.sim
        .push(REPO, "main", WRITER, "Settings", files)
        .unwrap();
    let mut serve = site.start("one", "all", &[]);
    site.listens().await;
    let issue = site.label();
    let store = site.store("one").await;
    site.ended(&store, 1).await;
    store.close().await;
    serve.kill();
    assert!(site.sim.pulls(REPO).is_empty());
    let told = &site.own_comments(REPO, issue)[0].body;
    tells(told, &["chek", "did you mean", "`check`"]);
}
