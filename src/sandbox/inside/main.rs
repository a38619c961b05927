//! The first program of ours inside: takes the last rights away and becomes the command.
//!
//! A program of its own, which `build.rs` compiles and mend carries in itself: it starts with every
//! command, and mend's own program takes over a millisecond for that. No library, no allocation,
//! a dozen system calls. What is to be done mend has worked out before (`wire::InitOrder`); it comes
//! through standard input, a socket, through which goes one report back. Any doubt ends it with
//! 125, and nothing was run.
#![no_std]
#![no_main]

mod calls;
mod order;

use calls::{call, nr};
use core::ptr::{addr_of, addr_of_mut};
use order::{Order, read_order};

/// Exit codes of a shell for a command that is not there and one that cannot be run (POSIX, Shell
/// Command Language, 2.8.2).
const NOT_FOUND: i32 = 127;
const NOT_RUNNABLE: i32 = 126;
/// As `sandbox::REFUSED`.
const REFUSED: i32 = 125;

/// Stages of the report, as `wire::Report` reads them.
const READY: u32 = 0;
const ORDER: u32 = 1;
const LIMITS: u32 = 2;
const SECCOMP: u32 = 3;
const BRIDGE: u32 = 4;

const O_RDWR: usize = 0o2;
const O_CLOEXEC: usize = 0o2000000;
const O_PATH: usize = 0o10000000;
const AT_FDCWD: usize = -100_isize as usize;
const F_DUPFD_CLOEXEC: usize = 1030;
const PR_SET_NO_NEW_PRIVS: usize = 38;
const SECCOMP_SET_MODE_FILTER: usize = 1;
/// LANDLOCK_CREATE_RULESET_VERSION
const LANDLOCK_VERSION: usize = 1;
const LANDLOCK_RULE_PATH_BENEATH: usize = 1;
const SIGCHLD: usize = 17;

const ENOENT: i32 = 2;
const ENOEXEC: i32 = 8;
const EACCES: i32 = 13;
const ENOTDIR: i32 = 20;
const EINTR: i32 = 4;

/// PATH_MAX of Linux.
const MAX_PATH: usize = 4096;

static mut PATH: [u8; MAX_PATH] = [0; MAX_PATH];

/// Which step failed, and the kernel's reason.
type Failure = (u32, i32);

/// A C string of the program's arguments or environment.
type Text = *const u8;

/// From `_start`: the stack as the kernel made it holds the count of arguments, the arguments, a
/// null, the variables, a null.
#[unsafe(no_mangle)]
unsafe extern "C" fn begin(stack: *mut usize) -> ! {
    let (count, arguments, variables) = unsafe {
        let count = *stack;
        (count, stack.add(1), stack.add(count + 2))
    };
    if count < 2 {
        exit(REFUSED);
    }
    let report = match confine() {
        Ok((socket, landlock)) => {
            tell(socket, READY, landlock);
            let mut word = [0_u8];
            let read = call(nr::READ, [socket, word.as_mut_ptr() as usize, 1, 0, 0]);
            match read == Ok(1) && word[0] == b'g' {
                true => Ok(()),
                false => Err(()),
            }
        }
        Err((socket, (stage, code))) => {
            tell(socket, stage, code);
            Err(())
        }
    };
    if report.is_err() {
        exit(REFUSED);
    }
    let failure = become_command(arguments, variables);
    say_why(unsafe { *arguments.add(1) as Text }, failure);
    exit(match failure {
        ENOENT => NOT_FOUND,
        _ => NOT_RUNNABLE,
    })
}

/// Does everything of the order; the socket, closed for the command, and whether Landlock holds.
fn confine() -> Result<(usize, i32), (usize, Failure)> {
    let order = read_order().map_err(|failure| (0, failure))?;
    let limits = |code| (0, (LIMITS, code));
    // What bubblewrap was given and left open; older kernels have no such call.
    if call(nr::CLOSE_RANGE, [3, u32::MAX as usize, 0, 0, 0]).is_err() {
        for fd in 3..65_536 {
            let _ = call(nr::CLOSE, [fd, 0, 0, 0, 0]);
        }
    }
    let socket = call(nr::FCNTL, [0, F_DUPFD_CLOEXEC, 3, 0, 0]).map_err(limits)?;
    let null = open(c"/dev/null".as_ptr().cast(), O_RDWR).map_err(limits)?;
    call(nr::DUP3, [null, 0, 0, 0, 0]).map_err(limits)?;
    follow(order, null)
        .map(|landlock| (socket, landlock))
        .map_err(|failure| (socket, failure))
}

