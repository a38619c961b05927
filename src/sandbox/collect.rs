//! Reads a command's output until the command ends or has to.

use super::output::Output;
use super::{Bounds, HitLimit, SandboxError, Spec, disk};
use crate::domain::{Cancel, Exit};
use rustix::pipe::{PipeFlags, pipe_with};
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::process::ExitStatusExt;
use std::process::ExitStatus;
use std::time::Duration;
use tokio::io::AsyncReadExt;
use tokio::net::unix::pipe;
use tokio::sync::mpsc;
use tokio::time::timeout;

/// For what is left in the pipe and in the kernel after the end.
pub(super) const DRAIN: Duration = Duration::from_secs(5);
const CHUNK: usize = 64 << 10;

type Tee<'a> = Option<&'a mpsc::Sender<Vec<u8>>>;

/// What ended the wait for a command.
pub(super) enum End {
    Exited(io::Result<ExitStatus>),
    TimedOut,
    Stopped,
    Hit(HitLimit),
}

impl End {
    /// How it ended, in the words of [`Ran`](super::Ran); `out_of_memory` is asked after an exit.
    pub(super) fn words(
        self,
        out_of_memory: bool,
    ) -> Result<(Exit, Option<HitLimit>), SandboxError> {
        Ok(match self {
            End::Exited(status) => {
                let status = status.map_err(|e| SandboxError::io("wait for the sandbox", e))?;
                (exit_of(status), out_of_memory.then_some(HitLimit::Memory))
            }
            End::TimedOut => (Exit::TimedOut, None),
            End::Hit(limit) => (Exit::Signal(libc::SIGKILL), Some(limit)),
            End::Stopped => return Err(SandboxError::Stopped),
        })
    }
}

/// The reading end of a command's output, and what was read.
pub(super) struct Collector {
    pipe: pipe::Receiver,
    output: Output,
}

impl Collector {
    /// Also gives the writing end.
    pub(super) fn new(bounds: &Bounds) -> io::Result<(Collector, OwnedFd)> {
        let (reader, writer) = pipe_with(PipeFlags::CLOEXEC)?;
        let collector = Collector {
            pipe: pipe::Receiver::from_owned_fd(reader)?,
            output: Output::new(bounds.output_head, bounds.output_tail),
        };
        Ok((collector, writer))
    }

    /// Reads until `ended`, a limit or a stop.
    pub(super) async fn until(
        &mut self,
        spec: &Spec,
        cancel: &Cancel,
        ended: impl Future<Output = io::Result<ExitStatus>>,
        memory: impl Future<Output = ()>,
    ) -> End {
        let deadline = tokio::time::sleep(spec.limits.wall);
        let written = spec.mounts.iter().filter(|m| m.writable);
        let written = std::iter::once(spec.work.clone()).chain(written.map(|m| m.host.clone()));
        let disk = disk::over(written.collect(), spec.limits.disk);
        tokio::pin!(deadline, memory, disk, ended);
        let tee = spec.tee.as_ref();
        let mut buffer = vec![0; CHUNK];
        let (mut open, mut pending) = (true, None::<Vec<u8>>);
        loop {
            tokio::select! {
                biased;
                () = cancel.cancelled() => return End::Stopped,
                () = &mut deadline => return End::TimedOut,
                () = &mut memory => return End::Hit(HitLimit::Memory),
                () = &mut disk => return End::Hit(HitLimit::Disk),
                room = reserve(tee), if pending.is_some() => {
                    if let (Some(room), Some(bytes)) = (room, pending.take()) {
                        room.send(bytes);
                    }
                }
                status = &mut ended => {
                    send_now(tee, pending).await;
                    return End::Exited(status);
                }
                read = self.pipe.read(&mut buffer), if open && pending.is_none() => match read {
                    Ok(n) if n > 0 => {
                        self.output.add(&buffer[..n]);
                        pending = tee.map(|_| buffer[..n].to_vec());
                    }
                    _ => open = false,
                },
            }
        }
    }

    /// Reads as many bytes as `word` has and tells whether they are `word`; others are kept.
    pub(super) async fn expect(&mut self, word: &[u8]) -> bool {
        let mut read = vec![0; word.len()];
        let mut have = 0;
        while have < read.len() {
            match self.pipe.read(&mut read[have..]).await {
                Ok(n @ 1..) => have += n,
                _ => break,
            }
        }
        let as_expected = read[..have] == *word;
        if !as_expected {
            self.output.add(&read[..have]);
        }
        as_expected
    }

    /// Reads what the pipe still holds. Nobody writes any more, so this ends at once, unless a
    /// process cannot be killed.
    pub(super) async fn drain(&mut self, tee: Tee<'_>) {
        let mut buffer = vec![0; CHUNK];
        let all = async {
            while let Ok(n @ 1..) = self.pipe.read(&mut buffer).await {
                self.output.add(&buffer[..n]);
                send_now(tee, Some(buffer[..n].to_vec())).await;
            }
        };
        let _ = timeout(DRAIN, all).await;
    }

    /// What was read, and whether something is missing in it.
    pub(super) fn finish(&mut self) -> (Vec<u8>, bool) {
        std::mem::replace(&mut self.output, Output::new(0, 0)).finish()
    }
}

async fn reserve(tee: Tee<'_>) -> Option<mpsc::Permit<'_, Vec<u8>>> {
    tee?.reserve().await.ok()
}

async fn send_now(tee: Tee<'_>, bytes: Option<Vec<u8>>) {
    if let (Some(tee), Some(bytes)) = (tee, bytes) {
        // A reader that went away does not matter to the command, one that sleeps only so long.
        let _ = timeout(DRAIN, tee.send(bytes)).await;
    }
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
