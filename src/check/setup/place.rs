//! Where dependencies lie inside, and the variables that say so.

use super::steps::Ecosystem;
use crate::sandbox::Mount;
use std::path::{Path, PathBuf};

/// The folder of dependencies inside: writable while they are set up, read-only for checks.
pub(super) const DEPS: &str = "/deps";
/// Names of folders with dependencies that tools put into the project itself. They are taken out
/// of it after the set-up and stand in their place, read-only, for checks.
pub(super) const INSIDE_PROJECT: [&str; 4] = ["node_modules", ".venv", "venv", "vendor"];
/// What a build makes of the source beside a manifest. It goes away: for another state of the
/// source it would be stale.
pub(super) const BUILT: [(&str, &[&str]); 5] = [
    ("pom.xml", &["target"]),
    ("build.gradle", &["build", ".gradle"]),
    ("build.gradle.kts", &["build", ".gradle"]),
    ("settings.gradle", &["build", ".gradle"]),
    ("settings.gradle.kts", &["build", ".gradle"]),
];
/// Gradle's home among the dependencies. Gradle writes locks and journals into it at every run, so
/// each check has one of its own.
pub(super) const GRADLE: &str = "gradle";
/// Maven's repository among the dependencies.
pub(super) const MAVEN: &str = "m2";
/// Notes of Maven from which server each file came: offline, a file from a server that is not
/// configured any more would count as missing.
pub(super) const MAVEN_NOTES: &str = "_remote.repositories";
/// Folders within `node_modules` into which tools write while tests run.
pub(super) const WRITTEN: [&str; 3] = [".cache", ".vite", ".vite-temp"];

/// Variables of both phases.
pub(super) fn variables(
    ecosystems: &[Ecosystem],
    path: Option<&str>,
    venv: bool,
) -> Vec<(String, String)> {
    let mut all = vec![("MEND_DEPS".to_string(), DEPS.to_string())];
    let mut set = |name: &str, value: String| all.push((name.to_string(), value));
    let mut front = Vec::new();
    if venv {
        set("VIRTUAL_ENV", format!("{DEPS}/venv"));
        front.push(format!("{DEPS}/venv/bin"));
    }
    for ecosystem in ecosystems {
        match ecosystem {
            Ecosystem::Python => {
                set("UV_PROJECT_ENVIRONMENT", format!("{DEPS}/venv"));
                set("UV_PYTHON_DOWNLOADS", "never".into());
            }
            Ecosystem::Rust => set("CARGO_HOME", format!("{DEPS}/cargo")),
            Ecosystem::Go => set("GOMODCACHE", format!("{DEPS}/go")),
            Ecosystem::Ruby => {
                set("BUNDLE_PATH", format!("{DEPS}/bundle"));
                set("BUNDLE_APP_CONFIG", format!("{DEPS}/bundle-config"));
            }
            Ecosystem::Jvm => {
                set("GRADLE_USER_HOME", format!("{DEPS}/{GRADLE}"));
                set("MAVEN_OPTS", format!("-Dmaven.repo.local={DEPS}/{MAVEN}"));
                // The wrapper's home, with Maven itself.
                set("MAVEN_USER_HOME", format!("{DEPS}/maven"));
            }
            Ecosystem::Elixir => {
                set("MIX_HOME", format!("{DEPS}/mix"));
                set("HEX_HOME", format!("{DEPS}/hex"));
            }
            Ecosystem::Dotnet => {
                set("NUGET_PACKAGES", format!("{DEPS}/nuget"));
                set("DOTNET_CLI_TELEMETRY_OPTOUT", "1".into());
                set("DOTNET_NOLOGO", "1".into());
            }
            Ecosystem::Node => {
                // A package manager that the host lacks, and where a newer yarn keeps packages.
                front.push(format!("{DEPS}/node/bin"));
                set("YARN_GLOBAL_FOLDER", format!("{DEPS}/yarn"));
                set("YARN_ENABLE_TELEMETRY", "0".into());
            }
            Ecosystem::Php => {}
        }
    }
    // An image's own path is not known here; this is the one of most.
    let usual = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";
    front.push(path.unwrap_or(usual).to_string());
    set("PATH", front.join(":"));
    all
}

/// Variables of the set-up alone: caches that nobody needs afterwards, and no questions.
pub(super) fn while_setting_up() -> Vec<(String, String)> {
    [
        ("CI", "true"),
        ("PIP_NO_INPUT", "1"),
        ("PIP_DISABLE_PIP_VERSION_CHECK", "1"),
        ("PIP_PROGRESS_BAR", "off"),
        ("PIP_CACHE_DIR", "/tmp/cache/pip"),
        ("UV_CACHE_DIR", "/tmp/cache/uv"),
        ("POETRY_VIRTUALENVS_CREATE", "false"),
        ("npm_config_cache", "/tmp/cache/npm"),
        ("npm_config_update_notifier", "false"),
        ("npm_config_fund", "false"),
        ("npm_config_audit", "false"),
        ("npm_config_progress", "false"),
        ("COMPOSER_HOME", "/tmp/cache/composer"),
        ("GOTOOLCHAIN", "local"),
    ]
    .map(|(n, v)| (n.to_string(), v.to_string()))
    .to_vec()
}

/// Variables of checks alone: nothing is fetched any more.
pub(super) fn while_checking(ecosystems: &[Ecosystem]) -> Vec<(String, String)> {
    let mut all = vec![("PIP_NO_INDEX", "1"), ("npm_config_offline", "true")];
    if ecosystems.contains(&Ecosystem::Go) {
        all.extend([("GOPROXY", "off"), ("GOTOOLCHAIN", "local")]);
    }
    if ecosystems.contains(&Ecosystem::Elixir) {
        all.push(("HEX_OFFLINE", "1"));
    }
    all.iter()
        .map(|(n, v)| (n.to_string(), v.to_string()))
        .collect()
}

/// The folder of dependencies of one phase.
pub(super) fn deps(host: &Path, writable: bool) -> Mount {
    Mount {
        host: host.into(),
        inside: DEPS.into(),
        writable,
    }
}

/// A path as the operator writes it: absolute, or `~/` for the home inside.
pub(super) fn inside(path: &str) -> PathBuf {
    match path.strip_prefix("~/") {
        Some(rest) => Path::new("/tmp/home").join(rest),
        None => path.into(),
    }
}