/// Resource limits, Landlock, filters, bridge, in this order: each holds what comes after it.
fn follow(mut order: Order, null: usize) -> Result<i32, Failure> {
    for _ in 0..order.number()? {
        let resource = order.number()?;
        let value = order.long()?;
        limit(resource, value).map_err(|code| (LIMITS, code))?;
    }
    call(nr::PRCTL, [PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0]).map_err(|code| (SECCOMP, code))?;
    let landlock = landlock(&mut order)?;
    for _ in 0..order.number()? {
        let length = order.number()?;
        let words = order.take(length * 8)?;
        // struct sock_fprog
        let program = [length, words.as_ptr() as usize];
        let load = [SECCOMP_SET_MODE_FILTER, 0, program.as_ptr() as usize, 0, 0];
        call(nr::SECCOMP, load).map_err(|code| (SECCOMP, code))?;
    }
    if order.number()? == 1 {
        // After the filters, so that they hold the bridge too.
        bridge(null).map_err(|code| (BRIDGE, code))?;
    }
    Ok(landlock)
}

/// Sets soft and hard limit, never above the hard limit that holds already.
fn limit(resource: usize, value: u64) -> Result<(), i32> {
    let mut old = [0_u64; 2];
    let get = [0, resource, 0, old.as_mut_ptr() as usize, 0];
    call(nr::PRLIMIT64, get)?;
    let value = value.min(old[1]);
    let new = [value, value];
    call(nr::PRLIMIT64, [0, resource, new.as_ptr() as usize, 0, 0]).map(drop)
}

/// Locks the file system where the kernel can; answers the version of Landlock that holds, 0
/// without. What each version can do and the places stand in the order; they are looked up here. A
/// place that is not there cannot be written either.
fn landlock(order: &mut Order) -> Result<i32, Failure> {
    let there = call(nr::LANDLOCK_CREATE_RULESET, [0, 0, LANDLOCK_VERSION, 0, 0]).unwrap_or(0);
    // struct landlock_ruleset_attr: files, network, scopes
    let (mut attributes, mut size, mut version) = ([0_u64; 3], 0, 0);
    for known in 1..=order.number()? {
        let of_known = [order.long()?, 0, order.long()?];
        let size_of_known = order.number()?;
        if known <= there {
            (attributes, size, version) = (of_known, size_of_known, known);
        }
    }
    let create = [attributes.as_ptr() as usize, size, 0, 0, 0];
    let rules = match version {
        0 => None,
        _ => call(nr::LANDLOCK_CREATE_RULESET, create).ok(),
    };
    let mut whole = true;
    for _ in 0..order.number()? {
        let (of_folder, of_file) = (order.long()?, order.long()?);
        let length = order.number()?;
        let path = order.take(length)?;
        if path.last() != Some(&0) {
            return Err((ORDER, 0));
        }
        let Some(rules) = rules else { continue };
        let (place, access) = match open(path.as_ptr(), O_PATH | nr::O_DIRECTORY) {
            Ok(place) => (place, of_folder),
            Err(ENOTDIR) => match open(path.as_ptr(), O_PATH) {
                Ok(place) => (place, of_file),
                Err(_) => continue,
            },
            Err(_) => continue,
        };
        whole &= allow(rules, place, access & attributes[0]).is_ok();
        let _ = call(nr::CLOSE, [place, 0, 0, 0, 0]);
    }
    let Some(rules) = rules else { return Ok(0) };
    let held = whole && call(nr::LANDLOCK_RESTRICT_SELF, [rules, 0, 0, 0, 0]).is_ok();
    let _ = call(nr::CLOSE, [rules, 0, 0, 0, 0]);
    Ok(if held { version as i32 } else { 0 })
}

fn allow(rules: usize, place: usize, access: u64) -> Result<usize, i32> {
    // struct landlock_path_beneath_attr, which is packed
    let mut rule = [0_u8; 12];
    rule[..8].copy_from_slice(&access.to_le_bytes());
    rule[8..].copy_from_slice(&(place as u32).to_le_bytes());
    let kind = LANDLOCK_RULE_PATH_BENEATH;
    let add = [rules, kind, rule.as_ptr() as usize, 0, 0];
    call(nr::LANDLOCK_ADD_RULE, add)
}

/// Starts the way to the proxy and waits until it listens.
fn bridge(null: usize) -> Result<(), i32> {
    let child = call(nr::CLONE, [SIGCHLD, 0, 0, 0, 0])?;
    if child == 0 {
        for fd in [1, 2] {
            let _ = call(nr::DUP3, [null, fd, 0, 0, 0]);
        }
        let program = c"/run/mend/bridge".as_ptr() as usize;
        let arguments = [program, c"sandbox-bridge".as_ptr() as usize, 0];
        let nothing = [0_usize];
        let become_it = [
            program,
            arguments.as_ptr() as usize,
            nothing.as_ptr() as usize,
            0,
            0,
        ];
        let _ = call(nr::EXECVE, become_it);
        exit(NOT_FOUND);
    }
    let mut status = 0_u32;
    loop {
        match call(nr::WAIT4, [child, addr_of_mut!(status) as usize, 0, 0, 0]) {
            Err(EINTR) => {}
            Err(code) => return Err(code),
            Ok(_) if status == 0 => return Ok(()),
            Ok(_) => return Err(0),
        }
    }
}

