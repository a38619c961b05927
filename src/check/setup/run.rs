//! Runs the steps, or finds that they ran already.

use super::super::project::Project;
use super::super::run::blocking;
use super::super::vcs;
use super::leave::{how, tail, take_out};
use super::prepared::{Done, Kept, named};
use super::prune::{note_use, prune};
use super::steps::{ecosystems, registries};
use super::{Ecosystem, Prepared, SetUp, key, place};
use crate::check::{CheckError, SetupCommand, survey};
use crate::config::{REPO_FILE, RepoConfig};
use crate::domain::{
    AllowedHost, Cancel, Exit, Journal, Progress, SetUpFailure, SetUpReport, Traffic,
};
use crate::sandbox::{Bounds, Egress, Mount, Sandbox, Spec};
use crate::tree::{TempFolder, Tree, copy_tree, make_folder, move_folder, read_own, write_own};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, SystemTime};

const MOST_DONE: u64 = 1 << 20;

/// Everything about one run of the steps.
struct Work<'a> {
    setup: &'a SetUp,
    sandbox: &'a Sandbox,
    ecosystems: &'a [Ecosystem],
    env: Vec<(String, String)>,
    network: Egress,
    git: Option<&'a Path>,
    deps: PathBuf,
    repo: PathBuf,
}

impl SetUp {
    /// Refuses at once what [`SetUp::prepare`] would refuse later.
    ///
    /// # Errors
    /// `NoSetUpHere` when this tree needs a set-up and the sandbox can run none.
    pub fn possible(&self, sandbox: &Sandbox, tree: &Tree) -> Result<(), CheckError> {
        refuse_without_network(sandbox, &steps_of(tree, &self.config)?)
    }

    /// Makes the set-up of the tree in `copy`, or takes the one that was made for the same
    /// manifests. `git` is what the steps see as `.git`. A step that fails is in the report, not
    /// an error; nothing is kept then.
    ///
    /// # Errors
    /// `Stopped`; `Tree` and `Sandbox` when the set-up could not be tried.
    pub async fn prepare(
        &self,
        sandbox: &Sandbox,
        copy: &Path,
        git: Option<&Path>,
        cancel: &Cancel,
        journal: &dyn Journal,
    ) -> Result<Option<Prepared>, CheckError> {
        let (path, config) = (copy.to_path_buf(), self.config.clone());
        let found = blocking(move || {
            let tree = Tree::open(&path)?;
            let steps = steps_of(&tree, &config)?;
            let all = ecosystems(&Project::open(&tree, None)?, &steps);
            Ok((steps, all))
        });
        let (mut steps, all) = found.await?;
        if steps.is_empty() {
            return Ok(None);
        }
        refuse_without_network(sandbox, &steps)?;
        // One at a time: two checks of one task want the same set-up.
        let mut last = self.last.lock().await;
        let mut tools = self.tools(sandbox, copy, (&steps, &all), cancel).await?;
        if git.is_some() {
            tools.push_str("a git directory\n");
        }
        let there = |program: &str| tools.lines().any(|l| l.split(' ').next() == Some(program));
        for step in &mut steps {
            if step.needs.as_deref().is_some_and(|program| !there(program))
                && let Some(instead) = step.instead.take()
            {
                step.command = instead;
            }
        }
        let key = self.key(copy, &steps, &tools).await?;
        let place = self.settings.cache.join(&key);
        if let Some(mut prepared) = self.kept(sandbox, &place).await? {
            let same = last.as_ref().and_then(|l| l.kept.as_ref());
            if same.is_some_and(|l| l.folder == place) {
                // Within one task it is the set-up that this task made.
                prepared.report = last.as_ref().map(|l| l.report.clone()).unwrap_or_default();
            } else {
                journal.tell(Progress::SetUpEnded(Box::new(prepared.report.clone())));
            }
            *last = Some(prepared.clone());
            return Ok(Some(prepared));
        }
        let prepared = self
            .make(
                (sandbox, git),
                copy,
                (&steps, &all),
                &place,
                cancel,
                journal,
            )
            .await?;
        journal.tell(Progress::SetUpEnded(Box::new(prepared.report.clone())));
        *last = Some(prepared.clone());
        Ok(Some(prepared))
    }

    async fn key(
        &self,
        copy: &Path,
        steps: &[SetupCommand],
        tools: &str,
    ) -> Result<String, CheckError> {
        let path = copy.to_path_buf();
        let (steps, tools) = (steps.to_vec(), tools.to_string());
        let settings = self.settings.clone();
        blocking(move || {
            let tree = Tree::open(&path)?;
            let project = Project::open(&tree, None)?;
            key::key(&tree, &project, &steps, &tools, &settings)
        })
        .await
    }

