//! Which files of the project an output names, in the part of it that speaks of errors.

use super::places::{Extensions, is_neutral, package, tokens};
use super::roots;
use super::text::Text;
use std::collections::{HashMap, HashSet};

/// The project's files, for looking up what an output calls them.
pub(super) struct Project<'a> {
    files: HashMap<&'a str, ()>,
    by_base: HashMap<&'a str, Vec<&'a str>>,
    /// Files whose names have no dot (`Makefile`, `run_tests`).
    bare: Vec<&'a str>,
    /// First and second byte of the extensions that the project's files have.
    extensions: Extensions,
    /// Where the project lay when the output was written, longest first.
    pub(super) roots: Vec<String>,
}

/// A file that a line names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Named<'a> {
    pub(super) file: &'a str,
    pub(super) at: usize,
    /// The number after it.
    pub(super) line: Option<u64>,
}

/// Files without a dot in their names that are looked for.
const MOST_BARE: usize = 32;
/// Places of one file that are kept; more say nothing new.
const MOST_PLACES: usize = 500;

/// Folders of other people's code; what lies there is never the project's.
const FOREIGN: &[&str] = &[
    "site-packages",
    "dist-packages",
    "node_modules",
    "vendor_ruby",
    ".cargo",
    ".rustup",
    "gems",
    "rubygems",
    ".venv",
    "venv",
    "virtualenv",
];

