//! The proxy's connections, from the first byte to the last.

use super::address::{Reach, reach};
use super::refuse::Why;
use super::request::{self, MOST_HEAD, Request};
use super::tally::Tally;
use super::{Egress, hello};
use crate::domain::{AllowedHost, Traffic};
use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::net::{TcpStream, UnixListener, UnixStream};
use tokio::sync::Semaphore;
use tokio::task::JoinSet;
use tokio::time::timeout;

/// For a head, and for the first message of a tunnel.
const HEAD_TIME: Duration = Duration::from_secs(30);
const RESOLVE_TIME: Duration = Duration::from_secs(15);
const CONNECT_TIME: Duration = Duration::from_secs(15);
/// Without a byte in either direction.
const IDLE_TIME: Duration = Duration::from_secs(120);
const CHUNK: usize = 32 << 10;

/// What one command may do, and what it did.
pub(super) struct Gate {
    egress: Egress,
    tally: Tally,
}

/// Ends the conversation: what to list and to answer.
type Refused = (String, Why);

impl Gate {
    pub fn new(egress: Egress) -> Gate {
        Gate {
            tally: Tally::new(egress.budget.clone()),
            egress,
        }
    }

    pub fn traffic(&self) -> Traffic {
        self.tally.traffic()
    }

    /// The entry of the list that allows this host and port.
    fn permit(&self, host: &str, port: u16) -> Result<&AllowedHost, Why> {
        let mut named = self.egress.allow.iter().filter(|a| a.is(host)).peekable();
        if named.peek().is_none() {
            return Err(Why::NotListed);
        }
        named.find(|a| a.takes_port(port)).ok_or(Why::Port)
    }

    /// Resolves once, checks every address of the answer, dials those and no others.
    async fn dial(&self, host: &str, port: u16) -> Result<TcpStream, Why> {
        let entry = self.permit(host, port)?;
        let found = timeout(RESOLVE_TIME, self.egress.resolver.resolve(host)).await;
        let found = found.ok().and_then(Result::ok).unwrap_or_default();
        if found.is_empty() {
            return Err(Why::Unresolved);
        }
        let fine = |reach| match reach {
            Reach::Public => true,
            Reach::Private => entry.private,
            Reach::Never => false,
        };
        if !found.iter().all(|ip| fine(reach(*ip))) {
            return Err(Why::PrivateAddress);
        }
        for ip in found {
            let dialled = timeout(CONNECT_TIME, TcpStream::connect(SocketAddr::new(ip, port)));
            if let Ok(Ok(stream)) = dialled.await {
                let _ = stream.set_nodelay(true);
                return Ok(stream);
            }
        }
        Err(Why::Unreachable)
    }
}

/// Serves until it is dropped; every connection ends with it.
pub(super) async fn serve(listener: UnixListener, gate: Arc<Gate>) {
    let mut open = JoinSet::new();
    let room = Arc::new(Semaphore::new(gate.egress.budget.connections));
    loop {
        let Ok(permit) = room.clone().acquire_owned().await else {
            return;
        };
        match listener.accept().await {
            Ok((client, _)) => {
                let gate = gate.clone();
                open.spawn(async move {
                    let _permit = permit;
                    let limit = gate.egress.budget.time_each;
                    let _ = timeout(limit, connection(client, &gate)).await;
                });
            }
            // Out of descriptors, most likely: the ends of others free some.
            Err(_) => tokio::time::sleep(Duration::from_millis(50)).await,
        }
        while open.try_join_next().is_some() {}
    }
}

async fn connection(mut client: UnixStream, gate: &Gate) {
    let Err((asked, why)) = converse(&mut client, gate).await else {
        return;
    };
    gate.tally.refused(&asked, why);
}

async fn converse(client: &mut UnixStream, gate: &Gate) -> Result<(), Refused> {
    let mut bytes = Vec::new();
    let head = timeout(HEAD_TIME, read_head(client, &mut bytes)).await;
    let Ok(Ok(Some(end))) = head else {
        // A client that said nothing wanted nothing.
        return Ok(());
    };
    let rest = bytes.split_off(end);
    let asked = request::parse(&bytes);
    let dialled = match asked {
        Err(refused) => Err(refused),
        Ok(asked) => {
            let name = place(&asked);
            match gate.tally.request() {
                Err(why) => Err((name, why)),
                Ok(()) => match gate.dial(&asked.host, asked.port).await {
                    Ok(server) => Ok((server, asked)),
                    Err(why) => Err((name, why)),
                },
            }
        }
    };
    let (server, asked) = match dialled {
        Ok(dialled) => dialled,
        Err((asked, why)) => {
            let _ = answer(client, &asked, why).await;
            return Err((asked, why));
        }
    };
    let name = place(&asked);
    match asked.forward {
        None => tunnel(client, server, &asked.host, rest, gate).await,
        // What a client sends behind a request without a body is not the request's.
        Some(head) => forward(client, server, &head, &asked.host, gate).await,
    }
    .map_err(|why| (name, why))
}

