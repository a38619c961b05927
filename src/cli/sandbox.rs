//! `mend sandbox run` and `mend sandbox probe`.

use crate::domain::{AllowedHost, BackendKind, Cancel, Exit};
use crate::sandbox::{
    self, BackendState, Bounds, ENGINE_VARIABLES, Egress, Enforcement, LimitState, Probe, Ran,
    Sandbox, SandboxError, Settings, Spec,
};
use crate::text::visible;
use clap::Subcommand;
use serde_json::json;
use std::io::{self, Write};
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;
use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::mpsc;

/// mend itself failed; the command did not run, or not to its end.
const FAILED: u8 = 125;
const TIMED_OUT: u8 = 124;
/// The host cannot confine a process.
const UNUSABLE: u8 = 3;

#[derive(Debug, clap::Args)]
pub(super) struct Args {
    #[command(subcommand)]
    what: What,
    /// What confines commands: bwrap, docker or podman.
    #[arg(
        long,
        global = true,
        env = "MEND_SANDBOX_BACKEND",
        value_name = "NAME",
        default_value = "bwrap"
    )]
    backend: BackendKind,
    /// The image of docker's or podman's containers.
    #[arg(long, global = true, env = "MEND_SANDBOX_IMAGE", value_name = "IMAGE")]
    image: Option<String>,
    /// The docker or podman program.
    #[arg(long, global = true, value_name = "FILE")]
    engine: Option<PathBuf>,
    /// The bubblewrap program.
    #[arg(long, global = true, env = "MEND_SANDBOX_BWRAP", value_name = "FILE")]
    bwrap: Option<PathBuf>,
    /// A folder that commands may read, at the same place; may be given more than once.
    #[arg(long, global = true, value_name = "FOLDER")]
    read_only: Vec<PathBuf>,
    /// Where toolchains outside /usr are looked for.
    #[arg(long, global = true, env = "PATH", hide = true, default_value = "")]
    path: String,
}

#[derive(Debug, Subcommand)]
enum What {
    /// Run a command confined, with the current folder as its work folder.
    ///
    /// Exit code: the command's own; 124 at a time-out, 128+N when signal N ended it, 125 when
    /// mend itself failed.
    Run {
        /// End the command after this many seconds.
        #[arg(long, value_name = "SECONDS", default_value_t = 600.0)]
        timeout: f64,
        /// Print one JSON document instead of the output.
        #[arg(long)]
        json: bool,
        /// A host that the command may reach through mend's proxy, HOST or HOST:PORT; may be given more than once. Without one there is no network.
        #[arg(long, value_name = "HOST")]
        allow: Vec<String>,
        /// As --allow, for a host that leads to a private or loopback address.
        #[arg(long, value_name = "HOST")]
        allow_private: Vec<String>,
        /// Program and arguments.
        #[arg(last = true, required = true, value_name = "CMD")]
        command: Vec<String>,
    },
    /// Say what this host can do; exit code 0 when commands can run confined, 3 when not.
    Probe {
        /// Print one JSON document.
        #[arg(long)]
        json: bool,
    },
}

pub(super) async fn run(args: Args) -> ExitCode {
    let said = |name: &&str| Some((name.to_string(), std::env::var(name).ok()?));
    let settings = Settings {
        backend: args.backend,
        image: args.image,
        engine: args.engine,
        engine_env: ENGINE_VARIABLES.iter().filter_map(said).collect(),
        bwrap: args.bwrap,
        path: args.path,
        read_only: args.read_only,
        ..Settings::default()
    };
    let done = match args.what {
        What::Run {
            timeout,
            json,
            allow,
            allow_private,
            command,
        } => match egress(&allow, &allow_private) {
            Ok(network) => run_command(&settings, timeout, json, network, command).await,
            Err(e) => Err(e),
        },
        What::Probe { json } => probe(&settings, json).await,
    };
    match done {
        Ok(code) => ExitCode::from(code),
        Err(e) => {
            let _ = writeln!(io::stderr(), "mend: {}", visible(&format!("{e:#}")));
            ExitCode::from(FAILED)
        }
    }
}

async fn run_command(
    settings: &Settings,
    timeout: f64,
    json: bool,
    network: Option<Egress>,
    argv: Vec<String>,
) -> anyhow::Result<u8> {
    let wall = Duration::try_from_secs_f64(timeout)
        .ok()
        .filter(|d| !d.is_zero())
        .ok_or_else(|| anyhow::anyhow!("--timeout {timeout} is not a number of seconds above 0"))?;
    let sandbox = Sandbox::untried(settings)?;
    let cancel = Cancel::new();
    let (tee, printer) = match json {
        true => (None, None),
        false => {
            let (sender, receiver) = mpsc::channel(16);
            (Some(sender), Some(print(receiver, cancel.clone())))
        }
    };
    let spec = Spec {
        argv,
        work: std::env::current_dir()?,
        limits: Bounds {
            wall,
            ..Bounds::default()
        },
        network,
        give_back: true,
        tee,
        ..Spec::default()
    };
    let caught = stop_on_signals(cancel.clone())?;
    let ran = sandbox.run(&spec, &cancel).await;
    drop(spec);
    if let Some(printer) = printer {
        printer.await?;
    }
    let ran = match ran {
        // Without a signal of ours it was the reader who left, which ends a command by SIGPIPE.
        Err(SandboxError::Stopped) => {
            let signal = *caught.borrow();
            return Ok(128 + if signal == 0 { 13 } else { signal });
        }
        other => other?,
    };
    if json {
        let document = serde_json::to_string_pretty(&document(&ran))?;
        writeln!(io::stdout(), "{document}")?;
    } else if let Some(traffic) = &ran.traffic {
        writeln!(io::stderr(), "mend: {}", traffic.words())?;
    }
    if let (false, Some(limit)) = (json, ran.hit) {
        writeln!(io::stderr(), "mend: ended at the {} limit", limit.word())?;
    }
    Ok(match ran.exit {
        Exit::Code(code) => code as u8,
        Exit::Signal(signal) => (128 + signal) as u8,
        Exit::TimedOut => {
            if !json {
                writeln!(io::stderr(), "mend: ended after {timeout} s")?;
            }
            TIMED_OUT
        }
    })
}

