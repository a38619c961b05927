//! Elixir, .NET, and tests that are shell.

use super::ci::Ci;
use super::found::Detection;
use crate::check::narrow::quote;
use crate::check::project::{Project, folder_of};

pub(super) const ELIXIR: &[&str] = &["mix.exs"];
pub(super) const DOTNET: &[&str] = &["*.sln", "*.slnx", "*.csproj", "*.fsproj", "*.vbproj"];
/// Tests are no manifest: the root stands for all.
pub(super) const SHELL: &[&str] = &[];

pub(super) fn elixir(project: &Project<'_>, _ci: &Ci, _at: &str) -> Detection {
    let mut found = Detection::default();
    if project.has("mix.exs") && project.files().any(|f| f.ends_with("_test.exs")) {
        found.check("mix test", "mix.exs and files `*_test.exs`");
        let locked = project.has("mix.lock");
        if locked {
            found.set_up(
                "mix local.hex --force --if-missing && mix local.rebar --force --if-missing",
                "mix.lock",
            );
            found.set_up("MIX_ENV=test mix deps.get", "mix.lock");
        }
    }
    found
}

pub(super) fn dotnet(project: &Project<'_>, _ci: &Ci, _at: &str) -> Detection {
    let mut found = Detection::default();
    let ends = |endings: &[&str]| {
        let mut files = project.top();
        files
            .find(|f| endings.iter().any(|e| f.ends_with(e)))
            .map(String::from)
    };
    let manifest = ends(&[".sln", ".slnx"]).or_else(|| ends(&[".csproj", ".fsproj", ".vbproj"]));
    let tests = project.files().filter(|f| f.ends_with("proj")).any(|f| {
        project
            .text(f)
            .is_some_and(|t| t.contains("Microsoft.NET.Test.Sdk"))
    });
    if let Some(manifest) = manifest.filter(|_| tests) {
        found.check("dotnet test --no-restore", manifest.clone());
        found.set_up("dotnet restore", manifest);
    }
    found
}

pub(super) fn shell(project: &Project<'_>, _ci: &Ci, _at: &str) -> Detection {
    let mut found = Detection::default();
    let mut folders: Vec<&str> = project
        .files()
        .filter(|f| f.ends_with(".bats"))
        .map(folder_of)
        .collect();
    folders.sort_unstable();
    folders.dedup();
    // The highest folders stand for those below.
    let tops: Vec<&str> = folders
        .iter()
        .filter(|f| {
            !folders
                .iter()
                .any(|o| o != *f && crate::check::project::is_beneath(f, o))
        })
        .copied()
        .collect();
    if let Some(first) = tops.first() {
        let places: Vec<String> = tops
            .iter()
            .map(|f| quote(if f.is_empty() { "." } else { f }))
            .collect();
        let place = if first.is_empty() { "the root" } else { first };
        found.check(
            format!("bats --recursive {}", places.join(" ")),
            format!("files `*.bats` in {place}"),
        );
    } else if project.has(".shellspec") {
        found.check("shellspec", ".shellspec");
    }
    found
}

/// A makefile, or a script that makes one, with a target that tests; when nothing more telling was
/// found.
pub(super) fn make(project: &Project<'_>, ci: &Ci) -> Detection {
    let mut found = Detection::default();
    let Some(file) = project.first_of(&["GNUmakefile", "makefile", "Makefile"]) else {
        return autotools(project);
    };
    let text = project.text(file).unwrap_or_default();
    let has = |target: &str| {
        text.lines().any(|l| {
            l.strip_prefix(target)
                .map(str::trim_start)
                .is_some_and(|rest| rest.starts_with(':') && !rest.starts_with(":="))
        })
    };
    // The target that CI makes, where it tests; else the usual names.
    let in_ci = ci
        .calls_in("")
        .filter(|(c, _)| c.tool == super::words::Tool::Make)
        .flat_map(|(c, f)| c.args.iter().map(move |a| (a.as_str(), f)))
        .find(|(a, _)| (a.contains("test") || a.contains("check")) && has(a));
    if let Some((target, workflow)) = in_ci {
        found.check(
            format!("make {}", quote(target)),
            format!("{workflow} makes the target `{target}` of {file}"),
        );
        return found;
    }
    if let Some(target) = ["test", "check", "tests"].iter().find(|t| has(t)) {
        found.check(
            format!("make {target}"),
            format!("{file} has a target `{target}`"),
        );
    }
    found
}

fn autotools(project: &Project<'_>) -> Detection {
    let mut found = Detection::default();
    let template = project.first_of(&["Makefile.am", "Makefile.in"]);
    if let Some(template) = template.filter(|_| project.has("configure")) {
        found.check(
            "sh ./configure && make && make check",
            format!("configure and {template}"),
        );
    }
    found
}
