//! Commits that are built from changes, and what can be read out of a history.

use super::server::{World, git};
use mend::domain::Cancel;
use mend::git::{Depth, GitError, NewCommit, Oid, PathStatus, Private, Signer, TreeChange};

async fn start(files: &[(&str, &str)]) -> (World, Oid, Private) {
    let world = World::new().await;
    let base = world.add("main", files);
    let private = borrow(&world).await;
    (world, base, private)
}

async fn borrow(world: &World) -> Private {
    let mirror = world.git.mirror(7).await.unwrap();
    let (wanted, credential) = (["refs/heads/main".to_string()], world.credential());
    mirror
        .fetch(
            &world.url(),
            &wanted,
            Some(&credential),
            Depth::Full,
            &Cancel::new(),
        )
        .await
        .unwrap();
    mirror.private(world.path("private")).await.unwrap()
}

fn put(path: &str, text: &str, mode: u32) -> TreeChange {
    TreeChange {
        path: path.into(),
        content: Some((text.into(), mode)),
    }
}

fn drop(path: &str) -> TreeChange {
    TreeChange {
        path: path.into(),
        content: None,
    }
}

fn new(parent: Oid, changes: Vec<TreeChange>) -> NewCommit {
    NewCommit {
        parent,
        changes,
        message: "Fix the thing\n\nBecause.\n".into(),
        author: Signer {
            name: "mend[bot]".into(),
            email: "1+mend[bot]@users.noreply.github.com".into(),
        },
        committer: Signer {
            name: "mend".into(),
            email: "mend@example.com".into(),
        },
        time: 1_790_000_000,
        allow_empty: false,
    }
}

