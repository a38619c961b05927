//! The runner that a command calls by its own words, or that a script's echo shows.

use super::text::Text;

/// Words by which runners are called that end every run with a summary, with their rules' names.
const CALLED: &[(&str, &[&str])] = &[
    ("pytest", &["pytest", "py.test"]),
    (
        "unittest",
        &[
            "unittest",
            "nose2",
            "nosetests",
            "manage.py",
            "runtests.py",
            "trial",
        ],
    ),
    ("cargo test", &["cargo"]),
    ("node --test", &["node"]),
    ("jest", &["jest"]),
    ("vitest", &["vitest"]),
    ("mocha", &["mocha"]),
    ("ava", &["ava"]),
    ("jasmine", &["jasmine"]),
    ("uvu", &["uvu"]),
    ("playwright", &["playwright"]),
    ("bun test", &["bun"]),
    ("deno test", &["deno"]),
    ("tap summary", &["tape", "tap"]),
    ("qunit", &["qunit"]),
    ("go test", &["go"]),
    ("gotestsum", &["gotestsum"]),
    ("maven", &["mvn", "mvnw"]),
    ("gradle", &["gradle", "gradlew"]),
    ("ctest", &["ctest"]),
    ("gtest", &["gtest"]),
    ("meson", &["meson"]),
    ("rspec", &["rspec"]),
    ("minitest", &["rake", "rails", "ruby"]),
    ("phpunit", &["phpunit", "pest"]),
    ("exunit", &["mix"]),
    ("eunit", &["rebar3"]),
    ("behave", &["behave"]),
    ("robot", &["robot"]),
    ("busted", &["busted"]),
    ("prove", &["prove"]),
    ("bats", &["bats"]),
    ("tox", &["tox"]),
    ("nox", &["nox"]),
];

/// Programs that do much beside testing: only with one of these words is it a runner.
const MANIFOLD: &[&str] = &[
    "cargo", "node", "go", "bun", "deno", "mvn", "mvnw", "gradle", "gradlew", "meson", "mix",
    "rebar3", "rake", "rails", "ruby", "tap",
];
const TESTING: &[&str] = &["test", "--test", "check", "verify", "eunit", "nextest"];

fn words(line: &str) -> impl Iterator<Item = &str> {
    line.split(|c: char| c.is_whitespace() || ";&|()".contains(c))
        .map(|word| word.rsplit('/').next().unwrap_or(word))
}

fn of_word(word: &str, held: &[&str]) -> Option<&'static str> {
    let mut known = CALLED.iter().filter(|(name, _)| !held.contains(name));
    known.find(|(_, by)| by.contains(&word)).map(|row| row.0)
}

/// A line by which a shell or a package's script shows what it calls.
fn is_shown(line: &str) -> bool {
    line.starts_with("> ") || line.starts_with("$ ") || line.starts_with("+ ")
}

/// Whether the command, or a command that the output echoes, is one that sums up its run.
pub(super) fn sums_up(text: &Text, command: &str, held: &[&str]) -> bool {
    let calls = |line: &str| words(line).any(|word| of_word(word, held).is_some());
    let automake = |line: &str| line.ends_with("check-TESTS") || line.ends_with("check-am");
    calls(command)
        || calls(text.line(0))
        || text
            .lines()
            .any(|(_, line)| is_shown(line) && calls(line) || automake(line))
}

/// The runner that the command calls, or that the last echo in the output does.
pub(super) fn name(text: &Text, command: &str, held: &[&str]) -> Option<&'static str> {
    let named = |line: &str| {
        let testing = words(line).any(|word| TESTING.contains(&word));
        let runner = |word: &str| testing || !MANIFOLD.contains(&word);
        words(line)
            .filter(|w| runner(w))
            .find_map(|w| of_word(w, held))
    };
    named(command).or_else(|| {
        let echoes = text.lines().filter(|(_, line)| is_shown(line));
        echoes.rev().find_map(|(_, line)| named(line))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_words_of_a_command_name_its_runner() {
        let of = |command: &str, output: &str| {
            name(&Text::new(output.as_bytes()), command, &[]).unwrap_or("none")
        };
        for (command, runner) in [
            ("PYTHONPATH=src python3 -m pytest -q", "pytest"),
            ("cd adder && python3 -m unittest discover", "unittest"),
            ("php vendor/bin/phpunit", "phpunit"),
            ("mix test", "exunit"),
            ("mix compile", "none"),
            ("cargo test --no-fail-fast", "cargo test"),
            ("cargo run", "none"),
            ("sh ./gradlew --offline test", "gradle"),
            ("npm test", "none"),
            ("make check", "none"),
        ] {
            assert_eq!(of(command, ""), runner, "{command}");
        }
        assert_eq!(of("npm test", "> a@1 test\n> mocha\n\n..\n"), "mocha");
    }
}
