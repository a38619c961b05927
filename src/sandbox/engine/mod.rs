//! The second back end: containers of docker or podman, by their command line.
//!
//! A container is created once for a work folder with its mounts and limits, and started for each
//! command. Its first process only waits for the end of its standard input, as a user of its own
//! whom the command cannot touch; the command comes in by `exec`. When the command ends, or has to,
//! the container is killed, and the kernel ends every process in it; when mend dies, the pipe to
//! the first process closes, with the same end. Stopped containers that a dead mend left are
//! removed at the start.

mod arguments;
mod client;
mod leftover;

use super::collect::{Collector, DRAIN};
use super::owner::{self, Owner};
use super::{Backend, LimitState, Ran, SandboxError, Settings, Spec, spec};
use crate::domain::{BackendKind, Cancel};
use arguments::Place;
use client::Client;
use std::collections::HashMap;
use std::io;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};
use tokio::io::AsyncWriteExt;
use tokio::process::Child;
use tokio::time::timeout;

/// For one word to the engine.
const PATIENCE: Duration = Duration::from_secs(60);

/// A container engine that works here. Cheap to clone.
#[derive(Debug, Clone)]
pub(super) struct Engine {
    client: Client,
    image: String,
    user: Owner,
    /// Whether mend is root and gives the work folder to `user` and back.
    gives: bool,
    idle: Arc<Idle>,
}

/// Containers that no command uses, by what they were created for.
#[derive(Debug)]
struct Idle {
    client: Client,
    by_place: Mutex<HashMap<Place, Vec<String>>>,
}

impl Idle {
    fn take(&self, place: &Place) -> Option<String> {
        let mut all = self.by_place.lock().unwrap_or_else(PoisonError::into_inner);
        all.get_mut(place)?.pop()
    }

    fn put(&self, place: Place, container: String) {
        let mut all = self.by_place.lock().unwrap_or_else(PoisonError::into_inner);
        all.entry(place).or_default().push(container);
    }

    /// Those whose work folder is gone.
    fn orphans(&self) -> Vec<String> {
        let mut all = self.by_place.lock().unwrap_or_else(PoisonError::into_inner);
        let gone = |place: &Place, _: &mut Vec<String>| !place.work_is_there();
        all.extract_if(gone).flat_map(|(_, ids)| ids).collect()
    }
}

impl Drop for Idle {
    fn drop(&mut self) {
        let all = std::mem::take(&mut self.by_place);
        let all = all.into_inner().unwrap_or_else(PoisonError::into_inner);
        let ids: Vec<String> = all.into_values().flatten().collect();
        self.client.remove_unwatched(&ids);
    }
}

impl Engine {
    /// Looks for the program and asks it whether it works.
    pub(super) async fn find(settings: &Settings) -> Result<(Engine, String), SandboxError> {
        let client = Client::find(settings)?;
        let version = client.version().await?;
        let engine = Engine::untried_with(settings, client)?;
        engine.image_is_there().await?;
        leftover::remove(&engine.client).await;
        Ok((engine, version))
    }

    /// Without a word to the engine.
    pub(super) fn untried(settings: &Settings) -> Result<Engine, SandboxError> {
        Engine::untried_with(settings, Client::find(settings)?)
    }

    fn untried_with(settings: &Settings, client: Client) -> Result<Engine, SandboxError> {
        let image = settings.image.clone().unwrap_or_default();
        if image.is_empty() || image.starts_with('-') {
            return Err(SandboxError::Unusable {
                reason: format!("no image is set for {}", client.kind().name()),
                fix: "set `sandbox.image` to an image with /bin/sh and the project's toolchain"
                    .into(),
            });
        }
        let outer = owner::outer_user(settings.user.as_deref())?;
        let own = Owner {
            uid: rustix::process::geteuid().as_raw(),
            gid: rustix::process::getegid().as_raw(),
        };
        Ok(Engine {
            idle: Arc::new(Idle {
                client: client.clone(),
                by_place: Mutex::default(),
            }),
            client,
            image,
            user: outer.unwrap_or(own),
            gives: outer.is_some(),
        })
    }

    pub(super) fn outer_uid(&self) -> Option<u32> {
        self.gives.then_some(self.user.uid)
    }

    pub(super) fn program(&self) -> PathBuf {
        self.client.program().into()
    }

