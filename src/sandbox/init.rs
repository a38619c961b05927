//! The first program of ours inside: takes the last rights away and becomes the command.

use super::start::close_inherited;
use super::wire::{self, InitOrder, Report, Stage};
use super::{REFUSED, landlock, layout, proxy, seccomp};
use rustix::fs::{Mode, OFlags};
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use std::ffi::OsString;
use std::io::{self, Read, Write};
use std::os::fd::AsRawFd;
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt;
use std::process::{Command, ExitCode};

/// Exit codes of a shell for a command that is not there and one that cannot be run (POSIX, Shell
/// Command Language, 2.8.2).
const NOT_FOUND: u8 = 127;
const NOT_RUNNABLE: u8 = 126;

/// `mend sandbox-init ORDER COMMAND…`: confines itself and becomes the command. Returns 127 or 126
/// when there is no such command, 125 when it could not confine itself; then nothing was run.
pub fn init_main(arguments: impl IntoIterator<Item = OsString>) -> ExitCode {
    let mut arguments = arguments.into_iter();
    let (Some(order), Some(program)) = (arguments.next(), arguments.next()) else {
        let _ = writeln!(
            io::stderr(),
            "mend: `sandbox-init` is internal, use `mend sandbox run`"
        );
        return ExitCode::from(REFUSED);
    };
    let socket = rustix::stdio::stdin()
        .try_clone_to_owned()
        .map(UnixStream::from);
    let Ok(mut socket) = socket else {
        return ExitCode::from(REFUSED);
    };
    let report = match confine(&order, &socket) {
        Ok(landlock) => Report::Ready { landlock },
        Err((stage, what)) => Report::Failed { stage, what },
    };
    let told = wire::send(&mut socket, &report);
    if told.is_err() || matches!(report, Report::Failed { .. }) {
        return ExitCode::from(REFUSED);
    }
    let mut word = [0];
    if socket.read_exact(&mut word).is_err() || word != [wire::GO] {
        return ExitCode::from(REFUSED);
    }
    drop(socket);
    let failure = Command::new(&program).args(arguments).exec();
    let code = match failure.kind() {
        io::ErrorKind::NotFound => NOT_FOUND,
        _ => NOT_RUNNABLE,
    };
    let _ = writeln!(
        io::stderr(),
        "mend: {}: {failure}",
        program.display().to_string().escape_debug()
    );
    ExitCode::from(code)
}

fn confine(order: &OsString, socket: &UnixStream) -> Result<i32, (Stage, String)> {
    let limits = |what: &str, e: io::Error| (Stage::Limits, format!("{what}: {e}"));
    let order: InitOrder = order
        .to_str()
        .ok_or(io::ErrorKind::InvalidData.into())
        .and_then(|o| Ok(serde_json::from_str(o)?))
        .map_err(|e| limits("read the order", e))?;
    close_inherited(&[socket.as_raw_fd()]).map_err(|e| limits("close descriptors", e))?;
    let null = rustix::fs::open("/dev/null", OFlags::RDWR | OFlags::CLOEXEC, Mode::empty())
        .map_err(|e| limits("open /dev/null", e.into()))?;
    rustix::stdio::dup2_stdin(&null).map_err(|e| limits("close standard input", e.into()))?;
    for (name, resource, value) in [
        ("core", Resource::Core, 0),
        ("data", Resource::Data, order.memory),
        ("nproc", Resource::Nproc, order.processes),
        ("fsize", Resource::Fsize, order.file_size),
        ("nofile", Resource::Nofile, order.open_files),
        ("cpu", Resource::Cpu, order.cpu),
    ] {
        limit(resource, value).map_err(|e| limits(name, e.into()))?;
    }
    let landlock = landlock::apply(&order.writable);
    seccomp::apply().map_err(|what| (Stage::Seccomp, what))?;
    if order.bridge {
        // After the filters, so that they hold the bridge too.
        let failed = |e| (Stage::Bridge, format!("open the way to the proxy: {e}"));
        proxy::start_bridge(layout::PROGRAM).map_err(failed)?;
    }
    Ok(landlock)
}

/// Sets soft and hard limit, never above the hard limit that holds already.
fn limit(resource: Resource, value: u64) -> rustix::io::Result<()> {
    let hard = getrlimit(resource).maximum.unwrap_or(u64::MAX);
    let value = Some(value.min(hard));
    setrlimit(
        resource,
        Rlimit {
            current: value,
            maximum: value,
        },
    )
}
