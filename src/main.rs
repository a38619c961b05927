//! The command line of mend.

use mend::sandbox::{BRIDGE, bridge_main};
use std::process::ExitCode;

fn main() -> ExitCode {
    // Before anything else: it runs between the sandbox's walls, and every open file counts.
    let mut arguments = std::env::args_os().skip(1);
    if arguments.next().is_some_and(|word| word == BRIDGE) {
        return bridge_main(arguments);
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
