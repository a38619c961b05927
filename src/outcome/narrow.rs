//! Whether a command runs only a part of the suite (rule C7).

use super::narrow_options::{FAMILIES, Family, VARIABLES};

/// The reason for calling a command narrowed, or `None`. `files` are the project's.
pub(super) fn narrowed(command: &str, files: &[String]) -> Option<String> {
    let words = split(command);
    let mut family: Option<&Family> = None;
    let mut paths: Vec<&str> = Vec::new();
    let mut bats = false;
    for word in &words {
        let word = word.as_str();
        if matches!(word, "&&" | ";" | "||" | "|") {
            family = None;
            continue;
        }
        let name = word.rsplit('/').next().unwrap_or(word);
        if let Some(found) = FAMILIES
            .iter()
            .find(|f| f.words.contains(&name) || f.words.contains(&word))
        {
            family = Some(found);
            bats = name == "bats";
            continue;
        }
        let option = word.split('=').next().unwrap_or(word);
        let glued = |o: &str| {
            o.len() == 2
                && !o.starts_with("--")
                && word.starts_with(o)
                && word.len() > 2
                && word.as_bytes()[2].is_ascii_uppercase()
        };
        // The others of bats' family call a format so.
        let is_format = family.is_some_and(|f| f.words.contains(&"bats")) && !bats;
        if let Some(family) = family
            && family.options.iter().any(|o| *o == option || glued(o))
            && !(option == "-t" && family.words.contains(&"bats"))
            && !(option == "-f" && is_format)
        {
            return Some(format!("the option {option}"));
        }
        if VARIABLES.iter().any(|v| word.starts_with(v)) || word.starts_with("--gtest_filter=") {
            return Some(format!("the variable {option}"));
        }
        let id = word.contains(".py::") || family.is_some() && word.contains("::");
        if id && !word.starts_with('-') {
            return Some(format!("the test {word}"));
        }
        if !word.starts_with('-') {
            paths.push(word);
        }
    }
    packages_chosen(&words, files)
        .or_else(|| scripts_chosen(&words, files))
        .or_else(|| files_chosen(&paths, files))
}

/// The words of the command that begins with these, up to the next operator.
fn arguments<'a>(words: &'a [String], begin: &[&str]) -> Option<&'a [String]> {
    let at = words.windows(begin.len()).position(|w| w == begin)?;
    let rest = &words[at + begin.len()..];
    let operator = |w: &String| matches!(w.as_str(), "&&" | ";" | "||" | "|");
    let end = rest.iter().position(operator).unwrap_or(rest.len());
    Some(&rest[..end])
}

/// Packages that `go test` names one by one, unless no other has tests.
fn packages_chosen(words: &[String], files: &[String]) -> Option<String> {
    let arguments = arguments(words, &["go", "test"])?;
    let chosen: Vec<&str> = arguments
        .iter()
        .map(String::as_str)
        .filter(|w| *w == "." || w.starts_with("./"))
        .collect();
    let folder = |path: &str| path.trim_start_matches("./").trim_matches('/').to_string();
    let within = |file: &str| {
        let of = file.rsplit_once('/').map_or("", |(folder, _)| folder);
        chosen.iter().any(|c| match c.strip_suffix("...") {
            Some(all) => {
                folder(all).is_empty() || format!("{of}/").starts_with(&(folder(all) + "/"))
            }
            None => folder(c.trim_end_matches('.')) == of,
        })
    };
    let mut tests = files.iter().filter(|f| f.ends_with("_test.go"));
    let first = chosen.first()?;
    tests
        .any(|file| !within(file))
        .then(|| format!("the package {first}"))
}

/// Scripts that `node --test` names, whatever they are called, beside test files that it doesn't.
fn scripts_chosen(words: &[String], files: &[String]) -> Option<String> {
    let arguments = arguments(words, &["node", "--test"])?;
    let script = |w: &str| {
        [".js", ".mjs", ".cjs", ".ts", ".mts"]
            .iter()
            .any(|e| w.ends_with(e))
    };
    let chosen: Vec<&str> = arguments
        .iter()
        .map(|w| w.trim_start_matches("./"))
        .filter(|w| script(w) && files.iter().any(|f| f == w))
        .collect();
    let mut tests = files.iter().filter(|f| is_test(f) && script(f));
    let first = chosen.first()?;
    tests
        .any(|file| !chosen.contains(&file.as_str()))
        .then(|| format!("the file {first}"))
}

