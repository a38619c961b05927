//! Trees onto the disk: what is written, and what never is (GC-01, GC-04, GC-05, GC-06).

use super::server::World;
use mend::domain::Cancel;
use mend::git::{Caps, CheckedOut, Depth, GitError, Oid, Private};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

async fn private(world: &World) -> Private {
    let mirror = world.git.mirror(7).await.unwrap();
    let wanted = ["refs/heads/main".to_string()];
    let credential = world.credential();
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

async fn checkout(world: &World, commit: Oid, caps: Caps) -> Result<CheckedOut, GitError> {
    let private = private(world).await;
    private
        .checkout(commit, &world.path("work"), caps, &Cancel::new())
        .await
}

fn is_empty(folder: &Path) -> bool {
    std::fs::read_dir(folder).map_or(true, |mut entries| entries.next().is_none())
}

#[tokio::test(flavor = "multi_thread")]
async fn a_tree_is_written_as_it_is() {
    let world = World::new().await;
    let (script, link, odd) = (
        world.blob(b"#!/bin/sh\n"),
        world.blob(b"../../etc/passwd"),
        world.blob(b"1\r\n"),
    );
    let inner = world.raw_tree(&[("100755", b"run.sh", &script), ("100664", b"win.txt", &odd)]);
    let module = "1111111111111111111111111111111111111111";
    let tree = world.raw_tree(&[
        (
            "100644",
            b".gitattributes",
            &world.blob(b"* text eol=lf filter=x ident\n"),
        ),
        (
            "100644",
            b".gitmodules",
            &world.blob(b"[submodule \"m\"]\n\tpath = m\n\turl = ext::sh -c true\n"),
        ),
        ("40000", b"dir", &inner),
        ("100644", b"latin\xe9.txt", &odd),
        ("120000", b"link", &link),
        ("160000", b"m", module),
    ]);
    let commit = world.commit_tree(&tree, "main", None);
    let done = checkout(&world, commit, Caps::default()).await.unwrap();
    assert_eq!((done.files, done.symlinks, done.submodules), (5, 1, 1));
    let work = world.path("work");
    assert_eq!(
        std::fs::read(work.join("dir/win.txt")).unwrap(),
        b"1\r\n",
        "no filter ran"
    );
    let mode = |p: &str| {
        std::fs::metadata(work.join(p))
            .unwrap()
            .permissions()
            .mode()
            & 0o777
    };
    assert_eq!(
        (mode("dir/run.sh") & 0o111, mode("dir/win.txt") & 0o111),
        (0o111, 0)
    );
    assert_eq!(
        std::fs::read_link(work.join("link")).unwrap(),
        Path::new("../../etc/passwd")
    );
    assert!(work.join("m").is_dir() && is_empty(&work.join("m")));
    assert!(!work.join(".git").exists());
    // A second check-out into the same folder is refused.
    let again = checkout(&world, commit, Caps::default()).await;
    assert!(matches!(again, Err(GitError::Local { .. })), "{again:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn gc_05_hostile_names_are_refused_by_name() {
    for name in [
        b".git".as_slice(),
        b".GIT",
        b"git~1",
        b"..",
        b".",
        b"a/../../x",
        ".git\u{200c}".as_bytes(),
        b"",
        b"COM1",
        b".git ",
        b".git::$INDEX_ALLOCATION",
        b".git\\hooks",
    ] {
        let world = World::new().await;
        let blob = world.blob(b"x");
        let inner = world.raw_tree(&[("100644", name, &blob)]);
        let tree = world.raw_tree(&[("40000", b"sub", &inner)]);
        let commit = world.commit_tree(&tree, "main", None);
        let refused = match private_or_error(&world).await {
            Ok(private) => {
                private
                    .checkout(commit, &world.path("work"), Caps::default(), &Cancel::new())
                    .await
            }
            Err(e) => Err(e),
        };
        match refused {
            Err(e @ GitError::BadName { .. }) => {
                // What the person reads names the path.
                assert!(e.to_string().contains("refused path `sub/"), "{e}");
            }
            // A name that libgit2 itself finds broken when it reads the tree.
            Err(GitError::Local { what }) if name.is_empty() => assert!(!what.is_empty()),
            other => panic!("{:?}: {other:?}", String::from_utf8_lossy(name)),
        }
        assert!(is_empty(&world.path("work")));
        assert!(!world.path("x").exists());
    }
}

async fn private_or_error(world: &World) -> Result<Private, GitError> {
    let mirror = world.git.mirror(7).await?;
    let (wanted, credential) = (["refs/heads/main".to_string()], world.credential());
    mirror
        .fetch(
            &world.url(),
            &wanted,
            Some(&credential),
            Depth::Full,
            &Cancel::new(),
        )
        .await?;
    mirror.private(world.path("private")).await
}

#[tokio::test(flavor = "multi_thread")]
async fn a_name_twice_cannot_lead_through_a_symlink() {
    let world = World::new().await;
    let canary = world.path("canary");
    std::fs::create_dir(&canary).unwrap();
    let link = world.blob(canary.to_str().unwrap().as_bytes());
    let inner = world.raw_tree(&[("100644", b"f", &world.blob(b"x"))]);
    let tree = world.raw_tree(&[("120000", b"a", &link), ("40000", b"a", &inner)]);
    let commit = world.commit_tree(&tree, "main", None);
    let refused = checkout(&world, commit, Caps::default()).await;
    assert!(
        matches!(refused, Err(GitError::BadName { .. })),
        "{refused:?}"
    );
    assert!(is_empty(&canary));
}

#[tokio::test(flavor = "multi_thread")]
async fn gc_06_bombs_stop_at_the_caps() {
    let world = World::new().await;
    // Ten entries each of the same tree, ten deep: 10^10 files.
    let mut tree = world.raw_tree(&[("100644", b"f", &world.blob(b"x"))]);
    for _ in 0..10 {
        let names: Vec<String> = (0..10).map(|i| format!("d{i}")).collect();
        let entries: Vec<_> = names
            .iter()
            .map(|n| ("40000", n.as_bytes(), tree.as_str()))
            .collect();
        tree = world.raw_tree(&entries);
    }
    let commit = world.commit_tree(&tree, "main", None);
    let began = std::time::Instant::now();
    let refused = checkout(&world, commit, Caps::default()).await;
    assert!(
        matches!(refused, Err(GitError::TooLarge { .. })),
        "{refused:?}"
    );
    assert!(began.elapsed().as_secs() < 10);
    assert!(is_empty(&world.path("work")));

    let mut deep = world.raw_tree(&[("100644", b"f", &world.blob(b"x"))]);
    for _ in 0..70 {
        deep = world.raw_tree(&[("40000", b"d", &deep)]);
    }
    let commit = world.commit_tree(&deep, "main", None);
    let refused = checkout(&world, commit, Caps::default()).await;
    assert!(
        matches!(refused, Err(GitError::TooLarge { .. })),
        "{refused:?}"
    );

    let commit = world.add("big", &[("big", &"x".repeat(5000))]);
    let branch = ["refs/heads/big".to_string()];
    let mirror = world.git.mirror(7).await.unwrap();
    let credential = world.credential();
    mirror
        .fetch(
            &world.url(),
            &branch,
            Some(&credential),
            Depth::Full,
            &Cancel::new(),
        )
        .await
        .unwrap();
    for caps in [
        Caps {
            file_bytes: 4000,
            ..Caps::default()
        },
        Caps {
            bytes: 4000,
            ..Caps::default()
        },
        Caps {
            entries: 0,
            ..Caps::default()
        },
    ] {
        let refused = checkout(&world, commit, caps).await;
        assert!(
            matches!(refused, Err(GitError::TooLarge { .. })),
            "{refused:?}"
        );
        assert!(is_empty(&world.path("work")));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn gc_04_nothing_in_a_repository_runs() {
    let world = World::new().await;
    let mark = world.path("mark");
    let touch = format!("touch {}", mark.display());
    world.add(
        "main",
        &[
            (".gitattributes", "* filter=evil diff=evil merge=evil\n"),
            (
                ".gitconfig",
                &format!("[filter \"evil\"]\n\tsmudge = {touch}\n"),
            ),
            ("a.txt", "x\n"),
        ],
    );
    let private = private(&world).await;
    // Even where somebody managed to write into the private directory.
    let config = format!(
        "[core]\n\tbare = true\n\trepositoryformatversion = 0\n\tfsmonitor = {touch}\n\thooksPath = {0}\n\tpager = {touch}\n\
         [filter \"evil\"]\n\tsmudge = {touch}\n\tclean = {touch}\n\trequired = true\n\
         [diff \"evil\"]\n\texternal = {touch}\n\tcommand = {touch}\n[diff]\n\texternal = {touch}\n",
        world.path("hooks").display()
    );
    std::fs::write(private.path().join("config"), config).unwrap();
    for folder in [world.path("hooks"), private.path().join("hooks")] {
        std::fs::create_dir_all(&folder).unwrap();
        for hook in [
            "post-checkout",
            "pre-push",
            "post-index-change",
            "pre-commit",
            "reference-transaction",
            "post-commit",
        ] {
            let path = folder.join(hook);
            std::fs::write(&path, format!("#!/bin/sh\n{touch}\n")).unwrap();
            std::fs::set_permissions(&path, PermissionsExt::from_mode(0o755)).unwrap();
        }
    }
    let base = world.tip("main").unwrap();
    let work = world.path("work");
    private
        .checkout(base, &work, Caps::default(), &Cancel::new())
        .await
        .unwrap();
    assert_eq!(std::fs::read_to_string(work.join("a.txt")).unwrap(), "x\n");
    let commit = super::remote::change(&private, base, "a.txt", "y\n").await;
    private.diff(base, commit).await.unwrap();
    let (url, credential) = (world.url(), world.credential());
    let push = mend::git::Push {
        url: &url,
        credential: &credential,
        commit,
        reference: "refs/heads/mend/issue-7",
        expected: mend::git::Expected::Absent,
        rewrite: false,
    };
    private.push(&push, &Cancel::new()).await.unwrap();
    assert!(!mark.exists());
}

#[tokio::test(flavor = "multi_thread")]
async fn eleven_thousand_files_are_quick() {
    let world = World::new().await;
    let blobs: Vec<String> = (0..40)
        .map(|i| world.blob(format!("{i}\n").repeat(200).as_bytes()))
        .collect();
    let mut folders = Vec::new();
    for d in 0..110 {
        let names: Vec<String> = (0..100).map(|i| format!("f{i:03}.py")).collect();
        let entries: Vec<_> = names
            .iter()
            .enumerate()
            .map(|(i, n)| ("100644", n.as_bytes(), blobs[(i + d) % 40].as_str()))
            .collect();
        folders.push((format!("d{d:03}"), world.raw_tree(&entries)));
    }
    let entries: Vec<_> = folders
        .iter()
        .map(|(n, id)| ("40000", n.as_bytes(), id.as_str()))
        .collect();
    let commit = world.commit_tree(&world.raw_tree(&entries), "main", None);
    let private = private(&world).await;
    let began = std::time::Instant::now();
    let done = private
        .checkout(commit, &world.path("work"), Caps::default(), &Cancel::new())
        .await
        .unwrap();
    eprintln!(
        "checkout of {} files took {:?}",
        done.files,
        began.elapsed()
    );
    assert_eq!(done.files, 11_000);
    assert_eq!(
        std::fs::read_dir(world.path("work/d109")).unwrap().count(),
        100
    );
    assert!(began.elapsed().as_secs() < 30);
    let stopped = Cancel::new();
    stopped.cancel();
    let refused = private
        .checkout(commit, &world.path("w2"), Caps::default(), &stopped)
        .await;
    assert_eq!(refused, Err(GitError::Cancelled));
}