    /// How the engine keeps the limits. Memory and processes have no other keeper than its control
    /// groups, so that an engine without them is of no use.
    pub(super) async fn limits(&self) -> Result<Vec<LimitState>, SandboxError> {
        use super::Enforcement::{Hard, Soft};
        let held = match self.client.kind() {
            BackendKind::Docker => "{{.MemoryLimit}} {{.PidsLimit}}",
            _ => "{{.Host.CgroupsVersion}} {{.Host.Security.Rootless}}",
        };
        let said = self.client.say(&["info", "--format", held], PATIENCE).await;
        let said = said.map_err(|why| self.refused("say what it can", &why))?;
        if said.contains("v1 true") || said.split(' ').any(|w| w == "false") && !said.contains('v')
        {
            return Err(SandboxError::Unusable {
                reason: format!(
                    "{} has no control groups for memory and processes here",
                    self.client.kind().name()
                ),
                fix: "use control groups version 2, or run the engine as root".into(),
            });
        }
        let state = |(name, enforcement, by)| LimitState {
            name,
            enforcement,
            by,
        };
        let all = [
            ("wall_time", Hard, "mend kills the container"),
            ("output", Hard, "mend keeps head and tail"),
            ("file_size", Hard, "RLIMIT_FSIZE"),
            ("scratch", Hard, "sized tmpfs"),
            ("processes", Hard, "control group"),
            ("memory", Hard, "control group"),
            ("disk", Soft, "looked at five times a second"),
        ];
        Ok(all.map(state).to_vec())
    }

    async fn image_is_there(&self) -> Result<(), SandboxError> {
        let arguments = ["image", "inspect", "--format", "{{.Id}}", &self.image];
        let said = self.client.say(&arguments, PATIENCE).await;
        said.map(|_| ()).map_err(|why| SandboxError::Unusable {
            reason: format!("image {}: {why}", self.image),
            fix: format!("{} pull {}", self.client.kind().name(), self.image),
        })
    }

    async fn run_given(&self, spec: &Spec, cancel: &Cancel) -> Result<Ran, SandboxError> {
        spec.check()?;
        if spec.network.is_some() {
            return Err(SandboxError::BadSpec(
                "a command with network runs only in bubblewrap; set `sandbox.backend` to \"bwrap\""
                    .into(),
            ));
        }
        let work = spec::real_work(&spec.work)?;
        let before = owner::of(work.as_ref()).map_err(|source| SandboxError::Work {
            path: spec.work.clone(),
            source,
        })?;
        if cancel.is_cancelled() {
            return Err(SandboxError::Stopped);
        }
        if self.gives {
            let root = rustix::process::geteuid().as_raw();
            self.give(&work, vec![before.uid, root], self.user).await?;
        }
        let place = Place::of(spec, &work)?;
        let ran = self.run_in(&place, spec, cancel).await;
        if self.gives && spec.give_back {
            self.give(&work, vec![self.user.uid], before).await?;
        }
        ran
    }

    async fn give(&self, work: &str, from: Vec<u32>, to: Owner) -> Result<(), SandboxError> {
        let work = PathBuf::from(work);
        let given = tokio::task::spawn_blocking(move || owner::give(&work, &from, to)).await;
        given
            .map_err(io::Error::other)
            .flatten()
            .map_err(|e| SandboxError::io("give the work folder to another user", e))
    }

    async fn run_in(
        &self,
        place: &Place,
        spec: &Spec,
        cancel: &Cancel,
    ) -> Result<Ran, SandboxError> {
        self.remove(&self.idle.orphans()).await;
        // Somebody may have removed an idle one; a fresh one tells whether the engine works.
        let container = match self.idle.take(place) {
            Some(old) => match Running::start(self, &old).await {
                Ok(running) => running,
                Err(_) => Running::start(self, &self.create(place).await?).await?,
            },
            None => Running::start(self, &self.create(place).await?).await?,
        };
        let ran = self.command(&container, spec, cancel).await;
        let id = container.id.clone();
        let oom = container.end().await;
        match &oom {
            Ok(_) => self.idle.put(place.clone(), id),
            // What did not stop must not run on.
            Err(_) => self.remove(&[id]).await,
        }
        let (end, duration, mut collector) = ran?;
        collector.drain(spec.tee.as_ref()).await;
        let (exit, hit) = end.words(oom?)?;
        let (output, truncated) = collector.finish();
        Ok(Ran {
            exit,
            output,
            truncated,
            duration,
            hit,
            traffic: None,
        })
    }

    async fn create(&self, place: &Place) -> Result<String, SandboxError> {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let name = leftover::name(NEXT.fetch_add(1, Ordering::Relaxed));
        let rootless = self.client.kind() == BackendKind::Podman && !self.gives;
        let arguments = arguments::create(place, &self.image, &name, rootless);
        let said = self.client.say(&arguments, PATIENCE).await;
        said.map(|_| name)
            .map_err(|why| self.refused("create a container", &why))
    }

