//! NW-01 to NW-05: what a command reaches without a network, and what it reaches through the proxy.

use super::{Work, sandbox, spec, starts};
use mend::domain::{AllowedHost, Cancel};
use mend::sandbox::{Budget, Egress, Ran, Resolve};
use std::collections::HashMap;
use std::future::Future;
use std::io::{self, Read, Write};
use std::net::{IpAddr, TcpListener, UdpSocket};
use std::pin::Pin;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// A resolver whose answers the test writes; each name has a list, one answer a question, the last
/// one for good.
#[derive(Default)]
struct Names {
    answers: HashMap<String, Vec<Vec<IpAddr>>>,
    asked: AtomicUsize,
}

impl Names {
    fn of(answers: &[(&str, &[&[&str]])]) -> Arc<Names> {
        let parse = |ips: &&[&str]| ips.iter().map(|ip| ip.parse().unwrap()).collect();
        Arc::new(Names {
            answers: answers
                .iter()
                .map(|(name, list)| (name.to_string(), list.iter().map(parse).collect()))
                .collect(),
            asked: AtomicUsize::new(0),
        })
    }
}

impl Resolve for Names {
    fn resolve<'a>(
        &'a self,
        host: &'a str,
    ) -> Pin<Box<dyn Future<Output = io::Result<Vec<IpAddr>>> + Send + 'a>> {
        let at = self.asked.fetch_add(1, Ordering::SeqCst);
        let list = self.answers.get(host).cloned();
        Box::pin(async move {
            let list = list.ok_or(io::ErrorKind::NotFound)?;
            Ok(list[at.min(list.len() - 1)].clone())
        })
    }
}

/// A server on loopback that answers each request with `answer` and keeps what it was sent.
fn sink(answer: &'static str) -> (u16, Arc<Mutex<Vec<u8>>>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let kept = Arc::new(Mutex::new(Vec::new()));
    let into = kept.clone();
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let Ok(mut stream) = stream else { return };
            let into = into.clone();
            std::thread::spawn(move || {
                stream
                    .set_read_timeout(Some(Duration::from_secs(10)))
                    .unwrap();
                let (mut all, mut buffer) = (Vec::new(), [0; 4096]);
                while !all.ends_with(b"\r\n\r\n") {
                    match stream.read(&mut buffer) {
                        Ok(n @ 1..) => all.extend(&buffer[..n]),
                        _ => break,
                    }
                }
                into.lock().unwrap().extend(all);
                let _ = stream.write_all(answer.as_bytes());
            });
        }
    });
    (port, kept)
}

const OK: &str = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nConnection: close\r\n\r\nhello";

fn host(text: &str, private: bool) -> AllowedHost {
    AllowedHost::parse(text).unwrap().with_private(private)
}

fn egress(allow: Vec<AllowedHost>, names: Arc<dyn Resolve>) -> Egress {
    Egress {
        resolver: names,
        ..Egress::to(allow)
    }
}

/// Sends each head to the proxy from inside and prints the first line of each answer.
async fn ask(network: Egress, heads: &[String]) -> (Vec<String>, Ran) {
    let work = Work::new(starts()[0]);
    work.file("heads.json", &serde_json::to_string(heads).unwrap());
    work.file(
        "ask.py",
        r#"
import json, socket
for head in json.load(open("heads.json")):
    s = socket.create_connection(("127.0.0.1", 3128), 20)
    s.settimeout(20)
    answer = b""
    try:
        s.sendall(head.encode("latin-1"))
        while True:
            part = s.recv(4096)
            if not part: break
            answer += part
            if answer.startswith(b"HTTP/1.1 200 C"): break
    except OSError as e:
        answer = answer or repr(e).encode()
    print(answer.split(b"\r\n")[0].decode(), flush=True)
"#,
    );
    let mut spec = spec(&work.path(), "/usr/bin/python3 ask.py");
    spec.network = Some(network);
    let ran = sandbox().await.run(&spec, &Cancel::new()).await.unwrap();
    let text = String::from_utf8_lossy(&ran.output).into_owned();
    (text.lines().map(String::from).collect(), ran)
}

