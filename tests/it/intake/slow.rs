use super::Served;
use crate::store::Fresh;
use mend::intake::Bounds;
use std::time::{Duration, Instant};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

const BODY: &str = r#"{"action":"labeled"}"#;

async fn impatient() -> Served {
    let bounds = Bounds {
        header: Duration::from_millis(700),
        ..Bounds::default()
    };
    Served::of(Fresh::new().await, 100_000, bounds).await
}

/// Reads until the server closes; what it said.
async fn until_closed(stream: &mut TcpStream) -> String {
    let mut said = Vec::new();
    let read = stream.read_to_end(&mut said);
    // A reset is an end, too.
    let _ = tokio::time::timeout(Duration::from_secs(20), read)
        .await
        .expect("the connection is still open");
    String::from_utf8_lossy(&said).into_owned()
}

#[tokio::test(flavor = "multi_thread")]
async fn wh_05_slow_headers_and_idle_connections_are_cut_off_and_disturb_nobody() {
    let served = impatient().await;
    let mut slow = Vec::new();
    for n in 0..200 {
        let mut stream = TcpStream::connect(served.address).await.unwrap();
        let begun: &[u8] = if n % 2 == 0 { b"POST /web" } else { b"" };
        stream.write_all(begun).await.unwrap();
        slow.push(stream);
    }
    let start = Instant::now();
    let answer = served.delivery("g", BODY).send().await.unwrap();
    assert_eq!(answer.status(), 202);
    assert!(
        start.elapsed() < Duration::from_secs(1),
        "{:?}",
        start.elapsed()
    );
    let trickle = async {
        let mut stream = TcpStream::connect(served.address).await.unwrap();
        for byte in b"POST /webhook HTTP/1.1\r\nhost: a\r\nx: yyyyyyyyyyyyyyyyyyyyyyyy" {
            tokio::time::sleep(Duration::from_millis(100)).await;
            if stream.write_all(&[*byte]).await.is_err() {
                break;
            }
        }
        until_closed(&mut stream).await;
    };
    trickle.await;
    for mut stream in slow {
        until_closed(&mut stream).await;
    }
    assert!(
        start.elapsed() < Duration::from_secs(10),
        "{:?}",
        start.elapsed()
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_kept_connection_is_closed_when_nothing_follows() {
    let served = impatient().await;
    let mut stream = TcpStream::connect(served.address).await.unwrap();
    let request = b"GET /healthz HTTP/1.1\r\nhost: a\r\n\r\n";
    stream.write_all(request).await.unwrap();
    let said = until_closed(&mut stream).await;
    assert!(said.starts_with("HTTP/1.1 200"), "{said}");
}

#[tokio::test(flavor = "multi_thread")]
async fn wh_05_a_stalled_body_is_408_and_an_endless_one_413() {
    let served = impatient().await;
    let head = "POST /webhook HTTP/1.1\r\nhost: a\r\nx-hub-signature-256: sha256=00\r\n";
    let mut stalled = TcpStream::connect(served.address).await.unwrap();
    let text = format!("{head}content-length: 50000\r\n\r\nabc");
    stalled.write_all(text.as_bytes()).await.unwrap();
    let start = Instant::now();

    let mut endless = TcpStream::connect(served.address).await.unwrap();
    let text = format!("{head}transfer-encoding: chunked\r\n\r\n");
    endless.write_all(text.as_bytes()).await.unwrap();
    let chunk = format!("1000\r\n{}\r\n", "x".repeat(0x1000));
    let mut sent = 0;
    while sent < 80_000_000 && endless.write_all(chunk.as_bytes()).await.is_ok() {
        sent += chunk.len();
    }
    assert!(sent < 80_000_000, "the server read on and on");

    let said = until_closed(&mut stalled).await;
    assert!(said.starts_with("HTTP/1.1 408"), "{said}");
    assert!(start.elapsed() < Duration::from_secs(8));
    assert_eq!(served.stored().await, 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_stop_ends_the_server_and_its_connections() {
    let served = impatient().await;
    let mut kept = TcpStream::connect(served.address).await.unwrap();
    kept.write_all(b"GET /healthz HTTP/1.1\r\nhost: a\r\n\r\n")
        .await
        .unwrap();
    kept.read_exact(&mut [0; 12]).await.unwrap();
    served.stop.cancel();
    tokio::time::timeout(Duration::from_secs(3), served.ended)
        .await
        .expect("the server still runs")
        .unwrap();
    assert!(TcpStream::connect(served.address).await.is_err());
}
