//! Submodules and files of Git LFS (GC-01): from hosts that the operator names, and from no other.

use super::server::{World, git, token};
use mend::domain::{AllowedHost, Cancel};
use mend::git::{
    Bringing, Caps, Credential, Depth, GitError, GitSettings, NewCommit, Oid, Private,
};
use mend::git::{Signer, TreeChange};
use sha2::{Digest, Sha256};
use std::path::PathBuf;

/// The server itself is the one host that is allowed.
fn ours(settings: &GitSettings) -> Vec<AllowedHost> {
    let host = settings.base.trim_start_matches("http://");
    vec![AllowedHost::parse(host).unwrap()]
}

/// Checks out `commit` and brings the rest; where, from what, and what was said.
async fn brought(world: &World, commit: Oid) -> (PathBuf, Private, Vec<String>) {
    let (url, cancel) = (world.url(), Cancel::new());
    let credential = Credential::token(token().into());
    let mirror = world.git.mirror(7).await.unwrap();
    let wanted = ["refs/heads/main".to_string()];
    let fetched = mirror.fetch(&url, &wanted, Some(&credential), Depth::Full, &cancel);
    fetched.await.unwrap();
    let private = mirror.private(world.path("private")).await.unwrap();
    let folder = world.path("work");
    let done = private.checkout(commit, &folder, Caps::default(), &cancel);
    let done = done.await.unwrap();
    world.requests();
    let bringing = Bringing {
        private: &private,
        url: &url,
        credential: Some(&credential),
        commit,
        folder: &folder,
    };
    let said = bringing
        .rest(&done, Caps::default(), &cancel)
        .await
        .unwrap();
    (folder, private, said)
}

async fn commit(private: &Private, parent: Oid, path: &str) -> Result<Option<Oid>, GitError> {
    let signer = Signer {
        name: "mend".into(),
        email: "mend@example.com".into(),
    };
    let new = NewCommit {
        parent,
        changes: vec![TreeChange {
            path: path.into(),
            content: Some((b"new\n".to_vec(), 0o644)),
        }],
        message: "work".into(),
        author: signer.clone(),
        committer: signer,
        time: 1,
        allow_empty: false,
    };
    private.commit(new).await
}

/// `main` with submodules of many kinds; only `lib` may come.
fn with_submodules(world: &World) -> Oid {
    let public = world.path("server/public");
    std::fs::create_dir(&public).unwrap();
    let lib = public.join("lib.git");
    git(&public, &["init", "-q", "--bare", "-b", "main", "lib.git"]);
    let alternates = format!("{}\n", world.bare().join("objects").display());
    std::fs::write(lib.join("objects/info/alternates"), alternates).unwrap();
    let nested = "1111111111111111111111111111111111111111";
    let inner = world.raw_tree(&[
        ("100644", b"code.txt", &world.blob(b"from the library\n")),
        ("160000", b"nested", nested),
    ]);
    let module = git(&lib, &["commit-tree", &inner, "-m", "library"]);
    let module = module.trim();
    git(&lib, &["update-ref", "refs/heads/main", module]);
    let newer = git(&lib, &["commit-tree", &inner, "-p", module, "-m", "newer"]);
    git(&lib, &["update-ref", "refs/heads/main", newer.trim()]);
    let base = &world.base;
    let mut text = String::new();
    for (path, url) in [
        ("lib", "../../public/lib.git"),
        ("ext", "ext::sh -c touch% mark"),
        ("file", "file:///etc"),
        ("other", "https://elsewhere.test/x.git"),
        ("plain", "http://127.0.0.1:1/x.git"),
        ("private", &format!("{base}/acme/app.git")),
        ("user", "https://a:b@elsewhere.test/x.git"),
    ] {
        text += &format!("[submodule \"{path}\"]\n\tpath = {path}\n\turl = {url}\n");
    }
    let text = world.blob(text.as_bytes());
    let mut entries: Vec<(&str, &[u8], &str)> = vec![("100644", b".gitmodules", &text)];
    let names: [&[u8]; 7] = [
        b"ext", b"file", b"lib", b"other", b"plain", b"private", b"user",
    ];
    entries.extend(names.map(|name| ("160000", name, module)));
    let tree = world.raw_tree(&entries);
    world.commit_tree(&tree, "main", None)
}

