//! What holds for every file and every reply.

use mend::edit::{
    AllSeen, Applied, EditError, FileContent, Protected, View, apply_blocks, apply_tool,
    apply_udiff, parse_call, parse_call_text,
};
use proptest::prelude::*;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

/// So many times the cases that `PROPTEST_CASES` asks for, 256 without it.
fn times(factor: u32) -> ProptestConfig {
    let default = ProptestConfig::default();
    ProptestConfig {
        cases: default.cases * factor,
        failure_persistence: None,
        ..default
    }
}

type Tree = BTreeMap<String, FileContent>;

fn with_view<T>(files: &Tree, body: impl FnOnce(&View<'_>) -> T) -> T {
    let guard = Protected::new();
    body(&View {
        files,
        seen: &AllSeen,
        guard: &guard,
    })
}

fn one_file(bytes: &[u8]) -> Tree {
    let file = FileContent {
        bytes: bytes.to_vec(),
        mode: 0o644,
    };
    Tree::from([("f.txt".to_string(), file)])
}

fn after(files: &Tree, applied: &Applied) -> Tree {
    let mut tree = files.clone();
    for change in &applied.changes {
        match &change.after {
            None => tree.remove(&change.path),
            Some(bytes) => tree.insert(
                change.path.clone(),
                FileContent {
                    bytes: bytes.clone(),
                    mode: change.mode,
                },
            ),
        };
    }
    tree
}

fn tool(files: &Tree, arguments: Value) -> Result<Applied, EditError> {
    let call = parse_call("edit_file", &arguments)?;
    with_view(files, |view| apply_tool(view, &call))
}

fn block(search: &[String], replace: &[String]) -> String {
    let mut reply = "f.txt\n<<<<<<< SEARCH\n".to_string();
    for line in search {
        let _ = writeln!(reply, "{line}");
    }
    reply.push_str("=======\n");
    for line in replace {
        let _ = writeln!(reply, "{line}");
    }
    reply.push_str(">>>>>>> REPLACE\n");
    reply
}

fn joined(lines: &[String], ends: &[bool], last: bool) -> String {
    let mut text = String::new();
    for (n, line) in lines.iter().enumerate() {
        text.push_str(line);
        if n + 1 < lines.len() || last {
            text.push_str(if ends[n % ends.len()] { "\r\n" } else { "\n" });
        }
    }
    text
}

/// A word that is likely to be a line of its own kind, with odd characters among them.
fn line() -> impl Strategy<Value = String> {
    prop_oneof![
        4 => "[ab]{0,3}",
        2 => "[ \t]{0,4}[a-c]{1,3}[ \t]{0,2}",
        1 => "[é\u{2028}\u{a0}\u{feff}😀]{1,3}",
        1 => Just("=====".to_string()),
    ]
}

fn lines(most: usize) -> impl Strategy<Value = Vec<String>> {
    proptest::collection::vec(line(), 0..most)
}

proptest! {
    #![proptest_config(times(2))]

    /// An exact edit of the tool dialect changes its own bytes and no others.
    #[test]
    fn bytes_around_an_exact_edit_stay(
        head in "[a-c \n]{0,40}", old in "[xyz]{1,6}", new in "[a-z\n ]{0,20}", tail in "[a-c \n]{0,40}",
        crlf in any::<bool>(),
    ) {
        let tail = format!("{tail}end\n");
        let form = |text: &str| if crlf { text.replace('\n', "\r\n") } else { text.to_string() };
        let before = form(&format!("{head}{old}{tail}"));
        let files = one_file(before.as_bytes());
        let applied = tool(&files, json!({"path": "f.txt", "old": old, "new": new})).unwrap();
        let text = after(&files, &applied)["f.txt"].bytes.clone();
        prop_assert_eq!(String::from_utf8(text).unwrap(), form(&format!("{head}{new}{tail}")));
    }

    /// A block changes whole lines; what stands above and below keeps its bytes, whatever the ends.
    #[test]
    fn bytes_around_a_block_stay(
        above in lines(6), below in lines(6), old in proptest::collection::vec("[xyz]{1,3}", 1..4),
        new in lines(5), ends in proptest::collection::vec(any::<bool>(), 1..9), last in any::<bool>(),
    ) {
        let all: Vec<String> = above.iter().chain(&old).chain(&below).cloned().collect();
        // A last line that is empty and open is no line.
        prop_assume!(last || all.last().is_some_and(|line| !line.is_empty()));
        let before = joined(&all, &ends, last);
        let files = one_file(before.as_bytes());
        let unique = before.matches(&old.join("\n")).count();
        let result = with_view(&files, |view| apply_blocks(view, &block(&old, &new)));
        if unique <= 1 && result.is_err() {
            let kind = result.unwrap_err().kind;
            prop_assert_eq!(kind, mend::edit::ErrorKind::Ambiguous);
            return Ok(());
        }
        let Ok(applied) = result else { return Ok(()) };
        let text = String::from_utf8(after(&files, &applied)["f.txt"].bytes.clone()).unwrap();
        let kept = joined(&all[..above.len()], &ends, true);
        prop_assert!(text.starts_with(&kept) || above.is_empty(), "{before:?} -> {text:?}");
        let mut shifted = ends.clone();
        let by = (above.len() + old.len()) % shifted.len();
        shifted.rotate_left(by);
        let kept = joined(&below, &shifted, last);
        prop_assert!(text.ends_with(&kept), "{before:?} -> {text:?}");
        if !below.is_empty() {
            prop_assert_eq!(text.ends_with('\n'), before.ends_with('\n'));
        }
    }

    /// Editing a file of CR LF is editing the file of LF.
    #[test]
    fn line_ends_commute_with_edits(
        all in lines(10), from in 0usize..8, count in 1usize..4, new in lines(5), last in any::<bool>(),
        dialect in 0..3,
    ) {
        let lf = joined(&all, &[false], last);
        let crlf = lf.replace('\n', "\r\n");
        let old: Vec<String> = all.iter().skip(from).take(count).cloned().collect();
        let reply = block(&old, &new);
        let mut hunk = "--- f.txt\n+++ f.txt\n@@ @@\n".to_string();
        old.iter().for_each(|l| hunk.push_str(&format!("-{l}\n")));
        new.iter().for_each(|l| hunk.push_str(&format!("+{l}\n")));
        let run = |files: &Tree| match dialect {
            0 => with_view(files, |view| apply_blocks(view, &reply)),
            1 => with_view(files, |view| apply_udiff(view, &hunk)),
            _ => tool(files, json!({"path": "f.txt", "old": old.join("\n"), "new": new.join("\n")})),
        };
        let (a, b) = (one_file(lf.as_bytes()), one_file(crlf.as_bytes()));
        match (run(&a), run(&b)) {
            (Ok(x), Ok(y)) => {
                let (x, y) = (after(&a, &x), after(&b, &y));
                let x = String::from_utf8(x["f.txt"].bytes.clone()).unwrap();
                let y = String::from_utf8(y["f.txt"].bytes.clone()).unwrap();
                // Without a line end in the file there is none to learn.
                if lf.contains('\n') {
                    prop_assert_eq!(x.replace('\n', "\r\n"), y);
                } else {
                    prop_assert_eq!(x, y);
                }
            }
            (Err(x), Err(y)) => prop_assert_eq!(x.kind, y.kind),
            (x, y) => prop_assert!(false, "{x:?} but {y:?}"),
        }
    }

    /// Messages stay under their bound, whatever is in the file and in the reply.
    #[test]
    fn messages_are_bounded(body in "\\PC{0,400}", old in "\\PC{1,400}", times in 1usize..40) {
        let files = one_file(body.repeat(times).as_bytes());
        if let Err(error) = tool(&files, json!({"path": "f.txt", "old": old.repeat(times), "new": "x"})) {
            prop_assert!(error.message.len() < 4096);
        }
    }
}

/// Pieces that parsers care about.
fn piece() -> impl Strategy<Value = String> {
    prop_oneof![
        Just("<<<<<<< SEARCH\n"),
        Just("=======\n"),
        Just(">>>>>>> REPLACE\n"),
        Just("<<<<<<<< SEARCH\r\n"),
        Just("f.txt\n"),
        Just("**`f.txt`**:\n"),
        Just("in `f.txt` and\n"),
        Just("```diff\n"),
        Just("```\n"),
        Just("--- a/f.txt\n"),
        Just("+++ b/f.txt\n"),
        Just("--- /dev/null\n"),
        Just("+++ /dev/null\n"),
        Just("@@ -1,2 +1,2 @@\n"),
        Just("@@ @@\n"),
        Just("@@ -99999999999999999999,0 +1 @@\n"),
        Just("-a\n"),
        Just("+b\n"),
        Just(" a\n"),
        Just("\n"),
        Just("\\ No newline at end of file\n"),
        Just("a\n"),
        Just("b\n"),
        Just("diff --git a/f.txt b/f.txt\n"),
        Just("rename from f.txt\n"),
        Just("rename to g.txt\n"),
        Just("diff --git \"a/\\303\" \"b/\\"),
        Just("new file mode 100755\n"),
        Just("-- \n"),
        Just("é\u{2028}"),
        Just("../x\n"),
        Just(".git/x\n"),
        Just("\u{feff}"),
        Just("\r"),
        Just("*** Begin Patch\n"),
    ]
    .prop_map(String::from)
}

proptest! {
    #![proptest_config(times(6))]

    /// No reply makes the engine panic, and a refused one names no change.
    #[test]
    fn any_reply_is_answered(pieces in proptest::collection::vec(piece(), 0..24), body in "[ab\n\r]{0,12}") {
        let reply = pieces.concat();
        let files = one_file(body.as_bytes());
        for applied in [
            with_view(&files, |view| apply_blocks(view, &reply)),
            with_view(&files, |view| apply_udiff(view, &reply)),
        ] {
            match applied {
                Ok(applied) => prop_assert_eq!(applied.changes.is_empty(), applied.diff.is_empty()),
                Err(error) => prop_assert!(error.message.len() < 4096 && !error.message.is_empty()),
            }
        }
    }

    #[test]
    fn any_text_is_answered(reply in "\\PC{0,200}|[<>=\\-+@ \n`a]{0,200}") {
        let files = one_file(b"a\nb\n");
        let _ = with_view(&files, |view| apply_blocks(view, &reply));
        let _ = with_view(&files, |view| apply_udiff(view, &reply));
        let _ = parse_call_text("edit_file", &reply);
    }

    #[test]
    fn any_arguments_are_answered(
        path in "[a-z./~\\\\:%\u{0}é]{0,8}", old in "[ab \n\t\u{a0}]{0,8}", new in "[ab \n\t\r]{0,8}",
        body in "[ab \n\t\r]{0,30}", shape in 0..5,
    ) {
        let mut files = one_file(body.as_bytes());
        files.insert(".env".into(), files["f.txt"].clone());
        let path = if shape == 0 { path } else { "f.txt".to_string() };
        let arguments = match shape {
            1 => json!({"path": path, "old": old, "new": new}),
            2 => json!({"path": path, "edits": [[old], {"old": new}]}),
            3 => json!({"path": path, "content": new}),
            _ => json!({"path": path, "edits": [{"old": old, "new": new}, {"old": new, "new": old}]}),
        };
        for name in ["edit_file", "write_file"] {
            let Ok(call) = parse_call(name, &arguments) else { continue };
            if let Err(error) = with_view(&files, |view| apply_tool(view, &call)) {
                prop_assert!(error.message.len() < 4096);
            }
        }
    }
}

fn lay(root: &Path, files: &Tree) {
    for (path, file) in files {
        let path = root.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, &file.bytes).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(file.mode)).unwrap();
    }
}

