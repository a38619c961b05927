//! Inside the sandbox: from a port on loopback, which every client can be told, to the socket of
//! the proxy. A process of its own beside the command, confined by the same filters: init starts it
//! last and waits until it listens. It does not become a child of the command, which might wait for
//! all its children.

use super::{BRIDGE_PORT, SOCKET};
use crate::sandbox::BRIDGE;
use std::ffi::OsString;
use std::io;
use std::net::{Ipv4Addr, TcpListener};
use std::os::fd::OwnedFd;
use std::process::{Command, ExitCode, Stdio};
use tokio::net::UnixStream;

/// The second of its two stages.
const SERVE: &str = "serve";

/// `mend sandbox-bridge`: listens and leaves a process that serves; `mend sandbox-bridge serve` is
/// that process.
pub fn bridge_main(mut arguments: impl Iterator<Item = OsString>) -> ExitCode {
    let done = match arguments.next() {
        Some(word) if word == SERVE => serve(),
        _ => listen(),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(_) => ExitCode::FAILURE,
    }
}

fn listen() -> io::Result<()> {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, BRIDGE_PORT))?;
    let program = std::env::current_exe()?;
    // Not waited for: it goes to the namespace's first process, which reaps it.
    Command::new(program)
        .args([BRIDGE, SERVE])
        .env_clear()
        .stdin(Stdio::from(OwnedFd::from(listener)))
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .map(drop)
}

fn serve() -> io::Result<()> {
    let listener = TcpListener::from(rustix::stdio::stdin().try_clone_to_owned()?);
    listener.set_nonblocking(true)?;
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_io()
        .build()?;
    runtime.block_on(async {
        let listener = tokio::net::TcpListener::from_std(listener)?;
        loop {
            // Out of descriptors or processes: the command's own limits, and its own doing.
            let Ok((mut client, _)) = listener.accept().await else {
                tokio::task::yield_now().await;
                continue;
            };
            tokio::spawn(async move {
                let _ = client.set_nodelay(true);
                if let Ok(mut proxy) = UnixStream::connect(SOCKET).await {
                    let _ = tokio::io::copy_bidirectional(&mut client, &mut proxy).await;
                }
            });
        }
    })
}
