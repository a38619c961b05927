//! One request of a client, parsed as strictly as HTTP allows: what is not understood to the last
//! byte is refused, because whoever is behind us might understand it otherwise.

use super::refuse::Why;
use crate::domain::{is_host, port_number};

/// Longest head of a request: its first line and all its fields.
pub(super) const MOST_HEAD: usize = 16 << 10;
/// Longest path with query of a request without encryption; with encryption nobody sees it.
const MOST_PATH: usize = 2048;

/// What a client asks for.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Request {
    pub host: String,
    pub port: u16,
    /// The head that goes to the host, for a request without encryption; `None` for a tunnel.
    pub forward: Option<Vec<u8>>,
}

/// Reads a whole head. The refusal comes with what was asked for, as far as that can be said.
pub(super) fn parse(head: &[u8]) -> Result<Request, (String, Why)> {
    let malformed = |what: &str| (what.to_string(), Why::Malformed);
    // Anything beyond printable ASCII has no place in a request line or in a field we pass on.
    let text = std::str::from_utf8(head).map_err(|_| malformed("(not text)"))?;
    let mut lines = text
        .strip_suffix("\r\n\r\n")
        .ok_or_else(|| malformed("(no request)"))?
        .split("\r\n");
    let first = lines.next().unwrap_or_default();
    let words: Vec<&str> = first.split(' ').collect();
    let &[method, target, version] = words.as_slice() else {
        return Err(malformed(first));
    };
    if !first.bytes().all(|b| (b' '..=b'~').contains(&b)) {
        return Err(malformed(target));
    }
    if !matches!(version, "HTTP/1.1" | "HTTP/1.0") {
        return Err(malformed(target));
    }
    match method {
        "CONNECT" => {
            let (host, port) = authority(target, None)?;
            Ok(Request {
                host,
                port,
                forward: None,
            })
        }
        "GET" | "HEAD" => plain(method, target, lines),
        _ => Err((target.to_string(), Why::Method)),
    }
}

/// `http://host[:port]/path`.
fn plain<'a>(
    method: &str,
    target: &str,
    fields: impl Iterator<Item = &'a str>,
) -> Result<Request, (String, Why)> {
    let rest = target
        .strip_prefix("http://")
        .ok_or_else(|| (target.to_string(), Why::Malformed))?;
    let (place, path) = match rest.find(['/', '?', '#']) {
        None => (rest, "/"),
        Some(at) if rest[at..].starts_with('/') => rest.split_at(at),
        Some(_) => return Err((target.to_string(), Why::Malformed)),
    };
    let (host, port) = authority(place, Some(80))?;
    if path.len() > MOST_PATH {
        return Err((place.to_string(), Why::LongUrl));
    }
    // The host is ours to say, not the client's: a second one in its fields leads nowhere.
    let at = if port == 80 {
        host.clone()
    } else {
        format!("{host}:{port}")
    };
    let mut forward = format!("{method} {path} HTTP/1.1\r\nHost: {at}\r\nConnection: close\r\n");
    for field in fields {
        let Some((name, value)) = field.split_once(':') else {
            return Err((place.to_string(), Why::Malformed));
        };
        let token = |b: u8| b.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&b);
        if name.is_empty() || !name.bytes().all(token) || value.contains(char::is_control) {
            return Err((place.to_string(), Why::Malformed));
        }
        match name.to_ascii_lowercase().as_str() {
            "content-length" if value.trim() != "0" => {
                return Err((place.to_string(), Why::Method));
            }
            "transfer-encoding" | "upgrade" => return Err((place.to_string(), Why::Method)),
            "host" | "connection" | "keep-alive" | "te" | "trailer" | "content-length"
            | "expect" => {}
            name if name.starts_with("proxy-") => {}
            _ => forward.push_str(&format!("{field}\r\n")),
        }
    }
    forward.push_str("\r\n");
    Ok(Request {
        host,
        port,
        forward: Some(forward.into_bytes()),
    })
}

