//! One command, from its spawn to the end of everything that it started.

use super::cgroup::Group;
use super::output::Output;
use super::proxy::Proxy;
use super::reason::{self, Knobs};
use super::watch::First;
use super::wire::{self, LaunchOrder, Report, Stage};
use super::{HitLimit, LAUNCH, Ran, Sandbox, SandboxError, Spec, disk, layout, owner, spawn, spec};
use crate::domain::{Cancel, Exit};
use std::io;
use std::os::unix::process::ExitStatusExt;
use std::process::{ExitStatus, Stdio};
use std::time::{Duration, Instant};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{UnixStream, unix::pipe};
use tokio::process::{Child, Command};
use tokio::sync::mpsc;
use tokio::time::timeout;

/// For the launcher, bubblewrap and init; giving a large work folder its user is the long part.
const SET_UP: Duration = Duration::from_secs(120);
/// For what is left in the pipe and in the kernel after the end.
const DRAIN: Duration = Duration::from_secs(5);
const CHUNK: usize = 64 << 10;

/// What ended the wait for a command.
enum End {
    Exited(io::Result<ExitStatus>),
    TimedOut,
    Stopped,
    Hit(HitLimit),
}

/// Runs the command; also tells which Landlock ABI held it.
pub(super) async fn run(
    sandbox: &Sandbox,
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
    let group = sandbox.cgroups.make(&spec.limits);
    let order = LaunchOrder {
        bwrap: spec::text(&sandbox.bwrap)?,
        options: layout::options(
            spec,
            &work,
            &sandbox.program,
            &sandbox.toolchains,
            socket.as_deref(),
        )?,
        command: layout::command(spec)?,
        work: work.clone(),
        user: sandbox.user,
        cgroups: group.doors().collect(),
        parent: rustix::process::getpid().as_raw_pid(),
    };
    if cancel.is_cancelled() {
        return Err(SandboxError::Stopped);
    }
    let (mut live, socket) = Live::start(sandbox, spec, group).await?;
    let result = match live.set_up(socket, &order, cancel).await {
        Ok(landlock) => live.finish(spec, cancel).await.map(|mut ran| {
            ran.traffic = proxy.as_ref().map(Proxy::traffic);
            (ran, landlock)
        }),
        Err(e) => {
            live.end().await;
            Err(e)
        }
    };
    live.group.remove().await;
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
    child: Child,
    pipe: pipe::Receiver,
    output: Output,
    /// Known as soon as the command may begin.
    first: Option<First>,
    group: Group,
}

impl Live {
    async fn start(
        sandbox: &Sandbox,
        spec: &Spec,
        group: Group,
    ) -> Result<(Live, UnixStream), SandboxError> {
        let fail = |what: &'static str| move |e: io::Error| SandboxError::io(what, e);
        let make = fail("make the pipe of a sandbox");
        let (reader, writer) = rustix::pipe::pipe_with(rustix::pipe::PipeFlags::CLOEXEC)
            .map_err(|e| SandboxError::io("make the pipe of a sandbox", e))?;
        let (ours, theirs) = std::os::unix::net::UnixStream::pair().map_err(make)?;
        ours.set_nonblocking(true).map_err(make)?;
        let mut command = Command::new(&sandbox.program);
        command
            .arg(LAUNCH)
            .env_clear()
            .current_dir("/")
            .stdin(Stdio::from(std::os::fd::OwnedFd::from(theirs)))
            .stdout(writer.try_clone().map_err(make)?)
            .stderr(writer)
            .kill_on_drop(true);
        let child = spawn::spawn(command)
            .await
            .map_err(fail("start mend's launcher"))?;
        let live = Live {
            child,
            pipe: pipe::Receiver::from_owned_fd(reader).map_err(make)?,
            output: Output::new(spec.limits.output_head, spec.limits.output_tail),
            first: None,
            group,
        };
        Ok((live, UnixStream::from_std(ours).map_err(make)?))
    }

    /// Sends the order and waits for the report. Returns the Landlock ABI.
    async fn set_up(
        &mut self,
        mut socket: UnixStream,
        order: &LaunchOrder,
        cancel: &Cancel,
    ) -> Result<i32, SandboxError> {
        let order =
            wire::encode(order).map_err(|e| SandboxError::io("write the sandbox's order", e))?;
        let talk = async {
            // When the launcher is gone already, its report or its exit says why.
            let _ = socket.write_all(&order).await;
            read_report(&mut socket).await
        };
        let report = tokio::select! {
            // First, because a report may have arrived in the moment of the end.
            biased;
            report = talk => report,
            _ = self.child.wait() => None,
            () = cancel.cancelled() => return Err(SandboxError::Stopped),
            () = tokio::time::sleep(SET_UP) => {
                let source = io::ErrorKind::TimedOut;
                return Err(SandboxError::io("set up the sandbox", source));
            }
        };
        match report {
            Some(Report::Ready { landlock }) => {
                let first = self.child.id().ok_or(io::ErrorKind::NotFound.into());
                let first = first.and_then(First::below);
                self.first = Some(first.map_err(|e| SandboxError::io("hold the sandbox", e))?);
                let go = socket.write_all(&[wire::GO]).await;
                go.map_err(|e| SandboxError::io("start the command", e))?;
                Ok(landlock)
            }
            Some(Report::Failed { stage, what }) => Err(match stage {
                Stage::Seccomp => unusable(reason::no_seccomp(&what)),
                Stage::MountNamespace => unusable(reason::no_mount_namespace(&what)),
                Stage::Launch | Stage::Limits | Stage::Bridge => {
                    SandboxError::io("prepare the sandbox", io::Error::other(what))
                }
            }),
            None => {
                self.drain(None).await;
                let output = std::mem::replace(&mut self.output, Output::new(0, 0));
                let said = String::from_utf8_lossy(&output.finish().0).into_owned();
                Err(unusable(reason::explain(&said, &Knobs::read())))
            }
        }
    }

