//! init on another architecture than this one: compiled as `build.rs` does, run by an emulator. Its
//! filters and limits are the kernel's matter there; what is shown is that it reads its order,
//! reports, and becomes the command.

use crate::host;
use std::io::{Read, Write};
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::process::{Command, Stdio};

const EMULATOR: &str = "/usr/bin/qemu-aarch64-static";
const LINKER: &str = "/usr/bin/aarch64-linux-gnu-gcc";

/// A small order: no core, no Landlock, no filter, no bridge.
fn order() -> Vec<u8> {
    let mut body = Vec::new();
    body.extend(1_u32.to_le_bytes());
    body.extend(4_u32.to_le_bytes());
    body.extend(0_u64.to_le_bytes());
    body.extend([0; 16]);
    body
}

/// What init reported, what was printed, and the exit code.
fn run(init: &Path, body: &[u8], argv: &[&str]) -> (u32, String, Option<i32>) {
    let (mut ours, theirs) = UnixStream::pair().unwrap();
    let output = Command::new(EMULATOR)
        .arg(init)
        .args(argv)
        .env_clear()
        .env("PATH", "/usr/bin:/bin")
        .stdin(Stdio::from(OwnedFd::from(theirs)))
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    ours.write_all(&(body.len() as u32).to_le_bytes()).unwrap();
    ours.write_all(body).unwrap();
    let mut report = [0; 8];
    ours.read_exact(&mut report).unwrap();
    // When it has ended already, nobody reads this.
    let _ = ours.write_all(b"g");
    let output = output.wait_with_output().unwrap();
    let said = [output.stdout, output.stderr].concat();
    (
        u32::from_le_bytes(report[..4].try_into().unwrap()),
        String::from_utf8_lossy(&said).into_owned(),
        output.status.code(),
    )
}

#[test]
#[ignore = "needs a compiler for aarch64 and an emulator; tests/full runs it"]
fn init_reads_its_order_and_becomes_the_command_on_aarch64() {
    let folder = tempfile::tempdir().unwrap();
    let init = folder.path().join("init");
    let made = Command::new("rustc")
        .args([
            "--edition=2024",
            "--crate-type=bin",
            "--crate-name=sandbox_init",
        ])
        .args(["--target", "aarch64-unknown-linux-gnu", "-Copt-level=s"])
        .args(["-Cpanic=abort", "-Crelocation-model=static"])
        .args(["-Ctarget-feature=+crt-static", "-Clink-arg=-nostartfiles"])
        .args([
            "-Clink-arg=-nostdlib",
            "-Clink-arg=-static",
            "-Clink-arg=-no-pie",
        ])
        .arg(format!("-Clinker={LINKER}"))
        .arg("-o")
        .arg(&init)
        .arg("src/sandbox/inside/main.rs")
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&made.stderr).into_owned();
    let tools = Path::new(EMULATOR).exists() && Path::new(LINKER).exists();
    if !host::has(
        "aarch64",
        tools && !said.contains("can't find crate for `core`"),
    ) {
        return;
    }
    assert!(made.status.success(), "{said}");
    let whole = order();
    let told = |text: &str, code| (0, text.to_string(), Some(code));
    assert_eq!(run(&init, &whole, &["echo", "hello"]), told("hello\n", 0));
    assert_eq!(
        run(&init, &whole, &["no-such"]),
        told("mend: no-such: No such file or directory\n", 127)
    );
    assert_eq!(
        run(&init, &whole, &["/etc/passwd"]),
        told("mend: /etc/passwd: Permission denied\n", 126)
    );
    // An order that breaks off: reported as such, and nothing runs.
    let broken = run(&init, &whole[..12], &["echo", "hello"]);
    assert_eq!((broken.1.as_str(), broken.2), ("", Some(125)));
    assert_ne!(broken.0, 0);
}