fn refused(ran: &Ran) -> Vec<(String, String)> {
    let refused = &ran.traffic.as_ref().unwrap().refused;
    refused
        .iter()
        .map(|r| (r.host.clone(), r.why.clone()))
        .collect()
}

#[test]
fn nw_01_without_a_network_nothing_is_reached() {
    let (port, kept) = sink(OK);
    let udp = UdpSocket::bind("127.0.0.1:0").unwrap();
    udp.set_nonblocking(true).unwrap();
    let udp_port = udp.local_addr().unwrap().port();
    let postgres = TcpListener::bind("127.0.0.1:5432");
    let six = TcpListener::bind("[::1]:0");
    let six_port = six.as_ref().map_or(9, |s| s.local_addr().unwrap().port());
    let name = format!("mend-test-{}", std::process::id());
    let address = {
        use std::os::linux::net::SocketAddrExt;
        std::os::unix::net::SocketAddr::from_abstract_name(&name).unwrap()
    };
    let abstract_sink = std::os::unix::net::UnixListener::bind_addr(&address).unwrap();
    abstract_sink.set_nonblocking(true).unwrap();
    for start in starts() {
        let work = Work::new(start);
        let path = work.beside("socket");
        let path_sink = std::os::unix::net::UnixListener::bind(&path).unwrap();
        path_sink.set_nonblocking(true).unwrap();
        let probe = format!(
            r#"
import os, socket
def attempt(name, f):
    try:
        f()
        print("REACHED", name)
    except Exception as e:
        print("failed", name, type(e).__name__)
def tcp(host, port, family=socket.AF_INET):
    s = socket.socket(family, socket.SOCK_STREAM); s.settimeout(3)
    s.connect((host, port)); s.sendall(b"canary\r\n\r\n")
def udp(host, port):
    s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM); s.settimeout(2)
    s.sendto(b"canary", (host, port)); s.recvfrom(10)
def icmp():
    s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM, socket.IPPROTO_ICMP)
    s.sendto(b"\x08\0\0\0\0\0\0\0", ("169.254.169.254", 0))
def unix(path):
    s = socket.socket(socket.AF_UNIX); s.settimeout(3); s.connect(path)
attempt("tcp host", lambda: tcp("127.0.0.1", {port}))
attempt("postgres", lambda: tcp("127.0.0.1", 5432))
attempt("metadata", lambda: tcp("169.254.169.254", 80))
attempt("six", lambda: tcp("::1", {six_port}, socket.AF_INET6))
attempt("private", lambda: tcp("10.0.0.1", 80))
attempt("proxy", lambda: tcp("127.0.0.1", 3128))
attempt("udp host", lambda: udp("127.0.0.1", {udp_port}))
attempt("dns by udp", lambda: udp("8.8.8.8", 53))
attempt("dns", lambda: socket.getaddrinfo("example.com", 80))
attempt("icmp", icmp)
attempt("abstract", lambda: unix("\0{name}"))
attempt("path", lambda: unix("{path}"))
attempt("egress", lambda: unix("/run/mend/egress"))
"#,
            path = path.display()
        );
        let said = work.python(&probe);
        assert_eq!(said.matches("failed").count(), 13, "{start:?}: {said}");
        assert!(!said.contains("REACHED"), "{start:?}: {said}");
        assert!(path_sink.accept().is_err(), "{start:?}");
    }
    assert!(kept.lock().unwrap().is_empty());
    assert!(udp.recv_from(&mut [0; 16]).is_err());
    assert!(abstract_sink.accept().is_err());
    if let Ok(postgres) = postgres {
        postgres.set_nonblocking(true).unwrap();
        assert!(postgres.accept().is_err());
    }
}

