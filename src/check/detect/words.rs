//! Which tools a line of shell calls: scripts of manifests and of CI files are read, never run.

/// A tool that tests, or that calls one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(in crate::check) enum Tool {
    Pytest,
    Unittest,
    Django,
    Node,
    Jest,
    Vitest,
    Mocha,
    Ava,
    Tap,
    /// `npm test` and its like.
    Script,
    Cargo,
    Go,
    Rspec,
    Rake,
    Maven,
    Gradle,
    Phpunit,
    Pest,
    Composer,
    Mix,
    Dotnet,
    Ctest,
    Meson,
    Bats,
    Make,
    Tox,
    Nox,
    /// Another tool that calls the tests in its own way.
    Other,
}

impl Tool {
    /// The ecosystem whose tests it runs; `None` where the line does not say.
    pub(in crate::check) fn ecosystem(self) -> Option<&'static str> {
        Some(match self {
            Tool::Pytest | Tool::Unittest | Tool::Django | Tool::Tox | Tool::Nox => "python",
            Tool::Node
            | Tool::Jest
            | Tool::Vitest
            | Tool::Mocha
            | Tool::Ava
            | Tool::Tap
            | Tool::Script => "node",
            Tool::Cargo => "rust",
            Tool::Go => "go",
            Tool::Rspec | Tool::Rake => "ruby",
            Tool::Maven | Tool::Gradle => "jvm",
            Tool::Phpunit | Tool::Pest | Tool::Composer => "php",
            Tool::Mix => "elixir",
            Tool::Dotnet => "dotnet",
            Tool::Ctest | Tool::Meson => "c",
            Tool::Bats => "shell",
            Tool::Make | Tool::Other => return None,
        })
    }
}

/// One call of a tool.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::check) struct Call {
    pub tool: Tool,
    /// The words after the tool's own.
    pub args: Vec<String>,
}

/// Words before a tool that only find or wrap it.
const WRAPPERS: &[&[&str]] = &[
    &["uv", "run"],
    &["poetry", "run"],
    &["pdm", "run"],
    &["hatch", "run"],
    &["pipenv", "run"],
    &["rye", "run"],
    &["coverage", "run"],
    &["bundle", "exec"],
    &["npx"],
    &["bunx"],
    &["yarn", "exec"],
    &["pnpm", "exec"],
    &["pnpm", "dlx"],
    &["c8"],
    &["nyc"],
    &["xvfb-run", "-a"],
    &["xvfb-run"],
    &["sudo"],
    &["time"],
    &["env"],
    &["exec"],
    &["sh"],
    &["bash"],
    &["cross-env"],
    &["bin/rails"],
];

/// The calls in a script, in order.
pub(in crate::check) fn calls(script: &str) -> Vec<Call> {
    let joined = script.replace("\\\n", " ");
    joined
        .split(['\n', ';', '|'])
        .flat_map(|part| part.split("&&"))
        .filter_map(|part| {
            let words: Vec<String> = part
                .split_whitespace()
                .map(|w| w.trim_matches(['"', '\'']).to_string())
                .filter(|w| !w.is_empty())
                .collect();
            call(&words)
        })
        .collect()
}

/// The call that a list of words makes.
pub(in crate::check) fn call(words: &[String]) -> Option<Call> {
    let mut words: Vec<&str> = words.iter().map(String::as_str).collect();
    if words.first().is_some_and(|w| w.starts_with('#')) {
        return None;
    }
    loop {
        // tox writes the interpreter and folders in braces.
        if words.first() == Some(&"{envpython}") {
            words[0] = "python3";
        }
        while words.first().is_some_and(|w| is_assignment(w)) {
            words.remove(0);
        }
        let wrapper = WRAPPERS.iter().find(|w| words.starts_with(w));
        let Some(wrapper) = wrapper else { break };
        words.drain(..wrapper.len());
        // Options of the wrapper.
        while words
            .first()
            .is_some_and(|w| w.starts_with('-') && *w != "-m")
        {
            words.remove(0);
        }
        if words.first() == Some(&"-m") {
            words.remove(0);
        }
    }
    let (tool, own) = tool(&words)?;
    Some(Call {
        tool,
        args: words[own..].iter().map(ToString::to_string).collect(),
    })
}

fn is_assignment(word: &str) -> bool {
    word.split_once('=').is_some_and(|(name, _)| {
        !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
    })
}

