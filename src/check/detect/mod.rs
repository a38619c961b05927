//! Which commands check a project, what has to be set up for them, and why. Nothing is executed.
//!
//! Each ecosystem says what makes a folder a package of it, and looks at one package at a time. The
//! root stands for the packages below it where its own check reaches them; else each package has a
//! check of its own, run in its folder.

mod c;
mod ci;
mod found;
mod go;
mod jvm;
mod node;
mod other;
mod php;
mod python;
mod ruby;
mod rust;
mod strict;
pub(super) mod words;

use super::project::{Project, is_beneath};
use super::{CheckCommand, CheckError, SetupCommand};
use crate::config::{PackageConfig, REPO_FILE, RepoConfig};
use crate::tree::{RelPath, Tree};
use ci::Ci;
pub use found::{Detection, PassedOver};

/// Packages of one ecosystem that are checked one by one.
const MOST: usize = 16;

/// One ecosystem.
struct Ecosystem {
    name: &'static str,
    /// What makes a folder a package; none: only the root is one.
    manifests: &'static [&'static str],
    find: fn(&Project<'_>, &Ci, &str) -> Detection,
    /// The set-up of all packages at once, where the root is a workspace.
    workspace: fn(&Project<'_>) -> Option<Detection>,
    reach: Reach,
}

/// What the root's check does for packages below it.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Reach {
    /// It checks them.
    All,
    /// It checks them unless every test lies in one of them.
    Tests,
    /// Each is on its own.
    Own,
}

fn no_workspace(_: &Project<'_>) -> Option<Detection> {
    None
}

const fn ecosystem(
    name: &'static str,
    manifests: &'static [&'static str],
    find: fn(&Project<'_>, &Ci, &str) -> Detection,
    reach: Reach,
) -> Ecosystem {
    Ecosystem {
        name,
        manifests,
        find,
        workspace: no_workspace,
        reach,
    }
}

const ECOSYSTEMS: &[Ecosystem] = &[
    Ecosystem {
        workspace: python::workspace,
        ..ecosystem("python", python::MANIFESTS, python::find, Reach::Tests)
    },
    ecosystem("rust", rust::MANIFESTS, rust::find, Reach::All),
    Ecosystem {
        workspace: node::workspace,
        ..ecosystem("node", node::MANIFESTS, node::find, Reach::Tests)
    },
    Ecosystem {
        workspace: go::workspace,
        ..ecosystem("go", go::MANIFESTS, go::find, Reach::Own)
    },
    ecosystem("ruby", ruby::MANIFESTS, ruby::find, Reach::All),
    ecosystem("jvm", jvm::MANIFESTS, jvm::find, Reach::All),
    ecosystem("php", php::MANIFESTS, php::find, Reach::All),
    ecosystem("elixir", other::ELIXIR, other::elixir, Reach::All),
    ecosystem("dotnet", other::DOTNET, other::dotnet, Reach::All),
    ecosystem("c", c::MANIFESTS, c::find, Reach::All),
    ecosystem("shell", other::SHELL, other::shell, Reach::All),
];

/// Reads the project's `.github/mend.toml`; without one, nothing is set.
///
/// # Errors
/// `Config` with every mistake in it, `Tree` when it cannot be read.
pub fn repo_config(tree: &Tree) -> Result<RepoConfig, CheckError> {
    const MAX_BYTES: u64 = 64 * 1024;
    let path = RelPath::parse(REPO_FILE)?;
    if tree.stat(&path)?.is_none() {
        return Ok(RepoConfig::default());
    }
    let bytes = tree.read_up_to(&path, MAX_BYTES)?;
    Ok(RepoConfig::parse(&String::from_utf8_lossy(&bytes))?)
}

/// The commands of [`survey`].
///
/// # Errors
/// As [`survey`].
pub fn detect(tree: &Tree, config: &RepoConfig) -> Result<Vec<CheckCommand>, CheckError> {
    survey(tree, config).map(|found| found.commands)
}

/// Finds the set-up and the check of a project: what `.github/mend.toml` says, else one or more
/// commands for every ecosystem that is recognised by its manifests and tests. Nothing is executed.
///
/// # Errors
/// `NoCheck` when nothing is recognised, `NoFolder` when a configured folder is not there.
pub fn survey(tree: &Tree, config: &RepoConfig) -> Result<Detection, CheckError> {
    let folder = config.working_directory.as_deref();
    let whole = Project::open(tree, None)?;
    let ci = Ci::read(&whole);
    let mut found = Detection::default();
    if config.packages.is_empty() || !config.check.is_empty() {
        let project = Project::open(tree, folder)?;
        let mut own = match config.check.is_empty() {
            true => everything(&project, &ci, folder.unwrap_or_default()),
            false => named(&config.check, "says so"),
        };
        if !config.check.is_empty() && config.setup.is_none() {
            own.setup = everything(&project, &ci, folder.unwrap_or_default()).setup;
        }
        settle(
            &mut own,
            config.setup.as_deref(),
            folder.unwrap_or_default(),
        );
        found.append(own);
    }
    for package in &config.packages {
        found.append(of_package(tree, package, &ci)?);
    }
    if found.commands.is_empty() {
        return Err(CheckError::NoCheck {
            in_folder: folder.map_or(String::new(), |f| format!(" in `{f}`")),
            in_ci: ci.steps.first().map_or(String::new(), |step| {
                let line = crate::text::clip_words(&crate::text::visible(&step.line), 100);
                format!(" ({} runs `{line}`)", step.file)
            }),
        });
    }
    for command in &mut found.commands {
        if !command.named {
            ci.dress(command);
        }
        merge(&mut command.env, &config.env);
        if command.reports.is_empty() {
            command.reports.clone_from(&config.reports);
        }
    }
    for command in &mut found.setup {
        merge(&mut command.env, &config.env);
    }
    Ok(found)
}