#[tokio::test]
async fn nw_02_only_the_exact_host_and_port() {
    let (port, kept) = sink(OK);
    let names = Names::of(&[
        ("registry.test", &[&["127.0.0.1"]]),
        ("registry.test.evil", &[&["127.0.0.1"]]),
        ("evilregistry.test", &[&["127.0.0.1"]]),
    ]);
    let allow = vec![host(&format!("registry.test:{port}"), true)];
    let connect = |at: &str| format!("CONNECT {at} HTTP/1.1\r\n\r\n");
    let heads = [
        format!("GET http://registry.test:{port}/simple HTTP/1.1\r\nHost: evil.test\r\n\r\n"),
        connect(&format!("registry.test:{port}")),
        connect("registry.test.evil:443"),
        connect("evilregistry.test:443"),
        connect(&format!("REGISTRY.TEST.:{port}")),
        connect(&format!("evil\0.registry.test:{port}")),
        connect(&format!("registry.test@evil:{port}")),
        connect(&format!("[::ffff:127.0.0.1]:{port}")),
        connect(&format!("127.0.0.1:{port}")),
        connect("registry.test:22"),
        // SOCKS 4a and 5 do not even begin like a request.
        "\x04\x01\x01\u{bb}\0\0\0\x01\0evil\0.registry.test\0\r\n\r\n".to_string(),
    ];
    let (answers, ran) = ask(egress(allow, names), &heads).await;
    let codes: Vec<&str> = answers
        .iter()
        .map(|a| a.split(' ').nth(1).unwrap_or(a))
        .collect();
    assert_eq!(
        codes,
        [
            "200", "200", "403", "403", "400", "400", "400", "400", "403", "403", "400"
        ],
        "{answers:?}"
    );
    let sent = String::from_utf8(kept.lock().unwrap().clone()).unwrap();
    let expected = format!("GET /simple HTTP/1.1\r\nHost: registry.test:{port}\r\n");
    assert!(
        sent.starts_with(&expected) && !sent.contains("evil"),
        "{sent}"
    );
    let refused = refused(&ran);
    let named: Vec<&str> = refused.iter().map(|(host, _)| host.as_str()).collect();
    for host in [
        "registry.test.evil",
        "evilregistry.test",
        "registry.test:22",
    ] {
        assert!(named.contains(&host), "{refused:?}");
    }
    assert_eq!(ran.traffic.unwrap().reached[0].requests, 1);
}

#[tokio::test]
async fn nw_02_a_tunnel_that_speaks_no_tls_is_cut() {
    let (port, kept) = sink(OK);
    let names = Names::of(&[("registry.test", &[&["127.0.0.1"]])]);
    let allow = vec![host(&format!("registry.test:{port}"), true)];
    let head = format!(
        "CONNECT registry.test:{port} HTTP/1.1\r\n\r\nPUT /upload HTTP/1.1\r\nHost: x\r\n\r\n"
    );
    let (_, ran) = ask(egress(allow, names), &[head]).await;
    let refused = refused(&ran);
    assert!(refused[0].1.contains("does not speak TLS"), "{refused:?}");
    assert!(kept.lock().unwrap().is_empty());
}

