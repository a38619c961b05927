//! The way out of a sandbox whose command has to fetch dependencies: a proxy of mend's own.
//!
//! ```text
//! command ── TCP 127.0.0.1:3128 ──► bridge │ Unix socket ──► proxy ── TCP ──► allowed host
//!            (an empty network namespace)  │ (mend, on the host)
//! ```
//!
//! The network namespace stays empty: the only thing in it that leads out is one Unix socket, and
//! behind that the proxy decides. It takes `CONNECT` (a tunnel, whose first bytes must be TLS for
//! the very host that was asked for) and `GET` and `HEAD` with an absolute `http` URI. Hosts are
//! compared byte for byte with the list; names are resolved once, every address of the answer is
//! checked, and the checked addresses are dialled. Redirects are the client's: each hop is a new
//! request. What goes through a tunnel is encrypted and is not opened: there, methods and URLs
//! cannot be seen, only who is spoken to, for how long and how much.

mod address;
mod bridge;
mod hello;
mod refuse;
mod request;
mod serve;
mod tally;

pub use bridge::bridge_main;

use super::SandboxError;
use crate::domain::{AllowedHost, Traffic};
use serve::Gate;
use std::fmt;
use std::future::Future;
use std::io;
use std::net::IpAddr;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;
use tempfile::TempDir;
use tokio::net::UnixListener;
use tokio::task::JoinHandle;

/// Where the socket stands inside.
pub(super) const SOCKET: &str = "/run/mend/egress";
/// Where the bridge listens inside.
pub(super) const BRIDGE_PORT: u16 = 3128;

/// What a command may reach. A running command keeps what it was started with.
#[derive(Clone)]
pub struct Egress {
    /// Empty: nothing.
    pub allow: Vec<AllowedHost>,
    pub budget: Budget,
    pub resolver: Arc<dyn Resolve>,
}

impl Egress {
    /// These hosts, the usual budget, the system's resolver.
    pub fn to(allow: Vec<AllowedHost>) -> Egress {
        Egress {
            allow,
            budget: Budget::default(),
            resolver: Arc::new(SystemResolver),
        }
    }
}

impl fmt::Debug for Egress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Egress")
            .field("allow", &self.allow)
            .field("budget", &self.budget)
            .finish_non_exhaustive()
    }
}

/// The bounds of one command's traffic.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Budget {
    /// Requests and tunnels, refused ones too.
    pub requests: u64,
    /// At the same time.
    pub connections: usize,
    pub received_bytes: u64,
    /// Requests are small; a large one would be an upload.
    pub sent_bytes: u64,
    /// Of one tunnel or request.
    pub sent_bytes_each: u64,
    /// Of one tunnel or request.
    pub time_each: Duration,
}

impl Default for Budget {
    fn default() -> Self {
        Budget {
            requests: 20_000,
            connections: 256,
            received_bytes: 8 << 30,
            sent_bytes: 32 << 20,
            sent_bytes_each: 4 << 20,
            time_each: Duration::from_secs(900),
        }
    }
}

/// From a name to its addresses.
pub trait Resolve: Send + Sync {
    fn resolve<'a>(
        &'a self,
        host: &'a str,
    ) -> Pin<Box<dyn Future<Output = io::Result<Vec<IpAddr>>> + Send + 'a>>;
}

/// The host's own resolver.
#[derive(Debug, Clone, Copy)]
pub struct SystemResolver;

impl Resolve for SystemResolver {
    fn resolve<'a>(
        &'a self,
        host: &'a str,
    ) -> Pin<Box<dyn Future<Output = io::Result<Vec<IpAddr>>> + Send + 'a>> {
        Box::pin(async move {
            let found = tokio::net::lookup_host((host, 0)).await?;
            Ok(found.map(|a| a.ip()).collect())
        })
    }
}

/// A proxy that runs for one command; dropped, it ends with every connection.
pub(super) struct Proxy {
    folder: TempDir,
    /// Held, so that no sweep takes the folder for one of the dead.
    _lock: std::fs::File,
    gate: Arc<Gate>,
    task: JoinHandle<()>,
}

impl Proxy {
    /// Listens on a socket in a folder that only mend can reach.
    pub fn start(egress: &Egress) -> Result<Proxy, SandboxError> {
        let fail = |e| SandboxError::io("start the proxy of a sandbox", e);
        let folder = tempfile::Builder::new()
            .prefix("mend-egress-")
            .tempdir()
            .map_err(fail)?;
        let lock = std::fs::File::open(folder.path()).map_err(fail)?;
        lock.try_lock().map_err(|e| fail(e.into()))?;
        let socket = folder.path().join("socket");
        let listener = UnixListener::bind(&socket).map_err(fail)?;
        // The command is another user; the folder keeps everybody else away.
        let open = std::fs::Permissions::from_mode(0o666);
        std::fs::set_permissions(&socket, open).map_err(fail)?;
        let gate = Arc::new(Gate::new(egress.clone()));
        let task = tokio::spawn(serve::serve(listener, gate.clone()));
        Ok(Proxy {
            folder,
            _lock: lock,
            gate,
            task,
        })
    }

    /// The socket on the host.
    pub fn socket(&self) -> PathBuf {
        self.folder.path().join("socket")
    }

    /// What went through so far.
    pub fn traffic(&self) -> Traffic {
        self.gate.traffic()
    }
}

impl Drop for Proxy {
    fn drop(&mut self) {
        self.task.abort();
    }
}

/// The variables by which clients find the proxy. Which of them a client reads differs; all say
/// the same.
pub(super) fn variables() -> Vec<(String, String)> {
    let proxy = format!("http://127.0.0.1:{BRIDGE_PORT}");
    let none = "localhost,127.0.0.1,::1";
    let jvm = format!(
        "-Dhttp.proxyHost=127.0.0.1 -Dhttp.proxyPort={BRIDGE_PORT} -Dhttps.proxyHost=127.0.0.1 \
         -Dhttps.proxyPort={BRIDGE_PORT}"
    );
    // Since 3.9 Maven reads the properties above only when told to (apache/maven#9260).
    let maven = format!("{jvm} -Daether.connector.http.useSystemProperties=true");
    let mut all = Vec::new();
    for name in ["HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"] {
        all.push((name.to_string(), proxy.clone()));
        all.push((name.to_lowercase(), proxy.clone()));
    }
    for (name, value) in [
        ("NO_PROXY", none),
        ("no_proxy", none),
        ("npm_config_proxy", &proxy),
        ("npm_config_https_proxy", &proxy),
        ("npm_config_noproxy", none),
        ("YARN_HTTP_PROXY", &proxy),
        ("YARN_HTTPS_PROXY", &proxy),
        ("NODE_USE_ENV_PROXY", "1"),
        ("CARGO_HTTP_PROXY", &proxy),
        ("CARGO_NET_OFFLINE", "false"),
        ("MAVEN_OPTS", &maven),
        ("GRADLE_OPTS", &jvm),
    ] {
        all.push((name.to_string(), value.to_string()));
    }
    all
}

/// Whether the path is the socket's: a caller may not mount over it.
pub(super) fn is_taken(inside: &Path) -> bool {
    inside.starts_with("/run/mend")
}