fn list(private: &Private, commit: Oid) -> Vec<String> {
    git(
        private.path(),
        &["ls-tree", "-r", "-t", &commit.to_string()],
    )
    .lines()
    .map(|l| {
        let (meta, name) = l.split_once('\t').unwrap();
        format!("{} {name}", &meta[..6])
    })
    .collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_tree_is_rewritten_path_by_path() {
    let (_world, base, private) = start(&[
        ("a/b/c", "1\n"),
        ("a/b/d", "2\n"),
        ("e", "3\n"),
        ("f/g", "4\n"),
    ])
    .await;
    let changes = vec![
        put("a/b/c", "one\n", 0o755),
        drop("a/b/d"),
        drop("f/g"),
        put("f", "now a file\n", 0o644),
        drop("e"),
        put("e/deep/er", "now a folder\n", 0o664),
        put("link", "a/b/c", 0o120777),
        drop("not/there"),
    ];
    let commit = private.commit(new(base, changes)).await.unwrap().unwrap();
    assert_eq!(
        list(&private, commit),
        [
            "100644 README",
            "040000 a",
            "040000 a/b",
            "100755 a/b/c",
            "040000 e",
            "040000 e/deep",
            "100644 e/deep/er",
            "100644 f",
            "120000 link",
        ]
    );
    git(private.path(), &["fsck", "--strict"]);
    let head = git(
        private.path(),
        &[
            "log",
            "-1",
            "--format=%an|%ae|%cn|%ct|%P|%B",
            "refs/mend/result",
        ],
    );
    assert_eq!(
        head.trim_end(),
        format!(
            "mend[bot]|1+mend[bot]@users.noreply.github.com|mend|1790000000|{base}|Fix the thing\n\nBecause."
        )
    );
    let paths: Vec<_> = private
        .changed_paths(base, commit)
        .await
        .unwrap()
        .into_iter()
        .map(|p| (p.path, p.status))
        .collect();
    let said = |p: &str| paths.iter().find(|(path, _)| path == p).unwrap().1;
    assert_eq!(said("a/b/c"), PathStatus::Changed);
    assert_eq!(said("a/b/d"), PathStatus::Removed);
    assert_eq!(said("link"), PathStatus::Added);
    assert_eq!(paths.len(), 7);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_diff_is_one_that_git_applies() {
    let (world, base, private) =
        start(&[("a", "1\n2\n3\n"), ("gone", "x\n"), ("run", "y\n")]).await;
    let changes = vec![
        put("a", "1\ntwo\n3", 0o644),
        drop("gone"),
        put("run", "y\n", 0o755),
        put("new dir/file", "z\n", 0o644),
    ];
    let commit = private.commit(new(base, changes)).await.unwrap().unwrap();
    let diff = private.diff(base, commit).await.unwrap();
    assert!(diff.contains("\n-2\n-3\n+two\n+3\n"), "{diff}");
    assert!(diff.contains("\\ No newline at end of file"), "{diff}");
    let work = world.path("work");
    private
        .checkout(base, &work, Default::default(), &Cancel::new())
        .await
        .unwrap();
    std::fs::write(world.path("patch"), &diff).unwrap();
    git(&work, &["init", "-q"]);
    git(&work, &["add", "-A"]);
    git(&work, &["apply", "--index", "../patch"]);
    // What is applied is what was committed.
    git(&work, &["add", "-A"]);
    assert_eq!(
        git(&work, &["write-tree"]).trim(),
        private.tree_of(commit).await.unwrap().to_string()
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn what_does_not_change_is_no_commit() {
    let (_world, base, private) = start(&[("a", "1\n")]).await;
    let same = private
        .commit(new(base, vec![put("a", "1\n", 0o644), drop("none")]))
        .await
        .unwrap();
    assert_eq!(same, None);
    let mut empty = new(base, Vec::new());
    empty.allow_empty = true;
    let id = private.commit(empty).await.unwrap().unwrap();
    assert_eq!(
        private.tree_of(id).await.unwrap(),
        private.tree_of(base).await.unwrap()
    );
    let all = private
        .commit(new(base, vec![drop("a"), drop("README")]))
        .await
        .unwrap()
        .unwrap();
    assert!(list(&private, all).is_empty());
}

#[tokio::test(flavor = "multi_thread")]
async fn bad_changes_are_refused() {
    let world = World::new().await;
    let inner = world.raw_tree(&[("100644", b"f", &world.blob(b"x"))]);
    let module = "1111111111111111111111111111111111111111";
    let tree = world.raw_tree(&[("40000", b"d", &inner), ("160000", b"m", module)]);
    let base = world.commit_tree(&tree, "main", None);
    let private = borrow(&world).await;
    for changes in [
        vec![put(".git/config", "x", 0o644)],
        vec![put("a/.GIT/hooks/x", "x", 0o644)],
        vec![put("../x", "x", 0o644)],
        vec![put("/etc/x", "x", 0o644)],
        vec![put("", "x", 0o644)],
        vec![put("m/x", "x", 0o644)],
        vec![put("m", "x", 0o644)],
        vec![drop("m")],
        vec![put("d", "x", 0o644)],
        vec![drop("d")],
        vec![put("n", "x", 0o644), put("n", "y", 0o644)],
        vec![put("n", "x", 0o644), put("n/o", "y", 0o644)],
    ] {
        let refused = private.commit(new(base, changes.clone())).await;
        assert!(
            matches!(refused, Err(GitError::BadName { .. })),
            "{changes:?} {refused:?}"
        );
    }
    // The submodule's commit survives a change elsewhere (GC-01).
    let commit = private
        .commit(new(base, vec![put("d/f", "y", 0o644)]))
        .await
        .unwrap()
        .unwrap();
    assert_eq!(
        git(private.path(), &["ls-tree", &commit.to_string(), "m"]).trim(),
        format!("160000 commit {module}\tm")
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn history_tells_whose_commits_lie_between() {
    let (world, base, private) = start(&[("a", "1\n")]).await;
    let ours = private
        .commit(new(base, vec![put("a", "2\n", 0o644)]))
        .await
        .unwrap()
        .unwrap();
    let more = private
        .commit(new(ours, vec![put("a", "3\n", 0o644)]))
        .await
        .unwrap()
        .unwrap();
    let between = private.commits_between(base, more, 10).await.unwrap();
    assert_eq!(
        between.iter().map(|c| c.id).collect::<Vec<_>>(),
        [more, ours]
    );
    assert!(between.iter().all(|c| c.author_email.contains("mend[bot]")));
    assert_eq!(between[0].summary, "Fix the thing");
    assert_eq!(between[0].parents, [ours]);
    assert!(private.is_ancestor(base, more).await.unwrap());
    assert!(private.is_ancestor(more, more).await.unwrap());
    assert!(!private.is_ancestor(more, base).await.unwrap());
    let unknown: Oid = "2222222222222222222222222222222222222222".parse().unwrap();
    assert!(!private.is_ancestor(unknown, base).await.unwrap());
    assert_eq!(private.merge_base(ours, more).await.unwrap(), Some(ours));
    let many = private.commits_between(base, more, 1).await;
    assert!(matches!(many, Err(GitError::TooLarge { .. })), "{many:?}");
    assert!(matches!(
        private.diff(base, unknown).await,
        Err(GitError::Gone { .. })
    ));
    // Files of a commit, for the repository's own settings.
    world.add("main", &[(".github/mend.toml", "check = 'x'\n")]);
    let private = borrow(&world).await;
    let tip = world.tip("main").unwrap();
    let read = async |path, most| private.read_file_at(tip, path, most).await;
    assert_eq!(
        read(".github/mend.toml", 100).await.unwrap().unwrap(),
        b"check = 'x'\n"
    );
    assert_eq!(read(".github/other.toml", 100).await.unwrap(), None);
    assert_eq!(read(".github", 100).await.unwrap(), None);
    assert!(matches!(
        read(".github/mend.toml", 3).await,
        Err(GitError::TooLarge { .. })
    ));
}
