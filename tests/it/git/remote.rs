//! Fetch, push and look-up over HTTP, with everything that a remote can do wrong.

use super::server::{Mischief, World, git, token};
use mend::domain::Cancel;
use mend::git::{
    Credential, Depth, Expected, Git, GitError, GitSettings, NewCommit, Oid, Private, Push, Pushed,
    Signer, TreeChange,
};
use std::path::Path;
use std::time::{Duration, Instant};

const MAIN: &str = "refs/heads/main";
const BRANCH: &str = "refs/heads/mend/issue-7";

async fn fetched(world: &World, depth: Depth) -> (Oid, Private) {
    let mirror = world.git.mirror(7).await.unwrap();
    let wanted = [MAIN.to_string(), BRANCH.to_string()];
    let got = mirror
        .fetch(
            &world.url(),
            &wanted,
            Some(&world.credential()),
            depth,
            &Cancel::new(),
        )
        .await
        .unwrap();
    assert_eq!(got.head.as_deref(), Some(MAIN));
    let private = mirror.private(world.path("private")).await.unwrap();
    (got.refs[MAIN], private)
}

pub async fn change(private: &Private, parent: Oid, path: &str, text: &str) -> Oid {
    let mend = Signer {
        name: "mend[bot]".into(),
        email: "1+mend[bot]@users.noreply.github.com".into(),
    };
    let new = NewCommit {
        parent,
        changes: vec![TreeChange {
            path: path.into(),
            content: Some((text.as_bytes().to_vec(), 0o644)),
        }],
        message: "Fix it\n\nCloses #7\n".into(),
        author: mend.clone(),
        committer: mend,
        time: 1_790_000_000,
        allow_empty: false,
    };
    private.commit(new).await.unwrap().unwrap()
}

async fn push(
    world: &World,
    private: &Private,
    commit: Oid,
    expected: Expected,
    rewrite: bool,
) -> Result<Pushed, GitError> {
    let (url, credential) = (world.url(), world.credential());
    let push = Push {
        url: &url,
        credential: &credential,
        commit,
        reference: BRANCH,
        expected,
        rewrite,
    };
    private.push(&push, &Cancel::new()).await
}

/// Everything beneath a folder, searched for the token in the forms that a leak takes.
fn assert_no_token(folder: &Path) {
    use base64::Engine;
    let encode = |s: String| base64::engine::general_purpose::STANDARD.encode(s);
    let needles = [
        token(),
        encode(token()),
        encode(format!("x-access-token:{}", token())),
    ];
    let mut open = vec![folder.to_path_buf()];
    let mut files = 0;
    while let Some(folder) = open.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                open.push(path);
                continue;
            }
            files += 1;
            let bytes = std::fs::read(&path).unwrap_or_default();
            let text = String::from_utf8_lossy(&bytes);
            for needle in &needles {
                assert!(!text.contains(needle.as_str()), "{}", path.display());
            }
        }
    }
    assert!(files > 5);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_change_goes_from_mirror_to_branch() {
    let world = World::new().await;
    let (base, private) = fetched(&world, Depth::Full).await;
    assert_eq!(world.requests().len(), 2, "one listing and one pack");
    assert_eq!(Some(base), world.tip("main"));
    let commit = change(&private, base, "src/fix.py", "fixed = True\n").await;
    let pushed = push(&world, &private, commit, Expected::Absent, false).await;
    assert_eq!(pushed, Ok(Pushed::Updated));
    assert_eq!(world.tip("mend/issue-7"), Some(commit));
    assert_eq!(
        git(&world.bare(), &["show", &format!("{commit}:src/fix.py")]),
        "fixed = True\n"
    );
    git(&world.bare(), &["fsck", "--strict"]);
    // Again, as after a lost answer: nothing is sent.
    let again = push(&world, &private, commit, Expected::Absent, false).await;
    assert_eq!(again, Ok(Pushed::AlreadyThere));
    // The next task finds the branch, and what is known is not sent again.
    world.requests();
    let mirror = world.git.mirror(7).await.unwrap();
    let wanted = [MAIN.to_string(), BRANCH.to_string()];
    let credential = world.credential();
    let got = mirror
        .fetch(
            &world.url(),
            &wanted,
            Some(&credential),
            Depth::Full,
            &Cancel::new(),
        )
        .await
        .unwrap();
    assert_eq!(got.refs[BRANCH], commit);
    assert_eq!(mirror.resolve(BRANCH).await.unwrap(), Some(commit));
    world.requests();
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
    assert_eq!(world.requests().len(), 1, "a listing, no pack");
    assert_no_token(&world.path("mirrors"));
    assert_no_token(&world.path("private"));
}

