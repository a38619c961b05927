//! `POST /webhook` at `mend serve` itself, each delivery on the disk before it is acknowledged: on SQLite
//! beside a bare loop of the same group size, on PostgreSQL, and probot 14 beside them, which keeps
//! nothing. The kinds in turn, so that a busy machine hits all alike.
//! `cargo bench --bench webhook -- PROBOT [ROUNDS] [SECONDS]`, `npm install probot@14` having been run in
//! the folder PROBOT. `MEND_FIGURES_PROGRAM` names another build of mend.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::disallowed_methods)]

#[allow(dead_code)]
#[path = "../tests/it/postgres.rs"]
mod postgres;

use hmac::{Hmac, Mac};
use mend::simulator::{Simulator, SimulatorOptions};
use sqlx::{Connection, Executor};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

const SECRET: &str = "a webhook secret for figures";
/// About the size of an `issue_comment` payload.
const PAYLOAD: usize = 12 * 1024;
const CONNECTIONS: usize = 16;

/// What one round of one kind showed.
#[derive(Clone, Copy)]
struct Shown {
    rate: f64,
    p50: f64,
    p99: f64,
    /// Microseconds of processor time of the server for each request.
    cpu: f64,
}

fn main() {
    let mut words = std::env::args().skip(1).filter(|a| a != "--bench");
    let probot = words.next().expect("the folder where probot is installed");
    let mut number = |or: u64| words.next().map_or(or, |w| w.parse().unwrap());
    let (rounds, time) = (number(3), Duration::from_secs(number(8)));
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .unwrap();
    runtime.block_on(all(Path::new(&probot), rounds, time));
}

async fn all(probot: &Path, rounds: u64, time: Duration) {
    println!("{CONNECTIONS} connections, {PAYLOAD} bytes, {rounds} rounds of {time:?} each");
    let sim = Simulator::start(SimulatorOptions {
        webhook_secret: SECRET.into(),
        ..SimulatorOptions::default()
    })
    .await
    .unwrap();
    // On the disk that holds the build, not in memory.
    let base = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let folder = tempfile::tempdir_in(base).unwrap();
    open_to_all(folder.path());
    let data = folder.path().join("postgresql");
    std::fs::create_dir(&data).unwrap();
    let server = postgres::Postgres::durable(&data);
    let mut seen: [Vec<Shown>; 3] = Default::default();
    let mut loops = Vec::new();
    for round in 0..rounds {
        let bare = bare(&folder.path().join(format!("bare-{round}.db")), time).await;
        println!("round {round}: bare SQLite, groups of {CONNECTIONS}: {bare:.0}/s");
        loops.push(bare);
        let database = server.database();
        let file = folder.path().join(format!("mend-{round}.db"));
        let urls = [format!("sqlite:{}", file.display()), database.url()];
        for (kind, url) in urls.iter().enumerate() {
            let port = free();
            let state = folder.path().join(format!("state-{round}-{kind}"));
            let program = mend(&sim, &state, port, url);
            seen[kind].push(load(program, port, time).await);
        }
        let port = free();
        let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/bench_probot.mjs");
        let mut node = Command::new("node");
        node.arg(script)
            .arg(probot)
            .args([&port.to_string(), SECRET]);
        seen[2].push(load(node, port, time).await);
    }
    loops.sort_by(f64::total_cmp);
    let bare = loops[loops.len() / 2];
    println!("medians: bare loop {bare:.0}/s");
    for (name, all) in ["mend, SQLite", "mend, PostgreSQL", "probot 14, in memory"]
        .iter()
        .zip(&seen)
    {
        let of = |what: fn(&Shown) -> f64| {
            let mut all: Vec<f64> = all.iter().map(what).collect();
            all.sort_by(f64::total_cmp);
            all[all.len() / 2]
        };
        let rate = of(|s| s.rate);
        println!(
            "{name}: {rate:.0}/s ({:.0} % of the loop), p50 {:.1} ms, p99 {:.1} ms, {:.0} µs of processor a request",
            100.0 * rate / bare,
            of(|s| s.p50),
            of(|s| s.p99),
            of(|s| s.cpu)
        );
    }
    sim.shutdown().await;
}

fn open_to_all(folder: &Path) {
    std::fs::set_permissions(folder, std::fs::Permissions::from_mode(0o755)).unwrap();
}

fn free() -> u16 {
    let free = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    free.local_addr().unwrap().port()
}

/// Groups of as many inserts as there are connections, each group on the disk before the next.
async fn bare(file: &Path, time: Duration) -> f64 {
    let url = format!("sqlite:{}?mode=rwc", file.display());
    let mut db = sqlx::SqliteConnection::connect(&url).await.unwrap();
    for sql in [
        "PRAGMA journal_mode = WAL",
        "PRAGMA synchronous = FULL",
        "CREATE TABLE d (id INTEGER PRIMARY KEY, guid TEXT UNIQUE, payload BLOB)",
    ] {
        db.execute(sql).await.unwrap();
    }
    let payload = vec![b'x'; PAYLOAD];
    let (start, mut done) = (Instant::now(), 0u64);
    while start.elapsed() < time {
        let mut tx = db.begin().await.unwrap();
        for _ in 0..CONNECTIONS {
            sqlx::query("INSERT INTO d (guid, payload) VALUES (?, ?)")
                .bind(format!("guid-{done}"))
                .bind(&payload[..])
                .execute(&mut *tx)
                .await
                .unwrap();
            done += 1;
        }
        tx.commit().await.unwrap();
    }
    done as f64 / start.elapsed().as_secs_f64()
}

