//! A finished set-up, as checks use it.

use super::super::run::blocking;
use super::{Ecosystem, SetUpFile, place};
use crate::check::{CheckCommand, CheckError, RunOptions};
use crate::domain::{
    CheckRun, Classification, Exit, Kind, Outcome, SET_UP_FAILED, SetUpFailure, SetUpReport,
    Traffic,
};
use crate::sandbox::Mount;
use crate::tree::{RelPath, Tree, copy_tree, fill_tree, make_folder};
use regex::Regex;
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

/// What came of a set-up.
#[derive(Debug, Clone)]
pub struct Prepared {
    pub report: SetUpReport,
    pub(super) kept: Option<Kept>,
    pub(super) env: Vec<(String, String)>,
    pub(super) files: Vec<SetUpFile>,
}

/// The folder of a set-up that went well.
#[derive(Debug, Clone)]
pub(super) struct Kept {
    pub folder: PathBuf,
    pub done: Done,
}

/// What is written beside the dependencies.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Done {
    pub report: SetUpReport,
    pub ecosystems: Vec<String>,
    pub venv: bool,
    /// Folders of the project, each with the name under which it lies in `deps`.
    pub folders: Vec<(String, String)>,
}

impl Prepared {
    /// Lays what the set-up left into a check's tree and says how the check has to run. `beside`
    /// is a folder of this run alone. Gives the files that it added to the tree.
    pub(crate) async fn lay(
        &self,
        copy: &Path,
        beside: &Path,
        options: &mut RunOptions,
    ) -> Result<Vec<RelPath>, CheckError> {
        let Some(kept) = self.kept.clone() else {
            return Ok(Vec::new());
        };
        options.env.extend(self.env.iter().cloned());
        options
            .mounts
            .push(place::deps(&kept.folder.join("deps"), false));
        for file in self.files.iter().filter(|f| f.in_checks) {
            options.mounts.push(Mount {
                host: file.host.clone(),
                inside: file.inside.clone(),
                writable: false,
            });
        }
        let mut scratch = Vec::new();
        for (n, (at, name)) in kept.done.folders.iter().enumerate() {
            let inside = Path::new(crate::sandbox::WORK).join(at);
            options.mounts.push(Mount {
                host: kept.folder.join("deps").join(name),
                inside: inside.clone(),
                writable: false,
            });
            if at.ends_with("node_modules") {
                for written in place::WRITTEN {
                    let host = beside.join(format!("{n}{written}"));
                    options.mounts.push(Mount {
                        host: host.clone(),
                        inside: inside.join(written),
                        writable: true,
                    });
                    scratch.push(host);
                }
            }
        }
        let gradle = kept.folder.join("deps").join(place::GRADLE);
        let own = beside.join(place::GRADLE);
        let has_gradle = super::leave::is_folder(&gradle);
        if has_gradle {
            options.mounts.push(Mount {
                host: own.clone(),
                inside: Path::new(place::DEPS).join(place::GRADLE),
                writable: true,
            });
        }
        let (tree, copy) = (kept.folder.join("tree"), copy.to_path_buf());
        blocking(move || {
            if has_gradle {
                copy_tree(&Tree::open(&gradle)?, &own, &|_| false)?;
            }
            for folder in scratch {
                make_folder(&folder, 0o777)?;
            }
            let (from, to) = (Tree::open(&tree)?, Tree::open(&copy)?);
            let mut added = Vec::new();
            for entry in from.walk()? {
                if to.stat(&entry.path).is_ok_and(|there| there.is_none()) {
                    added.push(entry.path);
                }
            }
            fill_tree(&from, &copy)?;
            Ok(added)
        })
        .await
    }

    /// By what the state of the dependencies is known; empty where there are none.
    pub(crate) fn key(&self) -> String {
        let name = self.kept.as_ref().and_then(|k| k.folder.file_name());
        name.map_or(String::new(), |n| n.to_string_lossy().into_owned())
    }

    /// What the commands come to without a set-up: they didn't start.
    pub(crate) fn not_started(
        &self,
        commands: &[CheckCommand],
        options: &RunOptions,
    ) -> Option<Vec<CheckRun>> {
        let failed = self.report.failed.as_ref()?;
        let own = own_code(&failed.tail).filter(|_| !self.report.was_refused());
        let reason = match &own {
            // No other set-up mends that; the check would have come to the same.
            Some(own) => own.said.clone(),
            None => self.reason(failed),
        };
        let reason = crate::text::one_line(&crate::text::visible(&reason));
        let reason = crate::text::clip_words(reason.trim_end_matches(['.', '…']), 300) + ".";
        let named = match &own {
            Some(own) => vec![own.file.clone()],
            None => places(&failed.tail, &options.files),
        };
        let base = options.base.as_deref().unwrap_or_default();
        let base_started = base
            .iter()
            .any(|run| run.classification.outcome != Outcome::DidntStart);
        let run = |command: &CheckCommand| CheckRun {
            command: command.shown(),
            exit: Exit::Code(1),
            duration_ms: 0,
            output: format!(
                "{}\n\nset-up: {}\n",
                failed.tail,
                self.report.traffic.words()
            ),
            classification: Classification {
                outcome: Outcome::DidntStart,
                kind: Some(own.as_ref().map_or(Kind::Setup, |_| Kind::Build)),
                tests: None,
                failed_names: Vec::new(),
                failing: Vec::new(),
                reason: reason.clone(),
                blames_change: base_started
                    && named.iter().any(|file| options.changed.contains(file)),
                named_files: named.clone(),
                narrowed: command.narrowed,
                runner: None,
                flaky: Vec::new(),
                evidence: vec!["the set-up failed, so the command was not run".into()],
            },
        };
        Some(commands.iter().map(run).collect())
    }