/// The tool, and how many words are its own.
fn tool(words: &[&str]) -> Option<(Tool, usize)> {
    let program = words.first()?.rsplit('/').next()?;
    let second = words.get(1).copied().unwrap_or_default();
    let third = words.get(2).copied().unwrap_or_default();
    let is_python = program == "py"
        || program
            .strip_prefix("python")
            .is_some_and(|v| v.chars().all(|c| c.is_ascii_digit() || c == '.'));
    if is_python {
        return python(words);
    }
    let tests = |word: &str| word == "test" || word == "t" || word.starts_with("test:");
    Some(match program {
        "pytest" | "py.test" => (Tool::Pytest, 1),
        "unittest" => (Tool::Unittest, 1),
        "manage.py" if second == "test" => (Tool::Django, 2),
        "tox" => (Tool::Tox, 1),
        "nox" => (Tool::Nox, 1),
        "npm" | "pnpm" | "yarn" | "bun" if tests(second) => (Tool::Script, 2),
        "npm" | "pnpm" | "yarn" | "bun" if second == "run" && tests(third) => (Tool::Script, 3),
        "node" if words.contains(&"--test") => (Tool::Node, 1),
        "jest" => (Tool::Jest, 1),
        "vitest" => (Tool::Vitest, 1),
        "mocha" => (Tool::Mocha, 1),
        "ava" => (Tool::Ava, 1),
        "tap" | "tape" => (Tool::Tap, 1),
        "cargo" if words.iter().any(|w| *w == "test" || *w == "nextest") => (Tool::Cargo, 2),
        "go" if second == "test" => (Tool::Go, 2),
        "gotestsum" => (Tool::Go, 1),
        "rspec" => (Tool::Rspec, 1),
        "rake" | "rails" if second.is_empty() || second == "test" || second == "spec" => {
            (Tool::Rake, 1)
        }
        "mvn" | "mvnw"
            if words
                .iter()
                .any(|w| matches!(*w, "test" | "verify" | "install")) =>
        {
            (Tool::Maven, 1)
        }
        "gradle" | "gradlew"
            if words
                .iter()
                .any(|w| matches!(*w, "test" | "check" | "build")) =>
        {
            (Tool::Gradle, 1)
        }
        "phpunit" => (Tool::Phpunit, 1),
        "pest" => (Tool::Pest, 1),
        "composer" if tests(second) => (Tool::Composer, 2),
        "composer" if second == "run" && tests(third) => (Tool::Composer, 3),
        "mix" if second == "test" => (Tool::Mix, 2),
        "dotnet" if second == "test" => (Tool::Dotnet, 2),
        "ctest" => (Tool::Ctest, 1),
        "meson" if second == "test" => (Tool::Meson, 2),
        "bats" => (Tool::Bats, 1),
        "make" | "gmake"
            if words[1..]
                .iter()
                .any(|w| w.contains("test") || w.contains("check")) =>
        {
            (Tool::Make, 1)
        }
        "just" | "task" | "earthly" | "bazel" | "lerna" | "turbo" | "nx"
            if words[1..]
                .iter()
                .any(|w| w.contains("test") || w.contains("check")) =>
        {
            (Tool::Other, 1)
        }
        name if name.ends_with(".sh") && name.contains("test") => (Tool::Other, 1),
        _ => return None,
    })
}

fn python(words: &[&str]) -> Option<(Tool, usize)> {
    if words.get(1).is_some_and(|w| w.ends_with("manage.py")) {
        return (words.get(2) == Some(&"test")).then_some((Tool::Django, 3));
    }
    let at = words.iter().position(|w| *w == "-m")?;
    match *words.get(at + 1)? {
        "pytest" => Some((Tool::Pytest, at + 2)),
        "unittest" => Some((Tool::Unittest, at + 2)),
        "tox" => Some((Tool::Tox, at + 2)),
        "nox" => Some((Tool::Nox, at + 2)),
        "coverage" if words.get(at + 2) == Some(&"run") => {
            let module = words[at + 3..].iter().position(|w| *w == "-m")? + at + 4;
            match *words.get(module)? {
                "pytest" => Some((Tool::Pytest, module + 1)),
                "unittest" => Some((Tool::Unittest, module + 1)),
                _ => None,
            }
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tools_are_seen_through_their_wrappers() {
        for (script, tool, args) in [
            ("pytest -q tests", Tool::Pytest, "-q tests"),
            ("uv run --locked pytest", Tool::Pytest, ""),
            ("A=1 poetry run python -m pytest -x", Tool::Pytest, "-x"),
            (
                "python -m coverage run -m unittest discover",
                Tool::Unittest,
                "discover",
            ),
            ("coverage run -m pytest tests", Tool::Pytest, "tests"),
            ("coverage run --parallel -m pytest", Tool::Pytest, ""),
            ("{envpython} -m pytest", Tool::Pytest, ""),
            ("python3.12 manage.py test app", Tool::Django, "app"),
            ("npm run test:unit", Tool::Script, ""),
            ("nyc tape 'test/**/*.js'", Tool::Tap, "test/**/*.js"),
            ("npx jest --ci", Tool::Jest, "--ci"),
            ("bundle exec rspec", Tool::Rspec, ""),
            ("./mvnw -B verify", Tool::Maven, "-B verify"),
            ("cargo +nightly test", Tool::Cargo, "test"),
            ("make -j4 check", Tool::Make, "-j4 check"),
            ("tox -e py", Tool::Tox, "-e py"),
        ] {
            let found = calls(script);
            assert_eq!(found.len(), 1, "{script}: {found:?}");
            assert_eq!(found[0].tool, tool, "{script}");
            assert_eq!(found[0].args.join(" "), args, "{script}");
        }
        let both = calls("pip install -e .\n# pytest\npytest && \\\n  node --test; echo pytest");
        let tools: Vec<_> = both.iter().map(|c| c.tool).collect();
        assert_eq!(tools, [Tool::Pytest, Tool::Node]);
        assert!(calls("npm ci\nnpm run build\nmake\ngo build").is_empty());
    }
}
