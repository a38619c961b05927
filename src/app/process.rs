//! What the process keeps from others on the machine.

use rustix::process::{DumpableBehavior, Resource, Rlimit, set_dumpable_behavior, setrlimit};

/// Keeps keys in memory and environment from other processes of the same user, and out of core
/// files. Programs that mend starts are not bound by the first (they hold no keys), and have no
/// core files either.
///
/// # Errors
/// When the system refuses; then the keys are not safe here.
pub fn keep_to_itself() -> std::io::Result<()> {
    set_dumpable_behavior(DumpableBehavior::NotDumpable)?;
    let none = Rlimit {
        current: Some(0),
        maximum: Some(0),
    };
    setrlimit(Resource::Core, none)?;
    Ok(())
}