/// `host:port`, or `host` where a scheme has a port.
fn authority(text: &str, default: Option<u16>) -> Result<(String, u16), (String, Why)> {
    let wrong = || (text.to_string(), Why::Malformed);
    let (host, port) = match (text.split_once(':'), default) {
        (Some((host, port)), _) => (host, port_number(port).ok_or_else(wrong)?),
        (None, Some(port)) => (text, port),
        (None, None) => return Err(wrong()),
    };
    if !is_host(host) {
        return Err(wrong());
    }
    Ok((host.to_string(), port))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn connect(target: &str) -> Result<(String, u16), Why> {
        let head = format!("CONNECT {target} HTTP/1.1\r\nHost: other.test\r\n\r\n");
        parse(head.as_bytes())
            .map(|r| (r.host, r.port))
            .map_err(|(_, why)| why)
    }

    #[test]
    fn nw_02_what_is_not_a_plain_name_is_refused() {
        assert_eq!(
            connect("registry.test:443"),
            Ok(("registry.test".into(), 443))
        );
        for target in [
            "REGISTRY.TEST:443",
            "registry.test.:443",
            "REGISTRY.TEST.:443",
            "evil\0.registry.test:443",
            "registry.test@evil:443",
            "user:pw@registry.test:443",
            "[::1]:443",
            "[::ffff:127.0.0.1]:443",
            "::1:443",
            "0x7f000001:443",
            "127.1:443",
            "registry.test",
            "registry.test:",
            "registry.test:443:80",
            "registry.test:0443",
            "registry.test:443/x",
            "registry%2etest:443",
            "régistry.test:443",
            "registry.test:99999",
            "",
            ":443",
        ] {
            assert_eq!(connect(target), Err(Why::Malformed), "{target:?}");
        }
    }

    #[test]
    fn nw_04_only_get_and_head_without_encryption() {
        let ask = |head: &str| parse(head.as_bytes());
        let get = ask(
            "GET http://a.test/p?q HTTP/1.1\r\nHost: b.test\r\nProxy-Authorization: x\r\nAccept: */*\r\nConnection: keep-alive\r\n\r\n",
        )
        .unwrap();
        assert_eq!((get.host.as_str(), get.port), ("a.test", 80));
        assert_eq!(
            String::from_utf8(get.forward.unwrap()).unwrap(),
            "GET /p?q HTTP/1.1\r\nHost: a.test\r\nConnection: close\r\nAccept: */*\r\n\r\n"
        );
        let why = |head: &str| ask(head).unwrap_err().1;
        for method in ["PUT", "POST", "DELETE", "PATCH", "OPTIONS", "get", "TRACE"] {
            let head = format!("{method} http://a.test/ HTTP/1.1\r\n\r\n");
            assert_eq!(why(&head), Why::Method, "{method}");
        }
        let long = "x".repeat(8192);
        for (head, expected) in [
            (
                format!("GET http://a.test/{long} HTTP/1.1\r\n\r\n"),
                Why::LongUrl,
            ),
            (
                "GET http://a.test/ HTTP/1.1\r\nContent-Length: 5\r\n\r\n".into(),
                Why::Method,
            ),
            (
                "GET http://a.test/ HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n".into(),
                Why::Method,
            ),
            (
                "GET http://a.test/ HTTP/1.1\r\nX: a\nHost: b\r\n\r\n".into(),
                Why::Malformed,
            ),
            (
                "GET http://a.test/ HTTP/1.1\r\n folded: x\r\n\r\n".into(),
                Why::Malformed,
            ),
            ("GET /relative HTTP/1.1\r\n\r\n".into(), Why::Malformed),
            (
                "GET https://a.test/ HTTP/1.1\r\n\r\n".into(),
                Why::Malformed,
            ),
            (
                "GET http://a.test?x HTTP/1.1\r\n\r\n".into(),
                Why::Malformed,
            ),
            (
                "GET  http://a.test/ HTTP/1.1\r\n\r\n".into(),
                Why::Malformed,
            ),
            ("GET http://a.test/ HTTP/2.0\r\n\r\n".into(), Why::Malformed),
            ("\r\n\r\n".into(), Why::Malformed),
        ] {
            assert_eq!(why(&head), expected, "{}", &head[..head.len().min(80)]);
        }
    }
}
