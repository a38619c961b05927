//! Files beneath a root, against a tree that hostile code shapes (cases FT-01 to FT-04, GC-02).

use mend::tree::{
    Change, EntryKind, FileKind, RelPath, TempFolder, Tree, TreeError, copy_tree, remove_tree,
    sweep, write_all,
};
use rustix::fs::{AtFlags, CWD, Mode, RenameFlags, chmodat, mkfifoat, renameat_with};
use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::os::unix::net::UnixListener;
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

fn rel(path: &str) -> RelPath {
    RelPath::parse(path).unwrap()
}

/// A work tree beside things that it must not reach.
fn world() -> (tempfile::TempDir, Tree) {
    let dir = tempfile::tempdir().unwrap();
    fs::create_dir_all(dir.path().join("w/1/src")).unwrap();
    fs::create_dir_all(dir.path().join("w/1/.git")).unwrap();
    fs::create_dir_all(dir.path().join("w/10")).unwrap();
    fs::create_dir_all(dir.path().join("canary")).unwrap();
    fs::write(dir.path().join("w/10/s"), "other").unwrap();
    fs::write(dir.path().join("canary/file"), "secret").unwrap();
    fs::write(dir.path().join("w/1/.git/config"), "[core]").unwrap();
    fs::write(dir.path().join("w/1/src/a.txt"), "a\n").unwrap();
    let tree = Tree::open(&dir.path().join("w/1")).unwrap();
    (dir, tree)
}

#[test]
fn ft_02_no_link_leads_out_for_any_operation() {
    let (dir, tree) = world();
    let at = |p: &str| tree.path().join(p);
    let canary = dir.path().join("canary");
    symlink(canary.join("file"), at("l")).unwrap();
    symlink(&canary, at("d")).unwrap();
    symlink("../10", at("up")).unwrap();
    symlink("l", at("chain1")).unwrap();
    symlink("chain1", at("chain2")).unwrap();
    symlink(".git", at("g")).unwrap();
    symlink(".git/config", at("gc")).unwrap();
    symlink("src/../../10", at("dots")).unwrap();
    symlink("loop", at("loop")).unwrap();
    symlink(canary.join("new"), at("dangles-out")).unwrap();
    symlink("nowhere", at("dangles-in")).unwrap();
    symlink("/proc/self/fd", at("magic")).unwrap();
    symlink("/dev/zero", at("zero")).unwrap();
    for path in [
        "l",
        "d/file",
        "d/new",
        "up/s",
        "up/new",
        "chain2",
        "g/config",
        "g/new",
        "gc",
        "dots/s",
        "loop",
        "dangles-out",
        "dangles-in",
        "magic/0",
        "zero",
        "dangles-in/x",
    ] {
        let path = rel(path);
        let errors = [
            tree.read(&path).expect_err(path.as_str()),
            tree.write(&path, b"x", None).expect_err(path.as_str()),
            tree.stat(&path).map(|_| ()).expect_err(path.as_str()),
        ];
        for e in errors {
            assert!(
                matches!(
                    e,
                    TreeError::Outside { .. }
                        | TreeError::Git { .. }
                        | TreeError::Loop { .. }
                        | TreeError::Dangling { .. }
                ),
                "{e:?}"
            );
            let text = e.to_string();
            assert!(!text.contains(dir.path().to_str().unwrap()), "{text}");
        }
    }
    assert!(tree.remove(&rel("d/file")).is_err());
    assert_eq!(fs::read(canary.join("file")).unwrap(), b"secret");
    assert_eq!(fs::read_dir(&canary).unwrap().count(), 1);
    assert_eq!(fs::read_dir(dir.path().join("w/10")).unwrap().count(), 1);
    assert!(!at("nowhere").exists());
    // The link itself may go; what it names stays.
    tree.remove(&rel("l")).unwrap();
    assert_eq!(fs::read(canary.join("file")).unwrap(), b"secret");
}

#[test]
fn a_link_inside_edits_its_target() {
    let (_dir, tree) = world();
    let at = |p: &str| tree.path().join(p);
    symlink("src", at("s")).unwrap();
    symlink("../src/./a.txt", at("src/b.txt")).unwrap();
    assert_eq!(tree.canonical(&rel("s/b.txt")).unwrap(), rel("src/a.txt"));
    tree.write(&rel("s/b.txt"), b"new", None).unwrap();
    assert_eq!(fs::read(at("src/a.txt")).unwrap(), b"new");
    assert!(at("src/b.txt").is_symlink());
    tree.write(&rel("s/deep/er/c.txt"), b"c", None).unwrap();
    assert_eq!(fs::read(at("src/deep/er/c.txt")).unwrap(), b"c");
}