    fn reason(&self, failed: &SetUpFailure) -> String {
        let last = telling(&failed.tail).map_or(String::new(), |l| {
            let line = l.replace("/repo/", "");
            format!(
                ": {}",
                crate::text::clip_words(line.trim_end_matches('.'), 180)
            )
        });
        format!(
            "{SET_UP_FAILED}`{}` {}{last}{}",
            failed.command,
            failed.how,
            refused(&self.report.traffic)
        )
    }
}

/// What a compiler says of the project's own code.
struct OwnCode {
    said: String,
    file: String,
}

/// How javac, by itself and through Maven, the compilers of Kotlin and Scala, and those of .NET
/// name a place; an older Gradle writes the task before it on the same line.
static PLACE: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(
        r"^(?:\[ERROR\] |\[error\] |e: |:[\w:-]+)?(?:file://)?/repo/(?P<file>[^\s:(]+\.(?:java|kts?|scala|groovy|cs|fs|vb))(?::\[?[0-9]+|: ?\(|\([0-9]+,).*$",
    )
    .ok()
});

/// The first line by which a compiler refuses the project's own code, where a step compiles it.
fn own_code(tail: &str) -> Option<OwnCode> {
    let place = PLACE.as_ref()?;
    tail.lines().find_map(|line| {
        let found = place.captures(line.trim())?;
        let warns = line.contains(": warning") || line.contains("[WARNING]");
        let file = found.name("file")?.as_str().to_string();
        let from = found.name("file")?.start();
        let said = line.trim().get(from..)?.replace("/repo/", "");
        (!warns).then_some(OwnCode { said, file })
    })
}