    async fn command(
        &self,
        container: &Running,
        spec: &Spec,
        cancel: &Cancel,
    ) -> Result<(super::collect::End, Duration, Collector), SandboxError> {
        let fail = |e| SandboxError::io("run a command in a container", e);
        let (mut collector, writer) = Collector::new(&spec.limits).map_err(fail)?;
        let mut client = self
            .client
            .command(&arguments::exec(&container.id, spec, self.user));
        client.stdout(writer.try_clone().map_err(fail)?);
        client.stderr(writer);
        let mut child = client.spawn().map_err(fail)?;
        drop(client);
        let ready = collector.expect(arguments::READY.as_bytes());
        let ready = tokio::select! {
            ready = timeout(PATIENCE, ready) => ready.unwrap_or(false),
            () = cancel.cancelled() => return Err(SandboxError::Stopped),
        };
        if !ready {
            let _ = child.start_kill();
            collector.drain(None).await;
            let said = String::from_utf8_lossy(&collector.finish().0).into_owned();
            return Err(self.refused("run a command", &client::short(&said)));
        }
        let began = Instant::now();
        let memory = std::future::pending();
        let end = collector.until(spec, cancel, child.wait(), memory).await;
        Ok((end, began.elapsed(), collector))
    }

    async fn remove(&self, containers: &[String]) {
        for id in containers {
            if let Err(why) = self.client.say(&["rm", "--force", id], PATIENCE).await {
                tracing::warn!("container {id} was not removed: {why}");
            }
        }
    }

    fn refused(&self, what: &str, why: &str) -> SandboxError {
        let name = self.client.kind().name();
        SandboxError::Unusable {
            reason: format!("{name} does not {what}: {why}"),
            fix: format!("make `{name} run --network none --read-only IMAGE true` work"),
        }
    }
}

/// A container with its first process.
struct Running {
    engine: Engine,
    id: String,
    /// The engine's client at the first process; its end is the container's.
    client: Child,
}

impl Running {
    async fn start(engine: &Engine, id: &str) -> Result<Running, SandboxError> {
        let fail = |e| SandboxError::io("start a container", e);
        let (mut collector, writer) = Collector::new(&super::Bounds::default()).map_err(fail)?;
        let mut command = engine
            .client
            .command(&["start", "--attach", "--interactive", id].map(String::from));
        command.stdin(std::process::Stdio::piped());
        command.stdout(writer.try_clone().map_err(fail)?);
        command.stderr(writer);
        let client = command.spawn().map_err(fail)?;
        drop(command);
        let mut running = Running {
            engine: engine.clone(),
            id: id.into(),
            client,
        };
        let up = collector.expect(arguments::UP.as_bytes());
        if !timeout(PATIENCE, up).await.unwrap_or(false) {
            let _ = running.client.start_kill();
            collector.drain(None).await;
            let said = String::from_utf8_lossy(&collector.finish().0).into_owned();
            engine.remove(&[running.id.clone()]).await;
            return Err(engine.refused("start a container", &client::short(&said)));
        }
        Ok(running)
    }

    /// Kills every process and waits until none is left; tells whether the kernel killed one for
    /// memory.
    async fn end(mut self) -> Result<bool, SandboxError> {
        let client = &self.engine.client;
        let kill = ["kill", "--signal", "KILL", &self.id];
        // It may have ended by itself, which is an error to the engine.
        let killed = client.say(&kill, PATIENCE).await;
        if let Some(mut stdin) = self.client.stdin.take() {
            let _ = stdin.shutdown().await;
        }
        let ended = timeout(DRAIN, self.client.wait()).await;
        if ended.is_err() {
            let why = killed.err().unwrap_or_else(|| "it runs on".into());
            return Err(self.engine.refused("end a container", &why));
        }
        let format = "{{.State.Running}} {{.State.OOMKilled}}";
        let inspect = ["inspect", "--format", format, &self.id];
        match client.say(&inspect, PATIENCE).await {
            Ok(state) if state.starts_with("false") => Ok(state.ends_with("true")),
            Ok(_) => Err(self.engine.refused("end a container", "it runs on")),
            Err(why) => Err(self.engine.refused("look at a container", &why)),
        }
    }
}

#[async_trait::async_trait]
impl Backend for Engine {
    async fn run(&self, spec: &Spec, cancel: &Cancel) -> Result<Ran, SandboxError> {
        self.run_given(spec, cancel).await
    }
}
