//! Starts processes from one thread that lives as long as mend.
//!
//! `--die-with-parent` rests on `PR_SET_PDEATHSIG`, which the kernel sends when the *thread* that
//! made the child ends (prctl(2)). Threads of a runtime come and go; this one stays.

use std::io;
use std::sync::{LazyLock, Mutex, mpsc};
use tokio::process::{Child, Command};
use tokio::runtime::Handle;
use tokio::sync::oneshot;

struct Job {
    command: Command,
    runtime: Handle,
    answer: oneshot::Sender<io::Result<Child>>,
}

static THREAD: LazyLock<io::Result<Mutex<mpsc::Sender<Job>>>> = LazyLock::new(|| {
    let (sender, jobs) = mpsc::channel::<Job>();
    std::thread::Builder::new()
        .name("sandbox-spawn".into())
        .spawn(move || {
            for mut job in jobs {
                let _runtime = job.runtime.enter();
                // Nobody waits any more when the send fails; the child is killed by its drop.
                let _ = job.answer.send(job.command.spawn());
            }
        })?;
    Ok(Mutex::new(sender))
});

/// Spawns `command`; the child belongs to the calling runtime.
pub(super) async fn spawn(command: Command) -> io::Result<Child> {
    let gone = || io::Error::other("the thread that starts processes is gone");
    let (answer, answered) = oneshot::channel();
    let job = Job {
        command,
        runtime: Handle::current(),
        answer,
    };
    {
        let sender = THREAD
            .as_ref()
            .map_err(|e| io::Error::new(e.kind(), e.to_string()))?;
        let sender = sender.lock().map_err(|_| gone())?;
        sender.send(job).map_err(|_| gone())?;
    }
    answered.await.map_err(|_| gone())?
}