fn mend(sim: &Simulator, state: &Path, port: u16, url: &str) -> Command {
    std::fs::create_dir_all(state).unwrap();
    let config = state.with_extension("toml");
    let text = format!(
        "[server]\nlisten = \"127.0.0.1:{port}\"\nstate_dir = \"{}\"\n[database]\nurl = \"{url}\"\n\
         [github]\napp_id = {}\nwebhook_secret = \"{SECRET}\"\nbase_url = \"{}\"\nweb_url = \"{}\"\nprivate_key = '''{}'''\n\
         [model]\nreplay = [\"/none\"]\n",
        state.display(),
        sim.app_id(),
        sim.base_url(),
        sim.base_url(),
        sim.private_key_pem(),
    );
    std::fs::write(&config, text).unwrap();
    std::fs::set_permissions(&config, std::fs::Permissions::from_mode(0o600)).unwrap();
    let other = std::env::var_os("MEND_FIGURES_PROGRAM");
    let mut serve = Command::new(other.unwrap_or(env!("CARGO_BIN_EXE_mend").into()));
    serve.args(["serve", "--config"]).arg(config);
    serve
}

/// A server that is ended when this is dropped.
struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

impl Running {
    /// Seconds of processor time so far.
    fn processor(&self) -> f64 {
        let stat = std::fs::read_to_string(format!("/proc/{}/stat", self.0.id())).unwrap();
        let after = stat.rsplit(')').next().unwrap();
        let field = |n: usize| {
            after
                .split_whitespace()
                .nth(n)
                .unwrap()
                .parse::<f64>()
                .unwrap()
        };
        (field(11) + field(12)) / 100.0
    }
}

/// As many requests as 16 connections come to in this time.
async fn load(mut program: Command, port: u16, time: Duration) -> Shown {
    let child = program.stdout(Stdio::null()).stderr(Stdio::null()).spawn();
    let server = Running(child.unwrap());
    let begun = Instant::now();
    while TcpStream::connect(("127.0.0.1", port)).await.is_err() {
        assert!(
            begun.elapsed() < Duration::from_secs(60),
            "it does not listen"
        );
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    // What the first requests cost once is none of the figure.
    connections(port, Duration::from_secs(1), "warm").await;
    let (before, start) = (server.processor(), Instant::now());
    let mut times = connections(port, time, "real").await;
    let (seconds, cpu) = (start.elapsed().as_secs_f64(), server.processor() - before);
    times.sort();
    let count = times.len() as f64;
    let at = |share: f64| times[((count - 1.0) * share) as usize].as_secs_f64() * 1000.0;
    Shown {
        rate: count / seconds,
        p50: at(0.5),
        p99: at(0.99),
        cpu: cpu * 1e6 / count,
    }
}

async fn connections(port: u16, time: Duration, name: &str) -> Vec<Duration> {
    let text = "x".repeat(PAYLOAD - 80);
    let body = format!(
        r#"{{"action":"edited","repository":{{"id":7}},"issue":{{"number":1,"body":"{text}"}}}}"#
    );
    let mut mac = Hmac::<sha2::Sha256>::new_from_slice(SECRET.as_bytes()).unwrap();
    mac.update(body.as_bytes());
    let signature = hex::encode(mac.finalize().into_bytes());
    let start = Instant::now();
    let one = |who: usize| {
        let (body, signature) = (body.clone(), signature.clone());
        let name = name.to_string();
        tokio::spawn(async move {
            let mut stream = TcpStream::connect(("127.0.0.1", port)).await.unwrap();
            stream.set_nodelay(true).unwrap();
            let (mut times, mut answer) = (Vec::new(), Vec::new());
            while start.elapsed() < time {
                let request = format!(
                    "POST /webhook HTTP/1.1\r\nhost: 127.0.0.1\r\nuser-agent: GitHub-Hookshot/1\r\n\
                     content-type: application/json\r\nx-github-event: issues\r\n\
                     x-github-delivery: {name}-{who}-{}\r\nx-hub-signature-256: sha256={signature}\r\n\
                     content-length: {}\r\n\r\n{body}",
                    times.len(),
                    body.len()
                );
                let begun = Instant::now();
                stream.write_all(request.as_bytes()).await.unwrap();
                answered(&mut stream, &mut answer).await;
                times.push(begun.elapsed());
            }
            times
        })
    };
    let all = futures::future::join_all((0..CONNECTIONS).map(one)).await;
    all.into_iter().flat_map(Result::unwrap).collect()
}

/// Reads one whole answer, which must be a good one.
async fn answered(stream: &mut TcpStream, answer: &mut Vec<u8>) {
    answer.clear();
    loop {
        assert!(
            stream.read_buf(answer).await.unwrap() > 0,
            "the connection was closed"
        );
        let text = String::from_utf8_lossy(answer).to_lowercase();
        let Some((head, rest)) = text.split_once("\r\n\r\n") else {
            continue;
        };
        assert!(head.starts_with("http/1.1 20"), "{text}");
        let length = head
            .lines()
            .find_map(|l| l.strip_prefix("content-length: "));
        let whole = match length {
            Some(length) => rest.len() >= length.trim().parse::<usize>().unwrap(),
            None => rest.ends_with("0\r\n\r\n"),
        };
        if whole {
            return;
        }
    }
}
