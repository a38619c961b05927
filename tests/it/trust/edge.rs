//! WH-05 before the real program: many slow clients, endless and lying bodies.

use super::process::{HOOK, Rig};
use crate::intake::signature;
use crate::model::stub::Stub;
use std::time::{Duration, Instant};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

fn resident(pid: u32) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).unwrap();
    let line = status.lines().find(|l| l.starts_with("VmRSS")).unwrap();
    line.split_whitespace().nth(1).unwrap().parse().unwrap()
}

async fn closed(mut stream: TcpStream) -> String {
    let mut said = Vec::new();
    let read = stream.read_to_end(&mut said);
    let _ = tokio::time::timeout(Duration::from_secs(40), read)
        .await
        .expect("the connection is still open");
    String::from_utf8_lossy(&said).into_owned()
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "loads the machine; by tests/full"]
async fn wh_05_five_hundred_slow_clients_and_large_bodies_take_no_memory() {
    let rig = Rig::new(Stub::start(Vec::new()).await, false).await;
    let serve = rig.serve();
    rig.ready().await;
    let before = resident(serve.pid());
    let connect = || TcpStream::connect(("127.0.0.1", rig.port));
    let mut slow = Vec::new();
    for _ in 0..500 {
        slow.push(connect().await.unwrap());
    }
    let head = "POST /webhook HTTP/1.1\r\nhost: a\r\nx-hub-signature-256: sha256=00\r\n";
    let mut large = connect().await.unwrap();
    let text = format!("{head}content-length: {}\r\n\r\n", 26 << 20);
    large.write_all(text.as_bytes()).await.unwrap();
    for _ in 0..26 {
        if large.write_all(&vec![b'x'; 1 << 20]).await.is_err() {
            break;
        }
    }
    // More than it says, and less.
    let mut lying = connect().await.unwrap();
    let text = format!("{head}content-length: 10\r\n\r\n{}", "x".repeat(1000));
    lying.write_all(text.as_bytes()).await.unwrap();
    let http = reqwest::Client::builder().no_proxy().build().unwrap();
    for round in 0..3 {
        for stream in &mut slow {
            let _ = stream.write_all(b"P").await;
        }
        let body = b"{}".to_vec();
        let begun = Instant::now();
        let answer = http
            .post(format!("http://127.0.0.1:{}/webhook", rig.port))
            .header("x-github-event", "issues")
            .header("x-github-delivery", format!("good-{round}"))
            .header("content-type", "application/json")
            .header("x-hub-signature-256", signature(HOOK, &body))
            .body(body)
            .send()
            .await
            .unwrap();
        assert_eq!(answer.status(), 202);
        assert!(
            begun.elapsed() < Duration::from_secs(1),
            "{:?}",
            begun.elapsed()
        );
        tokio::time::sleep(Duration::from_secs(2)).await;
    }
    assert!(closed(large).await.starts_with("HTTP/1.1 413"));
    assert!(closed(lying).await.starts_with("HTTP/1.1 401"));
    let grown = resident(serve.pid()).saturating_sub(before);
    assert!(grown < 64 * 1024, "{grown} KiB");
    for stream in slow {
        closed(stream).await;
    }
    drop(serve);
    rig.sim.shutdown().await;
}
