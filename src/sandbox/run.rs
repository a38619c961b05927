//! One command, from its spawn to the end of everything that it started.

use super::bwrap::Bwrap;
use super::cgroup::Group;
use super::collect::{Collector, DRAIN};
use super::proxy::Proxy;
use super::reason::{self, Knobs};
use super::start::{self, Ends, Failure, Order, Started};
use super::watch::First;
use super::wire::{self, Report, Stage};
use super::{Ran, SandboxError, Spec, layout, owner, seccomp, spec};
use crate::domain::Cancel;
use rustix::process::{Signal, pidfd_send_signal};
use std::io::{self, Write};
use std::os::fd::OwnedFd;
use std::path::PathBuf;
use std::process::ExitStatus;
use std::sync::{Mutex, PoisonError, mpsc};
use std::time::{Duration, Instant};
use tokio::io::unix::AsyncFd;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::UnixStream;
use tokio::time::timeout;

/// For bubblewrap and init.
const SET_UP: Duration = Duration::from_secs(120);
/// Runs the command; also tells which Landlock ABI held it.
pub(super) async fn run(
    sandbox: &Bwrap,
    spec: &Spec,
    cancel: &Cancel,
) -> Result<(Ran, i32), SandboxError> {
    spec.check()?;
    let work = spec::real_work(&spec.work)?;
    let owner_before = owner::of(work.as_ref()).map_err(|source| SandboxError::Work {
        path: spec.work.clone(),
        source,
    })?;
    let proxy = spec.network.as_ref().map(Proxy::start).transpose()?;
    let socket = proxy.as_ref().map(Proxy::socket);
    let etc = sandbox.etc.words();
    let group = sandbox.cgroups.make(&spec.limits);
    let order = Order {
        bwrap: spec::text(&sandbox.bwrap)?,
        options: layout::options(
            spec,
            &work,
            &sandbox.program,
            &sandbox.toolchains,
            &etc.words,
            socket.as_deref(),
        )?,
        command: layout::command(spec),
        work: work.clone(),
        user: sandbox.user,
        git: spec.git().map(PathBuf::from),
        cgroups: group.doors().to_vec(),
    };
    if cancel.is_cancelled() {
        return Err(SandboxError::Stopped);
    }
    let filters = seccomp::filters().map_err(|what| refusal((Stage::Seccomp, what)))?;
    let for_init = layout::order(spec, filters, group.holds_memory())
        .encode()
        .map_err(|e| SandboxError::io("write the order for init", e))?;
    let (mut live, socket) = Live::start(order, &for_init, spec, group).await?;
    let result = match live.set_up(socket, cancel).await {
        Ok(landlock) => live.finish(spec, cancel).await.map(|mut ran| {
            ran.traffic = proxy.as_ref().map(Proxy::traffic);
            (ran, landlock)
        }),
        Err(e) => {
            live.end().await;
            Err(e)
        }
    };
    drop(live);
    if let (Some(user), true) = (sandbox.user, spec.give_back) {
        let back = move || owner::give(work.as_ref(), &[user.uid], owner_before);
        let done = tokio::task::spawn_blocking(back).await;
        done.map_err(io::Error::other)
            .flatten()
            .map_err(|e| SandboxError::io("give the work folder back to its owner", e))?;
    }
    result
}

struct Live {
    outer: Outer,
    collector: Collector,
    /// Known as soon as the command may begin.
    first: Option<First>,
    group: Group,
}

/// bubblewrap's outer process; ends with this value.
struct Outer {
    pid: i32,
    handle: AsyncFd<OwnedFd>,
    ended: Mutex<mpsc::Receiver<io::Result<ExitStatus>>>,
    status: Option<Result<ExitStatus, String>>,
}

impl Outer {
    fn new(started: Started) -> io::Result<Outer> {
        // Its successor is an unsafe function, for types that may close their descriptor early; an
        // OwnedFd does not.
        #[allow(deprecated)]
        let handle = AsyncFd::new(started.handle)?;
        Ok(Outer {
            pid: started.pid,
            handle,
            ended: Mutex::new(started.ended),
            status: None,
        })
    }

    fn kill(&self) {
        // It may have ended already; that is what is wanted.
        let _ = pidfd_send_signal(&self.handle, Signal::KILL);
    }

    /// Its end, also when asked again.
    async fn wait(&mut self) -> io::Result<ExitStatus> {
        if self.status.is_none() {
            // An error would mean that the runtime ends.
            let _ = self.handle.readable().await;
            let ended = self.ended.lock().unwrap_or_else(PoisonError::into_inner);
            // The thread waits for the same end; its answer is a moment away.
            let ended = ended.recv_timeout(DRAIN).map_err(io::Error::other);
            self.status = Some(ended.flatten().map_err(|e| e.to_string()));
        }
        match &self.status {
            Some(Ok(status)) => Ok(*status),
            Some(Err(e)) => Err(io::Error::other(e.clone())),
            None => Err(io::ErrorKind::NotFound.into()),
        }
    }
}