    /// Versions of the tools, which are part of the key, and which of them are there.
    async fn tools(
        &self,
        sandbox: &Sandbox,
        copy: &Path,
        (steps, all): (&[SetupCommand], &[Ecosystem]),
        cancel: &Cancel,
    ) -> Result<String, CheckError> {
        let programs = all.iter().flat_map(|e| match e {
            Ecosystem::Python => &["python3", "uv", "poetry", "pdm"][..],
            Ecosystem::Node => &["node", "npm", "pnpm", "yarn", "bun"],
            Ecosystem::Rust => &["cargo"],
            Ecosystem::Go => &["go"],
            Ecosystem::Ruby => &["ruby", "bundle"],
            Ecosystem::Php => &["php", "composer"],
            Ecosystem::Jvm => &["java", "mvn", "gradle"],
            Ecosystem::Elixir => &["elixir", "mix"],
            Ecosystem::Dotnet => &["dotnet"],
        });
        let needed = steps.iter().filter_map(|s| s.needs.clone());
        let mut programs: Vec<String> = programs.map(|p| p.to_string()).chain(needed).collect();
        programs.sort_unstable();
        programs.dedup();
        let mut known = self.tools.lock().await;
        if let Some((of, text)) = &*known
            && *of == programs
        {
            return Ok(text.clone());
        }
        let script = "for t in \"$@\"; do command -v \"$t\" >/dev/null || continue; \
             case $t in go) v=$(go version);; *) v=$(\"$t\" --version 2>&1 | head -n 1);; esac; \
             echo \"$t $v\"; done";
        let mut argv: Vec<String> = ["/bin/sh", "-c", script, "sh"].map(String::from).to_vec();
        argv.extend(programs.iter().cloned());
        let spec = Spec {
            argv,
            work: copy.into(),
            limits: Bounds {
                wall: Duration::from_secs(60),
                ..Bounds::default()
            },
            ..Spec::default()
        };
        let ran = sandbox.run(&spec, cancel).await?;
        let text = String::from_utf8_lossy(&ran.output).into_owned();
        *known = Some((programs, text.clone()));
        Ok(text)
    }

    /// The set-up at this place, when it is whole.
    async fn kept(&self, sandbox: &Sandbox, place: &Path) -> Result<Option<Prepared>, CheckError> {
        let folder = place.to_path_buf();
        let done = blocking(move || {
            let done = read_own(&folder.join("done.json"), MOST_DONE).ok();
            if done.is_some()
                && let Err(e) = note_use(&folder)
            {
                tracing::warn!(error = %e, "the use of a set-up could not be noted");
            }
            Ok(done)
        })
        .await?;
        let Some(done) = done.and_then(|d| serde_json::from_slice::<Done>(&d).ok()) else {
            return Ok(None);
        };
        let mut report = done.report.clone();
        report.from_cache = true;
        Ok(Some(self.prepared(sandbox, place, done, report)))
    }

    fn prepared(
        &self,
        sandbox: &Sandbox,
        place: &Path,
        done: Done,
        report: SetUpReport,
    ) -> Prepared {
        let all = named(&done.ecosystems);
        let mut env = place::variables(&all, sandbox.path_inside().as_deref(), done.venv);
        env.extend(place::while_checking(&all));
        Prepared {
            report,
            env,
            files: self.settings.files.clone(),
            kept: Some(Kept {
                folder: place.into(),
                done,
            }),
        }
    }

    async fn make(
        &self,
        (sandbox, git): (&Sandbox, Option<&Path>),
        copy: &Path,
        (steps, all): (&[SetupCommand], &[Ecosystem]),
        place: &Path,
        cancel: &Cancel,
        journal: &dyn Journal,
    ) -> Result<Prepared, CheckError> {
        let started = Instant::now();
        let (cache, from) = (self.settings.cache.clone(), copy.to_path_buf());
        let most = self.settings.cache_bytes;
        let draft = blocking(move || {
            make_folder(&cache, 0o711)?;
            if let Err(e) = prune(&cache, most, SystemTime::now()) {
                tracing::warn!(error = %e, "old set-ups could not be removed");
            }
            let draft = TempFolder::create(&cache, 0o711)?;
            copy_tree(&Tree::open(&from)?, &draft.path().join("tree"), &|_| false)?;
            // The steps run as another user; the folders around it keep everybody else away.
            make_folder(&draft.path().join("deps"), 0o777)?;
            Ok(draft)
        })
        .await?;
        let venv = all.contains(&Ecosystem::Python);
        let mut env = place::variables(all, sandbox.path_inside().as_deref(), venv);
        env.extend(place::while_setting_up());
        env.extend(self.settings.env.iter().cloned());
        let work = Work {
            setup: self,
            sandbox,
            ecosystems: all,
            env,
            network: self.network(all),
            git,
            deps: draft.path().join("deps"),
            repo: draft.path().join("tree"),
        };
        let mut report = SetUpReport {
            steps: steps.iter().map(SetupCommand::shown).collect(),
            ..SetUpReport::default()
        };
        work.run(steps, venv, &mut report, cancel, journal).await?;
        report.duration_ms = started.elapsed().as_millis() as u64;
        if report.failed.is_some() {
            return Ok(Prepared {
                report,
                kept: None,
                env: Vec::new(),
                files: Vec::new(),
            });
        }
        let (source, place) = (copy.to_path_buf(), place.to_path_buf());
        let names = work.ecosystems.iter().map(|e| format!("{e:?}")).collect();
        let mut done = Done {
            report: report.clone(),
            ecosystems: names,
            venv,
            folders: Vec::new(),
        };
        let (done, at) = blocking(move || {
            done.folders = take_out(&source, draft.path())?;
            let text = serde_json::to_vec(&done).unwrap_or_default();
            write_own(&draft.path().join("done.json"), &text)?;
            let draft = draft.keep();
            // Somebody else may have made the same meanwhile; either is as good.
            if move_folder(&draft, &place).is_err() {
                let _ = crate::tree::remove_tree(&draft);
            }
            Ok((done, place))
        })
        .await?;
        Ok(self.prepared(sandbox, &at, done, report))
    }