    async fn finish(&mut self, spec: &Spec, cancel: &Cancel) -> Result<Ran, SandboxError> {
        let started = Instant::now();
        let end = self.wait(spec, cancel).await;
        let duration = started.elapsed();
        self.end().await;
        self.drain(spec.tee.as_ref()).await;
        let (exit, hit) = match end {
            End::Exited(status) => {
                let status = status.map_err(|e| SandboxError::io("wait for the sandbox", e))?;
                let out_of_memory = self.group.ran_out_of_memory();
                (exit_of(status), out_of_memory.then_some(HitLimit::Memory))
            }
            End::TimedOut => (Exit::TimedOut, None),
            End::Hit(limit) => (Exit::Signal(libc::SIGKILL), Some(limit)),
            End::Stopped => return Err(SandboxError::Stopped),
        };
        let output = std::mem::replace(&mut self.output, Output::new(0, 0));
        let (output, truncated) = output.finish();
        Ok(Ran {
            exit,
            output,
            truncated,
            duration,
            hit,
            traffic: None,
        })
    }

    /// Reads output until the command ends or has to.
    async fn wait(&mut self, spec: &Spec, cancel: &Cancel) -> End {
        let Live {
            child,
            pipe,
            output,
            first,
            group,
        } = self;
        let deadline = tokio::time::sleep(spec.limits.wall);
        let memory = async {
            match first {
                Some(first) => first.out_of_memory(group, spec.limits.memory).await,
                None => std::future::pending().await,
            }
        };
        let disk = disk::over(spec.work.clone(), spec.limits.disk);
        tokio::pin!(deadline, memory, disk);
        let mut buffer = vec![0; CHUNK];
        let (mut open, mut pending) = (true, None::<Vec<u8>>);
        loop {
            tokio::select! {
                biased;
                () = cancel.cancelled() => return End::Stopped,
                () = &mut deadline => return End::TimedOut,
                () = &mut memory => return End::Hit(HitLimit::Memory),
                () = &mut disk => return End::Hit(HitLimit::Disk),
                room = reserve(spec.tee.as_ref()), if pending.is_some() => {
                    if let (Some(room), Some(bytes)) = (room, pending.take()) {
                        room.send(bytes);
                    }
                }
                status = child.wait() => {
                    send_now(spec.tee.as_ref(), pending).await;
                    return End::Exited(status);
                }
                read = pipe.read(&mut buffer), if open && pending.is_none() => match read {
                    Ok(n) if n > 0 => {
                        output.add(&buffer[..n]);
                        pending = spec.tee.as_ref().map(|_| buffer[..n].to_vec());
                    }
                    _ => open = false,
                },
            }
        }
    }

    /// Ends every process of the sandbox and waits until none is left.
    async fn end(&mut self) {
        if let Some(first) = &self.first {
            first.kill();
        }
        let _ = self.child.start_kill();
        let all = async {
            let _ = self.child.wait().await;
            if let Some(first) = &self.first {
                first.ended().await;
            }
        };
        if timeout(DRAIN, all).await.is_err() {
            tracing::warn!("a process of a sandbox does not end; the kernel holds it");
        }
    }

    /// Reads what the pipe still holds. Nobody writes any more, so this ends at once, unless a
    /// process cannot be killed.
    async fn drain(&mut self, tee: Option<&mpsc::Sender<Vec<u8>>>) {
        let mut buffer = vec![0; CHUNK];
        let all = async {
            while let Ok(n @ 1..) = self.pipe.read(&mut buffer).await {
                self.output.add(&buffer[..n]);
                send_now(tee, Some(buffer[..n].to_vec())).await;
            }
        };
        let _ = timeout(DRAIN, all).await;
    }
}

fn unusable((reason, fix): reason::Why) -> SandboxError {
    SandboxError::Unusable { reason, fix }
}

async fn reserve(tee: Option<&mpsc::Sender<Vec<u8>>>) -> Option<mpsc::Permit<'_, Vec<u8>>> {
    tee?.reserve().await.ok()
}

async fn send_now(tee: Option<&mpsc::Sender<Vec<u8>>>, bytes: Option<Vec<u8>>) {
    if let (Some(tee), Some(bytes)) = (tee, bytes) {
        // A reader that went away does not matter to the command, one that sleeps only so long.
        let _ = timeout(DRAIN, tee.send(bytes)).await;
    }
}

/// The one report; `None` when the other side ended without one.
async fn read_report(socket: &mut UnixStream) -> Option<Report> {
    let mut length = [0; 4];
    socket.read_exact(&mut length).await.ok()?;
    let mut bytes = length.to_vec();
    let body = u64::from(u32::from_be_bytes(length));
    socket.take(body).read_to_end(&mut bytes).await.ok()?;
    wire::receive(&mut bytes.as_slice()).ok()
}

/// bubblewrap gives 128 + N for a command that signal N ended, as shells do (its `wait` in
/// bubblewrap.c); a program that exits with such a code by itself looks the same.
fn exit_of(status: ExitStatus) -> Exit {
    match (status.code(), status.signal()) {
        (Some(code @ 129..=192), _) => Exit::Signal(code - 128),
        (Some(code), _) => Exit::Code(code),
        (None, signal) => Exit::Signal(signal.unwrap_or(libc::SIGKILL)),
    }
}