#[test]
fn writing_keeps_the_mode_and_leaves_no_litter() {
    let (_dir, tree) = world();
    let at = |p: &str| tree.path().join(p);
    fs::set_permissions(at("src/a.txt"), fs::Permissions::from_mode(0o751)).unwrap();
    let hard = at("src/hard");
    fs::hard_link(at("src/a.txt"), &hard).unwrap();
    tree.write(&rel("src/a.txt"), b"1", None).unwrap();
    assert_eq!(
        fs::metadata(at("src/a.txt")).unwrap().mode() & 0o7777,
        0o751
    );
    assert_eq!(
        fs::read(&hard).unwrap(),
        b"a\n",
        "another name keeps its content"
    );
    tree.write(&rel("src/n"), b"2", Some(0o4755)).unwrap();
    assert_eq!(fs::metadata(at("src/n")).unwrap().mode() & 0o7777, 0o755);
    tree.write(&rel("src/m"), b"3", None).unwrap();
    assert_eq!(fs::metadata(at("src/m")).unwrap().mode() & 0o7777, 0o644);
    let e = tree.write(&rel("src"), b"x", None).unwrap_err();
    assert!(e.to_string().contains("a folder"), "{e}");
    let e = tree.write(&rel("src/a.txt/x"), b"x", None).unwrap_err();
    assert!(matches!(e, TreeError::NotAFolder { .. }), "{e}");
    let mut names: Vec<_> = fs::read_dir(at("src"))
        .unwrap()
        .map(|e| e.unwrap().file_name())
        .collect();
    names.sort();
    assert_eq!(names, ["a.txt", "hard", "m", "n"]);
    assert_eq!(
        tree.stat(&rel("src")).unwrap().unwrap().kind,
        FileKind::Folder
    );
    assert_eq!(tree.stat(&rel("no/such")).unwrap(), None);
    assert_eq!(tree.stat(&rel("src/a.txt/x")).unwrap(), None);
    let e = tree.remove(&rel("src")).unwrap_err();
    assert!(matches!(e, TreeError::NotAFile { .. }), "{e}");
}

#[test]
fn ft_04_special_and_huge_files_end_at_once() {
    let (_dir, tree) = world();
    let at = |p: &str| tree.path().join(p);
    mkfifoat(CWD, at("p"), Mode::from_raw_mode(0o644)).unwrap();
    let _socket = UnixListener::bind(at("sock")).unwrap();
    fs::File::create(at("big"))
        .unwrap()
        .set_len(1 << 40)
        .unwrap();
    let start = Instant::now();
    for (path, why) in [
        ("p", "FIFO"),
        ("sock", "special file"),
        ("big", "1099511627776"),
        ("src", "folder"),
    ] {
        let e = tree.read(&rel(path)).unwrap_err().to_string();
        assert!(e.contains(why), "{e}");
    }
    assert!(tree.write(&rel("p"), b"x", None).is_err());
    assert!(tree.write(&rel("sock"), b"x", None).is_err());
    assert_eq!(
        tree.stat(&rel("p")).unwrap().unwrap().kind,
        FileKind::Special
    );
    assert!(tree.walk().unwrap().len() >= 4);
    assert!(start.elapsed() < Duration::from_secs(2));
}