/// As execvp(3): a name without a slash is looked up along `PATH`, a file that is no program runs
/// in a shell. Comes back only with the reason why not.
fn become_command(arguments: *mut usize, variables: *const usize) -> i32 {
    let name = text(unsafe { *arguments.add(1) as Text });
    if name.is_empty() {
        return ENOENT;
    }
    if name.contains(&b'/') {
        return run(name, arguments, variables);
    }
    let path = variable(variables, b"PATH=").unwrap_or(b"/usr/bin:/bin");
    let mut reason = ENOENT;
    for folder in path.split(|byte| *byte == b':') {
        let buffer = unsafe { &mut *addr_of_mut!(PATH) };
        let length = folder.len() + 1 + name.len();
        if length >= MAX_PATH {
            continue;
        }
        buffer[..folder.len()].copy_from_slice(folder);
        buffer[folder.len()] = b'/';
        buffer[folder.len() + 1..length].copy_from_slice(name);
        buffer[length] = 0;
        // An empty entry is the current folder.
        let whole = unsafe { &*addr_of!(PATH) };
        let from = usize::from(folder.is_empty());
        match run(&whole[from..length], arguments, variables) {
            ENOENT | ENOTDIR => {}
            EACCES => reason = EACCES,
            other => return other,
        }
    }
    reason
}

/// The path is followed by a NUL.
fn run(path: &[u8], arguments: *mut usize, variables: *const usize) -> i32 {
    let at = path.as_ptr() as usize;
    let execute = |program: usize, arguments: *const usize| {
        let arguments = [program, arguments as usize, variables as usize, 0, 0];
        call(nr::EXECVE, arguments).err().unwrap_or(0)
    };
    let reason = execute(at, unsafe { arguments.add(1) });
    if reason != ENOEXEC {
        return reason;
    }
    let shell = c"/bin/sh".as_ptr() as usize;
    unsafe {
        *arguments = shell;
        *arguments.add(1) = at;
    }
    execute(shell, arguments)
}

fn variable(variables: *const usize, name: &[u8]) -> Option<&'static [u8]> {
    let mut at = variables;
    loop {
        let one = unsafe { *at as Text };
        if one.is_null() {
            return None;
        }
        if let Some(value) = text(one).strip_prefix(name) {
            return Some(value);
        }
        at = unsafe { at.add(1) };
    }
}

/// A string of the kernel's: it ends with a NUL and stays as long as the program.
fn text(start: Text) -> &'static [u8] {
    let mut length = 0;
    unsafe {
        while *start.add(length) != 0 {
            length += 1;
        }
        core::slice::from_raw_parts(start, length)
    }
}

fn tell(socket: usize, stage: u32, code: i32) {
    let mut report = [0_u8; 8];
    report[..4].copy_from_slice(&stage.to_le_bytes());
    report[4..].copy_from_slice(&code.to_le_bytes());
    // When nobody hears it, no word to begin comes either.
    let _ = call(nr::WRITE, [socket, report.as_ptr() as usize, 8, 0, 0]);
}

/// Why the command is not there, on standard error.
fn say_why(name: Text, reason: i32) {
    let mut line = [0_u8; 300];
    let mut end = 0;
    let mut put = |bytes: &[u8]| {
        for byte in bytes.iter().take(200) {
            line[end] = match byte {
                b' '..=b'~' | b'\n' => *byte,
                _ => b'?',
            };
            end += 1;
        }
    };
    put(b"mend: ");
    put(text(name));
    put(match reason {
        ENOENT => b": No such file or directory\n",
        EACCES => b": Permission denied\n",
        ENOEXEC => b": Exec format error\n",
        _ => b": it cannot be run\n",
    });
    let _ = call(nr::WRITE, [2, line.as_ptr() as usize, end, 0, 0]);
}

fn open(path: Text, flags: usize) -> Result<usize, i32> {
    call(
        nr::OPENAT,
        [AT_FDCWD, path as usize, flags | O_CLOEXEC, 0, 0],
    )
}

fn exit(code: i32) -> ! {
    loop {
        let _ = call(nr::EXIT_GROUP, [code as usize, 0, 0, 0, 0]);
    }
}

#[panic_handler]
fn panic(_: &core::panic::PanicInfo) -> ! {
    exit(REFUSED)
}
