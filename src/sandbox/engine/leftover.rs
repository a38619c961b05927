//! Containers of a mend that is gone.

use super::arguments::LABEL;
use super::client::Client;
use std::time::Duration;

const PATIENCE: Duration = Duration::from_secs(30);

/// Who made a container, as its name tells: pid namespace, process, the process's start.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Maker {
    namespace: String,
    pid: u32,
    start: String,
}

impl Maker {
    fn own() -> Maker {
        let pid = std::process::id();
        Maker {
            namespace: namespace(),
            pid,
            start: start_of(pid).unwrap_or_default(),
        }
    }

    fn read(name: &str) -> Option<Maker> {
        let mut parts = name.strip_prefix("mend-")?.split('-');
        let (namespace, pid, start) = (parts.next()?, parts.next()?, parts.next()?);
        Some(Maker {
            namespace: namespace.into(),
            pid: pid.parse().ok()?,
            start: start.into(),
        })
    }

    /// Whether it is gone; of another pid namespace nobody can tell.
    fn is_gone(&self) -> Option<bool> {
        let here = self.namespace == namespace();
        here.then(|| start_of(self.pid).as_ref() != Some(&self.start))
    }
}

/// The name of this process's next container.
pub(super) fn name(number: u32) -> String {
    let own = Maker::own();
    format!("mend-{}-{}-{}-{number}", own.namespace, own.pid, own.start)
}

/// The number in `pid:[4026531836]`.
fn namespace() -> String {
    let link = std::fs::read_link("/proc/self/ns/pid").unwrap_or_default();
    let link = link.to_string_lossy();
    link.chars().filter(char::is_ascii_digit).collect()
}

/// The twenty-second field of proc_pid_stat(5).
fn start_of(pid: u32) -> Option<String> {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    let (_, after) = stat.rsplit_once(')')?;
    after.split_whitespace().nth(19).map(String::from)
}

/// Removes what a dead mend left: of this pid namespace whatever its maker is no more, of another
/// one what does not run, because a container runs only as long as its mend.
pub(super) async fn remove(client: &Client) {
    let filter = format!("label={LABEL}");
    let list = [
        "ps",
        "--all",
        "--filter",
        &filter,
        "--format",
        "{{.Names}}\t{{.Status}}",
    ];
    let said = match client.say(&list, PATIENCE).await {
        Ok(said) => said,
        Err(why) => return tracing::warn!("containers were not listed: {why}"),
    };
    for line in said.lines().filter(|l| is_left(l)) {
        let name = line.split('\t').next().unwrap_or_default();
        if let Err(why) = client.say(&["rm", "--force", name], PATIENCE).await {
            tracing::warn!("container {name} was not removed: {why}");
        }
    }
}

fn is_left(line: &str) -> bool {
    let (name, status) = line.split_once('\t').unwrap_or((line, ""));
    let Some(maker) = Maker::read(name) else {
        return false;
    };
    let runs = status.starts_with("Up");
    maker.is_gone().unwrap_or(!runs)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_a_dead_mend_left_is_removed() {
        let own = name(3);
        assert_eq!(Maker::read(&own), Some(Maker::own()));
        let here = namespace();
        for (line, left) in [
            (format!("{own}\tUp 2 seconds"), false),
            (format!("{own}\tExited (137) 1 second ago"), false),
            (
                format!("mend-{here}-{}-1-0\tUp 2 seconds", std::process::id()),
                true,
            ),
            (format!("mend-{here}-4999999-77-0\tCreated"), true),
            ("mend-1-1-1-0\tUp 3 days".into(), false),
            ("mend-1-1-1-0\tExited (137) 3 days ago".into(), true),
            ("mend-web\tExited (0) 3 days ago".into(), false),
            ("postgres\tUp 3 days".into(), false),
        ] {
            assert_eq!(is_left(&line), left, "{line}");
        }
    }
}