/// FT-03 and GC-02: a folder that flickers between itself and a link to the outside.
#[test]
fn ft_03_gc_02_twenty_thousand_swaps_write_nothing_outside() {
    let (dir, tree) = world();
    let canary = dir.path().join("canary");
    let at = |p: &str| tree.path().join(p);
    fs::create_dir(at("d")).unwrap();
    symlink(&canary, at("evil")).unwrap();
    let (d, evil) = (at("d"), at("evil"));
    let done = AtomicBool::new(false);
    let swaps = AtomicU64::new(0);
    let (mut written, mut refused, mut leaked) = (0, 0, None);
    std::thread::scope(|s| {
        s.spawn(|| {
            while !done.load(Ordering::Relaxed) {
                renameat_with(CWD, &d, CWD, &evil, RenameFlags::EXCHANGE).unwrap();
                // Now and then a pause, so that writes meet both states whole as well.
                if swaps.fetch_add(1, Ordering::Relaxed).is_multiple_of(17) {
                    std::thread::sleep(Duration::from_micros(200));
                }
            }
        });
        let target = rel("d/f");
        let fresh = rel("d/sub/g");
        let mut rounds = 0;
        while rounds < 20_000 || swaps.load(Ordering::Relaxed) < 20_000 {
            rounds += 1;
            let path = if rounds % 16 == 0 { &fresh } else { &target };
            match tree.write(path, b"data", None) {
                Ok(()) => written += 1,
                Err(_) => refused += 1,
            }
            if let Ok(bytes) = tree.read(&rel("d/file")) {
                leaked = Some(bytes);
                break;
            }
            if rounds % 16 == 0 {
                let _ = tree.remove(&rel("d/file"));
            }
        }
        done.store(true, Ordering::Relaxed);
    });
    assert_eq!(leaked, None, "read outside");
    assert!(
        written > 100 && refused > 100,
        "{written} written, {refused} refused"
    );
    let left: Vec<_> = fs::read_dir(&canary)
        .unwrap()
        .map(|e| e.unwrap().file_name())
        .collect();
    assert_eq!(left, ["file"], "written outside");
    assert_eq!(fs::read(canary.join("file")).unwrap(), b"secret");
}

#[test]
fn a_batch_is_all_or_nothing() {
    let (dir, tree) = world();
    let at = |p: &str| tree.path().join(p);
    symlink("src/a.txt", at("link")).unwrap();
    fs::write(at("gone.txt"), "gone").unwrap();
    fs::create_dir(at("ro")).unwrap();
    let change = |path: &str, after: Option<&str>| Change {
        path: rel(path),
        after: after.map(|t| t.as_bytes().to_vec()),
        mode: None,
    };
    let before = tree.walk().unwrap();
    // Refused before anything is written.
    symlink(dir.path().join("canary/file"), at("evil")).unwrap();
    let e = write_all(
        &tree,
        &[change("src/a.txt", Some("x")), change("evil", Some("x"))],
    )
    .unwrap_err();
    assert!(matches!(e, TreeError::Outside { .. }), "{e}");
    assert_eq!(fs::read(at("src/a.txt")).unwrap(), b"a\n");
    fs::remove_file(at("evil")).unwrap();
    // Refused in the middle: the second path needs a folder where the first put a file.
    let batch = [
        change("src/a.txt", Some("x")),
        change("gone.txt", None),
        change("link", None),
        change("new/deep/file", Some("x")),
        change("new/deep/file/below", Some("x")),
    ];
    let e = write_all(&tree, &batch).unwrap_err();
    assert!(matches!(e, TreeError::NotAFolder { .. }), "{e}");
    assert_eq!(tree.walk().unwrap(), before);
    assert!(!at("new").exists());
    write_all(&tree, &batch[..4]).unwrap();
    assert!(!at("gone.txt").exists() && !at("link").is_symlink());
    assert_eq!(fs::read(at("new/deep/file")).unwrap(), b"x");
}

#[test]
fn a_walk_is_sorted_and_enters_no_git_and_no_link() {
    use std::os::unix::ffi::OsStrExt;
    let (dir, tree) = world();
    let at = |p: &str| tree.path().join(p);
    symlink(dir.path().join("canary"), at("out")).unwrap();
    fs::create_dir_all(at("src/vendored/.git/objects")).unwrap();
    fs::write(at("src/vendored/.git/objects/x"), "").unwrap();
    fs::write(at("src-2"), "").unwrap();
    fs::write(
        tree.path().join(std::ffi::OsStr::from_bytes(b"bad\xff")),
        "",
    )
    .unwrap();
    mkfifoat(CWD, at("p"), Mode::from_raw_mode(0o644)).unwrap();
    let walk = tree.walk_all().unwrap();
    let paths: Vec<_> = walk.entries.iter().map(|e| e.path.as_str()).collect();
    assert_eq!(paths, ["out", "p", "src-2", "src/a.txt"]);
    assert!(matches!(&walk.entries[0].kind, EntryKind::Symlink(t) if t.ends_with("/canary")));
    assert_eq!(walk.entries[1].kind, EntryKind::Other);
    assert_eq!(walk.left_out.len(), 1);
}