fn read_back(root: &Path, folder: &Path, into: &mut Tree) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            read_back(root, &path, into);
            continue;
        }
        let name = path
            .strip_prefix(root)
            .unwrap()
            .to_str()
            .unwrap()
            .to_string();
        let file = FileContent {
            bytes: fs::read(&path).unwrap(),
            mode: fs::metadata(&path).unwrap().permissions().mode() & 0o777,
        };
        into.insert(name, file);
    }
}

proptest! {
    #![proptest_config(times(1))]

    /// The rendered diff, by `git apply`, gives the new tree.
    #[test]
    fn git_applies_the_diff(
        all in lines(30), new in lines(30), ends in proptest::collection::vec(any::<bool>(), 1..5),
        last in any::<bool>(), new_last in any::<bool>(), old_mode in any::<bool>(), mode in any::<bool>(),
        name in "[a-z \"\\\\é]{1,6}", made in lines(4), gone in lines(4),
    ) {
        let text = |lines: &[String], last: bool| joined(lines, &ends, last).into_bytes();
        let mode_of = |x: bool| if x { 0o755 } else { 0o644 };
        let path = format!("sub folder/{}x", name.trim());
        let change = |path: &str, before: Option<Vec<u8>>, after: Option<Vec<u8>>| mend::edit::FileChange {
            path: path.to_string(), before, after, old_mode: mode_of(old_mode), mode: mode_of(mode),
        };
        let changes: Vec<_> = [
            change("gone", Some(text(&gone, true)), None),
            change(&path, Some(text(&all, last)), Some(text(&new, new_last))),
            change("made", None, Some(text(&made, new_last))),
        ].into_iter().filter(|c| c.before != c.after || c.old_mode != c.mode).collect();
        let diff = mend::edit::unified_diff(&changes);

        let folder = tempfile::tempdir().unwrap();
        let (mut old_tree, mut new_tree) = (Tree::new(), Tree::new());
        for c in &changes {
            if let Some(bytes) = &c.before {
                old_tree.insert(c.path.clone(), FileContent { bytes: bytes.clone(), mode: c.old_mode });
            }
            if let Some(bytes) = &c.after {
                new_tree.insert(c.path.clone(), FileContent { bytes: bytes.clone(), mode: c.mode });
            }
        }
        let root = folder.path().join("w");
        fs::create_dir_all(&root).unwrap();
        lay(&root, &old_tree);
        let patch = folder.path().join("patch");
        fs::write(&patch, &diff).unwrap();
        let run = Command::new("git")
            .args(["-c", "core.autocrlf=false", "apply", "--whitespace=nowarn"])
            .arg(&patch)
            .current_dir(&root)
            .env("GIT_CEILING_DIRECTORIES", folder.path())
            .output()
            .unwrap();
        prop_assert!(run.status.success(), "{}\n{diff}", String::from_utf8_lossy(&run.stderr));
        let mut got = Tree::new();
        read_back(&root, &root, &mut got);
        prop_assert_eq!(got, new_tree, "{}", diff);
    }
}