pub(super) fn base(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

impl<'a> Project<'a> {
    pub(super) fn new(files: impl Iterator<Item = &'a str>, text: &Text) -> Project<'a> {
        let mut project = Project {
            files: HashMap::new(),
            by_base: HashMap::new(),
            bare: Vec::new(),
            extensions: Extensions::default(),
            roots: Vec::new(),
        };
        for file in files {
            if file.is_empty() || project.files.insert(file, ()).is_some() {
                continue;
            }
            let bases = project.by_base.entry(base(file)).or_default();
            bases.push(file);
            project.extensions.add(base(file));
            if !base(file).contains('.') {
                project.bare.push(file);
            }
        }
        project.roots = roots::find(text, &project.by_base, &project.extensions);
        project
    }

    fn exact(&self, path: &str) -> Option<&'a str> {
        self.files.get_key_value(path).map(|(file, ())| *file)
    }

    /// The file that `path` means, seen from the project's root. `context` settles a name that
    /// several files have.
    pub(super) fn resolve(&self, path: &str, context: &Context<'_>) -> Option<&'a str> {
        let bases = self.by_base.get(base(path))?;
        for root in &self.roots {
            // Glued words may stand before the root (`:compileJava/repo/src/..`).
            if let Some(at) = path.find(&format!("{root}/")) {
                let inner = &path[at + root.len() + 1..];
                if is_foreign(inner) {
                    return None;
                }
                let glued = at == 0 || !path[..at].contains('/');
                if glued || path[..at].ends_with('/') {
                    return self.exact(&normal(inner, ""));
                }
            }
        }
        if is_foreign(path) || path.starts_with('/') || path.starts_with('~') {
            return None;
        }
        let plain = normal(path, "");
        if let Some(file) = self.exact(&plain) {
            return Some(file);
        }
        for folder in context.folders {
            let folder = self.relative(folder);
            if let Some(file) = self.exact(&normal(path, &folder)) {
                return Some(file);
            }
        }
        let plain = plain.trim_start_matches("../");
        if let Some(file) = self.exact(plain) {
            return Some(file);
        }
        let matching: Vec<&'a str> = bases
            .iter()
            .filter(|file| {
                file.strip_suffix(plain)
                    .is_some_and(|rest| rest.ends_with('/'))
            })
            .copied()
            .collect();
        match matching[..] {
            [only] => Some(only),
            [] => None,
            _ => {
                let (text, at) = context.place?;
                settle(&matching, &package(text, at, path)?)
            }
        }
    }

    fn relative(&self, folder: &str) -> String {
        for root in &self.roots {
            if folder == root {
                return String::new();
            }
            if let Some(inner) = folder.strip_prefix(&format!("{root}/")) {
                return inner.to_string();
            }
        }
        folder.to_string()
    }

    /// Every project file that the error part of the text names, with each of its places.
    pub(super) fn named(&self, text: &Text, command: &str) -> Vec<Named<'a>> {
        let mut found = Vec::new();
        let mut places: HashMap<&str, usize> = HashMap::new();
        // Names that are known well enough.
        let mut done: HashSet<&str> = HashSet::new();
        let mut folders: Vec<String> = Vec::new();
        let skipped = entry_frames(self, text, command);
        for (at, line) in text.lines() {
            enter(line, &mut folders);
            if line.is_empty() {
                continue;
            }
            let bare = self
                .bare
                .iter()
                .take(MOST_BARE)
                .any(|file| line.contains(base(file)));
            if !bare && !self.extensions.occur(line) {
                continue;
            }
            let mut neutral = None;
            for token in tokens(line) {
                let name = base(token.text);
                if done.contains(name) || !self.by_base.contains_key(name) {
                    continue;
                }
                let context = Context {
                    folders: &folders,
                    place: Some((text, at)),
                };
                let Some(file) = self.resolve(token.text, &context) else {
                    continue;
                };
                if self.bare.contains(&file) && !token.placed {
                    continue;
                }
                let seen = places.entry(file).or_insert(0usize);
                if *seen >= MOST_PLACES {
                    if self.by_base.get(name).is_some_and(|files| files.len() == 1) {
                        done.insert(name);
                    }
                    continue;
                }
                let neutral =
                    *neutral.get_or_insert_with(|| is_neutral(line) || skipped.contains(&at));
                if !neutral {
                    *seen += 1;
                    found.push(Named {
                        file,
                        at,
                        line: token.line,
                    });
                }
            }
        }
        found
    }
}

/// What surrounds a path.
#[derive(Default)]
pub(super) struct Context<'a> {
    /// Folders that a build tool said it entered, innermost last.
    pub(super) folders: &'a [String],
    /// Where the path stands, for settling a name that several files have.
    pub(super) place: Option<(&'a Text, usize)>,
}

/// Of several files with one name, the one whose folder the package ends with.
fn settle<'a>(files: &[&'a str], package: &str) -> Option<&'a str> {
    let score = |file: &&&str| {
        let folder = file.rsplit_once('/').map_or("", |(folder, _)| folder);
        let fits = folder.is_empty()
            || package == folder
            || package.ends_with(&format!("/{folder}"))
            || folder.ends_with(package);
        fits.then_some(folder.len())
    };
    let mut fitting: Vec<&&str> = files.iter().filter(|f| score(f).is_some()).collect();
    fitting.sort_by_key(|f| std::cmp::Reverse(score(f)));
    fitting.first().map(|f| **f)
}

/// `make[1]: Entering directory '/repo/sub'` and the like.
fn enter(line: &str, folders: &mut Vec<String>) {
    if !line.contains("ing directory ") {
        return;
    }
    if let Some((_, rest)) = line.split_once(": Entering directory ") {
        folders.push(rest.trim_matches(|c| "'`\"".contains(c)).to_string());
    } else if line.contains(": Leaving directory ") {
        folders.pop();
    }
}

/// Joins and removes `.` and `..`; leading `..` stay.
fn normal(path: &str, folder: &str) -> String {
    let path = path.replace('\\', "/");
    let mut parts: Vec<&str> = Vec::new();
    for part in folder.split('/').chain(path.split('/')) {
        match part {
            "" | "." => {}
            ".." if parts.last().is_some_and(|p| *p != "..") => {
                parts.pop();
            }
            part => parts.push(part),
        }
    }
    parts.join("/")
}

pub(super) fn is_foreign(path: &str) -> bool {
    path.split('/').any(|part| FOREIGN.contains(&part))
}

