//! Trees that a real confined process shapes, while the host works in them (FT-03, FT-06), and the
//! folders that such trees stand in.

use crate::host;
use crate::sandbox::{Work, spec, starts};
use mend::domain::{Cancel, Exit};
use mend::edit::{Replace, ToolCall};
use mend::gate::{Changed, objections};
use mend::text::Redactor;
use mend::tree::{EntryKind, RelPath, TempFolder, Tree, copy_tree, sweep};
use mend::workspace::{Options, Workspace};
use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

fn rel(path: &str) -> RelPath {
    RelPath::parse(path).unwrap()
}

/// Swaps a folder for a link to the outside and back, as fast as it can.
const FLICKER: &str = "import ctypes, os, sys, time\nlibc = ctypes.CDLL(None)\nos.mkdir('d')\n\
    os.symlink(sys.argv[1], 'evil')\nopen('go', 'w').close()\nwhile True:\n    \
    for i in range(17): libc.renameat2(-100, b'd', -100, b'evil', 2)\n    time.sleep(0.0002)\n";

/// FT-03: the host writes while a confined process swaps folders under it.
#[tokio::test(flavor = "multi_thread")]
async fn ft_03_a_confined_process_cannot_lead_a_write_outside() {
    let work = Work::new(starts()[0]);
    let canary = work.beside("canary");
    fs::create_dir(&canary).unwrap();
    fs::write(canary.join("file"), "secret").unwrap();
    work.file("flicker.py", FLICKER);
    let command = format!("exec /usr/bin/python3 flicker.py {}", canary.display());
    let command = spec(&work.path(), &command);
    let cancel = Cancel::new();
    let (sandbox, stop) = (crate::sandbox::sandbox().await, cancel.clone());
    let running = tokio::spawn(async move { sandbox.run(&command, &stop).await });
    let root = work.path();
    let writes = tokio::task::spawn_blocking(move || {
        crate::sandbox::wait_until("it swaps", || root.join("go").exists());
        let tree = Tree::open(&root).unwrap();
        let (mut written, mut refused) = (0, 0);
        for round in 0..3000 {
            match tree.write(&rel("d/f"), b"data", None) {
                Ok(()) => written += 1,
                Err(_) => refused += 1,
            }
            if round % 8 == 0 {
                assert!(tree.read(&rel("d/file")).is_err(), "read outside");
            }
        }
        (written, refused)
    });
    let (written, refused) = writes.await.unwrap();
    cancel.cancel();
    let ended = running.await.unwrap();
    assert!(ended.is_err(), "stopped, not ended: {ended:?}");
    println!("{written} written, {refused} refused");
    assert!(written > 0 && refused > 0, "both states were met");
    let left: Vec<_> = fs::read_dir(&canary).unwrap().flatten().collect();
    assert_eq!(left.len(), 1, "{left:?}");
    assert_eq!(fs::read(canary.join("file")).unwrap(), b"secret");
}

const PROTECTED: [&str; 4] = [
    ".git/config",
    ".github/workflows/x.yml",
    ".GitHub/Workflows/x.yml",
    "a/../.github/workflows/x.yml",
];

/// FT-06: the tools refuse protected paths in every spelling.
#[test]
fn ft_06_the_tools_refuse_protected_paths() {
    let folder = tempfile::tempdir().unwrap();
    for name in [".git", ".github/workflows", "a"] {
        fs::create_dir_all(folder.path().join(name)).unwrap();
    }
    fs::write(folder.path().join(".git/config"), "old").unwrap();
    fs::write(folder.path().join(".github/workflows/x.yml"), "old").unwrap();
    let tree = Tree::open(folder.path()).unwrap();
    let workspace = Workspace::new(tree, Options::default()).unwrap();
    for path in PROTECTED {
        for call in [
            ToolCall::WriteFile {
                path: path.into(),
                content: "evil".into(),
                notes: Vec::new(),
                summary: None,
            },
            ToolCall::EditFile {
                path: path.into(),
                edits: vec![Replace {
                    old: "old".into(),
                    new: "evil".into(),
                }],
                notes: Vec::new(),
                summary: None,
            },
        ] {
            let answer = workspace.edit(&call).answer;
            assert!(answer.error, "{path}: {}", answer.text);
        }
    }
    for name in [".git/config", ".github/workflows/x.yml"] {
        assert_eq!(fs::read(folder.path().join(name)).unwrap(), b"old");
    }
    assert!(!folder.path().join(".GitHub").exists());
}

