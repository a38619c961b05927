//! The first message of TLS: whether a tunnel speaks it, and for which host. What follows is
//! encrypted and stays so.

use super::refuse::Why;

/// Longest record that a ClientHello comes in (RFC 8446, 5.1), with its head.
pub(super) const MOST_RECORD: usize = (16 << 10) + 5;
const HANDSHAKE: u8 = 22;
const CLIENT_HELLO: u8 = 1;
const SERVER_NAME: u16 = 0;

/// Length of the whole first record, once its head is there.
pub(super) fn record_length(head: &[u8]) -> Result<Option<usize>, Why> {
    let Some(head) = head.get(..5) else {
        // Already the first byte says whether this can become TLS.
        return match head.first() {
            Some(kind) if *kind != HANDSHAKE => Err(Why::NotTls),
            _ => Ok(None),
        };
    };
    let length = usize::from(u16::from_be_bytes([head[3], head[4]])) + 5;
    match head[0] == HANDSHAKE && head[1] == 3 && length <= MOST_RECORD {
        true => Ok(Some(length)),
        false => Err(Why::NotTls),
    }
}

/// Checks that the record asks for `host`. A host that is an address may go unnamed (RFC 6066, 3).
pub(super) fn check(record: &[u8], host: &str) -> Result<(), Why> {
    let name = server_name(record).ok_or(Why::NotTls)?;
    match name {
        Some(name) if name == host.as_bytes() => Ok(()),
        None if host.parse::<std::net::Ipv4Addr>().is_ok() => Ok(()),
        _ => Err(Why::OtherName),
    }
}

/// `None` when it is no ClientHello, `Some(None)` when it names no host.
fn server_name(record: &[u8]) -> Option<Option<&[u8]>> {
    let mut rest = record.get(5..)?;
    let kind = take(&mut rest, 4)?;
    if kind[0] != CLIENT_HELLO {
        return None;
    }
    take(&mut rest, 2 + 32)?; // version, random
    block(&mut rest, 1)?; // session
    block(&mut rest, 2)?; // ciphers
    block(&mut rest, 1)?; // compressions
    if rest.is_empty() {
        return Some(None);
    }
    let mut extensions = block(&mut rest, 2)?;
    while !extensions.is_empty() {
        let kind = take(&mut extensions, 2)?;
        let mut body = block(&mut extensions, 2)?;
        if u16::from_be_bytes([kind[0], kind[1]]) == SERVER_NAME {
            let mut list = block(&mut body, 2)?;
            let kind = take(&mut list, 1)?;
            let name = block(&mut list, 2)?;
            // One name of kind host and nothing else, or it is not understood.
            return (kind[0] == 0 && list.is_empty()).then_some(Some(name));
        }
    }
    Some(None)
}

fn take<'a>(from: &mut &'a [u8], n: usize) -> Option<&'a [u8]> {
    let (taken, rest) = from.split_at_checked(n)?;
    *from = rest;
    Some(taken)
}

/// Bytes behind their length, which is itself `width` bytes long.
fn block<'a>(from: &mut &'a [u8], width: usize) -> Option<&'a [u8]> {
    let length = take(from, width)?;
    let length = length.iter().fold(0, |n, b| (n << 8) | usize::from(*b));
    take(from, length)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A ClientHello as rustls writes it.
    fn hello(host: &str) -> Vec<u8> {
        let provider = rustls::crypto::aws_lc_rs::default_provider();
        let config = rustls::ClientConfig::builder_with_provider(provider.into())
            .with_safe_default_protocol_versions()
            .unwrap()
            .with_root_certificates(rustls::RootCertStore::empty())
            .with_no_client_auth();
        let name = host.to_string().try_into().unwrap();
        let mut client = rustls::ClientConnection::new(config.into(), name).unwrap();
        let mut bytes = Vec::new();
        client.write_tls(&mut bytes).unwrap();
        bytes
    }

    #[test]
    fn nw_02_a_tunnel_speaks_tls_with_the_named_host() {
        let record = hello("registry.test");
        assert_eq!(record_length(&record), Ok(Some(record.len())));
        assert_eq!(record_length(&record[..4]), Ok(None));
        assert_eq!(check(&record, "registry.test"), Ok(()));
        assert_eq!(check(&record, "other.test"), Err(Why::OtherName));
        let unnamed = hello("127.0.0.1");
        assert_eq!(check(&unnamed, "127.0.0.1"), Ok(()));
        assert_eq!(check(&unnamed, "registry.test"), Err(Why::OtherName));
        assert_eq!(record_length(b"POST /x HTTP/1.1"), Err(Why::NotTls));
        assert_eq!(record_length(b"SSH-2.0"), Err(Why::NotTls));
        for cut in 0..record.len() {
            assert!(check(&record[..cut], "registry.test").is_err(), "{cut}");
        }
    }
}
