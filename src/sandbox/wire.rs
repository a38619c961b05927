//! What mend and init (`inside`, a program of its own) say to each other over one socket, which is
//! init's standard input: its order behind the length of it; one report back; after `ready` one byte
//! from mend, [`GO`], lets the command begin. All numbers are little-endian.

use std::io;

/// What init has room for; an order takes a tenth of it.
const MAX_ORDER: usize = 64 << 10;

/// mend has a hold on the sandbox's first process; the command may begin.
pub(super) const GO: u8 = b'g';

/// Bytes of a report.
pub(super) const REPORT: usize = 8;

/// A word of bubblewrap's command line, or what one is made from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Word {
    Plain(String),
    /// A path of the host that the sandbox's user can reach as it is.
    Open(String),
    /// A path of the host that perhaps only root can reach.
    Closed(String),
    /// `--file FD PATH`: a file with this content.
    File {
        inside: String,
        content: Vec<u8>,
    },
    /// The same, to be executed.
    Program {
        inside: &'static str,
        content: &'static [u8],
    },
}

impl Word {
    /// A folder of the host that everybody can reach, read-only at the same place.
    pub(super) fn bind(folder: &str) -> [Word; 3] {
        [
            Word::Plain("--ro-bind".into()),
            Word::Open(folder.into()),
            Word::Plain(folder.into()),
        ]
    }
}

/// mend to init.
#[derive(Debug, Default)]
pub(super) struct InitOrder<'a> {
    /// `RLIMIT_…` and its value.
    pub limits: Vec<(u32, u64)>,
    /// What each version of Landlock can hold, from the first: accesses to files, scopes, and the
    /// size of its `struct landlock_ruleset_attr`.
    pub landlock: Vec<(u64, u64, u32)>,
    /// Places, and what is allowed beneath a folder and to a file.
    pub places: Vec<(String, u64, u64)>,
    /// Seccomp filters as the kernel takes them.
    pub filters: &'a [Vec<u8>],
    /// Whether the way to the proxy is to be opened.
    pub bridge: bool,
}

impl InitOrder<'_> {
    /// As it goes over the socket.
    pub(super) fn encode(&self) -> io::Result<Vec<u8>> {
        let mut out = vec![0; 4];
        let number = |out: &mut Vec<u8>, n: usize| out.extend((n as u32).to_le_bytes());
        number(&mut out, self.limits.len());
        for (resource, value) in &self.limits {
            out.extend(resource.to_le_bytes());
            out.extend(value.to_le_bytes());
        }
        number(&mut out, self.landlock.len());
        for (files, scopes, size) in &self.landlock {
            out.extend(files.to_le_bytes());
            out.extend(scopes.to_le_bytes());
            out.extend(size.to_le_bytes());
        }
        number(&mut out, self.places.len());
        for (path, of_folder, of_file) in &self.places {
            out.extend(of_folder.to_le_bytes());
            out.extend(of_file.to_le_bytes());
            number(&mut out, path.len() + 1);
            out.extend(path.as_bytes());
            out.push(0);
        }
        number(&mut out, self.filters.len());
        for filter in self.filters {
            number(&mut out, filter.len() / 8);
            out.extend(filter);
        }
        number(&mut out, usize::from(self.bridge));
        let length = out.len() - 4;
        if length > MAX_ORDER {
            return Err(io::Error::other("the order for the sandbox is too long"));
        }
        out[..4].copy_from_slice(&(length as u32).to_le_bytes());
        Ok(out)
    }
}

/// init to mend.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Report {
    /// All is set; the command begins at [`GO`]. `landlock` is the kernel's ABI that holds it, 0 without.
    Ready { landlock: i32 },
    /// Nothing was run.
    Failed { stage: Stage, what: String },
}

/// Who failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Stage {
    Launch,
    /// The mount namespace of the start, as root.
    MountNamespace,
    Limits,
    Bridge,
    Seccomp,
}

impl Report {
    pub(super) fn decode(bytes: [u8; REPORT]) -> Report {
        let [a, b, c, d, code @ ..] = bytes;
        let code = i32::from_le_bytes(code);
        let why = || io::Error::from_raw_os_error(code);
        let (stage, what) = match u32::from_le_bytes([a, b, c, d]) {
            0 => return Report::Ready { landlock: code },
            2 => (Stage::Limits, format!("set the limits: {}", why())),
            3 => (Stage::Seccomp, why().to_string()),
            4 if code == 0 => {
                let what = "open the way to the proxy: it does not listen";
                (Stage::Bridge, what.into())
            }
            4 => (
                Stage::Bridge,
                format!("open the way to the proxy: {}", why()),
            ),
            _ => (Stage::Limits, "init did not understand its order".into()),
        };
        Report::Failed { stage, what }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reports_are_understood() {
        let report = |stage: u32, code: i32| {
            let mut bytes = [0; REPORT];
            bytes[..4].copy_from_slice(&stage.to_le_bytes());
            bytes[4..].copy_from_slice(&code.to_le_bytes());
            Report::decode(bytes)
        };
        assert_eq!(report(0, 6), Report::Ready { landlock: 6 });
        for (stage, is) in [
            (1, Stage::Limits),
            (3, Stage::Seccomp),
            (4, Stage::Bridge),
            (99, Stage::Limits),
        ] {
            let told = report(stage, 1);
            assert!(
                matches!(told, Report::Failed { stage, .. } if stage == is),
                "{told:?}"
            );
        }
    }

    #[test]
    fn an_order_that_init_has_no_room_for_is_refused() {
        let filters = [vec![0; MAX_ORDER]];
        let order = InitOrder {
            filters: &filters,
            ..InitOrder::default()
        };
        assert!(order.encode().is_err());
        let empty = InitOrder::default().encode().unwrap();
        assert_eq!(empty.len(), 4 + 5 * 4);
        assert_eq!(empty[0], 20);
    }
}
