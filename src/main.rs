//! The command line of mend.

use mend::sandbox::{BRIDGE, INIT, bridge_main, init_main};
use std::process::ExitCode;

fn main() -> ExitCode {
    // Before anything else: these two run between the sandbox's walls, and every instruction and
    // every open file counts.
    let mut arguments = std::env::args_os().skip(1);
    match arguments.next() {
        Some(word) if word == INIT => return init_main(arguments),
        Some(word) if word == BRIDGE => return bridge_main(arguments),
        _ => {}
    }
    if let Err(e) = mend::app::keep_to_itself() {
        eprintln!("mend: keep the memory from other processes: {e}");
        return ExitCode::from(125);
    }
    match tokio::runtime::Runtime::new() {
        Ok(runtime) => {
            let code = runtime.block_on(mend::cli::run());
            runtime.shutdown_background();
            code
        }
        Err(e) => {
            eprintln!("mend: start the runtime: {e}");
            ExitCode::from(125)
        }
    }
}
