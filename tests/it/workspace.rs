//! The agent's view of a tree (cases FT-01, FT-02, FT-04, FT-05 for each tool).

use mend::edit::{ErrorKind, Replace, ToolCall};
use mend::tree::Tree;
use mend::workspace::{Answer, Options, Workspace};
use rustix::fs::{CWD, Mode, mkfifoat};
use std::fs;
use std::os::unix::fs::symlink;
use std::time::{Duration, Instant};

struct World {
    dir: tempfile::TempDir,
    workspace: Workspace,
}

fn world(files: &[(&str, &str)], options: Options) -> World {
    let dir = tempfile::tempdir().unwrap();
    fs::create_dir_all(dir.path().join("w/1")).unwrap();
    fs::create_dir_all(dir.path().join("w/10")).unwrap();
    fs::create_dir_all(dir.path().join("canary")).unwrap();
    fs::write(dir.path().join("w/10/s"), "secret of another task").unwrap();
    fs::write(dir.path().join("canary/file"), "secret").unwrap();
    let root = dir.path().join("w/1");
    for (path, text) in files {
        let path = root.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    let workspace = Workspace::new(Tree::open(&root).unwrap(), options).unwrap();
    World { dir, workspace }
}

impl World {
    fn root(&self) -> std::path::PathBuf {
        self.dir.path().join("w/1")
    }

    /// Every tool that takes a path.
    fn each(&self, path: &str) -> Vec<(&'static str, Answer)> {
        let w = &self.workspace;
        let edit = edit_file(path, &[("secret", "x")]);
        let write = write_file(path, "x");
        vec![
            ("edit_file", w.edit(&edit).answer),
            ("write_file", w.edit(&write).answer),
            ("restore_file", w.restore_file(path).answer),
            ("list_files", w.list_files(Some(path))),
            ("read_file", w.read_file(path, None, None)),
            ("search", w.search("secret", Some(path))),
        ]
    }
}

fn edit_file(path: &str, edits: &[(&str, &str)]) -> ToolCall {
    let edits = edits.iter().map(|(old, new)| Replace {
        old: old.to_string(),
        new: new.to_string(),
    });
    ToolCall::EditFile {
        path: path.into(),
        edits: edits.collect(),
        summary: None,
        notes: Vec::new(),
    }
}

fn write_file(path: &str, content: &str) -> ToolCall {
    ToolCall::WriteFile {
        path: path.into(),
        content: content.into(),
        summary: None,
        notes: Vec::new(),
    }
}

fn ok(answer: Answer) -> String {
    assert!(!answer.error, "{}", answer.text);
    answer.text
}

fn refused(answer: Answer) -> String {
    assert!(answer.error, "{}", answer.text);
    answer.text
}

#[test]
fn ft_01_ft_02_paths_that_lead_out_are_refused_by_every_tool() {
    let world = world(
        &[("src/a.txt", "a\n"), (".git/config", "[core]\n")],
        Options::default(),
    );
    let at = |p: &str| world.root().join(p);
    let canary = world.dir.path().join("canary");
    symlink(canary.join("file"), at("l")).unwrap();
    symlink(&canary, at("d")).unwrap();
    symlink("../10", at("up")).unwrap();
    symlink("l", at("chain")).unwrap();
    symlink(".git", at("g")).unwrap();
    symlink("nowhere", at("dangles")).unwrap();
    let long = "a/".repeat(2500) + "a";
    let out = [
        "../../etc/passwd",
        "/etc/passwd",
        "a/../../x",
        "./././..",
        "a\0b",
        &long,
        "~/.ssh",
        "../10/s",
        "l",
        "d/file",
        "up/s",
        "chain",
        "g/config",
        "dangles",
        ".git/config",
        ".GIT/config",
        "/",
        "..",
    ];
    for path in out {
        for (tool, answer) in world.each(path) {
            let text = refused(answer);
            assert!(
                !text.contains(world.dir.path().to_str().unwrap()),
                "{tool}: {text}"
            );
            assert!(!text.contains("secret of"), "{tool} {path}: {text}");
            assert!(text.len() < 600, "{tool}: {text}");
        }
    }
    // Nothing is decoded: this is an ordinary name, and it does not exist.
    for path in ["%2e%2e/x", "no/such"] {
        let w = &world.workspace;
        for answer in [
            w.list_files(Some(path)),
            w.read_file(path, None, None),
            w.search("x", Some(path)),
        ] {
            assert!(refused(answer).contains("does not exist"));
        }
    }
    assert_eq!(fs::read(canary.join("file")).unwrap(), b"secret");
    assert_eq!(fs::read_dir(&canary).unwrap().count(), 1);
}

#[test]
fn ft_04_special_and_huge_files_end_at_once() {
    let world = world(&[("a.txt", "needle\n")], Options::default());
    let at = |p: &str| world.root().join(p);
    mkfifoat(CWD, at("p"), Mode::from_raw_mode(0o644)).unwrap();
    fs::File::create(at("big"))
        .unwrap()
        .set_len(1 << 40)
        .unwrap();
    symlink("/dev/zero", at("zero")).unwrap();
    let _socket = std::os::unix::net::UnixListener::bind(at("socket")).unwrap();
    fs::write(at("long"), "line\n".repeat(5_000_000)).unwrap();
    let start = Instant::now();
    for path in ["p", "big", "zero", "socket"] {
        refused(world.workspace.read_file(path, None, None));
        let found = world.workspace.search("needle", Some(path)).text;
        assert!(!found.contains(":1:"), "{path}: {found}");
    }
    for path in ["p", "zero", "socket"] {
        refused(world.workspace.edit(&write_file(path, "x")).answer);
    }
    let page = ok(world.workspace.read_file("long", Some(4_999_999), None));
    assert_eq!(page, "4999999\tline\n5000000\tline\n");
    let found = ok(world.workspace.search("needle", None));
    assert!(
        found.contains("a.txt:1: needle") && found.contains("2 files over 4 MiB"),
        "{found}"
    );
    ok(world.workspace.list_files(None));
    assert!(
        start.elapsed() < Duration::from_secs(30),
        "{:?}",
        start.elapsed()
    );
}

#[test]
fn a_page_is_numbered_and_says_what_remains() {
    let text: String = (1..=450).map(|n| format!("line {n}\n")).collect();
    let world = world(
        &[
            ("a.py", &text),
            ("d/b.py", "x\ty\r\nz"),
            ("empty", ""),
            ("one", "\u{feff}é\n"),
        ],
        Options::default(),
    );
    let w = &world.workspace;
    let page = ok(w.read_file("a.py", None, None));
    assert!(page.starts_with("1\tline 1\n2\tline 2\n"), "{page}");
    assert!(
        page.ends_with("200\tline 200\n... (250 more lines; file has 450 lines total)"),
        "{page}"
    );
    let page = ok(w.read_file("./a.py", Some(449), Some(1)));
    assert_eq!(
        page,
        "449\tline 449\n... (1 more line; file has 450 lines total)"
    );
    assert_eq!(ok(w.read_file("a.py", Some(450), None)), "450\tline 450\n");
    assert!(refused(w.read_file("a.py", Some(451), None)).contains("has 450 lines"));
    assert_eq!(ok(w.read_file("d/b.py", Some(0), None)), "1\tx\ty\n2\tz\n");
    assert_eq!(
        ok(w.read_file("d/", None, None)),
        "`d` is a folder:\nd/b.py"
    );
    assert_eq!(ok(w.read_file("empty", None, None)), "`empty` is empty");
    assert_eq!(ok(w.read_file("one", None, None)), "1\té\n");
    assert!(refused(w.read_file("d/a.py", None, None)).contains("near it: `a.py`"));
    assert!(refused(w.read_file("b.pi", None, None)).contains("`d/b.py`"));
}

#[test]
fn what_is_not_text_is_told_and_nothing_invisible_passes() {
    let world = world(
        &[
            ("esc", "\x1b[31mred\x1b[0m \u{202e}x \x07\n"),
            ("wide", &"w".repeat(5000)),
        ],
        Options::default(),
    );
    fs::write(world.root().join("bin"), b"a\0b").unwrap();
    fs::write(world.root().join("latin"), b"caf\xe9\n").unwrap();
    let w = &world.workspace;
    assert!(refused(w.read_file("bin", None, None)).contains("binary"));
    assert!(refused(w.read_file("latin", None, None)).contains("not UTF-8 (byte 3)"));
    let text = ok(w.read_file("esc", None, None));
    assert_eq!(text, "1\tred \\u{202e}x \\u{7}\n");
    assert!(ok(w.read_file("wide", None, None)).contains("(3000 more characters)"));
    let found = ok(w.search("^caf", None));
    assert!(found.starts_with("latin:1: caf"), "{found}");
    assert!(ok(w.search("w+", None)).starts_with("wide:1: www"));
    assert_eq!(ok(w.search("a.b", None)), "no matches");
}

#[test]
fn secrets_never_reach_the_model() {
    let options = Options::default();
    options.redactor.know("hunter2hunter2");
    let world = world(
        &[
            (".env", "TOKEN=abc\n"),
            ("deploy/key.pem", "needle\n"),
            (".env.example", "needle\n"),
            (
                "a.py",
                "p = 'hunter2hunter2'\nt = 'ghp_abcdefghijklmnopqrstuvwx'\n",
            ),
        ],
        options,
    );
    let w = &world.workspace;
    symlink(".env", world.root().join("innocent")).unwrap();
    for path in [".env", "./.env", "deploy/key.pem", "innocent"] {
        let text = refused(w.read_file(path, None, None));
        assert!(text.contains("never shown"), "{text}");
        refused(w.search("TOKEN", Some(path)));
    }
    assert_eq!(ok(w.search("needle|TOKEN", None)), ".env.example:1: needle");
    let text = ok(w.read_file("a.py", None, None));
    assert_eq!(text, "1\tp = '[redacted]'\n2\tt = '[redacted]'\n");
    let text = ok(w.search("=", Some("a.py")));
    assert!(
        !text.contains("hunter2") && !text.contains("ghp_"),
        "{text}"
    );
    assert!(!ok(w.search("nothing", None)).contains("hunter2hunter2"));
}

#[test]
fn ft_05_search_takes_any_pattern_and_ends() {
    let world = world(
        &[
            ("a.txt", "--pre=./evil.sh\n-f/etc/passwd\nf(x\r\nlast"),
            ("aaa", &("a".repeat(200_000) + "!\n")),
            ("many", &"hit\n".repeat(300)),
            (".ripgreprc", "--pre=./evil.sh\n"),
        ],
        Options::default(),
    );
    let mark = world.dir.path().join("mark");
    let evil = world.root().join("evil.sh");
    fs::write(&evil, format!("#!/bin/sh\ntouch {}\n", mark.display())).unwrap();
    fs::set_permissions(&evil, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    let w = &world.workspace;
    let start = Instant::now();
    assert!(ok(w.search("--pre=./evil.sh", Some("a.txt"))).starts_with("a.txt:1: --pre"));
    assert!(ok(w.search("-f/etc/passwd", None)).starts_with("a.txt:2: -f"));
    refused(w.search("(a{1000}){1000}", None));
    assert_eq!(ok(w.search("(a+)+$", Some("aaa"))), "no matches");
    let text = ok(w.search("f(x", None));
    assert_eq!(
        text,
        "(not a valid regular expression; searched as plain text)\na.txt:3: f(x"
    );
    assert_eq!(ok(w.search(r"^last$", None)), "a.txt:4: last");
    assert_eq!(ok(w.search(r"x$", Some("a.txt"))), "a.txt:3: f(x");
    assert_eq!(ok(w.search(r"\Alast\z", None)), "a.txt:4: last");
    let text = ok(w.search("^", Some("many")));
    assert!(
        text.ends_with("(100 more matches; 300 in 1 files)"),
        "{text}"
    );
    refused(w.search("", None));
    assert!(!mark.exists(), "a program ran");
    assert!(
        start.elapsed() < Duration::from_secs(30),
        "{:?}",
        start.elapsed()
    );
}

#[test]
fn a_list_leaves_out_what_is_ignored_and_sums_up_what_is_large() {
    let mut files: Vec<(String, String)> = (0..2100)
        .map(|n| (format!("data/deep/{}/f{n}.json", n % 3), String::new()))
        .collect();
    for path in [
        "src/a.py",
        "src/sub/b.py",
        "build/out.o",
        "src/gen/x",
        "src/gen/keep/y",
        "node_modules/p/i.js",
        "README.md",
    ] {
        files.push((path.into(), String::new()));
    }
    files.push((".gitignore".into(), "/build/\n*.o\n".into()));
    files.push(("src/.gitignore".into(), "gen/*\n!gen/keep/\n".into()));
    let files: Vec<(&str, &str)> = files
        .iter()
        .map(|(p, t)| (p.as_str(), t.as_str()))
        .collect();
    let world = world(&files, Options::default());
    let w = &world.workspace;
    symlink("src/a.py", world.root().join("link.py")).unwrap();
    let text = ok(w.list_files(None));
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(
        lines,
        [
            ".gitignore",
            "README.md",
            "data/deep/0/ (700 files)",
            "data/deep/1/ (700 files)",
            "data/deep/2/ (700 files)",
            "link.py -> src/a.py",
            "src/.gitignore",
            "src/a.py",
            "src/gen/keep/y",
            "src/sub/b.py",
            "... (2107 files in all; list_files with a folder's path shows what it holds)",
        ]
    );
    assert_eq!(ok(w.list_files(Some("data/deep/0"))).lines().count(), 601);
    assert_eq!(ok(w.list_files(Some("build"))), "build/out.o");
    assert_eq!(ok(w.list_files(Some("."))), text);
    assert!(refused(w.list_files(Some("src/a.py"))).contains("read_file"));
}

#[test]
fn an_answer_is_bounded() {
    let files: Vec<(String, String)> = (0..150)
        .map(|n| {
            (
                format!("f{n}.txt"),
                "x".repeat(900) + "\n" + &"y\n".repeat(50),
            )
        })
        .collect();
    let files: Vec<(&str, &str)> = files
        .iter()
        .map(|(p, t)| (p.as_str(), t.as_str()))
        .collect();
    let options = Options {
        result_bytes: 1024,
        ..Options::default()
    };
    let world = world(&files, options);
    let w = &world.workspace;
    for answer in [
        w.list_files(None),
        w.read_file("f1.txt", None, None),
        w.search("[xy]", None),
    ] {
        assert!(answer.text.len() <= 1024, "{}", answer.text.len());
        assert!(answer.text.contains("..."), "{}", answer.text);
    }
}

#[test]
fn edits_land_and_are_told_against_base() {
    let world = world(
        &[("src/a.py", "a\nb\nc\n"), ("gone.py", "x\n")],
        Options::default(),
    );
    let w = &world.workspace;
    let done = w.edit(&edit_file("./src/a.py", &[("b\n", "B\nB2\n"), ("c", "C")]));
    assert_eq!(done.written, ["src/a.py"]);
    let text = ok(done.answer);
    assert!(text.contains("edit 1") && text.contains("edit 2"), "{text}");
    ok(w.edit(&write_file("new/mod.py", "n = 1\n")).answer);
    let same = w.edit(&edit_file("src/a.py", &[("a", "a")]));
    assert!(same.written.is_empty() && ok(same.answer).contains("no change"));
    let changed = w.changed().unwrap();
    let paths: Vec<_> = changed.iter().map(|c| c.path.as_str()).collect();
    assert_eq!(paths, ["new/mod.py", "src/a.py"]);
    assert_eq!(changed[1].before.as_deref(), Some(&b"a\nb\nc\n"[..]));
    assert_eq!(changed[1].after.as_deref(), Some(&b"a\nB\nB2\nC\n"[..]));
    let diff = w.diff().unwrap();
    assert!(
        diff.contains("new file mode 100644") && diff.contains("+B2"),
        "{diff}"
    );

    // A refused call leaves everything as it was, the first edit of it included.
    let before = w.tree().walk().unwrap();
    let refused_call = w.edit(&edit_file("src/a.py", &[("a", "z"), ("nowhere", "x")]));
    assert_eq!(refused_call.refused, Some(ErrorKind::NotFound));
    assert!(refused(refused_call.answer).starts_with("edit 2"));
    assert_eq!(w.tree().walk().unwrap(), before);

    // What base held comes back, and is then no change any more.
    assert!(ok(w.restore_file("src/a.py").answer).contains("3 lines"));
    assert!(ok(w.restore_file("new/mod.py").answer).contains("removed"));
    assert!(ok(w.restore_file("gone.py").answer).contains("not changed"));
    assert_eq!(w.changed().unwrap(), []);
    assert_eq!(w.diff().unwrap(), "");
    assert_eq!(
        fs::read(world.root().join("src/a.py")).unwrap(),
        b"a\nb\nc\n"
    );
}

#[test]
fn a_whole_file_is_replaced_only_when_it_was_seen() {
    let text: String = (1..=500).map(|n| format!("line {n}\n")).collect();
    let world = world(&[("a.py", &text), ("b.py", "1\n2\n")], Options::default());
    let w = &world.workspace;
    let stale = |path: &str| {
        let done = w.edit(&write_file(path, "x\n"));
        assert_eq!(done.refused, Some(ErrorKind::Stale), "{}", done.answer.text);
        refused(done.answer);
    };
    stale("a.py");
    ok(w.read_file("a.py", None, None));
    stale("a.py");
    ok(w.read_file("a.py", Some(201), None));
    // What the model knows survives its own edit.
    ok(w.edit(&edit_file("a.py", &[("line 300\n", "line 301\n")]))
        .answer);
    ok(w.edit(&write_file("a.py", "x\n")).answer);
    ok(w.edit(&write_file("a.py", "y\n")).answer);
    ok(w.read_file("b.py", None, None));
    fs::write(world.root().join("b.py"), "1\n3\n").unwrap();
    stale("b.py");
    ok(w.restore_file("a.py").answer);
    assert_eq!(fs::read_to_string(world.root().join("a.py")).unwrap(), text);
}

#[test]
fn existing_tests_are_protected_and_new_ones_are_not() {
    let files = &[
        ("tests/test_a.py", "a\n"),
        ("src/a.py", "a\n"),
        (".github/workflows/ci.yml", "a\n"),
        (".env", "a\n"),
    ];
    let world = world(files, Options::default());
    let w = &world.workspace;
    symlink("../tests/test_a.py", world.root().join("src/link.py")).unwrap();
    for path in ["tests/test_a.py", "./tests//test_a.py", "src/link.py"] {
        let done = w.edit(&edit_file(path, &[("a", "b")]));
        assert_eq!(done.refused, Some(ErrorKind::Protected), "{path}");
        let text = refused(done.answer);
        assert!(text.contains("not in its tests"), "{text}");
    }
    for path in [
        ".github/workflows/ci.yml",
        ".GitHub/Workflows/new.yml",
        "a/../.github/workflows/x.yml",
        ".git/config",
        ".github/mend.toml",
        ".env",
        ".ENV",
        "keys/id_rsa",
        ".gitmodules",
        "CODEOWNERS",
    ] {
        let done = w.edit(&write_file(path, "x\n"));
        refused(done.answer);
        assert!(done.written.is_empty());
    }
    // A test of this task's own may be made and changed again, and taken back.
    ok(w.edit(&write_file("tests/test_new.py", "x\n")).answer);
    ok(w.edit(&edit_file("tests/test_new.py", &[("x", "y")]))
        .answer);
    ok(w.restore_file("tests/test_new.py").answer);
    assert_eq!(w.changed().unwrap(), []);
    assert_eq!(
        fs::read(world.root().join("tests/test_a.py")).unwrap(),
        b"a\n"
    );
}

#[test]
fn settings_move_the_protection() {
    let files = &[("t/a.py", "a\n"), ("tests/b.py", "a\n")];
    let replaced = world(
        files,
        Options {
            tests: vec!["t/".into()],
            ..Options::default()
        },
    );
    refused(
        replaced
            .workspace
            .edit(&edit_file("t/a.py", &[("a", "b")]))
            .answer,
    );
    ok(replaced
        .workspace
        .edit(&edit_file("tests/b.py", &[("a", "b")]))
        .answer);
    let lifted = world(
        files,
        Options {
            allow_tests: true,
            ..Options::default()
        },
    );
    ok(lifted
        .workspace
        .edit(&edit_file("tests/b.py", &[("a", "b")]))
        .answer);
    let closed = world(
        files,
        Options {
            allow_new_tests: false,
            ..Options::default()
        },
    );
    let text = refused(
        closed
            .workspace
            .edit(&write_file("tests/new.py", "x\n"))
            .answer,
    );
    assert!(text.contains("new test files"), "{text}");
}

#[test]
fn a_redacted_text_never_overwrites_the_secret() {
    let world = world(
        &[("a.py", "t = 'ghp_abcdefghijklmnopqrstuvwx'\nb\n")],
        Options::default(),
    );
    let w = &world.workspace;
    ok(w.read_file("a.py", None, None));
    let text = refused(w.edit(&write_file("a.py", "t = '[redacted]'\nB\n")).answer);
    assert!(text.contains("secret"), "{text}");
    refused(
        w.edit(&edit_file(
            "a.py",
            &[("t = '[redacted]'\nb", "t = '[redacted]'\nB")],
        ))
        .answer,
    );
    ok(w.edit(&edit_file("a.py", &[("b\n", "B\n")])).answer);
    let kept = fs::read_to_string(world.root().join("a.py")).unwrap();
    assert_eq!(kept, "t = 'ghp_abcdefghijklmnopqrstuvwx'\nB\n");
}

#[test]
fn text_dialects_land_like_tool_calls() {
    let world = world(
        &[("a.py", "a\nb\n"), ("tests/test_a.py", "a\n")],
        Options::default(),
    );
    let w = &world.workspace;
    let block = |path: &str| format!("{path}\n<<<<<<< SEARCH\na\n=======\nA\n>>>>>>> REPLACE\n");
    let done = w.apply_blocks(&block("a.py"));
    assert_eq!(done.written, ["a.py"]);
    assert!(done.diff.contains("+A"), "{}", done.diff);
    ok(done.answer);
    // One refused block, nothing of the reply is written.
    let both = w.apply_blocks(
        &(block("a.py")
            .replace("\na\n", "\nA\n")
            .replace("\nA\n>>", "\nZ\n>>")
            + &block("tests/test_a.py")),
    );
    assert_eq!(both.refused, Some(ErrorKind::Protected));
    assert!(both.written.is_empty());
    let done = w.apply_udiff("--- a/a.py\n+++ b/a.py\n@@ -1,2 +1,2 @@\n A\n-b\n+B\n");
    ok(done.answer);
    assert_eq!(fs::read(world.root().join("a.py")).unwrap(), b"A\nB\n");
    assert_eq!(w.changed().unwrap().len(), 1);
}

#[test]
fn w4_a_small_file_comes_whole_and_so_does_a_small_rest() {
    let text = |n: usize| (1..=n).map(|n| format!("line {n}\n")).collect::<String>();
    let (small, large) = (text(400), text(700));
    let world = world(
        &[("small.py", &small), ("large.py", &large)],
        Options::default(),
    );
    let w = &world.workspace;
    let page = ok(w.read_file("small.py", None, None));
    assert!(page.ends_with("400\tline 400\n"), "{page}");
    let page = ok(w.read_file("large.py", None, None));
    assert!(
        page.ends_with("200\tline 200\n... (500 more lines; file has 700 lines total)"),
        "{page}"
    );
    let rest = ok(w.read_file("large.py", Some(301), None));
    assert!(rest.starts_with("301\t") && rest.ends_with("700\tline 700\n"));
    let asked = ok(w.read_file("small.py", None, Some(200)));
    assert!(asked.contains("200 more lines"), "an asked number stands");
}

#[test]
fn search_shows_lines_around_few_matches_and_none_around_many() {
    let numbers: String = (1..=30).map(|n| format!("n{n}\n")).collect();
    let world = world(
        &[("a.txt", &numbers), ("b.txt", "x\nn7\r\ny")],
        Options::default(),
    );
    let w = &world.workspace;
    let few = ok(w.search_around("^n(7|9|20)$", None, None));
    assert_eq!(
        few,
        "a.txt-5- n5\na.txt-6- n6\na.txt:7: n7\na.txt-8- n8\na.txt:9: n9\na.txt-10- n10\na.txt-11- n11\n--\n\
         a.txt-18- n18\na.txt-19- n19\na.txt:20: n20\na.txt-21- n21\na.txt-22- n22\n--\n\
         b.txt-1- x\nb.txt:2: n7\nb.txt-3- y"
    );
    let many = ok(w.search_around("n", None, None));
    assert!(many.starts_with("a.txt:1: n1\na.txt:2: n2\n") && !many.contains("--"));
    assert_eq!(
        ok(w.search_around("n7", Some("b.txt"), Some(0))),
        "b.txt:2: n7"
    );
    let bounded = ok(w.search_around("n7", Some("a.txt"), Some(99)));
    assert_eq!(bounded.lines().count(), 11, "{bounded}");
    assert_eq!(ok(w.search_around("nowhere", None, None)), "no matches");
    assert_eq!(
        ok(w.search_around("b.txt", None, None)),
        "no matches in the text; files of that name: b.txt"
    );
}
