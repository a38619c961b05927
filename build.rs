//! Compiles the sandbox's init (`src/sandbox/inside`), which mend carries in itself, with the same
//! compiler and for the same target as mend.

#![allow(clippy::disallowed_methods)] // cargo speaks to it through its environment

use std::env;
use std::path::PathBuf;
use std::process::Command;

fn main() -> Result<(), String> {
    let source = "src/sandbox/inside";
    println!("cargo::rerun-if-changed={source}");
    let variable = |name: &str| env::var(name).unwrap_or_default();
    // Its system calls (`inside/calls.rs`) and the filters (`sandbox/seccomp.rs`) are written for these.
    let architecture = variable("CARGO_CFG_TARGET_ARCH");
    if !["x86_64", "aarch64"].contains(&architecture.as_str()) {
        return Err(format!(
            "mend's sandbox knows x86_64 and aarch64, not {architecture}; build it for one of these"
        ));
    }
    let out = PathBuf::from(variable("OUT_DIR")).join("sandbox-init");
    let mut rustc = Command::new(variable("RUSTC"));
    rustc
        .args([
            "--edition=2024",
            "--crate-type=bin",
            "--crate-name=sandbox_init",
        ])
        .args(["--target", &variable("TARGET")])
        .args([
            "-Copt-level=s",
            "-Cpanic=abort",
            "-Cdebuginfo=0",
            "-Cstrip=symbols",
        ])
        .args(["-Crelocation-model=static", "-Ctarget-feature=+crt-static"])
        .args(["-Clink-arg=-nostartfiles", "-Clink-arg=-nostdlib"])
        .args(["-Clink-arg=-static", "-Clink-arg=-no-pie"])
        .arg("-o")
        .arg(&out)
        .arg(format!("{source}/main.rs"));
    let linker = variable("RUSTC_LINKER");
    if !linker.is_empty() {
        rustc.arg(format!("-Clinker={linker}"));
    }
    match rustc.status() {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => Err(format!("the sandbox's init does not compile: {status}")),
        Err(error) => Err(format!("the compiler does not start: {error}")),
    }
}