#[tokio::test]
async fn nw_03_names_are_resolved_once_and_checked() {
    let (port, kept) = sink(OK);
    let bad: &[&str] = &[
        "127.0.0.1",
        "169.254.169.254",
        "10.0.0.1",
        "::ffff:127.0.0.1",
        "64:ff9b::a9fe:a9fe",
        "::1",
        "100.64.0.1",
        "0.0.0.0",
    ];
    let mut answers: Vec<(String, Vec<Vec<IpAddr>>)> = Vec::new();
    for (n, ip) in bad.iter().enumerate() {
        answers.push((format!("bad{n}.test"), vec![vec![ip.parse().unwrap()]]));
    }
    let public: IpAddr = "192.0.2.1".parse().unwrap();
    let metadata: IpAddr = "169.254.169.254".parse().unwrap();
    answers.push(("mixed.test".into(), vec![vec![public, metadata]]));
    answers.push(("own.test".into(), vec![vec![metadata]]));
    let names = Arc::new(Names {
        answers: answers.iter().cloned().collect(),
        asked: AtomicUsize::new(0),
    });
    let allow = answers
        .iter()
        .map(|(name, _)| host(&format!("{name}:{port}"), name == "own.test"))
        .collect();
    let heads: Vec<String> = answers
        .iter()
        .map(|(name, _)| format!("GET http://{name}:{port}/ HTTP/1.1\r\n\r\n"))
        .collect();
    let (said, ran) = ask(egress(allow, names.clone()), &heads).await;
    assert!(said.iter().all(|l| l.contains("403")), "{said:?}");
    let refused = refused(&ran);
    assert_eq!(refused.len(), answers.len(), "{refused:?}");
    assert!(refused.iter().all(|(_, why)| why.contains("private")));
    assert!(kept.lock().unwrap().is_empty());
    assert_eq!(names.asked.load(Ordering::SeqCst), answers.len());
}

#[tokio::test]
async fn nw_03_the_checked_address_is_the_dialled_one_at_every_hop() {
    static MOVED: &str = "HTTP/1.1 302 Found\r\nLocation: http://169.254.169.254/latest\r\nContent-Length: 0\r\nConnection: close\r\n\r\n";
    let (port, kept) = sink(MOVED);
    // The first answer leads to the sink; a second look would lead elsewhere.
    let names = Names::of(&[("own.test", &[&["127.0.0.1"], &["127.0.0.99"]])]);
    let allow = vec![host(&format!("own.test:{port}"), true)];
    let heads = [
        format!("GET http://own.test:{port}/ HTTP/1.1\r\n\r\n"),
        // What a client does that follows.
        "GET http://169.254.169.254/latest HTTP/1.1\r\n\r\n".to_string(),
    ];
    let (said, ran) = ask(egress(allow, names.clone()), &heads).await;
    assert!(
        said[0].contains("302") && said[1].contains("403"),
        "{said:?}"
    );
    assert!(!kept.lock().unwrap().is_empty());
    assert_eq!(names.asked.load(Ordering::SeqCst), 1);
    assert_eq!(refused(&ran)[0].0, "169.254.169.254");
}

#[tokio::test]
async fn nw_04_only_reading_in_bounds() {
    let (port, kept) = sink(OK);
    let names = Names::of(&[("own.test", &[&["127.0.0.1"]])]);
    let allow = vec![host(&format!("own.test:{port}"), true)];
    let mut network = egress(allow, names);
    network.budget.requests = 3;
    let at = format!("http://own.test:{port}");
    let long = "QUFB".repeat(2048);
    let get = format!("GET {at}/pkg HTTP/1.1\r\n\r\n");
    let heads = [
        format!("PUT {at}/pkg HTTP/1.1\r\nContent-Length: 6\r\n\r\ncanary"),
        format!("POST {at}/publish HTTP/1.1\r\nContent-Length: 6\r\n\r\ncanary"),
        format!("GET {at}/pkg-{long} HTTP/1.1\r\n\r\n"),
        get.clone(),
        get.clone(),
        get.clone(),
        get,
    ];
    let (said, ran) = ask(network, &heads).await;
    let codes: Vec<&str> = said
        .iter()
        .map(|a| a.split(' ').nth(1).unwrap_or(a))
        .collect();
    assert_eq!(codes, ["405", "405", "414", "200", "200", "200", "403"]);
    let kept = String::from_utf8(kept.lock().unwrap().clone()).unwrap();
    assert_eq!(kept.matches("GET /pkg HTTP/1.1").count(), 3, "{kept}");
    assert!(!kept.contains("canary") && !kept.contains("QUFB"));
    let words = ran.traffic.unwrap().words();
    assert!(words.contains("requests is used up"), "{words}");
}