/// What the command may reach; `None` when no host was named.
fn egress(public: &[String], private: &[String]) -> anyhow::Result<Option<Egress>> {
    let mut allow = Vec::new();
    for (hosts, private) in [(public, false), (private, true)] {
        for text in hosts {
            let host = AllowedHost::parse(text)
                .map_err(|why| anyhow::anyhow!("`{}` {why}", text.escape_debug()))?;
            allow.push(host.with_private(private));
        }
    }
    Ok((!allow.is_empty()).then(|| Egress::to(allow)))
}

fn document(ran: &Ran) -> serde_json::Value {
    json!({
        "exit": ran.exit,
        "output": String::from_utf8_lossy(&ran.output),
        "truncated": ran.truncated,
        "hit": ran.hit,
        "seconds": ran.duration.as_secs_f64(),
        "network": ran.traffic,
    })
}

/// Prints in a thread of its own, so that a slow terminal does not hold the limits up.
fn print(mut from: mpsc::Receiver<Vec<u8>>, unread: Cancel) -> tokio::task::JoinHandle<()> {
    tokio::task::spawn_blocking(move || {
        let mut out = io::stdout().lock();
        while let Some(bytes) = from.blocking_recv() {
            if out.write_all(&bytes).and_then(|()| out.flush()).is_err() {
                // Nobody reads any more: a plain command would get SIGPIPE now.
                unread.cancel();
                return;
            }
        }
    })
}

/// Ctrl-C and its like end the command with everything that it started. Gives the signal's number.
fn stop_on_signals(cancel: Cancel) -> io::Result<tokio::sync::watch::Receiver<u8>> {
    let (sender, receiver) = tokio::sync::watch::channel(0);
    for (kind, number) in [
        (SignalKind::interrupt(), 2),
        (SignalKind::terminate(), 15),
        (SignalKind::hangup(), 1),
    ] {
        let (mut stream, sender, cancel) = (signal(kind)?, sender.clone(), cancel.clone());
        tokio::spawn(async move {
            if stream.recv().await.is_some() {
                let _ = sender.send(number);
                cancel.cancel();
            }
        });
    }
    Ok(receiver)
}

async fn probe(settings: &Settings, json: bool) -> anyhow::Result<u8> {
    let probe = sandbox::probe(settings).await;
    let all = BackendState::all(settings, &probe).await;
    let text = match json {
        true => {
            let mut document = serde_json::to_value(&probe)?;
            document["backends"] = serde_json::to_value(&all)?;
            serde_json::to_string_pretty(&document)? + "\n"
        }
        false => describe(&probe, &all),
    };
    io::stdout().write_all(text.as_bytes())?;
    Ok(if probe.usable { 0 } else { UNUSABLE })
}

fn describe(probe: &Probe, all: &[BackendState]) -> String {
    let yes = |b: bool| if b { "yes" } else { "no" };
    let mut lines = vec![format!("usable: {}", yes(probe.usable))];
    if let (Some(reason), Some(fix)) = (&probe.reason, &probe.fix) {
        lines.push(format!("reason: {}", visible(reason)));
        lines.push(format!("fix: {}", visible(fix)));
    }
    let version = probe.version.as_deref().unwrap_or("not found");
    let name = match probe.backend {
        BackendKind::Bwrap => "bubblewrap",
        other => other.name(),
    };
    lines.push(format!("{name}: {}", visible(version)));
    lines.push(format!("user namespaces: {}", yes(probe.user_namespaces)));
    lines.push(format!("seccomp: {}", yes(probe.seccomp)));
    lines.push(match probe.landlock_abi {
        0 => "landlock: no".into(),
        abi => format!("landlock: ABI {abi}"),
    });
    if let Some(uid) = probe.outer_uid {
        lines.push(format!("started as root; commands run as uid {uid}"));
    }
    lines.extend(probe.limits.iter().map(describe_limit));
    for folder in &probe.toolchains {
        lines.push(format!("toolchain: {}", folder.display()));
    }
    for other in all.iter().filter(|b| !b.chosen) {
        let name = other.backend.name();
        match (&other.reason, &other.fix) {
            (Some(reason), Some(fix)) => {
                lines.push(format!(
                    "{name}, not chosen: {}; {}",
                    visible(reason),
                    visible(fix)
                ));
            }
            _ => lines.push(format!("{name}, not chosen: usable")),
        }
        let limits = other.limits.iter().filter(|_| other.usable);
        lines.extend(limits.map(|l| format!("{name} {}", describe_limit(l))));
    }
    lines.join("\n") + "\n"
}

fn describe_limit(limit: &LimitState) -> String {
    let word = match limit.enforcement {
        Enforcement::Hard => "hard",
        Enforcement::Soft => "soft",
    };
    format!("limit {}: {word} ({})", limit.name, limit.by)
}
