//! What a step of a set-up is: whose, and what its result depends on.

use crate::check::SetupCommand;
use crate::check::project::{Project, name_of};
use crate::config::REPO_FILE;

/// Whose package manager a step calls.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Ecosystem {
    Python,
    Node,
    Rust,
    Go,
    Ruby,
    Php,
    Jvm,
    Elixir,
    Dotnet,
}

/// Whether the results of these steps depend on the whole source, not only on manifests.
pub(super) fn depend_on_source(project: &Project, steps: &[SetupCommand]) -> bool {
    let named = format!("`{REPO_FILE}`");
    let sources = [".pyx", ".pxd", ".c", ".cc", ".cpp", ".rs", ".f90"];
    let is_built = || {
        let python = |s: &SetupCommand| ecosystem_of(&s.command) == Some(Ecosystem::Python);
        // An editable install builds extensions out of the sources.
        steps.iter().any(python)
            && project
                .files()
                .any(|f| sources.iter().any(|s| f.ends_with(s)))
    };
    let unknown = |s: &SetupCommand| s.why.starts_with(&named) && !is_installer(&s.command);
    steps.iter().any(unknown) || is_built()
}

/// Everything whose manifests are there or whose program a step calls.
pub(super) fn ecosystems(project: &Project, steps: &[SetupCommand]) -> Vec<Ecosystem> {
    let mut all: Vec<Ecosystem> = steps
        .iter()
        .filter_map(|s| ecosystem_of(&s.command))
        .collect();
    for (manifest, ecosystem) in [
        ("pyproject.toml", Ecosystem::Python),
        ("setup.py", Ecosystem::Python),
        ("setup.cfg", Ecosystem::Python),
        ("requirements.txt", Ecosystem::Python),
        ("package.json", Ecosystem::Node),
        ("Cargo.toml", Ecosystem::Rust),
        ("go.mod", Ecosystem::Go),
        ("Gemfile", Ecosystem::Ruby),
        ("composer.json", Ecosystem::Php),
        ("pom.xml", Ecosystem::Jvm),
        ("build.gradle", Ecosystem::Jvm),
        ("build.gradle.kts", Ecosystem::Jvm),
    ] {
        if project.files().any(|f| name_of(f) == manifest) {
            all.push(ecosystem);
        }
    }
    all.sort_unstable();
    all.dedup();
    all
}

/// The public registries of an ecosystem, where the operator names no hosts.
pub(super) fn registries(ecosystem: Ecosystem) -> &'static [&'static str] {
    match ecosystem {
        Ecosystem::Python => &["pypi.org", "files.pythonhosted.org"],
        Ecosystem::Node => &["registry.npmjs.org", "registry.yarnpkg.com"],
        Ecosystem::Rust => &["index.crates.io", "static.crates.io", "crates.io"],
        Ecosystem::Go => &["proxy.golang.org", "sum.golang.org"],
        Ecosystem::Ruby => &["rubygems.org", "index.rubygems.org"],
        // Packagist names the packages; their archives come from where they are developed.
        Ecosystem::Php => &[
            "repo.packagist.org",
            "packagist.org",
            "api.github.com",
            "codeload.github.com",
        ],
        Ecosystem::Jvm => &[
            "repo.maven.apache.org",
            "repo1.maven.org",
            "plugins.gradle.org",
            "services.gradle.org",
            "downloads.gradle.org",
        ],
        Ecosystem::Elixir => &["repo.hex.pm", "builds.hex.pm"],
        Ecosystem::Dotnet => &["api.nuget.org"],
    }
}

fn ecosystem_of(command: &str) -> Option<Ecosystem> {
    let word = |w: &str| {
        let words = command.split([' ', ';', '&', '|', '/', '\n', '\t', '"', '\'']);
        words.into_iter().any(|c| c == w)
    };
    [
        (
            Ecosystem::Python,
            &[
                "pip", "pip3", "python", "python3", "uv", "poetry", "pdm", "hatch", "tox", "nox",
            ][..],
        ),
        (
            Ecosystem::Node,
            &["npm", "npx", "node", "pnpm", "yarn", "bun"],
        ),
        (Ecosystem::Rust, &["cargo"]),
        (Ecosystem::Go, &["go"]),
        (Ecosystem::Ruby, &["bundle", "gem", "ruby", "rake"]),
        (Ecosystem::Php, &["composer", "php"]),
        (Ecosystem::Jvm, &["mvn", "mvnw", "gradle", "gradlew"]),
        (Ecosystem::Elixir, &["mix"]),
        (Ecosystem::Dotnet, &["dotnet"]),
    ]
    .into_iter()
    .find(|(_, words)| words.iter().any(|w| word(w)))
    .map(|(ecosystem, _)| ecosystem)
}

/// Whether a command only installs what manifests and lockfiles name, so that its result holds as
/// long as those do. Whatever is not known for sure depends on the source.
fn is_installer(command: &str) -> bool {
    // What stands in single quotes means nothing to the shell.
    let bare: String = command.split('\'').step_by(2).collect();
    if bare.contains(['|', '&', ';', '<', '>', '`', '$', '(', ')', '\n', '"', '\\']) {
        return false;
    }
    let words: Vec<&str> = command.split_whitespace().collect();
    let words = match words.as_slice() {
        ["python" | "python3", "-m", rest @ ..] => rest,
        all => all,
    };
    match words {
        ["pip" | "pip3", "install", rest @ ..] | ["uv", "pip", "install", rest @ ..] => {
            // A project installed as a copy is the source of that moment.
            let local = |w: &&str| w.starts_with('.') || w.starts_with('/');
            let editable = rest.contains(&"-e") || rest.contains(&"--editable");
            editable || !rest.iter().any(local)
        }
        ["npm", "ci" | "install" | "i", rest @ ..] => rest.iter().all(|w| w.starts_with('-')),
        ["cargo", "fetch", ..] | ["go", "mod", "download", ..] | ["bundle", "install", ..] => true,
        _ => false,
    }
}