/// The project's files of which the output of a set-up names lines, as the traceback of a script of
/// the project does: its failure may be the very thing that was reported.
fn places(tail: &str, files: &[String]) -> Vec<String> {
    static LINE: LazyLock<Option<Regex>> =
        LazyLock::new(|| Regex::new(r#"/repo/([^\s":(]+)(?:", line |:|\()[0-9]"#).ok());
    let mut named: Vec<String> = Vec::new();
    let found = LINE.iter().flat_map(|line| line.captures_iter(tail));
    for file in found.map(|place| place[1].to_string()) {
        if files.contains(&file) && !named.contains(&file) {
            named.push(file);
        }
    }
    named
}

/// The hosts that mend refused to a failed set-up, which is most likely why it failed.
fn refused(traffic: &Traffic) -> String {
    let by_policy = traffic.refused.iter().filter(|r| r.by_policy);
    let hosts: Vec<String> = by_policy
        .take(2)
        .map(|r| crate::text::clip_words(&r.host, 80))
        .collect();
    match hosts.is_empty() {
        true => String::new(),
        false => format!("; refused: {}", hosts.join(", ")),
    }
}

/// The line of a failed step that says most: npm's first in words; what a compiler or Maven says
/// first; what Gradle says went wrong; what was not fetched; an exception's; else the last that
/// speaks of an error, else the last.
fn telling(tail: &str) -> Option<&str> {
    let lines = || tail.lines().map(str::trim).filter(|l| !l.is_empty());
    let of_npm = |l| str::strip_prefix(l, "npm error ").or_else(|| l.strip_prefix("npm ERR! "));
    let labels = ["code ", "errno ", "syscall ", "path ", "A complete log"];
    let said = lines()
        .filter_map(of_npm)
        .find(|l| !labels.iter().any(|label| l.starts_with(label)));
    let of_maven = |l| str::strip_prefix(l, "[ERROR] ").map(str::trim);
    let heading = |l: &&str| l.is_empty() || l.starts_with("COMPILATION ERROR");
    let compiled = |l: &&str| l.contains(": error: ");
    let unfetched = ["could not be downloaded", "Could not fetch", "Forbidden"];
    let exception = |l: &&str| l.contains("Error: ") && !l.contains("subprocess");
    let speaks = |l: &&str| l.to_lowercase().starts_with("error") || l.contains(" error ");
    said.map(str::trim)
        .or_else(|| lines().filter_map(of_maven).find(|l| !heading(l)))
        .or_else(|| lines().find(compiled))
        .or_else(|| went_wrong(tail))
        .or_else(|| lines().find(|l| unfetched.iter().any(|w| l.contains(w))))
        .or_else(|| lines().rfind(exception))
        .or_else(|| lines().rfind(speaks))
        .or_else(|| lines().next_back())
}

/// What stands under Gradle's `What went wrong:`: the cause where one is given.
fn went_wrong(tail: &str) -> Option<&str> {
    let (_, after) = tail.rsplit_once("* What went wrong:")?;
    let lines = || {
        let all = after.lines().map(str::trim);
        all.skip_while(|l| l.is_empty())
            .take_while(|l| !l.is_empty())
    };
    let cause = lines().filter_map(|l| l.strip_prefix("> ")).last();
    cause.map(str::trim).or_else(|| lines().next())
}

/// Ecosystems by the names under which they are written down.
pub(super) fn named(names: &[String]) -> Vec<Ecosystem> {
    let all = [
        Ecosystem::Python,
        Ecosystem::Node,
        Ecosystem::Rust,
        Ecosystem::Go,
        Ecosystem::Ruby,
        Ecosystem::Php,
        Ecosystem::Jvm,
        Ecosystem::Elixir,
        Ecosystem::Dotnet,
    ];
    all.into_iter()
        .filter(|e| names.contains(&format!("{e:?}")))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::{own_code, places, telling};

    #[test]
    fn files_of_the_project_in_what_a_set_up_prints() {
        let files = ["tools/build.py", "gen/make.js", "a.c"].map(String::from);
        for (tail, named) in [
            (
                "  File \"/repo/tools/build.py\", line 81, in <module>\n  File \"/usr/lib/python3/shlex.py\", line 3",
                vec!["tools/build.py"],
            ),
            (
                "    at run (/repo/gen/make.js:3:7)\n/repo/a.c:1:1: error",
                vec!["gen/make.js", "a.c"],
            ),
            ("npm error path /repo/gen/make.js\n/repo/other.js:3", vec![]),
        ] {
            assert_eq!(places(tail, &files), named, "{tail}");
        }
    }

    #[test]
    fn what_a_compiler_says_of_the_projects_own_code() {
        for (tail, said) in [
            (
                "[ERROR] COMPILATION ERROR : \n[ERROR] /repo/src/A.java:[3,4] cannot find symbol\n",
                "src/A.java:[3,4] cannot find symbol",
            ),
            (
                "> Task :compileTestJava FAILED\n/repo/src/A.java:2: warning: [x] y\n/repo/src/A.java:3: error: ';' expected\n",
                "src/A.java:3: error: ';' expected",
            ),
            (
                ":compileTestJava/repo/src/A.java:2: error: ';' expected\n",
                "src/A.java:2: error: ';' expected",
            ),
            (
                "e: file:///repo/src/a.kt:3:5 Unresolved reference: b",
                "src/a.kt:3:5 Unresolved reference: b",
            ),
            (
                "/repo/A.cs(3,4): error CS1002: ; expected [/repo/a.csproj]",
                "A.cs(3,4): error CS1002: ; expected [a.csproj]",
            ),
        ] {
            let own = own_code(tail);
            assert_eq!(own.map(|own| own.said).as_deref(), Some(said), "{tail}");
        }
        for tail in [
            "[ERROR] Failed to execute goal on project a: Could not resolve dependencies",
            "/deps/x/A.java:3: error: ';' expected",
            "npm error code E403",
            "/repo/src/a.c:1:10: fatal error: Python.h: No such file or directory",
        ] {
            assert!(own_code(tail).is_none(), "{tail}");
        }
    }

    #[test]
    fn the_line_that_says_most() {
        for (tail, line) in [
            (
                "npm error code E403\nnpm error 403 Forbidden - GET x\nnpm error A complete log",
                "403 Forbidden - GET x",
            ),
            (
                "[ERROR] COMPILATION ERROR : \n[ERROR] /repo/A.java:[3,4] cannot find symbol\n[ERROR] -> [Help 1]\n[ERROR] [Help 1] http://x",
                "/repo/A.java:[3,4] cannot find symbol",
            ),
            (
                "/repo/A.java:3: error: cannot find symbol\n1 error\n\n* What went wrong:\nExecution failed for task ':compileJava'.\n> Compilation failed; see the compiler error output for details.\n",
                "/repo/A.java:3: error: cannot find symbol",
            ),
            (
                "* What went wrong:\nCould not resolve all files for configuration ':c'.\n> Could not find junit:junit:9.\n\n* Try:\nRun with",
                "Could not find junit:junit:9.",
            ),
            (
                "  The \"https://repo.packagist.org/packages.json\" file could not be downloaded: no\n\ninstall [--dev] [--] [<packages>]...",
                "The \"https://repo.packagist.org/packages.json\" file could not be downloaded: no",
            ),
            (
                "Traceback\nImportError: no\nsubprocess-exited-with-error",
                "ImportError: no",
            ),
            ("a\nb\n", "b"),
        ] {
            assert_eq!(telling(tail), Some(line));
        }
        assert_eq!(telling(" \n"), None);
    }
}