    /// The operator's list, or the public registries of these ecosystems.
    fn network(&self, all: &[Ecosystem]) -> Egress {
        let hosts = match &self.settings.allow {
            Some(hosts) => hosts.clone(),
            None => all
                .iter()
                .flat_map(|e| registries(*e))
                .filter_map(|host| AllowedHost::parse(host).ok())
                .collect(),
        };
        Egress::to(hosts)
    }
}

impl Work<'_> {
    async fn run(
        &self,
        steps: &[SetupCommand],
        venv: bool,
        report: &mut SetUpReport,
        cancel: &Cancel,
        journal: &dyn Journal,
    ) -> Result<(), CheckError> {
        let mut commands = steps.to_vec();
        if venv {
            // Not through `PATH`, in which the environment that is to be made stands first.
            commands.insert(0, SetupCommand::new("python3 -m venv \"$VIRTUAL_ENV\"", ""));
        }
        for command in &commands {
            journal.tell(Progress::SetUpStarted {
                command: command.shown(),
            });
            let ran = self.sandbox.run(&self.spec(command), cancel).await?;
            report
                .traffic
                .add(ran.traffic.as_ref().unwrap_or(&Traffic::default()));
            if ran.exit != Exit::Code(0) || ran.hit.is_some() {
                report.failed = Some(SetUpFailure {
                    command: command.shown(),
                    how: how(&ran, self.setup.settings.limit),
                    tail: self.setup.settings.redactor.redact(&tail(&ran.output)),
                });
                return Ok(());
            }
        }
        Ok(())
    }

    fn spec(&self, command: &SetupCommand) -> Spec {
        let mut mounts = vec![place::deps(&self.deps, true)];
        mounts.extend(self.setup.settings.files.iter().map(|f| Mount {
            host: f.host.clone(),
            inside: f.inside.clone(),
            writable: false,
        }));
        // The operator's word counts more than the repository's.
        let mut env = command.env.clone();
        env.extend(self.env.iter().cloned());
        if let Some(git) = self.git {
            mounts.push(vcs::mount(git));
            env.extend(vcs::variables());
        }
        Spec {
            argv: command.argv(),
            work: self.repo.clone(),
            env,
            limits: Bounds {
                wall: self.setup.settings.limit,
                output_head: 64 << 10,
                output_tail: 64 << 10,
                ..Bounds::default()
            },
            mounts,
            network: Some(self.network.clone()),
            ..Spec::default()
        }
    }
}

fn steps_of(tree: &Tree, config: &RepoConfig) -> Result<Vec<SetupCommand>, CheckError> {
    match survey(tree, config) {
        Ok(found) => Ok(found.setup),
        // The check was named by somebody; what is set up for it can still be named here.
        Err(CheckError::NoCheck { .. }) => Ok(named_alone(config)),
        Err(e) => Err(e),
    }
}

fn refuse_without_network(sandbox: &Sandbox, steps: &[SetupCommand]) -> Result<(), CheckError> {
    match steps.first() {
        Some(step) if !sandbox.takes_network() => {
            Err(CheckError::NoSetUpHere { step: step.shown() })
        }
        _ => Ok(()),
    }
}

/// The set-up of `.github/mend.toml` for a project without a check of its own.
fn named_alone(config: &RepoConfig) -> Vec<SetupCommand> {
    let step = |command: &String| SetupCommand {
        folder: config.working_directory.clone(),
        env: config.env.clone(),
        ..SetupCommand::new(command, format!("`{REPO_FILE}` says so"))
    };
    config.setup.iter().flatten().map(step).collect()
}