/// FT-06: what a shell in the sandbox wrote there is seen by the host and refused by the gate.
#[tokio::test]
async fn ft_06_the_gate_refuses_what_a_shell_wrote() {
    let work = Work::new(starts()[0]);
    let script = "mkdir -p .git .github/workflows .GitHub/Workflows src && echo x >.git/config && \
        echo x >.github/workflows/x.yml && echo x >.GitHub/Workflows/x.yml && echo x >src/a.txt";
    let sandbox = crate::sandbox::sandbox().await;
    let ran = sandbox
        .run(&spec(&work.path(), script), &Cancel::new())
        .await;
    assert_eq!(ran.unwrap().exit, Exit::Code(0));
    let tree = Tree::open(&work.path()).unwrap();
    let walked: Vec<String> = tree
        .walk()
        .unwrap()
        .into_iter()
        .filter(|e| e.kind == EntryKind::File)
        .map(|e| e.path.to_string())
        .collect();
    assert!(walked.iter().all(|p| !p.starts_with(".git/")), "{walked:?}");
    let refused: Vec<&String> = walked
        .iter()
        .filter(|path| {
            let changed = Changed {
                path,
                before: None,
                after: Some(b"x\n"),
            };
            !objections(&[changed], &Redactor::default()).is_empty()
        })
        .collect();
    assert_eq!(
        refused,
        [".GitHub/Workflows/x.yml", ".github/workflows/x.yml"]
    );
    for path in [".git/config", ".github/WORKFLOWS/x.yml"] {
        let changed = Changed {
            path,
            before: None,
            after: Some(b"x"),
        };
        assert_eq!(
            objections(&[changed], &Redactor::default()).len(),
            1,
            "{path}"
        );
    }
}

/// Shapes that a folder cannot be removed in by a plain `rm -r`, and files that give rights.
const HOSTILE: &str = "mkdir -p a/b/c locked/inner 'odd\nname' && echo x >locked/inner/file && \
    : >-rf && mkfifo pipe && cp /bin/true suid && chmod 6755 suid && chmod 7777 a/b && \
    d=.; for i in $(seq 1 300); do d=$d/deep; done; mkdir -p $d && \
    /usr/bin/python3 -c 'import socket; socket.socket(socket.AF_UNIX).bind(\"sock\")' && \
    chmod 000 locked/inner locked a/b/c";

/// Nothing that gives rights, and nothing special, comes out of a folder; and the folder goes.
#[tokio::test]
async fn what_a_command_left_comes_out_harmless_and_goes_whole() {
    let parent = tempfile::tempdir().unwrap();
    crate::sandbox::open_to_all(parent.path());
    let folder = TempFolder::create_sized(parent.path(), 0o711, 64 << 20).unwrap();
    let work = folder.path().join("repo");
    fs::create_dir(&work).unwrap();
    let sandbox = crate::sandbox::sandbox().await;
    let ran = sandbox
        .run(&spec(&work, HOSTILE), &Cancel::new())
        .await
        .unwrap();
    let said = String::from_utf8_lossy(&ran.output).into_owned();
    assert_eq!(ran.exit, Exit::Code(0), "{said}");
    let mode = |path: PathBuf| fs::metadata(path).unwrap().mode();
    assert_ne!(mode(work.join("suid")) & 0o6000, 0, "the shape is there");
    let copy = parent.path().join("copy");
    let tree = Tree::open(&work).unwrap();
    let skip = |path: &RelPath| {
        let path = path.to_string();
        path.starts_with("deep") || path.starts_with("locked") || path == "a/b/c"
    };
    copy_tree(&tree, &copy, &skip).unwrap();
    assert_eq!(mode(copy.join("suid")) & 0o7000, 0);
    assert_eq!(mode(copy.join("a/b")) & 0o7000, 0);
    assert!(copy.join("-rf").exists() && copy.join("odd\nname").exists());
    assert!(!copy.join("pipe").exists() && !copy.join("sock").exists());
    let path = folder.path().to_path_buf();
    folder.close().unwrap();
    assert!(!path.exists());
}