/// Commands that a person wrote.
fn named(commands: &[String], says: &str) -> Detection {
    let command = |c: &String| CheckCommand::new(c, format!("`{REPO_FILE}` {says}")).named();
    Detection {
        commands: commands.iter().map(command).collect(),
        ..Detection::default()
    }
}

/// Puts a configured set-up in the place of the detected one, and everything into its folder.
fn settle(found: &mut Detection, setup: Option<&[String]>, folder: &str) {
    if let Some(setup) = setup {
        let command = |c: &String| SetupCommand::new(c, format!("`{REPO_FILE}` says so"));
        found.setup = setup.iter().map(command).collect();
    }
    found.place(folder);
}

fn of_package(tree: &Tree, package: &PackageConfig, ci: &Ci) -> Result<Detection, CheckError> {
    let project = Project::open(tree, Some(&package.folder))?;
    let mut found = everything(&project, ci, &package.folder);
    if !package.check.is_empty() {
        found.commands = named(&package.check, "says so for this package").commands;
        found.passed_over.clear();
    }
    settle(&mut found, package.setup.as_deref(), &package.folder);
    for command in &mut found.commands {
        command.env.clone_from(&package.env);
        command.limit_s = package.timeout_s;
        command.reports.clone_from(&package.reports);
    }
    for command in &mut found.setup {
        command.env.clone_from(&package.env);
    }
    Ok(found)
}

/// Adds what is not set yet.
fn merge(env: &mut Vec<(String, String)>, more: &[(String, String)]) {
    for (name, value) in more {
        if !env.iter().any(|(other, _)| other == name) {
            env.push((name.clone(), value.clone()));
        }
    }
}

/// Every ecosystem of a project. `at` is where it lies in the whole.
fn everything(project: &Project<'_>, ci: &Ci, at: &str) -> Detection {
    let mut found = Detection::default();
    let mut left_out: Vec<(Detection, String)> = Vec::new();
    for ecosystem in ECOSYSTEMS {
        let one = of_ecosystem(ecosystem, project, ci, at);
        match ci
            .leaves_out(ecosystem.name)
            .filter(|_| !one.commands.is_empty())
        {
            Some(file) => left_out.push((one, file.to_string())),
            None => found.append(one),
        }
    }
    if found.commands.is_empty() {
        found.append(other::make(project, ci));
    }
    for (one, file) in left_out {
        // What CI tests was not recognised here: then this is better than nothing.
        if found.commands.is_empty() {
            found.append(one);
            continue;
        }
        for command in &one.commands {
            found.pass_over(
                command.shown(),
                format!("{}, but {file} never runs it", command.why),
            );
        }
    }
    found
}

fn of_ecosystem(ecosystem: &Ecosystem, project: &Project<'_>, ci: &Ci, at: &str) -> Detection {
    let packages: Vec<String> = project
        .folders_with(ecosystem.manifests)
        .into_iter()
        .filter(|f| !f.is_empty())
        .collect();
    let join = |folder: &str| match (at, folder) {
        ("", folder) => folder.to_string(),
        (at, "") => at.to_string(),
        (at, folder) => format!("{at}/{folder}"),
    };
    let mut found = match ecosystem.reach {
        Reach::All | Reach::Own => (ecosystem.find)(project, ci, at),
        Reach::Tests => {
            let alone = (ecosystem.find)(&project.without(&packages), ci, at);
            match alone.commands.is_empty() {
                true => Detection::default(),
                // The root's words are made from everything that it reaches.
                false => (ecosystem.find)(project, ci, at),
            }
        }
    };
    if !found.commands.is_empty() && ecosystem.reach != Reach::Own {
        for package in packages.iter().take(MOST) {
            let why = format!("`{}` at the root stands for it", found.commands[0].command);
            let other = (ecosystem.find)(&project.within(package), ci, &join(package));
            if !other.commands.is_empty() {
                found.pass_over(package.clone(), why);
            }
        }
        return found;
    }
    let whole = (ecosystem.workspace)(project);
    let mut taken: Vec<&String> = Vec::new();
    for package in &packages {
        if ecosystem.reach != Reach::Own && taken.iter().any(|t| is_beneath(package, t)) {
            continue;
        }
        let mut one = (ecosystem.find)(&project.within(package), ci, &join(package));
        if one.commands.is_empty() {
            continue;
        }
        if taken.len() == MOST {
            found.pass_over(
                package.clone(),
                format!("{MOST} packages are checked already"),
            );
            continue;
        }
        taken.push(package);
        if whole.is_some() {
            one.setup.clear();
        }
        one.place(package);
        found.append(one);
    }
    if let Some(whole) = whole.filter(|_| !found.commands.is_empty()) {
        found.setup.splice(0..0, whole.setup);
    }
    found
}