/// The host as it is listed: with its port where that is not the usual one.
fn place(asked: &Request) -> String {
    let usual = if asked.forward.is_some() { 80 } else { 443 };
    match asked.port == usual {
        true => asked.host.clone(),
        false => format!("{}:{}", asked.host, asked.port),
    }
}

/// Reads to the end of a head and gives its length; `None` when the client left or sent too much.
async fn read_head(client: &mut UnixStream, bytes: &mut Vec<u8>) -> io::Result<Option<usize>> {
    loop {
        if let Some(at) = memchr::memmem::find(bytes, b"\r\n\r\n") {
            return Ok(Some(at + 4));
        }
        // Long enough to be refused for what it is, not only cut off.
        if bytes.len() > MOST_HEAD || client.read_buf(bytes).await? == 0 {
            return Ok((!bytes.is_empty()).then_some(bytes.len()));
        }
    }
}

async fn answer(client: &mut UnixStream, asked: &str, why: Why) -> io::Result<()> {
    let host = crate::text::one_line(&crate::text::visible(asked));
    let host = crate::text::clip_words(&host, 100);
    let body = format!("mend: {host}: {}\n", why.words());
    let head = format!(
        "HTTP/1.1 {}\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Length: {}\r\nConnection: close\r\n\r\n",
        why.status(),
        body.len()
    );
    client.write_all(head.as_bytes()).await?;
    client.write_all(body.as_bytes()).await?;
    client.shutdown().await
}

/// `CONNECT`: bytes both ways, once the first of them proved to be TLS for this host.
async fn tunnel(
    client: &mut UnixStream,
    mut server: TcpStream,
    host: &str,
    mut first: Vec<u8>,
    gate: &Gate,
) -> Result<(), Why> {
    let ready = b"HTTP/1.1 200 Connection established\r\n\r\n";
    if client.write_all(ready).await.is_err() {
        return Ok(());
    }
    let hello = async {
        loop {
            if let Some(length) = hello::record_length(&first)?
                && first.len() >= length
            {
                return hello::check(&first[..length], host).map(|()| true);
            }
            match client.read_buf(&mut first).await {
                Ok(0) | Err(_) => return Ok(false),
                Ok(_) => {}
            }
        }
    };
    match timeout(HEAD_TIME, hello).await {
        Ok(Ok(true)) => {}
        Ok(Err(why)) => return Err(why),
        // It left, or never spoke.
        Ok(Ok(false)) | Err(_) => return Ok(()),
    }
    gate.tally.reached(host);
    gate.tally.sent(first.len())?;
    if server.write_all(&first).await.is_err() {
        return Ok(());
    }
    let (mut from_client, mut to_client) = client.split();
    let (mut from_server, mut to_server) = server.split();
    let each = gate.egress.budget.sent_bytes_each;
    let mut own = first.len() as u64;
    let up = pump(&mut from_client, &mut to_server, |n| {
        own += n as u64;
        gate.tally.sent(n)?;
        if own > each { Err(Why::Bytes) } else { Ok(()) }
    });
    let down = pump(&mut from_server, &mut to_client, |n| gate.tally.received(n));
    tokio::pin!(up, down);
    tokio::select! {
        // A host that has said everything ends the tunnel; a client that has asked everything
        // still waits for the answer.
        done = &mut down => done,
        done = &mut up => match done {
            Ok(()) => down.await,
            refused => refused,
        },
    }
}

/// `GET` or `HEAD` without encryption: one request, one answer, the end.
async fn forward(
    client: &mut UnixStream,
    mut server: TcpStream,
    head: &[u8],
    host: &str,
    gate: &Gate,
) -> Result<(), Why> {
    gate.tally.reached(host);
    gate.tally.sent(head.len())?;
    if server.write_all(head).await.is_err() {
        return Err(Why::Unreachable);
    }
    let (mut from_server, _to_server) = server.split();
    pump(&mut from_server, client, |n| gate.tally.received(n)).await
}

/// Copies until the end of either side. A broken connection is an end, not a refusal.
async fn pump(
    from: &mut (impl AsyncRead + Unpin),
    to: &mut (impl AsyncWrite + Unpin),
    mut count: impl FnMut(usize) -> Result<(), Why>,
) -> Result<(), Why> {
    let mut buffer = vec![0; CHUNK];
    loop {
        let Ok(Ok(n @ 1..)) = timeout(IDLE_TIME, from.read(&mut buffer)).await else {
            break;
        };
        count(n)?;
        if to.write_all(&buffer[..n]).await.is_err() {
            break;
        }
    }
    let _ = to.shutdown().await;
    Ok(())
}
