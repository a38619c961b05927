//! What mend and init say to each other: init gets its order as an argument; over one socket, which
//! is its standard input, it sends one report back, a JSON document behind its length; after `ready`
//! one byte from mend, [`GO`], lets the command begin.

use serde::{Deserialize, Serialize, de::DeserializeOwned};
use std::io::{self, Read, Write};

/// More than an order with long arguments and a large environment needs.
const MAX_ORDER: usize = 16 << 20;

/// mend has a hold on the sandbox's first process; the command may begin.
pub(super) const GO: u8 = b'g';

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
}

/// mend to init, as its first argument.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct InitOrder {
    pub memory: u64,
    pub processes: u64,
    pub file_size: u64,
    pub open_files: u64,
    /// Seconds of processor time of one process.
    pub cpu: u64,
    /// Whether the way to the proxy is to be opened.
    pub bridge: bool,
    /// Folders inside that may be written, as far as their mounts allow.
    pub writable: Vec<String>,
}

/// init to mend.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Report {
    /// All is set; the command begins at [`GO`]. `landlock` is the kernel's ABI that holds it, 0 without.
    Ready { landlock: i32 },
    /// Nothing was run.
    Failed { stage: Stage, what: String },
}

/// Who failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Stage {
    Launch,
    /// The mount namespace of the start, as root.
    MountNamespace,
    Limits,
    Bridge,
    Seccomp,
}

/// A message as it goes over the socket.
pub(super) fn encode<T: Serialize>(message: &T) -> io::Result<Vec<u8>> {
    let body = serde_json::to_vec(message)?;
    let length = u32::try_from(body.len()).map_err(|_| too_long())?;
    if body.len() > MAX_ORDER {
        return Err(too_long());
    }
    let mut out = length.to_be_bytes().to_vec();
    out.extend(body);
    Ok(out)
}

/// Reads one message and not a byte more: what follows belongs to another program.
pub(super) fn receive<T: DeserializeOwned>(from: &mut impl Read) -> io::Result<T> {
    let mut length = [0; 4];
    from.read_exact(&mut length)?;
    let length = u32::from_be_bytes(length) as usize;
    if length > MAX_ORDER {
        return Err(too_long());
    }
    let mut body = vec![0; length];
    from.read_exact(&mut body)?;
    Ok(serde_json::from_slice(&body)?)
}

/// Writes one message in one call.
pub(super) fn send<T: Serialize>(to: &mut impl Write, message: &T) -> io::Result<()> {
    to.write_all(&encode(message)?)
}

fn too_long() -> io::Error {
    io::Error::new(
        io::ErrorKind::InvalidData,
        "a message of the sandbox is too long",
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_come_back_and_leave_what_follows() {
        let report = Report::Failed {
            stage: Stage::Seccomp,
            what: "it is ö".into(),
        };
        let mut bytes = encode(&report).unwrap();
        bytes.extend(b"rest");
        let mut from = bytes.as_slice();
        assert_eq!(receive::<Report>(&mut from).unwrap(), report);
        assert_eq!(from, b"rest");
    }

    #[test]
    fn a_huge_length_is_refused_before_memory_is_taken() {
        let mut from = [0xff_u8; 8].as_slice();
        assert!(receive::<Report>(&mut from).is_err());
    }
}