impl Drop for Outer {
    fn drop(&mut self) {
        self.kill();
    }
}

impl Live {
    async fn start(
        order: Order,
        for_init: &[u8],
        spec: &Spec,
        group: Group,
    ) -> Result<(Live, UnixStream), SandboxError> {
        let fail = |what: &'static str| move |e: io::Error| SandboxError::io(what, e);
        let make = fail("make the pipe of a sandbox");
        let (collector, output) = Collector::new(&spec.limits).map_err(make)?;
        let (mut ours, theirs) = std::os::unix::net::UnixStream::pair().map_err(make)?;
        // Far less than a socket holds before anybody reads.
        ours.write_all(for_init).map_err(make)?;
        ours.set_nonblocking(true).map_err(make)?;
        let ends = Ends {
            socket: theirs.into(),
            output,
        };
        let start = move || start::start(order, ends);
        let started = tokio::task::spawn_blocking(start)
            .await
            .map_err(io::Error::other)
            .map_err(fail("start the sandbox"))?
            .map_err(refusal)?;
        let live = Live {
            outer: Outer::new(started).map_err(fail("hold the sandbox"))?,
            collector,
            first: None,
            group,
        };
        Ok((live, UnixStream::from_std(ours).map_err(make)?))
    }

    /// Waits for the report. Returns the Landlock ABI.
    async fn set_up(
        &mut self,
        mut socket: UnixStream,
        cancel: &Cancel,
    ) -> Result<i32, SandboxError> {
        let report = {
            let talk = read_report(&mut socket);
            tokio::pin!(talk);
            tokio::select! {
                report = &mut talk => report,
                // A report may have arrived in the moment of the end.
                _ = self.outer.wait() => timeout(DRAIN, talk).await.ok().flatten(),
                () = cancel.cancelled() => return Err(SandboxError::Stopped),
                () = tokio::time::sleep(SET_UP) => {
                    let source = io::ErrorKind::TimedOut;
                    return Err(SandboxError::io("set up the sandbox", source));
                }
            }
        };
        match report {
            Some(Report::Ready { landlock }) => {
                let first = First::below(self.outer.pid);
                self.first = Some(first.map_err(|e| SandboxError::io("hold the sandbox", e))?);
                let go = socket.write_all(&[wire::GO]).await;
                go.map_err(|e| SandboxError::io("start the command", e))?;
                Ok(landlock)
            }
            Some(Report::Failed { stage, what }) => Err(refusal((stage, what))),
            None => {
                self.collector.drain(None).await;
                let said = String::from_utf8_lossy(&self.collector.finish().0).into_owned();
                Err(unusable(reason::explain(&said, &Knobs::read())))
            }
        }
    }

    async fn finish(&mut self, spec: &Spec, cancel: &Cancel) -> Result<Ran, SandboxError> {
        let started = Instant::now();
        let Live {
            outer,
            collector,
            first,
            group,
        } = &mut *self;
        let memory = async {
            match first {
                Some(first) => first.out_of_memory(group, spec.limits.memory).await,
                None => std::future::pending().await,
            }
        };
        let end = collector.until(spec, cancel, outer.wait(), memory).await;
        let duration = started.elapsed();
        self.end().await;
        self.collector.drain(spec.tee.as_ref()).await;
        let (exit, hit) = end.words(self.group.ran_out_of_memory())?;
        let (output, truncated) = self.collector.finish();
        Ok(Ran {
            exit,
            output,
            truncated,
            duration,
            hit,
            traffic: None,
        })
    }

    /// Ends every process of the sandbox and waits until none is left.
    async fn end(&mut self) {
        if let Some(first) = &self.first {
            first.kill();
        }
        self.outer.kill();
        let all = async {
            let _ = self.outer.wait().await;
            if let Some(first) = &self.first {
                first.ended().await;
            }
        };
        if timeout(DRAIN, all).await.is_err() {
            tracing::warn!("a process of a sandbox does not end; the kernel holds it");
        }
    }
}

fn unusable((reason, fix): reason::Why) -> SandboxError {
    SandboxError::Unusable { reason, fix }
}

/// What a stage said when it refused.
fn refusal((stage, what): Failure) -> SandboxError {
    match stage {
        Stage::Seccomp => unusable(reason::no_seccomp(&what)),
        Stage::MountNamespace => unusable(reason::no_mount_namespace(&what)),
        Stage::Launch | Stage::Limits | Stage::Bridge => {
            SandboxError::io("prepare the sandbox", io::Error::other(what))
        }
    }
}

/// The one report; `None` when the other side ended without one.
async fn read_report(socket: &mut UnixStream) -> Option<Report> {
    let mut report = [0; wire::REPORT];
    socket.read_exact(&mut report).await.ok()?;
    Some(Report::decode(report))
}