/// Limits of time are generous: the tests run unoptimised and beside others.
fn soon(what: &str, body: impl FnOnce()) {
    let start = Instant::now();
    body();
    let took = start.elapsed();
    assert!(took < Duration::from_secs(60), "{what}: {took:?}");
}

#[test]
fn a_megabyte_of_markers_ends_soon() {
    let files = one_file("=======\n".repeat(20_000).as_bytes());
    for (what, text) in [
        ("openings", "<<<<<<< SEARCH\n".repeat(70_000)),
        (
            "dividers",
            format!(
                "f.txt\n<<<<<<< SEARCH\n{}>>>>>>> REPLACE\n",
                "=======\n".repeat(130_000)
            ),
        ),
        ("closings", ">>>>>>> REPLACE\n".repeat(65_000)),
        (
            "blocks",
            "f.txt\n<<<<<<< SEARCH\nx\n=======\n>>>>>>> REPLACE\n".repeat(20_000),
        ),
        ("headers", "--- a/f.txt\n+++ b/f.txt\n".repeat(45_000)),
        (
            "hunks",
            format!(
                "--- f.txt\n+++ f.txt\n{}",
                "@@ -1 +1 @@\n-=======\n".repeat(45_000)
            ),
        ),
        (
            "one hunk",
            format!(
                "--- f.txt\n+++ f.txt\n@@ -1 +1 @@\n{}",
                "--- x\n+++ y\n".repeat(80_000)
            ),
        ),
        (
            "long hunk",
            format!(
                "--- f.txt\n+++ f.txt\n@@ -1 +1 @@\n{}",
                "+x\n".repeat(300_000)
            ),
        ),
        (
            "blank hunk",
            format!(
                "--- f.txt\n+++ f.txt\n@@ -1,900000 +1,900000 @@\n-x\n{}",
                "\n".repeat(900_000)
            ),
        ),
        ("fences", "```\n".repeat(250_000)),
        (
            "names",
            format!(
                "{}\n<<<<<<< SEARCH\n=======\n>>>>>>> REPLACE\n",
                "`f.txt` ".repeat(130_000)
            ),
        ),
        ("one line", "<".repeat(1_000_000)),
    ] {
        soon(what, || {
            let _ = with_view(&files, |view| apply_blocks(view, &text));
            let _ = with_view(&files, |view| apply_udiff(view, &text));
        });
    }
}

#[test]
fn a_large_file_is_searched_soon() {
    let mut body = String::new();
    for n in 0..32_000 {
        let _ = writeln!(body, "    value_{n} = compute({n})");
    }
    let files = one_file(body.as_bytes());
    let block = |lines: usize| -> String {
        (20_000..20_000 + lines)
            .map(|n| format!("  value_{n} = computed({n})\n"))
            .collect()
    };
    for lines in [1, 8, 120, 5000] {
        soon("a miss", || {
            tool(
                &files,
                json!({"path": "f.txt", "old": block(lines), "new": "x"}),
            )
            .unwrap_err();
        });
    }
    let repeated = one_file("x = 1\n".repeat(100_000).as_bytes());
    for lines in [1, 1000, 30_000] {
        soon("a repeated line", || {
            tool(
                &repeated,
                json!({"path": "f.txt", "old": " x = 1\n".repeat(lines), "new": "x"}),
            )
            .unwrap_err();
        });
    }
    let turned: String = body.lines().rev().map(|l| format!("{l}\n")).collect();
    soon("a file written anew", || {
        let call = parse_call("write_file", &json!({"path": "f.txt", "content": turned})).unwrap();
        with_view(&files, |view| apply_tool(view, &call)).unwrap();
    });
}