/// Test files that the command names one by one, unless these are all there are.
fn files_chosen(words: &[&str], files: &[String]) -> Option<String> {
    let chosen: Vec<&str> = words
        .iter()
        .map(|w| w.trim_start_matches("./"))
        .map(|w| {
            w.rsplit_once(':').map_or(
                w,
                |(path, line)| if line.parse::<u64>().is_ok() { path } else { w },
            )
        })
        .filter(|w| {
            is_test(w)
                && w.rsplit('/').next().is_some_and(|b| b.contains('.'))
                && !w.contains(['*', '$'])
        })
        .collect();
    if chosen.is_empty() {
        return None;
    }
    if words.iter().any(|w| {
        w.rsplit_once(':')
            .is_some_and(|(p, n)| is_test(p) && n.parse::<u64>().is_ok())
    }) {
        return Some("a line of a test file".to_string());
    }
    // A script that runs the others is no test of its own.
    let script = |path: &str| matches!(path.rsplit('/').next(), Some(b) if b.starts_with("run") || b.starts_with("all"));
    let all: Vec<&String> = files
        .iter()
        .filter(|f| is_test(f) && is_code(f) && !script(f))
        .collect();
    let whole = !all.is_empty() && all.iter().all(|f| chosen.contains(&f.as_str()));
    let scripts = chosen.iter().all(|c| script(c));
    (!whole && !scripts).then(|| format!("the file {}", chosen[0]))
}

fn is_code(path: &str) -> bool {
    let base = path.rsplit('/').next().unwrap_or(path);
    let not = [
        "__init__.py",
        "conftest.py",
        "test_helper.rb",
        "spec_helper.rb",
        "test_helper.exs",
    ];
    base.contains('.')
        && !not.contains(&base)
        && ![".snap", ".json", ".txt", ".md", ".toml", ".h"]
            .iter()
            .any(|e| base.ends_with(e))
}

fn is_test(path: &str) -> bool {
    let lower = path.to_lowercase();
    let base = lower.rsplit('/').next().unwrap_or(&lower);
    let words: Vec<&str> = base.split(['_', '.', '-']).collect();
    let folder = lower.split('/').rev().skip(1).any(|p| {
        matches!(
            p,
            "test" | "tests" | "spec" | "specs" | "__tests__" | "t" | "features" | "e2e"
        )
    });
    folder
        || words
            .iter()
            .any(|w| matches!(*w, "test" | "tests" | "spec" | "specs"))
        || path.rsplit('/').next().is_some_and(|b| {
            b.split('.')
                .next()
                .is_some_and(|s| s.ends_with("Test") || s.ends_with("Tests") || s.ends_with("Spec"))
        })
        || base.ends_with(".feature")
        || base.ends_with(".bats")
        || base.ends_with(".robot")
}

/// Words of a shell command; quotes are removed, operators stand alone.
fn split(command: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut word = String::new();
    let mut quote: Option<char> = None;
    let mut chars = command.chars().peekable();
    while let Some(c) = chars.next() {
        match (quote, c) {
            (Some(q), c) if c == q => quote = None,
            (Some(_), c) => word.push(c),
            (None, '\'' | '"') => quote = Some(c),
            (None, ';' | '&' | '|') => {
                let double = chars.peek() == Some(&c);
                if double {
                    chars.next();
                }
                words.push(std::mem::take(&mut word));
                words.push(if double {
                    format!("{c}{c}")
                } else {
                    c.to_string()
                });
            }
            (None, c) if c.is_whitespace() => words.push(std::mem::take(&mut word)),
            (None, c) => word.push(c),
        }
    }
    words.push(word);
    words.retain(|w| !w.is_empty());
    words
}