#[test]
fn a_copy_has_files_modes_links_and_nothing_special() {
    let (dir, tree) = world();
    let at = |p: &str| tree.path().join(p);
    fs::set_permissions(at("src/a.txt"), fs::Permissions::from_mode(0o755)).unwrap();
    fs::hard_link(at("src/a.txt"), at("src/hard")).unwrap();
    symlink("a.txt", at("src/l")).unwrap();
    symlink("/nowhere", at("src/out")).unwrap();
    mkfifoat(CWD, at("p"), Mode::from_raw_mode(0o644)).unwrap();
    fs::create_dir_all(at("node_modules/x")).unwrap();
    fs::create_dir_all(at("empty")).unwrap();
    fs::create_dir(at("ro")).unwrap();
    fs::write(at("ro/f"), "f").unwrap();
    fs::set_permissions(at("ro"), fs::Permissions::from_mode(0o555)).unwrap();
    let to = dir.path().join("copy");
    copy_tree(&tree, &to, &|p| p.name() == "node_modules").unwrap();
    let copy = Tree::open(&to).unwrap();
    let seen: Vec<_> = copy
        .walk()
        .unwrap()
        .into_iter()
        .map(|e| (e.path.to_string(), e.mode & 0o777))
        .collect();
    assert_eq!(
        seen,
        [
            ("ro/f".to_string(), 0o644),
            ("src/a.txt".into(), 0o755),
            ("src/hard".into(), 0o755),
            ("src/l".into(), 0o777),
            ("src/out".into(), 0o777),
        ]
    );
    assert_eq!(fs::metadata(to.join("src/hard")).unwrap().nlink(), 1);
    assert_eq!(fs::metadata(to.join("ro")).unwrap().mode() & 0o777, 0o555);
    assert!(
        to.join("empty").is_dir() && !to.join("node_modules").exists() && !to.join(".git").exists()
    );
    assert_eq!(
        fs::metadata(to.join("src/a.txt")).unwrap().mtime_nsec(),
        fs::metadata(at("src/a.txt")).unwrap().mtime_nsec()
    );
    let e = copy_tree(&tree, &to, &|_| false).unwrap_err();
    assert!(matches!(e, TreeError::NotEmpty { .. }), "{e}");
}

#[test]
fn a_folder_goes_whatever_its_shape() {
    let (dir, tree) = world();
    let canary = dir.path().join("canary");
    let root = tree.path().to_path_buf();
    symlink(&canary, root.join("src/out")).unwrap();
    // Deeper than the number of handles that a process may hold, and than PATH_MAX.
    let mut here = rustix::fs::open(&root, rustix::fs::OFlags::PATH, Mode::empty()).unwrap();
    for _ in 0..3000 {
        rustix::fs::mkdirat(&here, "deep", Mode::from_raw_mode(0o755)).unwrap();
        let next =
            rustix::fs::openat(&here, "deep", rustix::fs::OFlags::PATH, Mode::empty()).unwrap();
        chmodat(&here, "deep", Mode::from_raw_mode(0o755), AtFlags::empty()).unwrap();
        here = next;
    }
    drop(here);
    assert!(matches!(tree.walk(), Err(TreeError::Limit { .. })));
    assert!(matches!(
        copy_tree(&tree, &dir.path().join("c"), &|_| false),
        Err(TreeError::Limit { .. })
    ));
    fs::set_permissions(root.join("src"), fs::Permissions::from_mode(0o000)).unwrap();
    remove_tree(&root).unwrap();
    assert!(!root.exists());
    assert_eq!(fs::read(canary.join("file")).unwrap(), b"secret");
    remove_tree(&root).unwrap();
    let link = dir.path().join("link");
    symlink(&canary, &link).unwrap();
    remove_tree(&link).unwrap();
    assert!(!link.is_symlink() && canary.join("file").exists());
}

#[test]
fn temporary_folders_go_with_their_owner() {
    let dir = tempfile::tempdir().unwrap();
    let parent = dir.path().join("tmp");
    let living = TempFolder::create(&parent, 0o711).unwrap();
    assert_eq!(fs::metadata(living.path()).unwrap().mode() & 0o777, 0o711);
    fs::write(living.path().join("f"), "x").unwrap();
    let dead = TempFolder::create(&parent, 0o700).unwrap().keep();
    fs::write(dead.join("f"), "x").unwrap();
    fs::create_dir(parent.join("not-ours")).unwrap();
    assert_eq!(sweep(&parent).unwrap(), 1);
    assert!(living.path().join("f").exists() && !dead.exists() && parent.join("not-ours").exists());
    let path = living.path().to_path_buf();
    drop(living);
    assert!(!path.exists());
    assert_eq!(sweep(Path::new("/no/such/place")).unwrap(), 0);
}
