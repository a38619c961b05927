//! GC-01, GC-04: which programs the server starts, as the kernel tells it.

use crate::program::{Base, Site, fixing};
use crate::world::{PROJECT, REPO};
use mend::domain::Verdict;
use std::time::Duration;

/// The test of the project, which leaves a git folder full of traps where it ran.
const TRAPS: &str = r#"import os, unittest

from adder import add, double


class SumsTest(unittest.TestCase):
    def test_add(self):
        os.makedirs('.git/hooks', exist_ok=True)
        with open('.git/config', 'w') as file:
            file.write("""[core]
\tfsmonitor = touch MARK
\thooksPath = .git/hooks
\tpager = touch MARK
[filter "x"]
\tclean = touch MARK
\tsmudge = touch MARK
[diff]
\texternal = touch MARK
""")
        for hook in ('post-checkout', 'pre-push', 'post-index-change', 'pre-commit'):
            path = '.git/hooks/' + hook
            open(path, 'w').write('#!/bin/sh\ntouch MARK\n')
            os.chmod(path, 0o755)
        self.assertEqual(add(2, 3), 5)

    def test_double(self):
        self.assertEqual(double(4), 8)
"#;

/// A whole task of a hostile repository, its server watched by strace: whatever git's files say, the
/// server itself starts bubblewrap and nothing else, git's own programs least of all.
#[tokio::test(flavor = "multi_thread")]
async fn gc_01_gc_04_the_server_starts_the_sandbox_and_nothing_else() {
    let mut site = Site::new(Base::Sqlite, fixing(Duration::ZERO).await).await;
    let mark = site.state("mark").display().to_string();
    let trace = site.state("trace");
    let traps = TRAPS.replace("MARK", &mark);
    let modules = format!(
        "[submodule \"m\"]\n\tpath = m\n\turl = ext::sh -c touch%20{mark}\n\tupdate = !touch {mark}\n"
    );
    let more = [
        (".gitmodules", modules.as_str()),
        (".gitattributes", "* filter=x diff=x merge=x\n"),
        ("tests/test_sums.py", traps.as_str()),
    ];
    let kept = PROJECT
        .iter()
        .filter(|(path, _)| more.iter().all(|(p, _)| p != path));
    let hostile = "acme/hostile";
    site.sim
        .create_repo(hostile, kept.copied().chain(more))
        .unwrap();
    // Threads and forks are followed until they become a program; what that one does is not asked.
    site.under = [
        "strace",
        "-D",
        "-f",
        "-b",
        "execve",
        "-qq",
        "-s",
        "4096",
        "-e",
        "signal=none",
        "-e",
    ]
    .map(String::from)
    .to_vec();
    let output = trace.display().to_string();
    site.under
        .extend(["trace=execve,execveat", "-o", &output].map(String::from));
    let server = site.start("all", "all", &[]);
    site.listens().await;
    let issue = site.label_in(hostile);
    let store = site.store("all").await;
    let tasks = site.ended(&store, 1).await;
    assert_eq!(tasks[0].verdict, Some(Verdict::Ready), "{}", site.logs());
    site.fixed_once(hostile, issue);
    assert_ne!(hostile, REPO);
    store.close().await;
    drop(server);
    let trace = std::fs::read_to_string(&trace).unwrap();
    let started: Vec<&str> = trace
        .lines()
        .filter_map(|line| line.split_once("execve(\"")?.1.split('"').next())
        .collect();
    let (mend, others): (Vec<&str>, Vec<&str>) = started
        .iter()
        .partition(|program| **program == env!("CARGO_BIN_EXE_mend"));
    assert_eq!(mend.len(), 1, "{trace}");
    // The probe, the base, the change and what tests are run again.
    assert!(others.len() >= 3, "{trace}");
    assert!(
        others.iter().all(|program| program.ends_with("/bwrap")),
        "{trace}"
    );
    assert!(!std::path::Path::new(&mark).exists());
    site.sim.shutdown().await;
}
