//! Named points at which the tests of crashes end the process. Without the feature `failure-points`,
//! as mend is shipped, a point is nothing.

/// Every point, in the order in which a task passes them.
pub const POINTS: &[&str] = &[
    "delivery-stored",
    "delivery-taken",
    "task-made",
    "delivery-ended",
    "task-claimed",
    "status-comment-made",
    "token-minted",
    "mirror-fetched",
    "tree-checked-out",
    "tool-called",
    "turn-kept",
    "change-committed",
    "outgoing-saved",
    "branch-pushed",
    "check-run-begun",
    "pull-request-opened",
    "pull-request-recorded",
    "ending-told",
    "task-finished",
];

/// The point that is armed, at which passing, and how often it was passed.
#[cfg(feature = "failure-points")]
static ARMED: std::sync::OnceLock<(String, u32, std::sync::atomic::AtomicU32)> =
    std::sync::OnceLock::new();

/// Arms a point: `name`, or `name:3` for the third time that it is passed.
#[cfg(feature = "failure-points")]
pub fn arm_failure_point(wanted: &str) {
    let (name, nth) = wanted.split_once(':').unwrap_or((wanted, "1"));
    let nth = nth.parse().unwrap_or(1);
    let _ = ARMED.set((name.to_string(), nth, Default::default()));
}

/// Ends the process by SIGKILL, here and now, when this point is armed.
#[cfg(feature = "failure-points")]
pub fn failure_point(name: &str) {
    debug_assert!(POINTS.contains(&name), "{name} is not in the list");
    let Some((point, nth, passed)) = ARMED.get().filter(|(point, ..)| point == name) else {
        return;
    };
    let before = passed.fetch_add(1, std::sync::atomic::Ordering::SeqCst);
    if before + 1 != *nth {
        return;
    }
    tracing::warn!(point, "killed");
    let me = rustix::process::getpid();
    let _ = rustix::process::kill_process(me, rustix::process::Signal::KILL);
    loop {
        std::thread::park();
    }
}

/// Nothing.
#[cfg(not(feature = "failure-points"))]
#[inline(always)]
pub fn failure_point(_name: &str) {}