#[tokio::test]
async fn nw_04_ten_thousand_odd_names_stay_few_lines() {
    let names = Names::of(&[]);
    let heads: Vec<String> = (0..10_000)
        .map(|n| format!("CONNECT canary{n}.evil.test:443 HTTP/1.1\r\n\r\n"))
        .collect();
    let allow = vec![host("own.test", false)];
    let (_, ran) = ask(egress(allow, names.clone()), &heads).await;
    let traffic = ran.traffic.unwrap();
    assert_eq!((traffic.refused.len(), traffic.more_refused), (100, 9_900));
    // A name that is not listed is never asked for: a question would already carry it out.
    assert_eq!(names.asked.load(Ordering::SeqCst), 0);
    assert!(traffic.words().len() < 600);
}

#[tokio::test]
async fn nw_04_the_budget_of_bytes_ends_an_answer() {
    static BIG: &str = "HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n0123456789012345678901234567890123456789012345678901234567890123456789";
    let (port, _) = sink(BIG);
    let names = Names::of(&[("own.test", &[&["127.0.0.1"]])]);
    let mut network = egress(vec![host(&format!("own.test:{port}"), true)], names);
    network.budget = Budget {
        received_bytes: 60,
        ..Budget::default()
    };
    let head = format!("GET http://own.test:{port}/ HTTP/1.1\r\n\r\n");
    let (_, ran) = ask(network, &[head]).await;
    assert!(refused(&ran)[0].1.contains("bytes is used up"));
}

#[tokio::test]
async fn nw_05_an_empty_list_allows_nothing() {
    let (port, kept) = sink(OK);
    let names = Names::of(&[("own.test", &[&["127.0.0.1"]])]);
    let head = format!("GET http://own.test:{port}/ HTTP/1.1\r\n\r\n");
    let (said, ran) = ask(egress(Vec::new(), names), &[head]).await;
    assert!(said[0].contains("403"), "{said:?}");
    assert_eq!(refused(&ran)[0].1, "not on the list of allowed hosts");
    assert!(kept.lock().unwrap().is_empty());
}

#[test]
fn nw_05_malformed_hosts_refuse_the_start() {
    let work = Work::new(starts()[0]);
    for bad in ["*.evil.test", "https://a.test", "A.test", "a.test."] {
        let output = work
            .mend()
            .args(["sandbox", "run", "--allow", bad, "--", "true"])
            .output()
            .unwrap();
        assert_eq!(output.status.code(), Some(125), "{bad}");
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(said.contains(bad), "{said}");
    }
}

#[test]
fn the_filters_hold_beside_the_bridge_too() {
    for start in starts() {
        let work = Work::new(start);
        let script = "grep -E 'NoNewPrivs|^Seccomp:|CapEff' /proc/self/status; ls /proc | grep -c '^[0-9]'; \
             for p in /proc/[0-9]*; do if tr '\\0' ' ' < $p/cmdline | grep -q '[s]andbox-bridge serve'; then \
             grep -E 'NoNewPrivs|^Seccomp:|CapEff' $p/status; tr '\\0' '\\n' < $p/environ | wc -l; fi; done; \
             cat /proc/net/route | wc -l; unshare -Ur true 2>/dev/null && echo ESCAPED; wait; echo end";
        let output = work
            .mend()
            .args([
                "sandbox", "run", "--allow", "own.test", "--", "/bin/sh", "-c",
            ])
            .arg(script)
            .output()
            .unwrap();
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        assert!(output.status.success(), "{start:?}: {text}");
        assert_eq!(text.matches("NoNewPrivs:\t1").count(), 2, "{text}");
        assert_eq!(text.matches("Seccomp:\t2").count(), 2, "{text}");
        assert_eq!(
            text.matches("CapEff:\t0000000000000000").count(),
            2,
            "{text}"
        );
        assert!(!text.contains("ESCAPED") && text.contains("end"), "{text}");
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(said.contains("no host reached, none refused"), "{said}");
    }
}