/// Frames of the script that the command started: they head every traceback, and count only where
/// no other project file follows.
fn entry_frames(project: &Project<'_>, text: &Text, command: &str) -> Vec<usize> {
    let mut skipped = Vec::new();
    let mut entry: Option<usize> = None;
    for (at, line) in text.lines() {
        let frame = line
            .trim_start_matches(['E', ' ', '#'])
            .strip_prefix("File \"");
        let Some(path) = frame.and_then(|rest| rest.split('"').next()) else {
            if line.contains("Traceback (most recent call last)") {
                entry = None;
            }
            continue;
        };
        let Some(file) = project.resolve(path, &Context::default()) else {
            continue;
        };
        let started = command
            .split_whitespace()
            .any(|word| word.trim_start_matches("./") == file);
        if started && line.ends_with("in <module>") && entry.is_none() {
            entry = Some(at);
        } else if let Some(first) = entry.take() {
            skipped.push(first);
        }
    }
    skipped
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named(files: &[&'static str], output: &str) -> Vec<&'static str> {
        let text = Text::new(output.as_bytes());
        let project = Project::new(files.iter().copied(), &text);
        let mut found: Vec<_> = project.named(&text, "").iter().map(|n| n.file).collect();
        found.dedup();
        found
    }

    #[test]
    fn whole_components_only() {
        let files = &["calc.py", "tests/test_calc.py"];
        assert_eq!(
            named(files, "tests/test_calc.py:3: error"),
            ["tests/test_calc.py"]
        );
        assert_eq!(
            named(files, "/venv/lib/python3/site-packages/x/calc.py:3"),
            [""; 0]
        );
        assert_eq!(named(files, "File \"/repo/calc.py\", line 1"), ["calc.py"]);
        assert_eq!(named(files, "see xcalc.py and calc.python"), [""; 0]);
    }

    #[test]
    fn any_root_and_glued_words() {
        let files = &["src/main/java/x/Calc.java", "pom.xml"];
        assert_eq!(
            named(
                files,
                ":compileJava/home/ci/p/src/main/java/x/Calc.java:5: error"
            ),
            ["src/main/java/x/Calc.java"]
        );
        assert_eq!(
            named(
                files,
                ":compileJava/repo/src/main/java/x/Calc.java:5: error"
            ),
            ["src/main/java/x/Calc.java"]
        );
        assert_eq!(
            named(files, "at file:///repo/src/main/java/x/Calc.java:5"),
            ["src/main/java/x/Calc.java"]
        );
    }

    #[test]
    fn a_base_name_needs_to_be_unique_or_settled() {
        let files = &["a/geo_test.go", "internal/geo/geo_test.go"];
        assert_eq!(named(files, "    geo_test.go:7: x"), [""; 0]);
        let text = "    geo_test.go:7: x\nFAIL\texample.com/calc/internal/geo\t0.1s";
        assert_eq!(named(files, text), ["internal/geo/geo_test.go"]);
        let java = &["src/x/CalcTest.java", "src/y/CalcTest.java"];
        assert_eq!(
            named(java, "\tat y.CalcTest.adds(CalcTest.java:10)"),
            ["src/y/CalcTest.java"]
        );
    }

    #[test]
    fn folders_that_were_entered_count() {
        let text = "make[1]: Entering directory '/repo/sub'\nx.c:1:2: error: y\nmake[1]: Leaving directory '/repo/sub'";
        assert_eq!(named(&["sub/x.c", "other/x.c"], text), ["sub/x.c"]);
        assert_eq!(named(&["src/x.c"], "../src/x.c:1: error: y"), ["src/x.c"]);
    }

    #[test]
    fn a_file_without_a_dot_needs_a_place() {
        assert_eq!(
            named(&["Makefile"], "Makefile:3: *** missing separator.  Stop."),
            ["Makefile"]
        );
        assert_eq!(named(&["Makefile"], "no Makefile here"), [""; 0]);
    }
}