/// In memory the kernel holds the size and the number of files; elsewhere the folder is a plain one.
#[test]
fn a_sized_folder_is_held_by_the_kernel_where_mend_may_mount() {
    let parent = tempfile::tempdir().unwrap();
    let folder = TempFolder::create_sized(parent.path(), 0o711, 8 << 20).unwrap();
    assert_eq!(fs::metadata(folder.path()).unwrap().mode() & 0o777, 0o711);
    assert_eq!(folder.is_in_memory(), host::is_root());
    if folder.is_in_memory() {
        let full = fs::write(folder.path().join("big"), vec![1; 9 << 20]);
        assert_eq!(full.unwrap_err().raw_os_error(), Some(28), "ENOSPC");
        fs::remove_file(folder.path().join("big")).unwrap();
        let empty = |n: u32| fs::write(folder.path().join(n.to_string()), "");
        let made = (0..100_000).take_while(|n| empty(*n).is_ok()).count();
        assert!(made < 3000, "{made} files");
    }
    let path = folder.path().to_path_buf();
    drop(folder);
    assert!(!path.exists());
    assert_eq!(fs::read_dir(parent.path()).unwrap().count(), 0);
    // More than the host has to spare: on disk.
    let huge = TempFolder::create_sized(parent.path(), 0o711, 1 << 50).unwrap();
    assert!(!huge.is_in_memory());
    fs::write(huge.path().join("f"), "x").unwrap();
}

/// What a mend that was killed left in memory is unmounted by the next one.
#[test]
fn a_sweep_unmounts_what_a_dead_mend_left() {
    let parent = tempfile::tempdir().unwrap();
    let folder = TempFolder::create_sized(parent.path(), 0o711, 8 << 20).unwrap();
    let living = TempFolder::create_sized(parent.path(), 0o711, 8 << 20).unwrap();
    fs::write(folder.path().join("f"), "x").unwrap();
    let dead = folder.keep();
    assert_eq!(sweep(parent.path()).unwrap(), 1);
    assert!(!dead.exists() && living.path().exists());
}

/// Folders of the probe and of the simulator: removed when nobody holds them and they are not new.
#[test]
fn a_sweep_takes_only_what_is_ours_old_and_let_go() {
    let parent = tempfile::tempdir().unwrap();
    let make = |name: &str, old: bool| {
        let path = parent.path().join(name);
        fs::create_dir(&path).unwrap();
        fs::write(path.join("f"), "x").unwrap();
        let folder = fs::File::open(&path).unwrap();
        if old {
            let hour = Duration::from_secs(3600);
            folder.set_modified(SystemTime::now() - hour).unwrap();
        }
        folder
    };
    let held = make("mend-probe-AAAAAA", true);
    held.try_lock().unwrap();
    for name in [
        "mend-probe-aB3dE6",
        "mend-simulator-aB3dE6",
        "mend-egress-aB3dE6",
        "mend-etc-aB3dE6",
    ] {
        drop(make(name, true));
    }
    let others = [
        ("mend-probe-bbbbbb", false),
        ("mend-test-aB3dE6", true),
        ("mend-probe-notes", true),
        ("mend-probe-long-name", true),
        ("mend-tmp-short", true),
    ];
    for (name, old) in others {
        drop(make(name, old));
    }
    symlink(
        parent.path().join("mend-tmp-short"),
        parent.path().join("mend-probe-cccccc"),
    )
    .unwrap();
    assert_eq!(sweep(parent.path()).unwrap(), 4);
    let there = |name: &str| parent.path().join(name).exists();
    assert!(there("mend-probe-AAAAAA") && there("mend-probe-cccccc"));
    assert!(others.iter().all(|(name, _)| there(name)));
    drop(held);
    // A process that another test starts at this moment may hold the lock until it runs.
    crate::sandbox::wait_until("it is let go", || sweep(parent.path()).unwrap() == 1);
}

/// Another user's folder with a name of ours is not ours.
#[test]
fn a_sweep_leaves_other_users_alone() {
    if !host::has("root", host::is_root()) {
        return;
    }
    let parent = tempfile::tempdir().unwrap();
    let path = parent.path().join(format!("mend-tmp-{}", "a".repeat(32)));
    fs::create_dir(&path).unwrap();
    std::os::unix::fs::chown(&path, Some(65533), None).unwrap();
    assert_eq!(sweep(parent.path()).unwrap(), 0);
    assert!(path.exists());
    fs::set_permissions(Path::new(&path), fs::Permissions::from_mode(0o700)).unwrap();
}