#[tokio::test(flavor = "multi_thread")]
async fn the_private_directory_borrows_and_survives_a_restart() {
    let world = World::new().await;
    world.add("main", &[("big", &"x".repeat(100_000))]);
    let (base, private) = fetched(&world, Depth::Full).await;
    let commit = change(&private, base, "a", "1\n").await;
    let packs = std::fs::read_dir(private.path().join("objects/pack")).map_or(0, Iterator::count);
    assert_eq!(packs, 0, "the mirror's objects are borrowed, not copied");
    assert!(!private.path().join("hooks").exists());
    assert!(!private.path().join("FETCH_HEAD").exists());
    let again = Git::new(GitSettings::new(world.path("mirrors"), world.base.clone())).unwrap();
    let private = again.reopen(world.path("private")).await.unwrap();
    assert!(private.has(commit).await.unwrap());
    assert!(matches!(
        again.reopen(world.path("none")).await,
        Err(GitError::Gone { .. })
    ));
}

#[tokio::test(flavor = "multi_thread")]
async fn the_branch_of_somebody_else_is_never_overwritten() {
    let world = World::new().await;
    let (base, private) = fetched(&world, Depth::Full).await;
    let ours = change(&private, base, "a", "1\n").await;
    let theirs = world.add("mend/issue-7", &[("theirs", "2\n")]);
    for (expected, rewrite) in [
        (Expected::Absent, false),
        (Expected::At(base), false),
        (Expected::At(base), true),
    ] {
        let refused = push(&world, &private, ours, expected, rewrite).await;
        assert!(
            matches!(refused, Err(GitError::Rejected { .. })),
            "{refused:?}"
        );
        assert_eq!(world.tip("mend/issue-7"), Some(theirs));
    }
    // The branch that stands where it is expected may be replaced, when that is asked for.
    let refused = push(&world, &private, ours, Expected::At(theirs), false).await;
    assert!(
        matches!(refused, Err(GitError::Rejected { .. })),
        "{refused:?}"
    );
    let done = push(&world, &private, ours, Expected::At(theirs), true).await;
    assert_eq!(done, Ok(Pushed::Updated));
    assert_eq!(world.tip("mend/issue-7"), Some(ours));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_branch_that_moves_during_the_push_wins() {
    let world = World::new().await;
    let (base, private) = fetched(&world, Depth::Full).await;
    let ours = change(&private, base, "a", "1\n").await;
    // The remote moves after its listing and before it takes the pack.
    let hook = world.bare().join("hooks/pre-receive");
    std::fs::create_dir_all(hook.parent().unwrap()).unwrap();
    let script = format!("#!/bin/sh\nunset GIT_QUARANTINE_PATH\ngit update-ref {BRANCH} {base}\n");
    std::fs::write(&hook, script).unwrap();
    std::fs::set_permissions(&hook, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    let refused = push(&world, &private, ours, Expected::Absent, false).await;
    assert!(
        matches!(refused, Err(GitError::Rejected { .. })),
        "{refused:?}"
    );
    assert_eq!(world.tip("mend/issue-7"), Some(base));
}

#[tokio::test(flavor = "multi_thread")]
async fn the_remotes_refusal_is_told() {
    let world = World::new().await;
    let (base, private) = fetched(&world, Depth::Full).await;
    let ours = change(&private, base, "a", "1\n").await;
    let hook = world.bare().join("hooks/update");
    std::fs::create_dir_all(hook.parent().unwrap()).unwrap();
    std::fs::write(&hook, "#!/bin/sh\nexit 1\n").unwrap();
    std::fs::set_permissions(&hook, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    match push(&world, &private, ours, Expected::Absent, false).await {
        Err(GitError::Rejected { reason, .. }) => assert!(reason.contains("hook"), "{reason}"),
        other => panic!("{other:?}"),
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn only_mends_branches_are_pushed() {
    let world = World::new().await;
    let (base, private) = fetched(&world, Depth::Full).await;
    let ours = change(&private, base, "a", "1\n").await;
    world.requests();
    let (url, credential) = (world.url(), world.credential());
    for reference in [
        MAIN,
        "refs/tags/mend/x",
        "mend/issue-7",
        "refs/heads/mend/../main",
        "refs/heads/mend/",
    ] {
        let push = Push {
            url: &url,
            credential: &credential,
            commit: ours,
            reference,
            expected: Expected::At(base),
            rewrite: true,
        };
        let refused = private.push(&push, &Cancel::new()).await;
        assert!(
            matches!(refused, Err(GitError::Rejected { .. })),
            "{reference} {refused:?}"
        );
    }
    assert!(world.requests().is_empty());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_lost_answer_is_found_out() {
    let world = World::new().await;
    let (base, private) = fetched(&world, Depth::Full).await;
    let ours = change(&private, base, "a", "1\n").await;
    world.mischief(Mischief::LostAnswer);
    let lost = push(&world, &private, ours, Expected::Absent, false).await;
    assert!(lost.as_ref().is_err_and(GitError::is_transient), "{lost:?}");
    world.mischief(Mischief::None);
    let credential = world.credential();
    let seen = world
        .git
        .ls_remote(&world.url(), Some(&credential), &Cancel::new())
        .await
        .unwrap();
    assert_eq!(seen.heads[BRANCH], ours);
    assert_eq!(seen.head.as_deref(), Some(MAIN));
    let again = push(&world, &private, ours, Expected::Absent, false).await;
    assert_eq!(again, Ok(Pushed::AlreadyThere));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_wrong_token_is_tried_once() {
    let world = World::new().await;
    let wrong = Credential::token("ghs_wrong".to_string().into());
    let mirror = world.git.mirror(7).await.unwrap();
    let refused = mirror
        .fetch(
            &world.url(),
            &[MAIN.into()],
            Some(&wrong),
            Depth::Full,
            &Cancel::new(),
        )
        .await;
    assert!(matches!(refused, Err(GitError::Auth { .. })), "{refused:?}");
    assert_eq!(world.requests().len(), 1);
    for text in [
        format!("{refused:?}"),
        refused.unwrap_err().to_string(),
        format!("{wrong:?}"),
    ] {
        assert!(!text.contains("ghs_wrong"), "{text}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn answers_have_their_classes() {
    let world = World::new().await;
    let mirror = world.git.mirror(7).await.unwrap();
    let ask = async |what| {
        world.mischief(what);
        let credential = world.credential();
        let result = mirror
            .fetch(
                &world.url(),
                &[MAIN.into()],
                Some(&credential),
                Depth::Full,
                &Cancel::new(),
            )
            .await;
        result.unwrap_err()
    };
    assert!(matches!(
        ask(Mischief::Status(404)).await,
        GitError::Gone { .. }
    ));
    assert!(matches!(
        ask(Mischief::Status(403)).await,
        GitError::Auth { .. }
    ));
    for status in [429, 500, 502, 503] {
        assert!(ask(Mischief::Status(status)).await.is_transient());
    }
    assert!(matches!(
        ask(Mischief::Html).await,
        GitError::Refused { .. }
    ));
    world.requests();
    assert_eq!(world.requests().len(), 0);
    // Nobody listens.
    let git = Git::new(GitSettings::new(world.path("m2"), "http://127.0.0.1:1")).unwrap();
    let url = git.url(&"acme/app".parse().unwrap());
    let down = git.ls_remote(&url, None, &Cancel::new()).await.unwrap_err();
    assert!(down.is_transient(), "{down}");
    // TLS is spoken, and fails cleanly where nobody answers in it.
    world.mischief(Mischief::None);
    let port = world.base.rsplit(':').next().unwrap();
    let settings = GitSettings::new(world.path("m2"), format!("https://127.0.0.1:{port}"));
    let git = Git::new(settings).unwrap();
    let url = git.url(&"acme/app".parse().unwrap());
    let down = git.ls_remote(&url, None, &Cancel::new()).await;
    assert!(down.unwrap_err().is_transient());
    assert!(world.requests().is_empty());
}

#[tokio::test(flavor = "multi_thread")]
async fn redirects_and_other_addresses_get_nothing() {
    let (world, sink) = (World::new().await, World::new().await);
    world.redirect_to(&sink.base);
    let mirror = world.git.mirror(7).await.unwrap();
    let (wanted, credential) = ([MAIN.to_string()], world.credential());
    let moved = mirror
        .fetch(
            &world.url(),
            &wanted,
            Some(&credential),
            Depth::Full,
            &Cancel::new(),
        )
        .await;
    assert!(matches!(moved, Err(GitError::Moved { .. })), "{moved:?}");
    let port = world.base.rsplit(':').next().unwrap();
    for url in [
        sink.url(),
        format!("http://localhost:{port}/acme/app.git"),
        format!("https://127.0.0.1:{port}/acme/app.git"),
        format!("http://user:pw@127.0.0.1:{port}/acme/app.git"),
        world.bare().display().to_string(),
        format!("file://{}", world.bare().display()),
        "ssh://git@127.0.0.1/acme/app.git".into(),
        "ext::sh -c true".into(),
    ] {
        let refused = mirror
            .fetch(
                &url,
                &wanted,
                Some(&credential),
                Depth::Full,
                &Cancel::new(),
            )
            .await;
        assert!(
            matches!(refused, Err(GitError::Refused { .. })),
            "{url} {refused:?}"
        );
    }
    // A configuration that rewrites addresses, as in measurement M1 of the security design.
    let config = mirror.path().join("config");
    let text = std::fs::read_to_string(&config).unwrap();
    for key in ["insteadOf", "pushInsteadOf"] {
        let more = format!("[url \"{}/\"]\n\t{key} = {}/\n", sink.base, world.base);
        std::fs::write(
            &config,
            format!("{text}{more}[http]\n\tproxy = {}\n", sink.base),
        )
        .unwrap();
        world.mischief(Mischief::None);
        let result = mirror
            .fetch(
                &world.url(),
                &wanted,
                Some(&credential),
                Depth::Full,
                &Cancel::new(),
            )
            .await;
        assert_eq!(key == "insteadOf", result.is_err(), "{result:?}");
    }
    assert!(sink.requests().is_empty());
}

#[tokio::test(flavor = "multi_thread")]
async fn time_bytes_and_stop_end_a_fetch() {
    let noise: String = (0..60_000u64)
        .map(|i| format!("{:x}", i.wrapping_mul(0x9e37_79b9_7f4a_7c15)))
        .collect();
    let of = async |bytes: u64, seconds: u64| {
        let world = World::with(|s| {
            s.received_bytes = bytes as _;
            s.time = Duration::from_secs(seconds);
        })
        .await;
        world.add("main", &[("noise", &noise)]);
        let mirror = world.git.mirror(7).await.unwrap();
        (world, mirror)
    };
    // Each limit by itself: on a busy machine a fetch may take any time.
    let (world, mirror) = of(100_000, 600).await;
    let (url, wanted, credential) = (world.url(), [MAIN.to_string()], world.credential());
    let (full, cancel) = (Depth::Full, Cancel::new());
    let big = mirror
        .fetch(&url, &wanted, Some(&credential), full, &cancel)
        .await;
    assert!(matches!(big, Err(GitError::TooLarge { .. })), "{big:?}");
    let (world, mirror) = of(100_000_000, 2).await;
    let (url, credential) = (world.url(), world.credential());
    world.mischief(Mischief::Stall);
    let slow = mirror
        .fetch(&url, &wanted, Some(&credential), full, &cancel)
        .await;
    assert!(matches!(slow, Err(GitError::TimedOut { .. })), "{slow:?}");
    let (world, mirror) = of(100_000_000, 600).await;
    let (url, credential) = (world.url(), world.credential());
    world.mischief(Mischief::Stall);
    let stop = cancel.clone();
    tokio::spawn(async move {
        tokio::time::sleep(Duration::from_millis(500)).await;
        stop.cancel();
    });
    let began = Instant::now();
    let stopped = mirror
        .fetch(&url, &wanted, Some(&credential), full, &cancel)
        .await;
    assert_eq!(stopped, Err(GitError::Cancelled));
    assert!(began.elapsed() < Duration::from_secs(300));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_shallow_mirror_serves_a_task() {
    let world = World::new().await;
    for i in 0..5 {
        world.add("main", &[("n", &format!("{i}\n"))]);
    }
    let (base, private) = fetched(&world, Depth::Commits(1)).await;
    let folder = world.path("work");
    private
        .checkout(base, &folder, Default::default(), &Cancel::new())
        .await
        .unwrap();
    assert_eq!(std::fs::read_to_string(folder.join("n")).unwrap(), "4\n");
    let commit = change(&private, base, "n", "fixed\n").await;
    let pushed = push(&world, &private, commit, Expected::Absent, false).await;
    assert_eq!(pushed, Ok(Pushed::Updated));
    git(&world.bare(), &["fsck", "--strict"]);
    // The remote goes on; then somebody wants the whole history.
    let next = world.add("main", &[("n", "next\n")]);
    let (tip, private) = fetched(&world, Depth::Commits(1)).await;
    assert_eq!(tip, next);
    let (tip, private_full) = fetched(&world, Depth::Full).await;
    let all = private_full
        .commits_between(commit, tip, 100)
        .await
        .unwrap();
    assert_eq!(all.len(), 1);
    assert!(private.is_ancestor(base, tip).await.unwrap());
}

#[tokio::test(flavor = "multi_thread")]
async fn fetches_of_one_mirror_queue_up() {
    let world = World::new().await;
    let other = Git::new(GitSettings::new(world.path("mirrors"), world.base.clone())).unwrap();
    let mut tasks = Vec::new();
    for i in 0..8 {
        let git = if i % 2 == 0 {
            world.git.clone()
        } else {
            other.clone()
        };
        let (url, credential) = (world.url(), world.credential());
        tasks.push(tokio::spawn(async move {
            let mirror = git.mirror(7).await?;
            let wanted = [MAIN.to_string()];
            mirror
                .fetch(
                    &url,
                    &wanted,
                    Some(&credential),
                    Depth::Full,
                    &Cancel::new(),
                )
                .await
        }));
    }
    for task in tasks {
        assert_eq!(task.await.unwrap().unwrap().refs.len(), 1);
    }
    let packs = world
        .requests()
        .iter()
        .filter(|(line, _)| line.starts_with("POST"))
        .count();
    assert_eq!(packs, 1, "the others found it there");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_empty_repository_and_a_lost_branch_are_no_surprise() {
    let world = World::new().await;
    world.add("mend/issue-7", &[("a", "b")]);
    fetched(&world, Depth::Full).await;
    let mirror = world.git.mirror(7).await.unwrap();
    assert!(mirror.resolve(BRANCH).await.unwrap().is_some());
    git(&world.bare(), &["update-ref", "-d", BRANCH]);
    // A folder where the branch was, as git allows it then.
    let inner = world.add("mend/issue-7/deeper", &[("a", "b")]);
    fetched(&world, Depth::Full).await;
    assert_eq!(mirror.resolve(BRANCH).await.unwrap(), None);
    let deeper = format!("{BRANCH}/deeper");
    let (credential, wanted) = (world.credential(), [deeper.clone()]);
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
    assert_eq!(mirror.resolve(&deeper).await.unwrap(), Some(inner));
    git(&world.bare(), &["update-ref", "-d", MAIN]);
    git(&world.bare(), &["update-ref", "-d", &deeper]);
    let got = mirror
        .fetch(
            &world.url(),
            &wanted,
            Some(&credential),
            Depth::Full,
            &Cancel::new(),
        )
        .await
        .unwrap();
    assert!(got.refs.is_empty());
}