#[tokio::test(flavor = "multi_thread")]
async fn gc_01_submodules_come_only_from_named_hosts_and_without_the_token() {
    let world = World::with(|settings| settings.submodules = ours(settings)).await;
    let base = with_submodules(&world);
    let (work, private, said) = brought(&world, base).await;
    let text = std::fs::read_to_string(work.join("lib/code.txt")).unwrap();
    assert_eq!(text, "from the library\n");
    for empty in [
        "lib/nested",
        "ext",
        "file",
        "other",
        "plain",
        "private",
        "user",
    ] {
        assert_eq!(
            std::fs::read_dir(work.join(empty)).unwrap().count(),
            0,
            "{empty}"
        );
    }
    assert!(!work.join("lib/.git").exists());
    let asked = world.requests();
    assert!(asked.iter().all(|(_, credential)| !credential), "{asked:?}");
    let fetched = |(line, _): &(String, bool)| line.contains("/public/lib.git/git-upload-pack");
    assert!(asked.iter().any(fetched), "{asked:?}");
    assert_eq!(said.len(), 1);
    assert!(
        said[0].starts_with("submodules stay empty folders: `ext` (its address is not https), ")
            && said[0].ends_with(" and 3 more"),
        "{said:?}"
    );
    // The commit keeps them as they are, and takes no file in one.
    let refused = commit(&private, base, "lib/code.txt").await.unwrap_err();
    assert!(
        refused.to_string().contains("it is a submodule"),
        "{refused}"
    );
    let done = commit(&private, base, "new.txt").await.unwrap().unwrap();
    let list = git(private.path(), &["ls-tree", &done.to_string()]);
    assert_eq!(list.matches("160000 commit").count(), 7, "{list}");
}

#[tokio::test(flavor = "multi_thread")]
async fn gc_01_without_a_host_nothing_is_asked() {
    let world = World::new().await;
    let base = with_submodules(&world);
    let (work, _, said) = brought(&world, base).await;
    assert_eq!(std::fs::read_dir(work.join("lib")).unwrap().count(), 0);
    assert_eq!(world.requests(), []);
    assert_eq!(
        said,
        [
            "submodules stay empty folders: `ext`, `file`, `lib` and 4 more; the operator's \
          `git.submodules` names no host"
        ]
    );
}

fn pointer(oid: &str, size: usize) -> String {
    format!("version https://git-lfs.github.com/spec/v1\noid sha256:{oid}\nsize {size}\n")
}

#[tokio::test(flavor = "multi_thread")]
async fn gc_01_files_of_lfs_come_only_from_named_hosts_and_whole() {
    for allowed in [true, false] {
        let world = World::with(|settings| {
            if allowed {
                settings.lfs = ours(settings);
            }
        })
        .await;
        let oid = |bytes: &[u8]| hex::encode(Sha256::digest(bytes));
        let mut files = Vec::new();
        for (path, content, served, host) in [
            (
                "good.bin",
                b"good content",
                Some(&b"good content"[..]),
                None,
            ),
            (
                "long.bin",
                b"long content",
                Some(b"long content and more"),
                None,
            ),
            ("other.bin", b"othe content", Some(b"evil content"), None),
            (
                "away.bin",
                b"away content",
                Some(b"away content"),
                Some("https://elsewhere.test"),
            ),
            ("gone.bin", b"gone content", None, None),
        ] {
            let oid = oid(content);
            files.push((path, pointer(&oid, content.len())));
            if let Some(served) = served {
                let href = format!("{}/files/{oid}", host.unwrap_or(&world.base));
                let mut lfs = world.server.lfs.lock().unwrap();
                lfs.push((oid, href, served.to_vec()));
            }
        }
        let given: Vec<(&str, &str)> = files.iter().map(|(p, t)| (*p, t.as_str())).collect();
        let base = world.add("main", &given);
        let (work, private, said) = brought(&world, base).await;
        for (path, text) in &files {
            let now = std::fs::read_to_string(work.join(path)).unwrap();
            match allowed && *path == "good.bin" {
                true => assert_eq!(now, "good content"),
                false => assert_eq!(now, *text, "{path}"),
            }
        }
        let asked = world.requests();
        if allowed {
            // The repository's server is asked with the token, nothing else is.
            for (line, credential) in &asked {
                assert_eq!(*credential, line.contains("/objects/batch"), "{line}");
            }
            let why = &said[0];
            for part in [
                "`away.bin` (the operator does not allow elsewhere.test:443)",
                "and 1 more",
            ] {
                assert!(why.contains(part), "{why}");
            }
        } else {
            assert_eq!(asked, []);
            assert!(
                said[0].ends_with("; the operator's `git.lfs` names no host"),
                "{said:?}"
            );
        }
        let refused = commit(&private, base, "good.bin").await.unwrap_err();
        assert!(
            refused.to_string().contains("it is a file of Git LFS"),
            "{refused}"
        );
    }
}
